/* rel_lab.h: a DDP under the commands of a script, beside a plain model of the same system.
 *
 * The script language (*.rel), one command per line, # starts a comment:
 *
 *     var x y            unknowns             known p = 3    a parameter
 *     held h = 1         held variables       time t         the clock
 *     eq r: a + b = 2*sin(c) if h             equation, if: the condition it depends on
 *     trans r: h << 3*x                       transmission
 *     der r: v = der(x) prefer                derivative relation
 *     tearing x          untearing x          a hint, and one taken back
 *     advise r x                              do not solve r for x
 *     hold x             release x            an unknown becomes held, a held one unknown
 *     remove r           remove var x         set x = 2      value of a state or a known
 *     commit             final                commit so far, final commit
 *     expect ...         see rel_expect.c     show           the schedule to stderr
 *
 * After each commit the DDP is compared with the oracle (rel_check.c), and its deltas with what they led to
 * (rel_delta.c).
 */
#ifndef TESTS_REL_LAB_H
#define TESTS_REL_LAB_H

#include "base/intern.h"
#include "tests/support/oracle.h"

typedef struct LabVar {
    Sym name;
    DdpVar var;
    DdpVarKind kind;
    double value;
    bool live;
    uint32_t uses; /* relations that name it */
} LabVar;

enum { LAB_POSITIONS = 32 };

typedef struct LabRel {
    Sym name;
    DdpRel rel;
    DdpRelKind kind;
    Form form;
    uint32_t n;
    DdpVar vars[LAB_POSITIONS];
    DdpVar logic;
    bool live;
    DdpVar before;  /* what it determined before the last commit */
    bool committed; /* seen by a commit */
} LabRel;

typedef VEC(DdpNode) LabNodes;
typedef VEC(DdpState) LabStates;

typedef struct LabCounts {
    uint64_t commits, solved;       /* compared, compared by values too */
    uint64_t redrawn;               /* points: ill-conditioned, or without a solution */
    uint64_t ill, astray, singular; /* given up: condition, no convergence, no pivot at all */
    uint64_t others;                /* values of another solution than the oracle's first */
    uint64_t advised;               /* pivots advised against */
    uint64_t states, loops, differentiated, over, under, false_causal; /* commits that had any */
    uint64_t moved, ended, begun; /* nodes that only moved, states */
} LabCounts;

typedef struct Lab {
    Mem *mem;
    FormTable *forms;
    Ddp *ddp;
    Intern names;
    Map var_at, rel_at; /* name -> index + 1 of the live one */
    VEC(LabVar) vars;
    VEC(LabRel) rels;
    DdpResult last;
    DdpCommit last_kind;
    LabNodes loops_before;
    LabNodes kept;            /* nodes in their order, by deltas alone */
    VEC(uint32_t) determined; /* [DdpNode], likewise */
    LabStates kept_states;    /* likewise, in no order */
    LabCounts counts;
    uint64_t seed; /* of the points at which values are compared */
    bool eager;    /* ddp_eager */
    bool check;    /* compare with the oracle after each commit */
    bool verify;   /* run the DDP's own verifier too */
    char message[2000];
} Lab;

typedef enum LabResult {
    LAB_DONE,
    LAB_SKIPPED, /* no such command, or it names what is not there: nothing was done */
    LAB_FAILED   /* an expectation or the comparison failed */
} LabResult;

Lab *lab_open(Mem *mem);
void lab_close(Lab *lab);
LabResult lab_line(Lab *lab, const char *line);

LabVar *lab_var(Lab *lab, const char *name); /* NULL: no live one */
LabRel *lab_rel(Lab *lab, const char *name);
LabVar *lab_var_of(Lab *lab, DdpVar var);
LabRel *lab_rel_of(Lab *lab, DdpRel rel);

/* (rel_parse.c) A side of an equation; positions are added to vars. 0: message says why. */
typedef struct LabText {
    const char *at;
    uint32_t n;
    DdpVar *vars; /* LAB_POSITIONS */
    int depth;
} LabText;
X lab_expression(Lab *lab, LabText *text);
bool lab_word(LabText *text, char *word, size_t size); /* a name or number; false: none */
bool lab_sign(LabText *text, const char *sign);

/* (rel_expect.c) */
LabResult lab_expect(Lab *lab, LabText *text);
void lab_show(Lab *lab); /* the schedule to stderr */

/* (rel_delta.c) Commits, and holds the deltas against the whole. */
LabResult lab_commit(Lab *lab, DdpCommit kind);

/* (rel_check.c) */
LabResult lab_check(Lab *lab);
OracleSystem lab_system(Lab *lab, Arena *arena);
/* Values of everything at the values set, by the schedule; NULL: message says why. */
double *lab_values(Lab *lab, Arena *arena);

#endif
