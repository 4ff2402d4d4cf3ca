/* seed -> random systems under random changes, each commit held against the oracle.
 *
 *     ddp_random --seed S --changes N [--size K] [--index I] [--case C] [--dir D] [--print]
 *     ddp_random --soak SHARE --changes N [--size K] [--index I]
 *
 * Changes come in cases of 40, each a script of its own and run in a process of its own, so that a
 * broken invariant that aborts is a failure like others. A failing script is cut down line by line
 * as long as it fails, printed, and with --dir also written to a file. --case runs a single case
 * again. The last line counts changes that passed and cases that failed; after ten of those it ends.
 * With --soak, seeds and number of cases are those of tests/support/soak.h, and SHARE is its part of the
 * time.
 */
#include "tests/support/rel_lab.h"
#include "tests/support/rel_random.h"
#include "tests/support/soak.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CASE = 40, MOST_FAILURES = 10, SECONDS = 20 };

typedef struct Outcome {
    bool failed;
    LabCounts counts;
    char message[600];
} Outcome;

typedef struct Options {
    RandomSettings set;
    uint64_t changes;
    int64_t only; /* case, or -1 */
    const char *dir;
    bool print;
    double soak; /* share of the time, or 0 */
} Options;

typedef struct Sum {
    LabCounts counts;
    uint64_t passed, failed; /* changes, cases */
} Sum;

/* ---- one script, in this process and in one of its own ---- */

static Outcome run_here(const ScriptLines *lines)
{
    Outcome out = {0};
    Mem *mem = mem_open();
    Lab *lab = lab_open(mem);

    for (uint32_t i = 0; i < lines->n && !out.failed; i++) {
        if (!lines->at[i])
            continue;
        if (lab_line(lab, lines->at[i]) == LAB_FAILED) {
            out.failed = true;
            snprintf(out.message, sizeof out.message, "%.590s", lab->message);
        }
    }
    out.counts = lab->counts;
    lab_close(lab);
    mem_close(mem);
    return out;
}

static void describe_end(Outcome *out, int status)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    out->failed = true;
    if (WIFSIGNALED(status))
        snprintf(out->message, sizeof out->message, "ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(out->message, sizeof out->message, "ended with status %d", WEXITSTATUS(status));
}

static Outcome run_apart(const ScriptLines *lines, bool quiet)
{
    Outcome out = {0};
    int ends[2], status = 0;

    fflush(NULL);
    if (pipe(ends) != 0) {
        perror("pipe");
        exit(2);
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        if (quiet && !freopen("/dev/null", "w", stderr))
            _exit(3);
        alarm(SECONDS);
        out = run_here(lines);
        ssize_t n = write(ends[1], &out, sizeof out);
        _exit(n == sizeof out ? 0 : 3);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &out, sizeof out) != sizeof out)
        memset(&out, 0, sizeof out);
    close(ends[0]);
    waitpid(child, &status, 0);
    describe_end(&out, status);
    return out;
}

/* ---- shrinking (delta debugging: Zeller and Hildebrandt, IEEE TSE 28, 2002) ---- */

static bool try_without(ScriptLines *lines, uint32_t from, uint32_t n)
{
    const char *kept[4096];
    bool any = false;

    for (uint32_t i = 0; i < n; i++) {
        kept[i] = lines->at[from + i];
        any |= kept[i] != NULL;
        lines->at[from + i] = NULL;
    }
    if (any && run_apart(lines, true).failed)
        return true;
    for (uint32_t i = 0; i < n; i++)
        lines->at[from + i] = kept[i];
    return false;
}

static void drop_gaps(ScriptLines *lines)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < lines->n; i++)
        if (lines->at[i])
            lines->at[n++] = lines->at[i];
    lines->n = n;
}

static void shrink(ScriptLines *lines)
{
    bool smaller = true;

    for (uint32_t chunk = lines->n / 2; chunk >= 1 && smaller; chunk = chunk > 1 ? chunk / 2 : 1) {
        smaller = chunk > 1;
        for (uint32_t from = 0; from < lines->n; from += chunk) {
            uint32_t n = lines->n - from < chunk ? lines->n - from : chunk;
            smaller |= n <= 4096 && try_without(lines, from, n);
        }
        drop_gaps(lines);
    }
}

/* ---- reports ---- */

static void write_script(FILE *file, const ScriptLines *lines, const Options *opt, uint64_t number,
                         const char *message)
{
    fprintf(file, "# ddp_random --seed %llu --size %u --index %u --case %llu\n# %s\n",
            (unsigned long long)opt->set.seed, opt->set.size, opt->set.index,
            (unsigned long long)number, message);
    for (uint32_t i = 0; i < lines->n; i++)
        if (lines->at[i])
            fprintf(file, "%s\n", lines->at[i]);
}

static void report(const Options *opt, ScriptLines *lines, uint64_t number)
{
    shrink(lines);
    Outcome out = run_apart(lines, false);
    printf("FAILED case %llu: %s\n", (unsigned long long)number, out.message);
    write_script(stdout, lines, opt, number, out.message);
    if (opt->dir) {
        char path[600];
        snprintf(path, sizeof path, "%s/seed%llu_size%u_index%u_case%llu.rel", opt->dir,
                 (unsigned long long)opt->set.seed, opt->set.size, opt->set.index,
                 (unsigned long long)number);
        FILE *file = fopen(path, "w");
        if (file) {
            write_script(file, lines, opt, number, out.message);
            fclose(file);
        }
    }
}

static void add_counts(LabCounts *sum, const LabCounts *more)
{
    sum->commits += more->commits;
    sum->solved += more->solved;
    sum->redrawn += more->redrawn;
    sum->ill += more->ill;
    sum->astray += more->astray;
    sum->singular += more->singular;
    sum->advised += more->advised;
    sum->others += more->others;
    sum->states += more->states;
    sum->loops += more->loops;
    sum->differentiated += more->differentiated;
    sum->over += more->over;
    sum->under += more->under;
    sum->false_causal += more->false_causal;
    sum->moved += more->moved;
    sum->ended += more->ended;
    sum->begun += more->begun;
}

static void print_counts(const LabCounts *c)
{
#define COUNT(field) (unsigned long long)c->field
    printf("%llu commits: values compared in %llu, points redrawn %llu, given up in %llu "
           "(condition above 1e6), %llu (no convergence), %llu (singular); pivots advised against "
           "%llu, "
           "at another solution %llu\n"
           "with states %llu, loops %llu, differentiated equations %llu; "
           "overdetermined %llu, underdetermined %llu, falsely causal %llu\n"
           "deltas: nodes that only moved %llu, states ended %llu, begun %llu\n",
           COUNT(commits), COUNT(solved), COUNT(redrawn), COUNT(ill), COUNT(astray),
           COUNT(singular), COUNT(advised), COUNT(others), COUNT(states), COUNT(loops),
           COUNT(differentiated), COUNT(over), COUNT(under), COUNT(false_causal), COUNT(moved),
           COUNT(ended), COUNT(begun));
#undef COUNT
}

static bool run_case(const Options *opt, uint64_t number, LabCounts *counts)
{
    Mem *mem = mem_open();
    Arena arena;
    RandomSettings set = opt->set;

    arena_init(&arena, mem);
    set.seed = opt->set.seed * 1000003u + number;
    set.changes = CASE;
    ScriptLines lines = rel_random(&arena, &set);
    if (opt->print)
        write_script(stdout, &lines, opt, number, "as drawn");
    Outcome out = run_apart(&lines, true);
    add_counts(counts, &out.counts);
    if (out.failed)
        report(opt, &lines, number);
    vec_free(mem, &lines);
    arena_free(&arena);
    mem_close(mem);
    return !out.failed;
}

static bool parse_options(int argc, char **argv, Options *opt)
{
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--print") == 0)
            opt->print = true;
        else if (strcmp(argv[i], "--seed") == 0 && more)
            opt->set.seed = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--changes") == 0 && more)
            opt->changes = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--size") == 0 && more)
            opt->set.size = (uint32_t)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--index") == 0 && more)
            opt->set.index = (uint32_t)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--case") == 0 && more)
            opt->only = strtoll(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--dir") == 0 && more)
            opt->dir = argv[++i];
        else if (strcmp(argv[i], "--soak") == 0 && more)
            opt->soak = strtod(argv[++i], NULL);
        else
            return false;
    }
    return true;
}

static bool add_case(const Options *opt, uint64_t number, Sum *sum)
{
    bool good = run_case(opt, number, &sum->counts);

    sum->failed += !good;
    sum->passed += good ? CASE : 0;
    return good;
}

static void run_cases(const Options *opt, uint64_t cases, Sum *sum)
{
    if (opt->only >= 0) {
        add_case(opt, (uint64_t)opt->only, sum);
        return;
    }
    for (uint64_t i = 0; i < cases && sum->failed < MOST_FAILURES; i++)
        add_case(opt, i, sum);
}

/* Each seed stands for one case. */
static void run_soak(Options *opt, uint64_t cases, Sum *sum)
{
    char name[100];

    snprintf(name, sizeof name, "changes of systems of size %u, index %u", opt->set.size,
             opt->set.index);
    Soak soak = soak_begin(name, cases, opt->soak);
    while (sum->failed < MOST_FAILURES && soak_next(&soak)) {
        opt->set.seed = soak.seed;
        if (!add_case(opt, 0, sum))
            soak_failed(&soak);
    }
    soak_end(&soak);
}

int main(int argc, char **argv)
{
    Options opt = {.set = {.seed = 1, .size = 12, .index = 2}, .changes = 1000, .only = -1};
    Sum sum = {0};

    if (!parse_options(argc, argv, &opt)) {
        fprintf(stderr, "usage: ddp_random --seed S --changes N [--size K] [--index I] "
                        "[--case C] [--dir D] [--print] [--soak SHARE]\n");
        return 2;
    }
    uint64_t cases = (opt.changes + CASE - 1) / CASE;
    if (opt.soak > 0)
        run_soak(&opt, cases, &sum);
    else
        run_cases(&opt, cases, &sum);
    print_counts(&sum.counts);
    printf("%llu passed, %llu failed\n", (unsigned long long)sum.passed,
           (unsigned long long)sum.failed);
    return sum.failed ? 1 : 0;
}
