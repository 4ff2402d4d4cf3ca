/* code_memory.h: memory that code is executed from.
 *
 * Memory is never writable and executable at the same address: each segment is mapped twice, once
 * to write and once to execute. So a function can be added while its neighbours run. One thread at
 * a time places and drops; any number execute.
 */
#ifndef JIT_CODE_MEMORY_H
#define JIT_CODE_MEMORY_H

#include "base/mem.h"

typedef struct CodeMemory CodeMemory;

CodeMemory *code_memory_open(Mem *mem);
void code_memory_close(CodeMemory *memory);

/* A copy of the code, at an address that is a multiple of 64. NULL: the system gives no memory for
 * this. */
void *code_memory_place(CodeMemory *memory, const void *code, size_t size);
void code_memory_drop(CodeMemory *memory, void *placed, size_t size); /* NULL is fine */
size_t code_memory_used(const CodeMemory *memory);                    /* bytes of functions */
size_t code_memory_reserved(const CodeMemory *memory);                /* bytes of segments */

#endif
