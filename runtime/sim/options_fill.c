/* options_fill.c: SolOptions as given -> checked, complete, and owned by the simulation. */
#include "runtime/sim/sim.h"

#include <math.h>
#include <string.h>

static const char *own_text(Sim *sim, const char *text)
{
    return text ? arena_copy(&sim->run.opt_arena, text, strlen(text)) : NULL;
}

static const char *const *own_texts(Sim *sim, uint32_t n, const char *const *texts)
{
    const char **own = arena_alloc(&sim->run.opt_arena, (n + 1) * sizeof *own);
    for (uint32_t i = 0; i < n; i++)
        own[i] = own_text(sim, texts[i]);
    return own;
}

static void own_lists(Sim *sim)
{
    SolOptions *opt = &sim->opt;
    SolSet *sets = arena_alloc(&sim->run.opt_arena, (opt->n_sets + 1) * sizeof *sets);
    for (uint32_t i = 0; i < opt->n_sets; i++)
        sets[i] = (SolSet){own_text(sim, opt->sets[i].path), own_text(sim, opt->sets[i].value)};
    opt->sets = sets;
    opt->monitored = own_texts(sim, opt->n_monitored, opt->monitored);
    opt->sensitivities = own_texts(sim, opt->n_sensitivities, opt->sensitivities);
    opt->cache = own_text(sim, opt->cache);
    opt->trace = own_text(sim, opt->trace);
    opt->overrun = own_text(sim, opt->overrun);
}

/* Time is a double: steps far below the span of a run would not move it any more. */
static bool check_times(Sim *sim)
{
    const SolOptions *opt = &sim->opt;
    const struct {
        const char *name;
        double value;
    } steps[] = {
        {"output interval", opt->interval}, {"step", opt->step}, {"maximal step", opt->max_step}};
    double least = 1e-13 * fmax(opt->stop - opt->start, fmax(fabs(opt->start), fabs(opt->stop)));
    if (!(opt->stop >= opt->start) || !isfinite(opt->stop) || !isfinite(opt->start)) {
        diag_error(sim->diags, 0, "the stop time %g lies before the start time %g", opt->stop,
                   opt->start);
        return false;
    }
    for (uint32_t i = 0; i < 3 && opt->stop > opt->start; i++)
        if (steps[i].value != 0 && steps[i].value < least) {
            diag_error(sim->diags, 0, "the %s of %g is too small for times up to %g", steps[i].name,
                       steps[i].value, fmax(fabs(opt->start), fabs(opt->stop)));
            return false;
        }
    return true;
}

/* What the command line refuses word by word, a program may still have put into the struct. */
typedef struct Rule {
    bool broken;
    const char *text;
} Rule;

static bool is_number(double value) /* 0 stands for the default */
{
    return isfinite(value) && value >= 0;
}

static bool check_values(Sim *sim)
{
    const SolOptions *opt = &sim->opt;
    const Rule rules[] = {
        {!isfinite(opt->start) || !isfinite(opt->stop), "start and stop must be numbers"},
        {!is_number(opt->interval), "the output interval must be a number above 0"},
        {!is_number(opt->rtol), "rtol must be a number above 0"},
        {!is_number(opt->atol), "atol must be a number above 0"},
        {!is_number(opt->max_step), "the maximal step must be a number above 0"},
        {!is_number(opt->step), "the step must be a number above 0"},
        {!is_number(opt->audit), "the bound of the audit must be a number above 0"},
        {opt->max_order > 5, "the maximal order must be a number from 1 to 5"},
        {(unsigned)opt->solver > SOL_SOLVER_INLINE, "there is no such solver"},
        {(unsigned)opt->method > SOL_METHOD_EXPLICIT_EULER, "there is no such method"},
        {opt->method && opt->solver != SOL_SOLVER_INLINE, "a method is for the inline solver"},
        {!is_number(opt->realtime), "the factor of real time must be a number above 0"},
        {opt->realtime > 0 && !(opt->step > 0), "real time wants a step"},
        {opt->realtime > 0 && opt->solver != SOL_SOLVER_EULER && opt->solver != SOL_SOLVER_INLINE,
         "real time is for the solvers euler and inline"},
        {!(opt->realtime > 0) && (opt->max_rounds || opt->overrun),
         "a bound of rounds and a variable of overruns are for real time"},
        {opt->overrun && opt->n_sensitivities,
         "there are no sensitivities of what real time writes"},
        {(unsigned)opt->form > SOL_FORM_WHOLE, "there is no such form"},
        {opt->form && opt->solver != SOL_SOLVER_IDA, "the dae form is for the solver ida"},
        {(unsigned)opt->linear > SOL_LINEAR_KRYLOV, "there is no such linear solver"},
        {(unsigned)opt->engine > SOL_ENGINE_REBUILD, "there is no such engine"},
        {opt->trace && strspn(opt->trace, "idesu") != strlen(opt->trace),
         "a trace wants some of the letters i, d, e, s, u"},
        {opt->n_sets && !opt->sets, "values to be set are announced but not given"},
        {opt->n_monitored && !opt->monitored, "monitored models are announced but not given"},
        {opt->n_sensitivities && !opt->sensitivities,
         "parameters to differentiate by are announced but not given"},
        {opt->n_sensitivities && opt->solver == SOL_SOLVER_EULER,
         "there are no sensitivities with Euler's method"},
        {opt->n_sensitivities && (opt->savable || opt->editable),
         "there are no sensitivities of what is saved or edited"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].broken) {
            diag_error(sim->diags, 0, "%s", rules[i].text);
            return false;
        }
    return true;
}

bool options_fill(Sim *sim, const SolOptions *options)
{
    SolOptions *opt = &sim->opt;
    *opt = options ? *options : (SolOptions){0};
    if (!check_values(sim))
        return false;
    own_lists(sim);
    if (opt->stop == 0 && opt->start == 0)
        opt->stop = 1;
    if (!opt->steps)
        opt->steps = 500;
    if (opt->interval == 0)
        opt->interval = (opt->stop - opt->start) / opt->steps;
    if (!(opt->interval > 0)) /* a run of no length: there is no second point */
        opt->interval = 1;
    if (opt->rtol == 0)
        opt->rtol = 1e-6;
    if (opt->atol == 0)
        opt->atol = opt->rtol * 1e-2;
    if (opt->max_step == 0) /* interior points of longer steps are looked at: event_pieces() */
        opt->max_step = fmax(opt->interval, opt->stop - opt->start);
    if (!opt->max_order)
        opt->max_order = 5;
    if (opt->step == 0 && opt->solver != SOL_SOLVER_INLINE)
        opt->step = opt->interval;
    if (opt->realtime > 0 && !opt->max_rounds)
        opt->max_rounds = 8;
    opt->savable |= opt->editable;
    if (!opt->exact_edits)
        opt->exact_edits = 20000;
    if (!opt->max_updates)
        opt->max_updates = 1000;
    return check_times(sim);
}
