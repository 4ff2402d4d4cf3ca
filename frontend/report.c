/* report.c: verdict of the DDP -> messages in the modeller's words.
 *
 * The DDP knows numbers. Here its parts (Dulmage-Mendelsohn: minimal, whatever the matching) become
 * equations and variables of the source, with file, line and instance path; the statement that
 * tipped the balance comes first where it is known, and an empty member is named where it is a
 * reason. */
#include "frontend/world_int.h"

enum { SHOWN = 8, TEXT = 512 };

/* ---- what the modeller wrote ---- */

/* Auxiliary variables stand in the texts of others as what they mean; with the relation that says
 * so each makes a pair that only the DDP needs to see. */
static bool is_written_rel(const World *world, DdpRel rel)
{
    OwnerInfo info = rel < world->rel.n ? world->rel.at[rel] : (OwnerInfo){0};
    return info.tag != OWNER_INST || !world_at(world, info.who)->plan->ops[info.what].defines;
}

static bool is_written_var(const World *world, DdpVar var)
{
    WorldVar view;
    return world_var(world, var, &view) && view.kind != WORLD_AUXILIARY;
}

/* The part without such pairs; as it is when nothing else is left of it. */
static DdpPart written(World *world, const DdpPart *part)
{
    DdpRel *rels = arena_alloc(&world->arena, part->n_rels * sizeof *rels);
    DdpVar *vars = arena_alloc(&world->arena, part->n_vars * sizeof *vars);
    DdpPart out = {.rels = rels, .vars = vars};
    for (uint32_t i = 0; i < part->n_rels; i++)
        if (is_written_rel(world, part->rels[i]))
            rels[out.n_rels++] = part->rels[i];
    for (uint32_t i = 0; i < part->n_vars; i++)
        if (is_written_var(world, part->vars[i]))
            vars[out.n_vars++] = part->vars[i];
    return part->n_rels - out.n_rels == part->n_vars - out.n_vars ? out : *part;
}

static bool is_condition(const World *world, DdpRel rel)
{
    OwnerInfo info = rel < world->rel.n ? world->rel.at[rel] : (OwnerInfo){0};
    return info.tag == OWNER_INST && world_at(world, info.who)->plan->ops[info.what].condition;
}

static void note_rels(World *world, const DdpPart *part, DdpRel except)
{
    char text[TEXT];
    uint32_t shown = 0;
    for (uint32_t i = 0; i < part->n_rels && shown < SHOWN; i++) {
        if (part->rels[i] == except)
            continue;
        world_rel_text(world, part->rels[i], text, sizeof text);
        bool causal = ddp_rel(world->ddp, part->rels[i]).kind == DDP_TRANSMISSION;
        world_remark(world, world_rel_place(world, part->rels[i]), "%s '%s'",
                     causal ? "transmission" : "equation", text);
        shown++;
    }
    uint32_t listed = shown + (except != 0);
    if (part->n_rels > listed)
        world_remark(world, 0, "and %u more equations", part->n_rels - listed);
}

static void note_vars(World *world, const DdpPart *part, uint32_t from)
{
    char text[TEXT];
    for (uint32_t i = from; i < part->n_vars && i < SHOWN; i++) {
        WorldVar view = {0};
        world_var(world, part->vars[i], &view);
        world_var_path(world, part->vars[i], text, sizeof text);
        world_remark(world, view.at, "variable '%s'", text);
    }
    if (part->n_vars > SHOWN)
        world_remark(world, 0, "and %u more variables", part->n_vars - SHOWN);
}

static bool contains(const DdpPart *part, DdpRel rel)
{
    for (uint32_t i = 0; i < part->n_rels; i++)
        if (part->rels[i] == rel)
            return true;
    return false;
}

/* Held variables count as known; what transmits to them now belongs to the conflict all the same.
 */
static void note_transmissions(World *world, const DdpPart *part)
{
    char text[TEXT];
    DdpVar seen = 0;
    for (uint32_t i = 0; i < part->n_rels && i < SHOWN; i++) {
        for (uint32_t k = 0; k < ddp_rel(world->ddp, part->rels[i]).n; k++) {
            DdpVar var = ddp_rel(world->ddp, part->rels[i]).vars[k];
            DdpNode node = ddp_node_of(world->ddp, var);
            if (ddp_var(world->ddp, var).kind != DDP_HELD || !node || var == seen)
                continue;
            seen = var;
            DdpNodeView view = ddp_node(world->ddp, node);
            if (view.n_steps != 1 || contains(part, view.steps[0].rel))
                continue;
            world_var_path(world, var, text, sizeof text);
            world_remark(world, world_rel_place(world, view.steps[0].rel),
                         "'%s' is determined by this transmission", text);
        }
    }
}

/* A variable that all of two or more transmissions determine, or 0. */
static DdpVar common_target(const World *world, const DdpPart *part)
{
    DdpVar target = 0;
    for (uint32_t i = 0; i < part->n_rels; i++) {
        DdpRelView view = ddp_rel(world->ddp, part->rels[i]);
        if (view.kind != DDP_TRANSMISSION || (target && view.vars[0] != target))
            return 0;
        target = view.vars[0];
    }
    return part->n_rels > 1 ? target : 0;
}

bool world_transmits_twice(const World *world)
{
    DdpDiagnosis d = ddp_diagnose(world->ddp);
    for (uint32_t i = 0; i < d.over.n_rels; i++) {
        DdpRelView a = ddp_rel(world->ddp, d.over.rels[i]);
        for (uint32_t k = 0; a.kind == DDP_TRANSMISSION && k < i; k++) {
            DdpRelView b = ddp_rel(world->ddp, d.over.rels[k]);
            if (b.kind == DDP_TRANSMISSION && a.vars[0] == b.vars[0])
                return true;
        }
    }
    return false;
}

/* What a variable is the derivative of; itself when of nothing. */
static DdpVar differentiated(const World *world, DdpVar var)
{
    for (DdpRel rel = 1; rel < ddp_rel_limit(world->ddp); rel++) {
        if (!ddp_rel_used(world->ddp, rel))
            continue;
        DdpRelView view = ddp_rel(world->ddp, rel);
        if (view.kind == DDP_DERIVATIVE && view.vars[0] == var)
            return view.vars[1];
    }
    return var;
}

/* Equations that determine nothing are too many because what they name is held. */
static void note_held(World *world, const DdpPart *part)
{
    char text[TEXT];
    for (uint32_t i = 0; i < part->n_rels && part->n_vars == 0 && i < SHOWN; i++) {
        DdpRelView view = ddp_rel(world->ddp, part->rels[i]);
        for (uint32_t k = 0; k < view.n; k++) {
            WorldVar var;
            DdpVar held = differentiated(world, view.vars[k]);
            if (ddp_var(world->ddp, held).kind != DDP_HELD || !world_var(world, held, &var) ||
                var.kind == WORLD_AUXILIARY)
                continue;
            world_var_path(world, held, text, sizeof text);
            world_remark(world, var.at,
                         "'%s' is held, because a '<<' names it: no equation can determine it",
                         text);
        }
    }
}

static void add_rel(DdpRel *list, uint32_t *n, DdpRel rel)
{
    for (uint32_t i = 0; i < *n; i++)
        if (list[i] == rel)
            return;
    list[(*n)++] = rel;
}

/* The part with all that combinations in it are made of; without rels when there is none. */
static DdpPart spread_out(World *world, const DdpPart *part)
{
    DdpCombination c;
    uint32_t most = part->n_rels;
    bool any = false;
    for (uint32_t i = 0; i < part->n_rels; i++)
        if (ddp_combination(world->ddp, part->rels[i], &c)) {
            most += c.n_others;
            any = true;
        }
    DdpRel *rels = arena_alloc(&world->arena, most * sizeof *rels);
    DdpPart out = {.rels = rels};
    for (uint32_t i = 0; any && i < part->n_rels; i++) {
        add_rel(rels, &out.n_rels, part->rels[i]);
        if (ddp_combination(world->ddp, part->rels[i], &c))
            for (uint32_t k = 0; k < c.n_others; k++)
                add_rel(rels, &out.n_rels, c.others[k]);
    }
    return out;
}

/* What lacks an equation because another one is there twice. */
static void note_lost(World *world, const DdpPart *under)
{
    char text[TEXT], path[TEXT / 4];
    size_t used = 0;
    uint32_t n = under->n_vars < 4 ? under->n_vars : 4;
    for (uint32_t i = 0; i < n && used < sizeof text; i++) {
        world_var_path(world, under->vars[i], path, sizeof path);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s'%s'",
                                 i == 0                   ? ""
                                 : i + 1 == under->n_vars ? " and "
                                                          : ", ",
                                 path);
    }
    if (n)
        world_remark(world, 0, "so that nothing determines %s%s", text,
                     n < under->n_vars ? " and others" : "");
}

/* Equations that are too many by their numbers: structure alone would not have found them. */
static bool report_dependent(World *world, const DdpPart *over, const DdpPart *under)
{
    char text[2 * TEXT];
    bool contradict;
    DdpPart few = singular_dependent(world, over, &contradict);
    DdpPart all = spread_out(world, few.n_rels ? &few : over);
    if (!all.n_rels && contradict)
        all = few;
    if (!all.n_rels)
        return false;
    if (!contradict || !report_contradicting(world, &all)) {
        bool components = world_components(world, all.n_rels, all.rels, text, sizeof text);
        if (!components)
            snprintf(text, sizeof text, "%u equations", all.n_rels);
        world_fail(world, world_rel_place(world, all.rels[0]), "%s%s %s",
                   components ? "equations of " : "", text,
                   contradict ? "contradict each other"
                   : few.n_rels
                       ? "are not independent: one follows from the others"
                       : "are not independent: one follows from the others, or contradicts them");
    }
    note_rels(world, &all, 0);
    if (few.n_rels && !contradict)
        note_lost(world, under);
    return true;
}

static void report_over(World *world, const DdpDiagnosis *d)
{
    char text[TEXT];
    DdpRel first = d->tipped && contains(&d->over, d->tipped) ? d->tipped : 0;
    if (!first && d->over.n_rels)
        first = d->over.rels[d->over.n_rels - 1];
    DdpVar target = common_target(world, &d->over);
    Place at = world_rel_place(world, first);
    if (target) {
        world_var_path(world, target, text, sizeof text);
        world_fail(world, at, "more than one transmission determines '%s'", text);
    } else {
        world_rel_text(world, first, text, sizeof text);
        world_fail(world, at, "too many equations: %u for %u variable%s; '%s' is one too many",
                   d->over.n_rels, d->over.n_vars, d->over.n_vars == 1 ? "" : "s", text);
    }
    note_rels(world, &d->over, first);
    note_vars(world, &d->over, 0);
    note_transmissions(world, &d->over);
    note_held(world, &d->over);
}

/* Statements that do not exist now because their path leads through an empty member. */
static void note_suspended(World *world)
{
    uint32_t shown = 0;
    for (InstId id = world_next_inst(world, 0); id && shown < 3; id = world_next_inst(world, id)) {
        const Inst *inst = world_at(world, id);
        for (uint32_t i = 0; i < inst->plan->n_ops && shown < 3; i++) {
            const Op *op = &inst->plan->ops[i];
            if (op->kind != OP_GROUP || inst->word[op->word] == GROUP_IN)
                continue;
            world_remark(world, op->at, "this does not exist now: a member on its path is empty");
            shown++;
        }
    }
}

/* [DdpVar]: some relation that exists now could determine it, if nothing else did. */
static uint8_t *determinable(World *world)
{
    uint8_t *may = arena_alloc(&world->arena, ddp_var_limit(world->ddp));
    for (DdpRel rel = 1; rel < ddp_rel_limit(world->ddp); rel++) {
        if (!ddp_rel_used(world->ddp, rel))
            continue;
        DdpRelView view = ddp_rel(world->ddp, rel);
        bool causal = view.kind == DDP_TRANSMISSION || is_condition(world, rel);
        for (uint32_t i = 0; i < (causal ? 1 : view.n); i++)
            may[view.vars[i]] = 1;
    }
    return may;
}

static bool is_lost(const World *world, DdpVar var, const uint8_t *may)
{
    return !may[var] && is_written_var(world, var) && ddp_var(world->ddp, var).kind == DDP_UNKNOWN;
}

static void fail_lost(World *world, DdpVar var)
{
    char text[TEXT];
    WorldVar view = {0};
    world_var(world, var, &view);
    world_var_path(world, var, text, sizeof text);
    world_fail(world, view.at, "nothing determines '%s'", text);
    report_note_component(world, view.owner);
}

/* Says what nothing determines; the rest of the part to `rest`. */
static void report_lost(World *world, const DdpPart *under, DdpPart *rest)
{
    uint32_t told = 0;
    const uint8_t *may = determinable(world);
    DdpVar *vars = arena_alloc(&world->arena, under->n_vars * sizeof *vars);
    *rest = (DdpPart){.n_rels = under->n_rels, .rels = under->rels, .vars = vars};
    for (uint32_t i = 0; i < under->n_vars; i++) {
        if (!is_lost(world, under->vars[i], may))
            vars[rest->n_vars++] = under->vars[i];
        else if (told++ < SHOWN)
            fail_lost(world, under->vars[i]);
    }
    if (told > SHOWN)
        world_remark(world, 0, "and nothing determines %u more variables", told - SHOWN);
}

static void report_under(World *world, const DdpPart *under)
{
    char text[TEXT];
    WorldVar view = {0};
    DdpPart rest;
    report_lost(world, under, &rest);
    if (rest.n_vars > rest.n_rels) {
        world_var(world, rest.vars[0], &view);
        world_var_path(world, rest.vars[0], text, sizeof text);
        world_fail(world, view.at, "too few equations: %u for %u variables, '%s' among them",
                   rest.n_rels, rest.n_vars, text);
        note_vars(world, &rest, 1);
        note_rels(world, &rest, 0);
    }
    note_suspended(world);
}

static void report_false(World *world, const DdpDiagnosis *d)
{
    char text[TEXT] = "?";
    DdpRel first = 0;
    bool branch = false;
    for (uint32_t i = 0; i < d->false_causal.n_rels; i++) {
        DdpRel rel = d->false_causal.rels[i];
        OwnerInfo info = rel < world->rel.n ? world->rel.at[rel] : (OwnerInfo){0};
        bool condition =
            info.tag == OWNER_INST && world_at(world, info.who)->plan->ops[info.what].condition;
        if (!first || condition || (!branch && ddp_rel(world->ddp, rel).kind == DDP_TRANSMISSION))
            first = rel;
        branch |= condition;
    }
    if (first)
        world_rel_text(world, first, text, sizeof text);
    bool logic = branch;
    for (uint32_t i = 0; i < d->false_causal.n_rels && !logic; i++) {
        DdpRelView view = ddp_rel(world->ddp, d->false_causal.rels[i]);
        for (uint32_t k = 0; k < d->false_causal.n_vars; k++)
            logic |= view.logic && view.logic == d->false_causal.vars[k];
    }
    if (!logic && report_circle(world, &d->false_causal))
        return;
    if (logic)
        world_fail(world, world_rel_place(world, first),
                   "the condition of an 'if' depends on the content of its own branch");
    else
        world_fail(world, world_rel_place(world, first), "'%s' depends on itself", text);
    note_rels(world, &d->false_causal, first);
}

/* ---- conditions that nothing can decide ---- */

static bool is_determined(const World *world, DdpVar var)
{
    DdpVarKind kind = ddp_var(world->ddp, var).kind;
    DdpNode node = ddp_node_of(world->ddp, var);
    if (!node)
        return kind != DDP_UNKNOWN || ddp_is_state(world->ddp, var);
    return ddp_node(world->ddp, node).determined;
}

/* The first undetermined variable that a transmission to `var` reads; 0: none. */
static DdpVar unknown_input(const World *world, DdpVar var, const Map *seen)
{
    for (DdpRel rel = 1; rel < ddp_rel_limit(world->ddp); rel++) {
        if (!ddp_rel_used(world->ddp, rel))
            continue;
        DdpRelView view = ddp_rel(world->ddp, rel);
        bool causal = view.kind == DDP_TRANSMISSION || is_condition(world, rel);
        if (!causal || view.vars[0] != var)
            continue;
        for (uint32_t i = 1; i < view.n; i++)
            if (!is_determined(world, view.vars[i]) && !map_get(seen, view.vars[i]))
                return view.vars[i];
    }
    return 0;
}

/* The variable that nothing determines and on which a condition depends through transmissions; 0:
 * none. */
static DdpVar lost_operand(World *world, DdpVar condition)
{
    DdpVar var = condition;
    const uint8_t *may = determinable(world);
    Map seen = {0};
    while (var && !is_lost(world, var, may)) {
        map_put(world->mem, &seen, var, 1);
        var = unknown_input(world, var, &seen);
    }
    map_free(world->mem, &seen);
    return var;
}

static bool report_lost_operand(World *world, const WorldBranch *branch)
{
    WorldVar view;
    DdpVar lost = lost_operand(world, branch->condition);
    if (!lost || !world_var(world, lost, &view) || view.type == TYPE_REAL)
        return false; /* Reals may be what the branches determine */
    fail_lost(world, lost);
    world_remark(world, branch->at, "so that this 'if' cannot be decided");
    return true;
}

static void undecided_task(World *world)
{
    for (uint32_t i = 0; i < world->newborn.n; i++) {
        WorldBranch b;
        if (!world_branch(world, world->newborn.at[i], &b) || b.when || !b.condition ||
            is_determined(world, b.condition))
            continue;
        if (report_lost_operand(world, &b))
            return;
        world_fail(world, b.at,
                   "this 'if' cannot be decided: its condition depends on the content of its own "
                   "branches, or on something undetermined");
        DdpDiagnosis d = ddp_diagnose(world->ddp);
        d.under = written(world, &d.under);
        note_vars(world, &d.under, 0);
        return; /* those inside and beside it mostly hang on the same */
    }
}

bool report_guarded(World *world, void (*task)(World *world))
{
    if (world->exhausted)
        return false;
    const uint32_t errors = world->diags->errors;
    MemGuard guard;
    mem_guard_push(world->mem, &guard);
    if (setjmp(guard.env) == 0) {
        task(world);
        mem_guard_pop(world->mem, &guard);
    } else {
        world_exhausted(world);
    }
    return world->diags->errors > errors;
}

bool world_report_undecided(World *world)
{
    return report_guarded(world, undecided_task);
}

/* ---- the verdict ---- */

static void report_task(World *world, DdpVerdict verdict)
{
    tell_notes(world);
    DdpDiagnosis d = ddp_diagnose(world->ddp);
    if (report_two_grounds(world, &d.over))
        return; /* the currents of both are undetermined then too: the same mistake */
    bool connected =
        d.over.n_rels || verdict != DDP_UNDERDETERMINED || !report_unconnected(world, &d.under);
    if (!connected)
        return;
    d.over = written(world, &d.over);
    d.under = written(world, &d.under);
    if (d.over.n_rels) {
        if (report_dependent(world, &d.over, &d.under) || report_components(world, &d.over))
            return;
        report_over(world, &d);
    }
    if (d.false_causal.n_rels)
        report_false(world, &d);
    if (d.under.n_vars && verdict == DDP_UNDERDETERMINED)
        report_under(world, &d.under);
}

bool world_report(World *world, const DdpResult *result)
{
    if (world->exhausted)
        return false;
    if (result->verdict == DDP_DETERMINED)
        return world_report_floating(world);
    MemGuard guard;
    mem_guard_push(world->mem, &guard);
    if (setjmp(guard.env) == 0) {
        report_task(world, result->verdict);
        mem_guard_pop(world->mem, &guard);
    } else {
        world_exhausted(world);
    }
    return true;
}
