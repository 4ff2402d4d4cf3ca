/* tape.c: states -> slopes, tangents, and whether a comparison changed, by the calls of a tape. */
#include "runtime/eval/tape_int.h"
#include "runtime/eval/looks.h"

#include <math.h>
#include <string.h>

enum {
    TAPE_HEAT = 64, /* evaluations */
    SHORT = 8       /* numbers */
};

/* ---- in and out ---- */

static void move(const Run *run, const double *from, double *to)
{
    from += run->from;
    to += run->to;
    if (run->n >= SHORT)
        memcpy(to, from, run->n * sizeof *to);
    else
        for (uint32_t i = 0; i < run->n; i++)
            to[i] = from[i];
}

static void load_states(const Tape *tape, const double *value, uint32_t n_runs)
{
    const Run *run = tape->quick.states, *end = run + n_runs;
    const PartState *states = tape->part->states.at;
    for (; run < end; run++) {
        const PartState *from = states + run->from, *last = from + run->n;
        for (double *to = tape->value + run->to; from < last; from++)
            *to++ = value[from->var];
    }
}

/* Places but those of states. */
static void load_rest(Tape *tape, double time)
{
    const Sim *sim = tape->part->sim;
    for (uint32_t i = 0; !tape->loaded && i < tape->inputs.n; i++)
        tape->value[tape->inputs.at[i].place] = sim->value[tape->inputs.at[i].var];
    tape->loaded = true;
    if (tape->clock != NO_PLACE)
        tape->value[tape->clock] = time;
    tape->time = time;
}

/* n_runs: of the states, all or those that dynamics reads. */
static void load(Tape *tape, double time, const double *y, uint32_t n_runs)
{
    if (y)
        for (uint32_t i = 0; i < n_runs; i++)
            move(&tape->quick.states[i], y, tape->value);
    else
        load_states(tape, tape->part->sim->value, n_runs);
    load_rest(tape, time);
}

/* ---- values ---- */

static void gather(const Unit *unit, double *values)
{
    for (uint32_t g = 0; g < unit->n_gathers; g++) {
        double *to = values + unit->gathers[g].to;
        const uint32_t *from = unit->gathers[g].from;
        const uint32_t *end = from + unit->n, *fours = from + (unit->n & ~3u);
        for (; from < fours; from += 4, to += 4) {
            to[0] = values[from[0]];
            to[1] = values[from[1]];
            to[2] = values[from[2]];
            to[3] = values[from[3]];
        }
        while (from < end)
            *to++ = values[*from++];
    }
}

/* second: tangents, or where results go that are marked (JitRequest.common). */
static void run_batch(const Unit *unit, JitCode code, double *values, double *second,
                      const JitEnv *env)
{
    for (uint32_t i = 0; i < unit->n_stretches; i++)
        code.batch(values, second, unit->stretches[i].slots, unit->code.constants, env,
                   unit->stretches[i].n, unit->stride);
    if (!unit->n_stretches)
        code.batch(values, second, unit->slots, unit->code.constants, env, unit->n, unit->stride);
}

static void report_heat(Engine *engine, Tape *tape)
{
    for (uint32_t i = 0; i < tape->units.n; i++) {
        Unit *unit = &tape->units.at[i];
        block_code_report(engine, &unit->code, (uint64_t)tape->evaluations * unit->n);
    }
    tape->evaluations = 0;
    tape_take_code(tape);
}

/* slopes: where they are wanted, if batches may write them there; or NULL. */
static void run_units(Tape *tape, uint32_t from, uint32_t end, double *slopes)
{
    Engine *engine = tape->part->sim->engine;
    double *values = tape->value;
    const TapeCall *calls = tape->quick.calls;
    for (uint32_t i = from; i < end && calls; i++)
        calls[i].value.value(values, calls[i].slots, calls[i].constants, &engine->env);
    for (uint32_t i = from; i < end && !calls; i++) {
        const Unit *unit = &tape->units.at[tape->order.at[i]];
        JitCode code = block_code(&unit->code, JIT_VALUE);
        if (unit->layout == JIT_SINGLE) {
            code.value(values, unit->slots, unit->code.constants, &engine->env);
            continue;
        }
        if (!unit->n_stretches)
            gather(unit, values);
        double *second = slopes && unit->direct ? slopes - unit->ahead : values;
        run_batch(unit, code, values, second, &engine->env);
    }
}

static void count_evaluation(Engine *engine, Tape *tape)
{
    tape_fixed_count(tape);
    tape->patched.paid += tape->patched.n_dead + tape->patched.n_added;
    if (++tape->evaluations >= TAPE_HEAT)
        report_heat(engine, tape);
}

/* The units up to `end`, the end of a section. slopes: as in run_units. */
static void run_to(Tape *tape, uint32_t end, double *slopes)
{
    Engine *engine = tape->part->sim->engine;
    uint32_t done = 0;
    for (uint32_t i = 0; i < tape->pieces.n; i++) {
        const TapePiece *piece = &tape->pieces.at[i];
        JitCode code = block_code_best(engine, &piece->code);
        if (!code.any)
            continue;
        run_units(tape, done, piece->first, slopes);
        code.value(tape->value, NULL, NULL, &engine->env);
        engine->fixed_calls++;
        done = piece->first + piece->n;
    }
    run_units(tape, done, end, slopes);
    count_evaluation(engine, tape);
}

static void run(Tape *tape, uint32_t end)
{
    run_to(tape, end, NULL);
}

static bool has_number(const Tape *tape, const uint32_t *place, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += 0 * tape->value[place[i]];
    return sum == 0;
}

/* Of what the dead leave behind too: rarely, that leads to a closer look than is needed. */
static bool all_finite(const Tape *tape)
{
    return evaluate_all_finite(tape->n_checked, tape->value) &&
           evaluate_all_finite(tape->n_places - tape->n_made, tape->value + tape->n_made);
}

/* Comparisons and what they need. False: something has no number. */
static bool probe(Tape *tape)
{
    Engine *engine = tape->part->sim->engine;
    const TapeQuick *quick = &tape->quick;
    if (!quick->n_probes) {
        run(tape, tape->units.n);
        return all_finite(tape);
    }
    for (uint32_t i = 0; i < quick->n_probes; i++) {
        const TapeCall *call = &quick->calls[quick->probes[i]];
        call->value.value(tape->value, call->slots, call->constants, &engine->env);
    }
    count_evaluation(engine, tape);
    return has_number(tape, quick->finite, quick->n_finite);
}

bool tape_slopes(Part *part, double time, const double *y, double *slopes)
{
    Tape *tape = tape_current(part);
    if (!tape)
        return false;
    load(tape, time, y, tape->quick.n_read);
    run_to(tape, tape->end[SECTION_DYNAMICS], tape->slopes.direct ? slopes : NULL);
    for (uint32_t i = 0; slopes && i < tape->quick.n_rest; i++)
        move(&tape->quick.rest[i], tape->value, slopes);
    tape->evaluated = true;
    part->sim->counts.residuals++;
    return true;
}

bool tape_is_latest(const Part *part)
{
    return part->code.tape && part->code.tape->evaluated;
}

void tape_outdated(Part *part)
{
    if (part->code.tape)
        part->code.tape->evaluated = false;
}

void tape_settle(Part *part)
{
    Sim *sim = part->sim;
    if (!tape_is_latest(part))
        return;
    sim->value[sim->clock] = part->code.tape->time;
    blocks_evaluate(part, NULL);
}

/* ---- dependence ---- */

bool tape_rows(Part *part, uint32_t *n, const DdpVar **rows)
{
    const Tape *tape = tape_current(part);
    for (uint32_t i = 0; tape && i < part->states.n; i++) {
        const DependSet *set = tape_sets_row(tape, part->states.at[i].slope);
        if (!set)
            return false;
        n[i] = set->n;
        rows[i] = set->var;
    }
    return tape != NULL;
}

/* ---- tangents ---- */

static void run_tangents(Tape *tape)
{
    Engine *engine = tape->part->sim->engine;
    double *values = tape->value, *tangents = tape->tangent;
    const TapeCall *calls = tape->quick.calls;
    for (uint32_t i = 0; i < tape->end[SECTION_DYNAMICS] && calls; i++)
        tape->quick.tangents[i].tangent(values, tangents, calls[i].slots, calls[i].constants,
                                        &engine->env);
    for (uint32_t i = 0; i < tape->end[SECTION_DYNAMICS] && !calls; i++) {
        const Unit *unit = &tape->units.at[tape->order.at[i]];
        JitCode code = block_code(&unit->code, JIT_TANGENT);
        if (unit->layout == JIT_SINGLE) {
            code.tangent(values, tangents, unit->slots, unit->code.constants, &engine->env);
            continue;
        }
        if (!unit->n_stretches) {
            gather(unit, values);
            gather(unit, tangents);
        }
        run_batch(unit, code, values, tangents, &engine->env);
    }
}

void tape_tangent(Part *part, double clock, const double *states, double *slopes)
{
    Tape *tape = part->code.tape;
    for (uint32_t i = 0; i < tape->quick.n_read; i++)
        move(&tape->quick.states[i], states, tape->tangent);
    if (tape->clock != NO_PLACE)
        tape->tangent[tape->clock] = clock;
    run_tangents(tape);
    for (uint32_t i = 0; i < tape->quick.n_slopes; i++)
        move(&tape->quick.slopes[i], tape->tangent, slopes);
}

/* ---- all values, for who looks at variables ---- */

/* Comparisons that are decided at their boundary (event_detect.c): a tape knows nothing of that.
 * Finds those of the part, in Sim.eval.tied; false when others could depend on them. They are among those
 * that the part watches; which of the two lists is the shorter depends on the model. */
static bool find_ties(Part *part)
{
    Sim *sim = part->sim;
    bool few = sim->eval.forced.n <= part->lists.watched.n;
    uint32_t count = few ? sim->eval.forced.n : part->lists.watched.n;
    vec_clear(&sim->eval.tied);
    for (uint32_t i = 0; i < count; i++) {
        DdpNode n = few ? sim->eval.forced.at[i] : part->lists.watched.at[i];
        const EvalNode *node = n < sim->nodes.n ? &sim->nodes.at[n] : NULL;
        if (!node || !node->live || node->part != part || !node->forced)
            continue;
        if (sim->info[node->ops[0].target].readers)
            return false;
        vec_push(sim->mem, &sim->eval.tied, n);
    }
    return part->lists.timers.n == 0;
}

bool tape_at_event(Part *part)
{
    return find_ties(part) && tape_slopes(part, part->now, NULL, NULL);
}

/* Dynamics and conditions; false: something has no number. */
static bool evaluate_all(Tape *tape, double time)
{
    double *value = tape->part->sim->value;
    if (!tape_fill(tape, value))
        load_states(tape, value, tape->quick.n_states);
    load_rest(tape, time);
    run(tape, tape->end[SECTION_CONDITIONS]);
    tape->evaluated = false;
    return tape_spread(tape, value) || all_finite(tape);
}

bool tape_evaluate(Part *part, double time, EvalHow how)
{
    Sim *sim = part->sim;
    Tape *tape = find_ties(part) ? tape_current(part) : NULL;
    if (!tape || !evaluate_all(tape, time))
        return false;
    for (uint32_t i = 0; i < sim->eval.tied.n; i++)
        evaluate_node(sim, sim->eval.tied.at[i], how);
    return true;
}

TapeView tape_view(Part *part, double time)
{
    const TapeView none = {0};
    Sim *sim = part->sim;
    Tape *tape = find_ties(part) && !sim->eval.tied.n ? tape_current(part) : NULL;
    if (!tape || !tape_fill(tape, sim->value))
        return none;
    load_rest(tape, time);
    run(tape, tape->end[SECTION_CONDITIONS]);
    tape->evaluated = false;
    return (TapeView){tape->value, tape->results.number};
}

/* ---- comparisons ---- */

/* False when one of them is about to leave its boundary, or has no value: that wants to be looked at
 * closely. What `left` of the dead is does not count. */
static bool remember(Tape *tape)
{
    for (uint32_t i = 0; i < tape->compares.n; i++) {
        const Compare *compare = tape->compares.at[i];
        bool dead = compare == &tape->compares.nobody;
        if (!dead && (compare->near || isnan(compare->left)))
            return false;
        tape->compares.left[i] = dead || compare->masked ? NAN : compare->left;
        tape->compares.low[i] = compare->low;
        tape->compares.lower[i] = compare->lower;
        tape->compares.swing[i] = compare->swing;
    }
    tape->remembered = tape->told = true;
    return true;
}

static bool any_changed(const Tape *tape)
{
    for (uint32_t s = 0; s < tape->quick.n_segments; s++) {
        const CompareSpan *span = &tape->quick.spans[s];
        const double *truth = tape->value + span->truth, *left = tape->compares.left + span->at;
        int changed = 0;
        for (uint32_t i = 0; i < span->n; i++)
            changed |= (truth[i] != left[i]) & (left[i] == left[i]);
        if (changed)
            return true;
    }
    return false;
}

static void note_differences(Tape *tape)
{
    for (uint32_t s = 0; s < tape->quick.n_segments; s++) {
        const CompareSpan *span = &tape->quick.spans[s];
        for (uint32_t i = 0; i < span->n; i++)
            tape->compares.low[span->at + i] =
                span->difference == NO_PLACE ? NAN : tape->value[span->difference + i];
    }
    tape->told = false;
}

static void note_truths(Tape *tape)
{
    for (uint32_t s = 0; s < tape->spans.n; s++) {
        const CompareSpan *span = &tape->spans.at[s];
        memcpy(tape->compares.left + span->at, tape->value + span->truth,
               span->n * sizeof *tape->compares.left);
    }
}

bool tape_remember(Part *part, double time)
{
    Tape *tape = part->code.likes_tapes && find_ties(part) ? tape_current(part) : NULL;
    if (!tape)
        return false;
    load(tape, time, NULL, tape->quick.n_states);
    run(tape, tape->units.n);
    tape->evaluated = false;
    note_truths(tape);
    note_differences(tape);
    for (uint32_t i = 0; i < tape->compares.n; i++) {
        if (tape->compares.at[i]->slot)
            tape->compares.left[i] = part->sim->value[tape->compares.at[i]->slot];
        tape->compares.at[i]->near = tape->compares.at[i]->masked = false;
        tape->compares.at[i]->left = tape->compares.left[i];
        tape->compares.at[i]->low = tape->compares.low[i];
    }
    tape->told = true; /* but not remembered: who comes later may change it */
    compare_remember(part->sim, &part->sim->eval.tied);
    return true;
}

/* Indices in Tape.compare of the comparisons of a node: one for each span of its unit. */
#define EACH_INDEX(tape, plan, k)                                                                  \
    for (uint32_t s_ = 0; s_ < (tape)->units.at[(plan)->unit].n_segments; s_++)                    \
        for (uint32_t                                                                              \
                 k = (tape)->spans.at[(tape)->units.at[(plan)->unit].span + s_].at + (plan)->at,   \
                 last_ = k + 1;                                                                    \
             k < last_; k++)

/* Nodes with a comparison that changed, each once, in the order of Part.watched. */
static void list_moved(Tape *tape, NodeList *moved)
{
    Sim *sim = tape->part->sim;
    vec_clear(moved);
    sim->mark++;
    for (uint32_t s = 0; s < tape->spans.n; s++) {
        const CompareSpan *span = &tape->spans.at[s];
        const double *truth = tape->value + span->truth, *left = tape->compares.left + span->at;
        for (uint32_t i = 0; i < span->n; i++) {
            DdpNode n = tape->compares.by[span->at + i];
            if (truth[i] == left[i] || isnan(left[i]) || sim->nodes.at[n].mark == sim->mark)
                continue;
            sim->nodes.at[n].mark = sim->mark;
            uint32_t at = moved->n; /* few: put in place */
            vec_push(sim->mem, moved, n);
            for (; at && sim->nodes.at[moved->at[at - 1]].in.watch > sim->nodes.at[n].in.watch;
                 at--)
                moved->at[at] = moved->at[at - 1];
            moved->at[at] = n;
        }
    }
    for (uint32_t i = 0; i < moved->n; i++) {
        const SegmentPlan *plan = sim->nodes.at[moved->at[i]].plan;
        EACH_INDEX (tape, plan, k)
            tape->compares.at[k]->low = tape->compares.low[k];
    }
}

/* `all`: slopes are wanted too. */
static bool probe_at(Tape *tape, double time, const double *y, bool all)
{
    load(tape, time, y, tape->quick.n_states);
    tape->evaluated = false;
    if (!all)
        return probe(tape);
    run(tape, tape->units.n);
    return all_finite(tape);
}

static const CompareSpan *segment_of(const Tape *tape, const SegmentPlan *plan, uint32_t i)
{
    return &tape->spans.at[tape->units.at[plan->unit].span + i];
}

static bool node_changed(const Tape *tape, const SegmentPlan *plan)
{
    bool any = false;
    for (uint32_t i = 0; i < tape->units.at[plan->unit].n_segments; i++) {
        const CompareSpan *span = segment_of(tape, plan, i);
        double left = tape->compares.left[span->at + plan->at];
        any |= tape->value[span->truth + plan->at] != left && !isnan(left);
    }
    return any;
}

/* As note_differences() of event_detect.c. */
static void note_node(Tape *tape, const SegmentPlan *plan, bool right)
{
    for (uint32_t i = 0; i < tape->units.at[plan->unit].n_segments; i++) {
        const CompareSpan *span = segment_of(tape, plan, i);
        uint32_t k = span->at + plan->at;
        double difference =
            span->difference == NO_PLACE ? NAN : tape->value[span->difference + plan->at];
        if (right) {
            tape->compares.at[k]->high = difference;
            tape->compares.at[k]->moved =
                tape->value[span->truth + plan->at] != tape->compares.left[k] &&
                !isnan(tape->compares.left[k]);
        } else {
            tape->compares.at[k]->low = difference;
        }
    }
}

bool tape_probes(const Part *part)
{
    return part->code.tape && part->code.tape->ready && part->code.tape->quick.n_probes > 0;
}

bool tape_look_moved(Part *part, double time, const double *y, const NodeList *moved, bool *changed)
{
    Sim *sim = part->sim;
    Tape *tape = tape_current(part);
    if (!tape || !tape->remembered || !probe_at(tape, time, y, false))
        return false;
    *changed = false;
    for (uint32_t i = 0; i < moved->n; i++)
        *changed |= node_changed(tape, sim->nodes.at[moved->at[i]].plan);
    for (uint32_t i = 0; i < moved->n; i++)
        note_node(tape, sim->nodes.at[moved->at[i]].plan, *changed);
    return true;
}

/* Between steps nobody holds on to a tape. */
static void close_worn(Part *part)
{
    const Tape *tape = part->code.tape;
    if (!tape || !tape->worth || !(tape->kept.again || tape_has_paid(tape)))
        return;
    tape_tell_compares(part);
    tape_close(part);
}

TapeLook tape_look(Part *part, double time, const double *y, NodeList *moved)
{
    close_worn(part);
    Tape *tape = tape_current(part);
    if (!tape || (!tape->remembered && !remember(tape)))
        return TAPE_BLIND;
    if (!probe_at(tape, time, y, part->fixed_steps))
        return TAPE_BLIND;
    if (any_changed(tape)) {
        list_moved(tape, moved);
        return TAPE_MOVED;
    }
    return TAPE_QUIET;
}

static LookBack looks_back(const Tape *tape, uint32_t k)
{
    return (LookBack){tape->compares.lower[k], tape->compares.low[k], tape->compares.swing[k],
                      tape->compares.at[k]->nominal};
}

static void note_swings(Part *part, double at)
{
    Tape *tape = part->code.tape;
    for (uint32_t s = 0; s < tape->quick.n_segments; s++) {
        const CompareSpan *span = &tape->quick.spans[s];
        for (uint32_t i = 0; i < span->n && span->difference != NO_PLACE; i++) {
            uint32_t k = span->at + i;
            tape->compares.swing[k] = looks_swing(&part->looks, at, looks_back(tape, k),
                                                  tape->value[span->difference + i]);
            tape->compares.lower[k] = tape->compares.low[k];
        }
    }
}

void tape_note_look(Part *part, double at)
{
    if (part->clocked)
        note_swings(part, at);
    note_differences(part->code.tape);
}

double tape_surprise(const Part *part, double at)
{
    const Tape *tape = part->code.tape;
    double most = 0;
    for (uint32_t s = 0; s < tape->quick.n_segments; s++) {
        const CompareSpan *span = &tape->quick.spans[s];
        for (uint32_t i = 0; i < span->n && span->difference != NO_PLACE; i++) {
            uint32_t k = span->at + i;
            if (!isnan(tape->compares.left[k]) && part->sim->nodes.at[tape->compares.by[k]].clocked)
                most = fmax(most, looks_surprise(&part->looks, at, looks_back(tape, k),
                                                 tape->value[span->difference + i]));
        }
    }
    return most;
}

void tape_hear_compares(Part *part, const NodeList *nodes)
{
    Tape *tape = part->code.tape;
    if (!tape || !tape->remembered || !tape_fits(part, tape))
        return;
    for (uint32_t i = 0; i < nodes->n; i++) {
        const SegmentPlan *plan = part->sim->nodes.at[nodes->at[i]].plan;
        if (!plan || plan->stamp != tape->stamp || !plan->shape)
            continue;
        EACH_INDEX (tape, plan, k) {
            bool blind = isnan(tape->compares.at[k]->left) || tape->compares.at[k]->near;
            tape->compares.left[k] =
                tape->compares.at[k]->masked ? NAN : tape->compares.at[k]->left;
            tape->compares.low[k] = tape->compares.at[k]->low;
            tape->compares.lower[k] = tape->compares.at[k]->lower;
            tape->compares.swing[k] = tape->compares.at[k]->swing;
            if (blind)
                tape->remembered = false;
        }
    }
}

void tape_last_slopes(const Part *part, double *slopes)
{
    const Tape *tape = part->code.tape;
    for (uint32_t i = 0; i < tape->quick.n_slopes; i++)
        move(&tape->quick.slopes[i], tape->value, slopes);
}

void tape_tell_compares(Part *part)
{
    Tape *tape = part->code.tape;
    if (!tape || !tape->remembered || tape->told || !tape_fits(part, tape))
        return;
    for (uint32_t i = 0; i < tape->compares.n; i++) {
        tape->compares.at[i]->low = tape->compares.low[i];
        tape->compares.at[i]->lower = tape->compares.lower[i];
        tape->compares.at[i]->swing = tape->compares.swing[i];
    }
    tape->told = true;
}
