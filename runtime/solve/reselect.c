/* reselect.c: a choice of states that turns singular -> advice to the DDP to choose others
 * (thesis 10.6).
 *
 * Where constraints were differentiated, some variables that could be states are computed from the
 * states instead. As long as the choice is good, these *dummies* move about as much as the states
 * do; near a singular point they move infinitely more (the x of a pendulum whose state is y, at its
 * lowest point). So the measure is the derivative of each dummy by each state. In the terms of
 * matrices: with A the constraints' Jacobian by the dummies and B by the states it is an entry of
 * inv(A) B, and exchanging the two variables multiplies det A by it (Goreinov and others, How to
 * find a good submatrix, 2010). Both are measured by their sizes (state_choice.h). When a dummy
 * moves AGAIN times as much as a state, or FAR times where the modeller prefers all states and none was exchanged before, the levels of the
 * constraints are examined (state_choice.c)
 * and the DDP is advised; the event in which it follows costs a restart of the part. At the start,
 * and where an event makes constraints new, they are examined before anything is solved, and once
 * more when it is.
 *
 * Only states whose own derivative is no state move: constraints between speeds have the same
 * factors as those between places.
 *
 * All derivatives, state by state, cost the square of the part's size, so they are taken only when
 * something cheap says so: two sweeps in which all states move at once, each by its size times the
 * cosine and the sine of an angle of its own. What a dummy does then is the length of a sum of
 * arrows with fixed directions, which changes smoothly with time and hardly ever vanishes. Sweeps go
 * only through what constraints depend on (Part.aims), which leaves out the accelerations and their
 * loops. Nor is that done after each step: the inverse of the motion falls to 0 about linearly on
 * the way to a singular point, so two looks tell how many steps there are, and half of them, RARELY
 * at most, pass without one.
 *
 * A long step can pass a singular point all the same. What is computed then goes back the way it
 * came, or jumps: its speed turns round without an acceleration. After each step the dummies are
 * held against their slopes (reselect_follows), and a step that they do not follow is undone.
 */
#include "runtime/solve/solve.h"
#include "runtime/solve/state_choice.h"

#include <math.h>
#include <string.h>

static const double FAR = 8, AGAIN = 2, QUARTER = 1.57079632679489662;

enum { RARELY = 16 };

static const FormPosition *position_solved(const FormInfo *form, const EvalOp *op)
{
    for (uint32_t i = 0; i < form->n; i++)
        if (op->vars[i] == op->target)
            return &form->position[i];
    return NULL;
}

static bool is_parameter(const Sim *sim, DdpVar var)
{
    return var && ddp_var(sim->ddp, var).kind == DDP_KNOWN;
}

/* Can the operation be singular: is its relation solved for the variable by a division? `moving`: by something that may become 0 between
 * events, which parameters do not. */
static bool is_risky(const Sim *sim, const EvalOp *op, bool moving)
{
    const FormInfo *form = form_info(sim->forms, ddp_rel(sim->ddp, op->rel).form);
    const FormPosition *solved = position_solved(form, op);
    if (!solved || solved->solvable != SOLVE_RISKY)
        return false;
    for (uint32_t i = 0; moving && i < form->n; i++)
        if (x_uses(sim->forms, solved->factor, i) && !is_parameter(sim, op->vars[i]))
            return true;
    return !moving;
}

static bool may_be_singular(const Sim *sim, const EvalNode *node, bool moving)
{
    return node->loop ? !(node->linear && node->constant) : is_risky(sim, &node->ops[0], moving);
}

/* Does it determine something by relations that were differentiated? */
static bool is_by_constraints(const Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        DdpRel rel = node->ops[i].rel;
        if (rel < sim->solve.differentiated.n && sim->solve.differentiated.at[rel])
            return true;
    }
    return false;
}

/* And may it turn singular? */
static bool is_constraint(const Sim *sim, const EvalNode *node)
{
    return is_by_constraints(sim, node) && may_be_singular(sim, node, true);
}

bool reselect_concerns(Part *part)
{
    const Sim *sim = part->sim;
    const NodeList *list = sim->solve.differentiated.n ? part_dynamics(part) : NULL;
    for (uint32_t i = 0; list && i < list->n; i++)
        if (is_constraint(sim, &sim->nodes.at[list->at[i]]))
            return true;
    return false;
}

/* Of which coordinates less error is allowed (integrate.c). */
void reselect_mark(Part *part)
{
    Sim *sim = part->sim;
    const NodeList *list = sim->solve.differentiated.n ? part_dynamics(part) : NULL;
    Map seen = {0};
    for (uint32_t i = 0; i < part->states.n; i++)
        sim->info[part->states.at[i].var].bound = false;
    for (uint32_t i = 0; list && i < list->n; i++) {
        const EvalNode *node = &sim->nodes.at[list->at[i]];
        for (uint32_t k = 0; is_constraint(sim, node) && k < node->n_steps + node->n_tears; k++)
            for (DdpVar v = node_output(node, k); v; v = ddp_level_above(sim->ddp, v))
                state_choice_mark(sim, v, &seen);
    }
    map_free(sim->mem, &seen);
}

/* ---- how large things are ---- */

static double scale_of(const Part *part, DdpVar var)
{
    return fmax(size_of(part->sim, var, part->choice.period), 1e-9);
}

static void note_size(Part *part, DdpVar var)
{
    size_note(part->sim, var);
    part->choice.period = fmin(part->choice.period, size_period(part->sim, var));
}

static void note_sizes(Part *part)
{
    Sim *sim = part->sim;
    part->choice.period = INFINITY;
    for (uint32_t i = 0; i < part->states.n; i++)
        note_size(part, part->states.at[i].var);
    for (uint32_t i = 0; i < part->choice.aims.n; i++) {
        const EvalNode *node = &sim->nodes.at[part->choice.aims.at[i].node];
        for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++)
            note_size(part, node_output(node, k));
    }
}

/* ---- what constraints depend on ---- */

static bool feeds_aim(const Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
        if (sim->info[node_output(node, i)].mark == sim->mark)
            return true;
    return false;
}

/* From the last node of the dynamics to the first: constraints, and whoever is read by what was
 * found. */
static void find_aims(Part *part)
{
    Sim *sim = part->sim;
    vec_clear(&part->choice.aims);
    sim->mark++;
    const NodeList *list = part_dynamics(part);
    for (uint32_t i = list->n; i-- > 0;) {
        DdpNode n = list->at[i];
        const EvalNode *node = &sim->nodes.at[n];
        bool constraint = is_constraint(sim, node);
        if (!constraint && !feeds_aim(sim, node))
            continue;
        vec_push(sim->mem, &part->choice.aims, ((PartAim){n, constraint}));
        for (uint32_t k = 0; k < node->n_reads; k++)
            sim->info[node->reads[k].var].mark = sim->mark;
    }
    for (uint32_t i = 0, k = part->choice.aims.n; i + 1 < k;
         i++) { /* in the order of the schedule */
        PartAim t = part->choice.aims.at[i];
        part->choice.aims.at[i] = part->choice.aims.at[--k];
        part->choice.aims.at[k] = t;
    }
}

/* ---- measuring ---- */

/* Is the derivative of the state computed? Else it moves as the state that is its derivative does. */
static bool moves_by_itself(const Sim *sim, DdpVar state)
{
    DdpVar slope = ddp_level_above(sim->ddp, state);
    return !slope || !ddp_is_state(sim->ddp, slope);
}

/* What a sweep finds: the farthest motion, and the node that amplifies most among those that move
 * far. */
typedef struct Look {
    double moves, amplified;
    DdpVar var;
} Look;

static double most_read(const Part *part, const EvalNode *node)
{
    const Sim *sim = part->sim;
    double most = 0;
    for (uint32_t i = 0; i < node->n_reads; i++) {
        DdpVar var = node->reads[i].var;
        most = fmax(most, fabs(sim->tangent[var]) / scale_of(part, var));
    }
    return most;
}

/* Motion shows in everything behind the singular node too; that one itself is where little becomes
 * much. */
static void look_at_node(const Part *part, DdpNode n, double scale, Look *look)
{
    const Sim *sim = part->sim;
    const EvalNode *node = &sim->nodes.at[n];
    double in = most_read(part, node);
    for (uint32_t i = 0; in > 0 && i < node->n_steps + node->n_tears; i++) {
        DdpVar var = node_output(node, i);
        double moves = fabs(sim->tangent[var]) / scale_of(part, var), amplified = moves / in;
        look->moves = fmax(look->moves, moves * scale);
        if (moves * scale > part->choice.far && amplified > look->amplified) {
            look->amplified = amplified;
            look->var = var;
        }
    }
}

static void clear_sweep(Part *part)
{
    Sim *sim = part->sim;
    for (uint32_t i = 0; i < part->states.n; i++)
        sim->tangent[part->states.at[i].var] = 0;
    for (uint32_t i = 0; i < part->choice.aims.n; i++)
        evaluate_clear_tangents(sim, part->choice.aims.at[i].node);
}

static void sweep_state(Part *part, uint32_t state, Look *look)
{
    Sim *sim = part->sim;
    DdpVar var = part->states.at[state].var;
    double scale = scale_of(part, var);
    sim->tangent[var] = 1;
    for (uint32_t i = 0; i < part->choice.aims.n; i++) {
        PartAim aim = part->choice.aims.at[i];
        evaluate_tangent_node(sim, aim.node);
        if (aim.constraint)
            look_at_node(part, aim.node, scale, look);
    }
    clear_sweep(part);
}

/* At the present values of the part, all evaluated. */
static Look measure(Part *part)
{
    Look look = {0};
    note_sizes(part);
    for (uint32_t i = 0; i < part->states.n; i++)
        if (moves_by_itself(part->sim, part->states.at[i].var))
            sweep_state(part, i, &look);
    return look;
}

/* ---- the cheap look ---- */

/* The farthest motion of a dummy in one sweep, whose directions begin with `phase`. With a new choice,
 * what has no size yet gets one. */
static double sweep_all(Part *part, double phase, bool begin)
{
    static const double GOLDEN = 2.39996322972865332; /* no two multiples are alike */
    Sim *sim = part->sim;
    double most = 0;
    for (uint32_t i = 0; i < part->states.n; i++) {
        DdpVar var = part->states.at[i].var;
        if (moves_by_itself(sim, var))
            sim->tangent[var] = cos(phase + i * GOLDEN) * scale_of(part, var);
    }
    for (uint32_t i = 0; i < part->choice.aims.n; i++) {
        const EvalNode *node = &sim->nodes.at[part->choice.aims.at[i].node];
        evaluate_tangent_node(sim, part->choice.aims.at[i].node);
        for (uint32_t k = 0;
             part->choice.aims.at[i].constraint && k < node->n_steps + node->n_tears; k++) {
            DdpVar var = node_output(node, k);
            double size = fabs(sim->tangent[var]);
            if (begin && scale_of(part, var) < 1e-6 * size)
                values_set_scale(sim, ddp_level_root(sim->ddp, var), size);
            most = fmax(most, size / scale_of(part, var));
        }
    }
    clear_sweep(part);
    return most;
}

static double quick_look(Part *part, bool begin)
{
    note_sizes(part);
    return fmax(sweep_all(part, 0, begin), sweep_all(part, QUARTER, begin));
}

/* After a quick look of `seen` all derivatives gave `moves`: what a quick look must show before they are
 * worth their cost again. */
static void be_alert(Part *part, double seen, double moves)
{
    double limit = fmax(part->choice.far, part->choice.floor);
    part->choice.alarm = moves > 0 ? fmax(1.1 * seen, 0.7 * seen * limit / moves) : limit / 2;
}

static void plan_next(Part *part, double seen)
{
    double room = seen > 0 ? 1 / seen : INFINITY,
           rate = fabs(part->choice.room - room) / part->choice.waited;
    double steps = fmin((room - 1 / part->choice.alarm) / rate / 2, room / rate / 4);
    part->choice.alarm = fmin(part->choice.alarm, fmax(part->choice.far / 2, 2 * seen));
    part->choice.wait = steps < RARELY ? (steps > 1 ? (uint32_t)steps : 1) : RARELY;
    if (!isfinite(part->choice.room) &&
        isfinite(room)) /* first look, or nothing moved: no rate yet */
        part->choice.wait = 1;
    part->choice.room = room;
    part->choice.waited = 0;
}

/* ---- what is computed moves as its slopes say ---- */

/* Has a variable moved in a step of length h as its slopes at both ends say? A change that is little more than
 * the tolerance counts as explained. The mean of the slopes is a rough measure, but enough: where a speed
 * turns round without an acceleration, it explains nothing of the change. */
static bool follows(const Part *part, DdpVar var, DummyNote before, DummyNote after, double h)
{
    const Sim *sim = part->sim;
    double change = after.value - before.value, size = fmax(fabs(after.value), fabs(before.value));
    double explained = h * (before.slope + after.slope) / 2;
    double fastest = h * fmax(fabs(before.slope), fabs(after.slope));
    if (isnan(explained) || fabs(change) < 1000 * values_allowed(sim, var, size))
        return true;
    if (fabs(change) > 2 * fastest)
        return false;
    return fabs(change) < size / 4 || fabs(change - explained) < fabs(change) / 4;
}

typedef void DummyVisit(Part *part, DdpVar var, DummyNote *note, void *context);

static bool is_unknown(const Sim *sim, const EvalNode *node, DdpVar var)
{
    return node->loop && !node->linear && &sim->nodes.at[sim->info[var].node] == node;
}

/* Calls `visit` for what constraints determine and for its derivatives, each with its note. */
static void visit_dummies(Part *part, DummyVisit *visit, void *context)
{
    const Sim *sim = part->sim;
    uint32_t at = 0;
    for (uint32_t i = 0; i < part->choice.aims.n; i++) {
        const EvalNode *node = &sim->nodes.at[part->choice.aims.at[i].node];
        uint32_t n = part->choice.aims.at[i].constraint ? node->n_steps + node->n_tears : 0;
        for (uint32_t k = 0; k < n; k++)
            for (DdpVar v = node_output(node, k); v; v = ddp_level_above(sim->ddp, v)) {
                if (at == part->choice.dummies.n)
                    vec_push(sim->mem, &part->choice.dummies,
                             ((DummyNote){.unknown = is_unknown(sim, node, v) ? v : 0}));
                visit(part, v, &part->choice.dummies.at[at++], context);
            }
    }
}

/* Is it evaluated where its part is? What only output needs is as it was when somebody looked. */
static bool is_current(const Part *part, DdpVar var)
{
    const ValueInfo *info = &part->sim->info[var];
    return info->state ? info->part == part
                       : info->node && part->sim->nodes.at[info->node].part == part;
}

static DummyNote dummy_now(const Part *part, DdpVar var)
{
    const Sim *sim = part->sim;
    DdpVar slope = ddp_level_above(sim->ddp, var);
    bool known = slope && is_current(part, slope) && is_current(part, var);
    return (DummyNote){sim->value[var], known ? sim->value[slope] : NAN, 0};
}

static void keep_dummy(Part *part, DdpVar var, DummyNote *note, void *context)
{
    DummyNote now = dummy_now(part, var);
    (void)context;
    note->value = now.value;
    note->slope = now.slope;
}

static void put_dummy(Part *part, DdpVar var, DummyNote *note, void *context)
{
    (void)context;
    part->sim->value[var] = note->value;
}

typedef struct Following {
    double h, largest; /* largest: of what moves */
    bool fine;
} Following;

static void find_largest(Part *part, DdpVar var, DummyNote *note, void *context)
{
    Following *f = context;
    DummyNote now = dummy_now(part, var);
    (void)note;
    if (!isnan(now.slope))
        f->largest = fmax(f->largest, fabs(now.value));
}

/* What is 0 moves by rounding alone, and near a singular point that is amplified: a plate that cannot turn, on cranks that nearly lie
 * in one line. Beside what moves it must be little. */
static bool is_rounding(Part *part, DdpVar var, double change, Following *f)
{
    enum { SOME = 30, MANY = 1000 };
    const SolOptions *opt = &part->sim->opt;
    if (f->largest == 0)
        visit_dummies(part, find_largest, f);
    return change < SOME * (opt->rtol * f->largest + opt->atol) &&
           change <= MANY * error_bound_of_var(part->sim, var).rounding;
}

static void check_dummy(Part *part, DdpVar var, DummyNote *note, void *context)
{
    Following *f = context;
    DummyNote now = dummy_now(part, var);
    f->fine = f->fine && (follows(part, var, *note, now, f->h) ||
                          is_rounding(part, var, fabs(now.value - note->value), f));
}

static void keep_dummies(Part *part, double time)
{
    visit_dummies(part, keep_dummy, NULL);
    part->choice.noted = time;
}

/* At the present point, evaluated, a time h behind the notes; then they are those of this point. */
static bool follow_on(Part *part, double time, double h)
{
    Following f = {h, 0, true};
    visit_dummies(part, check_dummy, &f);
    if (f.fine)
        keep_dummies(part, time);
    return f.fine;
}

static bool follow_to(Part *part, double time, double h)
{
    part_at(part, time);
    return part_evaluate(part, time, NULL) == 0 && follow_on(part, time, h);
}

/* What hangs on the time may turn round several times in a step in which the states hardly move (three phases seen from a frame that
 * turns with them): slopes at both ends say little then, but those in between do. */
static bool follows_in_pieces(Part *part)
{
    enum { PIECES = 32 };
    Sim *sim = part->sim;
    uint32_t n = part->choice.dummies.n, i = 1;
    size_t size = n * sizeof(DummyNote);
    DummyNote *before = mem_alloc(sim->mem, size + 1);
    double h = (part->now - part->back) / PIECES;
    if (n)
        memcpy(before, part->choice.dummies.at, size);
    visit_dummies(part, put_dummy, NULL);
    while (i < PIECES && follow_to(part, part->back + i * h, h))
        i++;
    bool fine = i == PIECES && follow_to(part, part->now, h);
    if (n && !fine)
        memcpy(part->choice.dummies.at, before, size);
    mem_free(sim->mem, before);
    return fine;
}

bool reselect_follows(Part *part)
{
    if (follow_on(part, part->now, part->now - part->back) || follows_in_pieces(part))
        return true;
    visit_dummies(part, put_dummy, NULL);
    return false;
}

/* ---- the whole ---- */

static bool is_exchanged(const Part *part)
{
    for (uint32_t i = 0; i < part->states.n; i++)
        if (part->sim->info[part->states.at[i].var].exchanged ||
            part->sim->info[part->states.at[i].var].bound)
            return true;
    return false;
}

/* When a part starts: a choice that is bad already, because there was no better one, must become
 * twice as bad before it is looked at again. */
void reselect_begin(Part *part)
{
    part->choice.constrained = reselect_concerns(part);
    if (!part->choice.constrained)
        return;
    find_aims(part);
    part->choice.far = is_exchanged(part) ? AGAIN : FAR;
    vec_clear(&part->choice.dummies);
    keep_dummies(part, part->now);
    double seen = quick_look(part, true);
    part->choice.floor = 0;
    part->choice.alarm = part->choice.far / 2;
    part->choice.room = INFINITY;
    part->choice.wait = 1;
    part->choice.waited = 0;
    if (seen < part->choice.far / 4)
        return;
    double moves = measure(part).moves;
    part->choice.floor = 2 * moves;
    be_alert(part, seen, moves);
}

bool reselect_due(Part *part)
{
    return part->choice.constrained && ++part->choice.waited >= part->choice.wait;
}

/* The levels of what the node determines, and of its derivatives. */
static bool examine_node(Sim *sim, const EvalNode *node, const ChoiceBounds *bounds, Map *seen)
{
    bool any = false;
    for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++)
        for (DdpVar v = node_output(node, k); v; v = ddp_level_above(sim->ddp, v))
            any |= state_choice_examine(sim, v, bounds, seen);
    return any;
}

/* Half of what a sweep must have shown: sizes are measured a little differently there. Less is enough
 * where a singular point is near. */
static bool advise(Part *part, bool soon)
{
    double far = soon ? 1.5 : fmax(1.5, part->choice.far / 2);
    ChoiceBounds bounds = {.far = far, .preferred = soon ? 4 : 100, .on_the_way = true};
    Sim *sim = part->sim;
    Map seen = {0};
    bool any = false;
    for (uint32_t i = 0; i < part->choice.aims.n; i++)
        if (part->choice.aims.at[i].constraint)
            any |= examine_node(sim, &sim->nodes.at[part->choice.aims.at[i].node], &bounds, &seen);
    map_free(sim->mem, &seen);
    return any;
}

/* The part has been evaluated where its step began. */
void reselect_before(Part *part)
{
    advise(part, true);
}

/* Does the motion grow so that it would be infinite within a few steps? */
static bool is_near(const Part *part, double seen)
{
    double room = 1 / seen, rate = (part->choice.room - room) / part->choice.waited;
    return seen > part->choice.far / 4 && isfinite(part->choice.room) && rate > 0 &&
           room < 4 * rate;
}

/* After a step, everything evaluated. True: the DDP was advised, and an event is due in which it
 * follows. Where it is not because nothing would be better, the motion must grow before it is
 * looked at again. */
bool reselect_wanted(Part *part)
{
    double seen = quick_look(part, false);
    bool soon = is_near(part, seen);
    if (seen > part->choice.alarm || soon) {
        double moves = measure(part).moves;
        if ((moves > fmax(part->choice.far, part->choice.floor) || soon) && advise(part, soon))
            return true;
        be_alert(part, seen, moves);
    }
    plan_next(part, seen);
    return false;
}

/* ---- before anything is solved ---- */

static bool has_redundant(const Sim *sim)
{
    uint32_t cursor = 0;
    DdpVar rest;
    return ddp_next_aside(sim->ddp, &cursor, &rest) != 0;
}

static ChoiceBounds event_bounds(const Sim *sim)
{
    return (ChoiceBounds){.far = 8, .preferred = 1e4, .insist = has_redundant(sim)};
}

/* At the start, and where an event makes constraints new: those of them whose choice of states
 * would be singular, or nearly so, with the values that there are. */
bool reselect_unsolved(Sim *sim)
{
    const ChoiceBounds bounds = event_bounds(sim);
    Map seen = {0};
    bool any = false;
    for (uint32_t i = 0; i < sim->solve.unexamined.n; i++)
        if (sim->nodes.at[sim->solve.unexamined.at[i]].live)
            any |= examine_node(sim, &sim->nodes.at[sim->solve.unexamined.at[i]], &bounds, &seen);
    map_free(sim->mem, &seen);
    return any;
}

/* ---- loops with constant factors ---- */

/* Until other states are chosen what it determines is as it was. */
static void leave_as_is(Sim *sim, EvalNode *node)
{
    node->waits = false;
    node->point_number = sim->point_number;
}

/* Such a loop cannot turn singular on the way, but may be so from the beginning, or from an event on that gives its factors other
 * values: then it leaves a relation between states alone. Of whole factors that is known before (frontend/singular.c). */
bool reselect_singular(Sim *sim)
{
    const ChoiceBounds bounds = event_bounds(sim);
    Map seen = {0};
    bool any = false;
    for (uint32_t i = 0; i < sim->solve.constant.n; i++) {
        EvalNode *node = &sim->nodes.at[sim->solve.constant.at[i]];
        if (!node->live || !node->loop || !node->determined || node->factored ||
            !loop_solve_is_singular(sim, node) || !examine_node(sim, node, &bounds, &seen))
            continue;
        leave_as_is(sim, node);
        any = true;
    }
    map_free(sim->mem, &seen);
    vec_clear(&sim->solve.constant);
    return any;
}

void reselect_note_constant(Sim *sim, DdpNode n)
{
    const EvalNode *node = &sim->nodes.at[n];
    if (node->loop && node->constant && is_by_constraints(sim, node))
        vec_push(sim->mem, &sim->solve.constant, n);
}

/* A node that the last commit made. Where constraints were set aside, the others may hold what is chosen as a state. */
void reselect_note(Sim *sim, DdpNode n)
{
    const EvalNode *node = &sim->nodes.at[n];
    reselect_note_constant(sim, n);
    if (sim->solve.differentiated.n && is_by_constraints(sim, node) &&
        (may_be_singular(sim, node, false) || (node->loop && has_redundant(sim)))) {
        vec_push(sim->mem, &sim->solve.unexamined, n);
        sim->nodes.at[n].in_update.open = true;
    }
}

/* What equations that were set aside follow from: when the forces that they leave open are closed, speeds become states of which no
 * new node tells. */
void reselect_note_aside(Sim *sim)
{
    uint32_t cursor = 0;
    DdpVar rest;
    DdpCombination made;
    for (DdpRel rel; (rel = ddp_next_aside(sim->ddp, &cursor, &rest));)
        for (uint32_t k = 0; ddp_combination(sim->ddp, rel, &made) && k < made.n_others; k++) {
            DdpVar var = ddp_causality(sim->ddp, made.others[k]);
            DdpNode n = var ? ddp_node_of(sim->ddp, var) : 0;
            if (n && n < sim->nodes.n && sim->nodes.at[n].live)
                reselect_note(sim, n);
        }
}

const NodeList *reselect_unexamined(const Sim *sim)
{
    return &sim->solve.unexamined;
}

void reselect_forget(Sim *sim)
{
    for (uint32_t i = 0; i < sim->solve.unexamined.n; i++)
        if (sim->solve.unexamined.at[i] < sim->nodes.n)
            sim->nodes.at[sim->solve.unexamined.at[i]].in_update.open = false;
    vec_clear(&sim->solve.unexamined);
}

void reselect_note_differentiated(Sim *sim, DdpRel rel)
{
    while (sim->solve.differentiated.n <= rel)
        vec_push(sim->mem, &sim->solve.differentiated, 0);
    sim->solve.differentiated.at[rel] = 1;
}

void reselect_forget_all(Sim *sim)
{
    reselect_forget(sim);
    vec_clear(&sim->solve.constant);
    vec_clear(&sim->solve.differentiated);
}
