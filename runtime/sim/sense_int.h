/* sense_int.h: what the files of sensitivities share. Private to runtime/sim/sense*.c. */
#ifndef RUNTIME_SIM_SENSE_INT_H
#define RUNTIME_SIM_SENSE_INT_H

#include "runtime/sim/sense.h"

enum { SENSE_PAST = 40 };

/* One parameter. Lists by variable have Sense.room places. */
typedef struct SenseBy {
    const char *path;
    double value, step; /* of the parameter: copies have value - step and value + step */
    double used;        /* the step of the copies that there are */
    double size;        /* |value|, or 1 */
    double *tangent;    /* [var]: of states and of what is held; 0: all others */
    double *shown;      /* [var]: of all, at the last point */
    double *next;       /* [var]: scratch */
    Sim *copy[2];       /* behind the last event; NULL: none */
    bool lost;          /* does not exist any more */
} SenseBy;

/* Values and derivatives of the states at a time since the last event. */
typedef struct SensePast {
    double time;
    double *state; /* [state]: values, then derivatives by each parameter */
} SensePast;

struct Sense {
    Sim *sim;
    const SenseHost *host;
    uint32_t n;
    SenseBy *by; /* [n] */
    uint32_t room;
    double time;             /* that `tangent` is of */
    double event;            /* of the last one, or the start */
    VEC(DdpVar) held_before; /* the same before the event that is going on */
    VEC(DdpVar) held;        /* what stays between events, and may have a derivative */
    VEC(DdpVar) states;      /* since the last event, in the order of `past` */
    VEC(SensePast) past;     /* ascending; the first at the last event */
    Pack before; /* the simulation before the event that is going on; empty: there is none */
    Sim *middle; /* a copy behind the last event with the parameters as they are; NULL: none */
    bool quiet;  /* the event only chooses other states */
    VEC(double) work;
    VEC(uint32_t) pivot;
    VEC(double) present; /* [var]: all values, while others are looked at */
};

static inline bool sense_all_lost(const Sense *sense)
{
    for (uint32_t k = 0; k < sense->n; k++)
        if (!sense->by[k].lost)
            return false;
    return true;
}

/* sense.c */
void sense_lose(Sense *sense, SenseBy *by,
                const char *why); /* says that it does not exist from now on */
void sense_list_held(Sense *sense);
void sense_grow(Sense *sense);
void sense_keep_past(Sense *sense); /* at Sense.time, whose values are present */
void sense_forget_past(Sense *sense);

/* sense_flow.c: from Sense.time to `time`, where everything is smooth. */
SolStatus sense_flow(Sense *sense, double time);
/* Tangents of all nodes at present values, with those of free variables as they are in `from`; cleared behind it. */
void sense_sweep(Sense *sense, const double *from);
void sense_clear(Sense *sense);
SolStatus sense_factor_loops(Sense *sense);

/* sense_jump.c */
SolStatus sense_jump_start(Sense *sense);
SolStatus sense_jump(Sense *sense);
void sense_close_copies(const Sense *sense, SenseBy *by);
void sense_close_middle(Sense *sense);
double sense_ahead(const Sense *sense, double event); /* how long before it copies should begin */

#endif
