/* report_singular.c: what was found about equations that depend on each other -> notes, each once. */
#include "frontend/singular_int.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 400, NAMED = 4, MOST_TOLD = 50 };

static bool told_enough(const World *world)
{
    return world->singular->told.n >= MOST_TOLD;
}

static void tell(World *world, Place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void tell_text(World *world, Place at, const char *text)
{
    Map *told = &world->singular->told;
    uint64_t key = hash_bytes(text, strlen(text), at);
    if (map_get(told, key))
        return;
    map_put(world->mem, told, key, 1);
    world_remark(world, at, "%s", text);
}

static void tell(World *world, Place at, const char *format, ...)
{
    char text[4 * TEXT];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    tell_text(world, at, text);
}

/* ---- what is told when all of an event has been decided ---- */

static void keep_note(World *world, DdpRel rel, Place at, const char *text)
{
    char *copy = mem_alloc(world->mem, strlen(text) + 1);
    strcpy(copy, text);
    vec_push(world->mem, &world->singular->notes, ((SingularNote){rel, at, copy}));
}

/* Of those about one relation the last counts, if that still stands in its place. */
static bool counts(const World *world, uint32_t index)
{
    const Singular *s = world->singular;
    DdpCombination made;
    for (uint32_t i = index + 1; i < s->notes.n; i++)
        if (s->notes.at[i].rel == s->notes.at[index].rel)
            return false;
    return ddp_rel_used(world->ddp, s->notes.at[index].rel) &&
           ddp_combination(world->ddp, s->notes.at[index].rel, &made);
}

void tell_notes(World *world)
{
    Singular *s = world->singular;
    for (uint32_t i = 0; i < s->notes.n; i++)
        if (!told_enough(world) && counts(world, i))
            tell_text(world, s->notes.at[i].at, s->notes.at[i].text);
    drop_notes(world);
}

void drop_notes(World *world)
{
    Singular *s = world->singular;
    for (uint32_t i = 0; i < s->notes.n; i++)
        mem_free(world->mem, s->notes.at[i].text);
    vec_clear(&s->notes);
}

static void tell_task(World *world, void *argument)
{
    (void)argument;
    tell_notes(world);
    connect_tell_spares(world->connect);
    connect_tell_open(world);
}

void world_settled(World *world)
{
    if (world->singular->notes.n || connect_has_spares(world->connect) ||
        world->connect->open_untold)
        world_guarded(world, tell_task, NULL);
}

/* ---- components ---- */

/* The first ones, in the order in which they came to be. */
typedef struct Names {
    const Inst *at[NAMED];
    uint32_t n, more;
} Names;

static const Inst *owner_of(const World *world, DdpVar var)
{
    WorldVar view;
    return world_var(world, var, &view) && view.owner ? world_at(world, view.owner) : NULL;
}

static void add_component(const World *world, Names *names, DdpVar var)
{
    const Inst *inst = owner_of(world, var);
    const Inst *component = inst ? report_component_of(world, inst) : NULL;
    if (!component || !component->owner)
        return;
    uint32_t i = names->n;
    for (uint32_t k = 0; k < names->n; k++)
        if (names->at[k] == component)
            return;
    if (names->n == NAMED) {
        names->more++;
        i--;
        if (names->at[i]->id < component->id)
            return;
    } else {
        names->n++;
    }
    for (; i > 0 && names->at[i - 1]->id > component->id; i--)
        names->at[i] = names->at[i - 1];
    names->at[i] = component;
}

/* 'a', 'b' and 'c' */
static void names_text(const World *world, const Names *names, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < names->n && used < size; i++) {
        char path[TEXT / NAMED];
        bool last = i + 1 == names->n && !names->more;
        world_inst_path(world, names->at[i]->id, path, sizeof path);
        used += (size_t)snprintf(out + used, size - used, "%s'%s'",
                                 i == 0 ? ""
                                 : last ? " and "
                                        : ", ",
                                 path);
    }
    if (names->more && used < size)
        snprintf(out + used, size - used, " and others");
}

/* ---- a circuit without ground ---- */

void tell_island(World *world, DdpRel rel, DdpVar at)
{
    Names names = {0};
    char text[TEXT + 20], path[TEXT], note[4 * TEXT];
    const Inst *pin = owner_of(world, at);
    for (uint32_t i = 0; i < world->singular->island.n && !told_enough(world); i++) {
        WorldVar view;
        DdpVar var = world->singular->island.at[i];
        if (world_var(world, var, &view) && view.member && view.member->con == CON_POTENTIAL)
            add_component(world, &names, var);
    }
    if (!pin || !names.n)
        return;
    names_text(world, &names, text, sizeof text);
    world_inst_path(world, pin->id, path, sizeof path);
    snprintf(note, sizeof note, "the circuit of %s has no ground: its potential is set to 0 at %s",
             text, path);
    keep_note(world, rel, report_place_of(world, report_component_of(world, pin)), note);
}

static bool is_watching(const World *world, const Inst *component)
{
    const Singular *s = world->singular;
    for (uint32_t i = 0; i < s->watched.n; i++) {
        const Inst *inst = owner_of(world, s->watched.at[i]);
        if (inst && report_component_of(world, inst) == component)
            return true;
    }
    return false;
}

/* Those that block, and what lies between them. */
void tell_blocked(World *world, DdpRel rel)
{
    const Singular *s = world->singular;
    Names watching = {0}, names = {0};
    char who[TEXT + 20], text[TEXT + 20], note[4 * TEXT];
    if (told_enough(world))
        return;
    for (uint32_t i = 0; i < s->watched.n; i++)
        add_component(world, &watching, s->watched.at[i]);
    for (uint32_t i = 0; i < s->island.n; i++) {
        const Inst *inst = owner_of(world, s->island.at[i]);
        if (inst && !is_watching(world, report_component_of(world, inst)))
            add_component(world, &names, s->island.at[i]);
    }
    if (!watching.n)
        return;
    names_text(world, &watching, who, sizeof who);
    names_text(world, &names, text, sizeof text);
    snprintf(note, sizeof note,
             "while %s block%s, nothing fixes the potential %s%s: it is set as if %s", who,
             watching.n == 1 ? "s" : "", names.n ? "of " : "between them", text,
             watching.n == 1 ? "it leaked" : "they leaked equally");
    keep_note(world, rel, report_place_of(world, watching.at[0]), note);
}

/* ---- an equation too many ---- */

void tell_aside(World *world, const Dependence *sum, DdpRel rel)
{
    char text[TEXT], others[TEXT] = "", one[TEXT / 2];
    size_t used = 0;
    uint32_t n = 0;
    if (told_enough(world))
        return;
    world_rel_text(world, rel, text, sizeof text);
    for (uint32_t i = 0; i < sum->rels.n && n < NAMED && used < sizeof others; i++) {
        if (sum->rels.at[i] == rel)
            continue;
        world_rel_text(world, sum->rels.at[i], one, sizeof one);
        used +=
            (size_t)snprintf(others + used, sizeof others - used, "%s'%s'", n++ ? ", " : "", one);
    }
    tell(world, world_rel_place(world, rel), "'%s' follows from %s%s: it is set aside", text,
         n ? others : "what is known", sum->rels.n - 1 > n && n ? " and others" : "");
}

/* Components that the relations belong to, in the order in which they came to be. */
static void add_rel_components(const World *world, Names *names, DdpRel rel)
{
    DdpRelView view = ddp_rel(world->ddp, rel);
    for (uint32_t i = 0; i < view.n; i++)
        if (view.vars[i])
            add_component(world, names, view.vars[i]);
}

void tell_redundant(World *world, DdpRel rel, uint32_t n, const DdpRel *others)
{
    char text[TEXT], who[TEXT + 20];
    Names names = {0};
    if (told_enough(world))
        return;
    for (uint32_t i = 0; i < n; i++)
        add_rel_components(world, &names, others[i]);
    names_text(world, &names, who, sizeof who);
    world_rel_text(world, rel, text, sizeof text);
    if (names.n)
        tell(world, world_rel_place(world, rel),
             "'%s' holds already, by the equations of %s: it is set aside", text, who);
    else
        tell(world, world_rel_place(world, rel),
             "'%s' holds already, by %u other equations: it is set aside", text, n);
}

void tell_closed(World *world, DdpRel rel, DdpVar var)
{
    char text[TEXT], path[TEXT];
    if (told_enough(world))
        return;
    world_rel_text(world, rel, text, sizeof text);
    world_var_path(world, var, path, sizeof path);
    tell(world, world_rel_place(world, rel),
         "without '%s' nothing determines '%s', which is set to 0", text, path);
}

/* ---- states that depend on each other ---- */

static bool is_differentiated(const World *world, DdpVar var)
{
    uint32_t cursor = 0;
    for (DdpRel rel; (rel = ddp_next_use(world->ddp, var, &cursor));) {
        DdpRelView view = ddp_rel(world->ddp, rel);
        if (view.kind == DDP_DERIVATIVE && view.vars[1] == var)
            return true;
    }
    return false;
}

/* It is, or it is equal to such a one up to its sign, as the currents of both pins are. */
static bool is_dynamic(World *world, DdpVar var, int steps)
{
    uint32_t cursor = 0;
    bool found = is_differentiated(world, var);
    for (DdpRel rel; steps && !found && (rel = ddp_next_use(world->ddp, var, &cursor));) {
        DdpRelView view = ddp_rel(world->ddp, rel);
        if (view.n == 2 && singular_whole(world, &view) && view.order == 0)
            found = is_dynamic(world, view.vars[view.vars[0] == var], steps - 1);
    }
    return found;
}

static bool sums_flows(const World *world, const Dependence *sum)
{
    for (uint32_t i = 0; i < sum->rels.n; i++)
        if (world_rel_info(world, sum->rels.at[i]).tag == OWNER_SUM)
            return true;
    return false;
}

/* "inductors" where all of them are, else "components" */
static void kind_text(const World *world, const Names *names, char *out, size_t size)
{
    Sym name = names->at[0]->plan->def->name;
    bool same = !names->more;
    for (uint32_t i = 0; i < names->n; i++)
        same &= names->at[i]->plan->def->name == name;
    snprintf(out, size, "%ss",
             same ? intern_text(program_names(world->program), name) : "component");
    out[0] = (char)tolower((unsigned char)out[0]);
}

void tell_hidden(World *world, const Dependence *sum)
{
    Names names = {0};
    char text[TEXT + 20], kind[TEXT];
    for (uint32_t i = 0; i < sum->vars.n; i++) {
        if (told_enough(world) || !is_dynamic(world, sum->vars.at[i], 3))
            return;
        add_component(world, &names, sum->vars.at[i]);
    }
    if (names.n < 2)
        return;
    bool flows = sums_flows(world, sum), two = names.n == 2;
    names_text(world, &names, text, sizeof text);
    kind_text(world, &names, kind, sizeof kind);
    tell(world, report_place_of(world, names.at[names.n - 1]), "the %s %s %s", kind, text,
         two && flows ? "are in series: one state"
         : two        ? "are in parallel: one state"
         : flows      ? "meet where nothing else does: one state less"
                      : "form a loop: one state less");
}
