/* audit_int.h: what the files of the audit share. Private to runtime/sim/audit*.c. */
#ifndef RUNTIME_SIM_AUDIT_INT_H
#define RUNTIME_SIM_AUDIT_INT_H

#include "runtime/sim/audit.h"
#include "runtime/sim/audit_plain.h"
#include "runtime/sim/sim.h"

enum { AUDIT_TEXT = 400 };

/* A relation of the model, with what is needed to evaluate it again and again. */
typedef struct Checked {
    Form form; /* as it was when this was found out: numbers of relations are used again */
    bool jumps;
} Checked;

/* What is known of a variable from the points before. */
typedef struct Seen {
    uint64_t birth;       /* of the variable: its number may be used again */
    uint64_t used;        /* Audit.structure in which a relation has it */
    uint64_t kept;        /* likewise, one for which `largest` and `last` are needed */
    uint32_t at;          /* there: 1 + its index in Audit.kept */
    uint32_t mark;        /* is Sim.mark: met in this walk */
    double largest, last; /* up to the structure before; of what is kept: in Audit.memory */
} Seen;

/* A loop: where its variables are in Audit.loop_vars. */
typedef struct AuditLoop {
    uint32_t from, outputs, end;
} AuditLoop;

/* The same of a variable that is kept. */
typedef struct Memory {
    double largest, last;
} Memory;

/* A relation of = der(var). */
typedef struct Derivative {
    DdpRel rel;
    DdpVar of, var;
} Derivative;

enum { SLOPE_HERE, SLOPE_NEAR, SLOPE_FAR, SLOPE_POINTS };

/* A derivative as the model has it, and the values of its variable at three points of the step. */
typedef struct Slope {
    Part *part;
    DdpRel rel;
    DdpVar var, of; /* its variable, and the derivative itself */
    bool output;    /* follows from any part */
    bool state;     /* of the part: its values need no evaluation */
    double slope;
    double value[SLOPE_POINTS];
    double apart; /* the points; 0: not looked at */
    double size;  /* what its error is relative to */
} Slope;

/* What slopes of a part follow from. */
typedef struct Needs {
    NodeList list;   /* in order */
    const Part *of;  /* NULL: of none */
    uint32_t slopes; /* so many */
    bool others;     /* they follow from other parts, too */
} Needs;

typedef struct ViewCopy {
    DdpVar var;
    uint32_t place;
} ViewCopy;

/* Values where the tape of the only part has them. audit_view.c */
typedef struct AuditView {
    const double *value;  /* [place], at this point; NULL: all are in Sim.value */
    uint64_t number;      /* TapeView.number of the following */
    VEC(uint32_t) place;  /* [DdpVar] */
    NodeList needed;      /* variables that are read from Sim.value, scratch */
    VEC(ViewCopy) copies; /* those of the part, each once */
} AuditView;

struct Audit {
    Sim *sim;
    double bound;
    uint64_t structure; /* 1 + the one that the following lists are of */
    AuditPlain *plain;  /* relations that are checked together */
    RelList others;     /* and those that are not */
    VEC(Derivative) derivatives;
    bool states_only;   /* each of them is the slope of a state */
    RelList candidates; /* scratch */
    VEC(AuditLoop) loops;
    VEC(DdpVar) loop_vars;   /* [AuditLoop]: what they determine, then what they are about */
    NodeList used;           /* variables of `others` and `derivatives` */
    NodeList kept;           /* those whose values are remembered */
    VEC(Memory) memory;      /* [kept] */
    uint32_t kept_always;    /* so many of them at every point */
    bool floored;            /* what loops round to was looked at, at this point */
    bool known;              /* all of them have values, as they do up to the next event */
    VEC(Checked) checked;    /* [DdpRel] */
    VEC(Seen) seen;          /* [DdpVar] */
    VEC(double) size_least;  /* [DdpVar]: what counts as its value where it is less */
    Form form;               /* of the relation that is looked at */
    VEC(double) local;       /* values of one relation's variables, by position */
    VEC(double) least;       /* what counts as their value where it is less */
    VEC(double) moved;       /* how far they may be off for a comparison */
    VEC(double) unmoved;     /* scratch */
    VEC(double) present;     /* [DdpVar]: all values, while slopes are looked at */
    VEC(uint32_t) positions; /* 0, 1, 2, ... */
    VEC(double) far;         /* states of a part at another point of its step */
    VEC(Slope) slopes;       /* of the part that is looked at */
    Needs needs;
    AuditView view;
    double before; /* time of the point before */
    bool astray;   /* somebody was brought to another time than the present */
    uint64_t points, relations;
    double worst, worst_time;
    SolSide worst_side;
    char worst_text[AUDIT_TEXT];
    char worst_values[AUDIT_TEXT];
    Place worst_at;
};

/* What a variable has been at the points before. */
static inline Memory audit_memory(const Audit *audit, DdpVar var)
{
    const Seen *seen = &audit->seen.at[var];
    return seen->kept == audit->structure ? audit->memory.at[seen->at - 1]
                                          : (Memory){seen->largest, seen->last};
}

/* audit.c: a relation that is violated by so much, if it is the worst so far. */
void audit_keep_worst(Audit *audit, DdpRel rel, SolSide side, double amount);

/* audit.c: as the model has it, also where another relation stands in its place (frontend/singular.c). */
DdpRelView audit_as_entered(const Sim *sim, DdpRel rel);

/* audit_view.c: as evaluate_outputs_again, but what the tape has stays there: Audit.view. False: nothing was done that matters. */
bool audit_view_bring(Audit *audit);
void audit_view_slopes(Audit *audit, const Part *part); /* of its states, into Sim.value */
/* All values are in Sim.value from now on. */
void audit_view_settle(Audit *audit);
void audit_view_free(Audit *audit);

/* audit_slopes.c: is there a step that it will look at? */
bool audit_any_step(const Audit *audit);

/* audit_slopes.c: derivatives against the dense output, at Sim.time, where all values are. */
SolStatus audit_slopes(Audit *audit);

#endif
