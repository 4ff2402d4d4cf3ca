/* graph_causality.c: instances and their DDP -> the causality graph in DOT, in the modeller's
 * names. */
#include "frontend/graph.h"
#include "frontend/world_int.h"

typedef struct Namer {
    const World *world;
    const GraphFill *fill; /* or NULL */
} Namer;

/* "der(x)" for derivatives, as many times as needed */
static void name_var(void *context, DdpVar var, char *out, size_t size)
{
    const World *world = ((const Namer *)context)->world;
    DdpVarView view = ddp_var(world->ddp, var);
    char path[240];
    world_var_path(world, view.origin, path, sizeof path);
    int used = 0;
    for (uint32_t i = 0; i < view.order && i < 8; i++)
        used += snprintf(out + used, size - (size_t)used, "der(");
    used += snprintf(out + used, size - (size_t)used, "%s", path);
    for (uint32_t i = 0; i < view.order && i < 8; i++)
        used += snprintf(out + used, size - (size_t)used, ")");
}

static void name_rel(void *context, DdpRel rel, char *out, size_t size)
{
    const World *world = ((const Namer *)context)->world;
    DdpRelView view = ddp_rel(world->ddp, rel);
    char text[500];
    world_rel_text(world, view.origin, text, sizeof text);
    const char *times[] = {"", "d/dt ", "d2/dt2 ", "d3/dt3 "};
    snprintf(out, size, "%s%s", view.order < 4 ? times[view.order] : "d../dt ", text);
}

static void fill_node(void *context, DdpNode node, char *colour, char *line, size_t size)
{
    const GraphFill *fill = ((const Namer *)context)->fill;
    fill->fill(fill->context, node, colour, line, size);
}

static void write_legend(void *context, FILE *out)
{
    const GraphFill *fill = ((const Namer *)context)->fill;
    fill->legend(fill->context, out);
}

void graph_causality(const World *world, FILE *out)
{
    Namer namer = {world, NULL};
    ddp_graph(world->ddp, &(DdpNames){.context = &namer, .rel = name_rel, .var = name_var}, out);
}

void graph_causality_filled(const World *world, const GraphFill *fill, FILE *out)
{
    Namer namer = {world, fill};
    ddp_graph(world->ddp, &(DdpNames){&namer, name_rel, name_var, fill_node, write_legend}, out);
}
