/* explain.c: what failed -> messages in the modeller's words.
 *
 * Names are instance paths, equations are those of the source with the instance they belong to;
 * what the DDP derived answers for its origin. Texts live in Sim.event_arena, until the next event
 * begins.
 */
#include "runtime/sim_int.h"

#include <string.h>

enum { TEXT = 400, LISTED = 8 };

const char *explain_var(Sim *sim, DdpVar var)
{
    char text[TEXT];
    world_var_path(sim->world, var, text, sizeof text);
    return arena_copy(&sim->event_arena, text, strlen(text));
}

const char *explain_rel(Sim *sim, DdpRel rel)
{
    char text[TEXT];
    world_rel_text(sim->world, rel, text, sizeof text);
    return arena_copy(&sim->event_arena, text, strlen(text));
}

void explain_condition_text(const Sim *sim, const WorldBranch *branch, char *out, size_t size)
{
    static const char target[] = "condition << "; /* of the auxiliary variable behind it */
    out[0] = '\0';
    if (branch->relation)
        world_rel_text(sim->world, branch->relation, out, size);
    else if (branch->condition)
        world_var_path(sim->world, branch->condition, out, size);
    if (strncmp(out, target, strlen(target)) == 0)
        memmove(out, out + strlen(target), strlen(out + strlen(target)) + 1);
}

/* The condition as "instance: text". */
const char *explain_condition(Sim *sim, BranchId branch)
{
    WorldBranch view;
    char path[TEXT] = "", text[TEXT] = "", whole[2 * TEXT + 4];
    if (!world_branch(sim->world, branch, &view))
        return "";
    world_inst_path(sim->world, view.owner, path, sizeof path);
    explain_condition_text(sim, &view, text, sizeof text);
    snprintf(whole, sizeof whole, "%s%s%s", path, path[0] ? ": " : "", text);
    return arena_copy(&sim->event_arena, whole, strlen(whole));
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

/* ---- structure ---- */

static void note_part(Sim *sim, const DdpPart *part, const char *rel_says, const char *var_says)
{
    for (uint32_t i = 0; i < part->n_rels && i < LISTED; i++)
        diag_note(sim->diags, world_rel_place(sim->world, part->rels[i]), "%s: %s", rel_says,
                  explain_rel(sim, part->rels[i]));
    for (uint32_t i = 0; i < part->n_vars && i < LISTED; i++) {
        WorldVar view = {0};
        world_var(sim->world, part->vars[i], &view);
        diag_note(sim->diags, view.at, "%s: %s", var_says, explain_var(sim, part->vars[i]));
    }
}

static void explain_over(Sim *sim, const DdpDiagnosis *what)
{
    DdpRel first = what->tipped ? what->tipped : what->over.n_rels ? what->over.rels[0] : 0;
    diag_error(
        sim->diags, first ? world_rel_place(sim->world, first) : 0,
        "at time %.10g there are more equations than unknowns: %u equations for %u variables",
        sim->time, what->over.n_rels, what->over.n_vars);
    if (what->tipped)
        diag_note(sim->diags, world_rel_place(sim->world, what->tipped),
                  "it was determined before this one came: %s", explain_rel(sim, what->tipped));
    note_part(sim, &what->over, "one of too many", "determined more than once");
}

static void explain_under(Sim *sim, const DdpDiagnosis *what)
{
    WorldVar view = {0};
    if (what->under.n_vars)
        world_var(sim->world, what->under.vars[0], &view);
    diag_error(
        sim->diags, view.at,
        "at time %.10g there are fewer equations than unknowns: %u equations for %u variables",
        sim->time, what->under.n_rels, what->under.n_vars);
    note_part(sim, &what->under, "not enough of these", "not determined");
}

static void explain_false(Sim *sim, const DdpDiagnosis *what)
{
    DdpRel first = what->false_causal.n_rels ? what->false_causal.rels[0] : 0;
    diag_error(sim->diags, first ? world_rel_place(sim->world, first) : 0,
               "at time %.10g a transmission or a condition depends on itself", sim->time);
    note_part(sim, &what->false_causal, "on the way round", "through");
}

SolStatus explain_structure(Sim *sim)
{
    if (world_report_connections(sim->world))
        return SOL_MODEL;
    DdpDiagnosis what = ddp_diagnose(sim->ddp);
    if (sim->last.verdict == DDP_OVERDETERMINED)
        explain_over(sim, &what);
    else if (sim->last.verdict == DDP_FALSE_CAUSALITY)
        explain_false(sim, &what);
    else
        explain_under(sim, &what);
    return SOL_MODEL;
}

SolStatus explain_newborn(Sim *sim)
{
    uint32_t n;
    const BranchId *list = world_newborn(sim->world, &n);
    WorldBranch view = {0};
    world_branch(sim->world, list[0], &view);
    diag_error(sim->diags, view.at, "at time %.10g this condition cannot be decided: %s", sim->time,
               explain_condition(sim, list[0]));
    diag_note(sim->diags, view.at,
              "it depends on the content of its own branches, or on something without a value");
    return SOL_MODEL;
}
