/* inline_cut.c: a loop that is not linear -> the variables that are iterated.
 *
 * A variable that is iterated counts as known, and the relation that determined it becomes a residual: what is left is
 * determined as before. It falls into strong components, and those that are linear in their own variables are solved
 * without iteration, whatever their size. So variables are chosen, one after the other, that leave the fewest relations
 * in components that are not, the modeller's hints before all others; between equals a derivative rather than a state (with h = 0 the equations are then those
 * of the model; dividing by h is never needed), and the first.
 *
 * Each choice tries every candidate, with one pass of Tarjan's algorithm over the loop. In large loops only those are
 * candidates in which some relation is not linear, and MOST_TRIED of them at most. Hints that are all needed, in whatever order, are
 * cut without that.
 */
#include "runtime/solve/inline_plan.h"

#include <string.h>

enum { MOST_TRIED = 400 };

/* Relation `member` is not linear in variable a; or a stands in the factor of variable b. */
typedef struct Bend {
    uint32_t member, a, b;
} Bend;

typedef struct Cutting {
    Mem *mem;
    uint32_t n;
    const InlineMember *members;
    bool *cut;
    uint32_t *first; /* [n + 1]: variables that relation i names begin here in `reads` */
    VEC(uint32_t) reads;
    VEC(Bend) bends;
    uint32_t *component; /* [n], UINT32_MAX: of none */
    uint32_t *size;      /* [n]: of component c */
    uint32_t *done;      /* members in the order of their components, each behind what it reads */
    uint32_t *low, *order, *stack, *work, *next;
    bool *bent; /* [n]: component c is not linear */
} Cutting;

/* ---- what is known of the loop ---- */

static void note_bends(Cutting *c, FormTable *forms, uint32_t i, const FormInfo *info,
                       const uint32_t *index)
{
    for (uint32_t k = 0; k < info->n; k++) {
        const FormPosition *position = &info->position[k];
        if (!index[k] || !position->occurs)
            continue;
        if (!position->factor)
            vec_push(c->mem, &c->bends, ((Bend){i, index[k] - 1, index[k] - 1}));
        for (uint32_t m = 0; position->factor_uses && m < info->n; m++)
            if (index[m] && form_factor_uses(forms, position, m))
                vec_push(c->mem, &c->bends, ((Bend){i, index[k] - 1, index[m] - 1}));
    }
}

static void read_loop(Cutting *c, FormTable *forms, uint32_t n_vars, const InlineRel *rels)
{
    uint32_t *index_of = mem_alloc(c->mem, n_vars * sizeof *index_of);
    VEC(uint32_t) index = {0}; /* of what the relation at hand names: member + 1 */
    for (uint32_t i = 0; i < c->n; i++)
        index_of[c->members[i].var] = i + 1;
    for (uint32_t i = 0; i < c->n; i++) {
        const InlineRel *rel = &rels[c->members[i].rel];
        const FormInfo *info = form_info(forms, rel->form);
        c->first[i] = c->reads.n;
        vec_clear(&index);
        for (uint32_t k = 0; k < rel->n; k++) {
            vec_push(c->mem, &index, rel->vars[k] ? index_of[rel->vars[k]] : 0);
            if (index.at[k] && info->position[k].occurs && index.at[k] - 1 != i)
                vec_push(c->mem, &c->reads, index.at[k] - 1);
        }
        note_bends(c, forms, i, info, index.at);
        if (c->members[i].must)
            vec_push(c->mem, &c->bends, ((Bend){i, i, i}));
    }
    c->first[c->n] = c->reads.n;
    vec_free(c->mem, &index);
    mem_free(c->mem, index_of);
}

/* ---- strong components of what is not cut ---- */

typedef struct Walk {
    uint32_t visited, n_stack, n_work, n_done, components;
} Walk;

static void enter(Cutting *c, Walk *w, uint32_t i)
{
    c->order[i] = c->low[i] = ++w->visited;
    c->next[i] = c->first[i];
    c->stack[w->n_stack++] = i;
    c->work[w->n_work++] = i;
}

static void leave(Cutting *c, Walk *w, uint32_t i)
{
    w->n_work--;
    if (w->n_work && c->low[i] < c->low[c->work[w->n_work - 1]])
        c->low[c->work[w->n_work - 1]] = c->low[i];
    if (c->low[i] != c->order[i])
        return;
    uint32_t member, count = 0;
    do {
        member = c->stack[--w->n_stack];
        c->component[member] = w->components;
        c->done[w->n_done++] = member;
        count++;
    } while (member != i);
    c->size[w->components++] = count;
}

static void walk_from(Cutting *c, Walk *w, uint32_t root)
{
    enter(c, w, root);
    while (w->n_work) {
        uint32_t i = c->work[w->n_work - 1];
        if (c->next[i] == c->first[i + 1]) {
            leave(c, w, i);
            continue;
        }
        uint32_t j = c->reads.at[c->next[i]++];
        if (c->cut[j])
            continue;
        if (!c->order[j])
            enter(c, w, j);
        else if (c->component[j] == UINT32_MAX && c->order[j] < c->low[i])
            c->low[i] = c->order[j];
    }
}

/* How many relations lie in components that are not linear. */
static uint32_t judge(Cutting *c)
{
    Walk w = {0};
    uint32_t count = 0;
    memset(c->order, 0, c->n * sizeof *c->order);
    memset(c->component, 0xff, c->n * sizeof *c->component);
    memset(c->bent, 0, c->n * sizeof *c->bent);
    for (uint32_t i = 0; i < c->n; i++)
        if (!c->cut[i] && !c->order[i])
            walk_from(c, &w, i);
    for (uint32_t i = 0; i < c->bends.n; i++) {
        Bend bend = c->bends.at[i];
        uint32_t at = c->component[bend.member];
        if (at == UINT32_MAX || c->component[bend.a] != at || c->component[bend.b] != at ||
            c->bent[at])
            continue;
        c->bent[at] = true;
        count += c->size[at];
    }
    return count;
}

static bool is_open(const Cutting *c, uint32_t i)
{
    return !c->cut[i] && c->bent[c->component[i]];
}

/* ---- choice ---- */

/* While `n` variables are cut, all other loops were judged. In the component that one of them alone would be in, if it were not
 * cut, lies what reads it, by way of others, and what it reads: for all of them at once, one bit for each. */
typedef struct Around {
    Cutting *c;
    const uint32_t *of; /* [n], 64 at most */
    uint32_t n;
    uint64_t *reads, *read_by; /* [components]: which of them */
    uint64_t *own;             /* [members]: of those that are cut, the own bit; else 0 */
} Around;

static uint64_t around(const Around *a, uint32_t member)
{
    uint32_t component = a->c->component[member];
    return component == UINT32_MAX ? a->own[member] : a->reads[component] & a->read_by[component];
}

static void find_reads(Around *a)
{
    const Cutting *c = a->c;
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->n; i++)
        count += !c->cut[i];
    for (uint32_t k = 0; k < count; k++) {
        uint32_t member = c->done[k];
        uint64_t *reads = &a->reads[c->component[member]];
        for (uint32_t r = c->first[member]; r < c->first[member + 1]; r++) {
            uint32_t j = c->reads.at[r];
            *reads |= c->cut[j] ? a->own[j] : a->reads[c->component[j]];
        }
    }
    for (uint32_t k = 0; k < a->n; k++)
        for (uint32_t r = c->first[a->of[k]]; r < c->first[a->of[k] + 1]; r++)
            if (!c->cut[c->reads.at[r]])
                a->read_by[c->component[c->reads.at[r]]] |= a->own[a->of[k]];
    for (uint32_t k = count; k-- > 0;) {
        uint32_t member = c->done[k];
        uint64_t read_by = a->read_by[c->component[member]];
        for (uint32_t r = c->first[member]; read_by && r < c->first[member + 1]; r++)
            if (!c->cut[c->reads.at[r]])
                a->read_by[c->component[c->reads.at[r]]] |= read_by;
    }
}

/* Is the component of each of them not linear? */
static bool are_needed(Cutting *c, uint32_t n, const uint32_t *of)
{
    Around a = {.c = c, .of = of, .n = n};
    uint64_t needed = 0, all = n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
    a.reads = mem_alloc(c->mem, 3 * (size_t)c->n * sizeof *a.reads);
    a.read_by = a.reads + c->n;
    a.own = a.read_by + c->n;
    for (uint32_t k = 0; k < n; k++)
        a.own[of[k]] = UINT64_C(1) << k;
    find_reads(&a);
    for (uint32_t i = 0; i < c->bends.n; i++) {
        Bend bend = c->bends.at[i];
        needed |= around(&a, bend.member) & around(&a, bend.a) & around(&a, bend.b);
    }
    mem_free(c->mem, a.reads);
    return needed == all;
}

/* Hinted ones, if each is needed though all others are cut: then it is whatever the order, and all are cut. The loop
 * was judged, and is again: how many relations lie in components that are not linear. */
static uint32_t cut_hinted(Cutting *c, uint32_t before)
{
    uint32_t *hinted = mem_alloc(c->mem, (c->n + 1) * sizeof *hinted), n = 0;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->members[i].hinted && is_open(c, i))
            hinted[n++] = i;
    for (uint32_t k = 0; k < n; k++)
        c->cut[hinted[k]] = true;
    uint32_t left = n ? judge(c) : before;
    bool needed = true;
    for (uint32_t k = 0; k < n && needed; k += 64)
        needed = are_needed(c, n - k < 64 ? n - k : 64, hinted + k);
    for (uint32_t k = 0; k < n && !needed; k++)
        c->cut[hinted[k]] = false;
    mem_free(c->mem, hinted);
    return needed ? left : judge(c);
}

/* Variables of components that are not linear, by index; in large loops those that bend something. The loop was judged. */
static uint32_t list_candidates(Cutting *c, uint32_t *list)
{
    uint32_t n = 0;
    bool *named = mem_alloc(c->mem, c->n + 1);
    for (uint32_t i = 0; i < c->bends.n; i++)
        named[c->bends.at[i].a] = named[c->bends.at[i].b] = true;
    for (uint32_t i = 0; i < c->n; i++) {
        if (is_open(c, i) &&
            (c->n <= MOST_TRIED || named[i] || c->members[i].wish || c->members[i].hinted) &&
            n < MOST_TRIED)
            list[n++] = i;
    }
    mem_free(c->mem, named);
    return n;
}

static uint32_t choose(Cutting *c, uint32_t n, const uint32_t *candidates)
{
    uint32_t best = candidates[0], least = UINT32_MAX;
    bool hinted = false;
    for (uint32_t i = 0; i < n; i++)
        hinted |= c->members[candidates[i]].hinted;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = candidates[i];
        if (hinted && !c->members[v].hinted)
            continue;
        c->cut[v] = true;
        uint32_t left = judge(c);
        c->cut[v] = false;
        if (left < least || (left == least && c->members[v].wish > c->members[best].wish)) {
            least = left;
            best = v;
        }
    }
    return best;
}

void inline_cut(Mem *mem, FormTable *forms, uint32_t n_vars, const InlineRel *rels, uint32_t n,
                const InlineMember *members, bool *cut)
{
    uint32_t *room = mem_alloc(mem, (10 * (size_t)n + 2) * sizeof *room);
    Cutting c = {.mem = mem,
                 .n = n,
                 .members = members,
                 .cut = cut,
                 .first = room,
                 .component = room + n + 1,
                 .size = room + 2 * (size_t)n + 1,
                 .low = room + 3 * (size_t)n + 1,
                 .order = room + 4 * (size_t)n + 1,
                 .stack = room + 5 * (size_t)n + 1,
                 .work = room + 6 * (size_t)n + 1,
                 .next = room + 7 * (size_t)n + 1,
                 .done = room + 8 * (size_t)n + 1,
                 .bent = mem_alloc(mem, n + 1)};
    read_loop(&c, forms, n_vars, rels);
    uint32_t left = judge(&c);
    if (left > 0)
        left = cut_hinted(&c, left);
    while (left > 0) {
        uint32_t count = list_candidates(&c, room + 9 * (size_t)n + 1);
        cut[choose(&c, count, room + 9 * (size_t)n + 1)] = true;
        left = judge(&c);
    }
    vec_free(mem, &c.reads);
    vec_free(mem, &c.bends);
    mem_free(mem, c.bent);
    mem_free(mem, room);
}
