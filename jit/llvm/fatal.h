/* fatal.h: calls of LLVM -> done, or LLVM dead. Both modules have a copy, as they have of LLVM.
 *
 * LLVM ends the process after what it calls a fatal error, unless the handler does not return. Ours
 * leaves by longjmp, which LLVM is not made for: locks may be held and lists half changed. So from
 * then on nobody in this process calls that copy again, whatever simulation it is; what it had
 * allocated is lost. */
#ifndef JIT_LLVM_FATAL_H
#define JIT_LLVM_FATAL_H

#include <stdbool.h>

enum { LLVM_WORDS = 200 };

void fatal_install(void);      /* before anything else, once */
bool fatal_happened(void);     /* LLVM is dead */
const char *fatal_words(void); /* its last */
/* call(context), unless LLVM is dead. False: it is, now or before, and the call was not done or not
 * finished. */
bool fatal_guarded(void (*call)(void *context), void *context);

#endif
