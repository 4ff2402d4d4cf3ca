/* tape_spread.c: states in Sim.value -> a tape, and its results -> Sim.value, for who looks at all of them. */
#include "runtime/eval/tape_int.h"

#include <math.h>
#include <stdlib.h>

enum { MADE_AFTER = 16, LONG = 4 }; /* looks at one structure; results in a run, in the mean */

void tape_spread_forget(Tape *tape)
{
    tape->results.looks = 0;
    vec_clear(&tape->results.fill);
    vec_clear(&tape->results.spread);
    vec_clear(&tape->results.spread_runs);
}

void tape_spread_free(Mem *mem, Tape *tape)
{
    vec_free(mem, &tape->results.fill);
    vec_free(mem, &tape->results.spread);
    vec_free(mem, &tape->results.spread_runs);
}

/* A result, and how many others of its place come before it. */
typedef struct Copy {
    uint32_t rank, place;
    DdpVar var;
} Copy;

static int by_place(const void *a, const void *b)
{
    const Copy *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* Results of places that follow each other, as those of a batch do, become runs. */
static void make_spread(Tape *tape)
{
    Mem *mem = tape->part->sim->mem;
    uint32_t n = tape->results.all.n;
    uint32_t *count = mem_alloc(mem, (tape->n_places + 1) * sizeof *count);
    Copy *copy = mem_alloc(mem, (n + 1) * sizeof *copy);
    for (uint32_t i = 0; i < n; i++) {
        Input result = tape->results.all.at[i];
        copy[i] = (Copy){count[result.place]++, result.place, result.var};
    }
    qsort(copy, n, sizeof *copy, by_place);
    for (uint32_t i = 0; i < n; i++) {
        vec_push(mem, &tape->results.spread, copy[i].var);
        if (i > 0 && copy[i].rank == copy[i - 1].rank && copy[i].place == copy[i - 1].place + 1)
            vec_last(&tape->results.spread_runs).n++;
        else
            vec_push(mem, &tape->results.spread_runs,
                     ((Run){.from = copy[i].place, .to = i, .n = 1}));
    }
    mem_free(mem, count);
    mem_free(mem, copy);
    if (n < LONG * tape->results.spread_runs.n)
        vec_clear(&tape->results.spread_runs);
}

static void make_fill(Tape *tape)
{
    const PartState *states = tape->part->states.at;
    for (uint32_t i = 0; i < tape->states.n; i++) {
        Run run = tape->states.at[i];
        for (uint32_t k = 0; k < run.n; k++)
            vec_push(tape->part->sim->mem, &tape->results.fill,
                     ((Input){states[run.from + k].var, run.to + k}));
    }
}

bool tape_fill(Tape *tape, const double *value)
{
    if (tape->results.looks < MADE_AFTER && ++tape->results.looks == MADE_AFTER) {
        make_fill(tape);
        make_spread(tape);
        tape->results.number = ++tape->part->sim->engine->spreads;
    }
    const Input *at = tape->results.fill.at, *end = at + tape->results.fill.n;
    double *to = tape->value;
    for (; end - at >= 4; at += 4) {
        to[at[0].place] = value[at[0].var];
        to[at[1].place] = value[at[1].var];
        to[at[2].place] = value[at[2].var];
        to[at[3].place] = value[at[3].var];
    }
    for (; at < end; at++)
        to[at->place] = value[at->var];
    return tape->results.looks == MADE_AFTER;
}

void tape_view_places(const Part *part, uint32_t *place)
{
    const Tape *tape = part->code.tape;
    for (uint32_t i = 0; i < tape->inputs.n; i++)
        place[tape->inputs.at[i].var] = tape->inputs.at[i].place;
    for (uint32_t i = 0; i < tape->results.fill.n; i++)
        place[tape->results.fill.at[i].var] = tape->results.fill.at[i].place;
    for (uint32_t i = 0; i < tape->results.all.n; i++)
        place[tape->results.all.at[i].var] = tape->results.all.at[i].place;
}

/* A sum of what is not finite is not finite. */
static double spread_one_by_one(const Tape *tape, double *value)
{
    const double *from = tape->value;
    double sum = 0;
    for (const Input *at = tape->results.all.at, *end = at + tape->results.all.n; at < end; at++)
        sum += value[at->var] = from[at->place];
    return sum;
}

typedef double Pair __attribute__((vector_size(16), aligned(8), may_alias));

static double spread_run(uint32_t n, const double *from, const DdpVar *var, double *value)
{
    Pair sum = {0}, other = {0}; /* two, because each waits for its last addition */
    for (; n >= 4; n -= 4, from += 4, var += 4) {
        Pair a = *(const Pair *)from, b = *(const Pair *)(from + 2);
        value[var[0]] = a[0];
        value[var[1]] = a[1];
        value[var[2]] = b[0];
        value[var[3]] = b[1];
        sum += a;
        other += b;
    }
    sum += other;
    double rest = sum[0] + sum[1];
    while (n-- > 0)
        rest += value[*var++] = *from++;
    return rest;
}

bool tape_spread(const Tape *tape, double *value)
{
    double sum = 0;
    if (!tape->results.spread_runs.n)
        return isfinite(spread_one_by_one(tape, value));
    for (uint32_t i = 0; i < tape->results.spread_runs.n; i++) {
        Run run = tape->results.spread_runs.at[i];
        sum += spread_run(run.n, tape->value + run.from, tape->results.spread.at + run.to, value);
    }
    return isfinite(sum);
}
