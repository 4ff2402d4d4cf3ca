/* redundant.c: equations that say nothing new by their numbers -> set aside; what that leaves open -> closed.
 *
 * Exact elimination (frontend/singular.c) knows equations with whole factors. Of the others, those of a mechanism above all,
 * the numbers are known at a point only. So they are looked at where they fail: in a loop whose derivatives are singular
 * when it is solved in an event, and in what is structurally overdetermined then. Some of the relations there add up to
 * nothing; relations that were differentiated stand for those they come from. That sum is judged over *all* variables that the
 * relations name and that can move, states too: if it vanishes over the unknowns of the loop only, the states
 * were chosen badly, or this is a dead point. And it must go on to vanish when the variables move (rank_system.h).
 *
 * What then says nothing new is set aside, as one of the relations with whole factors where there is a choice: the equation of
 * a joint. A constraint fewer is a state more, and a force that nothing determines: the DDP finds the system
 * underdetermined, and the columns that have no pivot there are open. One of them, the flow of the same joint where there is
 * a choice, is set to 0 in the place of the equation.
 *
 * Nothing is kept here: which relations are set aside, from which they follow, and that they come back when one of these
 * goes, is the DDP's (ddp/combine.c). A change that does not touch a loop does not look at it again.
 */
#include "runtime/eval/redundant.h"

#include "runtime/eval/rank_system.h"
#include "runtime/eval/trace.h"

#include <math.h>

enum { LARGEST = 600, MOST_OPEN = 4 * LARGEST };
static const double HOLDS = 1e-9, TAKES_PART = 1e-7, TURNED = 0.25, CANDIDATE = 1e-9;

/* ---- which relations add up to nothing ---- */

static bool can_move(const Sim *sim, DdpVar var)
{
    DdpVarView view = ddp_var(sim->ddp, var);
    return view.kind == DDP_TIME || view.kind == DDP_UNKNOWN;
}

static void add_variables(RankSystem *s, DdpRel rel)
{
    DdpRelView view = ddp_rel(s->sim->ddp, rel);
    const FormInfo *form = form_info(s->sim->forms, view.form);
    for (uint32_t k = 0; k < view.n; k++)
        if (view.vars[k] && form->position[k].occurs && can_move(s->sim, view.vars[k]))
            rank_system_add_var(s, view.vars[k]);
}

static bool is_equation(const DdpRelView *view)
{
    return view->kind == DDP_EQUATION || (view->kind == DDP_DERIVATIVE && view->vars[2]);
}

/* Of the first n relations one is to be set aside rather than of those that only say what these depend on. */
static void prefer_rows(const RankSystem *s, DenseRank *rank, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        rank->row_weight[i] = world_aside_weight(s->sim->world, s->rel.at[i]);
}

/* The relations that row k, which has become zero, is made of: each once, in the order of their numbers. */
static void take_part(const RankSystem *s, const DenseRank *rank, uint32_t k, RankSystem *out)
{
    double *times = mem_alloc(s->sim->mem, (rank->m + 1) * sizeof *times);
    dense_rank_rows(rank, k, times);
    for (uint32_t i = 0; i < rank->m; i++)
        if (fabs(times[i]) > TAKES_PART)
            rank_system_add_rel(out, s->rel.at[i]);
    mem_free(s->sim->mem, times);
}

/* One relation with all it follows from. */
static bool set_aside(const RankSystem *s, const DenseRank *rank, uint32_t k, bool again)
{
    RankSystem part = {.sim = s->sim};
    VEC(DdpRel) others = {0};
    DdpRel rel = s->rel.at[rank->row[k]];
    take_part(s, rank, k, &part);
    for (uint32_t i = 0; i < part.rel.n; i++)
        if (part.rel.at[i] != rel)
            vec_push(s->sim->mem, &others, part.rel.at[i]);
    trace_line(s->sim, 'e', s->sim->time, "  relation %u of %u says nothing new", rel, part.rel.n);
    bool fine = others.n > 0 && world_set_aside(s->sim->world, rel, others.n, others.at, again);
    vec_free(s->sim->mem, &others);
    rank_system_close(&part);
    return fine;
}

/* Two equations that somebody wrote twice are a mistake; components that hold the same are not, nor are modes. */
static bool is_of_components(const RankSystem *s)
{
    char who[400];
    return world_in_branch(s->sim->world, s->rel.n, s->rel.at) ||
           world_components(s->sim->world, s->rel.n, s->rel.at, who, sizeof who);
}

/* Judged by the equations that depend on each other, whatever else they are found with. */
static bool may_repeat(const RankSystem *s, const DenseRank *rank, uint32_t k)
{
    RankSystem part = {.sim = s->sim};
    take_part(s, rank, k, &part);
    bool may = is_of_components(&part) && world_may_repeat(s->sim->world, part.rel.n, part.rel.at);
    rank_system_close(&part);
    return may;
}

/* Relations that hold at the present values: those that follow from others here and around are set aside; `any`, or only those
 * that are no mistake. */
static bool set_aside_all(RankSystem *s, uint32_t n, bool any)
{
    DenseRank rank;
    bool given = false;
    if (s->rel.n > LARGEST || s->var.n > 2 * LARGEST)
        return false;
    bool fine = rank_system_derivatives(s, &rank);
    if (fine) {
        prefer_rows(s, &rank, n);
        dense_rank_eliminate(s->sim->mem, &rank, rank_system_zero(s));
    }
    bool follows = fine && rank.rank < rank.m && rank_system_follows(s, &rank);
    trace_line(s->sim, 'e', s->sim->time, "  %u relations of rank %u%s", rank.m, rank.rank,
               follows ? ", here and around" : "");
    if (follows)
        for (uint32_t k = rank.rank; k < rank.m; k++)
            given |= (any || may_repeat(s, &rank, k)) && set_aside(s, &rank, k, false);
    dense_rank_close(s->sim->mem, &rank);
    return given;
}

/* ---- a loop ---- */

static void keep(const RankSystem *s, double *values)
{
    for (uint32_t j = 0; j < s->var.n; j++)
        values[j] = s->sim->value[s->var.at[j]];
}

static void put_back(const RankSystem *s, const double *values)
{
    for (uint32_t j = 0; j < s->var.n; j++)
        s->sim->value[s->var.at[j]] = values[j];
}

/* What was evaluated has been read by others: it is as it was. */
static void put_back_known(const RankSystem *s, const double *values)
{
    for (uint32_t j = 0; j < s->var.n; j++) {
        const ValueInfo *info = &s->sim->info[s->var.at[j]];
        if (info->has && !info->pending)
            s->sim->value[s->var.at[j]] = values[j];
    }
}

/* Relations of the loop that depend on each other, as they were before any of them was differentiated. False: there are none, or
 * some of them were differentiated more often than others. */
static bool find_dependent(const RankSystem *loop, RankSystem *out)
{
    DenseRank rank;
    RankSystem part = {.sim = loop->sim};
    uint32_t order = 0;
    bool fine = rank_system_derivatives(loop, &rank);
    if (fine)
        dense_rank_eliminate(loop->sim->mem, &rank, rank_system_zero(loop));
    for (uint32_t k = fine ? rank.rank : rank.m; k < rank.m; k++)
        take_part(loop, &rank, k, &part);
    for (uint32_t i = 0; i < part.rel.n && fine; i++) {
        DdpRelView view = ddp_rel(loop->sim->ddp, part.rel.at[i]);
        if (view.kind == DDP_DERIVATIVE) /* what is called the slope of what */
            continue;
        fine = view.kind == DDP_EQUATION && (!out->rel.n || view.order == order);
        order = view.order;
        rank_system_add_rel(out, view.order ? view.origin : part.rel.at[i]);
    }
    dense_rank_close(loop->sim->mem, &rank);
    rank_system_close(&part);
    return fine && out->rel.n > 0;
}

/* Does the variable at position k multiply one that is an unknown of the loop, or, as a place, any other? */
static bool is_factor(const RankSystem *loop, const DdpRelView *rel, uint32_t k)
{
    const Sim *sim = loop->sim;
    const FormInfo *form = form_info(sim->forms, rel->form);
    X left_right = x_binary(sim->forms, X_SUB, form->lhs, form->rhs), factor, rest;
    bool place = ddp_level_above(sim->ddp, rel->vars[k]) != 0;
    for (uint32_t i = 0; i < rel->n; i++)
        if (i != k && rel->vars[i] && can_move(sim, rel->vars[i]) &&
            (place || map_get(&loop->column, rel->vars[i])) &&
            x_linear(sim->forms, left_right, i, &factor, &rest) && x_uses(sim->forms, factor, k))
            return true;
    return false;
}

/* In a linear loop factors are as they are: they belong to other equations, which know how they move. */
static void add_sources(const RankSystem *loop, RankSystem *s, const DdpRelView *view)
{
    for (uint32_t k = 0; k < view->n; k++)
        if (view->vars[k] && can_move(s->sim, view->vars[k]) &&
            (map_get(&loop->column, view->vars[k]) || !is_factor(loop, view, k)))
            rank_system_add_var(s, view->vars[k]);
}

static void add_all_sources(const RankSystem *loop, RankSystem *s)
{
    for (uint32_t i = 0; i < s->rel.n; i++) {
        DdpRelView view = rank_system_rel(s, i);
        add_sources(loop, s, &view);
    }
}

/* Variables that follow from others move with them: back to states and the clock. `loop`, or NULL: its factors do not, and its
 * unknowns need nobody who determines them, since its equations depend on each other whatever these are. */
static void add_what_determines(const RankSystem *loop, RankSystem *s)
{
    for (uint32_t j = 0; j < s->var.n && s->rel.n <= LARGEST; j++) {
        DdpVar var = s->var.at[j];
        DdpRel rel = evaluate_relation_of(s->sim, var);
        if (!rel || ddp_is_state(s->sim->ddp, var) || (loop && map_get(&loop->column, var)))
            continue;
        DdpRelView view = ddp_rel(s->sim->ddp, rel);
        if (!is_equation(&view))
            continue;
        rank_system_add_rel(s, rel);
        if (loop)
            add_sources(loop, s, &view);
        else
            add_variables(s, rel);
    }
}

bool redundant_loop(Sim *sim, const EvalNode *node)
{
    RankSystem loop = rank_system_of_loop(sim, node), found = {.sim = sim};
    double *kept = mem_alloc(sim->mem, (loop.var.n + 1) * sizeof *kept);
    keep(&loop, kept);
    bool given =
        loop.rel.n <= LARGEST && rank_system_settle(&loop) && find_dependent(&loop, &found);
    bool plain = node->linear && given && ddp_rel(sim->ddp, node->ops[0].rel).order == 0;
    uint32_t n = found.rel.n;
    if (plain)
        add_all_sources(&loop, &found);
    for (uint32_t i = 0; i < n && !plain; i++)
        add_variables(&found, found.rel.at[i]);
    given = given && (!plain || is_of_components(&found));
    add_what_determines(plain ? &loop : NULL, &found);
    given = given && set_aside_all(&found, n, true);
    if (!given)
        put_back(&loop, kept);
    mem_free(sim->mem, kept);
    rank_system_close(&loop);
    rank_system_close(&found);
    return given;
}

/* ---- what is overdetermined ---- */

/* A combination with whole factors of which nothing is left (exact/): does it say nothing but that differences vanish around a
 * loop of components? Where something is given, two equal sources side by side, it is a mistake; where two branches of one model
 * say it, it is a mode without an answer. */
static bool vanishes_around_loop(const RankSystem *s)
{
    for (uint32_t i = 0; i < s->rel.n; i++) {
        DdpRelView view = rank_system_rel(s, i);
        uint32_t unknown = 0;
        for (uint32_t k = 0; k < view.n; k++) {
            if (!form_info(s->sim->forms, view.form)->position[k].occurs)
                continue;
            if (ddp_var(s->sim->ddp, view.vars[k]).kind != DDP_UNKNOWN)
                return false;
            unknown++;
        }
        if (unknown < 2)
            return false;
    }
    char who[400];
    return rank_system_holds_at_zero(s) &&
           world_components(s->sim->world, s->rel.n, s->rel.at, who, sizeof who);
}

static bool set_aside_empty(Sim *sim, DdpRel rel)
{
    DdpCombination made;
    if (ddp_rel(sim->ddp, rel).n > 0 || !ddp_combination(sim->ddp, rel, &made))
        return false;
    RankSystem s = {.sim = sim, .entered = true};
    rank_system_add_rel(&s, rel);
    for (uint32_t k = 0; k < made.n_others; k++)
        rank_system_add_rel(&s, made.others[k]);
    bool given = s.rel.n > 1 && vanishes_around_loop(&s) &&
                 world_set_aside(sim->world, rel, s.rel.n - 1, s.rel.at + 1, false);
    rank_system_close(&s);
    return given;
}

bool redundant_over(Sim *sim)
{
    DdpPart over = ddp_diagnose(sim->ddp).over;
    RankSystem s = {.sim = sim};
    bool fine = over.n_rels > 0 && over.n_rels <= LARGEST, empty = false;
    for (uint32_t i = 0; i < over.n_rels; i++)
        empty |= set_aside_empty(sim, over.rels[i]);
    if (empty)
        return true;
    for (uint32_t i = 0; i < over.n_rels && fine; i++) {
        fine = ddp_rel(sim->ddp, over.rels[i]).kind == DDP_EQUATION;
        rank_system_add_rel(&s, over.rels[i]);
    }
    for (uint32_t i = 0; i < s.rel.n && fine; i++)
        add_variables(&s, s.rel.at[i]);
    uint32_t n = s.rel.n;
    add_what_determines(NULL, &s);
    fine = fine && s.var.n <= LARGEST;
    double *kept = mem_alloc(sim->mem, (s.var.n + 1) * sizeof *kept);
    keep(&s, kept);
    bool holds = fine && rank_system_settle(&s);
    trace_line(sim, 'e', sim->time, "  %u relations too many or more: violation %.1e", n,
               holds ? 0 : rank_system_worst(&s));
    bool given = holds && set_aside_all(&s, n, false);
    if (given)
        put_back_known(&s, kept);
    else
        put_back(&s, kept);
    mem_free(sim->mem, kept);
    rank_system_close(&s);
    return given;
}

/* ---- what is open ---- */

static bool is_open(const Sim *sim, DdpVar var)
{
    if (ddp_var(sim->ddp, var).kind != DDP_UNKNOWN || ddp_is_state(sim->ddp, var))
        return false;
    DdpNode node = ddp_node_of(sim->ddp, var);
    return !node || !ddp_node(sim->ddp, node).determined;
}

/* From what the diagnosis names over all relations that name what is not determined. */
static void gather_open(RankSystem *s)
{
    const Ddp *ddp = s->sim->ddp;
    DdpPart under = ddp_diagnose(s->sim->ddp).under;
    for (uint32_t i = 0; i < under.n_vars; i++)
        for (DdpVar var = under.vars[i]; var; var = ddp_level_above(ddp, var))
            if (is_open(s->sim, var))
                rank_system_add_var(s, var);
    for (uint32_t j = 0; j < s->var.n && s->var.n <= MOST_OPEN; j++) {
        uint32_t cursor = 0;
        for (DdpRel rel; (rel = ddp_next_use(ddp, s->var.at[j], &cursor));) {
            DdpRelView view = ddp_rel(ddp, rel);
            if (!is_equation(&view) || view.logic == s->var.at[j])
                continue;
            rank_system_add_rel(s, rel);
            for (uint32_t k = 0; k < view.n; k++)
                if (view.vars[k] && is_open(s->sim, view.vars[k]))
                    rank_system_add_var(s, view.vars[k]);
        }
    }
}

/* One that was set aside and has not been closed. */
static DdpRel next_unclosed(const Sim *sim, uint32_t *cursor)
{
    DdpVar rest;
    for (DdpRel rel; (rel = ddp_next_aside(sim->ddp, cursor, &rest));)
        if (rest)
            return rel;
    return 0;
}

bool redundant_is_open(const Sim *sim)
{
    uint32_t cursor = 0;
    return next_unclosed(sim, &cursor) != 0;
}

/* What can be a state is open rather than what follows from it: it becomes one, and nothing is to be closed there. */
static void prefer_columns(const RankSystem *s, DenseRank *rank)
{
    for (uint32_t j = 0; j < s->var.n; j++) {
        uint32_t cursor = 0;
        if (ddp_level_candidate(s->sim->ddp, s->var.at[j])) {
            rank->column_weight[j] = CANDIDATE;
            continue;
        }
        for (DdpRel rel; (rel = next_unclosed(s->sim, &cursor));)
            rank->column_weight[j] =
                fmin(rank->column_weight[j], world_close_weight(s->sim->world, s->var.at[j], rel));
    }
}

typedef struct Closing {
    DdpRel rel;
    DdpVar var;
    double weight;
} Closing;

/* The open column that is nearest to a relation, of all that are left; weight 2: none. */
static Closing nearest(const RankSystem *s, const DenseRank *rank, bool any, const Map *used_rels,
                       const Map *used_vars)
{
    const Sim *sim = s->sim;
    Closing best = {.weight = 2};
    uint32_t cursor = 0;
    for (DdpRel rel; (rel = next_unclosed(sim, &cursor));)
        for (uint32_t k = rank->rank; k < rank->n && !map_get(used_rels, rel); k++) {
            DdpVar var = s->var.at[rank->column[k]];
            double weight = world_close_weight(sim->world, var, rel);
            if (weight < best.weight && !map_get(used_vars, var) &&
                !ddp_level_candidate(sim->ddp, var) && world_may_close(sim->world, var, rel) &&
                (any || world_takes_part(sim->world, var, rel)))
                best = (Closing){rel, var, weight};
        }
    return best;
}

static uint32_t count_open(const RankSystem *s, const DenseRank *rank)
{
    uint32_t n = 0;
    for (uint32_t k = rank->rank; k < rank->n; k++)
        n += !ddp_level_candidate(s->sim->ddp, s->var.at[rank->column[k]]);
    return n;
}

static uint32_t count_unclosed(const Sim *sim)
{
    uint32_t n = 0, cursor = 0;
    while (next_unclosed(sim, &cursor))
        n++;
    return n;
}

/* Each relation gets the open column that is nearest to it, of a component that takes part. Where more is open than was set
 * aside, something else is still to be found that says nothing new; else what is left goes to what is left. */
static bool close_all(const RankSystem *s, const DenseRank *rank)
{
    Map used_rels = {0}, used_vars = {0};
    bool given = false, any = false, all = count_open(s, rank) <= count_unclosed(s->sim);
    for (;;) {
        Closing next = nearest(s, rank, any, &used_rels, &used_vars);
        if (next.weight >= 2 && (any || !all))
            break;
        any |= next.weight >= 2;
        if (next.weight >= 2)
            continue;
        map_put(s->sim->mem, &used_rels, next.rel, 1);
        map_put(s->sim->mem, &used_vars, next.var, 1);
        given |= world_close_aside(s->sim->world, next.rel, next.var);
    }
    map_free(s->sim->mem, &used_rels);
    map_free(s->sim->mem, &used_vars);
    return given;
}

bool redundant_close(Sim *sim)
{
    RankSystem s = {.sim = sim};
    DenseRank rank;
    if (!redundant_is_open(sim))
        return false;
    gather_open(&s);
    bool given = false, fine = s.rel.n <= MOST_OPEN && s.var.n <= MOST_OPEN;
    fine = rank_system_derivatives(&s, &rank) && fine;
    if (fine) {
        prefer_columns(&s, &rank);
        dense_rank_eliminate(sim->mem, &rank, rank_system_zero(&s));
        trace_line(sim, 'e', sim->time, "  %u relations leave %u of %u variables open", rank.m,
                   rank.n - rank.rank, rank.n);
        given = close_all(&s, &rank);
    }
    dense_rank_close(sim->mem, &rank);
    rank_system_close(&s);
    return given;
}

/* ---- while time goes on ---- */

/* Of whom it names variables; NULL: nobody, it is only looked at. */
static const Part *part_of(const Sim *sim, const DdpCombination *entered)
{
    const Part *part = NULL;
    for (uint32_t i = 0; i < entered->n && !part; i++) {
        const ValueInfo *info = &sim->info[entered->vars[i]];
        part = info->part ? info->part : info->node ? sim->nodes.at[info->node].part : NULL;
    }
    return part;
}

/* The next one that was set aside and closed, of the part, or of what is only looked at: that depends on what parts
 * compute. */
static DdpRel next_closed(const Part *part, uint32_t *cursor)
{
    const Sim *sim = part->sim;
    DdpCombination entered;
    DdpVar rest;
    for (DdpRel rel; (rel = ddp_next_aside(sim->ddp, cursor, &rest));) {
        if (rest || !ddp_combination(sim->ddp, rel, &entered))
            continue;
        const Part *of = part_of(sim, &entered);
        if (!of || of == part)
            return rel;
    }
    return 0;
}

bool redundant_concerns(const Part *part)
{
    uint32_t cursor = 0;
    return next_closed(part, &cursor) != 0;
}

/* Is it about places: was something that it follows from differentiated? */
static bool names_places(const Sim *sim, const DdpCombination *entered)
{
    for (uint32_t i = 0; i < entered->n_others; i++)
        if (ddp_is_differentiated(sim->ddp, entered->others[i]))
            return true;
    return false;
}

static void add_others(RankSystem *s, const DdpCombination *entered)
{
    for (uint32_t k = 0; k < entered->n_others; k++) {
        DdpRelView view = ddp_rel(s->sim->ddp, entered->others[k]);
        if (is_equation(&view))
            rank_system_add_rel(s, entered->others[k]);
    }
}

/* Constraints between places, or others: in these, places are factors. What was set aside comes first; returns how many. */
static uint32_t gather_closed(const Part *part, RankSystem *s, bool places)
{
    uint32_t cursor = 0;
    DdpCombination entered;
    for (DdpRel rel; (rel = next_closed(part, &cursor));)
        if (ddp_combination(s->sim->ddp, rel, &entered) && names_places(s->sim, &entered) == places)
            rank_system_add_rel(s, rel);
    uint32_t n = s->rel.n;
    for (uint32_t i = 0; i < n; i++)
        if (ddp_combination(s->sim->ddp, s->rel.at[i], &entered))
            add_others(s, &entered);
    RankSystem none = {.sim = s->sim};
    if (!places)
        add_all_sources(&none, s);
    for (uint32_t i = 0; i < s->rel.n && places; i++) {
        DdpRelView view = rank_system_rel(s, i);
        for (uint32_t k = 0; k < view.n; k++)
            if (view.vars[k] && can_move(s->sim, view.vars[k]))
                rank_system_add_var(s, view.vars[k]);
    }
    return n;
}

/* Without those that are in no sum that vanishes; returns how many of the first n are left, which still come first. */
static uint32_t peel_closed(RankSystem *s, uint32_t n)
{
    Map closed = {0};
    uint32_t left = 0;
    for (uint32_t i = 0; i < n; i++)
        map_put(s->sim->mem, &closed, s->rel.at[i], 1);
    rank_system_peel(s);
    while (left < s->rel.n && map_get(&closed, s->rel.at[left]))
        left++;
    map_free(s->sim->mem, &closed);
    return left;
}

/* With the first n relations set aside, or (n = 0) with those that would be. The caller closes it. */
static bool eliminate(const RankSystem *s, uint32_t n, DenseRank *rank)
{
    bool fine = rank_system_derivatives(s, rank);
    if (n == 0)
        prefer_rows(s, rank, s->rel.n);
    for (uint32_t i = 0; i < n; i++)
        rank->row_weight[i] = 1e-9;
    if (fine)
        dense_rank_eliminate(s->sim->mem, rank, rank_system_zero(s));
    return fine;
}

/* Others in the place of the first n; they come back. */
static void set_aside_others(const RankSystem *s, const DenseRank *rank, uint32_t n)
{
    uint8_t *stays = mem_alloc(s->sim->mem, s->rel.n + 1);
    for (uint32_t k = rank->rank; k < rank->m; k++)
        stays[rank->row[k]] = 1;
    for (uint32_t i = 0; i < n; i++)
        if (!stays[i])
            ddp_end_combination(s->sim->ddp, s->rel.at[i]);
    for (uint32_t k = rank->rank; k < rank->m; k++)
        if (rank->row[k] >= n)
            set_aside(s, rank, k, true);
    mem_free(s->sim->mem, stays);
}

/* Are they singular where another choice is not? Then that is made. */
static bool chooses_others(const RankSystem *s, uint32_t n)
{
    DenseRank now, best;
    bool fine = eliminate(s, n, &now), others = false;
    fine = eliminate(s, 0, &best) && fine;
    if (fine && now.rank == best.rank && now.least < TURNED * best.least) {
        set_aside_others(s, &best, n);
        others = true;
    }
    dense_rank_close(s->sim->mem, &now);
    dense_rank_close(s->sim->mem, &best);
    return others;
}

/* Are all its variables evaluated where the part is? What only output needs is as it was when somebody looked. */
static bool is_current(const Part *part, const DdpRelView *view)
{
    for (uint32_t i = 0; i < view->n; i++) {
        const ValueInfo *info = &part->sim->info[view->vars[i]];
        const EvalNode *node = info->node ? &part->sim->nodes.at[info->node] : NULL;
        if (info->state ? info->part != part
                        : node && (node->part != part || node->place == PLACE_OUTPUTS))
            return false;
    }
    return true;
}

static bool turned(const Part *part, bool places)
{
    RankSystem s = {.sim = part->sim, .entered = true};
    uint32_t n = gather_closed(part, &s, places);
    bool any = false;
    for (uint32_t i = 0; i < n && places; i++) {
        DdpRelView view = rank_system_rel(&s, i);
        if (!is_current(part, &view) || rank_system_violation(&s, i) <= HOLDS)
            continue;
        ddp_end_combination(part->sim->ddp, s.rel.at[i]);
        any = true;
    }
    if (!any)
        n = peel_closed(&s, n);
    any = any || (n > 0 && chooses_others(&s, n));
    rank_system_close(&s);
    return any;
}

bool redundant_turned(const Part *part)
{
    bool places = turned(part, true);
    return turned(part, false) || places;
}
