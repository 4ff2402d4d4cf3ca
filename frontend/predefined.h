/* predefined.h: the names every Sol text knows. */
#ifndef FRONTEND_PREDEFINED_H
#define FRONTEND_PREDEFINED_H

#include "frontend/definition.h"

typedef enum PreKind {
    PRE_TYPE,     /* type */
    PRE_FUNCTION, /* op */
    PRE_TIME,
    PRE_INITIAL,
    PRE_PRE,
    PRE_DER,
    PRE_DER_STATE,
    PRE_RANDOM,
    PRE_SAMPLE,
    PRE_TABLE,
    PRE_DELAY,
    PRE_EDGE,
    PRE_CHANGE,
    PRE_REDUCE, /* op */
    PRE_SIZE,
    PRE_TRANSPOSE,
    PRE_NO_EVENT,
    PRE_SMOOTH,
    PRE_HOMOTOPY,
    PRE_TEARING, /* this and those below stand alone */
    PRE_ASSERT,
    PRE_CONNECTION,
    PRE_REINIT,
    PRE_TERMINATE,
    PRE_COUT,
    PRE_TRASH
} PreKind;

/* What a function gives back. */
typedef enum PreResult {
    RESULT_REAL,
    RESULT_INTEGER,
    RESULT_LIKE /* Integer when all arguments are, else Real */
} PreResult;

enum { PRE_MAX_INS = 3 };

typedef struct Predefined {
    const char *name;
    PreKind kind;
    TypeKind type;
    XOp op;
    PreResult result;
    uint32_t n_ins;
    const char *ins[PRE_MAX_INS]; /* names of the in members, in order */
    bool soft;                    /* a member may have this name */
} Predefined;

const Predefined *predefined_at(uint32_t number);
uint32_t predefined_count(void);
void predefined_init(Program *program);

#endif
