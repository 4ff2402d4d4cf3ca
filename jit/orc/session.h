/* session.h: of ORC what LLVM's C interface does not have. Private to jit/orc/.
 *
 * The C interface has ORC only inside of LLJIT, which wants a code generator even if it is given
 * object files alone. Other parts of the C interface lie beside functions that need the code of passes
 * and parsers. Everything else is called through the C interface, which takes the session and
 * what belongs to it. */
#ifndef JIT_ORC_SESSION_H
#define JIT_ORC_SESSION_H

#include <llvm-c/Error.h>
#include <llvm-c/Orc.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OrcSession OrcSession;

/* A session for this process whose objects JITLink places. */
LLVMErrorRef orc_open(OrcSession **session);
void orc_close(OrcSession *session); /* frees all code */
LLVMOrcExecutionSessionRef orc_session(OrcSession *session);
/* Tell gdb about every object that is linked from now on. */
void orc_tell_gdb(OrcSession *session);
/* Adds a copy of the object to the tracker's library; it is linked when somebody looks for one of
 * its functions. */
LLVMErrorRef orc_add(OrcSession *session, LLVMOrcResourceTrackerRef tracker, const void *object,
                     size_t size);

/* Bytes of each function in an object; 0: it is not there. */
void orc_sizes(const void *object, size_t size, uint32_t n, const char *const *names,
               size_t *sizes);
/* Kind of machine, processor and features that code is made for here. */
void orc_host(char *text, size_t room);

#ifdef __cplusplus
}
#endif

#endif
