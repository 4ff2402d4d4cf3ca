/* realtime.c: steps of one length -> the same, each when the clock is there (SolOptions.realtime).
 *
 * The step from t to t + h begins when the clock has come to t. All parts end it together, so nobody is ahead of the clock. Where
 * one is late the clock is not moved: the next steps do not wait until it is met. Nothing here allocates; what a step computes
 * has its memory from the event before it. Code is compiled before the clock begins; what an event brings is interpreted until its code is
 * there: to wait for a compiler takes longer than any step may.
 */
#include "runtime/sim/sim.h"
#include "runtime/eval/blocks.h"
#include "base/timer.h"

#include <math.h>

/* ---- the clock ---- */

static double clock_at(const Sim *sim, double time)
{
    const SimRealtime *r = &sim->run.realtime;
    return r->clock + (time - r->time) / sim->opt.realtime;
}

/* Begun, or begun anew: nobody has called for longer than a step. */
static void meet_clock(Sim *sim)
{
    SimRealtime *r = &sim->run.realtime;
    double now = timer_now();
    if (r->started && now <= clock_at(sim, sim->time + sim->opt.step))
        return;
    r->started = true;
    r->clock = now;
    r->time = sim->time;
}

/* Whoever cancels is heard. */
static const double LONGEST_SLEEP = 0.05;

static SolStatus wait_for(Sim *sim, double clock)
{
    SimRealtime *r = &sim->run.realtime;
    double now = timer_now();
    if (now >= clock)
        return SOL_OK;
    for (; now < clock; now = timer_now()) {
        if (cancel_asked(sim))
            return SOL_CANCELLED;
        timer_sleep_until(fmin(clock, now + LONGEST_SLEEP));
    }
    r->told.jitter = fmax(r->told.jitter, now - clock);
    return SOL_OK;
}

/* ---- what the model is told ---- */

static SolStatus find_overrun(Sim *sim, DdpVar *var)
{
    SolVarInfo info;
    *var = sim->opt.overrun ? world_find(sim->world, sim->opt.overrun) : 0;
    if (!sim->opt.overrun || sim->run.realtime.checked)
        return SOL_OK;
    sim->run.realtime.checked = true;
    if (!*var || !sim_var_info(sim, *var, &info)) {
        set_refuse(sim, sim->opt.overrun);
        return SOL_USAGE;
    }
    if (info.type != SOL_INTEGER && info.type != SOL_BOOLEAN) {
        diag_error(sim->diags, 0, "%s cannot tell of overruns: an Integer or a Boolean can",
                   sim->opt.overrun);
        return SOL_USAGE;
    }
    return SOL_OK;
}

/* A variable that is not there now is told nothing. */
static SolStatus tell_model(Sim *sim, bool late)
{
    SimRealtime *r = &sim->run.realtime;
    SolVarInfo info;
    DdpVar var;
    if (!late && !r->late)
        return SOL_OK;
    r->late = late;
    find_overrun(sim, &var);
    if (!var || !sim_var_info(sim, var, &info))
        return SOL_OK;
    if (info.type == SOL_INTEGER && !late)
        return SOL_OK;
    double value = info.type == SOL_INTEGER ? (double)r->told.overruns : late;
    return sim->value[var] == value ? SOL_OK : sim_write(sim, var, value);
}

/* ---- steps ---- */

/* Rounding is no step. */
static double step_end(const Sim *sim, double stop)
{
    double h = sim->opt.step, done = floor((sim->time - sim->opt.start) / h + 1e-6);
    double end = sim->opt.start + (done + 1) * h;
    return end > stop - 1e-6 * h ? stop : end;
}

static SolStatus note_step(Sim *sim, double begin, double due)
{
    SimRealtime *r = &sim->run.realtime;
    double end = timer_now();
    bool late = end > due;
    r->told.steps++;
    r->total += end - begin;
    r->told.latest = fmax(r->told.latest, end - due);
    r->told.overruns += late;
    if (end - begin > r->told.worst) {
        r->told.worst = end - begin;
        r->told.worst_at = sim->time;
    }
    return tell_model(sim, late);
}

SolStatus realtime_run(Sim *sim, double stop, bool to_event, bool one_step, bool *happened)
{
    DdpVar ignored;
    SolStatus status = find_overrun(sim, &ignored);
    if (status == SOL_OK) /* integrators start, code is compiled */
        status = time_run(sim, sim->time, to_event, one_step, happened);
    engine_wait_no_more(sim->engine);
    meet_clock(sim);
    while (status == SOL_OK && sim->time < stop && !event_terminated(sim)) {
        double end = step_end(sim, stop), begin = timer_now();
        status = time_run(sim, end, to_event, one_step, happened);
        if (status == SOL_OK)
            status = note_step(sim, begin, clock_at(sim, end));
        if (status == SOL_OK)
            status = wait_for(sim, clock_at(sim, sim->time));
        if (one_step || (to_event && *happened))
            break;
    }
    return status;
}

bool sol_realtime(const Sol *sol, SolRealtime *to)
{
    const Sim *sim = sol->sim;
    *to = sim->run.realtime.told;
    to->mean = to->steps ? sim->run.realtime.total / (double)to->steps : 0;
    to->max_rounds = sim->opt.max_rounds;
    to->unfinished = sim->counts.unfinished;
    to->unfinished_by = sim->counts.unfinished_by;
    return sim->opt.realtime > 0;
}
