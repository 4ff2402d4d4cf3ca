/* audit_plain_int.h: forms that relations are checked by together. Private to runtime/sim/audit_plain.c, audit_sums.c and
 * audit_rows.c. */
#ifndef RUNTIME_SIM_AUDIT_PLAIN_INT_H
#define RUNTIME_SIM_AUDIT_PLAIN_INT_H

#include "runtime/sim/audit_plain.h"

enum { MOST_OPS = 40, MOST_TERMS = 6 };

typedef struct PlainOp {
    uint8_t op;
    uint8_t a, b, c; /* of an operation: places of its operands; of X_POS: the position */
    double k;
} PlainOp;

/* What is known of a sum when it is compiled: terms as they are, the last with either sign; or any factors. */
typedef enum SumKind { SUM_ALL, SUM_BUT_LAST, SUM_OTHER } SumKind;

/* Sums of one form, wherever their terms are. */
typedef struct SumList {
    VEC(uint32_t) at;    /* [sum][term]: in what their values are read from */
    VEC(uint32_t) which; /* [sum]: index in Plain.rels; none: as they come */
    uint32_t rests;      /* points for which nobody asks whether all are 0: they were not */
} SumList;

enum { MOST_IN_ROW = 3, SUMS_AT_ONCE = 4 };

/* Sums of one form whose terms lie at equal distances: term i of the k-th is at at[i] + k*step[i]. Four at least. */
typedef struct SumRow {
    uint32_t n, first; /* first: its own in SumPlaces.which */
    uint32_t at[MOST_IN_ROW];
    int32_t step[MOST_IN_ROW];
    bool close; /* all steps are 1 */
    uint32_t rests;
} SumRow;

/* The sums of one form where a tape has their variables. */
typedef struct SumPlaces {
    VEC(SumRow) rows;
    VEC(uint32_t) which; /* of the rows: as in SumList */
    SumList loose;       /* others in the tape */
    SumList apart;       /* some variable is not there: in Sim.value */
} SumPlaces;

/* A form, and its relations. */
typedef struct Plain {
    Form form;
    bool able;   /* its operations are known here */
    bool smooth; /* and have slopes */
    bool once;   /* every variable stands in it once */
    bool moves;  /* both: it is found out by how much the sides move */
    bool linear; /* left - right is offset + factor[i]*variable[i] + ..., with numbers */
    SumKind sum; /* of a linear one */
    uint8_t n_ops, n, left, right;
    uint8_t position[MOST_TERMS];               /* of a linear one: in the form, of each term */
    double offset, factor[MOST_TERMS], factors; /* factors: the sum of their sizes */
    PlainOp op[MOST_OPS];
    RelList rels;
    SumList vars; /* .at: [rel][position], of a linear one [rel][term]; in Sim.value */
    SumPlaces places;
} Plain;

/* Where a relation is. */
typedef struct PlainRel {
    uint64_t content; /* hash of what it is: numbers of relations are used again */
    uint64_t round;   /* in which it was met */
    uint32_t form;    /* 1 + index in AuditPlain.forms, 0: it is not there */
    uint32_t at;      /* index in Plain.rels */
} PlainRel;

struct AuditPlain {
    Sim *sim;
    VEC(Plain) forms;
    VEC(uint32_t) by_form; /* [Form]: 1 + its place above */
    VEC(PlainRel) of_rel;  /* [DdpRel] */
    uint64_t round;
    uint64_t count;
    bool placed; /* SumPlaces are those of the present relations */
};

/* What is allowed. */
typedef struct SumBound {
    const double *least; /* [var]: what counts as a value where it is less */
    double all;          /* no variable counts as less */
    double above;        /* violations up to it are no news */
} SumBound;

/* ---- audit_sums.c ---- */

/* Indices in Plain.rels of those that are off by more are added to `off`. */
void audit_sums_check(Mem *mem, Plain *f, SumList *list, const double *value, SumBound bound,
                      RelList *off);
void audit_rows_check(Mem *mem, Plain *f, const double *value, SumBound bound, RelList *off);

/* ---- audit_rows.c ---- */

void audit_rows_clear(Plain *f);
void audit_rows_free(Mem *mem, Plain *f);

#endif
