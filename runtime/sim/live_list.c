/* live_list.c: a simulation -> its instances, their statements, and why a variable has its value: what
 * somebody who edits it asks. */
#include "frontend/lex.h"
#include "frontend/predefined.h"
#include "runtime/sim/live.h"

#include <math.h>
#include <string.h>

/* ---- statements ---- */

typedef struct Telling {
    Sim *sim;
    void (*each)(void *context, const SolStatement *statement);
    void *context;
} Telling;

static uint32_t edit_of(const char *handle)
{
    unsigned number = 0;
    if (handle[0] == '+')
        sscanf(handle + 1, "%u", &number);
    return number;
}

static void tell_statement(void *context, InstId model, const Stmt *stmt, bool hidden)
{
    const Telling *t = context;
    char handle[8192];
    (void)model;
    SolStatement s = {.handle = handle, .removed = hidden};
    world_stmt_handle(t->sim->world, stmt, handle, sizeof handle);
    const SourceFile *in = NULL;
    s.text = world_stmt_text(t->sim->world, stmt, &s.length, &in);
    s.file = in ? in->name : "";
    s.offset = in ? (size_t)(s.text - in->text) : 0;
    s.edit = edit_of(handle);
    if (s.length)
        t->each(t->context, &s);
}

bool sol_statements(Sol *sol, const char *path,
                    void (*each)(void *context, const SolStatement *statement), void *context)
{
    Sim *sim = sol->sim;
    WorldInst inst;
    SolStatus status = sol_init(sol);
    InstId id = status == SOL_OK && sim->world ? world_find_inst(sim->world, path ? path : "") : 0;
    if (!id || !world_inst(sim->world, id, &inst))
        return false;
    world_edit_list(sim->world, id, tell_statement, &(Telling){sim, each, context});
    return true;
}

const char *sol_word(uint32_t number, SolWord *kind)
{
    const char *keyword = lex_keyword(number);
    *kind = SOL_KEYWORD;
    if (keyword)
        return keyword;
    number -= T_KEYWORDS_END - 1;
    if (number-- == 0)
        return "for"; /* a word only where a statement or an element begins */
    if (number >= predefined_count())
        return NULL;
    *kind = predefined_at(number)->kind == PRE_TYPE ? SOL_TYPE_NAME : SOL_FUNCTION_NAME;
    return predefined_at(number)->name;
}

/* ---- instances ---- */

static InstId next_around(const World *world, InstId at, InstId top)
{
    while (at != top) {
        WorldInst view;
        world_inst(world, at, &view);
        InstId next = world_next_part(world, view.owner, at);
        if (next)
            return next;
        at = view.owner;
    }
    return 0;
}

void sol_instances(Sol *sol, const char *path, void (*each)(void *context, const char *path),
                   void *context)
{
    Sim *sim = sol->sim;
    char text[1024];
    if (sol_init(sol) != SOL_OK || !sim->world)
        return;
    InstId top = world_find_inst(sim->world, path ? path : "");
    for (InstId at = top; at;) {
        WorldInst view;
        world_inst(sim->world, at, &view);
        world_inst_path(sim->world, at, text, sizeof text);
        if (!view.is_branch)
            each(context, text);
        InstId inside = world_next_part(sim->world, at, 0);
        at = inside ? inside : next_around(sim->world, at, top);
    }
}

/* ---- why ---- */

typedef struct Asked {
    DdpVar var;
    uint32_t depth;
} Asked;

typedef struct Why {
    Sim *sim;
    FILE *out;
    Map seen;
    VEC(Asked) todo;
} Why;

enum { MOST_LINES = 200, TEXT = 600 };

static void print_var(Why *w, DdpVar var)
{
    Sim *sim = w->sim;
    char path[TEXT];
    WorldVar view = {0};
    world_var_path(sim->world, var, path, sizeof path);
    world_var(sim->world, var, &view);
    fprintf(w->out, "%s", path);
    bool has = evaluate_fetch(sim, var, EVAL_PLAIN) == SOL_OK && sim->info[var].has;
    if (has && view.type == TYPE_BOOLEAN)
        fprintf(w->out, " = %s", sim->value[var] != 0 ? "true" : "false");
    else if (has && view.type != TYPE_STRING)
        fprintf(w->out, " = %.10g", sim->value[var]);
    if (has && view.member && view.member->unit)
        fprintf(w->out, " %s", intern_text(program_names(sim->program), view.member->unit_text));
}

static const char *standing(const Sim *sim, DdpVar var)
{
    switch (ddp_var(sim->ddp, var).kind) {
    case DDP_KNOWN:
        return ": given";
    case DDP_HELD:
        return sim->info[var].node ? "" : ": held";
    case DDP_TIME:
        return ": the clock";
    default:
        return sim->info[var].state ? ": a state" : sim->info[var].node ? "" : ": no equation";
    }
}

static void ask(Why *w, DdpVar var, uint32_t depth)
{
    if (!var || map_get(&w->seen, var))
        return;
    map_put(w->sim->mem, &w->seen, var, 1);
    vec_push(w->sim->mem, &w->todo, ((Asked){var, depth}));
}

static void print_node(Why *w, const EvalNode *node, uint32_t depth)
{
    char text[TEXT];
    uint32_t n = node->n_steps + node->n_tears;
    if (node->loop)
        fprintf(w->out, "%*s  one of %u that are solved together:\n", (int)(2 * depth), "", n);
    for (uint32_t i = 0; i < n && i < 12; i++) {
        if (!world_rel_written(w->sim->world, node->ops[i].rel) && n > 1)
            continue;
        world_rel_text(w->sim->world, node->ops[i].rel, text, sizeof text);
        fprintf(w->out, "%*s  %s\n", (int)(2 * depth), "", text);
    }
}

/* What it is computed from; of a state, its slope. */
static void explain_one(Why *w, Asked asked, uint32_t depth)
{
    Sim *sim = w->sim;
    fprintf(w->out, "%*s", (int)(2 * asked.depth), "");
    print_var(w, asked.var);
    fprintf(w->out, "%s\n", standing(sim, asked.var));
    for (uint32_t i = 0; i < sim->states.n && sim->info[asked.var].state; i++)
        if (sim->states.at[i].var == asked.var && asked.depth < depth)
            ask(w, sim->states.at[i].slope, asked.depth + 1);
    DdpNode number = sim->info[asked.var].node;
    if (!number)
        return;
    const EvalNode *node = &sim->nodes.at[number];
    print_node(w, node, asked.depth);
    for (uint32_t i = 0; i < node->n_reads && asked.depth < depth; i++)
        ask(w, node->reads[i].var, asked.depth + 1);
}

/* Nodes that read it, and what they determine. */
static void explain_readers(Why *w, Asked asked, uint32_t depth)
{
    Sim *sim = w->sim;
    fprintf(w->out, "%*s", (int)(2 * asked.depth), "");
    print_var(w, asked.var);
    fprintf(w->out, "\n");
    for (DdpNode n = ddp_first(sim->ddp); n && asked.depth < depth; n = ddp_next(sim->ddp, n)) {
        const EvalNode *node = &sim->nodes.at[n];
        bool reads = false;
        for (uint32_t i = 0; i < node->n_reads; i++)
            reads |= node->reads[i].var == asked.var;
        for (uint32_t i = 0; reads && i < node->n_steps + node->n_tears; i++)
            ask(w, node_output(node, i), asked.depth + 1);
    }
}

static void tell_why(Sim *sim, DdpVar var, uint32_t depth, bool readers, FILE *out)
{
    Why w = {.sim = sim, .out = out};
    ask(&w, var, 0);
    for (uint32_t i = 0; i < w.todo.n && i < MOST_LINES; i++)
        if (readers)
            explain_readers(&w, w.todo.at[i], depth);
        else
            explain_one(&w, w.todo.at[i], depth);
    if (w.todo.n > MOST_LINES)
        fprintf(out, "and %u more\n", w.todo.n - MOST_LINES);
    vec_free(sim->mem, &w.todo);
    map_free(sim->mem, &w.seen);
}

SolStatus sol_why(Sol *sol, SolVar var, uint32_t depth, bool readers, FILE *out)
{
    Sim *sim = sol->sim;
    MemGuard guard;
    SolStatus status = sol_init(sol);
    if (status != SOL_OK && status != SOL_USAGE && status != SOL_CANCELLED)
        return status;
    if (!sim->world || !ddp_var_used(sim->ddp, var))
        return SOL_USAGE;
    mem_guard_push(sim->mem, &guard);
    if (setjmp(guard.env) != 0)
        return sim_exhausted(sim);
    tell_why(sim, var, depth, readers, out);
    mem_guard_pop(sim->mem, &guard);
    return fflush(out) == 0 ? SOL_OK : SOL_IO;
}
