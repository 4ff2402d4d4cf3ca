/* fatal.c: a fatal error of LLVM -> the way out of the call. See fatal.h. */
#include "jit/llvm/fatal.h"

#include <llvm-c/ErrorHandling.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_bool dead;
static char last_words[LLVM_WORDS]; /* written once, before `dead` */
static pthread_mutex_t dying = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local jmp_buf *escape; /* NULL: this thread is not inside a call of ours */

static void on_fatal(const char *reason)
{
    if (!escape)
        return; /* somebody else's use of LLVM */
    pthread_mutex_lock(&dying);
    if (!atomic_load(&dead))
        snprintf(last_words, sizeof last_words, "%s", reason);
    atomic_store(&dead, true);
    pthread_mutex_unlock(&dying);
    longjmp(*escape, 1);
}

void fatal_install(void)
{
    LLVMInstallFatalErrorHandler(on_fatal);
}

bool fatal_happened(void)
{
    return atomic_load(&dead);
}

const char *fatal_words(void)
{
    return last_words;
}

bool fatal_guarded(void (*call)(void *context), void *context)
{
    jmp_buf here;
    if (atomic_load(&dead) || setjmp(here) != 0) {
        escape = NULL;
        return false;
    }
    escape = &here;
    call(context);
    escape = NULL;
    return true;
}
