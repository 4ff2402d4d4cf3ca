/* set_check.c: values given by path (SolOptions.sets) that reached nothing -> messages.
 *
 * A path that leads nowhere at the start may belong to an instance that is born later; the
 * definitions tell whether that can be. If not, it is a slip, and the variable that was meant is
 * looked for. */
#include "base/similar.h"
#include "runtime/sim/sim.h"

#include <string.h>

void set_nearest(const Sim *sim, const char *path, char *best, size_t size)
{
    uint32_t least = UINT32_MAX;
    char at[256];
    best[0] = '\0';
    for (DdpVar var = 1; var < ddp_var_limit(sim->ddp); var++) {
        SolVarInfo info;
        if (!sim_var_info(sim, var, &info))
            continue;
        world_var_path(sim->world, var, at, sizeof at);
        uint32_t distance = similar_distance(path, at);
        if (distance < least && similar_enough(path, distance)) {
            least = distance;
            snprintf(best, size, "%s", at);
        }
    }
}

void set_refuse(Sim *sim, const char *path)
{
    char best[256];
    set_nearest(sim, path, best, sizeof best);
    diag_error(sim->diags, 0, "%s cannot be set: there is no such variable in '%s'", path,
               def_path(sim->program, sim->run.top));
    if (best[0])
        diag_note(sim->diags, 0, "did you mean %s?", best);
}

SolStatus set_check(Sim *sim)
{
    const char *path;
    bool wrong = false;
    sim->run.births_at_start = event_births(sim);
    for (uint32_t i = 0; (path = world_override_unused(sim->world, i)) != NULL; i++) {
        if (world_find(sim->world, path))
            diag_warning(sim->diags, 0,
                         "%s was set to no effect: only parameters, and start values of what is "
                         "integrated, can be",
                         path);
        else if (!def_may_reach(sim->program, sim->run.top, path)) {
            set_refuse(sim, path);
            wrong = true;
        }
    }
    return wrong ? SOL_USAGE : SOL_OK;
}

/* Of what existed at the start, set_check() has told. */
void set_check_end(Sim *sim)
{
    const char *path;
    for (uint32_t i = 0; !sim->run.sets_checked && sim->world; i++) {
        if ((path = world_override_unused(sim->world, i)) == NULL)
            break;
        DdpVar var = world_find(sim->world, path);
        if (!var || sim->info[var].birth > sim->run.births_at_start)
            diag_warning(sim->diags, 0, "%s was set to no effect: nothing was born at that place",
                         path);
    }
    sim->run.sets_checked = true;
}
