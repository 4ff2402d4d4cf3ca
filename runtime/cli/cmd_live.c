/* cmd_live.c: `solstice live`: a model that runs, changed by what is typed. See live.h. */
#include "runtime/cli/live.h"
#include "runtime/cli/solver_options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const engines[] = {"jit", "interp", "rebuild", NULL}; /* SolEngine */

typedef struct LiveOptions {
    OptionNumber start, stop, interval;
    SolverOptions solver;
    uint32_t engine;
    OptionTexts sets;
    const char *cache, *resume, *script, *socket, *output;
    OptionTexts vars;
    bool json, external;
} LiveOptions;

static int read_options(Args *args, LiveOptions *o, CliFolders *folders, const char **file)
{
    const Option own[] = {
        {"--start", OPTION_NUMBER, &o->start, NULL, false},
        {"--stop", OPTION_NUMBER, &o->stop, NULL, false},
        {"--interval", OPTION_POSITIVE, &o->interval, NULL, false},
        {"--engine", OPTION_CHOICE, &o->engine, engines, true},
        {"--cache", OPTION_TEXT, &o->cache, NULL, true},
        {"--set", OPTION_TEXTS, &o->sets, NULL, false},
        {"--resume", OPTION_TEXT, &o->resume, NULL, true},
        {"--script", OPTION_TEXT, &o->script, NULL, true},
        {"--socket", OPTION_TEXT, &o->socket, NULL, true},
        {"--output", OPTION_TEXT, &o->output, NULL, true},
        {"--vars", OPTION_TEXTS, &o->vars, NULL, false},
        {"--json", OPTION_FLAG, &o->json, NULL, true},
        {"--allow-external", OPTION_FLAG, &o->external, NULL, true},
    };
    enum { OWN = sizeof own / sizeof *own };
    Option table[OWN + SOLVER_OPTIONS];
    memcpy(table, own, sizeof own);
    solver_options_table(&o->solver, table + OWN);
    int code = options_read_file(args, OWN + SOLVER_OPTIONS, table, folders, file);
    if (code == EXIT_DONE && o->stop.given && o->stop.value < o->start.value)
        return args_fail(args, "--stop %g lies before --start %g", o->stop.value, o->start.value);
    return code == EXIT_DONE ? solver_options_check(args, &o->solver) : code;
}

static int exit_code(SolStatus status)
{
    static const int codes[] = {
        [SOL_OK] = EXIT_DONE,           [SOL_MODEL] = EXIT_MODEL, [SOL_USAGE] = EXIT_USAGE,
        [SOL_NUMERICS] = EXIT_NUMERICS, [SOL_IO] = EXIT_IO,       [SOL_MEMORY] = EXIT_IO,
        [SOL_CANCELLED] = EXIT_IO};
    return codes[status];
}

static SolStatus open_model(Live *live, const char *file, const char *designator,
                            const CliFolders *folders, const LiveOptions *o)
{
    live->model = sol_load(&(SolLoad){.path = file,
                                      .n_folders = folders->n,
                                      .folders = folders->at,
                                      .max_nesting = folders->max_nesting,
                                      .max_definitions = folders->max_definitions,
                                      .max_statements = folders->max_statements,
                                      .strict_units = folders->strict_units,
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
    return o->resume ? live_restore_file(live, o->resume) : sol_init(live->sim);
}

/* Lines of a pipe, each answered by a line. */
static void read_pipe(Live *live)
{
    char *line = NULL;
    size_t size = 0;
    while (!live->done && getline(&line, &size, stdin) > 0)
        live_line(live, line);
    free(line);
}

static int talk(Live *live, const LiveOptions *o)
{
    Interrupt interrupt;
    if (o->script && !(live->journal = fopen(o->script, "a"))) {
        fprintf(stderr, "solstice: error: %s: %s\n", o->script, strerror(errno));
        return EXIT_IO;
    }
    interrupt_start(&interrupt, NULL);
    interrupt.stays = true;
    live->interrupt = &interrupt;
    int code = EXIT_DONE;
    if (o->socket) {
        code = live_serve(live, o->socket);
    } else if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !o->json) {
        live->style = LIVE_PEOPLE;
        fputs("'help' lists the commands\n", live->out);
        if (!live_prompt(live))
            read_pipe(live);
    } else {
        read_pipe(live);
    }
    interrupt_stop(&interrupt);
    if (live_journal_close(live) != 0)
        code = EXIT_IO;
    return code;
}

static int live_model(Live *live, const char *file, const char *designator,
                      const CliFolders *folders, const LiveOptions *o)
{
    SolStatus status = open_model(live, file, designator, folders, o);
    if (live->model)
        sol_print_messages(live->model, 0, stderr, cli_colour());
    int code = status == SOL_OK ? talk(live, o) : exit_code(status);
    int written = live_output_close(live);
    live_close(live);
    sol_close(live->sim);
    sol_unload(live->model);
    return code ? code : written;
}

static int run_live_with(const Args *args, const LiveOptions *o, const CliFolders *folders,
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
    Mem *mem = mem_open();
    Live live = {.mem = mem,
                 .designator = designator ? designator : "",
                 .out = stdout,
                 .client = -1,
                 .files = true,
                 .colour = isatty(STDOUT_FILENO) && cli_colour(),
                 .style = o->json ? LIVE_JSON : LIVE_LINE,
                 .options = {.start = o->start.value,
                             .stop = o->stop.given ? o->stop.value : o->start.value + 1,
                             .interval = o->interval.value,
                             .engine = (SolEngine)o->engine,
                             .cache = o->cache,
                             .n_sets = o->sets.n,
                             .sets = sets.at,
                             .max_instances = folders->max_instances,
                             .editable = true,
                             .edits_call_foreign = o->external}};
    solver_options_fill(&o->solver, &live.options);
    MemGuard guard;
    if (!mem)
        return EXIT_IO;
    mem_guard_push(mem, &guard);
    if (setjmp(guard.env) != 0) {
        fputs("solstice: error: out of memory\n", stderr);
        return EXIT_IO;
    }
    code = live_model(&live, file, designator, folders, o);
    mem_guard_pop(mem, &guard);
    mem_close(mem);
    return code;
}

static int run_live(int argc, char **argv)
{
    Args args = args_begin(&cli_live, argc, argv);
    LiveOptions options = {0};
    CliFolders folders = {0};
    const char *file;
    int code = read_options(&args, &options, &folders, &file);
    return code == EXIT_DONE ? run_live_with(&args, &options, &folders, file) : code;
}

const Command cli_live = {
    "live",
    "changes a model while it runs",
    "usage: solstice live FILE[:MODEL] [options]\n\n"
    "A prompt on a running model: equations, components and connections are entered, taken away "
    "and\n"
    "replaced at the present time, and each gets its verdict at once: accepted, incomplete (some\n"
    "variable lacks an equation), or refused, with the equations that contradict, and taken back.\n"
    "'help' at the prompt lists the commands. Ctrl-C stops a run and nothing else. Lines of a "
    "pipe\n"
    "are answered by one line each.\n\n"
    "  --json                  answers are objects of JSON, one a line\n"
    "  --socket PATH           commands come from a socket of this name, answers are JSON "
    "(docs/protocol.md)\n"
    "  --script FILE           what was done is appended as it is done, to be replayed by 'source "
    "FILE'\n"
    "  --output FILE           values as they arise, as 'run' writes them: .solr, .csv or .mat\n"
    "  --vars PATTERN          of those that fit, such as 'R1.*'; may be given several times\n"
    "  --resume FILE           go on from what 'save FILE' wrote, with the same options\n"
    "  --allow-external        what is typed may call foreign functions and read tables from "
    "files\n"
    "  --start T, --stop T     where time begins; what steps and output intervals are measured by\n"
    "  --interval DT           between points of curves that are watched\n"
    "  --engine jit|interp|rebuild, --cache off|DIR, --set PATH=VALUE, -L DIR, --solver, --step,\n"
    "  --linear, --rtol, --atol, --max-step, --max-order, --max-events, --max-updates, --seed,\n"
    "  --max-instances, --max-nesting, --max-definitions, --max-statements: as for 'run'\n\n"
    "example:\n"
    "  solstice live Machine.sol\n"
    "  solstice live Machine.sol --json < commands.txt\n",
    run_live,
};
