/* values.c: variables of the front end and the DDP -> one vector of values.
 *
 * value[v] is the value of variable v; info[v].has tells whether it has one. States, held
 * variables, parameters and everything computed live side by side, so that a variable keeps its
 * value whatever the structure does with it: a state that is deselected, an integrator that
 * returns.
 */
#include "runtime/eval/eval.h"

#include <string.h>

/* Beyond, arrays grow by a 32nd: what is added is touched at once, and large arrays move by
 * remapping their pages. */
enum { LARGE = 1 << 14, SHARE = 32 };

/* Room for all variable numbers; new ones have no value. Tangents are zero between passes: where
 * nobody makes any, their pages stay untouched. */
void values_open(Sim *sim)
{
    arena_init(&sim->eval.texts, sim->mem);
}

void values_ask_starts(Sim *sim, bool (*has_start)(const Sim *sim, DdpVar var))
{
    sim->eval.has_start = has_start;
}

void values_grow(Sim *sim)
{
    uint32_t need = ddp_var_limit(sim->ddp);
    if (need <= sim->n_values)
        return;
    uint32_t old = sim->n_values, share = old > LARGE ? SHARE : 1;
    uint32_t size = old ? old + old / share : 64;
    while (size < need)
        size += size / share;
    sim->value = mem_resize(sim->mem, sim->value, (size + VALUES_ROOM) * sizeof *sim->value);
    mem_free(sim->mem, sim->tangent);
    sim->tangent = NULL;
    sim->tangent = mem_alloc(sim->mem, (size + VALUES_ROOM) * sizeof *sim->tangent);
    sim->info = mem_resize(sim->mem, sim->info, size * sizeof *sim->info);
    memset(sim->value + old, 0, (size - old) * sizeof *sim->value);
    memset(sim->info + old, 0, (size - old) * sizeof *sim->info);
    if (sim->eval.scale) {
        sim->eval.scale = mem_resize(sim->mem, sim->eval.scale, size * sizeof *sim->eval.scale);
        memset(sim->eval.scale + old, 0, (size - old) * sizeof *sim->eval.scale);
    }
    sim->n_values = size;
}

double values_scale(const Sim *sim, DdpVar var)
{
    return sim->eval.scale ? sim->eval.scale[var] : 0;
}

void values_set_scale(Sim *sim, DdpVar var, double scale)
{
    if (!sim->eval.scale && scale != 0)
        sim->eval.scale = mem_alloc(sim->mem, sim->n_values * sizeof *sim->eval.scale);
    if (sim->eval.scale)
        sim->eval.scale[var] = scale;
}

bool values_declared(const Sim *sim, DdpVar var, WorldVar *view)
{
    return ddp_var_used(sim->ddp, var) && ddp_var(sim->ddp, var).order == 0 &&
           world_var(sim->world, var, view) &&
           (view->kind == WORLD_VARIABLE || view->kind == WORLD_PARAMETER);
}

double values_allowed(const Sim *sim, DdpVar var, double size)
{
    return sim->opt.rtol * size + sim->opt.atol * world_var_nominal(sim->world, var);
}

void values_close(Sim *sim)
{
    mem_free(sim->mem, sim->value);
    mem_free(sim->mem, sim->tangent);
    mem_free(sim->mem, sim->info);
    mem_free(sim->mem, sim->eval.scale);
    mem_free(sim->mem, sim->eval.interp);
    mem_free(sim->mem, sim->eval.loop);
    vec_free(sim->mem, &sim->eval.tied);
    vec_free(sim->mem, &sim->eval.forced);
    map_free(sim->mem, &sim->eval.codes);
    map_free(sim->mem, &sim->eval.whole_loops);
    map_free(sim->mem, &sim->eval.rests_told);
    arena_free(&sim->eval.texts);
    sim->eval = (SimEval){0};
    sim->value = sim->tangent = NULL;
    sim->info = NULL;
    sim->n_values = 0;
}
