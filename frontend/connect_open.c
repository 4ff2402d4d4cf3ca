/* connect_open.c: equations that are missing, and connectors that nobody connects -> flows that are 0.
 *
 * What leads nowhere carries nothing: so it is in other languages, and so it is here where the model would be incomplete otherwise. A
 * connector that equations of others name is left to them, and one of the model that is run to whoever runs it. Such a connector is a
 * set by itself, whose sum has one term; a connection takes it back. Where text was typed into a running model or taken away, nothing
 * is added: there a connector without a connection is work in progress. */
#include "frontend/connect_int.h"

#include <stdio.h>

static const Inst *around(const World *world, const Inst *inst)
{
    return follow_up(world, world_at(world, inst->owner), 0);
}

/* Is it, by way of connectors, in the interface of a component of another model? */
static bool is_offered(const World *world, const Inst *inst)
{
    const Inst *component = report_component_of(world, inst);
    for (const Inst *at = inst; at != component; at = around(world, at)) {
        const Inst *owner = world_at(world, at->owner);
        const Member *m = owner->plan->ops[owner->plan->word_op[at->owner_word]].member;
        if (!m || !m->is_public)
            return false;
    }
    return component->owner && component != inst;
}

static bool open_end(World *world, DdpVar var)
{
    const Inst *inst = report_connector_of(world, var);
    if (!inst || map_get(&world->connect->open_of, inst->id) || !is_offered(world, inst) ||
        !report_bare_connector(world, inst))
        return false;
    const Inst *component = report_component_of(world, inst);
    InstId model = follow_model(world, world_at(world, component->owner));
    return connect_end_open(world->connect, model, inst->id);
}

bool connect_open_ends(World *world)
{
    bool any = false;
    if (world_is_edited(world) || world->failed)
        return false;
    DdpPart under = ddp_diagnose(world->ddp).under;
    for (uint32_t i = 0; i < under.n_vars; i++)
        any |= open_end(world, under.vars[i]);
    if (any)
        connect_flush(world->connect);
    return any;
}

bool connect_close_ends(World *world)
{
    Connect *c = world->connect;
    bool any = false;
    for (uint32_t i = 1; c->open_of.n && i < c->node.n; i++) {
        if (!node_is_open(&c->node.at[i]) ||
            report_bare_connector(world, world_at(world, c->node.at[i].inst)))
            continue;
        connect_end_close(c, c->node.at[i].inst);
        any = true;
    }
    return any;
}

void connect_end_removed(World *world, const Inst *inst)
{
    if (world->connect->open_of.n)
        connect_end_close(world->connect, inst->id);
}

/* ---- told ---- */

/* 'R.n', 'C.p' and 3 more: all open ends of the model from node `first` on. */
static void names_in(World *world, uint32_t first, char *text, size_t size)
{
    enum { NAMED = 4 };
    const Connect *c = world->connect;
    InstId last = 0;
    uint32_t n = 0;
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = first; i < c->node.n; i++) {
        const Node *node = &c->node.at[i];
        if (!node_is_open(node) || node->model != c->node.at[first].model || node->inst == last)
            continue;
        last = node->inst;
        if (n++ < NAMED && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s'%s'", n > 1 ? ", " : "",
                                     world_path_text(world, node->inst));
    }
    if (n > NAMED && used < size)
        snprintf(text + used, size - used, " and %u more", n - NAMED);
}

void connect_tell_open(World *world)
{
    enum { TEXT = 2000 };
    Connect *c = world->connect;
    Map told = {0}; /* models */
    char text[TEXT];
    c->open_untold = false;
    for (uint32_t i = 1; c->open_of.n && i < c->node.n; i++) {
        const Node *node = &c->node.at[i];
        if (!node_is_open(node) || node->told)
            continue;
        c->node.at[i].told = true;
        const Inst *component = report_component_of(world, world_at(world, node->inst));
        Place at = report_place_of(world, component);
        if (map_get(&told, node->model) || map_get(&world->warned, at))
            continue;
        map_put(world->mem, &told, node->model, 1);
        map_put(world->mem, &world->warned, at, 1);
        names_in(world, i, text, sizeof text);
        world_remark(world, at, "not connected, so that nothing flows there: %s", text);
    }
    map_free(world->mem, &told);
}
