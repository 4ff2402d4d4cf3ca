/* loop_system.h: the equations of a loop as a system r(w) = offset, and ways to its solution where Newton's method alone fails. Private
 * to eval/. */
#ifndef RUNTIME_EVAL_LOOP_SYSTEM_H
#define RUNTIME_EVAL_LOOP_SYSTEM_H

#include "runtime/eval/eval.h"
#include "runtime/eval/loop_whole.h"

#include <math.h>
#include <string.h>

/* One of the two forms, and work arrays of n each; from the simulation's pool, so that nothing is
 * allocated. */
typedef struct System System;
struct System {
    Sim *sim;
    EvalNode *node;
    LoopWhole *whole; /* NULL: torn */
    uint32_t n;
    const DdpVar *unknown;
    double *r, *step, *old, *scale, *offset;
    bool plain;  /* residuals are measured as they are */
    bool steady; /* rounding does not grow on the way: the solution has its digits */
    bool (*newton)(System *s, int rounds); /* from the present values */
    void (*residuals)(const System *s, double *r);
    bool (*factor)(System *s); /* derivatives at the present values */
    void (*apply)(System *s, double *b);
};

/* Residual in units of its row of the Jacobian: how far the unknowns are off. Rows change from step to step, residuals as they are do
 * not: each is larger in places where the other is small. */
static inline double loop_system_measure(const System *s, const double *r)
{
    double most = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        double size = fabs(r[i]) / (s->scale[i] > 0 && !s->plain ? s->scale[i] : 1);
        if (!(size <= most))
            most = size;
    }
    return most;
}

static inline void loop_system_put_unknowns(const System *s, const double *from, const double *step,
                                            double part)
{
    for (uint32_t i = 0; i < s->n; i++)
        s->sim->value[s->unknown[i]] = from[i] - (step ? part * step[i] : 0);
}

static inline void loop_system_get_unknowns(const System *s, double *to)
{
    for (uint32_t i = 0; i < s->n; i++)
        to[i] = s->sim->value[s->unknown[i]];
}

static inline void loop_system_no_offset(System *s)
{
    memset(s->offset, 0, s->n * sizeof *s->offset);
}

/* ---- loop_ways.c ---- */

/* `first`: the guess to begin with. What the loop reads is afterwards as it was. */
typedef bool LoopAttempt(System *s, const double *first);

enum { LOOP_WAYS = 4 };

typedef struct LoopWay {
    const char *name;
    LoopAttempt *attempt;
} LoopWay;

extern const LoopWay loop_ways[LOOP_WAYS]; /* in the order in which they are tried */

uint32_t loop_guesses(const EvalNode *node); /* how many deformation begins with */
bool loop_reads_homotopy(const Sim *sim, const EvalNode *node);

#endif
