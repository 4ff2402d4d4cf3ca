/* explain.c: what failed -> messages in the modeller's words.
 *
 * Names are instance paths, equations are those of the source with the instance they belong to;
 * what the DDP derived answers for its origin. Texts live in Sim.eval.texts, until the next event
 * begins.
 */
#include "runtime/eval/eval.h"

#include <string.h>

enum { TEXT = 400, LISTED = 8 };

const char *explain_keep(Sim *sim, const char *text)
{
    return arena_copy(&sim->eval.texts, text, strlen(text));
}

const char *explain_keep_n(Sim *sim, const char *text, size_t n)
{
    return arena_copy(&sim->eval.texts, text, n);
}

void *explain_room(Sim *sim, size_t size)
{
    return arena_alloc(&sim->eval.texts, size);
}

void explain_forget(Sim *sim)
{
    arena_free(&sim->eval.texts);
}

const char *explain_var(Sim *sim, DdpVar var)
{
    char text[TEXT];
    world_var_path(sim->world, var, text, sizeof text);
    return explain_keep(sim, text);
}

const char *explain_rel(Sim *sim, DdpRel rel)
{
    char text[TEXT];
    world_rel_text(sim->world, rel, text, sizeof text);
    return explain_keep(sim, text);
}

void explain_condition_text(const Sim *sim, const WorldBranch *branch, char *out, size_t size)
{
    world_condition_text(sim->world, branch, NULL, out, size);
}

/* The branch of an assertion is taken where it does not hold. */
const char *explain_assertion(Sim *sim, const WorldBranch *branch)
{
    char text[TEXT];
    explain_condition_text(sim, branch, text, sizeof text);
    size_t n = strlen(text);
    const char *from = strncmp(text, "not ", 4) == 0 ? text + 4 : text;
    if (from > text && *from == '(' && text[n - 1] == ')') {
        text[n - 1] = '\0';
        from++;
    }
    return explain_keep(sim, from);
}

static void clear_texts(Sim *sim, BranchTexts *texts)
{
    mem_free(sim->mem, texts->condition);
    mem_free(sim->mem, texts->mode_path);
    mem_free(sim->mem, texts->mode_condition);
    *texts = (BranchTexts){0};
}

void explain_forget_branch(Sim *sim, BranchMemo *memo)
{
    if (memo->texts)
        clear_texts(sim, memo->texts);
    mem_free(sim->mem, memo->texts);
    memo->texts = NULL;
}

/* Conditions fire again and again, and a text is a hundred times the work of its use. */
BranchTexts *explain_texts(Sim *sim, BranchId branch, const WorldBranch *view)
{
    BranchMemo *memo = branch < sim->branches.n ? &sim->branches.at[branch] : NULL;
    uint64_t paths = world_paths(sim->world);
    if (!memo || !memo->live || !paths || view->movable)
        return NULL;
    if (!memo->texts)
        memo->texts = mem_alloc(sim->mem, sizeof *memo->texts);
    bool related = view->relation != 0;
    if (memo->texts->paths != paths || memo->texts->related != related)
        clear_texts(sim, memo->texts);
    memo->texts->paths = paths;
    memo->texts->related = related;
    return memo->texts;
}

char *explain_own(Sim *sim, const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(mem_alloc(sim->mem, size), text, size);
}

/* The condition as "instance: text". */
const char *explain_condition(Sim *sim, BranchId branch)
{
    WorldBranch view;
    char path[TEXT], text[TEXT], whole[2 * TEXT + 4];
    if (!world_branch(sim->world, branch, &view))
        return "";
    BranchTexts *texts = explain_texts(sim, branch, &view);
    if (texts && texts->condition)
        return explain_keep(sim, texts->condition);
    world_condition_text(sim->world, &view, path, text, TEXT);
    size_t n = strlen(path), length = strlen(text);
    memcpy(whole, path, n);
    if (n) {
        whole[n++] = ':';
        whole[n++] = ' ';
    }
    memcpy(whole + n, text, length + 1);
    if (texts)
        texts->condition = explain_own(sim, whole);
    return explain_keep(sim, whole);
}

/* Values of what an operation reads. */
void explain_values(Sim *sim, const EvalOp *op)
{
    char line[4 * TEXT] = "with";
    size_t at = strlen(line);
    uint32_t shown = 0, n = ddp_rel(sim->ddp, op->rel).n;
    for (uint32_t i = 0; i < n && shown < LISTED && at + TEXT < sizeof line; i++) {
        DdpVar var = op->vars[i];
        if (!var || var == op->target)
            continue;
        char path[TEXT / 2];
        world_var_path(sim->world, var, path, sizeof path);
        at += (size_t)snprintf(line + at, sizeof line - at, "%s %s = %.10g", shown ? "," : "", path,
                               sim->value[var]);
        shown++;
    }
    if (shown)
        diag_note(sim->diags, 0, "%s", line);
}

void explain_determined_by(Sim *sim, DdpVar var)
{
    const EvalNode *node = sim->info[var].node ? &sim->nodes.at[sim->info[var].node] : NULL;
    uint32_t n = node ? node->n_steps + node->n_tears : 0;
    if (n > 1)
        diag_note(sim->diags, 0, "it follows from %u equations that depend on each other:", n);
    for (uint32_t i = 0; i < n && i < LISTED; i++)
        if (n == 1 || world_rel_written(sim->world, node->ops[i].rel))
            diag_note(sim->diags, world_rel_place(sim->world, node->ops[i].rel), "%s%s",
                      n == 1 ? "its equation: " : "", explain_rel(sim, node->ops[i].rel));
}

void explain_values_of(Sim *sim, DdpRel rel)
{
    DdpRelView view = ddp_rel(sim->ddp, rel);
    explain_values(sim, &(EvalOp){.rel = rel, .vars = view.vars});
}

/* ---- structure ---- */

static void note_time(Sim *sim)
{
    if (sim->time > sim->opt.start)
        diag_note(sim->diags, 0, "this came about at time %.10g", sim->time);
}

/* In the words of `check --instantiate`. */
SolStatus explain_structure(Sim *sim)
{
    world_report(sim->world, evaluate_committed(sim));
    note_time(sim);
    return SOL_MODEL;
}

SolStatus explain_newborn(Sim *sim)
{
    uint32_t n;
    if (world_report_undecided(sim->world)) {
        note_time(sim);
        return SOL_MODEL;
    }
    const BranchId *list = world_newborn(sim->world, &n);
    WorldBranch view = {0};
    world_branch(sim->world, list[0], &view);
    diag_error(sim->diags, view.at, "at time %.10g this condition cannot be decided: %s", sim->time,
               explain_condition(sim, list[0]));
    diag_note(sim->diags, view.at,
              "it depends on the content of its own branches, or on something without a value");
    return SOL_MODEL;
}
