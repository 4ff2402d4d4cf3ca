/* graph_types.c: definitions -> DOT graph of the type hierarchy (Sol thesis, figure 5.2).
 *
 * Definitions of equal type share a node; an edge leads from a type to each super-type that no
 * other type lies between. All pairs are compared, so this is for people and not for large
 * programs. */
#include "frontend/graph.h"
#include "frontend/resolve_int.h"
#include "frontend/types.h"

enum { MAX_TYPES = 2000 };

typedef struct Hierarchy {
    Program *program;
    uint32_t n;
    Def **def;      /* one definition for each type */
    uint32_t *same; /* by number of the definition in program->defs: its type */
    bool *below;    /* below[i * n + j]: type i is a sub-type of type j and not equal */
} Hierarchy;

static Type model_type(Def *def)
{
    return (Type){TYPE_MODEL, def};
}

static bool has_type(const Def *def)
{
    return !def->text->is_unit && def->kind != DEF_PACKAGE;
}

static uint32_t type_number(Hierarchy *h, Def *def)
{
    for (uint32_t i = 0; i < h->n; i++)
        if (types_is_equal(model_type(h->def[i]), model_type(def)))
            return i;
    h->def[h->n] = def;
    return h->n++;
}

static void compare_all(Hierarchy *h)
{
    Program *p = h->program;
    h->def = arena_alloc(&p->arena, p->defs.n * sizeof *h->def);
    h->same = arena_alloc(&p->arena, p->defs.n * sizeof *h->same);
    for (uint32_t i = 0; i < p->defs.n && h->n < MAX_TYPES; i++)
        if (has_type(p->defs.at[i]))
            h->same[i] = type_number(h, p->defs.at[i]);
    h->below = arena_alloc(&p->arena, (size_t)h->n * h->n);
    for (uint32_t i = 0; i < h->n; i++)
        for (uint32_t j = 0; j < h->n; j++)
            h->below[i * h->n + j] =
                i != j && types_is_sub(model_type(h->def[i]), model_type(h->def[j]), NULL);
}

static bool is_direct(const Hierarchy *h, uint32_t i, uint32_t j)
{
    if (!h->below[i * h->n + j])
        return false;
    for (uint32_t k = 0; k < h->n; k++)
        if (h->below[i * h->n + k] && h->below[k * h->n + j])
            return false;
    return true;
}

static void print_type(const Hierarchy *h, uint32_t type, FILE *out)
{
    Program *p = h->program;
    const char *separator = "";
    fprintf(out, "  t%u [label=\"", type);
    for (uint32_t i = 0; i < p->defs.n; i++)
        if (has_type(p->defs.at[i]) && h->same[i] == type) {
            fprintf(out, "%s%s", separator, def_path(p, p->defs.at[i]));
            separator = "\\n";
        }
    fputs("\"];\n", out);
}

static void draw(Program *p, FILE *out)
{
    Hierarchy h = {.program = p};
    compare_all(&h);
    fputs("digraph types {\n  rankdir=BT;\n  node [shape=box, fontname=\"sans-serif\"];\n", out);
    for (uint32_t i = 0; i < h.n; i++)
        print_type(&h, i, out);
    for (uint32_t i = 0; i < h.n; i++)
        for (uint32_t j = 0; j < h.n; j++)
            if (is_direct(&h, i, j))
                fprintf(out, "  t%u -> t%u;\n", i, j);
    fputs("}\n", out);
}

bool graph_types(Program *p, FILE *out)
{
    MemGuard guard;
    if (p->exhausted)
        return false;
    mem_guard_push(p->mem, &guard);
    if (setjmp(guard.env))
        return false;
    draw(p, out);
    mem_guard_pop(p->mem, &guard);
    return true;
}
