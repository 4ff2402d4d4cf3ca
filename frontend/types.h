/* types.h: the structural type system (Sol thesis, 5.7). A type is its interface: for each public
 * member its name, type, binding and attributes (parameter, in, out, potential, flow). Recursive
 * types are compared coinductively: two types fit unless a difference can be found. */
#ifndef FRONTEND_TYPES_H
#define FRONTEND_TYPES_H

#include "frontend/definition.h"

typedef enum MismatchKind {
    MISMATCH_KIND,    /* a and b are of different kinds altogether */
    MISMATCH_MISSING, /* a has no public member like b */
    MISMATCH_TYPE,
    MISMATCH_BINDING,
    MISMATCH_ATTRIBUTE
} MismatchKind;

typedef struct Mismatch {
    MismatchKind kind;
    Type a, b;
    const Member *member_a, *member_b; /* member_b: what is asked for */
} Mismatch;

/* The four relations. `why` (may be NULL) tells the first difference found. Everything is a
 * sub-type of Void. A type that is an error fits everything. */
bool types_is_sub(Type a, Type b, Mismatch *why);
bool types_is_equal(Type a, Type b);
bool types_is_separate(Type a, Type b); /* their common base is void */

typedef struct CommonMember {
    Member *a, *b; /* the same name and binding, types that are not separate */
} CommonMember;

/* The interface of the common base of two models, in the arena: number of its members. */
uint32_t types_common(Arena *arena, Type a, Type b, CommonMember **out);

bool types_member_is_sub(const Member *a, const Member *b, Mismatch *why);

const char *types_name(Program *program, Type type); /* "Real", "Electric.Basic.Resistor" */
const char *types_reason(Program *program, const Mismatch *why);

#endif
