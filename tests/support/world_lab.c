/* world_lab.c: Sol text -> world. See world_lab.h. */
#include "tests/support/world_lab.h"

#include "frontend/flat.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool value_of(const void *context, DdpVar var, double *value)
{
    return first_mode_value(context, var, value);
}

WorldLab wlab_open_any(const char *text, const char *model)
{
    WorldLab lab = {.mem = mem_open()};
    lab.program = program_open(lab.mem, NULL);
    program_load_text(lab.program, "test.sol", text, strlen(text));
    Def *top = program_find(lab.program, model);
    if (!program_ok(lab.program))
        diags_print(program_diags(lab.program), 0, stderr, false);
    assert(top && program_ok(lab.program));
    lab.mode = first_mode_open(lab.mem, lab.program, NULL);
    assert(lab.mode);
    lab.world = first_mode_world(lab.mode);
    lab.ddp = first_mode_ddp(lab.mode);
    first_mode_run(lab.mode, top);
    return lab;
}

WorldLab wlab_open(const char *text, const char *model)
{
    WorldLab lab = wlab_open_any(text, model);
    if (!program_ok(lab.program))
        diags_print(program_diags(lab.program), 0, stderr, false);
    assert(program_ok(lab.program));
    return lab;
}

void wlab_drop(WorldLab *lab)
{
    first_mode_close(lab->mode);
    program_close(lab->program);
    mem_close(lab->mem);
}

void wlab_consistent(const WorldLab *lab)
{
    WorldTotals totals = world_totals(lab->world);
    DdpTotals ddp = ddp_totals(lab->ddp);
    assert(totals.relations == ddp.rels);
    assert(totals.variables <= ddp.vars); /* it makes derivatives */
    world_verify(lab->world);
}

void wlab_close(WorldLab *lab)
{
    wlab_consistent(lab);
    world_remove(lab->world);
    ddp_commit(lab->ddp, DDP_SO_FAR);
    WorldTotals totals = world_totals(lab->world);
    DdpTotals ddp = ddp_totals(lab->ddp);
    assert(totals.instances == 0 && totals.branches == 0);
    assert(totals.relations == 0 && totals.variables == 1); /* the clock */
    assert(totals.connections == 0 && totals.sets == 0 && totals.watches == 0);
    assert(ddp.rels == 0 && ddp.vars == 1);
    world_verify(lab->world);
    wlab_drop(lab);
}

BranchId wlab_branch(const WorldLab *lab, uint32_t line, uint32_t n)
{
    for (BranchId id = 1; id < world_branch_limit(lab->world); id++) {
        WorldBranch b;
        if (!world_branch(lab->world, id, &b))
            continue;
        if (source_locate(program_sources(lab->program), b.at).line == line && n-- == 0)
            return id;
    }
    return 0;
}

/* An `if` whose condition has another value than its choice. */
static bool next_event(const WorldLab *lab, WorldDecision *d)
{
    for (BranchId id = 1; id < world_branch_limit(lab->world); id++) {
        WorldBranch b;
        double value;
        if (!world_branch(lab->world, id, &b) || b.when || b.newborn || !b.condition ||
            !first_mode_value(lab->mode, b.condition, &value))
            continue;
        *d = (WorldDecision){id, value != 0 ? WORLD_THEN : WORLD_ELSE};
        if (d->choice != b.choice)
            return true;
    }
    return false;
}

void wlab_choose(WorldLab *lab, BranchId branch, WorldChoice choice)
{
    WorldDecision d = {branch, choice};
    do {
        world_choose(lab->world, 1, &d);
        first_mode_settle(lab->mode);
    } while (next_event(lab, &d));
}

void wlab_pulse(WorldLab *lab, uint32_t line)
{
    BranchId branch = wlab_branch(lab, line, 0);
    assert(branch);
    wlab_choose(lab, branch, WORLD_THEN);
    wlab_choose(lab, branch, WORLD_ELSE);
}

const char *wlab_flat(WorldLab *lab)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    flat_print(lab->world, "test", value_of, lab->mode, out);
    fclose(out);
    char *kept = mem_alloc(lab->mem, n + 1);
    memcpy(kept, text, n);
    free(text);
    return kept;
}

bool wlab_has_line(WorldLab *lab, const char *line)
{
    const char *text = wlab_flat(lab);
    size_t n = strlen(line);
    for (const char *at = text; at; at = strchr(at, '\n')) {
        at += strspn(at, "\n ");
        if (!strncmp(at, line, n) && (at[n] == '\n' || !at[n]))
            return true;
        if (!*at)
            break;
    }
    return false;
}

double wlab_value(const WorldLab *lab, const char *path)
{
    double value = 0;
    DdpVar var = world_find(lab->world, path);
    assert(var);
    bool known = first_mode_value(lab->mode, var, &value);
    assert(known);
    return value;
}

const char *wlab_first_error(const WorldLab *lab)
{
    const Diags *diags = program_diags(lab->program);
    for (uint32_t i = 0; i < diags->list.n; i++) {
        if (diags->list.at[i].severity != DIAG_ERROR)
            continue;
        Location at = source_locate(program_sources(lab->program), diags->list.at[i].at);
        char *text = mem_alloc(lab->mem, 1024);
        snprintf(text, 1024, "%u:%u: %s", at.line, at.column, diags->list.at[i].text);
        return text;
    }
    return "";
}
