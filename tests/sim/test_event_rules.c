/* test_event_rules.c: random event models, run by the program and by the rules, update by update.
 *
 * tests/support/event_rules.h says what each update of a model must be. The program's run is
 * compared with it in all that can be seen: the times of events, the number of updates, the
 * branches that each update takes, the held variables behind each update, all variables between
 * events, and the way a run ends. Then with fixed steps, and with Reals that move: the program has other ways to
 * evaluate them. A model that shows a difference is made smaller and printed with both runs.
 *
 *     test_event_rules                 the seeds of `make test`
 *     test_event_rules show SEED       one model and both runs
 *     test_event_rules shrink SEED     the same, and the smallest model that shows the difference
 *     test_event_rules file FILE.sol   the same as `show` for a text of one's own
 *     test_event_rules count N [all]   N models, differences counted; `all`: some made smaller
 */
#include "tests/support/event_known.h"
#include "tests/support/event_random.h"
#include "tests/support/event_rules.h"
#include "tests/support/event_shrink.h"
#include "tests/support/slow.h"
#include "tests/support/soak.h"

#include "runtime/solstice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_UPDATES = 60,
    QUIET = 8
}; /* QUIET: points of time in a unit; odd ones lie between events */

#define SHRINK_LIMIT 2000 /* runs that may be spent on making a model smaller */

/* ---- a run of the program ---- */

typedef struct Shown {
    ErRun *run; /* its events, as the trace tells them */
    SolStatus status;
    double time; /* that it reached */
    char *trace, *messages;
    ErUpdate quiet[EVENT_STOP * QUIET]; /* values between events */
    uint32_t n_quiet;
} Shown;

static void *grown(void *list, uint32_t n, size_t size)
{
    if (n & (n - 1))
        return list;
    return realloc(list, (n ? 2 * (size_t)n : 1) * size);
}

static ErEvent *last_event(Shown *shown)
{
    return shown->run->n_events ? &shown->run->events[shown->run->n_events - 1] : NULL;
}

static void add_event(Shown *shown, double time)
{
    ErRun *run = shown->run;
    run->events = grown(run->events, run->n_events, sizeof *run->events);
    run->events[run->n_events++] = (ErEvent){.time = time};
}

static ErUpdate *update_at(Shown *shown, uint32_t number)
{
    ErEvent *event = last_event(shown);
    while (event->n_updates <= number) {
        event->updates = grown(event->updates, event->n_updates, sizeof *event->updates);
        event->updates[event->n_updates++] = (ErUpdate){0};
    }
    return &event->updates[number];
}

static void add_value(ErUpdate *update, const char *path, double value)
{
    if (!isnan(er_value(update, path)))
        return; /* the first is the one that stood when the update ended */
    update->values = grown(update->values, update->n_values, sizeof *update->values);
    ErValue *v = &update->values[update->n_values++];
    *v = (ErValue){.value = value};
    snprintf(v->path, sizeof v->path, "%s", path);
}

/* "[PATH: ]if CONDITION -> then (FILE:LINE)" */
static void add_choice(ErUpdate *update, const char *text)
{
    ErChoice choice = {0};
    const char *colon = strstr(text, ": ");
    if (strncmp(text, "if ", 3) != 0 && strncmp(text, "when ", 5) != 0 && colon) {
        snprintf(choice.path, sizeof choice.path, "%.*s", (int)(colon - text), text);
        text = colon + 2;
    }
    const char *place = strrchr(text, ':');
    choice.when = strncmp(text, "when ", 5) == 0;
    choice.then = choice.when || strstr(text, " -> then (") != NULL;
    choice.line = place ? (uint32_t)strtoul(place + 1, NULL, 10) : 0;
    update->choices = grown(update->choices, update->n_choices, sizeof *update->choices);
    update->choices[update->n_choices++] = choice;
}

static void read_line(Shown *shown, const char *line)
{
    const char *bar = strstr(line, "| ");
    char path[ER_PATH];
    double value;
    uint32_t number;
    int used = 0;
    if (!bar)
        return;
    const char *text = bar + 2;
    if (strncmp(text, "start", 5) == 0 || strncmp(text, "event ", 6) == 0)
        add_event(shown, strtod(line + 2, NULL));
    else if (!last_event(shown))
        return;
    else if (sscanf(text, " behind update %u: %63s = %lf", &number, path, &value) == 3 &&
             number < 2000)
        add_value(update_at(shown, number), path, value);
    else if (sscanf(text, " update %u: %n", &number, &used) == 1 && used > 0)
        add_choice(update_at(shown, number), text + used);
    else if (sscanf(text, " %u updates%n", &number, &used) == 1 && used > 0 && number > 0)
        update_at(shown, number - 1);
}

static void read_trace(Shown *shown)
{
    char *copy = strdup(shown->trace), *rest = copy;
    shown->run = calloc(1, sizeof *shown->run);
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n"))
        read_line(shown, line);
    free(copy);
}

/* ---- the same model with Reals that move, or that loops determine ---- */

typedef char *(*Rewrite)(const char *text);

/* A state that stays 0 is added to what determines a Real: nothing has another value, but the program evaluates it
 * with its part, or only when somebody looks, instead of at events alone. */
#define DRIFT "drift"

/* Two equations determine a Real together with another one, which is 0: nothing has another value, but the program
 * holds loops back while something is born. */
#define REST "rest"

static bool is_added(const char *path)
{
    const char *dot = strrchr(path, '.'), *name = dot ? dot + 1 : path;
    return strcmp(name, DRIFT) == 0 || strncmp(name, REST, strlen(REST)) == 0;
}

/* "x12 = EXPRESSION;", as em_print writes it: its expression, else NULL. */
static const char *real_equation(const char *line)
{
    line += strspn(line, " ");
    if (*line != 'x')
        return NULL;
    line += 1 + strspn(line + 1, "0123456789");
    return strncmp(line, " = ", 3) == 0 ? line + 3 : NULL;
}

static void write_drifting(FILE *out, const char *line, const char *value, int n)
{
    fprintf(out, "%.*s(%.*s) + " DRIFT ";\n", (int)(value - line), line, n, value);
}

static void write_loop(FILE *out, const char *line, const char *value, int n)
{
    const char *number = line + strspn(line, " ") + 1;
    int digits = (int)strspn(number, "0123456789");
    fprintf(out,
            "static Real " REST "%.*s; x%.*s + " REST "%.*s = %.*s; x%.*s - " REST "%.*s = %.*s;\n",
            digits, number, digits, number, digits, number, n, value, digits, number, digits,
            number, n, value);
}

static char *rewrite(const char *text, const char *top,
                     void (*write)(FILE *out, const char *line, const char *value, int n))
{
    char *copy = strdup(text), *rest = copy, *result = NULL;
    size_t size;
    FILE *out = open_memstream(&result, &size);
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        const char *value = real_equation(line), *end = strrchr(line, ';');
        if (value && end)
            write(out, line, value, (int)(end - value));
        else if (strcmp(line, "implementation:") == 0)
            fprintf(out, "%s%s\n", line, top);
        else
            fprintf(out, "%s\n", line);
    }
    fclose(out);
    free(copy);
    return result;
}

static char *moving(const char *text)
{
    return rewrite(text, " static Real " DRIFT "; der(" DRIFT ") = 0;", write_drifting);
}

static char *looping(const char *text)
{
    return rewrite(text, "", write_loop);
}

static char *itself(const char *text)
{
    return strdup(text);
}

/* With fixed steps the point before an event shows what the clock has changed already: so what U1 leaves alone must not
 * follow from the clock but by conditions. */
static bool follows_clock(const char *text)
{
    bool found = false;
    char *copy = strdup(text), *rest = copy;
    for (char *line = strsep(&rest, "\n"); line && !found; line = strsep(&rest, "\n")) {
        line += strspn(line, " ");
        found = strstr(line, "time") && strncmp(line, "if ", 3) != 0 &&
                strncmp(line, "when ", 5) != 0 && strncmp(line, "else ", 5) != 0;
    }
    free(copy);
    return found;
}

/* All that happens does so at multiples of the step. */
typedef struct Form {
    Rewrite rewrite;
    SolSolver solver;
} Form;

static void read_values(Shown *shown, Sol *sim)
{
    ErUpdate *update = &shown->quiet[shown->n_quiet++];
    for (SolVar var = sol_next_var(sim, 0); var; var = sol_next_var(sim, var)) {
        char path[ER_PATH];
        double value;
        sol_var_path(sim, var, path, sizeof path);
        if (!is_added(path) && sol_read(sim, var, &value) == SOL_OK)
            add_value(update, path, value);
    }
}

static char *messages_of(const SolModel *model)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    sol_print_messages(model, 0, out, false);
    fclose(out);
    return text;
}

/* Runs from one quiet point of time to the next. */
static void run_program(Shown *shown, SolModel *model, SolSolver solver)
{
    size_t size;
    FILE *trace = open_memstream(&shown->trace, &size);
    Sol *sim = sol_create(model, NULL,
                          &(SolOptions){.stop = EVENT_STOP,
                                        .steps = 1,
                                        .engine = SOL_ENGINE_INTERP,
                                        .solver = solver,
                                        .step = solver == SOL_SOLVER_EULER ? 1.0 / QUIET : 0,
                                        .max_updates = MAX_UPDATES,
                                        .trace = "eu",
                                        .trace_to = trace});
    shown->status = sim ? sol_init(sim) : sol_model_status(model);
    for (uint32_t i = 1; sim && shown->status == SOL_OK && i < EVENT_STOP * QUIET; i += 2) {
        shown->status = sol_run_to(sim, (double)i / QUIET);
        if (shown->status == SOL_OK)
            read_values(shown, sim);
    }
    shown->time = sim ? sol_time(sim) : 0;
    sol_close(sim);
    fclose(trace);
}

/* NULL: the text is no model for the program. */
static Shown *show(const char *text, SolSolver solver)
{
    SolModel *model = sol_load(&(SolLoad){.path = "text", .text = text, .length = strlen(text)});
    Shown *shown = calloc(1, sizeof *shown);
    shown->status = sol_model_status(model);
    if (shown->status == SOL_OK)
        shown->status = sol_check(model);
    bool fine = shown->status == SOL_OK;
    if (fine) {
        run_program(shown, model, solver);
        read_trace(shown);
    }
    shown->messages = messages_of(model);
    sol_unload(model);
    return shown;
}

static void forget(Shown *shown)
{
    for (uint32_t i = 0; shown->run && i < shown->run->n_events; i++) {
        ErEvent *event = &shown->run->events[i];
        for (uint32_t k = 0; k < event->n_updates; k++) {
            free(event->updates[k].choices);
            free(event->updates[k].values);
        }
        free(event->updates);
    }
    for (uint32_t i = 0; i < shown->n_quiet; i++)
        free(shown->quiet[i].values);
    if (shown->run)
        free(shown->run->events);
    free(shown->run);
    free(shown->trace);
    free(shown->messages);
    free(shown);
}

/* ---- comparison ---- */

typedef enum Kind { SAME, REFUSED, ENDS, EVENTS, UPDATES, BRANCHES, HELD, VALUES, N_KINDS } Kind;

static const char *const kind_words[] = {"same",
                                         "refused by the program",
                                         "ends otherwise",
                                         "other events",
                                         "other updates",
                                         "other branches",
                                         "other held values in an update",
                                         "other values between events"};

typedef struct Difference {
    Kind kind;
    char text[300];
} Difference;

static uint32_t from_environment(const char *name, uint32_t otherwise)
{
    const char *text = getenv(name);
    return text ? (uint32_t)strtoul(text, NULL, 0) : otherwise;
}

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (1 + fabs(a)) || (isnan(a) && isnan(b));
}

static int by_place(const void *left, const void *right)
{
    const ErChoice *a = left, *b = right;
    int order = strcmp(a->path, b->path);
    if (order == 0 && a->line != b->line)
        order = a->line < b->line ? -1 : 1;
    return order ? order : (int)a->then - (int)b->then;
}

static void drop_choice(ErUpdate *update, uint32_t i)
{
    update->n_choices--;
    memmove(&update->choices[i], &update->choices[i + 1],
            (update->n_choices - i) * sizeof *update->choices);
}

/* An `if` that returns and chooses what it had need not be told. */
static void drop_repeated(ErUpdate *rules, ErUpdate *program)
{
    for (uint32_t i = rules->n_choices; i-- > 0;) {
        if (!rules->choices[i].again)
            continue;
        for (uint32_t k = program->n_choices; k-- > 0;)
            if (by_place(&program->choices[k], &rules->choices[i]) == 0)
                drop_choice(program, k);
        drop_choice(rules, i);
    }
}

/* Both lists in order; a choice that only one of them has. */
static const ErChoice *odd_choice(ErUpdate *a, ErUpdate *b)
{
    drop_repeated(a, b);
    if (a->n_choices)
        qsort(a->choices, a->n_choices, sizeof *a->choices, by_place);
    if (b->n_choices)
        qsort(b->choices, b->n_choices, sizeof *b->choices, by_place);
    for (uint32_t i = 0; i < a->n_choices || i < b->n_choices; i++) {
        if (i >= a->n_choices)
            return &b->choices[i];
        if (i >= b->n_choices || by_place(&a->choices[i], &b->choices[i]) != 0)
            return &a->choices[i];
    }
    return NULL;
}

static void compare_update(Difference *d, ErUpdate *rules, ErUpdate *program, double time,
                           uint32_t number)
{
    const ErChoice *odd = odd_choice(rules, program);
    if (odd) {
        d->kind = BRANCHES;
        snprintf(d->text, sizeof d->text, "(%g, %u): %s%s%s in line %u", time, number, odd->path,
                 odd->path[0] ? ": " : "", odd->when ? "when" : "if", odd->line);
    }
    for (uint32_t i = 0; d->kind == SAME && program->n_values && i < rules->n_values; i++) {
        const ErValue *value = &rules->values[i];
        double seen = er_value(program, value->path);
        if (!value->visible || close_to(seen, value->value))
            continue;
        d->kind = HELD;
        snprintf(d->text, sizeof d->text, "(%g, %u): %s is %g, by the rules %g", time, number,
                 value->path, seen, value->value);
    }
}

/* Updates up to the last one that takes a branch: behind it only pulses end. */
static uint32_t busy_updates(const ErEvent *event)
{
    uint32_t n = event->n_updates;
    while (n > 0 && event->updates[n - 1].n_choices == 0)
        n--;
    return n;
}

/* Nothing was decided: the program need not even notice it. */
static bool idle(const ErEvent *event)
{
    return busy_updates(event) == 0;
}

static ErEvent *next_event(ErRun *run, uint32_t *i)
{
    while (*i < run->n_events && idle(&run->events[*i]))
        ++*i;
    return *i < run->n_events ? &run->events[(*i)++] : NULL;
}

static void compare_event(Difference *d, ErEvent *rules, ErEvent *program)
{
    for (uint32_t i = 0; d->kind == SAME && i < rules->n_updates && i < program->n_updates; i++)
        compare_update(d, &rules->updates[i], &program->updates[i], rules->time, i);
    if (d->kind == SAME && busy_updates(rules) != busy_updates(program)) {
        d->kind = UPDATES;
        snprintf(d->text, sizeof d->text, "at %g: %u updates that take branches, by the rules %u",
                 rules->time, busy_updates(program), busy_updates(rules));
    }
}

static void compare_events(Difference *d, ErRun *rules, ErRun *program)
{
    uint32_t i = 0, k = 0;
    while (d->kind == SAME) {
        ErEvent *a = next_event(rules, &i), *b = next_event(program, &k);
        if (rules->verdict != ER_FINE && i >= rules->n_events)
            return; /* the event in which it ends */
        if (!a && !b)
            return;
        if (!a || !b || fabs(a->time - b->time) > 1e-9) {
            d->kind = EVENTS;
            snprintf(d->text, sizeof d->text, "an event at %g, by the rules at %g",
                     b ? b->time : NAN, a ? a->time : NAN);
        } else {
            compare_event(d, a, b);
        }
    }
}

/* The last update not behind `time`. */
static const ErUpdate *rules_at(const ErRun *run, double time)
{
    const ErUpdate *update = NULL;
    for (uint32_t i = 0; i < run->n_events && run->events[i].time <= time; i++)
        update = &run->events[i].updates[run->events[i].n_updates - 1];
    return update;
}

static void compare_point(Difference *d, const ErUpdate *rules, const ErUpdate *program,
                          double time)
{
    for (uint32_t i = 0; d->kind == SAME && i < rules->n_values; i++) {
        const ErValue *value = &rules->values[i];
        double seen = er_value(program, value->path);
        if (close_to(seen, value->value))
            continue;
        d->kind = VALUES;
        snprintf(d->text, sizeof d->text, "at %g: %s is %g, by the rules %g", time, value->path,
                 seen, value->value);
    }
    if (d->kind == SAME && rules->n_values != program->n_values) {
        d->kind = VALUES;
        snprintf(d->text, sizeof d->text, "at %g: %u variables, by the rules %u", time,
                 program->n_values, rules->n_values);
    }
}

static void compare_points(Difference *d, const ErRun *rules, const Shown *shown)
{
    const ErEvent *last = &rules->events[rules->n_events - 1];
    for (uint32_t i = 0; d->kind == SAME && i < shown->n_quiet; i++) {
        double time = (2 * i + 1.0) / QUIET;
        if (rules->verdict != ER_FINE && time >= last->time)
            return;
        compare_point(d, rules_at(rules, time), &shown->quiet[i], time);
    }
}

static SolStatus status_of(ErVerdict verdict)
{
    return verdict == ER_FINE                                ? SOL_OK
           : verdict == ER_ENDLESS || verdict == ER_NO_VALUE ? SOL_NUMERICS
                                                             : SOL_MODEL;
}

static void compare_end(Difference *d, const ErRun *rules, const Shown *shown)
{
    double end = rules->events[rules->n_events - 1].time;
    bool fine = rules->verdict == ER_FINE;
    if (d->kind != SAME)
        return;
    if (shown->status == status_of(rules->verdict) && (fine || fabs(shown->time - end) < 1e-9))
        return;
    d->kind = ENDS;
    snprintf(d->text, sizeof d->text, "status %d at %g, by the rules %s%s%s at %g", shown->status,
             shown->time, er_verdict(rules->verdict), rules->why[0] ? ": " : "", rules->why, end);
}

static Difference compare(ErRun *rules, Shown *shown)
{
    Difference d = {SAME, ""};
    if (!shown->run) {
        d.kind = REFUSED;
        snprintf(d.text, sizeof d.text, "%.200s", shown->messages);
        return d;
    }
    compare_events(&d, rules, shown->run);
    compare_points(&d, rules, shown);
    compare_end(&d, rules, shown);
    return d;
}

/* ---- cases ---- */

/* `text` by the program, `model` by the rules. `out`: NULL, or where both runs are printed. *verdict: by the rules. */
static Difference try_model(EmModel *model, const char *text, SolSolver solver, FILE *out,
                            ErVerdict *verdict)
{
    ErRun *rules = er_run(model, EVENT_STOP - 1.0 / QUIET, MAX_UPDATES);
    Shown *shown = show(text, solver);
    Difference d = compare(rules, shown);
    *verdict = rules->verdict;
    if (out) {
        fprintf(out, "%s\n---- by the rules\n", text);
        er_print(rules, out);
        fprintf(out, "---- by the program\n%s%s", shown->trace ? shown->trace : "",
                shown->messages);
        fprintf(out, "---- %s: %s\n", kind_words[d.kind], d.text);
    }
    forget(shown);
    er_free(rules);
    return d;
}

static uint64_t fixed_steps; /* models that were run with them */

/* As it is, and rewritten. Where conditions of what moves take turns without end, the program looks for a combination
 * of branches that they agree with (mode_search.c): the rules know nothing of it. */
static Difference try_text(const char *text, FILE *out)
{
    static const Form forms[] = {{itself, SOL_SOLVER_AUTO},
                                 {itself, SOL_SOLVER_EULER},
                                 {moving, SOL_SOLVER_AUTO},
                                 {moving, SOL_SOLVER_EULER},
                                 {looping, SOL_SOLVER_AUTO}};
    Difference d = {REFUSED, "no event model"};
    ErVerdict verdict = ER_FINE;
    EmModel *model = em_read(text, NULL);
    if (!model)
        return d;
    d.kind = SAME;
    bool clock = follows_clock(text);
    fixed_steps += !clock;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (d.kind != SAME || (verdict == ER_ENDLESS && forms[i].rewrite != itself))
            break;
        if (forms[i].solver == SOL_SOLVER_EULER && clock)
            continue;
        char *other = forms[i].rewrite(text);
        d = try_model(model, other, forms[i].solver, out, &verdict);
        free(other);
    }
    em_free(model);
    return d;
}

/* The text in the form in which lines can be compared; NULL: it is no model. */
static char *printed(const char *text)
{
    EmModel *model = em_read(text, stderr);
    char *lines = model ? em_print(model) : NULL;
    em_free(model);
    return lines;
}

static char *text_of(uint64_t seed, uint32_t constructs)
{
    char *raw = event_random(seed, constructs), *text = printed(raw);
    if (!text)
        return raw;
    free(raw);
    return text;
}

typedef struct Hunt {
    Kind kind;
    char rules[24]; /* what the rules say, where runs end otherwise */
    uint32_t left;
} Hunt;

static bool still_shows(void *context, const char *text)
{
    Hunt *hunt = context;
    if (hunt->left == 0)
        return false;
    hunt->left--;
    EmModel *model = em_read(text, NULL);
    em_free(model);
    if (!model)
        return false;
    Difference d = try_text(text, NULL);
    return d.kind == hunt->kind && strstr(d.text, hunt->rules);
}

static void report(uint64_t seed, const char *text, Difference d)
{
    Hunt hunt = {d.kind, "", SHRINK_LIMIT};
    const char *rules = strstr(d.text, "by the rules");
    if (rules)
        snprintf(hunt.rules, sizeof hunt.rules, "%s", rules);
    printf("seed %llu: %s: %s\n", (unsigned long long)seed, kind_words[d.kind], d.text);
    char *small = event_shrink(text, still_shows, &hunt);
    try_text(small, stdout);
    fflush(stdout);
    free(small);
}

static int run_known(void)
{
    int failures = 0;
    for (uint32_t i = 0; i < sizeof event_known / sizeof *event_known; i++) {
        char *text = printed(event_known[i]);
        if (!text || try_text(text, NULL).kind != SAME) {
            printf("known model %u differs\n", i);
            try_text(text ? text : event_known[i], stdout);
            failures++;
        }
        free(text);
    }
    return failures;
}

static int run_seeds(uint32_t constructs)
{
    int failures = run_known();
    Soak soak = soak_begin("event models", SLOW_BUILD ? 200 : 1000, 1);
    while (soak_next(&soak)) {
        char *text = text_of(soak.seed, constructs);
        Difference d = try_text(text, NULL);
        if (d.kind != SAME && failures++ < 10) {
            soak_failed(&soak);
            report(soak.seed, text, d);
        }
        free(text);
    }
    soak_end(&soak);
    printf("%llu of them with fixed steps too\n", (unsigned long long)fixed_steps);
    return failures > 0;
}

static int count_kinds(uint64_t n, uint32_t constructs, bool shrink)
{
    uint64_t counts[N_KINDS] = {0};
    for (uint64_t seed = 1; seed <= n; seed++) {
        char *text = text_of(seed, constructs);
        Difference d = try_text(text, NULL);
        if (counts[d.kind]++ < 10 && d.kind != SAME && shrink)
            report(seed, text, d);
        else if (d.kind != SAME)
            printf("seed %llu: %s: %s\n", (unsigned long long)seed, kind_words[d.kind], d.text);
        free(text);
    }
    for (int i = 0; i < N_KINDS; i++)
        printf("%8llu %s\n", (unsigned long long)counts[i], kind_words[i]);
    return 0;
}

static char *read_file(const char *path)
{
    char *text = calloc(1, 1 << 20);
    FILE *in = fopen(path, "rb");
    size_t n = in ? fread(text, 1, (1 << 20) - 1, in) : 0;
    text[n] = '\0';
    if (in)
        fclose(in);
    return text;
}

static uint32_t constructs_wanted(void)
{
    return from_environment("EVENT_CONSTRUCTS", EVENT_ALL);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return run_seeds(constructs_wanted());
    if (strcmp(argv[1], "count") == 0)
        return count_kinds(strtoull(argv[2], NULL, 10), constructs_wanted(), argc > 3);
    char *text = strcmp(argv[1], "file") == 0
                     ? read_file(argv[2])
                     : text_of(strtoull(argv[2], NULL, 10), constructs_wanted());
    Difference d = try_text(text, stdout);
    if (strcmp(argv[1], "shrink") == 0 && d.kind != SAME)
        report(strtoull(argv[2], NULL, 10), text, d);
    free(text);
    return d.kind != SAME;
}
