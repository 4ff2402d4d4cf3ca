/* cmd_serve.c: `solstice serve`: a page on a running model. See serve.h. */
#define _GNU_SOURCE
#include "base/timer.h"
#include "runtime/cli/page_assets.h"
#include "runtime/cli/serve.h"
#include "runtime/cli/solver_options.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static const char *const engines[] = {"jit", "interp", "rebuild", NULL}; /* SolEngine */

static const double PIECE = 0.015, FRAME = 1.0 / 30; /* seconds of the clock on the wall */
enum { MOST_ASKED = 1000, SECRET = 16, MOST_POINTS = 10 };

typedef struct ServeOptions {
    OptionNumber start, stop, interval;
    OptionCount port;
    SolverOptions solver;
    uint32_t engine;
    OptionTexts sets, vars;
    const char *cache, *resume, *script, *output;
    bool external;
} ServeOptions;

static int read_options(Args *args, ServeOptions *o, CliFolders *folders, const char **file)
{
    const Option own[] = {
        {"--start", OPTION_NUMBER, &o->start, NULL, false},
        {"--stop", OPTION_NUMBER, &o->stop, NULL, false},
        {"--interval", OPTION_POSITIVE, &o->interval, NULL, false},
        {"--port", OPTION_COUNT, &o->port, NULL, false},
        {"--engine", OPTION_CHOICE, &o->engine, engines, true},
        {"--cache", OPTION_TEXT, &o->cache, NULL, true},
        {"--set", OPTION_TEXTS, &o->sets, NULL, false},
        {"--resume", OPTION_TEXT, &o->resume, NULL, true},
        {"--script", OPTION_TEXT, &o->script, NULL, true},
        {"--output", OPTION_TEXT, &o->output, NULL, true},
        {"--vars", OPTION_TEXTS, &o->vars, NULL, false},
        {"--allow-external", OPTION_FLAG, &o->external, NULL, true},
    };
    enum { OWN = sizeof own / sizeof *own };
    Option table[OWN + SOLVER_OPTIONS];
    memcpy(table, own, sizeof own);
    solver_options_table(&o->solver, table + OWN);
    int code = options_read_file(args, OWN + SOLVER_OPTIONS, table, folders, file);
    if (code == EXIT_DONE && o->stop.given && o->stop.value <= o->start.value)
        return args_fail(args, "--stop %g does not lie behind --start %g", o->stop.value,
                         o->start.value);
    if (code == EXIT_DONE && o->port.value > 65535)
        return args_fail(args, "--port wants a number up to 65535");
    return code == EXIT_DONE ? solver_options_check(args, &o->solver) : code;
}

/* ---- what clients ask, from the thread that serves them ---- */

static void ask(void *context, uint32_t client, int kind, const char *text, size_t n)
{
    Serve *serve = context;
    ServeMessage *m = malloc(sizeof *m + n);
    if (!m)
        return;
    *m = (ServeMessage){.client = client, .n = n};
    m->kind = kind;
    if (n)
        memcpy(m->text, text, n);
    pthread_mutex_lock(&serve->lock);
    bool full = kind == SERVE_TEXT && serve->waiting >= MOST_ASKED;
    if (full) {
        free(m);
    } else {
        *(serve->last ? &serve->last->next : &serve->first) = m;
        serve->last = m;
        serve->waiting++;
        pthread_cond_signal(&serve->asked);
    }
    pthread_mutex_unlock(&serve->lock);
}

static void joined(void *context, uint32_t client)
{
    ask(context, client, SERVE_JOINED, NULL, 0);
}

static void left(void *context, uint32_t client)
{
    ask(context, client, SERVE_LEFT, NULL, 0);
}

static void said(void *context, uint32_t client, const char *text, size_t n)
{
    ask(context, client, SERVE_TEXT, text, n);
}

/* The next one, or NULL after so many seconds. */
static ServeMessage *next_asked(Serve *serve, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(seconds * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&serve->lock);
    while (!serve->first && seconds > 0)
        if (pthread_cond_timedwait(&serve->asked, &serve->lock, &until) != 0)
            break;
    ServeMessage *m = serve->first;
    if (m) {
        serve->first = m->next;
        serve->last = serve->first ? serve->last : NULL;
        serve->waiting--;
    }
    pthread_mutex_unlock(&serve->lock);
    return m;
}

/* ---- time ---- */

static void note_failure(Serve *serve, SolStatus status, uint32_t first)
{
    SolMessage m;
    serve->playing = false;
    if (status == SOL_CANCELLED)
        return;
    snprintf(serve->failure, sizeof serve->failure, "time does not go on%s%s",
             sol_message(serve->live.model, first, &m) ? ": " : "",
             sol_message(serve->live.model, first, &m) ? m.text : "");
}

/* A piece of time: as much as is due, and as takes no longer than PIECE. Seconds until more is due: who keeps up goes on once
 * for each frame that is told, and rests between. */
static double go_on(Serve *serve)
{
    double now = timer_now(), time = sol_time(serve->live.sim);
    double due = isinf(serve->speed) ? INFINITY : serve->from + serve->speed * (now - serve->wall);
    if (due < time)
        return fmin((time - due) / serve->speed, PIECE);
    if (due < fmin(serve->goal, time + serve->speed * FRAME) && now < serve->told + FRAME)
        return serve->told + FRAME - now;
    double most =
        MOST_POINTS * serve->live.options.interval; /* what comes may be slower than what was */
    double to = fmin(fmin(due, serve->goal), time + fmin(serve->rate * PIECE, most));
    if (!(to > time))
        to = fmin(serve->goal, time + 1e-9 * fmax(1, fabs(time)));
    uint32_t first = sol_message_count(serve->live.model);
    SolStatus status = sol_run_to(serve->live.sim, to);
    double spent = timer_now() - now, made = sol_time(serve->live.sim) - time;
    if (spent > 1e-6)
        serve->rate = fmin(fmax(made / spent, serve->rate / 4), 4 * serve->rate);
    if (status != SOL_OK)
        note_failure(serve, status, first);
    else if (sol_time(serve->live.sim) >= serve->goal)
        serve->playing = false;
    if (due - sol_time(serve->live.sim) > serve->speed) { /* it does not keep up: from here */
        serve->wall = timer_now();
        serve->from = sol_time(serve->live.sim);
    }
    serve->state++;
    return 0;
}

static void tell_state(Serve *serve, ServeClient *client)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (!out)
        return;
    serve_state(serve, client->edits != serve->edited, out);
    fclose(out);
    serve->module->send(serve->web, client->id, text, n);
    free(text);
    client->state = serve->state;
    client->edits = serve->edited;
}

static void tell_all(Serve *serve)
{
    double now = timer_now();
    if (now - serve->told < FRAME)
        return;
    serve->told =
        now - serve->told < 2 * FRAME ? serve->told + FRAME : now; /* late ones keep the beat */
    for (uint32_t i = 0; i < WEB_CLIENTS; i++) {
        ServeClient *c = &serve->clients[i];
        if (!c->id || !serve->module->idle(serve->web, c->id))
            continue; /* nobody, or one that has not got the last yet */
        if (c->state != serve->state)
            tell_state(serve, c);
        if (c->some && !serve->playing) { /* now there is time for all of them */
            c->epoch = c->stage = UINT64_MAX;
            c->some = false;
        }
        serve_tell_rows(serve, c);
        serve_tell_frames(serve, c);
    }
    live_output_flush(&serve->live);
}

static void loop(Serve *serve)
{
    double wait = 0.1;
    while (!serve->live.done && !interrupt_seen(serve->live.interrupt)) {
        for (ServeMessage *m; (m = next_asked(serve, wait)) != NULL; wait = 0) {
            serve_message(serve, m);
            free(m);
        }
        wait = serve->playing ? go_on(serve) : 0.1;
        if (!serve->playing)
            serve_row_here(serve);
        tell_all(serve);
        if (!serve->playing)
            wait = 0.03;
    }
}

/* ---- the page ---- */

static bool secret(char text[2 * SECRET + 1])
{
    unsigned char bytes[SECRET];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (int i = 0; i < SECRET; i++)
        sprintf(text + 2 * i, "%02x", bytes[i]);
    return true;
}

/* As a text of JavaScript in which nothing is markup. */
static void put_title(const char *title, FILE *out)
{
    putc('"', out);
    for (; *title; title++)
        if (strchr("<>&\"\\'", *title) || (unsigned char)*title < ' ')
            fprintf(out, "\\u%04x", (unsigned char)*title);
        else
            putc(*title, out);
    putc('"', out);
}

/* "{{name}}" -> the asset of that name, or a text. */
static void put_page(Serve *serve, const char *nonce, const char *title, FILE *out)
{
    const PageAsset *page = page_asset("serve.html", 10);
    (void)serve;
    for (const char *at = page->begin; at < page->end;) {
        const char *open = memmem(at, (size_t)(page->end - at), "{{", 2);
        const char *close = open ? memmem(open, (size_t)(page->end - open), "}}", 2) : NULL;
        fwrite(at, 1, (size_t)((close ? open : page->end) - at), out);
        if (!close)
            break;
        size_t n = (size_t)(close - open) - 2;
        const PageAsset *asset = page_asset(open + 2, n);
        if (asset)
            fwrite(asset->begin, 1, (size_t)(asset->end - asset->begin), out);
        else if (n == 5 && memcmp(open + 2, "nonce", n) == 0)
            fputs(nonce, out);
        else if (n == 5 && memcmp(open + 2, "title", n) == 0)
            put_title(title, out);
        at = close + 2;
    }
}

static int serve_page(Serve *serve, const char *title, int wanted)
{
    char words[300] = "", token[2 * SECRET + 1], nonce[2 * SECRET + 1], *page = NULL;
    size_t n = 0;
    int port = 0;
    FILE *out = open_memstream(&page, &n);
    serve->module = cli_module(WEB_MODULE, WEB_SYMBOL, words, sizeof words);
    if (!serve->module || !out || !secret(token) || !secret(nonce)) {
        fprintf(stderr, "solstice: error: no page can be served: %s\n", words);
        return EXIT_IO;
    }
    put_page(serve, nonce, title, out);
    fclose(out);
    serve->web = serve->module->open(&(WebUser){.context = serve,
                                                .page = page,
                                                .page_size = n,
                                                .token = token,
                                                .nonce = nonce,
                                                .port = wanted,
                                                .joined = joined,
                                                .message = said,
                                                .left = left},
                                     &port, words, sizeof words);
    if (!serve->web) {
        fprintf(stderr, "solstice: error: %s\n", words);
        free(page);
        return EXIT_IO;
    }
    printf("http://127.0.0.1:%d/?token=%s\n", port, token);
    fflush(stdout);
    loop(serve);
    serve->module->close(serve->web);
    for (ServeMessage *m; (m = next_asked(serve, 0)) != NULL; free(m))
        ;
    free(page);
    return EXIT_DONE;
}

/* ---- the model ---- */

static SolStatus open_model(Serve *serve, const char *file, const char *designator,
                            const CliFolders *folders, const ServeOptions *o)
{
    Live *live = &serve->live;
    live->model = sol_load(&(SolLoad){.path = file,
                                      .n_folders = folders->n,
                                      .folders = folders->at,
                                      .max_nesting = folders->max_nesting,
                                      .max_definitions = folders->max_definitions,
                                      .max_statements = folders->max_statements,
                                      .run = &live->options});
    if (!live->model)
        return SOL_MEMORY;
    if (sol_model_status(live->model) == SOL_OK)
        live->sim = sol_create(live->model, designator, &live->options);
    if (!live->sim)
        return sol_model_status(live->model);
    sol_set_event(live->sim, live_event, live);
    if (o->output && !live_output_open(live, o->output, file, o->vars.n, o->vars.at))
        return SOL_IO;
    if (o->output)
        serve->record = record_output(live->output.recorder);
    serve_attach(serve);
    return o->resume ? live_restore_file(live, o->resume) : sol_init(live->sim);
}

/* The first states, and the interface of the top model, are plotted from the start. */
static void plot_first(Serve *serve)
{
    enum { FIRST = 6 };
    SolVarInfo info;
    char path[1024];
    for (int pass = 0; pass < 2; pass++)
        for (SolVar var = sol_next_var(serve->live.sim, 0); var && serve->curves.n < FIRST;
             var = sol_next_var(serve->live.sim, var)) {
            if (!sol_var_info(serve->live.sim, var, &info) || info.parameter ||
                info.type == SOL_STRING || !(pass ? info.top : info.state))
                continue;
            sol_var_path(serve->live.sim, var, path, sizeof path);
            serve_plot(serve, path);
        }
}

static int serve_model(Serve *serve, const char *file, const char *designator,
                       const CliFolders *folders, const ServeOptions *o)
{
    Interrupt interrupt;
    Live *live = &serve->live;
    SolStatus status = open_model(serve, file, designator, folders, o);
    int code = status == SOL_OK ? EXIT_DONE : status == SOL_MODEL ? EXIT_MODEL : EXIT_IO;
    if (live->model)
        sol_print_messages(live->model, 0, stderr, cli_colour());
    if (code == EXIT_DONE && o->script && !(live->journal = fopen(o->script, "a"))) {
        fprintf(stderr, "solstice: error: %s: %s\n", o->script, strerror(errno));
        code = EXIT_IO;
    }
    if (code == EXIT_DONE) {
        interrupt_start(&interrupt, live->sim);
        live->interrupt = &interrupt;
        plot_first(serve);
        serve_row_now(serve);
        serve_stage_now(serve);
        serve_text_open(serve, file);
        serve->noted = sol_time(live->sim);
        code = serve_page(serve, designator ? designator : file, (int)o->port.value);
        interrupt_stop(&interrupt);
    }
    int written = live_output_close(live);
    if (live_journal_close(live) != 0)
        code = EXIT_IO;
    serve_drop(serve);
    live_close(live);
    sol_close(live->sim);
    sol_unload(live->model);
    return code ? code : written;
}

static int run_serve_with(const Args *args, const ServeOptions *o, const CliFolders *folders,
                          const char *name)
{
    char file[PATH_MAX];
    const char *designator;
    OptionSets sets;
    int code = cli_name_model(args, name, file, &designator);
    if (code == EXIT_DONE)
        code = options_split_sets(args, &o->sets, &sets);
    if (code != EXIT_DONE)
        return code;
    double span = o->stop.given ? o->stop.value - o->start.value : 10;
    Mem *mem = mem_open();
    MemGuard guard;
    if (!mem)
        return EXIT_IO;
    mem_guard_push(mem, &guard);
    if (setjmp(guard.env) != 0) {
        fputs("solstice: error: out of memory\n", stderr);
        return EXIT_IO;
    }
    Serve *serve = mem_alloc(mem, sizeof *serve);
    serve->live = (Live){.mem = mem,
                         .designator = designator ? designator : "",
                         .out = stdout,
                         .client = -1,
                         .style = LIVE_JSON,
                         .slides = true,
                         .options = {.start = o->start.value,
                                     .stop = o->start.value + 1e6 * span, /* steps go on */
                                     .interval = o->interval.given ? o->interval.value : span / 500,
                                     .engine = (SolEngine)o->engine,
                                     .cache = o->cache,
                                     .n_sets = o->sets.n,
                                     .sets = sets.at,
                                     .max_instances = folders->max_instances,
                                     .editable = true,
                                     .edits_call_foreign = o->external}};
    solver_options_fill(&o->solver, &serve->live.options);
    serve->speed = serve->natural = serve->rate = span / 10;
    serve->goal = INFINITY;
    serve->epoch = serve->state = serve->stage.epoch = 1;
    pthread_mutex_init(&serve->lock, NULL);
    pthread_cond_init(&serve->asked, NULL);
    code = serve_model(serve, file, designator, folders, o);
    mem_guard_pop(mem, &guard);
    mem_close(mem);
    return code;
}

static int run_serve(int argc, char **argv)
{
    Args args = args_begin(&cli_serve, argc, argv);
    ServeOptions options = {0};
    CliFolders folders = {0};
    const char *file;
    int code = read_options(&args, &options, &folders, &file);
    return code == EXIT_DONE ? run_serve_with(&args, &options, &folders, file) : code;
}

const Command cli_serve = {
    "serve",
    "shows a running model in a page, where it can be changed",
    "usage: solstice serve FILE[:MODEL] [options]\n\n"
    "Prints the address of a page on this machine, and serves it until Ctrl-C: a clock that runs "
    "and\n"
    "stops, curves that move, parameters to be turned while the model runs, what exists with its "
    "values,\n"
    "and a line for edits, each with its verdict, as in 'live'. The address has a secret in it; "
    "whoever has\n"
    "it may do all that the page does.\n\n"
    "  --port N                instead of one that is free\n"
    "  --stop T                what takes ten seconds to be shown; time goes on behind it (10 "
    "unless told)\n"
    "  --start T, --interval DT between points of curves\n"
    "  --output FILE, --vars PATTERN, --script FILE, --resume FILE, --allow-external: as for "
    "'live'\n"
    "  --engine jit|interp|rebuild, --cache off|DIR, --set PATH=VALUE, -L DIR, --solver, --step,\n"
    "  --linear, --rtol, --atol, --max-step, --max-order, --max-events, --max-updates, --seed,\n"
    "  --max-instances, --max-nesting, --max-definitions, --max-statements: as for 'run'\n\n"
    "example:\n"
    "  solstice serve Electric.Examples.Rectifier --stop 0.2\n",
    run_serve,
};
