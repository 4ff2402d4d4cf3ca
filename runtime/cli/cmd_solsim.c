/* cmd_solsim.c: the commands of the first simulator for Sol -> sessions of this one.
 *
 * `solsim FILE SUB-COMMANDS`: sub-commands are carried out in order, from the command line or,
 * after -p, from a prompt. A simulation uses forward Euler with the step size of its -sim, and
 * several of them follow each other in time until -a activates a model anew. */
#include "runtime/cli/options.h"
#include "runtime/cli/session.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LINE = 4096, MAX_WORDS = 256, MAX_NAME = 1024 };

typedef struct Solsim {
    const char *file;
    char model[MAX_NAME]; /* "": the last top model */
    char output[MAX_NAME];
    uint64_t every; /* steps between two rows */
    char monitored[OPTION_TEXTS_MAX][MAX_NAME];
    const char *monitored_at[OPTION_TEXTS_MAX];
    uint32_t n_monitored;
    Job job; /* of the session */
    char options_text[128];
    Session *session; /* NULL: not simulated since the activation */
    double step;
    int code; /* first failure so far */
    bool quit;
} Solsim;

/* Words of a sub-command: from argv, or from a line of the prompt. */
typedef struct Words {
    uint32_t n, next;
    const char *at[MAX_WORDS];
} Words;

static void note(Solsim *s, int code)
{
    if (s->code == EXIT_DONE)
        s->code = code;
}

static void fail(Solsim *s, const char *what, const char *word)
{
    fprintf(stderr, "solsim: error: %s%s%s%s\n", what, *word ? " '" : "", word, *word ? "'" : "");
    note(s, EXIT_USAGE);
}

/* An operand of a sub-command, or NULL: the next word is a sub-command, or there is none. */
static const char *operand(Words *words)
{
    if (words->next == words->n)
        return NULL;
    const char *word = words->at[words->next];
    bool number = word[0] == '-' && word[1] >= '0' && word[1] <= '9';
    if (word[0] == '-' && word[1] && !number)
        return NULL;
    words->next++;
    return word;
}

static bool take_name(Solsim *s, Words *words, const char *what, char *to)
{
    const char *word = operand(words);
    if (!word || strlen(word) >= MAX_NAME) {
        fail(s, what, "");
        return false;
    }
    strcpy(to, word);
    return true;
}

static void end_session(Solsim *s)
{
    if (s->session)
        note(s, session_close(s->session, s->code));
    s->session = NULL;
}

/* ---- sub-commands ---- */

static void do_output(Solsim *s, Words *words)
{
    char name[MAX_NAME];
    if (!take_name(s, words, "-o wants the name of a file", name))
        return;
    if (strcmp(name, "ipc") == 0) {
        fail(s, "programs talk to a run by 'solstice live --socket': choose another output than",
             name);
        return;
    }
    end_session(s);
    strcpy(s->output, strcmp(name, "std") == 0 ? "-" : name);
    s->every = 1;
    const char *count = operand(words);
    if (count && (!option_parse_count(count, &s->every) || s->every == 0))
        fail(s, "-o wants a number of steps between two rows, not", count);
    if (s->every == 0)
        s->every = 1;
}

static void do_activate(Solsim *s, Words *words)
{
    end_session(s);
    take_name(s, words, "-a wants a model", s->model);
}

static void do_monitor(Solsim *s, Words *words)
{
    uint32_t n = s->n_monitored;
    if (n == OPTION_TEXTS_MAX) {
        fail(s, "too many monitored models", "");
        return;
    }
    if (!take_name(s, words, "-m wants a model", s->monitored[n]))
        return;
    end_session(s);
    s->monitored_at[n] = s->monitored[n];
    s->n_monitored = n + 1;
}

static void make_job(Solsim *s, double duration, double step)
{
    snprintf(s->options_text, sizeof s->options_text, "-sim %g %g", duration, step);
    s->step = step;
    s->job = (Job){.name = s->file,
                   .model = s->model[0] ? s->model : NULL,
                   .options = {.stop = duration,
                               .interval = step * (double)s->every,
                               .solver = SOL_SOLVER_EULER,
                               .step = step,
                               .n_monitored = s->n_monitored,
                               .monitored = s->monitored_at},
                   .output = s->output,
                   .csv = true,
                   .set = s->n_monitored ? RECORD_INTERFACE : RECORD_ALL,
                   .options_text = s->options_text};
}

static void do_simulate(Solsim *s, Words *words)
{
    const char *a = operand(words), *b = a ? operand(words) : NULL;
    double duration, step;
    if (!b || !option_parse_number(a, &duration) || !option_parse_number(b, &step) ||
        !(duration >= 0) || !(step > 0)) {
        fail(s, "-sim wants a duration and a step size above 0", "");
        return;
    }
    if (s->session && step != s->step) {
        fail(s, "a running simulation keeps its step size: activate the model again with -a", "");
        return;
    }
    if (!s->session) {
        make_job(s, duration, step);
        note(s, session_open(&s->job, &s->session));
    }
    if (s->session)
        note(s, session_advance(s->session, session_time(s->session) + duration));
}

static void do_graph(Solsim *s, char *option)
{
    char name[] = "graph", file[MAX_NAME];
    snprintf(file, sizeof file, "%s", s->file);
    char *argv[] = {name, file, option, NULL};
    note(s, cli_graph.run(3, argv));
}

static void carry_out(Solsim *s, Words *words)
{
    char types[] = "--types", packages[] = "--packages";
    const char *word = words->at[words->next++];
    if (strcmp(word, "-o") == 0)
        do_output(s, words);
    else if (strcmp(word, "-a") == 0)
        do_activate(s, words);
    else if (strcmp(word, "-m") == 0)
        do_monitor(s, words);
    else if (strcmp(word, "-sim") == 0)
        do_simulate(s, words);
    else if (strcmp(word, "-types") == 0)
        do_graph(s, types);
    else if (strcmp(word, "-struct") == 0)
        do_graph(s, packages);
    else if (strcmp(word, "-q") == 0)
        s->quit = true;
    else if (strcmp(word, "-c") == 0)
        fail(s, "programs talk to a run by 'solstice live --socket', not by", word);
    else
        fail(s, "unknown sub-command", word);
}

/* ---- the prompt ---- */

static void split_line(char *line, Words *words)
{
    static const char blanks[] = " \t\r\n";
    words->n = words->next = 0;
    for (char *at = line + strspn(line, blanks); *at && words->n < MAX_WORDS;
         at += strspn(at, blanks)) {
        char quote = *at == '"' ? *at++ : '\0';
        words->at[words->n++] = at;
        at += quote ? strcspn(at, "\"\n") : strcspn(at, blanks);
        if (*at)
            *at++ = '\0';
    }
}

/* A mistake at the prompt ends the line it stands in, not the session. */
static void read_prompt(Solsim *s)
{
    char line[MAX_LINE];
    Words words;
    bool terminal = isatty(STDIN_FILENO);
    while (!s->quit) {
        if (terminal) {
            fputs("solsim> ", stderr);
            fflush(stderr);
        }
        if (!fgets(line, sizeof line, stdin))
            break;
        int before = s->code;
        s->code = EXIT_DONE;
        split_line(line, &words);
        while (words.next < words.n && !s->quit && s->code == EXIT_DONE)
            carry_out(s, &words);
        if (!terminal)
            s->code = before != EXIT_DONE ? before : s->code;
    }
}

/* ---- the program ---- */

static void carry_out_all(Solsim *s, Words *words)
{
    while (words->next < words->n && !s->quit && s->code == EXIT_DONE) {
        if (strcmp(words->at[words->next], "-p") == 0) {
            words->next++;
            read_prompt(s);
            s->quit = false; /* -q quits the prompt */
        } else {
            carry_out(s, words);
        }
    }
}

static int run_solsim(int argc, char **argv)
{
    static const char usage[] = "'solsim --help' tells how it is used";
    Solsim s = {.every = 1, .output = "-"};
    Words words = {0};
    if (argc < 2 || argv[1][0] == '-' || argc - 2 > MAX_WORDS) {
        fprintf(stderr, "solsim: error: which file?\n%s\n", usage);
        return EXIT_USAGE;
    }
    s.file = argv[1];
    for (int i = 2; i < argc; i++)
        words.at[words.n++] = argv[i];
    carry_out_all(&s, &words);
    end_session(&s);
    return s.code;
}

const Command cli_solsim = {
    "solsim",
    "takes the commands of the first simulator for Sol",
    "usage: solsim FILE SUB-COMMANDS\n\n"
    "The sub-commands are carried out in order:\n"
    "  -a MODEL            activates a model; by default the last one at the top of the file\n"
    "  -o FILE [N]         output: .csv (also for unknown endings), .mat or .solr; 'std' is\n"
    "                      standard output; a row after every N steps\n"
    "  -m MODEL            monitors all instances of MODEL: only the interfaces of these and of "
    "the\n"
    "                      active model are written\n"
    "  -sim DURATION STEP  simulates with forward Euler; the next -sim goes on from there\n"
    "  -types, -struct     graphs of types and of packages, in the language of dot\n"
    "  -p, -q              opens a prompt for sub-commands; quits it\n\n"
    "example:\n"
    "  solsim Electric.sol -a Electric.Examples.HWRLI -o out.dat -sim 0.1 0.0001\n\n"
    "`solstice run` has better solvers; this is for what was written for the old program.\n",
    run_solsim,
};
