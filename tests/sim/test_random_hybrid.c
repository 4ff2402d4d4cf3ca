/* test_random_hybrid.c: random hybrid models, each run in several ways that must not matter.
 *
 * Who looks at a run, when, and by which engine must not change it: all outputs wanted or few, with
 * points between events or without, in pieces with values read in between, interpreted or compiled, with
 * code that is there at once or comes between any two evaluations, cut at a checkpoint and resumed. Events
 * have the same times and triggers, values are the same bits wherever two runs show the same point.
 *
 *     test_random_hybrid [print | compiled]   `print` prints the models, `compiled` compiles each of
 *                                             them (every tenth otherwise)
 */
#include "jit/jit_int.h"
#include "runtime/eval/blocks.h"
#include "tests/support/slow.h"
#include "tests/support/soak.h"
#include "tests/support/hybrid_random.h"
#include "tests/support/save_lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 300, TAIL = 20 };

typedef struct Seen { /* one variable at one point */
    uint32_t hash;    /* of its path */
    char tail[TAIL];  /* end of it, for people */
    double value;
} Seen;

typedef struct Point {
    double time;
    SolSide side;
    size_t first, n; /* in Run.seen */
} Point;

typedef struct Happened {
    double time;
    uint32_t updates, states, restarted;
    uint64_t triggers; /* hash of their texts */
} Happened;

/* A run and all that it showed. */
typedef struct Run {
    const char *name;
    SolModel *model;
    Sol *sim;
    SolStatus status;
    bool few;     /* wants every third variable only */
    bool *wanted; /* [number of birth]: paths change when instances move */
    size_t n_wanted;
    Seen *seen;
    size_t n_seen, room_seen;
    Point *points;
    size_t n_points, room_points;
    Happened *events;
    size_t n_events, room_events;
} Run;

static void *room_for(void *at, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return at;
    *room = *room ? 2 * *room : 64;
    return realloc(at, *room * size);
}

static uint32_t hash_text(const char *text)
{
    uint32_t h = 2166136261u;
    while (*text)
        h = (h ^ (uint8_t)*text++) * 16777619u;
    return h;
}

static bool on_birth(void *context, const SolVarInfo *info, const char *path)
{
    Run *run = context;
    while (run->n_wanted <= info->birth) {
        run->n_wanted = 2 * run->n_wanted + 64;
        run->wanted = realloc(run->wanted, run->n_wanted * sizeof *run->wanted);
    }
    return run->wanted[info->birth] = !run->few || hash_text(path) % 3 == 0;
}

static bool on_point(void *context, const SolPoint *point)
{
    Run *run = context;
    size_t first = run->n_seen;
    for (SolVar var = sol_next_var(run->sim, 0); var; var = sol_next_var(run->sim, var)) {
        run->seen = room_for(run->seen, run->n_seen, &run->room_seen, sizeof *run->seen);
        Seen *seen = &run->seen[run->n_seen];
        char path[PATH];
        SolVarInfo info;
        sol_var_info(run->sim, var, &info);
        if (!run->wanted[info.birth])
            continue;
        size_t n = sol_var_path(run->sim, var, path, sizeof path);
        seen->hash = hash_text(path);
        strcpy(seen->tail, path + (n < TAIL ? 0 : n - TAIL + 1));
        seen->value = point->values[var];
        run->n_seen++;
    }
    run->points = room_for(run->points, run->n_points, &run->room_points, sizeof *run->points);
    run->points[run->n_points++] = (Point){point->time, point->side, first, run->n_seen - first};
    return true;
}

static void on_event(void *context, const SolEvent *event)
{
    Run *run = context;
    uint64_t triggers = event->n_triggers;
    for (uint32_t i = 0; i < event->n_triggers; i++)
        triggers = triggers * 31 + hash_text(event->triggers[i]);
    run->events = room_for(run->events, run->n_events, &run->room_events, sizeof *run->events);
    run->events[run->n_events++] = (Happened){.time = event->time,
                                              .updates = event->updates,
                                              .states = event->states_after,
                                              .restarted = event->parts_restarted,
                                              .triggers = triggers};
}

/* ---- ways to run ---- */

enum { ALL, FEW, SPARSE, PIECES, COMPILED, LATE, WAYS };

static const double STOP = 3;

static SolOptions options_for(uint64_t seed, int way)
{
    static const SolSolver solvers[] = {SOL_SOLVER_IDA,    SOL_SOLVER_RK,  SOL_SOLVER_IDA,
                                        SOL_SOLVER_AUTO,   SOL_SOLVER_IDA, SOL_SOLVER_EULER,
                                        SOL_SOLVER_INLINE, SOL_SOLVER_IDA};
    SolSolver solver = solvers[seed % 8];
    return (SolOptions){.stop = STOP,
                        .interval = way == SPARSE && solver != SOL_SOLVER_EULER ? STOP : 0.05,
                        .step = 0.05,
                        .max_step = 0.1,
                        .rtol = seed % 2 ? 1e-4 : 1e-6,
                        .solver = solver,
                        .form = seed % 8 == 7 ? SOL_FORM_DAE : SOL_FORM_ODE,
                        .max_events = 2000,
                        .engine = way >= COMPILED ? SOL_ENGINE_JIT : SOL_ENGINE_INTERP,
                        .jit_wait = true,
                        .cache = "off"};
}

static void read_all(Run *run)
{
    double value;
    for (SolVar var = sol_next_var(run->sim, 0); var; var = sol_next_var(run->sim, var))
        sol_read(run->sim, var, &value);
}

static void execute(Run *run, const char *text, uint64_t seed, int way)
{
    static const char *const names[] = {"all", "few", "sparse", "pieces", "compiled", "late"};
    SolOptions options = options_for(seed, way);
    *run = (Run){.name = names[way], .few = way == FEW};
    run->model = sol_load(&(SolLoad){.path = "Top.sol", .text = text, .length = strlen(text)});
    run->sim = sol_create(run->model, NULL, &options);
    if (!run->sim) {
        run->status = SOL_MODEL;
        return;
    }
    if (way == LATE)
        engine_jit(run->sim->sim->engine)->options.late = (uint32_t)seed | 1;
    sol_set_output(run->sim, &(SolOutput){.context = run, .birth = on_birth, .point = on_point});
    sol_set_event(run->sim, on_event, run);
    for (int i = 1; way == PIECES && i < 7 && run->status == SOL_OK; i++) {
        run->status = sol_run_to(run->sim, STOP * i / 7);
        read_all(run);
    }
    if (run->status == SOL_OK)
        run->status = sol_run_to(run->sim, STOP);
}

static void release(Run *run)
{
    sol_unload(run->model);
    free(run->wanted);
    free(run->seen);
    free(run->points);
    free(run->events);
}

/* ---- comparing ---- */

/* To the bit. */
static bool equal(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static bool different(const Run *run, const char *what, double time, double a, double b)
{
    fprintf(stderr, "  %s: %s differs at %.17g: %.17g, expected %.17g\n", run->name, what, time, b,
            a);
    return false;
}

static bool same_events(const Run *a, const Run *b)
{
    for (size_t i = 0; i < a->n_events && i < b->n_events; i++) {
        const Happened *x = &a->events[i], *y = &b->events[i];
        if (!equal(x->time, y->time))
            return different(b, "the time of an event", x->time, x->time, y->time);
        if (x->updates != y->updates)
            return different(b, "number of updates", x->time, x->updates, y->updates);
        if (x->states != y->states)
            return different(b, "number of states", x->time, x->states, y->states);
        if (x->restarted != y->restarted)
            return different(b, "number of restarts", x->time, x->restarted, y->restarted);
        if (x->triggers != y->triggers)
            return different(b, "what fired", x->time, 0, 1);
    }
    return a->n_events == b->n_events ||
           different(b, "number of events", STOP, (double)a->n_events, (double)b->n_events);
}

/* Every value that b shows, where a shows it too; variables come in the same order. */
static bool same_point(const Run *a, const Point *p, const Run *b, const Point *q)
{
    size_t k = 0;
    for (size_t i = 0; i < q->n; i++) {
        const Seen *y = &b->seen[q->first + i];
        while (k < p->n && a->seen[p->first + k].hash != y->hash)
            k++;
        if (k == p->n)
            return different(b, y->tail, q->time, NAN, y->value);
        const Seen *x = &a->seen[p->first + k];
        if (!equal(x->value, y->value) && !sol_unseen(x->value) && !sol_unseen(y->value))
            return different(b, y->tail, q->time, x->value, y->value);
    }
    return true;
}

static bool same_values(const Run *a, const Run *b)
{
    size_t k = 0, common = 0;
    for (size_t i = 0; i < b->n_points; i++) {
        const Point *q = &b->points[i];
        while (k < a->n_points && (a->points[k].time < q->time ||
                                   (a->points[k].time == q->time && a->points[k].side != q->side)))
            k++;
        if (k == a->n_points || a->points[k].time != q->time)
            continue;
        if (!same_point(a, &a->points[k], b, q))
            return false;
        common++;
        k++;
    }
    return common >= 1 + 2 * b->n_events || b->status != SOL_OK ||
           different(b, "number of common points", STOP, 1 + 2 * (double)b->n_events,
                     (double)common);
}

/* ---- one seed ---- */

typedef struct Tally {
    uint32_t models, fine, failed, events;
} Tally;

static bool check_saving(const char *text, uint64_t seed)
{
    SaveCase c = {.text = text, .options = options_for(seed, ALL), .checkpoints = 2};
    const char *wrong = save_lab_check(&c);
    if (wrong)
        fprintf(stderr, "  checkpoints: %s\n", wrong);
    return !wrong;
}

static bool check_seed(uint64_t seed, bool compiled, bool print, Tally *tally)
{
    char *text = hybrid_random(seed);
    Run all, run;
    bool fine = true;
    execute(&all, text, seed, ALL);
    if (print) {
        printf("%s", text);
        sol_print_messages(all.model, 0, stdout, false);
    }
    for (int way = FEW; way < (compiled ? WAYS : COMPILED); way++) {
        execute(&run, text, seed, way);
        fine &= run.status == all.status || different(&run, "status", STOP, all.status, run.status);
        fine &= same_events(&all, &run) && same_values(&all, &run);
        release(&run);
    }
    if (all.status == SOL_OK && seed % 2)
        fine &= check_saving(text, seed);
    tally->models++;
    tally->fine += all.status == SOL_OK;
    tally->failed += !fine;
    tally->events += (uint32_t)all.n_events;
    if (!fine)
        fprintf(stderr, "seed %llu failed\n", (unsigned long long)seed);
    release(&all);
    free(text);
    return fine;
}

/* A look between two points of a grid made a `when` that nobody decided fire. An impulse gave a state of a part that nobody had
 * looked at the value of the last look. A look found a loop to lose digits, and it was solved as a whole from then on. A look
 * between two events saw that a condition was false for a while, which no step had seen: its `when` fired at the next event. */
static const uint64_t known[] = {60299, 70700010, 981120270, 5000035};

int main(int argc, char **argv)
{
    bool print = argc > 1 && strcmp(argv[1], "print") == 0;
    bool compiled = argc > 1 && strcmp(argv[1], "compiled") == 0;
    Tally tally = {0};
    for (size_t i = 0; !print && i < sizeof known / sizeof *known; i++)
        check_seed(known[i], false, false, &tally);
    Soak soak = soak_begin("hybrid models", SLOW_BUILD ? 60 : 200, 1);
    while (soak_next(&soak))
        if (!check_seed(soak.seed, compiled || soak.seed % 10 == 0, print, &tally))
            soak_failed(&soak);
    soak_end(&soak);
    printf("%u models, %u ran to their end, %u events, %u models failed\n", tally.models,
           tally.fine, tally.events, tally.failed);
    /* most must run, and things must happen in them, or this tests nothing */
    bool enough =
        tally.models < 30 || (4 * tally.fine > 3 * tally.models && tally.events > tally.models);
    return tally.failed || !enough;
}
