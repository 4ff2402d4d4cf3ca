/* world_text.c: numbers of variables, relations and instances -> names, places and texts.
 *
 * Nothing of this is stored: paths are put together from the chain of owners when someone asks.
 * In the traffic model of the thesis every car's path changes with every car that enters. */
#include "frontend/world_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The path of the instance that was named last, with a dot behind it: texts name members of one instance again and again. */
typedef struct Prefix {
    const Inst *inst; /* NULL: none yet */
    size_t n;
    char text[512];
} Prefix;

/* Text of bounded size, always terminated. */
typedef struct Out {
    char *at;
    size_t n, size;
    Prefix *prefix; /* or NULL */
} Out;

static void put_n(Out *out, const char *text, size_t length)
{
    if (out->n + 1 >= out->size)
        return;
    if (length > out->size - 1 - out->n)
        length = out->size - 1 - out->n;
    memcpy(out->at + out->n, text, length);
    out->n += length;
    out->at[out->n] = 0;
}

static void put(Out *out, const char *text)
{
    put_n(out, text, strlen(text));
}

static Out out_start(char *at, size_t size)
{
    if (size)
        at[0] = 0;
    return (Out){at, 0, size, NULL};
}

static const char *name_text(const World *world, Sym name)
{
    return intern_text(program_names(world->program), name);
}

/* ---- instances ---- */

/* Anonymous instances are named by their definition, with a number when there are several. */
static void put_anonymous(const World *world, Out *out, const Plan *plan, const Op *op)
{
    const Def *def = op->plan->def;
    uint32_t before = 0, all = 0;
    for (uint32_t i = 0; i < plan->n_ops; i++) {
        const Op *other = &plan->ops[i];
        if (other->kind != OP_PART || other->member || other->plan->def != def)
            continue;
        all++;
        before += other <= op;
    }
    char number[24] = "";
    if (all > 1)
        snprintf(number, sizeof number, "#%u", before);
    put(out, name_text(world, def->name));
    put(out, number);
}

/* "[2,3]" behind the name of what lies in this word, where rows lie between it and its model. */
static void put_indices(const World *world, Out *out, const Inst *inst, uint32_t word)
{
    int32_t index[16];
    uint32_t n = inst->plan->is_branch ? row_indices(world, inst, word, 16, index) : 0;
    for (uint32_t i = n; i-- > 0;) {
        char text[16];
        snprintf(text, sizeof text, "%c%d", i + 1 == n ? '[' : ',', index[i]);
        put(out, text);
    }
    if (n)
        put(out, "]");
}

/* `element`: rows lie between it and its model. */
static void put_step(const World *world, Out *out, const Inst *inst, bool element)
{
    const Inst *owner = world_at(world, inst->owner);
    const Op *op = &owner->plan->ops[owner->plan->word_op[inst->owner_word]];
    if (op->member) {
        put(out, name_text(world, op->member->name));
        if (element)
            put_indices(world, out, owner, inst->owner_word);
    } else if (op->kind == OP_PART)
        put_anonymous(world, out, owner->plan, op);
}

/* "a.b.", from the chain of owners. */
static void put_chain(const World *world, Out *out, const Inst *inst)
{
    const Inst *chain[WORLD_PATH_STEPS];
    bool element[WORLD_PATH_STEPS];
    uint32_t n = 0;
    for (const Inst *at = inst; at && at->owner; at = world_at(world, at->owner)) {
        if (at->plan->is_branch) {
            if (n && at->plan->row)
                element[n - 1] = true;
            continue;
        }
        if (n == WORLD_PATH_STEPS) { /* very deep: the last steps are those that tell most */
            put(out, "...");
            break;
        }
        element[n] = false;
        chain[n++] = at;
    }
    while (n-- > 0) {
        put_step(world, out, chain[n], element[n]);
        put(out, ".");
    }
}

/* What was put since then, unless it was cut off. */
static void note_prefix(const Out *out, const Inst *inst, size_t from)
{
    size_t n = out->n - from;
    if (out->n + 1 >= out->size || n > sizeof out->prefix->text)
        return;
    out->prefix->inst = inst;
    out->prefix->n = n;
    memcpy(out->prefix->text, out->at + from, n);
}

static void put_prefix(const World *world, Out *out, const Inst *inst)
{
    size_t from = out->n;
    while (inst && inst->owner && inst->plan->is_branch)
        inst = world_at(world, inst->owner);
    if (out->prefix && inst && out->prefix->inst == inst) {
        put_n(out, out->prefix->text, out->prefix->n);
        return;
    }
    put_chain(world, out, inst);
    if (out->prefix)
        note_prefix(out, inst, from);
}

void world_inst_path(const World *world, InstId id, char *text, size_t size)
{
    Out out = out_start(text, size);
    if (!size || !world_alive(world, id))
        return;
    put_prefix(world, &out, world_at(world, id));
    if (out.n)
        out.at[out.n - 1] = 0;
}

void world_inst_step(const World *world, InstId id, char *text, size_t size)
{
    Out out = out_start(text, size);
    const Inst *inst = world_alive(world, id) ? world_at(world, id) : NULL;
    if (inst && inst->owner && !inst->plan->is_branch)
        put_step(world, &out, inst, true);
}

const char *world_path_text(World *world, InstId inst)
{
    vec_reserve(world->mem, &world->text_scratch, 1024);
    world_inst_path(world, inst, world->text_scratch.at, 1024);
    const Inst *at = world_at(world, inst);
    if (!world->text_scratch.at[0])
        snprintf(world->text_scratch.at, 1024, "%s", name_text(world, at->plan->def->name));
    return world->text_scratch.at;
}

/* ---- variables ---- */

enum { NESTED = 6 }; /* expressions inside auxiliary variables */

static void put_var(const World *world, Out *out, DdpVar var, uint32_t depth);
static void put_side(const World *world, Out *out, X x, X other, const DdpRelView *view,
                     uint32_t depth);

static void put_ref(const World *world, Out *out, Inst *inst, const Ref *ref, uint32_t depth)
{
    put_var(world, out, follow_var(world, inst, ref), depth);
}

/* The relation that determines an auxiliary variable: its right side is what it stands for. */
static const Op *definition_of(const Inst *inst, const Op *aux)
{
    const Plan *plan = inst->plan;
    for (const Op *op = aux + 1; op < plan->ops + plan->n_ops; op++) {
        if (op->defines && op->refs.at[0].step[0].word == aux->word)
            return op;
    }
    return NULL;
}

/* The branch whose bodies determine an auxiliary variable, or NULL. */
static const Op *choice_of(const Inst *inst, const Op *aux)
{
    const Plan *plan = inst->plan;
    for (const Op *op = aux + 1; op < plan->ops + plan->n_ops; op++)
        if (op->kind == OP_BRANCH && op->chosen == aux->word + 1)
            return op;
    return NULL;
}

static void put_steps(const World *world, Out *out, const Inst *inst, const Ref *ref);

/* A delay is a choice: in the event of its birth what is delayed, then its history. */
static bool is_delay(const Inst *inst, const Op *choice)
{
    const Plan *plan = inst->plan;
    const Ref *condition = &choice->refs.at[0];
    for (const Op *op = plan->ops; op < choice; op++)
        if (op->kind == OP_BORN && condition->n && op->word == condition->step[0].word)
            return true;
    return false;
}

/* The branch of the birth has one relation, whose right side is what is delayed. */
static void put_delay(const World *world, Out *out, const Inst *inst, const Op *choice)
{
    const Plan *birth = choice->plan;
    put(out, "delay(");
    for (uint32_t i = 0; birth && i < birth->n_ops; i++) {
        const Op *op = &birth->ops[i];
        if (op->kind != OP_REL || !op->refs.n)
            continue;
        Ref of = op->refs.at[op->refs.n - 1];
        of.up--; /* it is seen from inside the branch */
        put_steps(world, out, inst, &of);
        put(out, ", ");
    }
    put(out, "..)");
}

static void put_choice(const World *world, Out *out, Inst *inst, const Op *choice, uint32_t depth)
{
    if (is_delay(inst, choice)) {
        put_delay(world, out, inst, choice);
        return;
    }
    put(out, "(if ");
    if (depth < NESTED)
        put_ref(world, out, inst, &choice->refs.at[0], depth + 1);
    put(out, " ..)");
}

static void put_definition(const World *world, Out *out, Inst *inst, const Op *aux, uint32_t depth)
{
    const Op *op = definition_of(inst, aux), *choice = op ? NULL : choice_of(inst, aux);
    if (choice) {
        put_choice(world, out, inst, choice, depth);
        return;
    }
    if (!op || depth >= NESTED) {
        put(out, "...");
        return;
    }
    if (op->kind == OP_DER) {
        put(out, "der(");
        put_ref(world, out, inst, &op->refs.at[1], depth + 1);
        put(out, ")");
        return;
    }
    DdpRel rel = inst->word[op->word];
    if (!rel) {
        put(out, "...");
        return;
    }
    DdpRelView view = ddp_rel(world->ddp, rel);
    const FormInfo *form = form_info(world->forms, view.form);
    put_side(world, out, form->rhs, form->lhs, &view, depth + 1);
}

static void put_steps(const World *world, Out *out, const Inst *inst, const Ref *ref)
{
    const Inst *at = follow_up(world, (Inst *)inst, ref->up);
    put_prefix(world, out, world_at(world, follow_model(world, at)));
    for (uint32_t i = 0; i < ref->n; i++) {
        put(out, i ? "." : "");
        put(out, name_text(world, ref->step[i].member->name));
    }
}

/* The size of an array, where an equation uses it. */
static void put_size(const World *world, Out *out, const Inst *inst, const Ref *ref)
{
    uint32_t fold = ref->size > SIZE_FOLDS ? ref->size - 1u - SIZE_FOLDS : 0;
    put(out, !fold           ? "size("
             : fold == X_ADD ? "sum("
             : fold == X_MUL ? "product("
             : fold == X_MIN ? "min("
                             : "max(");
    put_steps(world, out, inst, ref);
    put(out, ")");
}

static void put_exists(const World *world, Out *out, const Inst *inst, const Op *op)
{
    if (op->refs.at[0].size) {
        put_size(world, out, inst, &op->refs.at[0]);
        return;
    }
    put_steps(world, out, inst, &op->refs.at[0]);
    put(out, "?");
}

static void put_auxiliary(const World *world, Out *out, Inst *inst, const Op *op, uint32_t depth)
{
    char number[16];
    if (inst->plan->row) { /* in which a sum is added up */
        snprintf(number, sizeof number, "sum#%u", inst->plan->number);
        put_prefix(world, out, world_at(world, follow_model(world, inst)));
        put(out, number);
        put_indices(world, out, inst, op->word);
        return;
    }
    switch ((OpKind)op->kind) {
    case OP_INITIAL:
        put_prefix(world, out, inst);
        put(out, "initial()");
        break;
    case OP_BORN:
        put_prefix(world, out, world_at(world, follow_model(world, inst)));
        put(out, "born");
        break;
    case OP_DELAY:
        put_ref(world, out, inst, &op->refs.at[0], depth + 1);
        break;
    case OP_RANDOM:
        put_prefix(world, out, world_at(world, follow_model(world, inst)));
        put(out, "random()");
        break;
    case OP_INDEX:
        snprintf(number, sizeof number, "%d",
                 row_index(world, world_at(world, inst->owner), inst->owner_word, 0));
        put(out, number);
        break;
    case OP_SAMPLE:
        put_prefix(world, out, world_at(world, follow_model(world, inst)));
        put(out, "Sample()");
        break;
    case OP_PRE:
        put(out, "pre(");
        put_ref(world, out, inst, &op->refs.at[0], depth + 1);
        put(out, ")");
        break;
    case OP_HANDLE:
        put_prefix(world, out, world_at(world, follow_model(world, inst)));
        put(out, "handle");
        break;
    case OP_KNOWN:
        if (op->type == TYPE_INTEGER) {
            put_size(world, out, inst, &op->value->refs.at[0]);
            break;
        }
        put_prefix(world, out, world_at(world, follow_model(world, inst)));
        put(out, "start");
        break;
    case OP_EXISTS:
        put_exists(world, out, inst, op);
        break;
    default:
        put_definition(world, out, inst, op, depth);
    }
}

static void put_own_var(const World *world, Out *out, DdpVar var, uint32_t depth);

static void put_sum(const World *world, Out *out, OwnerInfo info)
{
    char number[32];
    put(out, "sum(");
    put_own_var(world, out, connect_sum_flow(world->connect, info.who, info.what), 0);
    snprintf(number, sizeof number, ", ..)#%u", info.who);
    put(out, number);
}

static void put_own_var(const World *world, Out *out, DdpVar var, uint32_t depth)
{
    OwnerInfo info = var < world->var.n ? world->var.at[var] : (OwnerInfo){0};
    if (info.tag == OWNER_CLOCK) {
        put(out, "time");
    } else if (info.tag == OWNER_HOMOTOPY) {
        put(out, "homotopy");
    } else if (info.tag == OWNER_SET) {
        put(out, "start(");
        put(out, world->overrides.at[info.who].path);
        put(out, ")");
    } else if (info.tag == OWNER_SUM) {
        put_sum(world, out, info);
    } else if (info.tag == OWNER_INST) {
        Inst *inst = world_at(world, info.who);
        const Op *op = &inst->plan->ops[inst->plan->word_op[info.what]];
        if (op->member) {
            put_prefix(world, out, inst);
            put(out, name_text(world, op->member->name));
            put_indices(world, out, inst, info.what);
        } else {
            put_auxiliary(world, out, inst, op, depth);
        }
    } else {
        put(out, "?");
    }
}

static void put_var(const World *world, Out *out, DdpVar var, uint32_t depth)
{
    bool own = var < world->var.n && world->var.at[var].tag;
    DdpVarView view = {.origin = var};
    if (!own && var && var < ddp_var_limit(world->ddp))
        view = ddp_var(world->ddp, var);
    for (uint32_t i = 0; i < view.order; i++)
        put(out, "der(");
    put_own_var(world, out, view.origin, depth);
    for (uint32_t i = 0; i < view.order; i++)
        put(out, ")");
}

void world_var_path(const World *world, DdpVar var, char *text, size_t size)
{
    Out out = out_start(text, size);
    put_var(world, &out, var, 0);
}

static DdpVar origin_of(const World *world, DdpVar var)
{
    if (var < world->var.n && world->var.at[var].tag)
        return var;
    return var && var < ddp_var_limit(world->ddp) ? ddp_var(world->ddp, var).origin : 0;
}

bool world_var(const World *world, DdpVar var, WorldVar *view)
{
    var = origin_of(world, var);
    if (!var || var >= world->var.n || !world->var.at[var].tag)
        return false;
    OwnerInfo info = world->var.at[var];
    *view = (WorldVar){.kind = WORLD_AUXILIARY, .type = TYPE_REAL};
    if (info.tag == OWNER_CLOCK) {
        view->kind = WORLD_CLOCK;
    } else if (info.tag == OWNER_SUM) {
        view->at = connect_sum_place(world->connect, info.who);
    } else if (info.tag == OWNER_INST) {
        const Inst *inst = world_at(world, info.who);
        const Op *op = &inst->plan->ops[inst->plan->word_op[info.what]];
        view->owner = follow_up(world, (Inst *)inst, 0)->id;
        view->at = op->at;
        view->type = op->type;
        view->member = op->member;
        if (op->member) {
            view->kind = op->kind == OP_PARAM ? WORLD_PARAMETER : WORLD_VARIABLE;
            view->is_public = op->member->is_public;
        }
    }
    return true;
}

bool world_var_is_integer(const World *world, DdpVar var)
{
    var = origin_of(world, var);
    OwnerInfo info = var < world->var.n ? world->var.at[var] : (OwnerInfo){0};
    if (info.tag != OWNER_INST)
        return false;
    const Plan *plan = world_at(world, info.who)->plan;
    const Op *op = &plan->ops[plan->word_op[info.what]];
    return op->type == TYPE_INTEGER && op->member && op->kind != OP_PARAM;
}

/* ---- relations ---- */

typedef struct Naming {
    const World *world;
    uint32_t n, depth;
    const DdpVar *vars;
    Prefix *prefix; /* or NULL */
    char text[1024];
} Naming;

/* Without clearing the text, which takes longer than what most texts take. */
static void name_start(Naming *naming, const World *world, uint32_t n, const DdpVar *vars)
{
    naming->world = world;
    naming->n = n;
    naming->vars = vars;
    naming->depth = 0;
    naming->prefix = NULL;
}

static const char *position_name(void *context, uint32_t position)
{
    Naming *naming = context;
    Out out = out_start(naming->text, sizeof naming->text);
    out.prefix = naming->prefix;
    if (position < naming->n)
        put_var(naming->world, &out, naming->vars[position], naming->depth);
    return naming->text;
}

/* The type of what an expression gives, as far as it matters for writing what it is compared with:
 * Boolean, String, or else a number. */
static TypeKind type_of_value(const Naming *naming, X x)
{
    XNode node = x_node(naming->world->forms, x);
    WorldVar view;
    if (node.op == X_NOT || (node.op >= X_LT && node.op <= X_OR))
        return TYPE_BOOLEAN;
    if (node.op == X_POS && node.a < naming->n &&
        world_var(naming->world, naming->vars[node.a], &view))
        return view.type;
    return TYPE_REAL;
}

static const char *quoted(Naming *naming, double text)
{
    Out out = out_start(naming->text, sizeof naming->text);
    put(&out, "\"");
    put(&out, name_text(naming->world, (Sym)text));
    put(&out, "\"");
    return naming->text;
}

/* A constant as a type wants it; NULL: a number. */
static const char *typed_constant(Naming *naming, double k, TypeKind type)
{
    if (type == TYPE_BOOLEAN)
        return k != 0 ? "true" : "false";
    return type == TYPE_STRING ? quoted(naming, k) : NULL;
}

static const char *constant_name(void *context, double k, X other)
{
    Naming *naming = context;
    return typed_constant(naming, k, type_of_value(naming, other));
}

static const char *function_name(void *context, uint32_t number)
{
    Naming *naming = context;
    WorldFunction f;
    if (!world_function(naming->world, number, &f))
        return NULL;
    return f.table ? "table" : f.delay ? "delay" : name_text(naming->world, f.def->name);
}

/* The arguments of a foreign function are its handle, if it has one, and its in members. */
static const char *argument_name(void *context, uint32_t number, uint32_t index, double k)
{
    Naming *naming = context;
    WorldFunction f;
    if (!world_function(naming->world, number, &f))
        return NULL;
    if (f.table)
        return index == 1 ? quoted(naming, k) : NULL;
    if (f.delay)
        return NULL;
    uint32_t in = index - f.has_handle;
    return in < f.def->n_ins ? typed_constant(naming, k, f.def->ins[in]->type.kind) : NULL;
}

static void put_expr(const World *world, Out *out, X x, uint32_t n, const DdpVar *vars,
                     uint32_t depth)
{
    Naming naming;
    char text[4096];
    name_start(&naming, world, n, vars);
    naming.depth = depth;
    naming.prefix = out->prefix;
    text[0] = '\0';
    XNames names = {&naming, position_name, constant_name, function_name, argument_name};
    x_print_named(world->forms, x, &names, text, sizeof text);
    put(out, text);
}

/* One side of a relation; a value alone as the type of the other side wants it. */
static void put_side(const World *world, Out *out, X x, X other, const DdpRelView *view,
                     uint32_t depth)
{
    Naming naming;
    XNode node = x_node(world->forms, x);
    name_start(&naming, world, view->n, view->vars);
    const char *text = NULL;
    if (node.op == X_CONST)
        text = constant_name(&naming, node.k, other);
    if (text)
        put(out, text);
    else
        put_expr(world, out, x, view->n, view->vars, depth);
}

OwnerInfo world_rel_info(const World *world, DdpRel rel)
{
    if (rel && (rel >= world->rel.n || !world->rel.at[rel].tag) && rel < ddp_rel_limit(world->ddp))
        rel = ddp_rel(world->ddp, rel).origin;
    return rel < world->rel.n ? world->rel.at[rel] : (OwnerInfo){0};
}

bool world_rel_written(const World *world, DdpRel rel)
{
    OwnerInfo info = world_rel_info(world, rel);
    return info.tag != OWNER_INST || !world_at(world, info.who)->plan->ops[info.what].defines;
}

Place world_rel_place(const World *world, DdpRel rel)
{
    OwnerInfo info = world_rel_info(world, rel);
    if (info.tag == OWNER_SUM)
        return connect_sum_place(world->connect, info.who);
    if (info.tag == OWNER_EDGE) {
        EdgeView e = connect_edge(world->connect, info.who);
        return world_at(world, e.inst)->plan->ops[e.op].at;
    }
    return info.tag ? world_at(world, info.who)->plan->ops[info.what].at : 0;
}

/* What was typed belongs to the model that it was typed into, as it does in the text that is written of it: code is cut alike. */
InstId world_rel_owner(const World *world, DdpRel rel)
{
    OwnerInfo info = world_rel_info(world, rel);
    InstId id = info.tag == OWNER_EDGE   ? connect_edge(world->connect, info.who).inst
                : info.tag == OWNER_INST ? info.who
                                         : 0;
    Inst *inst = id ? world_at(world, id) : NULL;
    return inst && inst->owner && inst_is_edit(inst) ? follow_model(world, inst) : id;
}

/* `bare`: of a condition its expression alone; its variable has no other name. */
static void put_rel(const World *world, Out *out, DdpRel rel, bool bare)
{
    DdpRelView view = ddp_rel(world->ddp, rel);
    DdpVar vars[2] = {0};
    if (view.kind == DDP_DERIVATIVE) {
        memcpy(vars, view.vars, sizeof vars);
        if (!world_rel_written(world, rel)) { /* its variable has no other name than der(...) */
            put_var(world, out, vars[0], 0);
            put(out, " is the slope of ");
            put_var(world, out, vars[1], 0);
            return;
        }
        put_var(world, out, vars[0], 0);
        put(out, " = der(");
        put_var(world, out, vars[1], 0);
        put(out, ")");
        return;
    }
    DdpCombination entered;
    if (ddp_combination(world->ddp, rel, &entered)) {
        view.form = entered.form;
        view.n = entered.n;
        view.vars = entered.vars;
    }
    const FormInfo *form = form_info(world->forms, view.form);
    OwnerInfo info = world_rel_info(world, rel);
    const Op *op = info.tag == OWNER_INST ? &world_at(world, info.who)->plan->ops[info.what] : NULL;
    bool condition = op && op->condition;
    if (condition && !bare) {
        put(out, "condition << ");
    } else if (!condition) {
        put_side(world, out, form->lhs, form->rhs, &view, 0);
        put(out, view.kind == DDP_TRANSMISSION ? " << " : " = ");
    }
    put_side(world, out, form->rhs, form->lhs, &view, 0);
}

void world_rel_text(const World *world, DdpRel rel, char *text, size_t size)
{
    Out out = out_start(text, size);
    put_rel(world, &out, rel, false);
}

void world_condition_text(const World *world, const WorldBranch *branch, char *path, char *text,
                          size_t size)
{
    Prefix prefix;
    prefix.inst = NULL;
    Out out = out_start(path, path ? size : 0);
    out.prefix = &prefix;
    if (path && world_alive(world, branch->owner))
        put_prefix(world, &out, world_at(world, branch->owner));
    if (out.n)
        out.at[out.n - 1] = 0;
    out = out_start(text, size);
    out.prefix = &prefix;
    if (branch->relation)
        put_rel(world, &out, branch->relation, true);
    else if (branch->condition)
        put_var(world, &out, branch->condition, 0);
}

void world_var_name(const World *world, DdpVar var, char *text, size_t size)
{
    Out out = out_start(text, size);
    var = origin_of(world, var);
    OwnerInfo info = world->var.at[var];
    const Inst *inst = world_at(world, info.who);
    const Op *op = &inst->plan->ops[inst->plan->word_op[info.what]];
    put(&out, name_text(world, op->member->name));
    put_indices(world, &out, inst, info.what);
}
