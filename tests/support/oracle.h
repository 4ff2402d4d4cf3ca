/* oracle.h: a system described from outside -> verdict, parts, states, values; from scratch.
 *
 * The oracle answers the questions that the incremental engine answers, by other methods and with
 * no state between two calls: maximum matching (Hopcroft and Karp 1973), the parts of Dulmage and
 * Mendelsohn (1958), Pryce's signature method (BIT 41, 2001) for the index, dummy derivatives
 * (Mattsson and Soderlind 1993) picked by pivoting, strong components (Tarjan 1972), and numerics
 * by Taylor arithmetic instead of differentiated formulas. It shares only the expressions with the
 * engine. It is built for small systems: dense matrices, cubic costs.
 *
 * Error rule: as in ddp.h; memory goes to the guard of the Mem.
 */
#ifndef TESTS_ORACLE_H
#define TESTS_ORACLE_H

#include "ddp/ddp.h"

typedef struct OracleVar {
    bool used; /* false: a number without a variable */
    DdpVarKind kind;
} OracleVar;

typedef struct OracleRel {
    bool used;
    DdpRelKind kind;
    Form form;
    uint32_t n;
    const DdpVar *vars;
    DdpVar logic; /* 0: none */
} OracleRel;

/* Numbers are those of the DDP: var[1..var_limit-1], rel[1..rel_limit-1]. Must outlive the Oracle.
 */
typedef struct OracleSystem {
    FormTable *forms;
    uint32_t var_limit, rel_limit;
    const OracleVar *var;
    const OracleRel *rel;
} OracleSystem;

typedef struct Oracle Oracle;

/* Structure only. With over- or underdetermined systems nothing but the parts is computed. */
Oracle *oracle_open(Mem *mem, const OracleSystem *system);
void oracle_close(Oracle *oracle);

DdpVerdict oracle_verdict(const Oracle *oracle); /* over- before underdetermined */
DdpPart oracle_over(const Oracle *oracle);
DdpPart oracle_under(const Oracle *oracle);
/* All relations that lie with a causal one in a strong component, and what they determine, for one
 * choice of states; nothing if there is a choice without such. */
DdpPart oracle_false(const Oracle *oracle);
/* False causality was found, but there are too many choices of states to look at them all. */
bool oracle_undecided(const Oracle *oracle);

/* The rest is for systems of the verdict DDP_DETERMINED. */

uint32_t oracle_states(const Oracle *oracle);
uint32_t oracle_rel_order(const Oracle *oracle, DdpRel rel); /* times it must be differentiated */
uint32_t oracle_var_order(const Oracle *oracle, DdpVar var); /* highest derivative that occurs */
uint32_t oracle_index(const Oracle *oracle); /* largest of the orders of relations */
/* A transmission had to be differentiated: its target is not constant between events. */
bool oracle_transmission_differentiated(const Oracle *oracle);

typedef struct OracleValue {
    DdpVar var;
    uint32_t order;
    double value;
} OracleValue;

typedef enum OracleSolved {
    ORACLE_SOLVED,
    ORACLE_NO_FIT,   /* the given values leave a structurally singular system */
    ORACLE_SINGULAR, /* numerically singular at the point reached */
    ORACLE_ASTRAY    /* Newton's method did not converge */
} OracleSolved;

/* Solves the equations and all their derivatives for everything but what is given (the states).
 * value[var]: of knowns, held variables and the clock; for the unknowns a first guess. */
OracleSolved oracle_solve(Oracle *oracle, const double *value, uint32_t n,
                          const OracleValue *given);
/* The same, with a first guess of derivatives too: where there are several solutions, one near to it. */
OracleSolved oracle_solve_near(Oracle *oracle, const double *value, uint32_t n,
                               const OracleValue *given, uint32_t n_guess,
                               const OracleValue *guess);
/* After oracle_solve: the solution, and the largest estimate of a condition number met. */
double oracle_value(const Oracle *oracle, DdpVar var, uint32_t order);
double oracle_condition(const Oracle *oracle);
uint32_t oracle_blocks(const Oracle *oracle); /* strong components of that system */
uint32_t oracle_largest_block(const Oracle *oracle);

/* States by pivoting in the Jacobian at the point value[]: fills states[0..oracle_states()-1] with
 * variable, order and the value of the point (0 for derivatives). False: singular there. */
bool oracle_pick_states(Oracle *oracle, const double *value, OracleValue *states);

#endif
