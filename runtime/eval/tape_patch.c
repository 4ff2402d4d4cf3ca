/* tape_patch.c: segments that came and went -> the same tape, changed where they are.
 *
 * A structural change touches a few segments among thousands, so the tape is not made anew:
 *
 * - Dead: the batch of a segment that went goes on computing it. Nobody reads the result: whoever reads
 *   a variable that it determined is found through the readers of the variable.
 * - New: a segment that came is a unit of its own, at the level above what it reads, and writes to
 *   places that nobody had before. So does a segment whose batch would read the wrong place or run too
 *   early now.
 * - Patched: a segment that reads a variable whose place changed finds it by a table, by a gather or as
 *   the only member of its unit: then the place is exchanged.
 *
 * Segments are looked at in the order of the schedule, dynamics first, each at most once: what a segment
 * gives away only concerns segments behind it. The cost that is left for all states of the part is
 * that of lists of runs.
 *
 * Each evaluation pays for the dead and the new, which run one by one. When together they have paid
 * for a new tape (PAID), or are as many as all (the tape has doubled), it is made anew, at an event
 * or after a step: so a tape that is evaluated often is dense, and one that changes at every other
 * step is hardly ever made.
 *
 * Requires that the orders are settled. Maintains B1..B4 (tape_verify.c).
 */
#include "runtime/eval/tape_int.h"

#include <string.h>

enum {
    SMALL = 256, /* members: below, a new tape is as cheap */
    PAID = 32    /* a new tape costs for each member as much as so many evaluations of one alone */
};

typedef struct Patch {
    Sim *sim;
    Engine *engine;
    Part *part;
    Tape *tape;
    VEC(Segment *) queue[2]; /* [section]: heaps, first in the schedule first */
    NodeList compares;       /* nodes whose comparisons are to be looked at */
    bool failed;             /* it has to be made anew */
} Patch;

/* ---- what goes ---- */

static void forget_var(Tape *tape, DdpVar var)
{
    Sim *sim = tape->part->sim;
    TapeVar *vars = sim->engine->tape_var.at;
    if (vars[var].stamp != tape->stamp)
        return;
    vars[var].stamp = 0;
    vec_push(sim->mem, &tape->patched.changed, var);
    if (!vars[var].result)
        return;
    Input last = vec_pop(&tape->results.all);
    if (last.var != var) {
        tape->results.all.at[vars[var].result - 1] = last;
        vars[last.var].result = vars[var].result;
    }
}

/* The batch goes on with a member that nobody asks for. */
static void bury(Tape *tape, SegmentPlan *plan)
{
    if (plan->unit == NO_UNIT)
        return;
    Unit *unit = &tape->units.at[plan->unit];
    unit->member[plan->at] = NULL;
    tape->patched.n_dead++;
    for (uint32_t s = unit->span; s < unit->span + unit->n_segments; s++)
        tape->compares.at[tape->spans.at[s].at + plan->at] = &tape->compares.nobody;
}

static void leave(Tape *tape, SegmentPlan *plan)
{
    if (!plan || plan->stamp != tape->stamp)
        return;
    for (uint32_t s = 0; s < plan->n; s++)
        if (plan->shape->role[s] == SLOT_STORED && !(plan->var[s] & HIDDEN))
            forget_var(tape, plan->var[s]);
    for (uint32_t i = 0; i < plan->n_copies; i++)
        forget_var(tape, plan->copy[2 * i]);
    bury(tape, plan);
    plan->stamp = 0;
}

void tape_segment_leaves(Sim *sim, const Segment *segment)
{
    (void)sim;
    Tape *tape = segment->chunk->order->tape;
    if (tape && tape_may_return(tape))
        tape_put_away(tape->part);
    else if (tape && segment->plan)
        leave(tape, segment->plan);
}

void tape_compares_leave(Part *part, const EvalNode *node)
{
    if (!part->code.tape || !node->in.watch)
        return;
    if (tape_may_return(part->code.tape))
        tape_put_away(part);
    else
        leave(part->code.tape, node->plan);
}

void tape_compares_come(Part *part, DdpNode node)
{
    if (part->code.tape && part->code.tape->worth)
        vec_push(part->sim->mem, &part->code.tape->patched.compared, node);
}

/* ---- who has to be looked at ---- */

static bool is_before(const Patch *p, const Segment *a, const Segment *b)
{
    return ddp_before(p->sim->ddp, a->nodes.at[0], b->nodes.at[0]);
}

static void queue_segment(Patch *p, Segment *segment)
{
    if (segment->queued == p->engine->patches)
        return;
    segment->queued = p->engine->patches;
    int section = segment->chunk->order == &p->part->orders[SECTION_CONDITIONS];
    vec_push(p->sim->mem, &p->queue[section], segment);
    Segment **heap = p->queue[section].at;
    uint32_t i = p->queue[section].n - 1;
    for (; i && is_before(p, segment, heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = segment;
}

static Segment *next_segment(Patch *p, int section)
{
    Segment **heap = p->queue[section].at, *first = heap[0], *last = vec_pop(&p->queue[section]);
    uint32_t n = p->queue[section].n, i = 0;
    for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && is_before(p, heap[child + 1], heap[child]);
        if (!is_before(p, heap[child], last))
            break;
        heap[i] = heap[child];
    }
    if (n)
        heap[i] = last;
    return first;
}

static void queue_compares(Patch *p, DdpNode n)
{
    EvalNode *node = &p->sim->nodes.at[n];
    if (!node->live || node->part != p->part || !node->in.watch || node->mark == p->sim->mark)
        return;
    node->mark = p->sim->mark;
    vec_push(p->sim->mem, &p->compares, n);
}

static void queue_readers(Patch *p, DdpVar var)
{
    for (const ReadEdge *edge = p->sim->info[var].readers; edge; edge = edge->next) {
        const EvalNode *node = &p->sim->nodes.at[edge->node];
        if (node->part != p->part || !node->segment)
            continue;
        queue_segment(p, node->segment);
        queue_compares(p, edge->node);
    }
}

/* ---- variables ---- */

static TapeVar *at_var(const Patch *p, DdpVar var)
{
    return &p->engine->tape_var.at[var];
}

static uint32_t new_place(Patch *p)
{
    if (p->tape->n_places == p->tape->room_places)
        tape_more_places(p->tape);
    return p->tape->n_places++;
}

static void begin_var(const Patch *p, DdpVar var, DdpVar origin, uint32_t level)
{
    TapeVar *at = at_var(p, var);
    uint32_t result = at->stamp == p->tape->stamp ? at->result : 0;
    at->stamp = p->tape->stamp;
    at->origin = origin;
    at->level = level;
    at->read = false;
    at->place = NO_PLACE;
    at->result = result;
    at->set = 0;
}

static bool is_state(const Patch *p, DdpVar var)
{
    return at_var(p, var)->state_stamp == p->tape->stamp;
}

/* Of a variable that is its own origin. */
static uint32_t place_of(Patch *p, DdpVar var)
{
    TapeVar *at = at_var(p, var);
    Tape *tape = p->tape;
    if (at->place != NO_PLACE)
        return at->place;
    if (var == p->sim->clock && tape->clock != NO_PLACE)
        return at->place = tape->clock;
    at->place = new_place(p);
    if (var == p->sim->clock)
        tape->clock = at->place;
    else if (!is_state(p, var))
        vec_push(p->sim->mem, &tape->inputs, ((Input){var, at->place}));
    return at->place;
}

static uint32_t read_place(Patch *p, DdpVar var, uint8_t section)
{
    uint32_t place = place_of(p, var);
    at_var(p, var)->read |= section == SECTION_DYNAMICS;
    return place;
}

/* A variable that the tape does not know comes from outside. */
static TapeVar *origin_of(const Patch *p, DdpVar var)
{
    if (at_var(p, var)->stamp != p->tape->stamp) {
        begin_var(p, var, var, 0);
        at_var(p, var)->patch = p->engine->patches;
    }
    return at_var(p, at_var(p, var)->origin);
}

static void set_result(Patch *p, DdpVar var, uint32_t place)
{
    TapeVar *at = at_var(p, var);
    if (!at->result) {
        vec_push(p->sim->mem, &p->tape->results.all, ((Input){.var = var}));
        at->result = p->tape->results.all.n;
    }
    p->tape->results.all.at[at->result - 1].place = place;
}

/* It is found elsewhere, or later, than before. */
static void announce(Patch *p, DdpVar var)
{
    at_var(p, var)->patch = p->engine->patches;
    queue_readers(p, var);
}

/* ---- one block ---- */

static uint32_t level_of(const Patch *p, SegmentPlan *plan)
{
    uint32_t level = 0;
    for (uint32_t s = 0; s < plan->n; s++) {
        plan->origin[s] = plan->var[s];
        if (plan->shape->role[s] != SLOT_READ)
            continue;
        const TapeVar *at = origin_of(p, plan->var[s]);
        plan->origin[s] = at->origin;
        level = at->level > level ? at->level : level;
    }
    return level + 1;
}

/* Where a member's place at a slot is written down, NULL: it follows from those of others. */
static uint32_t *entry_of(const Unit *unit, uint32_t slot, uint32_t i)
{
    if (unit->layout == JIT_TABLES)
        return &unit->slots[(size_t)i * unit->stride + slot];
    if (unit->layout == JIT_SINGLE)
        return &unit->slots[slot];
    for (uint32_t g = 0; g < unit->n_gathers; g++)
        if (unit->gathers[g].to == unit->slots[slot])
            return &unit->gathers[g].from[i];
    return NULL;
}

/* False: it reads something where its batch will not look for it. */
static bool exchange_places(Patch *p, const SegmentPlan *plan)
{
    Unit *unit = &p->tape->units.at[plan->unit];
    for (uint32_t s = 0; s < plan->n; s++) {
        if (plan->shape->role[s] != SLOT_READ)
            continue;
        uint32_t place = read_place(p, plan->origin[s], unit->section);
        uint32_t *entry = entry_of(unit, s, plan->at);
        if (entry && *entry != place)
            unit->n_stretches = 0;
        if (entry)
            *entry = place;
        else if (place != unit->slots[s] + (unit->common[s] ? 0 : plan->at))
            return false;
    }
    return true;
}

static void add_segments(Patch *p, const EvalNode *node, Unit *unit)
{
    Tape *tape = p->tape;
    const SegmentPlan *plan = unit->member[0];
    unit->span = tape->spans.n;
    for (uint32_t s = 0; s < plan->n; s++) {
        if (plan->shape->role[s] != SLOT_STORED || (plan->var[s] & 1))
            continue;
        CompareSpan span = {unit->slots[s], NO_PLACE, 1, tape->compares.n};
        for (uint32_t d = 0; d < plan->n; d++)
            if (plan->shape->role[d] == SLOT_STORED && plan->var[d] == (plan->var[s] | 1))
                span.difference = unit->slots[d];
        if (tape->compares.n == tape->compares.room)
            tape_more_compares(tape, tape->compares.n + 1);
        tape->compares.by[tape->compares.n] = (DdpNode)(node - p->sim->nodes.at);
        tape->compares.at[tape->compares.n++] =
            &node->compare[(plan->var[s] & ~(uint32_t)HIDDEN) / 2];
        vec_push(p->sim->mem, &tape->spans, span);
    }
    unit->n_segments = tape->spans.n - unit->span;
}

static void write_var(Patch *p, DdpVar var, uint32_t level, uint32_t place)
{
    begin_var(p, var, var, level);
    at_var(p, var)->place = place;
    set_result(p, var, place);
    announce(p, var);
}

/* A unit of its own, which writes to new places. `node`: whose comparisons they are. */
static void add_unit(Patch *p, uint8_t section, uint32_t level, SegmentPlan *plan,
                     const EvalNode *node)
{
    Tape *tape = p->tape;
    Arena *arena = &tape->arena;
    Unit unit = {.shape = plan->shape,
                 .code.constants = plan->constants,
                 .layout = JIT_SINGLE,
                 .section = section,
                 .probe = plan->segment && plan->segment->probe,
                 .level = level,
                 .n = 1};
    unit.slots = arena_alloc(arena, (plan->n + 1) * sizeof *unit.slots);
    unit.common = arena_alloc(arena, plan->n + 1);
    unit.member = arena_alloc(arena, sizeof *unit.member);
    unit.member[0] = plan;
    plan->stamp = tape->stamp;
    plan->unit = tape->units.n;
    plan->at = 0;
    for (uint32_t s = 0; s < plan->n; s++) {
        if (plan->shape->role[s] == SLOT_READ)
            unit.slots[s] = read_place(p, plan->origin[s], section);
        else
            unit.slots[s] = plan->shape->role[s] == SLOT_FUNCTION ? plan->var[s] : new_place(p);
        if (plan->shape->role[s] == SLOT_STORED && !node)
            write_var(p, plan->var[s], level, unit.slots[s]);
    }
    if (node)
        add_segments(p, node, &unit);
    vec_push(p->sim->mem, &tape->units, unit);
    tape->patched.n_added++;
}

/* A unit of one member may run later. */
static void put_off(Patch *p, const SegmentPlan *plan, uint32_t level)
{
    p->tape->units.at[plan->unit].level = level;
    for (uint32_t s = 0; s < plan->n; s++)
        if (plan->shape->role[s] == SLOT_STORED && !(plan->var[s] & HIDDEN)) {
            at_var(p, plan->var[s])->level = level;
            announce(p, plan->var[s]);
        }
}

static void place_block(Patch *p, uint8_t section, SegmentPlan *plan, const EvalNode *node)
{
    uint32_t level = level_of(p, plan);
    if (plan->stamp != p->tape->stamp) {
        add_unit(p, section, level, plan, node);
        return;
    }
    const Unit *unit = &p->tape->units.at[plan->unit];
    bool late = level > unit->level, alone = unit->n == 1;
    if ((!late || alone) && exchange_places(p, plan)) {
        if (late)
            put_off(p, plan, level);
        return;
    }
    bury(p->tape, plan);
    add_unit(p, section, level, plan, node);
}

static void place_copies(Patch *p, const SegmentPlan *plan)
{
    for (uint32_t i = 0; i < plan->n_copies; i++) {
        DdpVar to = plan->copy[2 * i];
        const TapeVar *origin = origin_of(p, plan->copy[2 * i + 1]), *at = at_var(p, to);
        DdpVar var = origin->origin;
        if (at->stamp == p->tape->stamp && at->origin == var && at->level == origin->level &&
            origin->patch != p->engine->patches)
            continue;
        begin_var(p, to, var, origin->level);
        set_result(p, to, place_of(p, var));
        announce(p, to);
    }
}

static void set_changed(void *context, DdpVar var)
{
    queue_readers(context, var);
}

static void place_segment(Patch *p, uint8_t section, Segment *segment)
{
    if (!segment->plan) {
        p->failed |= p->sim->nodes.at[segment->nodes.at[0]].loop;
        if (p->failed)
            return;
        segment->plan = tape_plan_segment(p->sim, segment);
    }
    SegmentPlan *plan = segment->plan;
    if (plan->shape) {
        place_block(p, section, plan, NULL);
    } else {
        plan->stamp = p->tape->stamp;
        plan->unit = NO_UNIT;
    }
    place_copies(p, plan);
    if (section == SECTION_DYNAMICS)
        tape_sets_pass(p->tape, segment, set_changed, p);
}

static void place_compares(Patch *p, DdpNode n)
{
    EvalNode *node = &p->sim->nodes.at[n];
    if (!node->plan)
        node->plan = tape_plan_compares(p->sim, node);
    if (node->plan->shape)
        place_block(p, SECTION_COMPARES, node->plan, node);
}

/* ---- states ---- */

static void end_state(Patch *p, DdpVar var)
{
    TapeVar *at = at_var(p, var);
    if (at->stamp == p->tape->stamp)
        at->stamp = 0;
    if (at->state_stamp == p->tape->stamp)
        at->state_stamp = 0;
    vec_push(p->sim->mem, &p->tape->patched.changed, var);
}

static void begin_state(Patch *p, DdpVar var)
{
    at_var(p, var)->state_stamp = p->tape->stamp;
    begin_var(p, var, var, 0);
    at_var(p, var)->patch = p->engine->patches;
    vec_push(p->sim->mem, &p->tape->patched.changed, var);
}

/* Both lists ascend. */
static void compare_states(Patch *p)
{
    Tape *tape = p->tape;
    const Part *part = p->part;
    uint32_t i = 0, k = 0;
    while (i < tape->patched.known.n || k < part->states.n) {
        DdpVar old = i < tape->patched.known.n ? tape->patched.known.at[i] : UINT32_MAX;
        DdpVar now = k < part->states.n ? part->states.at[k].var : UINT32_MAX;
        if (old < now)
            end_state(p, old);
        else if (now < old)
            begin_state(p, now);
        i += old <= now;
        k += now <= old;
    }
    vec_clear(&tape->patched.known);
    vec_reserve(p->sim->mem, &tape->patched.known, part->states.n);
    for (k = 0; k < part->states.n; k++)
        tape->patched.known.at[k] = part->states.at[k].var;
    tape->patched.known.n = part->states.n;
}

static void connect_states(Patch *p, bool dynamics)
{
    Tape *tape = p->tape;
    for (uint32_t i = 0; i < p->part->states.n; i++) {
        const TapeVar *at = at_var(p, p->part->states.at[i].var);
        if (at->place != NO_PLACE && (at->read || at->place < tape->n_read_places) == dynamics)
            tape_add_run(p->sim->mem, &tape->states, i, at->place);
    }
}

static void connect(Patch *p)
{
    Tape *tape = p->tape;
    vec_clear(&tape->states);
    vec_clear(&tape->slopes.all);
    for (uint32_t i = 0; i < p->part->states.n; i++) {
        DdpVar slope = origin_of(p, p->part->states.at[i].slope)->origin;
        tape_add_run(p->sim->mem, &tape->slopes.all, read_place(p, slope, SECTION_DYNAMICS), i);
    }
    connect_states(p, true);
    tape->n_read = tape->states.n;
    connect_states(p, false);
}

/* ---- all of it ---- */

static void look_at_all(Patch *p)
{
    Tape *tape = p->tape;
    for (int which = 0; which < 2; which++)
        for (uint32_t i = 0; i < p->part->orders[which].fresh.n; i++)
            if (p->part->orders[which].fresh.at[i])
                queue_segment(p, p->part->orders[which].fresh.at[i]);
    for (uint32_t i = 0; i < tape->patched.compared.n; i++)
        queue_compares(p, tape->patched.compared.at[i]);
    for (uint32_t i = 0; i < tape->patched.changed.n; i++)
        queue_readers(p, tape->patched.changed.at[i]);
    for (uint8_t section = SECTION_DYNAMICS; section <= SECTION_CONDITIONS; section++)
        while (p->queue[section].n && !p->failed)
            place_segment(p, section, next_segment(p, section));
    for (uint32_t i = 0; i < p->compares.n && !p->failed; i++)
        place_compares(p, p->compares.at[i]);
}

static void finish(Patch *p)
{
    Tape *tape = p->tape;
    tape->version[0] = p->part->orders[0].version;
    tape->version[1] = p->part->orders[1].version;
    tape->version[2] = p->part->states_version;
    vec_clear(&tape->patched.changed);
    vec_clear(&tape->patched.compared);
    node_order_forget_fresh(&p->part->orders[0]);
    node_order_forget_fresh(&p->part->orders[1]);
    tape->ready = tape->tangents_ready = false;
    tape->loaded = tape->remembered = tape->evaluated = tape->slopes.direct = false;
    tape_order(tape);
    tape_verify(tape);
}

bool tape_has_paid(const Tape *tape)
{
    return tape->patched.paid > (uint64_t)PAID * tape->patched.n_members;
}

static bool is_worn(const Tape *tape)
{
    const Part *part = tape->part;
    if (part->sim->opt.batch_from != 0) /* small models are used for tests */
        return false;
    uint32_t fresh = part->orders[0].fresh.n + part->orders[1].fresh.n;
    return tape->patched.n_members < SMALL ||
           fresh + tape->patched.n_added + tape->patched.n_dead > tape->patched.n_members ||
           tape_has_paid(tape);
}

bool tape_patch(Tape *tape)
{
    Part *part = tape->part;
    Sim *sim = part->sim;
    Patch p = {.sim = sim, .engine = sim->engine, .part = part, .tape = tape};
    if (is_worn(tape))
        return false;
    sim->engine->patches++;
    sim->mark++;
    tape_fixed_drop(sim->engine, tape);
    tape_need_vars(sim->engine);
    compare_states(&p);
    look_at_all(&p);
    if (!p.failed)
        connect(&p);
    if (!p.failed)
        finish(&p);
    vec_free(sim->mem, &p.queue[0]);
    vec_free(sim->mem, &p.queue[1]);
    vec_free(sim->mem, &p.compares);
    return !p.failed;
}
