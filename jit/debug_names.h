/* debug_names.h: names of generated functions for gdb, by its JIT interface. Private to jit/.
 *
 * gdb finds one list in a process (__jit_debug_descriptor) and has a breakpoint in a function that
 * is called when the list changes; each entry is an object file in memory. Both names and the one
 * list are gdb's, so this is the one thing of jit/ that all simulations of a process share; it has
 * a lock. */
#ifndef JIT_DEBUG_NAMES_H
#define JIT_DEBUG_NAMES_H

#include <stddef.h>
#include <stdint.h>

typedef struct DebugName DebugName;

/* NULL: no memory, so no name. */
DebugName *debug_name_add(const char *name, const void *code, size_t size);
void debug_name_drop(DebugName *name); /* NULL is fine */

/* As gdb's manual has them ("JIT Compilation Interface"). */
struct jit_code_entry {
    struct jit_code_entry *next_entry, *prev_entry;
    const char *symfile_addr;
    uint64_t symfile_size;
};

struct jit_descriptor {
    uint32_t version, action_flag;
    struct jit_code_entry *relevant_entry, *first_entry;
};

extern struct jit_descriptor __jit_debug_descriptor;
void __jit_debug_register_code(void);

#endif
