/* choice.h: one component as rows and columns, in which a choice of states is a matching; private
 * to ddp/.
 *
 * A row is a relation that computes something, a column a variable that is computed or could be.
 * With the default choice row i computes column i, and the columns behind the last row are the
 * states. Every perfect matching of the rows along `may` is a choice: the columns that it leaves
 * over are the states. `may` stays within a level (levels.c), so only arguments of derivative
 * relations are ever left over.
 */
#ifndef DDP_CHOICE_H
#define DDP_CHOICE_H

#include "ddp/ddp_int.h"

#define CHOICE_NONE UINT32_MAX

/* Node i leads to to[start[i]] .. to[start[i + 1] - 1]. */
typedef struct Links {
    uint32_t *start, *to;
} Links;

typedef enum ChoiceMark {
    CHOICE_OPEN,
    CHOICE_STATE,   /* is to be a state */
    CHOICE_COMPUTED /* is to be none */
} ChoiceMark;

typedef struct Choice {
    Ddp *d;
    Arena arena;
    uint32_t rows, cols;
    const DdpRel *rel; /* [row] */
    List vars;         /* [column] */
    bool *causal;      /* [row]: of a transmission, its column is that of the row for ever */
    bool self;         /* a transmission reads what it computes: no states can help */
    Links reads;       /* row -> columns */
    Links readers;     /* column -> rows */
    Links may;         /* row -> columns that it may compute */
    Links takers;      /* column -> rows that may compute it */
    DdpRel *der;       /* [column]: derivative relation by which it is or could be a state, or 0 */
    uint64_t *weight;  /* [column]: the heavier stays a state */
    uint8_t *mark;     /* [column]: ChoiceMark */

    uint32_t *own, *by;  /* the matching: column of a row; row of a column, or CHOICE_NONE */
    List trail;          /* rows and what they computed, for taking exchanges back */
    uint32_t *comp;      /* [row]: its strong component, numbered after those it depends on */
    uint32_t last_false; /* component */
    uint64_t work;       /* edges looked at */
    bool cut;            /* a branch of the search was left because it was deep */
} Choice;

/* ---- choice.c ---- */
/* All relations around node n that depend on each other in any way, in either direction. */
void choice_component(Ddp *d, DdpNode n, List *rels);
/* Requires the default choice. anything: also along edges that are advised against. */
void choice_open(Choice *c, Ddp *d, const List *rels, bool anything);
void choice_close(Choice *c);
void choice_apply(const Choice *c); /* exchanges states until the DDP has those of the matching */

/* ---- choice_search.c ---- */
/* A choice without a transmission that depends on itself. keep: preferred states stay, and what the
 * numerics advise against does not come. False: there is none (or work was at its limit). */
bool choice_search(Choice *c, bool keep);

#endif
