/* singular_numeric.c: what the numerics found about equations whose factors are no whole numbers -> commands and words.
 *
 * Whether such equations depend on each other is known at a point only, by their derivatives there, so the runtime
 * finds it (runtime/eval/redundant.c). What is done about it is done here, with the commands of singular.c: an equation
 * that says nothing new is set aside as long as all are there that it follows from. What it leaves open, the force of
 * a joint that holds what others hold, gets the equation that it is 0.
 */
#include "frontend/singular_int.h"

enum { FIRST = 1, AGAIN = 2 }; /* set aside: for the first time, or in the place of another */

/* Of what may be set aside, an equation of a joint rather than one of what is between joints, and a plain one rather than
 * one that computes: the smaller, the sooner. */
double world_aside_weight(World *world, DdpRel rel)
{
    DdpRelView view = ddp_rel(world->ddp, rel);
    DdpCombination entered;
    if (ddp_combination(world->ddp, rel, &entered))
        view = (DdpRelView){
            .kind = view.kind, .form = entered.form, .n = entered.n, .vars = entered.vars};
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < view.n; i++)
        unknown += view.vars[i] && ddp_var(world->ddp, view.vars[i]).kind == DDP_UNKNOWN;
    if (view.kind != DDP_EQUATION || unknown < 2 || !singular_whole(world, &view))
        return 1;
    return world_rel_info(world, rel).tag == OWNER_INST ? 0.02 : 0.05;
}

static const Inst *component_of_var(const World *world, DdpVar var)
{
    WorldVar view;
    bool is = world_var(world, var, &view) && view.owner;
    return is ? report_component_of(world, world_at(world, view.owner)) : NULL;
}

static bool is_flow(const World *world, DdpVar var)
{
    WorldVar view;
    return world_var(world, var, &view) && view.member && view.member->con == CON_FLOW;
}

/* Which of the potentials of its connector it is, or of the flows: x and fx are the first. */
static uint32_t role_of(const World *world, DdpVar var, ConAttr con)
{
    WorldVar view;
    uint32_t role = 0;
    if (!world_var(world, var, &view) || !view.member || view.member->con != con)
        return UINT32_MAX;
    const Body *body = view.member->body;
    for (uint32_t i = 0; i < view.member->index; i++)
        role += body->members[i]->con == con;
    return role;
}

/* Does the relation hold a potential against which the flow acts? */
static bool is_dual(const World *world, DdpVar flow, DdpRel rel)
{
    DdpCombination entered;
    uint32_t role = role_of(world, flow, CON_FLOW);
    if (!ddp_combination(world->ddp, rel, &entered) || role == UINT32_MAX)
        return false;
    for (uint32_t i = 0; i < entered.n; i++)
        if (role_of(world, entered.vars[i], CON_POTENTIAL) == role)
            return true;
    return false;
}

/* Equations that depend on each other, too many for what they name: is that no mistake? Those of a branch are not there in another
 * mode, and of those whose factors are not whole nobody sees it. Others may say the same around a loop, but two
 * grounds are one too many: nothing may be fixed. */
bool world_may_repeat(World *world, uint32_t n, const DdpRel *rels)
{
    bool fixed = false;
    for (uint32_t k = 0; k < n; k++) {
        DdpRelView view = ddp_rel(world->ddp, rels[k]);
        const FormInfo *form = form_info(world->forms, view.form);
        uint32_t unknown = 0;
        int64_t factor;
        for (uint32_t i = 0; i < view.n; i++) {
            if (!form->position[i].occurs || ddp_var(world->ddp, view.vars[i]).kind != DDP_UNKNOWN)
                continue;
            unknown++;
            if (!singular_whole_factor(world, &form->position[i], &factor))
                return true;
        }
        if (view.logic)
            return true;
        fixed |= unknown < 2;
    }
    return !fixed;
}

bool world_in_branch(const World *world, uint32_t n, const DdpRel *rels)
{
    for (uint32_t k = 0; k < n; k++)
        if (ddp_rel(world->ddp, rels[k]).logic)
            return true;
    return false;
}

static const Inst *component_of_rel(const World *world, DdpRel rel)
{
    OwnerInfo owner = world_rel_info(world, rel);
    if (owner.tag == OWNER_INST)
        return report_component_of(world, world_at(world, owner.who));
    DdpCombination made;
    DdpRelView view = ddp_rel(world->ddp, rel);
    bool combined = ddp_combination(world->ddp, rel, &made);
    uint32_t n = combined ? made.n : view.n;
    const DdpVar *vars = combined ? made.vars : view.vars;
    return n ? component_of_var(world, vars[0]) : NULL;
}

/* Does the variable belong to one of the components whose equations the one that was set aside follows from? */
bool world_takes_part(const World *world, DdpVar var, DdpRel aside)
{
    const Inst *component = component_of_var(world, var);
    DdpCombination made;
    if (component == component_of_rel(world, aside) || !ddp_combination(world->ddp, aside, &made))
        return true;
    for (uint32_t k = 0; k < made.n_others; k++)
        if (component_of_rel(world, made.others[k]) == component)
            return true;
    return false;
}

/* A potential that nothing fixes is another matter (singular_float.c), and a variable that no equation names lacks one. */
bool world_may_close(const World *world, DdpVar var, DdpRel aside)
{
    WorldVar view;
    ConAttr con = world_var(world, var, &view) && view.member ? view.member->con : CON_NONE;
    return con != CON_POTENTIAL && ddp_use_count(world->ddp, var) > 0 &&
           map_get(&world->singular->aside, aside) != 0;
}

/* Of what is open, a flow of the component whose equation was set aside rather than another. */
double world_close_weight(const World *world, DdpVar var, DdpRel aside)
{
    if (!is_flow(world, var))
        return 1;
    double weight = component_of_var(world, var) == component_of_rel(world, aside) ? 0.2 : 1;
    return 0.05 * weight * (is_dual(world, var, aside) ? 0.5 : 1);
}

typedef struct Aside {
    DdpRel rel;
    uint32_t n;
    const DdpRel *others;
    DdpVar var;
    bool again;
} Aside;

static void set_aside(World *world, void *argument)
{
    const Aside *aside = argument;
    DdpRel rel = aside->rel;
    FormTable *forms = world->forms;
    DdpRelView view = ddp_rel(world->ddp, rel);
    const FormInfo *info = form_info(forms, view.form);
    uint32_t *map = mem_alloc(world->mem, (view.n + 1) * sizeof *map);
    for (uint32_t i = 0; i < view.n; i++)
        map[i] = i + 1;
    X rest =
        x_binary(forms, X_SUB, x_rename(forms, info->lhs, map), x_rename(forms, info->rhs, map));
    DdpVar *vars = mem_alloc(world->mem, (view.n + 1) * sizeof *vars);
    for (uint32_t i = 0; i < view.n; i++)
        vars[i] = view.vars[i];
    if (!aside->again)
        tell_redundant(world, rel, aside->n, aside->others);
    map_put(world->mem, &world->singular->aside, rel, aside->again ? AGAIN : FIRST);
    ddp_set_aside(world->ddp, rel, form_make(forms, x_pos(forms, 0), rest, view.n + 1), view.n,
                  vars, aside->n, aside->others);
    mem_free(world->mem, map);
    mem_free(world->mem, vars);
}

bool world_set_aside(World *world, DdpRel rel, uint32_t n, const DdpRel *others, bool again)
{
    Aside aside = {.rel = rel, .n = n, .others = others, .again = again};
    return world_guarded(world, set_aside, &aside);
}

/* It ends with whatever names the variable, too: with the component whose variable it is. */
static void close_aside(World *world, void *argument)
{
    const Aside *aside = argument;
    DdpRel rel = aside->rel;
    DdpVar var = aside->var;
    FormTable *forms = world->forms;
    VEC(DdpRel) others = {0};
    uint32_t cursor = 0;
    for (DdpRel use; (use = ddp_next_use(world->ddp, var, &cursor));)
        if (ddp_rel(world->ddp, use).order == 0)
            vec_push(world->mem, &others, use);
    ddp_close_aside(world->ddp, rel, form_make(forms, x_pos(forms, 0), x_const(forms, 0), 1), 1,
                    &var, others.n, others.at);
    vec_free(world->mem, &others);
    if (map_get(&world->singular->aside, rel) != AGAIN)
        tell_closed(world, rel, var);
}

bool world_close_aside(World *world, DdpRel rel, DdpVar var)
{
    Aside aside = {.rel = rel, .var = var};
    return world_guarded(world, close_aside, &aside);
}
