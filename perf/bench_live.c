/* bench_live.c: how long the verdict on an edit takes, in a running model of so many relations.
 *
 *     bench_live [RELATIONS...]        100000 and 1000000 unless told
 *
 * The model is a row of independent circuits (source, resistor, diode, capacitor, ground) of the top model. In one of
 * them a resistor is added, a diode removed and put back, a component replaced, and an equation refused; the best of
 * some tries is printed, in milliseconds, with the relations that the DDP looked at. */
#include "runtime/solstice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 5, RELATIONS_OF_CELL = 27 };

static const char library[] =
    "connector Pin interface: static potential Real u; static flow Real i; end Pin;\n"
    "partial model Two interface: static Pin p; static Pin n; static Real u; static Real i;\n"
    "implementation: u = p.u - n.u; i = p.i; p.i + n.i = 0; end Two;\n"
    "model R extends Two; interface: parameter Real R << 1; implementation: u = R*i; end R;\n"
    "model C extends Two; interface: parameter Real C << 1;\n"
    "implementation: i = C*der(x = u, start << 0); end C;\n"
    "model D extends Two; implementation: static Boolean off;\n"
    "  if off then i = 0.001*u; else then u = 0.001*i; end;\n"
    "  when i < 0 then off << true; else when u > 0 then off << false; end; end D;\n"
    "model V extends Two; interface: parameter Real U << 1;\n"
    "implementation: u = U*sin(x = 3*time); end V;\n"
    "model G interface: static Pin p; implementation: p.u = 0; end G;\n";

static char *write_model(uint32_t cells)
{
    size_t room = sizeof library + 400 + (size_t)cells * 420;
    char *text = malloc(room), *at = text;
    at += sprintf(at, "%smodel Row\nimplementation:\n", library);
    for (uint32_t i = 0; i < cells; i++)
        at += sprintf(at,
                      "static V v%u{U << 2}; static R r%u{R << 3}; static D d%u; static C c%u{C << "
                      "0.1}; static G g%u;\n"
                      "connection{a << v%u.p, b << r%u.p}; connection{a << r%u.n, b << d%u.p};\n"
                      "connection{a << d%u.n, b << c%u.p}; connection{a << v%u.n, b << g%u.p};\n"
                      "connection{a << c%u.n, b << g%u.p};\n",
                      i, i, i, i, i, i, i, i, i, i, i, i, i, i, i);
    sprintf(at, "end Row;\n");
    return text;
}

typedef struct Best {
    double ms;
    uint64_t visited;
} Best;

static void take(Best *best, const SolEdited *edited, SolVerdict wanted, SolModel *model)
{
    if (edited->verdict != wanted) {
        sol_print_messages(model, edited->message, stderr, false);
        exit(1);
    }
    best->ms =
        best->ms > 0 ? fmin(best->ms, edited->microseconds / 1e3) : edited->microseconds / 1e3;
    best->visited = edited->visited;
}

static Best edit(Sol *sim, SolModel *model, Best best, SolEdit wanted, SolVerdict verdict)
{
    SolEdited edited;
    sol_edit(sim, 1, &wanted, &edited);
    take(&best, &edited, verdict, model);
    return best;
}

static void measure(uint32_t relations)
{
    char *text = write_model(relations / RELATIONS_OF_CELL + 1);
    SolModel *model = sol_load(&(SolLoad){.path = "row", .text = text, .length = strlen(text)});
    Sol *sim = sol_create(model, NULL,
                          &(SolOptions){.stop = 1, .editable = true, .engine = SOL_ENGINE_INTERP});
    if (!sim || sol_run_to(sim, 0.01) != SOL_OK) {
        sol_print_messages(model, 0, stderr, false);
        exit(1);
    }
    Best added = {0}, removed = {0}, replaced = {0}, refused = {0}, undone = {0};
    SolEdited edited;
    for (int i = 0; i < TRIES; i++) {
        char name[20], resistor[200];
        snprintf(name, sizeof name, "c%d", 10 * i + 7);
        snprintf(
            resistor, sizeof resistor,
            "R x%d{R << 5}; connection{a << x%d.p, b << %s.p}; connection{a << x%d.n, b << %s.n}",
            i, i, name, i, name);
        added = edit(sim, model, added, (SolEdit){.kind = SOL_ADD, .text = resistor}, SOL_ACCEPTED);
        replaced =
            edit(sim, model, replaced,
                 (SolEdit){.kind = SOL_REPLACE, .what = name, .text = "C{C << 0.2}"}, SOL_ACCEPTED);
        name[0] = 'd';
        removed =
            edit(sim, model, removed, (SolEdit){.kind = SOL_REMOVE, .what = name}, SOL_INCOMPLETE);
        sol_undo(sim, &edited);
        take(&undone, &edited, SOL_ACCEPTED, model);
        refused =
            edit(sim, model, refused, (SolEdit){.kind = SOL_ADD, .text = "c7.u = 3"}, SOL_REFUSED);
        sol_run_to(sim, sol_time(sim) + 0.001);
    }
    SolStats stats;
    sol_stats(sim, &stats);
    printf("%9u %9.2f %9.2f %9.2f %9.2f %9.2f   %llu %llu %llu\n", stats.relations, added.ms,
           replaced.ms, removed.ms, undone.ms, refused.ms, (unsigned long long)added.visited,
           (unsigned long long)replaced.visited, (unsigned long long)removed.visited);
    fflush(stdout);
    sol_close(sim);
    sol_unload(model);
    free(text);
}

int main(int argc, char **argv)
{
    puts("relations     added  replaced   removed    undone   refused   visited (ms; relations)");
    if (argc < 2) {
        measure(100000);
        measure(1000000);
    }
    for (int i = 1; i < argc; i++)
        measure((uint32_t)atoi(argv[i]));
    return 0;
}
