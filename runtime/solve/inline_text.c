/* inline_text.c: the equations of a step, as they are solved -> a picture in DOT (`graph --solver inline`).
 *
 * One box for each block, in the order in which they are evaluated; what is iterated stands in a frame that names its
 * iteration variables, with its residuals in a box of their own.
 */
#include "runtime/solve/inline_plan.h"

#include <stdio.h>
#include <string.h>

typedef struct Naming {
    Sim *sim;
    const InlinePlan *plan;
    uint32_t part;
    const uint32_t *vars;
    char text[512];
} Naming;

static const char *var_text(Naming *naming, uint32_t var)
{
    const InlineVar *of = &naming->plan->var[var];
    char *text = naming->text;
    size_t size = sizeof naming->text;
    if (of->role == INLINE_H)
        return "h";
    if (of->role == INLINE_OLD)
        snprintf(text, size, "old(%.500s)", explain_var(naming->sim, of->of));
    else
        snprintf(text, size, "%.511s", explain_var(naming->sim, of->of));
    return text;
}

static const char *position_text(void *context, uint32_t position)
{
    Naming *naming = context;
    return var_text(naming, naming->vars[position]);
}

static const char *function_text(void *context, uint32_t number)
{
    const Naming *naming = context;
    WorldFunction f;
    if (!world_function(naming->sim->world, number, &f))
        return NULL;
    return f.table ? "table" : intern_text(program_names(naming->sim->program), f.def->name);
}

/* ---- lines ---- */

/* Inside a label in quotation marks; \l ends a line on the left. */
static void write_line(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputs("\\l", out);
}

static void write_op(FILE *out, Naming *naming, uint32_t target, X value, const uint32_t *vars)
{
    char text[4096] = "";
    naming->vars = vars;
    if (target)
        snprintf(text, sizeof text, "%s := ", var_text(naming, target));
    else
        snprintf(text, sizeof text, "residual := ");
    XNames names = {.context = naming, .position = position_text, .function = function_text};
    x_print_named(naming->sim->forms, value, &names, text, sizeof text);
    write_line(out, text);
}

static void write_ops(FILE *out, Naming *naming, uint32_t from, uint32_t n)
{
    for (uint32_t i = from; i < from + n; i++) {
        const InlineOp *op = &naming->plan->ops.at[i];
        write_op(out, naming, op->target, op->value, op->vars);
    }
}

static void write_tears(FILE *out, Naming *naming, const InlineBlock *block)
{
    for (uint32_t i = 0; i < block->n_tears; i++)
        fprintf(out, "%s%s", i ? ", " : "",
                var_text(naming, naming->plan->tears.at[block->tears + i]));
}

/* ---- blocks ---- */

static void write_box(FILE *out, Naming *naming, uint32_t number)
{
    const InlineBlock *block = &naming->plan->blocks.at[number];
    bool linear = block->kind == INLINE_LINEAR;
    fprintf(out, "      p%u_b%u [label=\"", naming->part, number);
    if (linear && !block->solved) {
        fprintf(out, "linear%s, solved for: ", block->constant ? ", factors kept" : "");
        write_tears(out, naming, block);
        fputs("\\l", out);
    }
    if (linear && block->solved)
        write_op(out, naming, naming->plan->tears.at[block->tears], block->solved,
                 block->solved_vars);
    write_ops(out, naming, block->from, block->to - block->from);
    if (linear && !block->solved)
        write_ops(out, naming, block->residuals, block->n_tears);
    fprintf(out, "\"%s];\n",
            linear && !block->solved ? ", style=filled, fillcolor=lightyellow" : "");
}

static void write_iterated(FILE *out, Naming *naming, uint32_t number)
{
    const InlineBlock *block = &naming->plan->blocks.at[number];
    fprintf(out, "    subgraph cluster_iterated_%u_%u {\n      label=\"iterated: ", naming->part,
            number);
    write_tears(out, naming, block);
    fputs("\";\n", out);
    for (uint32_t i = block->inner_from; i < block->inner_to; i++)
        write_box(out, naming, i);
    fprintf(out, "      p%u_b%u [style=filled, fillcolor=mistyrose, label=\"", naming->part,
            number);
    write_ops(out, naming, block->residuals, block->n_tears);
    fputs("\"];\n    }\n", out);
}

static void write_plan(FILE *out, Naming *naming)
{
    const InlinePlan *plan = naming->plan;
    uint32_t part = naming->part;
    fprintf(out, "  subgraph cluster_part_%u {\n    label=\"%u states\";\n", part, plan->n_states);
    for (uint32_t i = 0; i < plan->blocks.n; i++) {
        const InlineBlock *block = &plan->blocks.at[i];
        if (block->kind == INLINE_ITERATED)
            write_iterated(out, naming, i);
        else if (!block->inside)
            write_box(out, naming, i);
    }
    for (uint32_t i = 1; i < plan->blocks.n; i++)
        fprintf(out, "    p%u_b%u -> p%u_b%u;\n", part, i - 1, part, i);
    fputs("  }\n", out);
}

void inline_graph(Sim *sim, FILE *out)
{
    fputs("digraph inline {\n  compound=true;\n  node [shape=box, fontname=monospace];\n", out);
    for (uint32_t i = 0; i < sim->parts.n; i++) {
        Part *part = sim->parts.at[i];
        InlinePlan *plan = part->states.n ? inline_plan_open(part) : NULL;
        Naming naming = {.sim = sim, .plan = plan, .part = i};
        if (plan)
            write_plan(out, &naming);
        inline_plan_close(sim, plan);
    }
    fputs("}\n", out);
}
