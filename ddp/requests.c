/* requests.c: requests for derivatives -> differentiated relations (thesis 10.3).
 *
 * Requires: the matching is final, unless a cycle is turned here. Maintains:
 *   R1  a derivative v' exists as a variable while somebody requests it: a differentiator of v, a
 *       differentiated relation that reads v', or v''.
 *   R2  if r determines v and v' exists, r' exists and determines v'. For an integrator of v the relation
 *       itself determines v' (it says v' = a), its derivative v''.
 *   R3  a differentiated relation has the form of its origin's time derivative.
 *   R4  relations without causality have no derivatives.
 *   R6  derivatives of a held variable count in differentiated relations exactly while a transmission
 *       determines it; else it keeps its value, and they are 0.
 *
 * Busy in: whatever is requested is differentiated at once, loops as a whole because each member
 * requests from the next. Lazy out: what lost a request is only looked at when the commit is nearly
 * done, and goes if no chain of requests leads from a differentiator to it; counters alone would keep
 * a differentiated loop alive for ever, because its members request from each other.
 */
#include "ddp/ddp_int.h"

enum { SUSPICIOUS_ORDER = 3 };

void requests_add_candidate(Ddp *d, DdpVar v)
{
    if (!v || !VAR(d, v).order || VAR(d, v).candidate)
        return;
    VAR(d, v).candidate = true;
    vec_push(d->mem, &d->candidates, v);
}

void requests_ask(Ddp *d, DdpRel r)
{
    if (REL(d, r).asked || REL(d, r).order)
        return;
    REL(d, r).asked = true;
    vec_push(d->mem, &d->asked, r);
}

/* The derivative of v, made when this is the first request. */
static DdpVar request(Ddp *d, DdpVar v)
{
    if (VAR(d, v).up)
        return VAR(d, v).up;
    DdpVarKind kind = (DdpVarKind)VAR(d, v).kind;
    DdpVar up = relation_new_var(d, kind == DDP_TIME ? DDP_KNOWN : kind);
    VAR(d, up).origin = VAR(d, v).origin;
    VAR(d, up).order = (uint16_t)(VAR(d, v).order + 1);
    VAR(d, up).solid = false;
    VAR(d, v).up = up;
    DdpRel source = VAR(d, VAR(d, v).origin).match;
    if (source)
        requests_ask(d, source);
    return up;
}

/* A held variable that no transmission determines keeps its value, so its derivatives are 0. What
 * they stand with in a product does not count: x' needs no x where h*x = y is differentiated. */
static PositionKind position_kind(const Ddp *d, DdpVar v)
{
    switch ((DdpVarKind)VAR(d, v).kind) {
    case DDP_KNOWN:
        return POSITION_FIXED;
    case DDP_TIME:
        return POSITION_TIME;
    case DDP_HELD:
        return VAR(d, VAR(d, v).origin).driven ? POSITION_VARIES : POSITION_FIXED;
    case DDP_UNKNOWN:
        break;
    }
    return POSITION_VARIES;
}

enum { FEW = 8 }; /* positions of most relations: their scratch is on the stack */

Form requests_form(Ddp *d, DdpRel r, FormOperand *operands, uint32_t *m)
{
    uint32_t n = REL(d, r).n;
    PositionKind few[FEW] = {0}, *kinds = n > FEW ? mem_alloc(d->mem, n * sizeof *kinds) : few;
    for (uint32_t i = 0; i < n; i++) {
        DdpVar v = relation_vars(d, r)[i];
        kinds[i] = v ? position_kind(d, v) : POSITION_FIXED;
    }
    Form form = form_derivative(d->forms, REL(d, r).form, kinds, operands, m);
    if (kinds != few)
        mem_free(d->mem, kinds);
    return form;
}

static DdpRel differentiate(Ddp *d, DdpRel r)
{
    uint32_t n = REL(d, r).n, m = 0;
    FormOperand few_operands[2 * FEW], *operands = few_operands;
    DdpVar few_vars[2 * FEW], *vars = few_vars;
    if (n > FEW) {
        operands = mem_alloc(d->mem, 2 * (size_t)n * sizeof *operands);
        vars = mem_alloc(d->mem, 2 * (size_t)n * sizeof *vars);
    }
    Form form = requests_form(d, r, operands, &m);
    for (uint32_t i = 0; i < m; i++) {
        DdpVar v = relation_vars(d, r)[operands[i].position];
        vars[i] = operands[i].derivative ? request(d, v) : v;
    }
    form = relation_unify(d, form, &m, vars); /* x' as value and as derivative of x */
    DdpVar logic = REL(d, r).has_logic ? relation_vars(d, r)[n] : 0;
    DdpRel up = relation_new_rel(d, DDP_EQUATION, form, m, vars, logic);
    REL(d, up).origin = REL(d, r).origin;
    REL(d, up).order = (uint16_t)(REL(d, r).order + 1);
    REL(d, r).up = up;
    d->n_derived++;
    if (n > FEW) {
        mem_free(d->mem, operands);
        mem_free(d->mem, vars);
    }
    return up;
}

static void remove_derived(Ddp *d, DdpRel q)
{
    DdpVar out = REL(d, q).match;
    levels_touch(d, q);
    schedule_detach(d, q);
    if (out && VAR(d, out).match == q)
        VAR(d, out).match = 0;
    const uint32_t n = REL(d, q).n;
    for (uint32_t i = 0; i < n; i++)
        requests_add_candidate(d, relation_vars(d, q)[i]);
    relation_free_rel(d, q);
    d->n_derived--;
}

void requests_drop_chain(Ddp *d, DdpRel r)
{
    for (DdpRel q = REL(d, r).up, up; q; q = up) {
        up = REL(d, q).up;
        remove_derived(d, q);
    }
    REL(d, r).up = 0;
}

/* A derivative relation reads b' as differentiator, gives it as integrator, else leaves it alone. */
static void bind_slope(Ddp *d, DdpRel r)
{
    const DdpVar *vars = relation_vars(d, r);
    DdpVar b = vars[1], bound = vars[2], want = 0;
    if (relation_is_integrator(d, r)) {
        want = VAR(d, b).up;
        if (want)
            VAR(d, want).match = r;
    } else if (REL(d, r).match) {
        want = request(d, b);
    }
    if (bound != want) {
        levels_touch(d, r);
        relation_bind(d, r, 2, want);
        requests_add_candidate(d, bound);
        schedule_move(d, r);
    } else if (bound && relation_is_integrator(d, r)) {
        requests_add_candidate(d, bound); /* was perhaps the request of this relation */
    }
}

/* Brings the chain of derivatives of r in line with the requests to what r determines. False: a cycle was
 * turned, and the lists of work have grown. */
static bool follow_requests(Ddp *d, DdpRel r)
{
    DdpVar v = REL(d, r).match;
    if (REL(d, r).kind == DDP_DERIVATIVE)
        bind_slope(d, r);
    if (!v) {
        requests_drop_chain(d, r);
        return true;
    }
    DdpVar out = relation_is_integrator(d, r) ? VAR(d, v).up : v;
    out = out ? VAR(d, out).up : 0;
    DdpRel below = r;
    for (; out; out = VAR(d, out).up) {
        DdpRel q = REL(d, below).up;
        bool fresh = !q;
        if (fresh) {
            levels_touch(d, r);
            q = differentiate(d, below);
        }
        if (REL(d, q).match != out || fresh) {
            REL(d, q).match = out;
            VAR(d, out).match = q;
            schedule_move(d, q);
        }
        if (!fresh)
            requests_add_candidate(d, out); /* its own relation was perhaps what asked for it */
        if (fresh && REL(d, q).order >= d->guard_order) {
            scratch_rebuild(d, r);
            return false;
        }
        if (fresh && REL(d, q).order >= SUSPICIOUS_ORDER) {
            if (!state_select_turn(d, q)) {
                REL(d, r).held = true;
                vec_push(d->mem, &d->held_back, r);
                return true;
            }
            if (REL(d, r).match != v)
                return false;
        }
        below = q;
    }
    requests_drop_chain(d, below); /* nothing of it is left to determine */
    return true;
}

/* ---- held variables ---- */

void requests_steer(Ddp *d, DdpVar v)
{
    if (VAR(d, v).kind == DDP_HELD)
        vec_push(d->mem, &d->steered, v);
}

/* What was differentiated is so anew, now that the derivatives of v count, or count no more. */
static void differentiate_users(Ddp *d, DdpVar v)
{
    for (uint32_t o = VAR(d, v).occs; o; o = d->occ_next.at[o]) {
        DdpRel r = d->occ_rel.at[o];
        d->visited++;
        if (!REL(d, r).up || REL(d, r).order || o - REL(d, r).occ >= REL(d, r).n)
            continue;
        requests_drop_chain(d, r);
        requests_ask(d, r);
    }
}

static void update_driven(Ddp *d)
{
    for (uint32_t i = 0; i < d->steered.n; i++) {
        DdpVar v = d->steered.at[i];
        bool driven = VAR(d, v).kind == DDP_HELD && VAR(d, v).match;
        if (!VAR(d, v).used || VAR(d, v).driven == driven)
            continue;
        VAR(d, v).driven = driven;
        if (d->n_derived)
            differentiate_users(d, v);
    }
    vec_clear(&d->steered);
}

static void ask_again(Ddp *d)
{
    for (uint32_t i = 0; i < d->held_back.n; i++) {
        REL(d, d->held_back.at[i]).held = false;
        requests_ask(d, d->held_back.at[i]);
    }
    vec_clear(&d->held_back);
}

/* Derivatives depend on themselves through causal relations, and no cycle was left to turn: the members of
 * one such cycle (left in the diagnosis by state_select_turn) and all that is held back lose their derivatives,
 * which may be half made, and are looked at again in the next commit. */
static void give_up(Ddp *d)
{
    d->runaway = true;
    ask_again(d);
    for (uint32_t i = 0; i < d->diagnosis[4].n; i++)
        requests_ask(d, d->diagnosis[4].at[i]);
    for (uint32_t i = 0; i < d->asked.n; i++)
        if (REL(d, d->asked.at[i]).asked)
            requests_drop_chain(d, d->asked.at[i]);
}

void requests_update(Ddp *d)
{
    uint64_t turned = d->turned;
    offsets_forget(d);
    update_driven(d);
    for (uint32_t i = 0; i < d->asked.n; i++) { /* in turn, so that all orders grow alike */
        DdpRel r = d->asked.at[i];
        if (!REL(d, r).asked)
            continue; /* removed since */
        REL(d, r).asked = false;
        d->visited++;
        if (!REL(d, r).held && !follow_requests(d, r)) {
            causalize_forward(d);
            offsets_forget(d);
        }
        if (i + 1 == d->asked.n && d->turned > turned) { /* perhaps nothing runs away any more */
            turned = d->turned;
            ask_again(d);
        }
    }
    vec_clear(&d->asked);
    if (d->held_back.n)
        give_up(d);
}

/* ---- lazy out ---- */

/* The derivative w requests `from`, or a relation that determines w does; from 0: nothing. */
static void reach_requester(Ddp *d, DdpVar w, DdpVar from)
{
    if (d->stamp.at[w] == d->search)
        return;
    d->stamp.at[w] = d->search;
    d->parent.at[w] = from;
    vec_push(d->mem, &d->scratch, w);
}

/* w is requested, and so is all that it was reached from. */
static bool confirm(Ddp *d, DdpVar w, uint32_t confirmed)
{
    for (; w; w = d->parent.at[w])
        d->stamp.at[w] = confirmed;
    return true;
}

/* Collects into d->scratch all derivatives from which requests to v come; false: none of them comes from a
 * differentiator, so all of it is garbage. True: the way from a differentiator to v is stamped `confirmed`.
 * What is so stamped stays requested while garbage goes, because no garbage lies on its way; so the next
 * search ends there. */
static bool requested(Ddp *d, DdpVar v, uint32_t confirmed)
{
    List *reached = &d->scratch;
    vec_clear(reached);
    if (d->stamp.at[v] == confirmed)
        return true;
    d->search++;
    reach_requester(d, v, 0);
    for (uint32_t i = 0; i < reached->n; i++) {
        DdpVar w = reached->at[i], up = VAR(d, w).up;
        if (up && d->stamp.at[up] == confirmed)
            return confirm(d, w, confirmed);
        if (up)
            reach_requester(d, up, w);
        for (uint32_t o = VAR(d, w).occs; o; o = d->occ_next.at[o]) {
            DdpRel q = d->occ_rel.at[o];
            d->visited++;
            if (q == VAR(d, w).match)
                continue;
            DdpVar out = REL(d, q).match;
            if (!REL(d, q).order ||
                !out) /* a differentiator, or a derivative that waits for its causality */
                return confirm(d, w, confirmed);
            if (d->stamp.at[out] == confirmed)
                return confirm(d, w, confirmed);
            reach_requester(d, out, w);
        }
    }
    return false;
}

/* Cuts v, which is garbage, off the chain of its origin, and its relation off its own. */
static void unchain(Ddp *d, DdpVar v)
{
    for (DdpVar w = VAR(d, v).origin; w; w = VAR(d, w).up)
        if (VAR(d, w).up == v) {
            VAR(d, w).up = 0;
            requests_add_candidate(d, w);
            break;
        }
    DdpRel q = VAR(d, v).match;
    if (!q)
        return;
    if (!REL(d, q).order) { /* an integrator that gave it */
        levels_touch(d, q);
        relation_bind(d, q, 2, 0);
        schedule_move(d, q);
        return;
    }
    for (DdpRel r = REL(d, q).origin; r; r = REL(d, r).up)
        if (REL(d, r).up == q) {
            REL(d, r).up = 0;
            break;
        }
}

void requests_collect(Ddp *d)
{
    List garbage = {0};
    const uint32_t confirmed = ++d->search;
    while (d->candidates.n) {
        DdpVar v = vec_pop(&d->candidates);
        if (!VAR(d, v).candidate)
            continue;
        VAR(d, v).candidate = false;
        if (!VAR(d, v).used || requested(d, v, confirmed))
            continue;
        vec_clear(&garbage);
        for (uint32_t i = 0; i < d->scratch.n; i++)
            vec_push(d->mem, &garbage, d->scratch.at[i]);
        for (uint32_t i = 0; i < garbage.n; i++)
            unchain(d, garbage.at[i]);
        for (uint32_t i = 0; i < garbage.n; i++) {
            DdpRel q = VAR(d, garbage.at[i]).match;
            if (q && REL(d, q).order)
                remove_derived(d, q);
        }
        for (uint32_t i = 0; i < garbage.n; i++)
            relation_free_var(d, garbage.at[i]);
    }
    vec_free(d->mem, &garbage);
}
