/* lower_int.h: what lower.c, lower_members.c and lower_ops.c share. */
#ifndef FRONTEND_LOWER_INT_H
#define FRONTEND_LOWER_INT_H

#include "frontend/plan_int.h"

typedef VEC(Op) Draft;
typedef VEC(Ref) Refs;

typedef struct Lower {
    Plans *plans;
    Plan *plan;
    Body *body;
    Draft ops;
    Draft *draft;          /* of the statement at hand */
    const Stmt **declared; /* [index of a member]: by which */
    bool at_birth;         /* a value is lowered that is evaluated once */
} Lower;

/* ---- lower.c ---- */

PlanValue lower_value(Lower *l, const RExpr *e);
PlanValue *lower_keep_value(Lower *l, PlanValue value);
PlanArg *lower_args(Lower *l, const ParamList *list);
uint32_t lower_handle(Lower *l, const Def *def, uint32_t function, Refs *refs, X *args);

/* ---- lower_members.c ---- */

void lower_find_declarations(Lower *l);
void lower_members(Lower *l, bool parameters, bool basic);
void lower_external(Lower *l);
void lower_give_stmt(Draft *ops, uint32_t from, const Stmt *stmt);
void lower_emit_member(Lower *l, Member *m);
const Stmt *lower_written(const Stmt *s);

/* ---- lower_ops.c: see there ---- */

uint32_t lower_new_words(Lower *l, uint32_t n);
Ref lower_ref_make(Lower *l, uint32_t up, uint32_t n, Place at);
void lower_ref_set(Lower *l, Ref *ref, uint32_t i, Member *m);
Ref lower_ref_path(Lower *l, const Path *path);
Ref lower_ref_word(Lower *l, uint32_t word, Place at);
Ref lower_ref_member(Lower *l, const Ref *base, Member *m, Place at);
uint32_t lower_position(Lower *l, Refs *refs, Ref ref);
X lower_x_ref(Lower *l, Refs *refs, Ref ref);
RefList lower_keep_refs(Lower *l, Refs *refs);
RefList lower_one_ref(Lower *l, Ref a);
RefList lower_two_refs(Lower *l, Ref a, Ref b);
Op *lower_emit(Lower *l, OpKind kind, Place at);
Op *lower_emit_part(Lower *l, OpKind kind, Place at);
bool lower_draft_is_movable(const Draft *draft);
void lower_draft_end(Lower *l, Draft *draft, Draft *outer, Place at);
Ref lower_aux_var(Lower *l, Op *op, DdpVarKind kind, TypeKind type);
void lower_emit_relation(Lower *l, DdpRelKind kind, X lhs, X rhs, Refs *refs, Place at);

#endif
