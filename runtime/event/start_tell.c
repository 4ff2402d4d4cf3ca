/* start_tell.c: what became of start values and initial conditions -> messages in the modeller's words. */
#include "runtime/eval/trace.h"
#include "runtime/event/start_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NAMED = 8 };

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

/* ---- states that nothing holds ---- */

static bool is_chosen_column(const Starts *s, uint32_t column)
{
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

/* In models that have initial conditions, a note names those that are missing; it is counted and traced everywhere. */
void start_note_free(const Starts *s)
{
    Sim *sim = s->sim;
    char text[400] = "";
    size_t used = 0;
    uint32_t n = 0;
    for (uint32_t c = 0; c < s->n_columns - s->n_params; c++) {
        DdpVar var = s->column[c];
        if (is_chosen_column(s, c) || has_start(sim, var) || (s->anew && was_given(sim, var)))
            continue;
        trace_line(sim, 'i', sim->time, "nothing says where %s begins: it starts at %.10g",
                   explain_var(sim, var), sim->value[var]);
        if (n++ < MOST_NAMED && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s = %.6g",
                                     n > 1 ? ", " : "", explain_var(sim, var), sim->value[var]);
    }
    sim->counts.starts_unsaid += n;
    if (n && start_is_conditioned(s) && !parts_running(sim))
        diag_note(sim->diags, 0, "%u state%s begin%s where no condition and no start says so: %s%s",
                  n, n > 1 ? "s" : "", n > 1 ? "" : "s", text, n > MOST_NAMED ? ", ..." : "");
}

/* ---- refusals ---- */

static void name_columns(const Starts *s, const bool *row, char *text, size_t size)
{
    size_t used = 0;
    uint32_t n = 0;
    for (uint32_t c = 0; c < s->n_columns && used < size; c++) {
        bool in = false;
        for (uint32_t r = 0; r < s->n_conditions && !in; r++)
            in = row[r] && s->matrix[(size_t)r * s->n_columns + c] != 0;
        if (in && ++n <= MOST_NAMED)
            used += (size_t)snprintf(text + used, size - used, "%s%s", n > 1 ? ", " : "",
                                     explain_var(s->sim, s->column[c]));
    }
    if (n > MOST_NAMED && used < size)
        snprintf(text + used, size - used, ", ...");
}

/* The conditions that hang together with the one that is too many: dropping any of them is enough. */
static void note_set(Starts *s, uint32_t worst)
{
    Sim *sim = s->sim;
    char text[400] = "nothing that is open";
    Arena arena;
    arena_init(&arena, sim->mem);
    bool *in = arena_alloc(&arena, s->n_conditions);
    double *weight = arena_alloc(&arena, (s->n + 1) * sizeof *weight);
    uint32_t n = 1;
    combination(s, worst, weight);
    in[worst] = true;
    for (uint32_t k = 0; k < s->n; k++)
        if (fabs(weight[k]) > 1e-9 && s->chosen_row[k] < s->n_conditions) {
            in[s->chosen_row[k]] = true;
            n++;
        }
    name_columns(s, in, text, sizeof text);
    diag_note(sim->diags, 0,
              n == 1 ? "nothing that may still be chosen moves it (%u condition on %s)"
                     : "%u conditions on %s: one of them may be dropped",
              n, text);
    for (uint32_t r = 0, told = 0; r < s->n_conditions && told < MOST_NAMED; r++)
        if (in[r] && r != worst) {
            diag_note(sim->diags, world_rel_place(sim->world, s->row[r].rel),
                      "another condition: %s", explain_rel(sim, s->row[r].rel));
            told++;
        }
    arena_free(&arena);
}

/* Does the condition follow from others, not only at this point (where x*x is smallest it says nothing), but near by too? */
static bool is_too_many(Starts *s, uint32_t r)
{
    if (start_is_chosen(s, r))
        return false;
    for (uint32_t c = 0; c < s->n_columns; c++) {
        double value = s->sim->value[s->column[c]];
        start_set(s, c, value + 0.01 * (1 + fabs(value)) * (1 + 0.1 * c));
    }
    if (start_evaluate(s))
        start_choose(s);
    return !start_is_chosen(s, r);
}

SolStatus start_refuse(Starts *s, uint32_t worst)
{
    Sim *sim = s->sim;
    double off = start_off(s, worst);
    bool many = is_too_many(s, worst);
    diag_error(sim->diags, world_rel_place(sim->world, s->row[worst].rel),
               many ? "at time %.10g there are too many initial conditions: '%s' is off by %.3g "
                      "when the others hold"
                    : "at time %.10g the initial conditions cannot be met: '%s' is off by %.3g",
               sim->time, explain_rel(sim, s->row[worst].rel), off);
    if (many) {
        note_set(s, worst);
        return SOL_MODEL;
    }
    diag_note(
        sim->diags, 0,
        "tried: Newton's method, least squares and a homotopy, from the start values and from "
        "points around them; start values nearer to the solution may help");
    for (uint32_t r = 0, told = 0; r < s->n_conditions && told < MOST_NAMED; r++)
        if (r != worst) {
            diag_note(sim->diags, world_rel_place(sim->world, s->row[r].rel),
                      "another condition: %s", explain_rel(sim, s->row[r].rel));
            told++;
        }
    return SOL_NUMERICS;
}

SolStatus start_refuse_param(const Starts *s, uint32_t column)
{
    Sim *sim = s->sim;
    WorldVar view = {0};
    world_var(sim->world, s->column[column], &view);
    diag_error(sim->diags, view.at,
               "at time %.10g no initial condition determines parameter %s: it is to be computed "
               "(fixed << false)",
               sim->time, explain_var(sim, s->column[column]));
    diag_note(sim->diags, 0,
              s->n_conditions ? "an equation under 'if initial()' that depends on it is wanted, or "
                                "one less for the others (there are %u)"
                              : "an equation under 'if initial()' that depends on it is wanted",
              s->n_conditions);
    return SOL_MODEL;
}
