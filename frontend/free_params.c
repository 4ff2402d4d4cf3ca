/* free_params.c: parameters with `fixed << false`, born in this update -> what was made of them at birth, kept until they are known.
 *
 * Parameters are values at birth: a part that is given one has a copy. Where initial conditions determine a parameter
 * (runtime/event/start_solve.c), such copies, and start values made of it, must follow while it is looked for. So in the update of its
 * birth it is remembered who read it; where a value can not follow (the size of an array, an interval) that is an error.
 */
#include "frontend/world_int.h"

#include <math.h>

void free_note(World *world, DdpVar parameter)
{
    vec_push(world->mem, &world->free.params, parameter);
    map_put(world->mem, &world->free.is, parameter, 1);
}

bool free_is(const World *world, DdpVar var)
{
    return world->free.params.n && map_get(&world->free.is, var);
}

double free_made(World *world, Inst *scope, const PlanValue *value, const char *parameter,
                 DdpVar var)
{
    double result;
    bool reads_free;
    birth_value_of(world, scope, value, parameter, &result, &reads_free);
    if (reads_free) {
        vec_push(world->mem, &world->free.made,
                 ((FreeMade){.scope = scope->id, .var = var, .value = value}));
        map_put(world->mem, &world->free.is, var, 1);
    }
    return result;
}

bool free_waits(World *world, Inst *inst, const Op *op, Place cause)
{
    if (world->free.checked)
        return false;
    vec_push(world->mem, &world->free.made,
             ((FreeMade){.scope = inst->id, .assertion = op, .cause = cause}));
    return true;
}

uint32_t world_free_params(const World *world, const DdpVar **params)
{
    *params = world->free.params.at;
    return world->free.params.n;
}

static bool is_there(const World *world, const FreeMade *made)
{
    return made->var && world_alive(world, made->scope) && ddp_var_used(world->ddp, made->var);
}

uint32_t world_free_made(const World *world)
{
    return world->free.made.n;
}

bool world_free_equation(World *world, Arena *arena, uint32_t i, FreeEquation *out)
{
    const FreeMade *made = &world->free.made.at[i];
    *out = (FreeEquation){0};
    if (!is_there(world, made))
        return true;
    *out = (FreeEquation){.var = made->var, .n = made->value->refs.n};
    out->vars = arena_alloc(arena, (out->n + 1) * sizeof *out->vars);
    return birth_equation(world, world_at(world, made->scope), made->value, out->vars, &out->x);
}

void world_free_follow(World *world)
{
    for (uint32_t i = 0; i < world->free.made.n; i++) {
        const FreeMade *made = &world->free.made.at[i];
        double value;
        if (is_there(world, made) &&
            birth_value_x(world, world_at(world, made->scope), made->value, made->value->x, &value))
            world->host.write(world->host.context, made->var, value);
    }
}

void world_free_tangents(World *world, double *tangent)
{
    for (uint32_t i = 0; i < world->free.made.n; i++) {
        const FreeMade *made = &world->free.made.at[i];
        if (is_there(world, made))
            tangent[made->var] =
                birth_tangent(world, world_at(world, made->scope), made->value, tangent);
    }
}

void world_free_clear_tangents(const World *world, double *tangent)
{
    for (uint32_t i = 0; i < world->free.made.n; i++)
        if (world->free.made.at[i].var)
            tangent[world->free.made.at[i].var] = 0;
}

static void done_task(World *world, void *argument)
{
    (void)argument;
    world->free.checked = true;
    for (uint32_t i = 0; i < world->free.made.n; i++) {
        const FreeMade *made = &world->free.made.at[i];
        if (made->assertion && world_alive(world, made->scope))
            inst_assert(world, world_at(world, made->scope), made->assertion, made->cause);
    }
    vec_clear(&world->free.params);
    vec_clear(&world->free.made);
    map_free(world->mem, &world->free.is);
    world->free.checked = false;
}

bool world_free_done(World *world)
{
    return !world->free.params.n || world_guarded(world, done_task, NULL);
}

void free_close(World *world)
{
    vec_free(world->mem, &world->free.params);
    vec_free(world->mem, &world->free.made);
    map_free(world->mem, &world->free.is);
}

void world_var_bounds(const World *world, DdpVar var, double *least, double *most)
{
    WorldVar view = {0};
    bool own = ddp_var(world->ddp, var).order == 0 && world_var(world, var, &view);
    const Member *m = own ? view.member : NULL;
    *least = m && m->has_least ? m->least : -INFINITY;
    *most = m && m->has_most ? m->most : INFINITY;
}

bool world_has_nominals(const World *world)
{
    return program_has_nominals(world->program);
}

/* By parameters, which keep their values. */
static double nominal_by(const World *world, DdpVar var)
{
    OwnerInfo owner = world->var.at[var];
    World *any = (World *)world;
    double value;
    if (owner.tag != OWNER_INST)
        return 1;
    Inst *inst = world_at(world, owner.who);
    const Op *op = &inst->plan->ops[inst->plan->word_op[owner.what]];
    const Inst *element = world->element;
    uint32_t word = world->element_word;
    inst_note_element(any, inst, op);
    bool known = op->nominal && birth_value_x(any, inst, op->nominal, op->nominal->x, &value);
    any->element = element;
    any->element_word = word;
    return known && value > 0 ? value : 1;
}

double world_var_nominal(const World *world, DdpVar var)
{
    WorldVar view = {0};
    if (!world_has_nominals(world) || ddp_var(world->ddp, var).order ||
        !world_var(world, var, &view) || !view.member)
        return 1;
    return view.member->nominal_by    ? nominal_by(world, var)
           : view.member->nominal > 0 ? view.member->nominal
                                      : 1;
}
