/* announce.c: what was born, died and chose since the last point -> the callbacks of the output.
 *
 * A large model tells of tens of thousands of variables at its start, each with its path. Paths,
 * and what else follows from the chain of owners, are put together from those of the owner, and
 * these are remembered for the last instances that were asked for: variables of an instance come in
 * a row, and so do its neighbours. Nothing is remembered beyond one call, since instances move.
 */
#include "runtime/sim/sim.h"

#include <stdlib.h>
#include <math.h>
#include <string.h>

/* ---- what an instance gives to all that is in it ---- */

enum { PATH = 1024, PLACES = 32, DEEP = 128 };

typedef struct Surroundings {
    InstId inst;       /* 0: nothing is remembered here */
    bool in_branch;    /* it, or one of its owners, is a branch */
    bool monitored;    /* likewise */
    uint16_t steps;    /* of the path */
    uint16_t length;   /* of the text */
    const char *drawn; /* what its own variables are drawn as (SolVarInfo.drawn) */
    char text[PATH];   /* "a.b.", not terminated */
} Surroundings;

typedef struct Places {
    Surroundings at[PLACES]; /* by the number of the instance */
} Places;

static void forget_places(Places *places)
{
    for (uint32_t i = 0; i < PLACES; i++)
        places->at[i].inst = 0;
}

/* The model of a package Graphics that a definition is or extends. */
static const char *drawn_as(const Sim *sim, const Def *def)
{
    Intern *names = program_names(sim->program);
    for (; def; def = def->base)
        if (def->outer && strcmp(intern_text(names, def->outer->name), "Graphics") == 0)
            return intern_text(names, def->name);
    return NULL;
}

static void add_text(Surroundings *place, const char *text)
{
    size_t length = strlen(text), room = PATH - 1u - place->length;
    if (length > room)
        length = room;
    memcpy(place->text + place->length, text, length);
    place->length = (uint16_t)(place->length + length);
}

/* What holds for its owner holds for an instance too. */
static void inherit(Surroundings *place, const Surroundings *owner)
{
    if (!owner)
        *place = (Surroundings){.inst = 0};
    else if (place != owner)
        memcpy(place, owner, offsetof(Surroundings, text) + owner->length);
}

static void step_into(const Sim *sim, Surroundings *place, InstId id)
{
    WorldInst inst = {0};
    world_inst(sim->world, id, &inst);
    place->inst = id;
    place->drawn = drawn_as(sim, inst.def);
    place->in_branch |= inst.is_branch && !inst.is_loop;
    place->monitored = place->monitored || structure_monitors(sim, inst.def);
    if (inst.is_branch || !inst.owner)
        return;
    char step[PATH];
    world_inst_step(sim->world, id, step, sizeof step);
    add_text(place, step);
    add_text(place, ".");
    place->steps++;
}

/* Up to an owner that is remembered, or to the top, and down again. NULL: too deep for that. */
static const Surroundings *surroundings(const Sim *sim, Places *places, InstId id)
{
    InstId chain[DEEP], at = id;
    uint32_t n = 0;
    for (WorldInst inst; at && places->at[at % PLACES].inst != at; at = inst.owner) {
        if (n == DEEP || !world_inst(sim->world, at, &inst))
            return NULL;
        chain[n++] = at;
    }
    const Surroundings *owner = at ? &places->at[at % PLACES] : NULL;
    while (n-- > 0) {
        Surroundings *place = &places->at[chain[n] % PLACES];
        inherit(place, owner);
        step_into(sim, place, chain[n]);
        owner = place;
    }
    return owner && owner->steps <= WORLD_PATH_STEPS ? owner : NULL;
}

/* ---- variables ---- */

static void info_of(const Sim *sim, DdpVar var, const WorldVar *view, SolVarInfo *info)
{
    static const SolType types[] = {[TYPE_REAL] = SOL_REAL,
                                    [TYPE_INTEGER] = SOL_INTEGER,
                                    [TYPE_BOOLEAN] = SOL_BOOLEAN,
                                    [TYPE_STRING] = SOL_STRING};
    *info = (SolVarInfo){.var = var,
                         .type = view->type <= TYPE_STRING ? types[view->type] : SOL_REAL,
                         .parameter = view->kind == WORLD_PARAMETER,
                         .held = ddp_var(sim->ddp, var).kind == DDP_HELD,
                         .state = sim->info[var].state != 0,
                         .is_public = view->is_public,
                         .top = view->owner == world_top(sim->world),
                         .birth = sim->info[var].birth,
                         .instance = view->owner,
                         .min = -INFINITY,
                         .max = INFINITY};
    if (view->member && view->member->has_least)
        info->min = view->member->least;
    if (view->member && view->member->has_most)
        info->max = view->member->most;
    if (view->member && view->member->unit)
        info->unit = intern_text(program_names(sim->program), view->member->unit_text);
}

static void look_at_owners(const Sim *sim, SolVarInfo *info)
{
    WorldInst inst;
    if (world_inst(sim->world, info->instance, &inst))
        info->drawn = drawn_as(sim, inst.def);
    for (InstId at = info->instance; at && world_inst(sim->world, at, &inst); at = inst.owner) {
        info->in_branch |= inst.is_branch && !inst.is_loop;
        info->monitored = info->monitored || structure_monitors(sim, inst.def);
    }
}

bool sim_var_info(const Sim *sim, DdpVar var, SolVarInfo *info)
{
    WorldVar view;
    if (!values_declared(sim, var, &view))
        return false;
    info_of(sim, var, &view, info);
    look_at_owners(sim, info);
    return true;
}

void sol_want(Sol *sol, SolVar var)
{
    Sim *sim = sol->sim;
    MemGuard guard;
    if (!var || var >= sim->n_values || !ddp_var_used(sim->ddp, var))
        return;
    mem_guard_push(sim->mem, &guard);
    if (setjmp(guard.env) != 0)
        return;
    output_plan_want(sim, var);
    mem_guard_pop(sim->mem, &guard);
}

static bool wanted_by_name(const Sim *sim, const WorldVar *view)
{
    return !sim->output.to.name ||
           sim->output.to.name(sim->output.to.context,
                               intern_text(program_names(sim->program), view->member->name));
}

/* The path of what has this name there. */
static void path_in(const Surroundings *place, const char *name, char path[PATH])
{
    size_t length = strlen(name), room = PATH - 1u - place->length;
    if (length > room)
        length = room;
    memcpy(path, place->text, place->length);
    memcpy(path + place->length, name, length);
    path[place->length + length] = '\0';
}

static void announce_birth(Sim *sim, Places *places, DdpVar var, const WorldVar *view)
{
    char path[PATH];
    SolVarInfo info;
    const Surroundings *place = surroundings(sim, places, view->owner);
    info_of(sim, var, view, &info);
    if (place) {
        info.drawn = place->drawn;
        info.in_branch = place->in_branch;
        info.monitored = place->monitored;
        char name[PATH];
        world_var_name(sim->world, var, name, sizeof name);
        path_in(place, name, path);
    } else {
        look_at_owners(sim, &info);
        world_var_path(sim->world, var, path, PATH);
    }
    if (!sim->output.to.birth || sim->output.to.birth(sim->output.to.context, &info, path))
        output_plan_want(sim, var);
}

void announce_births(Sim *sim)
{
    Places places;
    forget_places(&places);
    EventNews *news = event_news(sim);
    for (uint32_t i = 0; sim->output.to.death && i < news->deaths.n; i++)
        sim->output.to.death(sim->output.to.context, news->deaths.at[i]);
    vec_clear(&news->deaths);
    for (uint32_t i = 0; i < news->births.n; i++) {
        DdpVar var = news->births.at[i];
        WorldVar view;
        if (sim->info[var].announced || !values_declared(sim, var, &view) ||
            !wanted_by_name(sim, &view))
            continue;
        sim->info[var].announced = true;
        announce_birth(sim, &places, var, &view);
    }
    vec_clear(&news->births);
}

typedef struct Birth {
    uint64_t serial;
    DdpVar var;
} Birth;

static int by_serial(const void *a, const void *b)
{
    const Birth *x = a, *y = b;
    return (x->serial > y->serial) - (x->serial < y->serial);
}

void announce_all(Sim *sim)
{
    VEC(Birth) list = {0};
    for (DdpVar var = 1; var < ddp_var_limit(sim->ddp); var++)
        if (ddp_var_used(sim->ddp, var) && sim->info[var].birth)
            vec_push(sim->mem, &list, ((Birth){sim->info[var].birth, var}));
    if (list.n > 1)
        qsort(list.at, list.n, sizeof *list.at, by_serial);
    EventNews *news = event_news(sim);
    vec_clear(&news->births);
    for (uint32_t i = 0; i < list.n; i++)
        vec_push(sim->mem, &news->births, list.at[i].var);
    vec_free(sim->mem, &list);
}

/* ---- another simulation, as it was before ---- */

static bool is_told(const Sim *sim, DdpVar var)
{
    return var < sim->n_values && sim->info[var].announced;
}

static void return_vars(Sim *old, Sim *fresh)
{
    const SolOutput *to = &fresh->output.to;
    Map dying = {0};
    for (uint32_t i = 0; i < event_news(old)->deaths.n;
         i++) /* the output does not know of it yet */
        map_put(old->mem, &dying, event_news(old)->deaths.at[i], 1);
    uint32_t n = old->n_values > fresh->n_values ? old->n_values : fresh->n_values;
    for (DdpVar var = 1; var < n; var++) {
        bool here = is_told(fresh, var), dies = map_get(&dying, var) != 0;
        bool told = dies || is_told(old, var);
        if (here && told && (dies || old->info[var].birth == fresh->info[var].birth))
            continue;
        if (told && to->death)
            to->death(to->context, var);
        if (here) {
            fresh->info[var].announced = false;
            vec_push(fresh->mem, &event_news(fresh)->births, var);
        }
    }
    map_free(old->mem, &dying);
}

static void return_modes(Sim *old, Sim *fresh)
{
    const SolOutput *to = &fresh->output.to;
    for (uint32_t i = 0; i < event_news(old)->modes_gone.n && to->mode; i++)
        to->mode(to->context, fresh->time,
                 &(SolMode){.branch = event_news(old)->modes_gone.at[i], .choice = SOL_GONE});
    for (BranchId id = 1; id < old->branches.n || id < fresh->branches.n; id++) {
        uint64_t was = id < old->branches.n ? old->branches.at[id].serial : 0;
        BranchMemo *now = id < fresh->branches.n ? &fresh->branches.at[id] : NULL;
        uint8_t told = id < old->branches.n ? old->branches.at[id].told : WORLD_NONE;
        bool same = now && now->serial == was && now->told == told;
        if (same)
            continue;
        if (was && to->mode)
            to->mode(to->context, fresh->time, &(SolMode){.branch = was, .choice = SOL_GONE});
        if (now && now->serial) {
            now->serial = 0;
            now->told = WORLD_NONE;
            vec_push(fresh->mem, &event_news(fresh)->modes, id);
        }
    }
    fresh->output.mode_serial = old->output.mode_serial; /* numbers are given once */
}

void announce_return(Sim *old, Sim *fresh)
{
    MemGuard guard;
    if (!fresh->output.to.point)
        return;
    mem_guard_push(fresh->mem, &guard);
    if (setjmp(guard.env) != 0)
        return;
    return_vars(old, fresh);
    return_modes(old, fresh);
    mem_guard_pop(fresh->mem, &guard);
}

void announce_nothing(Sim *sim)
{
    if (event_news(sim)->births.n > 2 * ddp_var_limit(sim->ddp))
        announce_all(sim);
}

/* ---- modes ---- */

static void name_mode(Sim *sim, Places *places, const WorldBranch *view, char path[PATH],
                      char condition[PATH])
{
    const Surroundings *place = surroundings(sim, places, view->owner);
    if (place)
        path_in(place, "", path);
    else
        world_inst_path(sim->world, view->owner, path, PATH);
    if (place && place->length)
        path[place->length - 1] = '\0'; /* the last dot */
    explain_condition_text(sim, view, condition, PATH);
}

static void tell_mode(Sim *sim, Places *places, BranchId id)
{
    BranchMemo *memo = &sim->branches.at[id];
    WorldBranch view;
    char path[PATH], condition[PATH];
    memo->noted = false;
    if (!memo->live || !world_branch(sim->world, id, &view) || view.when)
        return;
    if (view.choice == WORLD_NONE || view.choice == memo->told)
        return;
    if (!memo->serial)
        memo->serial = ++sim->output.mode_serial;
    memo->told = (uint8_t)view.choice;
    SolMode mode = {.branch = memo->serial,
                    .choice = view.choice == WORLD_THEN ? SOL_THEN : SOL_ELSE};
    BranchTexts *texts = explain_texts(sim, id, &view);
    if (!texts || !texts->mode_path) {
        name_mode(sim, places, &view, path, condition);
        mode.path = path;
        mode.condition = condition;
    }
    if (texts && !texts->mode_path) {
        texts->mode_path = explain_own(sim, path);
        texts->mode_condition = explain_own(sim, condition);
    }
    if (texts) {
        mode.path = texts->mode_path;
        mode.condition = texts->mode_condition;
    }
    const Intern *names = program_names(sim->program);
    mode.else_name = view.names[0] ? intern_text(names, view.names[0]) : "";
    mode.then_name = view.names[1] ? intern_text(names, view.names[1]) : "";
    sim->output.to.mode(sim->output.to.context, sim->time, &mode);
}

void announce_modes(Sim *sim)
{
    Places places;
    forget_places(&places);
    EventNews *news = event_news(sim);
    for (uint32_t i = 0; sim->output.to.mode && i < news->modes_gone.n; i++)
        sim->output.to.mode(sim->output.to.context, sim->time,
                            &(SolMode){.branch = news->modes_gone.at[i], .choice = SOL_GONE});
    vec_clear(&news->modes_gone);
    for (uint32_t i = 0; sim->output.to.mode && i < news->modes.n; i++)
        tell_mode(sim, &places, news->modes.at[i]);
    vec_clear(&news->modes);
}
