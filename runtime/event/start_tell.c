/* start_tell.c: what became of start values and initial conditions -> messages in the modeller's words. */
#include "base/map.h"
#include "runtime/eval/trace.h"
#include "runtime/event/start_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NAMED = 12, MOST_CONDITIONS = 20 };

/* weight[k]: how much of chosen row k there is in row r, which follows from them. */
static void combination(const Starts *s, uint32_t r, double *weight)
{
    uint32_t m = s->n_columns;
    memcpy(weight, s->factor + (size_t)r * m, s->n * sizeof *weight);
    for (uint32_t k = s->n; k-- > 0;)
        for (uint32_t j = 0; j < k; j++)
            weight[j] -= weight[k] * s->factor[(size_t)s->chosen_row[k] * m + j];
}

/* Do conditions alone say where it begins? Then its start value is a first guess by the rules of the language, and nothing is lost. */
bool start_is_conditions(const Starts *s, uint32_t r)
{
    if (!s->n_conditions || start_is_chosen(s, r))
        return false;
    Arena arena;
    arena_init(&arena, s->sim->mem);
    double *weight = arena_alloc(&arena, (s->n + 1) * sizeof *weight);
    bool conditions = false, starts = false;
    combination(s, r, weight);
    for (uint32_t k = 0; k < s->n; k++)
        if (fabs(weight[k]) > 1e-9)
            *(s->chosen_row[k] < s->n_conditions ? &conditions : &starts) = true;
    arena_free(&arena);
    return conditions && !starts;
}

void start_warn_left_over(Sim *sim, const StartMemo *start)
{
    double value = sim->value[start->var], meant = sim->value[start->start];
    if (fabs(value - meant) > 1e-6 * (1 + fabs(meant)))
        diag_warning(sim->diags, start->at,
                     "%s starts at %.10g: its start value %.10g was only a first guess",
                     explain_var(sim, start->var), value, meant);
}

/* ---- start values that hang on their states ---- */

static bool is_late(const Sim *sim, DdpVar state)
{
    for (uint32_t i = 0; i < sim->start.starts.n; i++)
        if (sim->start.starts.at[i].var == state && sim->start.starts.at[i].late)
            return true;
    return false;
}

/* The state, among those whose start values were not known in time, that the variable is computed from; 0: none. `through`: what is read
 * first on the way there. */
static DdpVar waits_for(const Sim *sim, DdpVar start, DdpVar *through)
{
    Map seen = {0}; /* node -> 1 */
    VEC(DdpVar) vars = {0};
    VEC(DdpVar) firsts = {0}; /* [of vars]: what of the start value leads there */
    DdpVar found = 0;
    vec_push(sim->mem, &vars, start);
    vec_push(sim->mem, &firsts, 0);
    for (uint32_t i = 0; i < vars.n && !found; i++) {
        DdpVar var = vars.at[i];
        DdpNode n = sim->info[var].node;
        *through = firsts.at[i];
        if (is_late(sim, var))
            found = var;
        if (found || sim->info[var].state || !n || map_get(&seen, n))
            continue;
        map_put(sim->mem, &seen, n, 1);
        for (uint32_t k = 0; k < sim->nodes.at[n].n_reads; k++) {
            DdpVar read = sim->nodes.at[n].reads[k].var;
            vec_push(sim->mem, &vars, read);
            vec_push(sim->mem, &firsts, i ? *through : read);
        }
    }
    map_free(sim->mem, &seen);
    vec_free(sim->mem, &vars);
    vec_free(sim->mem, &firsts);
    return found;
}

static void warn_late(Sim *sim, const StartMemo *start)
{
    DdpVar through = 0, on = waits_for(sim, start->start, &through);
    char name[200], from[200], way[250] = "";
    if (!on)
        return;
    snprintf(name, sizeof name, "%s", explain_var(sim, start->var));
    snprintf(from, sizeof from, "%s%s", explain_var(sim, on),
             on == start->var ? " itself" : ", whose start value waits too");
    if (through && through != on) {
        bool was_there = sim->info[through].birth <= sim->update.births_before;
        snprintf(way, sizeof way, ", by way of %s%s", explain_var(sim, through),
                 was_there ? ", whose value before is 'pre(..)'" : "");
    }
    diag_warning(sim->diags, start->at,
                 "at time %.10g the start value of %s needs %s%s: %s starts at %.10g", sim->time,
                 name, from, way, name, sim->value[start->var]);
}

static void warn_if_late(Sim *sim, DdpVar state)
{
    for (uint32_t i = 0; i < sim->start.starts.n; i++)
        if (sim->start.starts.at[i].var == state && sim->start.starts.at[i].late)
            warn_late(sim, &sim->start.starts.at[i]);
}

/* ---- states that nothing holds ---- */

static bool is_chosen_column(const Starts *s, uint32_t column)
{
    if (s->n == s->n_columns)
        return true;
    for (uint32_t k = 0; k < s->n; k++)
        if (s->chosen_column[k] == column)
            return true;
    return false;
}

/* Has the variable a start that is meant as a value? */
static bool has_start(const Sim *sim, DdpVar var)
{
    WorldVar view = {0};
    if (!world_var(sim->world, var, &view) || !view.member)
        return false;
    return view.member->start && view.member->fixed != FIXED_FALSE;
}

static bool was_given(const Sim *sim, DdpVar var)
{
    for (uint32_t i = 0; i < sim->start.starts.n; i++)
        if (sim->start.starts.at[i].var == var && sim->start.starts.at[i].given)
            return true;
    return false;
}

/* It begins somewhere without a row of its own. */
static bool is_held(const Starts *s, uint32_t column)
{
    DdpVar var = s->column[column];
    return has_start(s->sim, var) || (s->anew && was_given(s->sim, var));
}

/* A list of names, or of names with values, as far as there is room. */
typedef struct Names {
    char text[400];
    size_t used;
    uint32_t n;
} Names;

static void add_name(Names *to, const Starts *s, uint32_t column, bool value)
{
    DdpVar var = s->column[column];
    char equals[40] = "";
    if (value)
        snprintf(equals, sizeof equals, " = %.6g", s->sim->value[var]);
    if (++to->n > MOST_NAMED + 1 || to->used >= sizeof to->text)
        return;
    to->used += (size_t)snprintf(
        to->text + to->used, sizeof to->text - to->used, "%s%s%s", to->n > 1 ? ", " : "",
        to->n > MOST_NAMED ? "..." : explain_var(s->sim, var), to->n > MOST_NAMED ? "" : equals);
}

static const char *s_of(uint32_t n)
{
    return n > 1 ? "s" : "";
}

static void names_of_set(const Starts *s, const StartSets *sets, uint32_t set, Names *to)
{
    for (uint32_t c = 0; c < s->n_columns; c++)
        if (sets->of[c] == set)
            add_name(to, s, c, false);
}

static StartSets open_sets(const Starts *s, Arena *arena)
{
    bool *held = arena_alloc(arena, s->n_columns + 1);
    for (uint32_t c = 0; c < s->n_columns - s->n_params; c++)
        held[c] = is_held(s, c);
    return start_sets_open(s, held, arena);
}

/* Columns that conditions bind to each other, but not enough of them: which of them are open is a choice. `open` NULL: it is refused. */
static void note_open_set(const Starts *s, const StartSets *sets, uint32_t set, const bool *open)
{
    Names all = {0}, taken = {0};
    uint32_t more = sets->excess[set];
    names_of_set(s, sets, set, &all);
    for (uint32_t c = 0; c < s->n_columns && open; c++)
        if (sets->of[c] == set && open[c])
            add_name(&taken, s, c, true);
    if (taken.n || !open)
        diag_note(s->sim->diags, 0, "%u more condition%s or start value%s %s wanted for %s%s%s%s",
                  more, s_of(more), s_of(more), more > 1 ? "are" : "is", all.text,
                  taken.n ? ": " : "", taken.text,
                  taken.n ? taken.n > 1 ? " are taken" : " is taken" : "");
}

static uint32_t size_of_set(const StartSets *sets, uint32_t set, uint32_t n)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < n; i++)
        size += sets->of[i] == set;
    return size;
}

static void note_open(const Starts *s, const bool *open)
{
    Arena arena;
    arena_init(&arena, s->sim->mem);
    StartSets sets = open_sets(s, &arena);
    Names alone = {0};
    for (uint32_t c = 0; c < s->n_columns; c++)
        if (open[c] && (!sets.of[c] || size_of_set(&sets, sets.of[c], s->n_columns) == 1))
            add_name(&alone, s, c, true);
    if (alone.n)
        diag_note(s->sim->diags, 0,
                  "%u state%s begin%s where no condition and no start says so: %s", alone.n,
                  s_of(alone.n), alone.n > 1 ? "" : "s", alone.text);
    for (uint32_t set = 1; set <= sets.n; set++)
        if (size_of_set(&sets, set, s->n_columns) > 1)
            note_open_set(s, &sets, set, open);
    arena_free(&arena);
}

/* In models that have initial conditions, notes name those that are missing; it is counted and traced everywhere. */
void start_note_free(const Starts *s)
{
    Sim *sim = s->sim;
    uint32_t n = 0;
    bool *open = mem_alloc(sim->mem, s->n_columns + 1);
    for (uint32_t c = 0; c < s->n_columns - s->n_params; c++) {
        open[c] = !is_chosen_column(s, c) && !is_held(s, c);
        if (!open[c])
            continue;
        n++;
        warn_if_late(sim, s->column[c]);
        trace_line(sim, 'i', sim->time, "nothing says where %s begins: it starts at %.10g",
                   explain_var(sim, s->column[c]), sim->value[s->column[c]]);
    }
    sim->counts.starts_unsaid += n;
    if (n && start_is_conditioned(s) && !parts_running(sim))
        note_open(s, open);
    mem_free(sim->mem, open);
}

/* ---- refusals ---- */

static void note_others(const Starts *s, const StartSets *sets, uint32_t set, uint32_t worst)
{
    for (uint32_t r = 0, told = 0; r < s->n_conditions && told < MOST_CONDITIONS; r++)
        if (r != worst && (!sets || sets->of[r] == set)) {
            diag_note(s->sim->diags, world_rel_place(s->sim->world, s->row[r].rel),
                      "another condition: %s", explain_rel(s->sim, s->row[r].rel));
            told++;
        }
}

/* ---- equations of the start that are no conditions ---- */

typedef struct Needed {
    const Starts *starts;
    Sim *sim;
    NodeList work;
    uint32_t told;
} Needed;

static void need_vars(Needed *w, DdpRel rel)
{
    Sim *sim = w->sim;
    DdpRelView view = ddp_rel(sim->ddp, rel);
    for (uint32_t i = 0; i < view.n; i++) {
        const ValueInfo *info = &sim->info[view.vars[i]];
        if (!view.vars[i] || info->state || !info->node ||
            sim->nodes.at[info->node].mark == sim->mark)
            continue;
        sim->nodes.at[info->node].mark = sim->mark;
        vec_push(sim->mem, &w->work, info->node);
    }
}

static bool is_condition(const Starts *s, DdpRel rel)
{
    for (uint32_t r = 0; r < s->n_conditions; r++)
        if (s->row[r].rel == rel)
            return true;
    return false;
}

static void note_equation(Needed *w, DdpRel rel)
{
    Sim *sim = w->sim;
    if (rel && world_rel_initial(sim->world, rel) && !is_condition(w->starts, rel) &&
        w->told++ < MOST_CONDITIONS)
        diag_note(sim->diags, world_rel_place(sim->world, rel),
                  "counts as an equation, because something is not determined without it: %s",
                  explain_rel(sim, rel));
}

/* What stands under 'if initial()' too, and what the conditions of the set are computed by. */
static void note_needed(const Starts *s, const StartSets *sets, uint32_t set)
{
    Needed w = {.starts = s, .sim = s->sim};
    s->sim->mark++;
    for (uint32_t r = 0; r < s->n_conditions; r++)
        if (sets->of[r] == set)
            need_vars(&w, s->row[r].rel);
    while (w.work.n) {
        const EvalNode *node = &s->sim->nodes.at[vec_pop(&w.work)];
        for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
            note_equation(&w, node->ops[i].rel);
            need_vars(&w, node->ops[i].rel);
        }
    }
    vec_free(s->sim->mem, &w.work);
}

/* Does one of the conditions of the set depend on the column? */
static bool is_moved_by(const Starts *s, const StartSets *sets, uint32_t set, uint32_t column)
{
    for (uint32_t r = 0; r < s->n_conditions; r++) {
        const double *row = s->matrix + (size_t)r * s->n_columns;
        double most = 0;
        for (uint32_t c = 0; c < s->n_columns; c++)
            most = fmax(most, fabs(row[c]));
        if (sets->of[r] == set && fabs(row[column]) > 1e-12 * most)
            return true;
    }
    return false;
}

/* Conditions that hang together, more than what they determine: as many as are too many may be dropped. */
static void refuse_set(const Starts *s, const StartSets *sets, uint32_t worst, double off)
{
    Sim *sim = s->sim;
    Names on = {0};
    uint32_t set = sets->of[worst], n = size_of_set(sets, set, s->n_conditions);
    diag_error(sim->diags, world_rel_place(sim->world, s->row[worst].rel),
               "at time %.10g there are too many initial conditions: '%s' is off by %.3g when the "
               "others hold",
               sim->time, explain_rel(sim, s->row[worst].rel), off);
    for (uint32_t c = 0; c < s->n_columns; c++)
        if (is_moved_by(s, sets, set, c))
            add_name(&on, s, c, false);
    if (n == 1)
        diag_note(sim->diags, 0, "no state and no parameter that may still be chosen moves it");
    else if (sets->excess[set] == 1)
        diag_note(sim->diags, 0, "%u conditions on %s: one of them may be dropped", n, on.text);
    else
        diag_note(sim->diags, 0, "%u conditions on %s: %u of them are too many", n, on.text,
                  sets->excess[set]);
    note_others(s, sets, set, worst);
    note_needed(s, sets, set);
}

typedef struct Violated {
    double off, size;
} Violated;

static bool refuse_sets(Starts *s, const StartSets *sets, const Violated *by)
{
    bool any = false;
    for (uint32_t set = 1; set <= sets->n; set++) {
        uint32_t worst = s->n_conditions;
        for (uint32_t r = 0; r < s->n_conditions; r++)
            if (sets->of[r] == set && by[r].size > START_MET &&
                (worst == s->n_conditions || by[r].size > by[worst].size))
                worst = r;
        if (worst == s->n_conditions)
            continue; /* they say the same */
        refuse_set(s, sets, worst, by[worst].off);
        any = true;
    }
    return any;
}

static void refuse_unmet(const Starts *s, uint32_t worst, double off)
{
    Sim *sim = s->sim;
    diag_error(sim->diags, world_rel_place(sim->world, s->row[worst].rel),
               "at time %.10g the initial conditions cannot be met: '%s' is off by %.3g", sim->time,
               explain_rel(sim, s->row[worst].rel), off);
    diag_note(
        sim->diags, 0,
        "tried: Newton's method, block by block and on all states, KINSOL, least squares and a "
        "homotopy, from the start values and "
        "from points around them; start values nearer to the solution may help");
    note_others(s, NULL, 0, worst);
}

/* As many conditions as can hold together do, where that can be: others show which sets are wrong. */
static void meet_chosen(Starts *s)
{
    enum { MOST_STEPS = 20 };
    for (int i = 0; i < MOST_STEPS && s->n && start_distance(s) > 1e-13; i++)
        if (!start_newton_step(s))
            return;
}

SolStatus start_refuse(Starts *s, uint32_t worst)
{
    Arena arena;
    arena_init(&arena, s->sim->mem);
    Violated *by = arena_alloc(&arena, s->n_conditions * sizeof *by);
    double off = start_off(s, worst);
    meet_chosen(s);
    for (uint32_t r = 0; r < s->n_conditions; r++)
        by[r] = (Violated){start_off(s, r), start_violation(s, r)};
    start_fill_anywhere(s, &arena);
    StartSets over = start_sets_over(s, &arena), open = open_sets(s, &arena);
    bool many = refuse_sets(s, &over, by);
    for (uint32_t set = 1; set <= open.n && many; set++)
        note_open_set(s, &open, set, NULL);
    if (!many)
        refuse_unmet(s, worst, off);
    arena_free(&arena);
    return many ? SOL_MODEL : SOL_NUMERICS;
}

SolStatus start_refuse_param(Starts *s, uint32_t column)
{
    Sim *sim = s->sim;
    WorldVar view = {0};
    Arena arena;
    arena_init(&arena, sim->mem);
    world_var(sim->world, s->column[column], &view);
    diag_error(sim->diags, view.at,
               "at time %.10g no initial condition determines parameter %s: it is to be computed "
               "(fixed << false)",
               sim->time, explain_var(sim, s->column[column]));
    start_fill_anywhere(s, &arena);
    StartSets sets = open_sets(s, &arena);
    Names together = {0};
    uint32_t set = sets.of[column], more = sets.excess[set];
    if (set)
        names_of_set(s, &sets, set, &together);
    if (together.n > 1)
        diag_note(sim->diags, 0, "%u more condition%s %s wanted for %s", more, s_of(more),
                  more > 1 ? "are" : "is", together.text);
    else
        diag_note(sim->diags, 0, "an equation under 'if initial()' that depends on it is wanted");
    arena_free(&arena);
    return SOL_MODEL;
}
