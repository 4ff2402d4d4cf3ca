/* first_mode.c: definition -> instances and values of the first mode. See first_mode.h.
 *
 * Which branches are taken is birth.c's business; here are the values that it asks for: along the
 * schedule, from parameters, start values and what held variables hold. */
#include "frontend/first_mode.h"

#include "frontend/birth.h"

enum { PASSES = 20, DEPTH = 4000 };

struct FirstMode {
    Mem *mem;
    Program *program;
    FormTable *forms;
    Ddp *ddp;
    World *world;
    VEC(double) value;  /* [DdpVar] */
    VEC(uint8_t) known; /* [DdpVar]: it has a value */
    VEC(double) first;  /* [DdpVar]: where it begins as a state, by its attribute `start`; else 0 */
    bool bold;          /* starts count also for what is no state */
    DdpResult result;
};

/* ---- host ---- */

static void make_room(FirstMode *mode, DdpVar var)
{
    Mem *mem = mode->mem;
    while (mode->value.n <= var) {
        vec_push(mem, &mode->value, 0.0);
        vec_push(mem, &mode->known, (uint8_t) false);
        vec_push(mem, &mode->first, 0.0);
    }
}

static void host_born(void *context, DdpVar var, DdpVarKind kind)
{
    FirstMode *mode = context;
    make_room(mode, var);
    mode->value.at[var] = mode->first.at[var] = 0;
    mode->known.at[var] = kind != DDP_UNKNOWN;
}

static void host_begin(void *context, DdpVar var, DdpVarKind kind, double value)
{
    FirstMode *mode = context;
    mode->first.at[var] = value;
    if (kind == DDP_HELD)
        mode->value.at[var] = value;
}

static bool host_read(void *context, DdpVar var, double *value)
{
    FirstMode *mode = context;
    if (var >= mode->value.n || !mode->known.at[var])
        return false;
    *value = mode->value.at[var];
    return true;
}

static void host_write(void *context, DdpVar var, double value)
{
    FirstMode *mode = context;
    make_room(mode, var);
    mode->value.at[var] = value;
    mode->known.at[var] = true;
}

/* Any number will do where nothing is simulated; half way is as good as any. */
static double host_draw(void *context, uint64_t place, uint32_t ordinal)
{
    (void)context, (void)place, (void)ordinal;
    return 0.5;
}

/* ---- opening and closing ---- */

FirstMode *first_mode_open(Mem *mem, Program *program, const WorldLimits *limits)
{
    MemGuard guard;
    FirstMode *volatile mode = NULL;
    mem_guard_push(mem, &guard);
    if (setjmp(guard.env) != 0) {
        program_exhausted(program);
        first_mode_close(mode);
        return NULL;
    }
    mode = mem_alloc(mem, sizeof *mode);
    mode->mem = mem;
    mode->program = program;
    mode->forms = forms_open(mem);
    mode->ddp = ddp_open(mem, mode->forms);
    WorldHost host = {
        .context = mode,
        .read = host_read,
        .write = host_write,
        .born = host_born,
        .begin = host_begin,
        .draw = host_draw,
    };
    /* every level of branches costs a look at all values: where nothing is simulated, less will do
     */
    WorldLimits own = limits ? *limits : (WorldLimits){0};
    if (!own.depth)
        own.depth = DEPTH;
    mode->world = world_open(mem, program, mode->forms, mode->ddp, &host, &own);
    mem_guard_pop(mem, &guard);
    if (mode->world)
        return mode;
    first_mode_close(mode);
    return NULL;
}

void first_mode_close(FirstMode *mode)
{
    if (!mode)
        return;
    Mem *mem = mode->mem;
    world_close(mode->world);
    if (mode->ddp)
        ddp_close(mode->ddp);
    if (mode->forms)
        forms_close(mode->forms);
    vec_free(mem, &mode->value);
    vec_free(mem, &mode->known);
    vec_free(mem, &mode->first);
    mem_free(mem, mode);
}

World *first_mode_world(FirstMode *mode)
{
    return mode->world;
}

Ddp *first_mode_ddp(FirstMode *mode)
{
    return mode->ddp;
}

FormTable *first_mode_forms(FirstMode *mode)
{
    return mode->forms;
}

DdpResult first_mode_result(const FirstMode *mode)
{
    return mode->result;
}

bool first_mode_value(const FirstMode *mode, DdpVar var, double *value)
{
    if (var >= mode->value.n || !mode->known.at[var])
        return false;
    *value = mode->value.at[var];
    return true;
}

/* ---- evaluating ---- */

/* Has all that `x` uses of the relation's variables a value? */
static bool known_inputs(const FirstMode *mode, X x, uint32_t n, const DdpVar *vars)
{
    for (uint32_t i = 0; i < n; i++)
        if (!mode->known.at[vars[i]] && x_uses(mode->forms, x, i))
            return false;
    return true;
}

/* Foreign functions belong to the runtime: what calls one stays unknown. */
static double foreign_unknown(void *called, uint32_t function, uint32_t n, const double *args)
{
    (void)function, (void)n, (void)args;
    *(bool *)called = true;
    return 0;
}

static void evaluate_step(FirstMode *mode, const DdpStep *step)
{
    DdpRelView rel = ddp_rel(mode->ddp, step->rel);
    if (!step->var || !step->value)
        return;
    if (!known_inputs(mode, step->value, rel.n, rel.vars))
        return;
    bool called = false;
    double value =
        x_value(mode->forms, step->value, rel.vars, mode->value.at, foreign_unknown, &called);
    if (called)
        return;
    mode->known.at[step->var] = true;
    mode->value.at[step->var] = value;
}

/* What the schedule determined in an earlier round may have changed since: start afresh. */
static void forget_determined(FirstMode *mode)
{
    for (DdpNode node = ddp_first(mode->ddp); node; node = ddp_next(mode->ddp, node)) {
        DdpNodeView view = ddp_node(mode->ddp, node);
        for (uint32_t i = 0; i < view.n_steps; i++)
            if (view.steps[i].var)
                mode->known.at[view.steps[i].var] = false;
    }
}

static void evaluate_nodes(FirstMode *mode)
{
    for (DdpNode node = ddp_first(mode->ddp); node; node = ddp_next(mode->ddp, node)) {
        DdpNodeView view = ddp_node(mode->ddp, node);
        if (!view.determined || view.loop)
            continue;
        for (uint32_t i = 0; i < view.n_steps; i++)
            evaluate_step(mode, &view.steps[i]);
    }
}

/* States take their start values as those become known, else where the attribute says, or 0. What is no state is
 * a potential one, and takes its start when nothing else is left. */
static bool start_states(FirstMode *mode)
{
    uint32_t n;
    bool progress = false;
    const WorldChange *change = world_changes(mode->world, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (change[i].role != WORLD_START || !change[i].born || change[i].c >= mode->known.n)
            continue;
        DdpVar x = change[i].c, start = change[i].b;
        if (mode->known.at[x] || !mode->known.at[start] ||
            (!mode->bold && !ddp_is_state(mode->ddp, x)))
            continue;
        mode->known.at[x] = true;
        mode->value.at[x] = mode->value.at[start];
        progress = true;
    }
    return progress;
}

static void forget_states(FirstMode *mode)
{
    uint32_t n;
    const WorldChange *change = world_changes(mode->world, &n);
    for (uint32_t i = 0; i < ddp_state_count(mode->ddp); i++) {
        DdpVar x = ddp_state(mode->ddp, i).var;
        mode->known.at[x] = true;
        mode->value.at[x] = mode->first.at[x];
    }
    for (uint32_t i = 0; i < n; i++)
        if (change[i].role == WORLD_START && change[i].born && ddp_is_state(mode->ddp, change[i].c))
            mode->known.at[change[i].c] = false;
}

static void evaluate(FirstMode *mode)
{
    make_room(mode, ddp_var_limit(mode->ddp));
    forget_determined(mode);
    forget_states(mode);
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        evaluate_nodes(mode);
        if (!start_states(mode))
            break;
    }
}

/* ---- deciding: birth.c does ---- */

static void commit(FirstMode *mode, DdpCommit kind)
{
    enum { MOST_EXAMINED = 10000 }; /* one for each condition under `if initial()` */
    int i = 0;
    do
        mode->result = ddp_commit(mode->ddp, kind);
    while (world_examine(mode->world, &mode->result) && i++ < MOST_EXAMINED);
    if (kind == DDP_FINAL)
        world_settled(mode->world);
}

static int begin(void *context)
{
    FirstMode *mode = context;
    commit(mode, DDP_SO_FAR);
    mode->bold = false;
    evaluate(mode);
    return world_out_of_memory(mode->world);
}

static int bolder(void *context, bool *more)
{
    FirstMode *mode = context;
    *more = !mode->bold;
    mode->bold = true;
    if (*more)
        evaluate(mode);
    return 0;
}

static bool known(void *context, BranchId branch, DdpVar var, double *value)
{
    (void)branch;
    return first_mode_value(context, var, value);
}

static int choose(void *context, uint32_t n, const WorldDecision *list)
{
    FirstMode *mode = context;
    world_choose(mode->world, n, list);
    return world_out_of_memory(mode->world);
}

static void settle(FirstMode *mode)
{
    BirthHost host = {
        .context = mode, .begin = begin, .bolder = bolder, .known = known, .choose = choose};
    uint32_t undecided;
    if (birth_settle(mode->world, &host) != 0)
        return;
    world_newborn(mode->world, &undecided);
    if (undecided == 0)
        commit(mode, DDP_FINAL);
    else
        world_report_undecided(mode->world);
}

bool first_mode_settle(FirstMode *mode)
{
    MemGuard guard;
    mem_guard_push(mode->mem, &guard);
    if (setjmp(guard.env) != 0) {
        program_exhausted(mode->program);
        return false;
    }
    settle(mode);
    mem_guard_pop(mode->mem, &guard);
    return world_ok(mode->world);
}

bool first_mode_run(FirstMode *mode, Def *top)
{
    world_create(mode->world, top);
    if (world_out_of_memory(mode->world))
        return false;
    return first_mode_settle(mode);
}
