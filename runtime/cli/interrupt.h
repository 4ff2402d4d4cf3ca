/* interrupt.h: Ctrl-C and SIGTERM -> a simulation that ends cleanly.
 *
 * A thread of its own waits for the signals, so nothing has to be global. The first signal cancels
 * the simulation; a second one ends the process the hard way. */
#ifndef RUNTIME_CLI_INTERRUPT_H
#define RUNTIME_CLI_INTERRUPT_H

#include "runtime/solstice.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

typedef struct Interrupt {
    pthread_t thread;
    bool running;
    sigset_t before;
    Sol *_Atomic sim;    /* to be cancelled; NULL: nothing runs */
    bool stays;          /* Ctrl-C stops what runs and nothing else, however often it comes */
    atomic_int signal;   /* the one that came, or 0 */
    atomic_bool closing; /* the next one ends the thread */
} Interrupt;

/* Before other threads start: signals are blocked in this thread and those it starts. */
void interrupt_start(Interrupt *interrupt, Sol *sim);
void interrupt_aim(Interrupt *interrupt, Sol *sim); /* at what runs now, or NULL */
int interrupt_seen(const Interrupt *interrupt);     /* number of the signal, or 0 */
void interrupt_stop(Interrupt *interrupt);

#endif
