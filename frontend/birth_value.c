/* birth_value.c: expressions over variables -> values at birth (parameters, start values,
 * intervals).
 *
 * A value counts when the host has one: at an event that of the update before. At the start nothing
 * was evaluated yet; so where the host has no value, a transmission outside of branches that
 * determines the variable is evaluated on the spot, and what it depends on, up to a bounded depth.
 */
#include "frontend/resolve_int.h"
#include "frontend/world_int.h"

#include <math.h>

enum { DEPTH = 64 };

static bool value_of(World *world, Inst *scope, X x, const RefList *refs, uint32_t first,
                     uint32_t depth, double *out, const Ref **unknown);

/* Does transmission `op` of `at` determine the variable, and what value does it give? */
static bool value_from(World *world, Inst *at, const Op *op, DdpVar var, uint32_t depth,
                       double *out)
{
    const Ref *unknown;
    if (op->kind != OP_REL || op->var_kind != DDP_TRANSMISSION || op->condition)
        return false;
    if (follow_var(world, at, &op->refs.at[0]) != var)
        return false;
    X rhs = form_info(world->forms, op->form)->rhs;
    return value_of(world, at, rhs, &op->refs, 1, depth + 1, out, &unknown);
}

/* Looks for a transmission in the bodies from the owner of the variable outwards. */
static bool value_transmitted(World *world, DdpVar var, uint32_t depth, double *out)
{
    OwnerInfo info = world->var.at[var];
    if (info.tag != OWNER_INST || depth > DEPTH)
        return false;
    const Member *m = NULL;
    Inst *at = world_at(world, info.who);
    const Op *made = &at->plan->ops[at->plan->word_op[info.what]];
    m = made->member;
    for (uint32_t up = 0; m && at && up < DEPTH; up++) {
        for (uint32_t i = 0; i < at->plan->n_ops; i++)
            if (value_from(world, at, &at->plan->ops[i], var, depth, out))
                return true;
        at = at->owner ? world_at(world, at->owner) : NULL;
    }
    return false;
}

/* What a held variable that is just being born holds counts only where no transmission determines
 * it (U3). */
static bool is_fresh_held(const World *world, DdpVar var)
{
    OwnerInfo info = world->var.at[var];
    return info.tag == OWNER_INST && ddp_var(world->ddp, var).kind == DDP_HELD &&
           world_at(world, info.who)->task == world->task && !world_at(world, info.who)->copied;
}

static bool value_read(World *world, DdpVar var, uint32_t depth, double *out)
{
    world->free.read |= free_is(world, var);
    if (is_fresh_held(world, var) && value_transmitted(world, var, depth, out))
        return true;
    return world->host.read(world->host.context, var, out) ||
           value_transmitted(world, var, depth, out);
}

static double combine(XOp op, double a, double b)
{
    return op == X_ADD ? a + b : op == X_MUL ? a * b : op == X_MIN ? fmin(a, b) : fmax(a, b);
}

/* tangent: of variables; NULL: none is asked for. */
typedef struct Total {
    XOp op;
    const double *tangent;
    double value, slope;
} Total;

static void add_term(Total *total, double value, double slope)
{
    double before = total->value;
    total->value = combine(total->op, before, value);
    if (total->op == X_MUL)
        total->slope = total->slope * value + before * slope;
    else if (total->op == X_ADD)
        total->slope += slope;
    else if (total->value != before)
        total->slope = slope;
}

/* The elements of a row, and of rows in it, in their order. Sizes are few: recursion is bounded by them. */
static bool fold(World *world, Inst *row, uint32_t depth, Total *total)
{
    Target at = {0};
    double value;
    for (int64_t i = 1; row_find(world, row, i, &at); i++) {
        uint32_t word = at.inst->word[at.word];
        bool inner = at.inst->plan->ops[at.word].kind == OP_PART;
        if (inner && !fold(world, world_at(world, word), depth, total))
            return false;
        if (!inner && !value_read(world, word, depth, &value))
            return false;
        if (!inner)
            add_term(total, value,
                     total->tangent && free_is(world, word) ? total->tangent[word] : 0);
    }
    return true;
}

/* A sum whose value is being found, and the ones around it. */
typedef struct Round {
    double number;
    uint64_t *left; /* rounds that all of them together may still take */
    const struct Round *outer;
} Round;

static bool can_go_round(World *world, const PlanFold *sum, double rounds)
{
    if (!isfinite(rounds))
        world_fail(world, sum->value.at, "the sizes of the arrays differ");
    else if (rounds > world->limits.instances)
        world_fail(world, sum->value.at, "a sum at birth has at most %u terms",
                   world->limits.instances);
    return isfinite(rounds) && rounds <= world->limits.instances;
}

static bool one_round(World *world, Inst *scope, const PlanFold *sum, uint32_t depth, Total *total,
                      const Ref **unknown)
{
    double value;
    uint64_t *left = world->round->left;
    if ((*left)-- == 0) {
        world_fail(world, sum->value.at, "sums at birth have at most %u terms together",
                   world->limits.instances);
        return false;
    }
    if (!value_of(world, scope, sum->value.x, &sum->value.refs, 0, depth, &value, unknown))
        return false;
    add_term(total, value,
             total->tangent ? birth_tangent(world, scope, &sum->value, total->tangent) : 0);
    return true;
}

static bool sum_value(World *world, Inst *scope, const PlanFold *sum, uint32_t depth, Total *total,
                      const Ref **unknown)
{
    double rounds;
    uint64_t left = world->limits.instances;
    Round round = {0, world->round ? world->round->left : &left, world->round};
    if (!value_of(world, scope, sum->rounds.x, &sum->rounds.refs, 0, depth, &rounds, unknown) ||
        !can_go_round(world, sum, rounds))
        return false;
    bool known = true;
    total->op = sum->op;
    total->value = loop_of_nothing(sum->op, sum->type);
    world->round = &round;
    for (round.number = 1; round.number <= rounds && known; round.number++)
        known = one_round(world, scope, sum, depth, total, unknown);
    world->round = round.outer;
    return known;
}

static double round_number(const World *world, uint32_t out)
{
    const Round *round = world->round;
    while (round && out-- > 0)
        round = round->outer;
    return round ? round->number : 0;
}

/* All elements of an array. */
static bool array_value_of(World *world, Inst *scope, const Ref *ref, uint32_t depth, Total *total)
{
    Inst *row = follow_inst(world, scope, ref);
    total->op = ref->size - 1u - SIZE_FOLDS;
    total->value = loop_of_nothing(total->op, TYPE_REAL);
    return row && fold(world, row, depth, total);
}

/* A variable, the size of an array, the number of the element that is born, or a sum. */
static bool ref_value(World *world, Inst *scope, const Ref *ref, uint32_t depth, double *out,
                      const Ref **unknown)
{
    Total total = {0};
    if (ref->up == REF_FOLD || ref->size > SIZE_FOLDS) {
        bool known = ref->fold ? sum_value(world, scope, ref->fold, depth, &total, unknown)
                               : array_value_of(world, scope, ref, depth, &total);
        *out = total.value;
        return known;
    }
    if (ref->up == REF_ROUND) {
        *out = round_number(world, ref->size);
        return true;
    }
    if (ref->up == REF_INDEX) {
        if (world->element)
            *out = row_born(world, world->element, world->element_word, ref->n);
        return world->element;
    }
    if (ref->size) {
        Target t = follow(world, scope, ref);
        if (list_is_whole(&t)) {
            *out = t.inst->word[t.word + LIST_COUNT];
            return true;
        }
        Inst *row = follow_inst(world, scope, ref);
        return row && row_size(world, row, ref->size - 1u, out);
    }
    DdpVar var = follow_var(world, scope, ref);
    return var && value_read(world, var, depth, out);
}

static double no_foreign(void *context, uint32_t function, uint32_t n, const double *args)
{
    (void)context, (void)function, (void)n, (void)args;
    return 0;
}

static bool value_of(World *world, Inst *scope, X x, const RefList *refs, uint32_t first,
                     uint32_t depth, double *out, const Ref **unknown)
{
    XNode node = x_node(world->forms, x);
    if (node.op == X_CONST) {
        *out = node.k;
        return true;
    }
    uint32_t base = world->values_scratch.n, places = world->vars_scratch.n;
    vec_reserve(world->mem, &world->vars_scratch, places + refs->n + 1);
    for (uint32_t i = 0; i < refs->n; i++) {
        vec_push(world->mem, &world->values_scratch, 0.0);
        vec_push(world->mem, &world->vars_scratch, base + i);
    }
    bool known = true;
    for (uint32_t i = first; i < refs->n && known; i++) {
        double value = 0;
        known = ref_value(world, scope, &refs->at[i], depth, &value, unknown);
        world->values_scratch.at[base + i] = value;
        if (!known && !refs->at[i].fold)
            *unknown = &refs->at[i];
    }
    if (known)
        *out = x_value(world->forms, x, &world->vars_scratch.at[places], world->values_scratch.at,
                       world->host.foreign ? world->host.foreign : no_foreign, world->host.context);
    world->values_scratch.n = base;
    world->vars_scratch.n = places;
    return known;
}

/* ---- how it follows the variables that it is made of ---- */

static double ref_tangent(World *world, Inst *scope, const Ref *ref, const double *tangent)
{
    const Ref *unknown;
    Total total = {.tangent = tangent};
    if (ref->up == REF_FOLD)
        return sum_value(world, scope, ref->fold, 0, &total, &unknown) ? total.slope : 0;
    if (ref->size > SIZE_FOLDS)
        return array_value_of(world, scope, ref, 0, &total) ? total.slope : 0;
    if (ref->up == REF_INDEX || ref->up == REF_ROUND || ref->size)
        return 0;
    DdpVar var = follow_var(world, scope, ref);
    return var && free_is(world, var) ? tangent[var] : 0;
}

double birth_tangent(World *world, Inst *scope, const PlanValue *value, const double *tangent)
{
    double sum = 0, slope;
    for (uint32_t i = 0; i < value->refs.n; i++) {
        double inner = ref_tangent(world, scope, &value->refs.at[i], tangent);
        if (inner != 0 &&
            birth_value_x(world, scope, value, x_partial(world->forms, value->x, i), &slope))
            sum += slope * inner;
    }
    return sum;
}

/* A variable is position `at`, what is no variable a number; 0: neither. */
static X ref_as_operand(World *world, Inst *scope, const Ref *ref, uint32_t at, DdpVar *var)
{
    const Ref *unknown;
    double number;
    bool varies = ref->up != REF_ROUND && ref->up != REF_INDEX && !ref->size;
    *var = 0;
    if (ref->up == REF_FOLD || ref->size > SIZE_FOLDS)
        return 0;
    if (!varies)
        return ref_value(world, scope, ref, 0, &number, &unknown) ? x_const(world->forms, number)
                                                                  : 0;
    *var = follow_var(world, scope, ref);
    return *var ? x_pos(world->forms, at) : 0;
}

bool birth_equation(World *world, Inst *scope, const PlanValue *value, DdpVar *vars, X *x)
{
    X *by = mem_alloc(world->mem, (value->refs.n + 1) * sizeof *by);
    bool fine = true;
    for (uint32_t i = 0; i < value->refs.n && fine; i++)
        fine = (by[i] = ref_as_operand(world, scope, &value->refs.at[i], i, &vars[i]));
    if (fine)
        *x = x_put(world->forms, value->x, by);
    mem_free(world->mem, by);
    return fine;
}

bool birth_value_x(World *world, Inst *scope, const PlanValue *value, X x, double *out)
{
    const Ref *unknown = NULL;
    return value_of(world, scope, x, &value->refs, 0, 0, out, &unknown);
}

bool birth_value(World *world, Inst *scope, const PlanValue *value, const char *parameter,
                 double *out)
{
    bool reads_free, known = birth_value_of(world, scope, value, parameter, out, &reads_free);
    if (known && reads_free)
        world_fail(
            world, value->at,
            "this must be known at instantiation, but it depends on a parameter that initial "
            "conditions determine (fixed << false)");
    return known && !reads_free;
}

bool birth_value_of(World *world, Inst *scope, const PlanValue *value, const char *parameter,
                    double *out, bool *reads_free)
{
    const Ref *unknown = NULL;
    uint32_t told = world->diags->errors;
    *out = 0;
    world->free.read = false;
    bool known = value_of(world, scope, value->x, &value->refs, 0, 0, out, &unknown);
    *reads_free = world->free.read;
    if (known || told != world->diags->errors) /* what is wrong inside of it */
        return known;
    if (parameter)
        world_fail(world, value->at, "parameter '%s' is not known at instantiation", parameter);
    else
        world_fail(world, value->at, "this value is not known at instantiation");
    if (unknown && unknown->n) {
        const Member *m = unknown->step[unknown->n - 1].member;
        world_remark(world, unknown->at, "'%s' has no value yet",
                     m ? intern_text(program_names(world->program), m->name) : "an expression");
    }
    return false;
}
