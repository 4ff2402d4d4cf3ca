/* cmd_linearize.c: `solstice linearize`: a model and a time -> its linear model there. */
#include "runtime/cli/linear_files.h"
#include "runtime/cli/show_at.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Linearize {
    OptionTexts in, out;
    const char *output, *plot;
    double time;
    OptionNumber every;
    LinearCourse course;
    size_t room; /* of the course */
    int code;    /* of what is no matter of the model */
    SolVar in_var[OPTION_TEXTS_MAX], out_var[OPTION_TEXTS_MAX];
} Linearize;

static bool find_all(Linearize *job, const Sol *sim, const OptionTexts *texts, SolVar *vars)
{
    for (uint32_t i = 0; i < texts->n; i++) {
        vars[i] = sol_find(sim, texts->at[i]);
        if (vars[i])
            continue;
        fprintf(stderr, "solstice linearize: no variable '%s' at time %.10g\n", texts->at[i],
                job->time);
        job->code = EXIT_USAGE;
        return false;
    }
    return true;
}

/* Paths of the states, in one block behind their pointers; NULL: no memory. */
static const char **state_names(const Sol *sim, const SolLinearized *l)
{
    enum { LONGEST = 256 };
    const char **names = malloc((l->n + 1) * (sizeof *names + LONGEST));
    char *text = names ? (char *)(names + l->n + 1) : NULL;
    for (uint32_t i = 0; names && i < l->n; i++) {
        names[i] = text + (size_t)i * LONGEST;
        sol_var_path(sim, l->states[i], text + (size_t)i * LONGEST, LONGEST);
    }
    return names;
}

static void tell_failed(Linearize *job, const char *path)
{
    fprintf(stderr, "solstice: error: %s: %s\n", path, strerror(errno));
    job->code = EXIT_IO;
}

static void write_all(Linearize *job, const SolLinearized *l, const LinearNames *names)
{
    const char *failed = NULL;
    if (job->output && !linear_write(l, names, job->output))
        failed = job->output;
    else if (job->plot && !linear_draw(l, names, job->plot))
        failed = job->plot;
    if (failed)
        tell_failed(job, failed);
    linear_print(l, names, stdout);
    if (fflush(stdout) != 0)
        job->code = EXIT_IO;
}

/* ---- over time ---- */

static bool make_room(LinearCourse *c, size_t *room, uint32_t more)
{
    if (c->n + more <= *room)
        return true;
    size_t size = 2 * *room + more;
    double *time = realloc(c->time, size * sizeof *time);
    c->time = time ? time : c->time;
    double *re = realloc(c->re, size * sizeof *re);
    c->re = re ? re : c->re;
    double *im = realloc(c->im, size * sizeof *im);
    c->im = im ? im : c->im;
    uint32_t *number = realloc(c->number, size * sizeof *number);
    c->number = number ? number : c->number;
    if (!time || !re || !im || !number)
        return false;
    *room = size;
    return true;
}

static SolStatus note_point(Linearize *job, Sol *sim, double time)
{
    SolLinearized l;
    LinearCourse *c = &job->course;
    SolStatus status = sol_linearize(sim, 0, NULL, 0, NULL, &l);
    if (status == SOL_OK && !make_room(c, &job->room, l.n))
        status = SOL_MEMORY;
    for (uint32_t i = 0; status == SOL_OK && i < l.n; i++, c->n++) {
        c->time[c->n] = time;
        c->re[c->n] = l.re[i];
        c->im[c->n] = l.im[i];
        c->number[c->n] = i + 1;
    }
    if (status == SOL_OK)
        linear_print_line(&l, time, stdout);
    sol_linearized_free(sim, &l);
    return status;
}

static SolStatus follow(void *context, Sol *sim)
{
    Linearize *job = context;
    double from = sol_time(sim), every = job->every.value;
    SolStatus status = SOL_OK;
    printf("%-12s  eigenvalues [1/s]\n", "time");
    for (uint64_t i = 0; status == SOL_OK && from + i * every <= job->time * (1 + 1e-12); i++) {
        double time = fmin(from + i * every, job->time);
        if (i)
            status = sol_run_to(sim, time);
        if (status == SOL_OK)
            status = note_point(job, sim, time);
    }
    const char *failed = NULL;
    if (status == SOL_OK && job->output && !linear_write_course(&job->course, job->output))
        failed = job->output;
    else if (status == SOL_OK && job->plot && !linear_draw_course(&job->course, job->plot))
        failed = job->plot;
    if (failed)
        tell_failed(job, failed);
    return status;
}

/* ---- at one point ---- */

static SolStatus linearize(void *context, Sol *sim)
{
    Linearize *job = context;
    SolLinearized l;
    if (!find_all(job, sim, &job->in, job->in_var) || !find_all(job, sim, &job->out, job->out_var))
        return SOL_OK;
    SolStatus status = sol_linearize(sim, job->in.n, job->in_var, job->out.n, job->out_var, &l);
    const char **states = status == SOL_OK ? state_names(sim, &l) : NULL;
    if (states) {
        LinearNames names = {states, (const char **)job->in.at, (const char **)job->out.at,
                             job->time};
        write_all(job, &l, &names);
    }
    free(states);
    sol_linearized_free(sim, &l);
    return status;
}

static int check(const Args *args, const Linearize *job)
{
    if (job->output && !linear_has_format(job->output, ".csv") &&
        !linear_has_format(job->output, ".mat"))
        return args_fail(args, "--output wants a name that ends with .csv or .mat");
    if (job->plot && !linear_has_format(job->plot, ".svg"))
        return args_fail(args, "--plot wants a name that ends with .svg");
    if (!job->every.given)
        return EXIT_DONE;
    if (!(job->every.value > 0))
        return args_fail(args, "--every wants a positive number");
    if (!(job->time > 0))
        return args_fail(args, "--every wants --at behind the start: how far");
    if (job->in.n || job->out.n || (job->output && !linear_has_format(job->output, ".csv")))
        return args_fail(args, "--every shows eigenvalues alone: no --in, no --out, no .mat");
    return EXIT_DONE;
}

static int run_linearize(int argc, char **argv)
{
    enum { OWN = 5 };
    Args args = args_begin(&cli_linearize, argc, argv);
    CliFolders folders = {0};
    const char *name;
    ShowAt at = {0};
    static const Linearize nothing;
    Linearize job = nothing;
    Option options[SHOW_AT_OPTIONS + OWN] = {{"--in", OPTION_TEXTS, &job.in, NULL, false},
                                             {"--out", OPTION_TEXTS, &job.out, NULL, false},
                                             {"--output", OPTION_TEXT, &job.output, NULL, false},
                                             {"--plot", OPTION_TEXT, &job.plot, NULL, false},
                                             {"--every", OPTION_NUMBER, &job.every, NULL, false}};
    show_at_table(&at, options + OWN);
    int code = options_read_file(&args, SHOW_AT_OPTIONS + OWN, options, &folders, &name);
    at.time.given = true; /* the start, where nothing is said */
    if (code == EXIT_DONE)
        code = show_at_check(&args, &at);
    job.time = at.time.value;
    if (code == EXIT_DONE)
        code = check(&args, &job);
    if (code != EXIT_DONE)
        return code;
    if (job.every.given) {
        at.until = job.time;
        at.time.value = 0;
    }
    code =
        show_at_with(&args, name, &folders, &at, job.every.given ? follow : linearize, &job, false);
    free(job.course.time);
    free(job.course.re);
    free(job.course.im);
    free(job.course.number);
    return code == EXIT_DONE ? job.code : code;
}

const Command cli_linearize = {
    "linearize",
    "the linear model around a point of time: A, B, C, D, eigenvalues",
    "usage: solstice linearize FILE[:MODEL] [--at T] [--in PATH]... [--out PATH]... [--every DT]\n"
    "                          [--output FILE.csv|.mat] [--plot FILE.svg] [options of the run]\n\n"
    "Runs the model to time T (0 unless given) and prints der(x) = A x + B u, y = C x + D u "
    "around\n"
    "the point that it has reached, in the structure that is there behind the events at T, and "
    "the\n"
    "eigenvalues of A with their time constants, frequencies and damping, the states that take\n"
    "part in each, and the longest steps with which the solvers are stable. x are the states.\n\n"
    "  --at T             where\n"
    "  --in PATH          an input: a Real parameter, or a variable that is held; several in "
    "order\n"
    "  --out PATH         an output: any Real variable; several in order\n"
    "  --output FILE      all matrices, as table of matrix, row, column, value (.csv), or for\n"
    "                     Matlab and its like (.mat: A, B, C, D, eigenvalues, xNames, uNames, "
    "yNames)\n"
    "  --plot FILE.svg    the eigenvalues in the complex plane\n"
    "  --every DT         the eigenvalues alone, from the start to T at intervals DT\n"
    "  --set PATH=VALUE   a parameter, or the start value of a variable\n"
    "  --solver, --rtol, --atol, --step, --max-step, --max-order, --linear, --seed, --max-events,\n"
    "  --max-updates      of the run, as for 'solstice run'\n"
    "  -L DIR             look for packages that the file does not define in DIR too\n",
    run_linearize,
};
