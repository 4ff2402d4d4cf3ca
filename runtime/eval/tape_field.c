/* tape_field.c: what members of a batch read, neighbours of each other -> places in the order of declaration.
 *
 * T[i-1], T[i] and T[i+1] are three slots of one batch, and most variables stand at all of them. As elements of an array are declared one behind the other, edges
 * included, places in that order make rows of what members in a row read, at every slot: they are arrays, or stretches
 * (tape_stretch.c). Slots that share no variables are fields of their own. */
#include "runtime/eval/tape_int.h"

enum {
    SLOT = 0x80000000u, /* | slot, instead of a place: it was found there, and has none yet */
    SPARSE = 64         /* variables for one that belongs to a field, at most */
};

typedef struct Field {
    uint32_t slots, vars;
    DdpVar from, to; /* they lie in from..to */
} Field;

typedef struct Fields {
    TapeVar *var;
    uint32_t stamp;
    SegmentPlan *const *plan;
    uint32_t n;
    const bool *fresh;
    uint32_t *same; /* [slot]: another one of the same field, or itself */
    Field *at;      /* [slot] that is its own `same` */
} Fields;

static uint32_t field_of(const Fields *f, uint32_t slot)
{
    while (f->same[slot] != slot)
        slot = f->same[slot];
    return slot;
}

static void join(Fields *f, uint32_t a, uint32_t b)
{
    Field *to = &f->at[a], *from = &f->at[b];
    if (a == b)
        return;
    f->same[b] = a;
    to->slots += from->slots;
    to->vars += from->vars;
    to->from = from->from < to->from ? from->from : to->from;
    to->to = from->to > to->to ? from->to : to->to;
}

static void find(Fields *f, uint32_t slot)
{
    f->same[slot] = slot;
    f->at[slot] = (Field){.slots = 1, .from = UINT32_MAX};
    for (uint32_t i = 0; i < f->n; i++) {
        DdpVar v = f->plan[i]->origin[slot];
        Field *field = &f->at[field_of(f, slot)];
        if (f->var[v].place != NO_PLACE) {
            join(f, field_of(f, f->var[v].place & ~(uint32_t)SLOT), field_of(f, slot));
            continue;
        }
        f->var[v].place = SLOT | slot;
        field->vars++;
        field->from = v < field->from ? v : field->from;
        field->to = v > field->to ? v : field->to;
    }
}

/* Variables of a field: places from `first` on, or none. */
static void place(const Fields *f, uint32_t field, uint32_t first)
{
    for (DdpVar v = f->at[field].from; v <= f->at[field].to; v++)
        if (f->var[v].stamp == f->stamp && f->var[v].place >= SLOT && f->var[v].place != NO_PLACE &&
            field_of(f, f->var[v].place & ~(uint32_t)SLOT) == field)
            f->var[v].place = first == NO_PLACE ? NO_PLACE : first++;
}

static bool goes_on(const Fields *f, uint32_t slot, uint32_t i)
{
    return f->var[f->plan[i]->origin[slot]].place == f->var[f->plan[i - 1]->origin[slot]].place + 1;
}

/* Are rows of members long, now that there are places? */
static bool has_rows(const Fields *f, uint32_t field)
{
    uint32_t rows = 1;
    for (uint32_t i = 1; i < f->n; i++) {
        bool more = true;
        for (uint32_t s = 0; s < f->plan[0]->n && more; s++)
            more = !f->fresh[s] || field_of(f, s) != field || goes_on(f, s, i);
        rows += !more;
    }
    return (uint64_t)rows * STRETCH_FROM <= f->n;
}

static void take_back(const Fields *f, uint32_t field)
{
    for (uint32_t s = 0; s < f->plan[0]->n; s++)
        for (uint32_t i = 0; i < f->n && f->fresh[s] && field_of(f, s) == field; i++)
            f->var[f->plan[i]->origin[s]].place = NO_PLACE;
}

/* Do most variables of a field stand at several slots, and is it no small part of what lies between its ends? */
static bool is_one(const Fields *f, uint32_t field)
{
    const Field *at = &f->at[field];
    return 4 * (uint64_t)at->vars <= 3 * (uint64_t)at->slots * f->n &&
           at->to - at->from < (uint64_t)SPARSE * at->vars;
}

uint32_t tape_field(Sim *sim, SegmentPlan *const *plan, uint32_t n, const bool *fresh,
                    uint32_t first)
{
    Engine *engine = sim->engine;
    uint32_t n_slots = plan[0]->n, places = 0;
    Fields f = {engine->tape_var.at, engine->stamp, plan, n, fresh, NULL, NULL};
    f.same = mem_alloc(sim->mem, (n_slots + 1) * sizeof *f.same);
    f.at = mem_alloc(sim->mem, (n_slots + 1) * sizeof *f.at);
    for (uint32_t s = 0; s < n_slots; s++)
        if (fresh[s])
            find(&f, s);
    for (uint32_t s = 0; s < n_slots; s++) {
        if (!fresh[s] || f.same[s] != s)
            continue;
        if (!is_one(&f, s)) {
            take_back(&f, s);
            continue;
        }
        place(&f, s, first + places);
        if (has_rows(&f, s))
            places += f.at[s].vars;
        else
            take_back(&f, s);
    }
    mem_free(sim->mem, f.same);
    mem_free(sim->mem, f.at);
    return places;
}
