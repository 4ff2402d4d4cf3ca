/* graph_dot.c: the causality graph -> DOT, for people.
 *
 * Plain nodes are boxes, loops are clusters with their tearing variables and residuals, what is only
 * potentially causalized is dashed, states are double circles. Edges carry the variable that is read.
 * Where the caller has colours of its own, residuals and differentiated relations are told by their
 * frames.
 */
#include "ddp/ddp_int.h"

#include <stdio.h>

static void quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

/* What the caller says of a node. */
typedef struct Fill {
    char colour[100], line[100];
} Fill;

static void relation_box(const Ddp *d, const DdpNames *names, DdpRel r, const char *style,
                         const Fill *fill, FILE *out)
{
    char text[600], label[1200];
    DdpVar v = schedule_out(d, r);
    char var[300];
    names->rel(names->context, r, text, sizeof text);
    names->var(names->context, v, var, sizeof var);
    snprintf(label, sizeof label, "%s\n[%s]%s%s", text, var, *fill->line ? "\n" : "", fill->line);
    fprintf(out, "  r%u [shape=box,%s label=", r, style);
    quoted(out, label);
    fputs("];\n", out);
}

static void style_of(const Ddp *d, DdpNode n, DdpRel r, const Fill *fill, char *style, size_t size)
{
    const Loop *loop = NODE(d, n).loop;
    const char *colour = REL(d, r).order ? "lightyellow" : "white";
    const char *frame = REL(d, r).order ? "color=goldenrod,penwidth=2," : "";
    for (uint32_t i = 0; loop && i < loop->residuals.n; i++)
        if (loop->residuals.at[i].rel == r) {
            colour = "mistyrose";
            frame = "color=red,penwidth=2,";
        }
    if (NODE(d, n).undetermined)
        snprintf(style, size, "style=dashed,color=gray40,");
    else if (*fill->colour)
        snprintf(style, size, "style=filled,fillcolor=\"%s\",%s", fill->colour, frame);
    else
        snprintf(style, size, "style=filled,fillcolor=%s,", colour);
}

static void node_boxes(const Ddp *d, const DdpNames *names, DdpNode n, FILE *out)
{
    const Loop *loop = NODE(d, n).loop;
    char var[300];
    if (loop) {
        fprintf(out, "  subgraph cluster_%u { style=rounded; color=blue; label=", n);
        fprintf(out, "\"%s loop", loop->linear ? "linear" : "nonlinear");
        fprintf(out, "%s, tears:", loop->untorn ? ", untorn" : "");
        for (uint32_t i = 0; i < loop->tears.n && i < 8; i++) {
            names->var(names->context, loop->tears.at[i], var, sizeof var);
            fprintf(out, " %s", var);
        }
        fputs("\";\n", out);
    }
    Fill fill = {0};
    if (names->fill)
        names->fill(names->context, n, fill.colour, fill.line, sizeof fill.line);
    for (DdpRel r = NODE(d, n).first; r; r = REL(d, r).next) {
        char style[200];
        style_of(d, n, r, &fill, style, sizeof style);
        relation_box(d, names, r, style, &fill, out);
    }
    if (loop)
        fputs("  }\n", out);
}

static void edges_into(const Ddp *d, const DdpNames *names, DdpRel r, FILE *out)
{
    char var[300];
    for (uint32_t k = 0; k < REL(d, r).n + (REL(d, r).has_logic ? 1u : 0u); k++) {
        if (!schedule_reads(d, r, k))
            continue;
        DdpVar v = relation_vars(d, r)[k];
        DdpRel p = schedule_provider(d, v);
        bool state = ddp_is_state(d, v);
        if (!p && !state)
            continue;
        names->var(names->context, v, var, sizeof var);
        fprintf(out, "  %c%u -> r%u [label=", p ? 'r' : 's', p ? p : v, r);
        quoted(out, var);
        fprintf(out, "%s];\n", k == REL(d, r).n ? ",style=dashed" : "");
    }
}

void ddp_graph(const Ddp *d, const DdpNames *names, FILE *out)
{
    char var[300];
    fputs("digraph causality {\n  rankdir=TB; node [fontname=\"sans-serif\",fontsize=10]; edge "
          "[fontname=\"sans-serif\",fontsize=9];\n",
          out);
    for (uint32_t i = 0; i < d->states.n; i++) {
        DdpState state = ddp_state(d, i);
        names->var(names->context, state.var, var, sizeof var);
        fprintf(out,
                "  s%u [shape=doublecircle,style=filled,fillcolor=palegreen,label=", state.var);
        quoted(out, var);
        fputs("];\n", out);
    }
    for (DdpNode n = d->first_node; n; n = NODE(d, n).next)
        node_boxes(d, names, n, out);
    for (DdpNode n = d->first_node; n; n = NODE(d, n).next)
        for (DdpRel r = NODE(d, n).first; r; r = REL(d, r).next)
            edges_into(d, names, r, out);
    if (names->legend)
        names->legend(names->context, out);
    fputs("}\n", out);
}
