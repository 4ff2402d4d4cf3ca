/* tear.c: a strong component -> tearing variables, explicit steps, residuals (thesis 9.1 to 9.4).
 *
 * Requires: the node's members and what varies are final. Gives each node either one explicit assignment
 * or a Loop.
 *
 * A component is torn on its own, after the strong components are known, so the matching of residuals to
 * tearing variables (9.3) and the search for fake residuals (9.6) have nothing left to do: the component
 * is a closed loop from the start, and a tearing variable that is not needed is never made. The heuristic
 * is the one of 9.2: tear a variable of the relation that is nearest to being causalized, and of its variables
 * the one that most relations share; the modeller's hints come first. In small loops each variable is tried
 * first, and one is torn that causalizes the most: the rule of 9.2 decides between equals. A relation is causalized inside the
 * loop only where it can be solved safely: linear with a factor that is constant or fixed between events.
 *
 * A chain of many steps from tearing variable to residual multiplies errors (a resistive ladder loses a
 * digit every two or three sections). So each variable carries its growth, how many times larger than an error of
 * the tearing variables its own may be: the sum over what its step reads, weighted by the factors, where a factor
 * whose number is not known here (a parameter) counts as 1. With a growth beyond MOST_GROWTH, or with more than
 * LONGEST_CHAIN steps in a row, the loop is handed over untorn, all its variables as unknowns.
 */
#include "ddp/ddp_int.h"

#include <math.h>

enum { LONGEST_CHAIN = 30, TRIED = 64 };

void tear_free(Ddp *d, Loop *loop)
{
    vec_free(d->mem, &loop->steps);
    vec_free(d->mem, &loop->tears);
    vec_free(d->mem, &loop->residuals);
    mem_free(d->mem, loop);
}

typedef struct Member {
    DdpRel rel;
    uint32_t open; /* variables of the loop in it that are not determined yet */
    bool done;
} Member;

typedef struct Tear {
    Ddp *d;
    DdpNode node;
    Loop *loop;
    uint32_t n;
    Member *member;
    DdpVar *var; /* the loop's variables; all these arrays have n entries */
    uint32_t *
        depth; /* of each variable: steps in a row that lead to it, UINT32_MAX: not determined yet */
    double *growth; /* of each variable: how many times an error of the tearing variables grew */
    List ready;     /* members with one open variable or none */
    uint32_t hint;  /* variables before this one are no hinted ones */
    uint32_t left;  /* members not done */
    List buckets;   /* members by number of open variables, rebuilt when empty */
} Tear;

/* Index + 1; 0: none of the loop's. They are where searches keep how they reached a variable. */
static uint32_t var_index(const Tear *t, DdpVar v)
{
    return v && t->d->stamp.at[v] == t->d->search ? t->d->parent.at[v] : 0;
}

/* Likewise: a member has the index of what it computes. */
static uint32_t member_index(const Tear *t, DdpRel r)
{
    return REL(t->d, r).node == t->node ? var_index(t, schedule_out(t->d, r)) : 0;
}

static bool loop_var_at(const Tear *t, DdpRel r, uint32_t position, uint32_t *index)
{
    Ddp *d = t->d;
    if (position >= REL(d, r).n)
        return false; /* the logic one: no unknown */
    DdpVar v = relation_vars(d, r)[position];
    uint32_t i = var_index(t, v);
    if (!i || (v != schedule_out(d, r) && !schedule_reads(d, r, position)))
        return false;
    *index = i - 1;
    return true;
}

/* May r be solved for v inside the loop? A factor that is made of the loop's own variables may vanish. */
static bool safe_in_loop(const Tear *t, DdpRel r, DdpVar v)
{
    Ddp *d = t->d;
    uint32_t index;
    if (relation_solvable(d, r, v) != SOLVE_SAFE)
        return false;
    const FormInfo *info = form_info(d->forms, REL(d, r).form);
    const FormPosition *p = &info->position[relation_position(d, r, v)];
    for (uint32_t k = 0; p->factor_uses && k < info->n; k++)
        if (form_factor_uses(d->forms, p, k) && loop_var_at(t, r, k, &index))
            return false;
    return true;
}

static X explicit_value(Ddp *d, DdpRel r, DdpVar v)
{
    Form form = REL(d, r).form;
    return form_info(d->forms, form)->position[relation_position(d, r, v)].solved;
}

static void set_up(Tear *t, DdpNode n)
{
    Ddp *d = t->d;
    t->n = NODE(d, n).count;
    t->member = mem_alloc(d->mem, t->n * sizeof *t->member);
    t->var = mem_alloc(d->mem, t->n * sizeof *t->var);
    t->depth = mem_alloc(d->mem, t->n * sizeof *t->depth);
    t->growth = mem_alloc(d->mem, t->n * sizeof *t->growth);
    t->left = t->n;
    d->search++;
    uint32_t i = 0;
    for (DdpRel r = NODE(d, n).first; r; r = REL(d, r).next, i++) {
        t->member[i].rel = r;
        t->var[i] = schedule_out(d, r);
        t->depth[i] = UINT32_MAX;
        d->stamp.at[t->var[i]] = d->search;
        d->parent.at[t->var[i]] = i + 1;
    }
    for (i = 0; i < t->n; i++) {
        uint32_t unused;
        for (uint32_t k = 0; k < REL(d, t->member[i].rel).n; k++)
            t->member[i].open += loop_var_at(t, t->member[i].rel, k, &unused);
        if (t->member[i].open <= 1)
            vec_push(d->mem, &t->ready, i);
    }
}

/* The variable is determined now, by a step or as tearing variable. */
static void determine(Tear *t, uint32_t index, uint32_t depth, double growth)
{
    Ddp *d = t->d;
    DdpVar v = t->var[index];
    t->depth[index] = depth;
    t->growth[index] = growth;
    for (uint32_t o = VAR(d, v).occs; o; o = d->occ_next.at[o]) {
        DdpRel q = d->occ_rel.at[o];
        uint32_t m = member_index(t, q), same;
        d->visited++;
        if (!m || !loop_var_at(t, q, o - REL(d, q).occ, &same))
            continue;
        if (--t->member[m - 1].open <= 1 && !t->member[m - 1].done)
            vec_push(d->mem, &t->ready, m - 1);
    }
}

double tear_factor(const Ddp *d, DdpRel r, uint32_t position)
{
    X factor = form_info(d->forms, REL(d, r).form)->position[position].factor;
    XNode x = factor ? x_node(d->forms, factor) : (XNode){.op = X_POS};
    if (x.op == X_NEG)
        x = x_node(d->forms, x.a);
    return x.op == X_CONST && x.k != 0 ? fabs(x.k) : 1;
}

static void causalize_member(Tear *t, uint32_t m)
{
    Ddp *d = t->d;
    Member *member = &t->member[m];
    DdpRel r = member->rel;
    if (member->done || member->open > 1)
        return;
    uint32_t index, open = UINT32_MAX, depth = 0;
    double growth = 0;
    for (uint32_t k = 0; k < REL(d, r).n; k++) {
        if (!loop_var_at(t, r, k, &index))
            continue;
        if (t->depth[index] == UINT32_MAX) {
            open = index;
            continue;
        }
        growth += tear_factor(d, r, k) * t->growth[index];
        if (t->depth[index] > depth)
            depth = t->depth[index];
    }
    if (open == UINT32_MAX) {
        vec_push(d->mem, &t->loop->residuals, ((DdpStep){r, 0, 0}));
    } else {
        DdpVar v = t->var[open];
        if (!safe_in_loop(t, r, v))
            return; /* stays open until the variable is torn or determined elsewhere */
        vec_push(d->mem, &t->loop->steps, ((DdpStep){r, v, explicit_value(d, r, v)}));
        growth /= tear_factor(d, r, (uint32_t)relation_position(d, r, v));
        determine(t, open, depth + 1, growth);
    }
    member->done = true;
    t->left--;
}

/* How many members not causalized yet share the variable. */
static uint32_t shared_by(const Tear *t, uint32_t index)
{
    Ddp *d = t->d;
    uint32_t count = 0;
    for (uint32_t o = VAR(d, t->var[index]).occs; o; o = d->occ_next.at[o]) {
        uint32_t m = member_index(t, d->occ_rel.at[o]);
        d->visited++;
        count += m && !t->member[m - 1].done;
    }
    return count;
}

static uint32_t hinted(Tear *t)
{
    for (; t->hint < t->n; t->hint++)
        if (VAR(t->d, t->var[t->hint]).hints && t->depth[t->hint] == UINT32_MAX)
            return t->hint;
    return UINT32_MAX;
}

/* The member with the fewest open variables; members wait in a list that is sorted anew when it runs
 * out, so that choosing stays cheap in large loops. */
static uint32_t nearest_member(Tear *t)
{
    Ddp *d = t->d;
    for (;;) {
        while (t->buckets.n) {
            uint32_t m = vec_pop(&t->buckets);
            if (!t->member[m].done)
                return m;
        }
        uint32_t fewest = UINT32_MAX;
        for (uint32_t m = 0; m < t->n; m++)
            if (!t->member[m].done && t->member[m].open < fewest)
                fewest = t->member[m].open;
        for (uint32_t m = t->n; m-- > 0;)
            if (!t->member[m].done && t->member[m].open == fewest)
                vec_push(d->mem, &t->buckets, m);
        if (!t->buckets.n)
            return UINT32_MAX;
    }
}

/* How many variables would be determined if `index` were torn; they are the first ones of `queue`. open: the
 * members' numbers of open variables; known: of each variable whether it is determined; both are spoiled. */
static uint32_t gain_of(const Tear *t, uint32_t index, uint32_t *open, bool *known, uint32_t *queue)
{
    Ddp *d = t->d;
    uint32_t n = 1;
    queue[0] = index;
    known[index] = true;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t o = VAR(d, t->var[queue[i]]).occs; o; o = d->occ_next.at[o]) {
            DdpRel q = d->occ_rel.at[o];
            uint32_t m = member_index(t, q), same, last = UINT32_MAX;
            d->visited++;
            if (!m || t->member[m - 1].done || !loop_var_at(t, q, o - REL(d, q).occ, &same))
                continue;
            if (--open[m - 1] != 1)
                continue;
            for (uint32_t k = 0; k < REL(d, q).n; k++)
                if (loop_var_at(t, q, k, &same) && !known[same])
                    last = same;
            if (last != UINT32_MAX && safe_in_loop(t, q, t->var[last])) {
                known[last] = true;
                queue[n++] = last;
            }
        }
    return n;
}

/* Small loops: the variable that causalizes the most; UINT32_MAX where two or more are equally good. What another
 * one causalizes causalizes no more than that one, so it is not tried. */
static uint32_t most_useful(const Tear *t)
{
    uint32_t open[TRIED], queue[TRIED], best = UINT32_MAX, most = 0, equal = 0;
    bool known[TRIED], covered[TRIED] = {0};
    for (uint32_t v = 0; v < t->n; v++) {
        if (t->depth[v] != UINT32_MAX || covered[v])
            continue;
        for (uint32_t i = 0; i < t->n; i++) {
            open[i] = t->member[i].open;
            known[i] = t->depth[i] != UINT32_MAX;
        }
        uint32_t gain = gain_of(t, v, open, known, queue);
        for (uint32_t i = 0; i < gain; i++)
            covered[queue[i]] = true;
        equal = gain == most ? equal + 1 : gain > most ? 1 : equal;
        if (gain > most) {
            most = gain;
            best = v;
        }
    }
    return equal > 1 && most == 1 ? UINT32_MAX : best;
}

/* By the rule of 9.2. */
static uint32_t most_shared(Tear *t)
{
    Ddp *d = t->d;
    uint32_t best = UINT32_MAX, most = 0, index, m = nearest_member(t);
    DdpRel r = t->member[m].rel;
    for (uint32_t k = 0; k < REL(d, r).n; k++) {
        if (!loop_var_at(t, r, k, &index) || t->depth[index] != UINT32_MAX)
            continue;
        uint32_t shared = shared_by(t, index);
        if (best == UINT32_MAX || shared > most) {
            best = index;
            most = shared;
        }
    }
    vec_push(d->mem, &t->buckets, m);
    return best;
}

static void select_tear(Tear *t)
{
    uint32_t best = hinted(t);
    if (best == UINT32_MAX && t->n <= TRIED)
        best = most_useful(t);
    if (best == UINT32_MAX)
        best = most_shared(t);
    vec_push(t->d->mem, &t->loop->tears, t->var[best]);
    determine(t, best, 0, 1);
}

static void hand_over_whole(Tear *t)
{
    Ddp *d = t->d;
    t->loop->untorn = true;
    vec_clear(&t->loop->steps);
    vec_clear(&t->loop->tears);
    vec_clear(&t->loop->residuals);
    for (uint32_t i = 0; i < t->n; i++) {
        vec_push(d->mem, &t->loop->tears, t->var[i]);
        vec_push(d->mem, &t->loop->residuals, ((DdpStep){t->member[i].rel, 0, 0}));
    }
}

/* Every variable is determined. */
static bool loses_digits(Tear *t)
{
    uint32_t longest = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        if (t->depth[i] > longest)
            longest = t->depth[i];
        t->loop->growth = fmax(t->loop->growth, t->growth[i]);
    }
    return longest > LONGEST_CHAIN || t->loop->growth > MOST_GROWTH;
}

/* Linear: every relation is linear in each of the loop's variables with a factor free of them. Constant:
 * the factors are fixed between events. */
static void judge_linear(Tear *t)
{
    Ddp *d = t->d;
    t->loop->linear = t->loop->constant = true;
    for (uint32_t m = 0; m < t->n && t->loop->linear; m++) {
        DdpRel r = t->member[m].rel;
        const FormInfo *info = form_info(d->forms, REL(d, r).form);
        for (uint32_t k = 0; k < info->n; k++) {
            uint32_t index;
            if (!loop_var_at(t, r, k, &index))
                continue;
            const FormPosition *p = &info->position[k];
            if (!p->factor) {
                t->loop->linear = false;
                break;
            }
            for (uint32_t j = 0; p->factor_uses && j < info->n; j++) {
                DdpVar w = relation_vars(d, r)[j];
                if (!w || !form_factor_uses(d->forms, p, j))
                    continue;
                if (loop_var_at(t, r, j, &index))
                    t->loop->linear = false;
                else if (VAR(d, w).varies)
                    t->loop->constant = false;
            }
        }
    }
    t->loop->constant &= t->loop->linear;
}

static Loop *tear_loop(Ddp *d, DdpNode n)
{
    Tear t = {.d = d, .node = n, .loop = mem_alloc(d->mem, sizeof *t.loop)};
    set_up(&t, n);
    judge_linear(&t);
    while (t.left) {
        for (uint32_t i = 0; i < t.ready.n; i++)
            causalize_member(&t, t.ready.at[i]);
        vec_clear(&t.ready);
        if (t.left)
            select_tear(&t);
    }
    if (loses_digits(&t))
        hand_over_whole(&t);
    mem_free(d->mem, t.member);
    mem_free(d->mem, t.var);
    mem_free(d->mem, t.depth);
    mem_free(d->mem, t.growth);
    vec_free(d->mem, &t.ready);
    vec_free(d->mem, &t.buckets);
    return t.loop;
}

/* One relation that can be solved for what it determines. Where a factor may be zero there is no choice
 * outside a loop: the numerics will notice and advise. */
static bool plain(Ddp *d, DdpNode n, DdpStep *step)
{
    DdpRel r = NODE(d, n).first;
    DdpVar v = schedule_out(d, r);
    if (NODE(d, n).count > 1)
        return false;
    const FormPosition *p =
        &form_info(d->forms, REL(d, r).form)->position[relation_position(d, r, v)];
    if (p->solvable == SOLVE_NOT)
        return false;
    *step = (DdpStep){r, v, p->solved};
    return true;
}

void tear_node(Ddp *d, DdpNode n)
{
    Loop *old = NODE(d, n).loop;
    if (old) {
        tear_free(d, old);
        d->n_loops--;
        NODE(d, n).loop = NULL;
    }
    DdpStep step = {0};
    if (plain(d, n, &step)) {
        NODE(d, n).step = step;
    } else {
        NODE(d, n).loop = tear_loop(d, n);
        d->n_loops++;
    }
}
