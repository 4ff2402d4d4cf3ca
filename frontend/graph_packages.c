/* graph_packages.c: definitions -> DOT graph of which contains and which extends which (Sol thesis,
 * figure 5.1). */
#include "frontend/graph.h"
#include "frontend/resolve_int.h"

static void print_node(Program *p, const Def *def, FILE *out)
{
    static const char *const shapes[] = {[DEF_MODEL] = "box",
                                         [DEF_PACKAGE] = "tab",
                                         [DEF_CONNECTOR] = "ellipse",
                                         [DEF_FUNCTION] = "cds"};
    fprintf(out, "  d%u [label=\"%s\", shape=%s%s];\n", def->id, intern_text(&p->names, def->name),
            shapes[def->kind], def->partial ? ", style=dashed" : "");
}

static void print_edges(const Def *def, FILE *out)
{
    if (def->outer)
        fprintf(out, "  d%u -> d%u [dir=none];\n", def->outer->id, def->id);
    if (def->base)
        fprintf(out, "  d%u -> d%u [style=dotted, constraint=false];\n", def->id, def->base->id);
}

/* What a definition contains, its own text and what it inherits, as far as it was ever asked for.
 */
static void draw(Program *p, FILE *out)
{
    fputs("digraph packages {\n  node [fontname=\"sans-serif\"];\n", out);
    for (uint32_t i = 0; i < p->defs.n; i++)
        if (!p->defs.at[i]->text->is_unit)
            print_node(p, p->defs.at[i], out);
    for (uint32_t i = 0; i < p->defs.n; i++)
        print_edges(p->defs.at[i], out);
    fputs("}\n", out);
}

bool graph_packages(Program *p, FILE *out)
{
    if (p->exhausted)
        return false;
    draw(p, out);
    return true;
}
