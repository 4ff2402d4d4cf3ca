/* the DDP after a commit, the oracle's view of the same system -> agreement, or what differs.
 *
 * Compared: verdict, both parts of the diagnosis with their numbers, number of states, order of the
 * schedule, and values: the states that the DDP chose get random values, the oracle solves the
 * whole differentiated system with these given, the schedule is run with them, and everything that
 * both know must agree to 1e-9. The oracle's solution (slightly disturbed) is the first guess of
 * the schedule's loops: where a nonlinear system has several solutions, both are to look at the
 * same one. If they do not, the schedule's values count if all relations hold with them. Points of
 * a condition number above 1e6 are drawn again, and counted when several draws do not help. A
 * division by zero in a step, or by a difference of nearly equal numbers where values are wrong
 * or a loop does not converge, is answered as the run time would: with advice against that pivot
 * and a commit. Then all must be right.
 */
#include "tests/support/rel_lab.h"
#include "tests/support/schedule_eval.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 5, PIECES_OF_ADVICE = 20 };

static LabResult differ(Lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));

static LabResult differ(Lab *lab, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(lab->message, sizeof lab->message, format, args);
    va_end(args);
    return LAB_FAILED;
}

/* In -1.5 .. -0.5 and 0.5 .. 1.5 (splitmix64). */
static double draw(Lab *lab)
{
    uint64_t z = lab->seed += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    double x = (double)(z >> 11) / 9007199254740992.0;
    return z & 1 ? 0.5 + x : -0.5 - x;
}

OracleSystem lab_system(Lab *lab, Arena *arena)
{
    uint32_t vars = 1, rels = 1;

    for (uint32_t i = 0; i < lab->vars.n; i++)
        if (lab->vars.at[i].live && lab->vars.at[i].var >= vars)
            vars = lab->vars.at[i].var + 1;
    for (uint32_t i = 0; i < lab->rels.n; i++)
        if (lab->rels.at[i].live && lab->rels.at[i].rel >= rels)
            rels = lab->rels.at[i].rel + 1;
    OracleVar *var = arena_alloc(arena, vars * sizeof *var);
    OracleRel *rel = arena_alloc(arena, rels * sizeof *rel);
    for (uint32_t i = 0; i < lab->vars.n; i++)
        if (lab->vars.at[i].live)
            var[lab->vars.at[i].var] = (OracleVar){true, lab->vars.at[i].kind};
    for (uint32_t i = 0; i < lab->rels.n; i++) {
        const LabRel *r = &lab->rels.at[i];
        if (r->live)
            rel[r->rel] = (OracleRel){true, r->kind, r->form, r->n, r->vars, r->logic};
    }
    return (OracleSystem){lab->forms, vars, rels, var, rel};
}

/* ---- structure ---- */

static const char *verdict_name(DdpVerdict verdict)
{
    static const char *const name[] = {"determined", "underdetermined", "overdetermined",
                                       "falsely causal"};
    return name[verdict];
}

static void append(char *text, size_t size, const char *what)
{
    size_t n = strlen(text);
    snprintf(text + n, size - n, "%s ", what);
}

/* Names of the members, for messages. */
static void part_text(Lab *lab, DdpPart part, char *text, size_t size)
{
    snprintf(text, size, "{");
    for (uint32_t i = 0; i < part.n_rels; i++) {
        LabRel *rel = lab_rel_of(lab, part.rels[i]);
        append(text, size, rel ? intern_text(&lab->names, rel->name) : "?");
    }
    append(text, size, "|");
    for (uint32_t i = 0; i < part.n_vars; i++) {
        LabVar *var = lab_var_of(lab, part.vars[i]);
        append(text, size, var ? intern_text(&lab->names, var->name) : "?");
    }
    append(text, size, "}");
}

static bool same_list(const uint32_t *a, const uint32_t *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

static bool same_part(DdpPart a, DdpPart b)
{
    return a.n_rels == b.n_rels && a.n_vars == b.n_vars && same_list(a.rels, b.rels, a.n_rels) &&
           same_list(a.vars, b.vars, a.n_vars);
}

static LabResult check_part(Lab *lab, const char *name, DdpPart got, DdpPart want)
{
    char a[700], b[700];

    if (same_part(got, want))
        return LAB_DONE;
    part_text(lab, got, a, sizeof a);
    part_text(lab, want, b, sizeof b);
    return differ(lab, "%s part: DDP %s, oracle %s", name, a, b);
}

/* The oracle looks at many choices of states, but not at any number of them. A schedule in which
 * every condition is known in time (which is checked) proves that there is a good one. */
static bool better_choice(const Lab *lab, const Oracle *oracle)
{
    return oracle_undecided(oracle) && lab->last.verdict == DDP_DETERMINED;
}

static bool verdict_fits(const Lab *lab, const Oracle *oracle)
{
    DdpVerdict got = lab->last.verdict, want = oracle_verdict(oracle);

    if (better_choice(lab, oracle))
        return true;
    if (want != DDP_UNDERDETERMINED)
        return got == want;
    if (got == DDP_FALSE_CAUSALITY)
        return true; /* in a part that is determined; the oracle does not look there */
    return got == (lab->last_kind == DDP_FINAL ? DDP_UNDERDETERMINED : DDP_DETERMINED);
}

static LabResult check_structure(Lab *lab, const Oracle *oracle)
{
    DdpVerdict want = oracle_verdict(oracle);
    DdpPart over = oracle_over(oracle), under = oracle_under(oracle);
    DdpDiagnosis got = ddp_diagnose(lab->ddp);
    LabResult result;

    if (!verdict_fits(lab, oracle))
        return differ(lab, "verdict: DDP says %s (%u states), oracle says %s (%u states)",
                      verdict_name(lab->last.verdict), lab->last.states, verdict_name(want),
                      oracle_states(oracle));
    if ((result = check_part(lab, "overdetermined", got.over, over)) != LAB_DONE ||
        (result = check_part(lab, "underdetermined", got.under, under)) != LAB_DONE)
        return result;
    if (lab->last.free_rels != over.n_rels - over.n_vars ||
        lab->last.free_vars != under.n_vars - under.n_rels)
        return differ(lab, "left over: DDP says %u relations %u variables, oracle %u and %u",
                      lab->last.free_rels, lab->last.free_vars, over.n_rels - over.n_vars,
                      under.n_vars - under.n_rels);
    if (want == DDP_DETERMINED && (lab->last.states != oracle_states(oracle) ||
                                   ddp_state_count(lab->ddp) != oracle_states(oracle)))
        return differ(lab, "number of states: DDP says %u (lists %u), oracle says %u",
                      lab->last.states, ddp_state_count(lab->ddp), oracle_states(oracle));
    return LAB_DONE;
}

static bool contains(const uint32_t *list, uint32_t n, uint32_t what)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == what)
            return true;
    return false;
}

/* The DDP names one cycle; it must lie in what the oracle finds. */
static LabResult check_false(Lab *lab, const Oracle *oracle)
{
    DdpPart got = ddp_diagnose(lab->ddp).false_causal, want = oracle_false(oracle);
    char a[700], b[700];

    if (want.n_rels == 0)
        return LAB_DONE; /* a transmission of its own derivative: no component to compare with */
    part_text(lab, got, a, sizeof a);
    part_text(lab, want, b, sizeof b);
    if (got.n_rels == 0)
        return differ(lab, "false causality: DDP names no relation, oracle %s", b);
    if (oracle_states(oracle) > 0)
        return LAB_DONE; /* with other states it may be another cycle */
    for (uint32_t i = 0; i < got.n_rels; i++)
        if (!contains(want.rels, want.n_rels, got.rels[i]))
            return differ(lab, "false causality: DDP %s not in oracle's %s", a, b);
    return LAB_DONE;
}

static LabResult check_complete(Lab *lab)
{
    for (uint32_t i = 0; i < lab->vars.n; i++) {
        const LabVar *var = &lab->vars.at[i];
        if (!var->live || var->kind != DDP_UNKNOWN || ddp_is_state(lab->ddp, var->var))
            continue;
        DdpNode node = ddp_node_of(lab->ddp, var->var);
        if (!node || !ddp_node(lab->ddp, node).determined)
            return differ(lab, "%s is neither a state nor determined by a node",
                          intern_text(&lab->names, var->name));
    }
    return LAB_DONE;
}

/* ---- values ---- */

typedef struct Point {
    uint32_t limit;     /* of the DDP's variables */
    double *value;      /* [var]: for the oracle */
    double *engine;     /* [var]: for the schedule */
    OracleValue *given; /* states */
    uint32_t n_given;
    OracleSolved why; /* what became of the last draw */
} Point;

static void draw_point(Lab *lab, Point *p)
{
    for (uint32_t i = 0; i < lab->vars.n; i++) {
        const LabVar *var = &lab->vars.at[i];
        if (var->live)
            p->value[var->var] =
                var->kind == DDP_UNKNOWN || var->kind == DDP_TIME ? draw(lab) : var->value;
    }
    for (uint32_t i = 0; i < p->n_given; i++) {
        DdpState state = ddp_state(lab->ddp, i);
        DdpVarView view = ddp_var(lab->ddp, state.var);
        p->given[i] = (OracleValue){view.origin, view.order, draw(lab)};
    }
}

static bool oracle_knows(const OracleSystem *system, const Oracle *oracle, DdpVarView view)
{
    return view.origin && view.origin < system->var_limit &&
           (view.kind == DDP_UNKNOWN || view.kind == DDP_HELD) &&
           view.order <= oracle_var_order(oracle, view.origin);
}

static void first_guess(Lab *lab, Point *p, const OracleSystem *system, const Oracle *oracle,
                        double disturb)
{
    for (DdpVar v = 1; v < p->limit; v++) {
        DdpVarView view = ddp_var(lab->ddp, v);
        if (!view.origin)
            continue;
        p->engine[v] = view.order == 0 && v < system->var_limit ? p->value[v] : 0;
        bool column = view.kind == DDP_UNKNOWN || ddp_node_of(lab->ddp, v);
        if (column && oracle_knows(system, oracle, view))
            p->engine[v] = oracle_value(oracle, view.origin, view.order) + disturb * draw(lab);
    }
    for (uint32_t i = 0; i < p->n_given; i++)
        p->engine[ddp_state(lab->ddp, i).var] = p->given[i].value;
}

/* Does the schedule compute v, and the oracle know it? */
static bool both_know(const Lab *lab, DdpVar v, const OracleSystem *system, const Oracle *oracle)
{
    DdpVarView view = ddp_var(lab->ddp, v);

    return view.origin && ddp_node_of(lab->ddp, v) && oracle_knows(system, oracle, view);
}

static LabResult compare_values(Lab *lab, const Point *p, const OracleSystem *system,
                                const Oracle *oracle)
{
    for (DdpVar v = 1; v < p->limit; v++) {
        if (!both_know(lab, v, system, oracle))
            continue;
        DdpVarView view = ddp_var(lab->ddp, v);
        double want = oracle_value(oracle, view.origin, view.order);
        if (fabs(p->engine[v] - want) <= 1e-9 * (1 + fabs(want)))
            continue;
        return differ(lab, "value of derivative %u of %s: schedule %.15g, oracle %.15g", view.order,
                      intern_text(&lab->names, lab_var_of(lab, view.origin)->name), p->engine[v],
                      want);
    }
    return LAB_DONE;
}

/* A nonlinear system may have several solutions, and both sides may have found different ones. The
 * schedule's is one if all relations and their derivatives hold there: then Newton's method over
 * the oracle's whole system, begun there with the same states, stays there. */
static bool another_solution(Lab *lab, const Point *p, const OracleSystem *system, Oracle *oracle)
{
    OracleValue *guess = mem_alloc(lab->mem, (p->limit + 1) * sizeof *guess);
    uint32_t n = 0;

    for (DdpVar v = 1; v < p->limit; v++) {
        if (!both_know(lab, v, system, oracle))
            continue;
        DdpVarView view = ddp_var(lab->ddp, v);
        guess[n++] = (OracleValue){view.origin, view.order, p->engine[v]};
    }
    bool is =
        oracle_solve_near(oracle, p->value, p->n_given, p->given, n, guess) == ORACLE_SOLVED &&
        compare_values(lab, p, system, oracle) == LAB_DONE;
    mem_free(lab->mem, guess);
    lab->counts.others += is;
    return is;
}

static LabResult check_solution(Lab *lab, const Point *p, const OracleSystem *system,
                                Oracle *oracle)
{
    char message[sizeof lab->message];

    if (compare_values(lab, p, system, oracle) == LAB_DONE)
        return LAB_DONE;
    memcpy(message, lab->message, sizeof message);
    if (another_solution(lab, p, system, oracle))
        return LAB_DONE;
    memcpy(lab->message, message, sizeof message);
    return LAB_FAILED;
}

/* At the oracle's solution, slightly disturbed. Begun exactly there each loop has nothing left to do: if
 * one does not converge even so, another solution of a loop before it is no excuse. */
static EvalResult run_schedule(Lab *lab, Point *p, const OracleSystem *system, const Oracle *oracle,
                               EvalFault *fault)
{
    first_guess(lab, p, system, oracle, 1e-4);
    EvalResult eval = schedule_eval(lab->mem, lab->ddp, lab->forms, p->engine, fault);
    if (eval != EVAL_ASTRAY)
        return eval;
    first_guess(lab, p, system, oracle, 0);
    return schedule_eval(lab->mem, lab->ddp, lab->forms, p->engine, fault);
}

static LabResult check_point(Lab *lab, Point *p, const OracleSystem *system, Oracle *oracle,
                             bool *useful, EvalFault *fault)
{
    draw_point(lab, p);
    OracleSolved solved = oracle_solve(oracle, p->value, p->n_given, p->given);
    if (solved == ORACLE_NO_FIT)
        return differ(lab, "the states chosen leave a singular system");
    p->why = solved;
    if (solved != ORACLE_SOLVED || !(oracle_condition(oracle) < 1e6))
        return LAB_DONE;
    EvalResult eval = run_schedule(lab, p, system, oracle, fault);
    LabResult result = eval == EVAL_DONE ? check_solution(lab, p, system, oracle)
                                         : differ(lab, "schedule: %s", fault->message);
    *useful = result == LAB_DONE;
    if (result == LAB_FAILED && eval != EVAL_DISORDER && !fault->rel)
        schedule_weak_step(lab->mem, lab->ddp, lab->forms, p->engine, fault);
    return result;
}

static LabResult try_points(Lab *lab, const OracleSystem *system, Oracle *oracle, Arena *arena,
                            bool *useful, EvalFault *fault)
{
    Point p = {.limit = ddp_var_limit(lab->ddp), .n_given = ddp_state_count(lab->ddp)};
    uint32_t limit = p.limit > system->var_limit ? p.limit : system->var_limit;
    LabResult result = LAB_DONE;

    p.value = arena_alloc(arena, (limit + 1) * sizeof *p.value);
    p.engine = arena_alloc(arena, (limit + 1) * sizeof *p.engine);
    p.given = arena_alloc(arena, (p.n_given + 1) * sizeof *p.given);
    for (int i = 0; i < POINTS && !*useful && result == LAB_DONE; i++) {
        result = check_point(lab, &p, system, oracle, useful, fault);
        lab->counts.redrawn += i > 0;
    }
    lab->counts.solved += *useful;
    if (!*useful && result == LAB_DONE) {
        lab->counts.ill += p.why == ORACLE_SOLVED;
        lab->counts.singular += p.why == ORACLE_SINGULAR;
        lab->counts.astray += p.why == ORACLE_ASTRAY;
    }
    return result;
}

static LabResult check_values(Lab *lab, const OracleSystem *system, Oracle *oracle, Arena *arena)
{
    bool useful = false;
    EvalFault fault = {{0}, 0, 0};
    LabResult result = try_points(lab, system, oracle, arena, &useful, &fault);

    for (int i = 0; i < PIECES_OF_ADVICE && result == LAB_FAILED && fault.rel; i++) {
        ddp_advise_against(lab->ddp, fault.rel, fault.var);
        fault.rel = 0; /* a failure of the deltas is none of the numerics */
        result = lab_commit(lab, lab->last_kind);
        lab->counts.advised++;
        if (result == LAB_DONE)
            result = check_structure(lab, oracle);
        if (result == LAB_DONE)
            result = try_points(lab, system, oracle, arena, &useful, &fault);
    }
    return result;
}

static LabResult check_with(Lab *lab, const OracleSystem *system, Oracle *oracle, Arena *arena)
{
    EvalFault fault;
    LabResult result = check_structure(lab, oracle);
    DdpVerdict verdict = better_choice(lab, oracle) ? DDP_DETERMINED : oracle_verdict(oracle);

    lab->counts.over += verdict == DDP_OVERDETERMINED;
    lab->counts.under += verdict == DDP_UNDERDETERMINED;
    lab->counts.false_causal += verdict == DDP_FALSE_CAUSALITY;
    if (result != LAB_DONE)
        return result;
    if (lab->last.verdict == DDP_FALSE_CAUSALITY)
        return verdict == DDP_FALSE_CAUSALITY ? check_false(lab, oracle) : LAB_DONE;
    if (ddp_diagnose(lab->ddp).false_causal.n_rels > 0)
        return LAB_DONE; /* besides being overdetermined: there is no order to check */
    if (schedule_check(lab->mem, lab->ddp, lab->forms, &fault) != EVAL_DONE)
        return differ(lab, "schedule: %s", fault.message);
    if (verdict != DDP_DETERMINED)
        return LAB_DONE;
    lab->counts.states += lab->last.states > 0;
    lab->counts.loops += lab->last.loops > 0;
    lab->counts.differentiated += oracle_index(oracle) > 0;
    result = check_complete(lab);
    return result == LAB_DONE ? check_values(lab, system, oracle, arena) : result;
}

LabResult lab_check(Lab *lab)
{
    Arena arena;

    arena_init(&arena, lab->mem);
    OracleSystem system = lab_system(lab, &arena);
    Oracle *oracle = oracle_open(lab->mem, &system);
    LabResult result = check_with(lab, &system, oracle, &arena);
    oracle_close(oracle);
    arena_free(&arena);
    return result;
}

double *lab_values(Lab *lab, Arena *arena)
{
    uint32_t limit = ddp_var_limit(lab->ddp) + 1;
    double *value = arena_alloc(arena, limit * sizeof *value);

    for (uint32_t i = 0; i < lab->vars.n; i++)
        if (lab->vars.at[i].live)
            value[lab->vars.at[i].var] = lab->vars.at[i].value;
    EvalFault fault;
    if (schedule_eval(lab->mem, lab->ddp, lab->forms, value, &fault) == EVAL_DONE)
        return value;
    differ(lab, "%s", fault.message);
    return NULL;
}
