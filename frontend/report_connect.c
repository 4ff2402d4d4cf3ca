/* report_connect.c: verdict of the DDP and sets of connections -> messages about components.
 *
 * Whoever builds a circuit thinks of pins and grounds, not of equations. Three mistakes are told in
 * those words, before report.c would tell them as equations:
 *
 *   - a connector in the underdetermined part that nothing outside its component mentions: it is
 *     not connected;
 *   - two components that fix the same potential of one node: two grounds;
 *   - potentials that nothing fixes: no ground. The structure does not show this (there are as many
 *     equations as variables), but the equations do: a class of potentials that equations relate is
 *     floating when every equation stays true if all of them move by the same amount. Then each
 *     solution gives another one, whatever the numbers are, so this is never a false alarm.
 */
#include "frontend/connect_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 8, TEXT = 400, NAME = 600 };

/* ---- components ---- */

static bool is_connector(const Inst *inst)
{
    return !inst->plan->is_branch && inst->plan->def->kind == DEF_CONNECTOR;
}

/* What the modeller placed: the innermost instance around that is no connector and no branch. */
static const Inst *component_of(const World *world, const Inst *inst)
{
    while (inst->owner && (is_connector(inst) || inst->plan->is_branch))
        inst = world_at(world, inst->owner);
    return inst;
}

const Inst *report_component_of(const World *world, const Inst *inst)
{
    return component_of(world, inst);
}

static bool lies_inside(const World *world, const Inst *inst, const Inst *around)
{
    for (; inst != around; inst = world_at(world, inst->owner))
        if (!inst->owner)
            return false;
    return true;
}

static Place place_of(const World *world, const Inst *inst)
{
    if (!inst->owner)
        return inst->plan->def->at;
    const Inst *owner = world_at(world, inst->owner);
    return owner->plan->ops[owner->plan->word_op[inst->owner_word]].at;
}

Place report_place_of(const World *world, const Inst *inst)
{
    return place_of(world, inst);
}

/* "Resistor 'R1'" */
static void name_of(const World *world, const Inst *inst, char *out, size_t size)
{
    char path[TEXT];
    const char *def = intern_text(program_names(world->program), inst->plan->def->name);
    world_inst_path(world, inst->id, path, sizeof path);
    if (path[0])
        snprintf(out, size, "%s '%s'", def, path);
    else
        snprintf(out, size, "%s", def);
}

const Inst *report_connector_of(const World *world, DdpVar var)
{
    WorldVar view;
    if (!world_var(world, var, &view) || !view.member || view.member->con == CON_NONE)
        return NULL;
    return view.owner ? world_at(world, view.owner) : NULL;
}

/* ---- connectors that are not connected ---- */

/* [InstId]: takes part in a connection of a model around its own. */
static uint8_t *connected_instances(World *world)
{
    const Connect *c = world->connect;
    uint8_t *flags = arena_alloc(&world->arena, world->inst.n);
    for (uint32_t i = 1; i < c->node.n; i++)
        if (c->node.at[i].first_edge && !c->node.at[i].own)
            flags[c->node.at[i].inst] = 1;
    return flags;
}

/* The same of one of them. */
static bool takes_part(const World *world, const Inst *inst)
{
    for (const Inst *at = inst; at->owner;) {
        InstId model = follow_model(world, world_at(world, at->owner));
        if (connect_is_term(world->connect, model, inst->id))
            return true;
        at = world_at(world, model);
    }
    return false;
}

/* The potentials and flows that the connector has itself, not by way of connectors inside it. */
static void own_variables(const World *world, const Inst *inst, Vars *out)
{
    const Signature *s = plans_signature(world->plans, inst->plan);
    for (uint32_t i = 0; i < s->n; i++) {
        const Bundle *b = &s->bundle[i];
        connect_vars(world->connect, inst->id, b->n_potentials, b->potentials, out);
        connect_vars(world->connect, inst->id, b->n_flows, b->flows, out);
    }
}

static bool only_reads(const World *world, DdpRel rel, DdpVar var, uint32_t *left);

/* Is the relation the only one that can determine the variable: do all others that name it read it only? */
static bool is_private(const World *world, DdpVar var, DdpRel of, uint32_t *left)
{
    uint32_t cursor = 0;
    if (ddp_var(world->ddp, var).kind != DDP_UNKNOWN)
        return false;
    for (DdpRel rel; (rel = ddp_next_use(world->ddp, var, &cursor));)
        if (rel != of && !only_reads(world, rel, var, left))
            return false;
    return true;
}

/* Does it determine something else than the variable: `y = amp.out.v`, where nothing else determines y? left: relations that may be
 * looked at. */
static bool only_reads(const World *world, DdpRel rel, DdpVar var, uint32_t *left)
{
    DdpRelView view = ddp_rel(world->ddp, rel);
    if (view.kind == DDP_TRANSMISSION)
        return true; /* who transmits or asks */
    if (!*left || rel >= world->rel.n || world->rel.at[rel].tag != OWNER_INST)
        return false;
    --*left;
    for (uint32_t i = 0; i < view.n; i++)
        if (view.vars[i] != var && is_private(world, view.vars[i], rel, left))
            return true;
    return false;
}

static bool is_used_outside(const World *world, DdpVar var, const Inst *component)
{
    uint32_t cursor = 0, left = 200;
    for (DdpRel rel; (rel = ddp_next_use(world->ddp, var, &cursor));) {
        OwnerInfo info = rel < world->rel.n ? world->rel.at[rel] : (OwnerInfo){0};
        if (info.tag == OWNER_INST && !lies_inside(world, world_at(world, info.who), component) &&
            !only_reads(world, rel, var, &left))
            return true;
    }
    return false;
}

/* Names an equation outside of its component one of its variables: `wheel.b.t = 0`? */
static bool is_mentioned(const World *world, const Inst *inst)
{
    const Inst *component = component_of(world, inst);
    bool any = false;
    Vars vars = {0};
    own_variables(world, inst, &vars);
    for (uint32_t i = 0; i < vars.n && !any; i++)
        any = is_used_outside(world, vars.at[i], component);
    vec_free(world->mem, &vars);
    return any;
}

const Inst *report_bare_connector(const World *world, const Inst *inst)
{
    while (!takes_part(world, inst) && !is_mentioned(world, inst)) {
        const Inst *owner = inst->owner ? world_at(world, inst->owner) : NULL;
        if (owner)
            owner = follow_up(world, (Inst *)owner, 0); /* around the array it may lie in */
        if (!owner || !is_connector(owner))
            return inst;
        inst = owner;
    }
    return NULL;
}

static void tell_unconnected(World *world, const Inst *connector, const Inst *component)
{
    char whole[NAME], path[TEXT];
    name_of(world, component, whole, sizeof whole);
    if (connector == component) {
        world_fail(world, place_of(world, component), "%s is not connected", whole);
        return;
    }
    world_inst_step(world, connector->id, path, sizeof path);
    world_fail(world, place_of(world, component), "%s '%s' of %s is not connected",
               intern_text(program_names(world->program), connector->plan->def->name), path, whole);
}

bool report_unconnected(World *world, const DdpPart *under)
{
    const Inst *told[SHOWN];
    uint32_t n = 0;
    for (uint32_t i = 0; i < under->n_vars && n < SHOWN; i++) {
        const Inst *inst = report_connector_of(world, under->vars[i]);
        bool open = inst && map_get(&world->connect->open_of, inst->id); /* that did not help */
        const Inst *connector = inst && !open ? report_bare_connector(world, inst) : NULL;
        for (uint32_t k = 0; k < n && connector; k++)
            if (told[k] == connector) /* each once */
                connector = NULL;
        if (!connector)
            continue;
        tell_unconnected(world, connector, component_of(world, connector));
        told[n++] = connector;
    }
    return n > 0;
}

/* ---- moving all potentials of one name ---- */

static Sym potential_name(const World *world, DdpVar var)
{
    WorldVar view;
    bool is = world_var(world, var, &view) && view.member && view.member->con == CON_POTENTIAL;
    return is ? view.member->name : 0;
}

/* d x / d shift for one node, given those of its operands; NAN where it is not a plain number. */
static double moved_node(XNode node, const double *moved)
{
    double a = node.op > X_POS ? moved[node.a] : 0, b = node.b ? moved[node.b] : 0;
    double c = node.c ? moved[node.c] : 0;
    switch (node.op) {
    case X_NEG:
        return -a;
    case X_ADD:
        return a + b;
    case X_SUB:
        return a - b;
    case X_CALL: /* operand a is the number of a function */
        return b == 0 ? 0 : NAN;
    default: /* a function of things that do not move does not move */
        return a == 0 && b == 0 && c == 0 ? 0 : NAN;
    }
}

static bool moves(const World *world, DdpVar var, Sym name)
{
    return potential_name(world, var) == name;
}

/* Does the relation stay true when every potential called `name` in it moves by the same amount? */
static bool stays_true(World *world, const DdpRelView *view, Sym name)
{
    const FormInfo *info = form_info(world->forms, view->form);
    X roots[2] = {info->lhs, info->rhs};
    uint32_t n, top = info->lhs > info->rhs ? info->lhs : info->rhs;
    X *nodes = x_nodes(world->forms, world->mem, 2, roots, &n);
    double *moved = mem_alloc(world->mem, (top + 1) * sizeof *moved);
    for (uint32_t i = 0; i < n; i++) {
        XNode node = x_node(world->forms, nodes[i]);
        if (node.op == X_POS)
            moved[nodes[i]] = moves(world, view->vars[node.a], name);
        else
            moved[nodes[i]] = node.op == X_CONST ? 0 : moved_node(node, moved);
    }
    bool stays = moved[info->lhs] == moved[info->rhs];
    mem_free(world->mem, moved);
    mem_free(world->mem, nodes);
    return stays;
}

/* The same with a memory: all resistors share a form, and one answer. */
static bool stays_true_cached(World *world, Map *known, const DdpRelView *view, Sym name)
{
    enum { POSITIONS = 32 };
    uint64_t key = view->form;
    if (view->n > POSITIONS)
        return stays_true(world, view, name);
    for (uint32_t k = 0; k < view->n; k++)
        key |= (uint64_t)moves(world, view->vars[k], name) << (32 + k);
    uint32_t answer = map_get(known, key);
    if (!answer) {
        answer = stays_true(world, view, name) ? 1 : 2;
        map_put(world->mem, known, key, answer);
    }
    return answer == 1;
}

/* ---- classes of potentials ---- */

/* parent[DdpVar]: union-find over potentials of one name; anchored[root]: something fixes them. */
typedef struct Classes {
    uint32_t n;
    DdpVar *parent; /* 0: no potential */
    uint8_t *anchored;
    Map known; /* answers of stays_true() */
} Classes;

static DdpVar class_of(const Classes *classes, DdpVar var)
{
    while (classes->parent[var] != var) {
        classes->parent[var] = classes->parent[classes->parent[var]];
        var = classes->parent[var];
    }
    return var;
}

static void class_join(Classes *classes, DdpVar a, DdpVar b)
{
    a = class_of(classes, a);
    b = class_of(classes, b);
    classes->parent[b] = a;
    classes->anchored[a] |= classes->anchored[b];
}

static Classes classes_make(World *world)
{
    Classes classes = {.n = ddp_var_limit(world->ddp)};
    classes.parent = arena_alloc(&world->arena, classes.n * sizeof *classes.parent);
    classes.anchored = arena_alloc(&world->arena, classes.n);
    for (DdpVar var = 1; var < classes.n && var < world->var.n; var++) {
        if (world->var.at[var].tag != OWNER_INST || !potential_name(world, var))
            continue;
        classes.parent[var] = var;
        classes.anchored[var] = ddp_var(world->ddp, var).kind != DDP_UNKNOWN;
    }
    return classes;
}

/* All potentials of the name in the relation belong together. */
static void class_relation(World *world, Classes *classes, const DdpRelView *view, uint32_t first)
{
    DdpVar var = view->vars[first];
    Sym name = potential_name(world, var);
    for (uint32_t k = 0; k < view->n; k++)
        if (classes->parent[view->vars[k]] && potential_name(world, view->vars[k]) == name) {
            if (k < first)
                return; /* done with that one */
            class_join(classes, var, view->vars[k]);
        }
    if (!classes->anchored[class_of(classes, var)] &&
        (view->kind == DDP_DERIVATIVE || !stays_true_cached(world, &classes->known, view, name)))
        classes->anchored[class_of(classes, var)] = 1;
}

static void classes_join(World *world, Classes *classes)
{
    for (DdpRel rel = 1; rel < world->rel.n; rel++) {
        OwnerTag tag = world->rel.at[rel].tag;
        if (tag != OWNER_INST && tag != OWNER_EDGE && tag != OWNER_SUM)
            continue; /* in the place of a sum a potential may be set to 0 (singular.c) */
        DdpRelView view = ddp_rel(world->ddp, rel);
        for (uint32_t k = 0; k < view.n; k++)
            if (view.vars[k] < classes->n && classes->parent[view.vars[k]])
                class_relation(world, classes, &view, k);
    }
}

/* ---- nothing fixes the potential ---- */

/* The components of a class, the first few, as text. */
static const Inst *class_text(const World *world, const Classes *classes, DdpVar root, char *out,
                              size_t size)
{
    enum { NAMED = 4 };
    const Inst *first = NULL, *seen[NAMED];
    uint32_t n = 0;
    size_t used = 0;
    for (DdpVar var = 1; var < classes->n; var++) {
        if (!classes->parent[var] || class_of(classes, var) != root)
            continue;
        const Inst *component = component_of(world, report_connector_of(world, var));
        bool known = false;
        for (uint32_t i = 0; i < n; i++)
            known |= seen[i] == component;
        if (known || !component->owner)
            continue;
        if (n == NAMED) {
            snprintf(out + used, size - used, " and others");
            break;
        }
        char path[TEXT / NAMED];
        world_inst_path(world, component->id, path, sizeof path);
        used += (size_t)snprintf(out + used, size - used, "%s'%s'", n ? ", " : "", path);
        seen[n++] = component;
        first = first ? first : component;
    }
    return first;
}

/* Are potentials of the class equal by a connection? Else it is some variable on its own. */
static bool is_connected(const World *world, const Classes *classes, DdpVar root,
                         const uint8_t *connected)
{
    for (DdpVar var = root; var < classes->n; var++)
        if (classes->parent[var] && class_of(classes, var) == root) {
            const Inst *inst = report_connector_of(world, var);
            for (; inst; inst = inst->owner ? world_at(world, inst->owner) : NULL)
                if (connected[inst->id])
                    return true;
        }
    return false;
}

static void tell_floating(World *world, const Classes *classes, DdpVar root)
{
    char parts[TEXT + 20] = "";
    const Inst *first = class_text(world, classes, root, parts, sizeof parts);
    world_fail(
        world, first ? place_of(world, first) : 0,
        "the circuit of %s has no ground: nothing fixes the potential '%s' of its connectors",
        parts, intern_text(program_names(world->program), potential_name(world, root)));
}

static void floating_task(World *world)
{
    Classes classes = classes_make(world);
    classes_join(world, &classes);
    map_free(world->mem, &classes.known);
    const uint8_t *connected = connected_instances(world);
    uint32_t told = 0;
    for (DdpVar var = 1; var < classes.n && told < SHOWN; var++) {
        if (classes.parent[var] != var || classes.anchored[var] ||
            !is_connected(world, &classes, var, connected))
            continue;
        tell_floating(world, &classes, var);
        told++;
    }
}

bool world_report_floating(World *world)
{
    return report_guarded(world, floating_task);
}

/* ---- two that fix one node ---- */

/* The component of a relation that fixes one potential and relates nothing else, or NULL. */
static const Inst *fixing_component(World *world, DdpRel rel)
{
    OwnerInfo info = world->rel.at[rel];
    DdpRelView view = ddp_rel(world->ddp, rel);
    if (info.tag != OWNER_INST || view.kind == DDP_DERIVATIVE)
        return NULL;
    Sym name = 0;
    for (uint32_t k = 0; k < view.n; k++) {
        if (ddp_var(world->ddp, view.vars[k]).kind != DDP_UNKNOWN)
            continue;
        if (name || !(name = potential_name(world, view.vars[k])))
            return NULL;
    }
    if (!name || stays_true(world, &view, name))
        return NULL;
    return component_of(world, world_at(world, info.who));
}

bool report_two_grounds(World *world, const DdpPart *over)
{
    const Inst *fixing[2] = {NULL, NULL};
    uint32_t n = 0;
    char a[NAME], b[NAME];
    for (uint32_t i = 0; i < over->n_rels; i++) {
        DdpRel rel = over->rels[i];
        if (rel >= world->rel.n)
            return false;
        if (world->rel.at[rel].tag == OWNER_EDGE)
            continue;
        const Inst *component = fixing_component(world, rel);
        if (!component || n == 2)
            return false;
        fixing[n++] = component;
    }
    if (n < 2 || fixing[0] == fixing[1] || over->n_rels == n)
        return false;
    name_of(world, fixing[0], a, sizeof a);
    name_of(world, fixing[1], b, sizeof b);
    world_fail(world, place_of(world, fixing[1]),
               "%s and %s both fix the potential of one node: one of them is too many", a, b);
    return true;
}

/* ---- components that take part in something ---- */

/* What the modeller placed around it. */
static const Inst *around_of(const World *world, const Inst *component)
{
    return component->owner ? component_of(world, world_at(world, component->owner)) : NULL;
}

typedef struct Company {
    VEC(const Inst *) all;    /* components whose own equations take part, each once */
    VEC(const Inst *) part;   /* the same, seen from the innermost model around all of them */
    const Inst *around;       /* that model */
    uint32_t fixing, outside; /* grounds among them; equations of `around` itself */
    bool connected, moded;    /* through connections; some equations stand in branches */
} Company;

static bool is_listed(const Inst *const *list, uint32_t n, const Inst *inst)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == inst)
            return true;
    return false;
}

/* Seen from outside a source is one thing, whatever it is made of. */
static const Inst *part_seen_from(const World *world, const Inst *around, const Inst *inst)
{
    while (around_of(world, inst) != around)
        inst = around_of(world, inst);
    return inst;
}

static void find_around(const World *world, Company *c, const Inst *top)
{
    const Inst *around = c->all.n ? around_of(world, c->all.at[0]) : NULL;
    for (uint32_t i = 0; i < c->all.n && around; i++)
        while (around && (c->all.at[i] == around || !lies_inside(world, c->all.at[i], around)))
            around = around_of(world, around);
    c->around = around ? around : top;
}

/* The components that the relations belong to. One ground is what the others stand on, and does not
 * count; equations that the model around all of them wrote itself are counted apart. */
static Company company_of(World *world, const DdpPart *part)
{
    Company c = {0};
    const Inst *ground = NULL, *top = NULL;
    bool ours = false;
    for (uint32_t i = 0; i < part->n_rels; i++) {
        OwnerInfo owner = world_rel_info(world, part->rels[i]);
        c.connected |= owner.tag == OWNER_EDGE || owner.tag == OWNER_SUM;
        if (owner.tag != OWNER_INST)
            continue;
        const Inst *inst = world_at(world, owner.who), *component = component_of(world, inst);
        c.moded |= inst->plan->is_branch;
        if (!component->owner) {
            top = component;
            ours = true;
            continue;
        }
        if (part->rels[i] < world->rel.n && component != ground &&
            fixing_component(world, part->rels[i]) == component) {
            ground = component;
            c.fixing++;
        }
        if (!is_listed(c.all.at, c.all.n, component))
            vec_push(world->mem, &c.all, component);
    }
    find_around(world, &c, top);
    c.outside = ours;
    for (uint32_t i = 0; i < c.all.n; i++) {
        if (c.all.at[i] == ground && c.fixing == 1)
            continue;
        const Inst *seen = part_seen_from(world, c.around, c.all.at[i]);
        if (!is_listed(c.part.at, c.part.n, seen))
            vec_push(world->mem, &c.part, seen);
    }
    return c;
}

static void company_free(World *world, Company *c)
{
    vec_free(world->mem, &c->all);
    vec_free(world->mem, &c->part);
}

/* "Diode 'D1', Diode 'D2' and 3 others" */
static void company_text(const World *world, const Company *c, char *out, size_t size)
{
    char name[NAME];
    uint32_t n = c->part.n > SHOWN ? SHOWN - 1 : c->part.n;
    out[0] = '\0';
    for (uint32_t i = 0; i < n; i++) {
        size_t used = strlen(out);
        bool last = i + 1 == c->part.n;
        name_of(world, c->part.at[i], name, sizeof name);
        snprintf(out + used, size - used, "%s%s", i == 0 ? "" : last ? " and " : ", ", name);
    }
    if (n < c->part.n)
        snprintf(out + strlen(out), size - strlen(out), " and %u others", c->part.n - n);
}

static void company_notes(World *world, const Company *c, uint32_t n)
{
    char name[NAME];
    for (uint32_t i = 0; i < n && i < SHOWN; i++) {
        name_of(world, c->part.at[i], name, sizeof name);
        world_remark(world, place_of(world, c->part.at[i]), "%s", name);
    }
}

void report_note_component(World *world, InstId of)
{
    char name[NAME];
    const Inst *component = of ? component_of(world, world_at(world, of)) : NULL;
    if (!component || !component->owner)
        return;
    name_of(world, component, name, sizeof name);
    world_remark(world, place_of(world, component), "%s", name);
}

/* ---- components that have too many equations together ---- */

bool report_components(World *world, const DdpPart *over)
{
    char text[SHOWN * NAME] = "";
    Company c = company_of(world, over);
    bool told = c.connected && c.part.n >= 2 && !c.outside;
    if (told) {
        company_text(world, &c, text, sizeof text);
        world_fail(world, place_of(world, c.part.at[c.part.n - 1]),
                   "%s have too many equations%s as they are connected: %u for %u variables", text,
                   c.moded ? " in their present modes" : "", over->n_rels, over->n_vars);
        company_notes(world, &c, c.part.n - 1);
    }
    company_free(world, &c);
    return told;
}

bool report_contradicting(World *world, const DdpPart *part)
{
    char text[SHOWN * NAME] = "";
    Company c = company_of(world, part);
    bool told = c.connected && c.part.n >= 2 && !c.outside;
    if (told) {
        company_text(world, &c, text, sizeof text);
        world_fail(world, place_of(world, c.part.at[c.part.n - 1]),
                   "%s contradict each other%s as they are connected", text,
                   c.moded ? " in their present modes" : "");
        company_notes(world, &c, c.part.n - 1);
    }
    company_free(world, &c);
    return told;
}

/* ---- components in a circle ---- */

/* What each hands on to the next comes back to the first: planar joints and rods that close a loop
 * through a fixation, for example. */
bool report_circle(World *world, const DdpPart *part)
{
    char text[SHOWN * NAME] = "", rel[TEXT];
    Company c = company_of(world, part);
    bool told = c.part.n >= 2;
    for (uint32_t i = 0; i < part->n_rels; i++)
        told &= ddp_rel(world->ddp, part->rels[i]).kind == DDP_TRANSMISSION;
    if (told) {
        company_text(world, &c, text, sizeof text);
        world_rel_text(world, part->rels[0], rel, sizeof rel);
        world_fail(world, place_of(world, c.part.at[c.part.n - 1]),
                   "%s form a closed circle: '%s' depends on itself", text, rel);
        company_notes(world, &c, c.part.n - 1);
    }
    company_free(world, &c);
    return told;
}

bool world_components(World *world, uint32_t n, const DdpRel *rels, char *out, size_t size)
{
    Company c = company_of(world, &(DdpPart){.n_rels = n, .rels = rels});
    bool told = c.connected && c.part.n >= 2 && !c.outside;
    if (told)
        company_text(world, &c, out, size);
    company_free(world, &c);
    return told;
}
