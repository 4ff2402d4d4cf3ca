/* interrupt.c: signals -> sol_cancel(). See interrupt.h. */
#define _GNU_SOURCE
#include "runtime/cli/interrupt.h"

#include <string.h>

static void set_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
}

static void *wait_for_signal(void *context)
{
    Interrupt *interrupt = context;
    sigset_t set;
    set_signals(&set);
    for (;;) {
        int number;
        if (sigwait(&set, &number) != 0)
            continue;
        if (atomic_load(&interrupt->closing))
            return NULL;
        if (interrupt->stays && number == SIGINT) {
            Sol *running = atomic_load(&interrupt->sim);
            if (running)
                sol_cancel(running);
            continue;
        }
        if (atomic_exchange(&interrupt->signal, number) != 0) {
            /* asked twice: give it to the system, which ends the process */
            signal(number, SIG_DFL);
            pthread_sigmask(SIG_UNBLOCK, &set, NULL);
            raise(number);
        }
        Sol *sim = atomic_load(&interrupt->sim);
        if (sim) {
            sol_cancel(sim);
            continue;
        }
        signal(number, SIG_DFL); /* nothing runs that could end */
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
        raise(number);
    }
}

void interrupt_start(Interrupt *interrupt, Sol *sim)
{
    sigset_t set;
    memset(interrupt, 0, sizeof *interrupt);
    atomic_store(&interrupt->sim, sim);
    /* a reader that went away and a limit of file sizes are errors of writing, not ends of the
     * process */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    set_signals(&set);
    if (pthread_sigmask(SIG_BLOCK, &set, &interrupt->before) != 0)
        return;
    interrupt->running = pthread_create(&interrupt->thread, NULL, wait_for_signal, interrupt) == 0;
    if (!interrupt->running)
        pthread_sigmask(SIG_SETMASK, &interrupt->before, NULL);
}

void interrupt_aim(Interrupt *interrupt, Sol *sim)
{
    atomic_store(&interrupt->sim, sim);
}

int interrupt_seen(const Interrupt *interrupt)
{
    return atomic_load(&interrupt->signal);
}

void interrupt_stop(Interrupt *interrupt)
{
    if (!interrupt->running)
        return;
    /* by a signal: pthread_cancel would load a library, for which there may be no memory */
    atomic_store(&interrupt->closing, true);
    pthread_kill(interrupt->thread, SIGHUP);
    pthread_join(interrupt->thread, NULL);
    pthread_sigmask(SIG_SETMASK, &interrupt->before, NULL);
    interrupt->running = false;
}
