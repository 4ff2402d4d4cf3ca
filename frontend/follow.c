/* follow.c: refs -> instances, words and variables; and what must hear when a path changes.
 *
 * Requires W1, W3. A path that passes through dynamic or alias members may lead nowhere, and lead
 * elsewhere later. Whoever depends on one leaves a Watch at every such member on the way. */
#include "frontend/world_int.h"

Inst *follow_up(const World *world, Inst *from, uint32_t up)
{
    while (from->plan->row) /* nodes are no bodies */
        from = world_at(world, from->owner);
    while (up-- > 0)
        do
            from = world_at(world, from->owner);
        while (from->plan->row);
    return from;
}

uint32_t follow_model(const World *world, const Inst *inst)
{
    while (inst->plan->is_branch)
        inst = world_at(world, inst->owner);
    return inst->id;
}

static Target follow_loose(const World *world, Inst *from, Inst *at, const Ref *ref)
{
    for (uint32_t i = 0;; i++) {
        Target t = {.inst = at, .word = ref->step[i].word};
        if (ref->step[i].round)
            t.word = at->plan == ref->step[i].round ? t.word : ref->step[i].otherwise;
        else if (ref->step[i].member)
            t.word = plan_member_word(at->plan, ref->step[i].member, &t.member);
        if (ref->step[i].n_index && t.word != NO_WORD) {
            t = row_element((World *)world, from, t, &ref->step[i], ref->at);
            at = t.inst;
            if (!at)
                return t;
        }
        if (i + 1 == ref->n || t.word == NO_WORD)
            return t.word == NO_WORD ? (Target){0} : t;
        uint32_t next = at->word[t.word];
        if (!next)
            return (Target){0};
        at = world_at(world, next);
    }
}

Target follow(const World *world, Inst *from, const Ref *ref)
{
    Inst *at = follow_up(world, from, ref->up);
    if (ref->movable)
        return follow_loose(world, from, at, ref);
    for (uint32_t i = 0;; i++) {
        const RefStep *step = &ref->step[i];
        Target t = {at, step->word, step->member};
        if (step->n_index)
            t = row_element((World *)world, from, t, step, ref->at);
        if (i + 1 == ref->n || !t.inst)
            return t;
        uint32_t next = t.inst->word[t.word];
        if (!next) /* a part that is not there yet, or no more */
            return (Target){0};
        at = world_at(world, next);
    }
}

DdpVar follow_var(const World *world, Inst *from, const Ref *ref)
{
    if (ref->up == REF_TIME)
        return world->time;
    if (ref->up == REF_HOMOTOPY)
        return world->homotopy;
    Target t = follow(world, from, ref);
    return t.inst ? t.inst->word[t.word] : 0;
}

Inst *follow_inst(const World *world, Inst *from, const Ref *ref)
{
    Target t = follow(world, from, ref);
    uint32_t id = t.inst ? t.inst->word[t.word] : 0;
    return id ? world_at(world, id) : NULL;
}

/* ---- watches ---- */

static uint32_t watch_new(World *world)
{
    uint32_t id = world->free_watch;
    if (id) {
        world->free_watch = world->watch.at[id].next;
    } else {
        id = world->watch.n;
        vec_push(world->mem, &world->watch, (Watch){0});
    }
    world->n_watches++;
    return id;
}

static void watch_make(World *world, Inst *inst, uint32_t op, Inst *slot, uint32_t head,
                       uint32_t *list)
{
    uint32_t id = watch_new(world), first = slot->word[head];
    world->watch.at[id] = (Watch){.inst = inst->id,
                                  .op = op,
                                  .slot_inst = slot->id,
                                  .slot_word = head,
                                  .next = first,
                                  .next_of_op = *list};
    if (first)
        world->watch.at[first].prev = id;
    slot->word[head] = id;
    *list = id;
}

static uint32_t head_of(const Member *m, uint32_t word)
{
    return word + (m->binding == BIND_ALIAS ? 2 : 1);
}

void follow_watch(World *world, Inst *inst, uint32_t op, const Ref *ref, bool last, uint32_t *list)
{
    if (ref->up == REF_TIME || ref->up == REF_HOMOTOPY)
        return;
    Inst *at = follow_up(world, inst, ref->up);
    for (uint32_t i = 0; i < ref->n; i++) {
        Member *m = NULL;
        uint32_t word = ref->step[i].word;
        if (ref->step[i].member)
            word = plan_member_word(at->plan, ref->step[i].member, &m);
        if (word == NO_WORD || (i + 1 == ref->n && !last))
            return;
        if (m && m->binding != BIND_STATIC)
            watch_make(world, inst, op, at, head_of(m, word), list);
        Target t = {at, word, m};
        if (ref->step[i].n_index)
            t = row_element(world, inst, t, &ref->step[i], ref->at);
        uint32_t next = i + 1 < ref->n && t.inst ? t.inst->word[t.word] : 0;
        if (!next)
            return;
        at = world_at(world, next);
    }
}

void follow_unwatch(World *world, uint32_t *list)
{
    for (uint32_t id = *list, next; id; id = next) {
        Watch *w = &world->watch.at[id];
        next = w->next_of_op;
        if (w->prev)
            world->watch.at[w->prev].next = w->next;
        else
            world_at(world, w->slot_inst)->word[w->slot_word] = w->next;
        if (w->next)
            world->watch.at[w->next].prev = w->prev;
        *w = (Watch){.next = world->free_watch};
        world->free_watch = id;
        world->n_watches--;
    }
    *list = 0;
}

void follow_fire(World *world, Inst *inst, uint32_t head)
{
    world->paths++;
    while (inst->word[head]) {
        Watch w = world->watch.at[inst->word[head]];
        depend_suspend(world, world_at(world, w.inst), w.op); /* drops the watch */
    }
}

/* ---- links ---- */

uint32_t follow_link(World *world, Inst *target, uint32_t inst, uint32_t what)
{
    uint32_t id = world->free_link;
    if (id) {
        world->free_link = world->link.at[id].next;
    } else {
        id = world->link.n;
        vec_push(world->mem, &world->link, (Link){0});
    }
    world->link.at[id] =
        (Link){.target = target->id, .next = target->links, .inst = inst, .what = what};
    if (target->links)
        world->link.at[target->links].prev = id;
    target->links = id;
    return id;
}

void follow_unlink(World *world, uint32_t id)
{
    Link *link = &world->link.at[id];
    if (link->prev)
        world->link.at[link->prev].next = link->next;
    else
        world_at(world, link->target)->links = link->next;
    if (link->next)
        world->link.at[link->next].prev = link->prev;
    *link = (Link){.next = world->free_link};
    world->free_link = id;
}
