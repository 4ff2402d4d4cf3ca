/* samples.c: `Sample` and `sample` of the model -> when they are due, and true in one update.
 *
 * A sample is a clock, as parts without states are (time_stops.c): only the steps of those parts end at its times that
 * it concerned before. Samples of one origin and interval are the same clock.
 */
#include "runtime/event/delay.h"
#include "runtime/event/event.h"
#include "runtime/event/event_cause.h"
#include "runtime/event/trail.h"
#include "runtime/eval/hold.h"

#include <float.h>
#include <math.h>

#define MOST_SAMPLES 1e15 /* so many can be counted exactly */

static double due(const SampleMemo *memo)
{
    return memo->origin + (double)memo->next * memo->interval;
}

SampleMemo *sample_of(const Sim *sim, DdpVar var)
{
    uint32_t place = map_get(&sim->decide.sample_of, var);
    return place ? &sim->decide.samples.at[place - 1] : NULL;
}

/* ---- births and deaths ---- */

static void drop(Sim *sim, DdpVar var)
{
    SampleMemo *memo = sample_of(sim, var);
    if (!memo)
        return;
    const SampleMemo *last = &sim->decide.samples.at[sim->decide.samples.n - 1];
    map_put(sim->mem, &sim->decide.sample_of, last->var,
            (uint32_t)(memo - sim->decide.samples.at) + 1);
    map_remove(&sim->decide.sample_of, var);
    *memo = *last;
    sim->decide.samples.n--;
}

static SolStatus begin_at(Sim *sim, const WorldChange *change, SampleMemo *memo)
{
    double passed = ceil((sim->time - change->from) / memo->interval - 1e-9);
    if (!(fabs(change->from) < INFINITY && passed < MOST_SAMPLES)) {
        diag_error(sim->diags, change->at,
                   "sample begins at %g, too many intervals of %g before time %.10g", change->from,
                   change->value, sim->time);
        return SOL_MODEL;
    }
    memo->origin = change->from;
    memo->next = (uint64_t)fmax(0, passed);
    return SOL_OK;
}

SolStatus sample_take(Sim *sim, const WorldChange *change)
{
    trail_break(sim);
    if (!change->born) {
        drop(sim, change->a);
        return SOL_OK;
    }
    if (!(change->value > 0)) {
        diag_error(sim->diags, change->at, "the interval of Sample is %g: it must be positive",
                   change->value);
        return SOL_MODEL;
    }
    if (change->value <= 4 * DBL_EPSILON * fabs(sim->time)) { /* the clock could not go on */
        diag_error(sim->diags, change->at,
                   "the interval of Sample is %g: at time %.10g that is rounding", change->value,
                   sim->time);
        return SOL_MODEL;
    }
    SampleMemo memo = {.var = change->a, .origin = sim->time, .interval = change->value, .next = 1};
    if (change->b && begin_at(sim, change, &memo) != SOL_OK)
        return SOL_MODEL;
    vec_push(sim->mem, &sim->decide.samples, memo);
    map_put(sim->mem, &sim->decide.sample_of, memo.var, sim->decide.samples.n);
    if (change->b)
        samples_due(sim); /* it may begin now */
    return SOL_OK;
}

void samples_pack(Sim *sim, Pack *p)
{
    PACK_LENGTH(p, &sim->decide.samples, 1);
    map_free(sim->mem, &sim->decide.sample_of);
    for (uint32_t i = 0; i < sim->decide.samples.n; i++) {
        SampleMemo *memo = &sim->decide.samples.at[i];
        PACK(p, memo->var);
        PACK(p, memo->origin);
        PACK(p, memo->interval);
        PACK(p, memo->next);
        map_put(sim->mem, &sim->decide.sample_of, memo->var, i + 1);
    }
}

void samples_close(Sim *sim)
{
    vec_free(sim->mem, &sim->decide.samples);
    map_free(sim->mem, &sim->decide.sample_of);
}

/* ---- when they are due ---- */

double sample_next_time(const Sim *sim, DdpVar var)
{
    const SampleMemo *memo = sample_of(sim, var);
    return memo ? due(memo) : INFINITY;
}

double samples_next(const Sim *sim, bool stops_all)
{
    double next = INFINITY;
    for (uint32_t i = 0; i < sim->decide.samples.n; i++) {
        const SampleMemo *memo = &sim->decide.samples.at[i];
        if (!stops_all || memo->broad)
            next = fmin(next, due(memo));
    }
    return fmin(next, delay_next(sim));
}

bool sample_was_due(const Sim *sim, const SampleMemo *memo)
{
    double last = memo->origin + (double)(memo->next - 1) * memo->interval;
    return memo->next >= 1 && fabs(last - sim->time) <= 4 * DBL_EPSILON * fabs(sim->time);
}

bool samples_same(const Sim *sim, const Sim *other)
{
    if (sim->decide.samples.n != other->decide.samples.n)
        return false;
    for (uint32_t i = 0; i < sim->decide.samples.n; i++) {
        const SampleMemo *a = &sim->decide.samples.at[i], *b = &other->decide.samples.at[i];
        if (a->interval != b->interval || a->origin != b->origin)
            return false;
    }
    return true;
}

void samples_due(Sim *sim)
{
    for (uint32_t i = 0; i < sim->decide.samples.n; i++) {
        SampleMemo *memo = &sim->decide.samples.at[i];
        if (!hold_reached(sim, due(memo)))
            continue;
        values_set(sim, memo->var, 1);
        cause_sample(sim, memo->var);
        while (hold_reached(sim, due(memo)))
            memo->next++;
    }
}

/* U2: does a condition that was not decided read it? */
static bool is_awaited(const Sim *sim, DdpVar sample)
{
    for (uint32_t i = 0; i < sim->update.deferred.n; i++) {
        DdpVar condition = sim->branches.at[sim->update.deferred.at[i]].condition;
        DdpNode n = sim->info[condition].node;
        if (condition == sample)
            return true;
        for (uint32_t k = 0; n && k < sim->nodes.at[n].n_reads; k++)
            if (sim->nodes.at[n].reads[k].var == sample)
                return true;
    }
    return false;
}

void samples_clear(Sim *sim, bool again)
{
    for (uint32_t i = 0; i < sim->decide.samples.n; i++) {
        const SampleMemo *memo = &sim->decide.samples.at[i];
        if (again && memo->next > 1 && sample_was_due(sim, memo))
            values_set(sim, memo->var, 1);
        else if (!sim->update.deferred.n || !is_awaited(sim, memo->var))
            values_set(sim, memo->var, 0);
    }
}
