/* trace.h: what a simulation does, as lines of text for people (SolOptions.trace).
 *
 *     e 0.34657359 | event 1: x < 0.5
 *     i 0.34657359 | + ball.rolling: Wheel
 *
 * A line is a letter, the time, a bar, and what happened. Each function is silent when its letter
 * was not asked for; whoever would have to compute something for a line asks trace_on() first. */
#ifndef RUNTIME_EVAL_TRACE_H
#define RUNTIME_EVAL_TRACE_H

#include "runtime/eval/eval.h"

bool trace_on(const Sim *sim, char letter);
void trace_line(const Sim *sim, char letter, double time, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

void trace_instance(const Sim *sim, const WorldChange *change);        /* i */
void trace_commit(const Sim *sim, DdpCommit kind, const DdpResult *r); /* d */
void trace_event_begin(const Sim *sim);                                /* e */
/* e: decisions of the update of this number; u: held variables behind the one before */
void trace_choices(const Sim *sim, uint32_t update, uint32_t n, const WorldDecision *decisions);
void trace_event_end(const Sim *sim, const SolEvent *event);                             /* e */
void trace_restart(const Sim *sim, const SolEvent *event);                               /* e */
void trace_step(const Sim *sim, const char *solver, uint32_t n, double from, double to); /* s */

#endif
