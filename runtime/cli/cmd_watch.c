/* cmd_watch.c: `solstice watch`: a model file that is being written -> its run, again whenever it is saved. */
#define _GNU_SOURCE
#include "runtime/cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORDS = 200, LOOK_EVERY = 100 /* milliseconds */ };

typedef struct Watch {
    char file[PATH_MAX]; /* that is looked at */
    const char *name;    /* FILE[:MODEL] as given */
    int n_options, n_variables;
    const char *options[MOST_WORDS], *variables[MOST_WORDS];
    char picture[PATH_MAX];    /* "": in the terminal */
    unsigned long times;       /* so many runs; 0: until Ctrl-C */
    char folder[PATH_MAX / 2]; /* for results */
    char before[PATH_MAX], after[PATH_MAX];
    bool has_before;
    sigset_t
        signals; /* blocked, and taken where this program waits: it ends by itself, and tidies up */
    sigset_t signals_before;
    int asked_to_end; /* the signal, or 0 */
} Watch;

/* ---- signals ---- */

static void hold_signals(Watch *w)
{
    static const int all[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
    sigemptyset(&w->signals);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sigaddset(&w->signals, all[i]);
    sigprocmask(SIG_BLOCK, &w->signals, &w->signals_before);
}

/* A moment passes, or a signal comes: that of a child that ended, or one that asks for the end. */
static void wait_a_moment(Watch *w)
{
    const struct timespec moment = {.tv_nsec = LOOK_EVERY * 1000000L};
    int number = sigtimedwait(&w->signals, NULL, &moment);
    if (number > 0 && number != SIGCHLD)
        w->asked_to_end = number;
}

/* ---- this program once more ---- */

static int wait_for_child(Watch *w, pid_t child)
{
    int status = 0;
    bool told = false;
    for (;;) {
        pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SIGNAL;
        if (ended < 0 && errno != EINTR)
            return EXIT_IO;
        wait_a_moment(w);
        if (w->asked_to_end && !told)
            told = kill(child, w->asked_to_end) == 0;
    }
}

/* In the folder of results, or, NULL, here. */
static int run_self(Watch *w, const char *folder, const char *const *words)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &w->signals_before, NULL);
        if (folder && chdir(folder) != 0)
            _exit(EXIT_IO);
        execv("/proc/self/exe", (char *const *)words);
        _exit(EXIT_IO);
    }
    return child < 0 ? EXIT_IO : wait_for_child(w, child);
}

static int run_model(Watch *w)
{
    const char *words[MOST_WORDS + 8] = {"solstice", "run", w->name};
    int n = 3;
    for (int i = 0; i < w->n_options; i++)
        words[n++] = w->options[i];
    words[n++] = "--output";
    words[n++] = w->after;
    words[n] = NULL;
    return run_self(w, NULL, words);
}

/* Curves of the run before, if there is one, and of this one, in one plot. */
static void draw(Watch *w)
{
    const char *words[MOST_WORDS + 8] = {"solstice", "plot"};
    int n = 2;
    if (w->has_before)
        words[n++] = "before.solr"; /* names for the legend */
    words[n++] = "now.solr";
    for (int i = 0; i < w->n_variables; i++)
        words[n++] = w->variables[i];
    if (w->picture[0]) {
        words[n++] = "--output";
        words[n++] = w->picture;
    }
    words[n] = NULL;
    run_self(w, w->folder, words);
}

/* ---- looking ---- */

typedef struct Version {
    struct timespec changed;
    off_t size;
    ino_t inode; /* some editors write another file and rename it */
} Version;

static Version look(const char *file)
{
    struct stat s;
    if (stat(file, &s) != 0)
        return (Version){.size = -1};
    return (Version){s.st_mtim, s.st_size, s.st_ino};
}

static bool same(const Version *a, const Version *b)
{
    return a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec &&
           a->size == b->size && a->inode == b->inode;
}

/* Until the file is another one, and has been so for a moment: it may still be written. False: Ctrl-C. */
static bool wait_for_change(Watch *w, Version *seen)
{
    Version last = *seen;
    for (;;) {
        if (!w->asked_to_end)
            wait_a_moment(w);
        if (w->asked_to_end)
            return false;
        Version now = look(w->file);
        bool settled = same(&now, &last);
        last = now;
        if (settled && now.size > 0 && !same(&now, seen)) {
            *seen = now;
            return true;
        }
    }
}

static void run_once(Watch *w)
{
    char now[32];
    time_t clock = time(NULL);
    struct tm parts;
    strftime(now, sizeof now, "%H:%M:%S", localtime_r(&clock, &parts));
    printf("---- %s, %s\n", w->name, now);
    if (run_model(w) != EXIT_DONE)
        return; /* its messages were told; the curves of before stay */
    draw(w);
    w->has_before = rename(w->after, w->before) == 0;
}

static int watch(Watch *w)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(w->folder, sizeof w->folder, "%s/solstice-watch-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(w->folder)) {
        fprintf(stderr, "solstice: error: %s: %s\n", w->folder, strerror(errno));
        return EXIT_IO;
    }
    snprintf(w->before, sizeof w->before, "%s/before.solr", w->folder);
    snprintf(w->after, sizeof w->after, "%s/now.solr", w->folder);
    hold_signals(w);
    Version seen = look(w->file);
    for (unsigned long i = 1;; i++) {
        run_once(w);
        fflush(stdout);
        if (i == w->times || !wait_for_change(w, &seen))
            break;
    }
    sigprocmask(SIG_SETMASK, &w->signals_before, NULL);
    unlink(w->before);
    unlink(w->after);
    rmdir(w->folder);
    return EXIT_DONE;
}

/* ---- the command line ---- */

/* As an absolute path: it is drawn from elsewhere. */
static bool name_picture(Watch *w, const char *name)
{
    char here[PATH_MAX / 2];
    if (!name || !*name || !getcwd(here, sizeof here))
        return false;
    int n = snprintf(w->picture, sizeof w->picture, "%s%s%s", *name == '/' ? "" : here,
                     *name == '/' ? "" : "/", name);
    return n < (int)sizeof w->picture;
}

/* FILE, then options of `run` as they are, own ones taken out; behind "--" variables. */
static int read_words(Args *args, Watch *w)
{
    bool variables = false;
    for (const char *word; (word = args_next(args)) != NULL;) {
        if (variables && w->n_variables < MOST_WORDS)
            w->variables[w->n_variables++] = word;
        else if (strcmp(word, "--") == 0)
            variables = true;
        else if (strcmp(word, "--output") == 0)
            return args_fail(
                args, "results are kept for the next plot only; --picture FILE keeps the plot");
        else if (strcmp(word, "--picture") == 0) {
            if (!name_picture(w, args_next(args)))
                return args_fail(args, "--picture wants a file");
        } else if (strcmp(word, "--times") == 0) {
            const char *number = args_next(args);
            w->times = number ? strtoul(number, NULL, 10) : 0;
            if (!w->times)
                return args_fail(args, "--times wants a number from 1");
        } else if (!w->name && word[0] != '-')
            w->name = word;
        else if (w->n_options < MOST_WORDS)
            w->options[w->n_options++] = word;
    }
    return w->name ? EXIT_DONE : args_fail(args, "which file?");
}

static int run_watch(int argc, char **argv)
{
    Args args = args_begin(&cli_watch, argc, argv);
    const char *designator;
    Watch *w = calloc(1, sizeof *w);
    if (!w)
        return EXIT_IO;
    int code = read_words(&args, w);
    if (code == EXIT_DONE)
        code = cli_name_model(&args, w->name, w->file, &designator);
    if (code == EXIT_DONE && access(w->file, R_OK) != 0) {
        fprintf(stderr, "solstice: error: %s: %s\n", w->file, strerror(errno));
        code = EXIT_IO;
    }
    if (code == EXIT_DONE)
        code = watch(w);
    free(w);
    return code;
}

const Command cli_watch = {
    "watch",
    "runs a model again whenever its file is saved",
    "usage: solstice watch FILE[:MODEL] [options of 'run'] [-- VARIABLE...]\n\n"
    "Runs the model and draws it, as 'run' and 'plot' do, and does so again whenever FILE is "
    "saved,\n"
    "until Ctrl-C: the curves of the run before and those of the present one together, and "
    "messages\n"
    "above them. After a mistake the curves of before are kept for the next run. VARIABLES are "
    "named as\n"
    "for 'plot'; without any the states are drawn. Files that FILE imports are not looked at.\n\n"
    "  --picture FILE   the plot goes into FILE.svg or FILE.png, not to the terminal\n"
    "  --times N        ends after N runs\n\n"
    "example:\n"
    "  solstice watch Machine.sol --stop 10 -- engine.w load.w\n",
    run_watch,
};
