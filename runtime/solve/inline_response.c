/* inline_response.c: linear blocks inside an iteration -> what they hand on as a linear function of what they read.
 *
 * Of six axes that hang on the hinges of an arm each reads the angle and the speed of its hinge, and hands on a torque. Its equations are linear with
 * constant factors, thirty of them with four unknowns: within a step the torque is a linear function of both, whose factors
 * are as constant as the matrix of the block. So rounds between the first and the last need two products instead of thirty equations.
 *
 * Requires that blocks have their lists and places. A block has a response where nothing that it determines, or reads of the
 * iteration, stands in its equations with a factor that moves.
 */
#include "runtime/solve/inline_step_int.h"

#include <math.h>
#include <string.h>

enum { IN_ROUNDS = 1, OWN = 2, LISTED = 4, NEEDED = 8, UNKNOWN = 16 };
enum { MOST_UNKNOWNS = 12, MOST_READ = 6 }; /* of a block with a response */

typedef struct Read {
    uint32_t place, position;
} Read;

/* An iterated block and those inside; it is the last. */
typedef struct Looking {
    InlineStep *step;
    StepBlock *group;
    uint32_t n;          /* blocks */
    uint8_t *mark;       /* [n_places] */
    uint32_t *reader;    /* [n_places]: number + 1 of the block that reads it; n + 1: several do */
    uint32_t *start;     /* [n + 1]: first item of each block */
    VEC(uint32_t) first; /* of each item: in reads */
    VEC(Read) reads;
    X zero;
} Looking;

static StepBlock *block_at(const Looking *l, uint32_t i)
{
    return i + 1 < l->n ? &l->step->blocks[l->group->of->inner_from + i] : l->group;
}

/* ---- who reads what ---- */

static void find_reads(Looking *l, const ShapeItem *item)
{
    const Sim *sim = l->step->sim;
    uint32_t n = x_positions(sim->forms, item->value);
    for (uint32_t k = 0; k < n; k++)
        if (x_uses(sim->forms, item->value, k))
            vec_push(sim->mem, &l->reads, ((Read){item->vars[k], k}));
}

static void read_block(Looking *l, uint32_t number)
{
    uint32_t n;
    const ShapeItem *items = list_code_items(block_at(l, number)->list, &n);
    l->start[number] = l->first.n;
    for (uint32_t i = 0; i < n; i++) {
        vec_push(l->step->sim->mem, &l->first, l->reads.n);
        find_reads(l, &items[i]);
        for (uint32_t k = vec_last(&l->first); k < l->reads.n; k++) {
            uint32_t *reader = &l->reader[l->reads.at[k].place];
            *reader = *reader && *reader != number + 1 ? l->n + 1 : number + 1;
        }
    }
}

static void mark_own(Looking *l, const StepBlock *block, uint8_t with)
{
    uint32_t n;
    const ShapeItem *items = list_code_items(block->list, &n);
    for (uint32_t i = 0; i < n; i++)
        l->mark[items[i].target] |= with;
    for (uint32_t i = 0; i < block->n; i++)
        l->mark[block->tears[i]] |= with | UNKNOWN;
}

static void unmark_own(Looking *l, const StepBlock *block, uint8_t what)
{
    uint32_t n;
    const ShapeItem *items = list_code_items(block->list, &n);
    for (uint32_t i = 0; i < n; i++)
        l->mark[items[i].target] &= (uint8_t)~what;
    for (uint32_t i = 0; i < block->n; i++)
        l->mark[block->tears[i]] &= (uint8_t)~what;
}

/* What blocks around the iteration read, and what steps hand on. */
static void mark_needed_outside(Looking *l)
{
    InlineStep *step = l->step;
    const InlineBlock *of = l->group->of;
    l->reads.n = 0;
    for (uint32_t b = 0; b < step->n_blocks; b++) {
        uint32_t n;
        const ShapeItem *items = list_code_items(step->blocks[b].list, &n);
        if ((b >= of->inner_from && b < of->inner_to) || &step->blocks[b] == l->group)
            continue;
        for (uint32_t i = 0; i < n; i++)
            find_reads(l, &items[i]);
    }
    for (uint32_t k = 0; k < l->reads.n; k++)
        l->mark[l->reads.at[k].place] |= NEEDED;
    l->reads.n = 0;
    for (uint32_t s = 0; s < step->plan->n_states; s++)
        for (uint32_t stage = 0; stage < step->stages; stage++) {
            l->mark[inline_place(step, step->plan->state[s], stage)] |= NEEDED;
            l->mark[inline_place(step, step->plan->slope[s], stage)] |= NEEDED;
        }
}

/* ---- responses ---- */

/* Does it change at events and with h only? */
static bool is_fixed(const InlineStep *step, uint32_t place)
{
    return place >= step->weights || step->plan->var[place % step->stride].role == INLINE_GIVEN;
}

static bool is_factor_fixed(const InlineStep *step, const ShapeItem *item, X factor)
{
    const Sim *sim = step->sim;
    uint32_t n = x_positions(sim->forms, factor);
    for (uint32_t k = 0; k < n; k++)
        if (x_uses(sim->forms, factor, k) && !is_fixed(step, item->vars[k]))
            return false;
    return true;
}

static bool is_item_linear(const Looking *l, const ShapeItem *item, uint32_t from, uint32_t to)
{
    FormTable *forms = l->step->sim->forms;
    uint32_t positions = 0;
    for (uint32_t k = from; k < to; k++)
        if (l->reads.at[k].position >= positions)
            positions = l->reads.at[k].position + 1;
    const FormInfo *info = form_info(forms, form_make(forms, item->value, l->zero, positions));
    for (uint32_t k = from; k < to; k++) {
        X factor = info->position[l->reads.at[k].position].factor;
        if ((l->mark[l->reads.at[k].place] & (OWN | IN_ROUNDS)) &&
            !(factor && is_factor_fixed(l->step, item, factor)))
            return false;
    }
    return true;
}

static bool is_linear(const Looking *l, uint32_t number)
{
    uint32_t n, first = l->start[number];
    const ShapeItem *items = list_code_items(block_at(l, number)->list, &n);
    for (uint32_t i = 0; i < n; i++)
        if (!is_item_linear(l, &items[i], l->first.at[first + i], l->first.at[first + i + 1]))
            return false;
    return true;
}

typedef VEC(uint32_t) Places;

static void list_in(Looking *l, uint32_t number, Places *in)
{
    uint32_t from = l->first.at[l->start[number]], to = l->first.at[l->start[number + 1]];
    for (uint32_t k = from; k < to; k++) {
        uint32_t place = l->reads.at[k].place;
        if ((l->mark[place] & (IN_ROUNDS | OWN | LISTED)) != IN_ROUNDS)
            continue;
        l->mark[place] |= LISTED;
        vec_push(l->step->sim->mem, in, place);
    }
}

/* What others inside the iteration read of it, then its unknowns. */
static uint32_t list_out(Looking *l, uint32_t number, Places *out)
{
    const StepBlock *block = block_at(l, number);
    uint32_t n;
    const ShapeItem *items = list_code_items(block->list, &n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t place = items[i].target, reader = l->reader[place];
        if (reader && reader != number + 1 && !(l->mark[place] & UNKNOWN))
            vec_push(l->step->sim->mem, out, place);
    }
    uint32_t read = out->n;
    for (uint32_t i = 0; i < block->n; i++)
        vec_push(l->step->sim->mem, out, block->tears[i]);
    return read;
}

static void make_response(InlineStep *step, StepBlock *block, const Places *in, const Places *out,
                          uint32_t n_read)
{
    InlineResponse *r = block->response = arena_alloc(&step->arena, sizeof *r);
    *r = (InlineResponse){.n_in = in->n, .n_out = out->n, .n_read = n_read};
    r->in = arena_alloc(&step->arena, (in->n + out->n) * sizeof *r->in);
    r->out = r->in + in->n;
    if (in->n)
        memcpy(r->in, in->at, in->n * sizeof *r->in);
    memcpy(r->out, out->at, out->n * sizeof *r->out);
    r->by = arena_alloc(&step->arena, ((size_t)out->n * in->n + 1) * sizeof *r->by);
    r->by_unknown =
        arena_alloc(&step->arena, ((size_t)n_read * block->n + 1) * sizeof *r->by_unknown);
    r->inverse = arena_alloc(&step->arena, (size_t)block->n * block->n * sizeof *r->inverse);
    r->then = arena_alloc(&step->arena, (in->n + out->n) * sizeof *r->then);
}

static void find_response(Looking *l, uint32_t number)
{
    InlineStep *step = l->step;
    StepBlock *block = block_at(l, number);
    Places in = {0}, out = {0};
    if (!block->n || block->n > MOST_UNKNOWNS || !block->of->constant)
        return;
    mark_own(l, block, OWN);
    if (is_linear(l, number)) {
        list_in(l, number, &in);
        uint32_t read = list_out(l, number, &out);
        if (in.n && in.n <= MOST_READ)
            make_response(step, block, &in, &out, read);
    }
    unmark_own(l, block, OWN);
    for (uint32_t i = 0; i < in.n; i++)
        l->mark[in.at[i]] &= (uint8_t)~LISTED;
    vec_free(step->sim->mem, &in);
    vec_free(step->sim->mem, &out);
}

/* ---- what is needed at the end ---- */

/* From the last block to the first. Explicit ones get a list of what is read behind them, if that is less than all. */
static void find_needed(Looking *l, uint32_t number)
{
    StepBlock *block = block_at(l, number);
    VEC(ShapeItem) needed = {0};
    Mem *mem = l->step->sim->mem;
    uint32_t n, first = l->start[number];
    const ShapeItem *items = list_code_items(block->list, &n);
    for (uint32_t i = n; i-- > 0;) {
        if (!block->n && !(l->mark[items[i].target] & NEEDED))
            continue;
        vec_push(mem, &needed, items[i]);
        for (uint32_t k = l->first.at[first + i]; k < l->first.at[first + i + 1]; k++)
            l->mark[l->reads.at[k].place] |= NEEDED;
    }
    for (uint32_t i = 0, k = needed.n; i + 1 < k; i++) {
        ShapeItem last = needed.at[--k];
        needed.at[k] = needed.at[i];
        needed.at[i] = last;
    }
    if (!block->n && needed.n < n)
        block->needed = list_code_open(l->step->sim, needed.n, needed.at);
    vec_free(mem, &needed);
}

/* ---- the whole ---- */

static void look_at_group(InlineStep *step, StepBlock *group)
{
    Mem *mem = step->sim->mem;
    const InlineBlock *of = group->of;
    uint32_t n = of->inner_to - of->inner_from + 1;
    Looking l = {.step = step, .group = group, .n = n, .zero = x_const(step->sim->forms, 0)};
    l.mark = mem_alloc(mem, step->n_places);
    l.reader = mem_alloc(mem, step->n_places * sizeof *l.reader);
    l.start = mem_alloc(mem, (n + 1) * sizeof *l.start);
    mark_needed_outside(&l);
    for (uint32_t i = 0; i < n; i++) {
        mark_own(&l, block_at(&l, i), IN_ROUNDS);
        read_block(&l, i);
    }
    l.start[n] = l.first.n;
    vec_push(mem, &l.first, l.reads.n);
    for (uint32_t i = 0; i + 1 < n; i++)
        find_response(&l, i);
    for (uint32_t i = n - 1; i-- > 0;)
        find_needed(&l, i);
    vec_free(mem, &l.first);
    vec_free(mem, &l.reads);
    mem_free(mem, l.mark);
    mem_free(mem, l.reader);
    mem_free(mem, l.start);
}

void inline_find_responses(InlineStep *step)
{
    for (uint32_t i = 0; i < step->n_blocks; i++)
        if (step->blocks[i].of->kind == INLINE_ITERATED)
            look_at_group(step, &step->blocks[i]);
}

/* ---- evaluation ---- */

/* What the residuals leave to be corrected, into block->right; the largest of it, relative to the largest unknown. NaN stays. */
double inline_response_left(InlineStep *step, const StepBlock *block)
{
    const double *inverse = block->response->inverse;
    double most = 0, size = 1e-300;
    for (uint32_t i = 0; i < block->n; i++) {
        double change = 0;
        for (uint32_t j = 0; j < block->n; j++)
            change += *inverse++ * step->value[block->residuals[j]];
        block->right[i] = change;
        most = fabs(change) <= most ? most : fabs(change);
        size = fmax(size, fabs(step->value[block->tears[i]]));
    }
    return most / size;
}

double inline_response_correct(InlineStep *step, const StepBlock *block)
{
    const InlineResponse *r = block->response;
    const double *by = r->by_unknown;
    double size = inline_response_left(step, block);
    for (uint32_t i = 0; i < block->n; i++)
        step->value[block->tears[i]] -= block->right[i];
    for (uint32_t k = 0; k < r->n_read; k++) {
        double change = 0;
        for (uint32_t j = 0; j < block->n; j++)
            change += *by++ * block->right[j];
        step->value[r->out[k]] -= change;
    }
    return size;
}

void inline_response_note(InlineStep *step, const StepBlock *block)
{
    const InlineResponse *r = block->response;
    for (uint32_t i = 0; i < r->n_in + r->n_out; i++)
        r->then[i] = step->value[r->in[i]];
}

void inline_response_apply(InlineStep *step, const StepBlock *block)
{
    const InlineResponse *r = block->response;
    for (uint32_t k = 0; k < r->n_out; k++) {
        double value = r->then[r->n_in + k];
        for (uint32_t i = 0; i < r->n_in; i++)
            value += r->by[k * r->n_in + i] * (step->value[r->in[i]] - r->then[i]);
        step->value[r->out[k]] = value;
    }
}
