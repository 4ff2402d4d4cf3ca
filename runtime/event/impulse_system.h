/* impulse_system.h: the relations around variables that jump -> what an impulse can pass through. Private to event/.
 *
 * Over the moment of an event relations are integrated as they are written. The integral of a derivative is the jump of its
 * variable; the integral of a force, a current, a voltage may be other than 0, and is an unknown; what has a
 * derivative, and all that is known to be finite, adds nothing. */
#ifndef RUNTIME_EVENT_IMPULSE_SYSTEM_H
#define RUNTIME_EVENT_IMPULSE_SYSTEM_H

#include "runtime/event/event.h"

/* What may have an impulse: derivatives, and variables without one. */
typedef struct ImpulseVar {
    DdpVar var;
    uint32_t of; /* index + 1 in `jumps`: it is the derivative of that; 0: of nothing */
    bool finite;
    uint32_t uses;   /* by rows that are not done */
    uint32_t column; /* + 1, of what is solved; 0: none */
    double impulse;
} ImpulseVar;

/* A variable that has a derivative. */
typedef struct ImpulseJump {
    DdpVar var;
    double before;
    bool born;       /* in this update: it had no value before */
    bool steady;     /* its derivative is finite */
    uint32_t column; /* + 1, of a state that may jump; 0: none */
} ImpulseJump;

typedef struct ImpulseTerm {
    uint32_t var;
    X factor; /* 0: the relation is not linear in it */
} ImpulseTerm;

typedef struct ImpulseRow {
    DdpRel rel;
    uint32_t first, n; /* terms */
    bool done;         /* it says nothing that others need */
} ImpulseRow;

typedef struct ImpulseSystem {
    Sim *sim;
    VEC(ImpulseVar) var;
    VEC(ImpulseJump) jump;
    VEC(ImpulseTerm) term;
    VEC(ImpulseRow) row;
    Map var_at, jump_at, row_at; /* index + 1 */
    Map before;                  /* index + 1 in Sim.update.befores: the first of each variable */
    uint32_t looked;             /* so many of these were looked at */
    NodeList nodes;              /* between states and what follows from them, in order */
    bool too_large;
} ImpulseSystem;

void impulse_system_open(ImpulseSystem *s, Sim *sim);
void impulse_system_look(ImpulseSystem *s, uint32_t n); /* at the first n of Sim.update.befores */
void impulse_system_close(ImpulseSystem *s);
/* It jumps; what hangs together with it is collected by impulse_system_gather. False: it has no derivative. */
bool impulse_system_add(ImpulseSystem *s, DdpVar var);
void impulse_system_gather(ImpulseSystem *s);
/* Rows and variables that the balance does not need are done or finite afterwards. False: two impulses would be multiplied. */
bool impulse_system_peel(ImpulseSystem *s);
/* The value that a variable had before this update. */
double impulse_system_before(const ImpulseSystem *s, DdpVar var);
bool impulse_has_derivative(const Sim *sim, DdpVar var);

/* Impulses are solved: conditions that they would decide otherwise go to Sim.decide.impulsive (impulse_conditions.c). */
void impulse_conditions(const ImpulseSystem *s);

#endif
