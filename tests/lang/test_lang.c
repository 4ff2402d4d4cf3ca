/* test_lang.c: each file of good/ and bad/ -> the messages it gives, compared with those it
 * expects.
 *
 * A file says in lines that begin with `//!` what must come out, all of it and nothing else:
 *
 *     //! mode: check               what is done with it (see modes[]); check when left out
 *     //! model: Examples.Machine   which model, for modes that want one; the last one when left
 * out
 *     //! 4:7: error: text          a message; the place counts lines from the top of the file,
 * these included
 *     //! -: error: text            a message without a place
 *
 * Files in bad/ must give at least one error, files in good/ none (they may expect warnings). */
#include "frontend/first_mode.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_FILES = 1000, LINE = 2000 };

typedef struct LangFile {
    char path[600];
    char mode[32], model[200];
    char *expected, *actual; /* one message a line */
    bool bad;
} LangFile;

/* ---- what can be done with a file ---- */

static void run_check(Mem *mem, Program *program, const LangFile *file)
{
    (void)mem;
    if (program_check(program) && file->model[0])
        program_find(program, file->model);
}

/* Creates the instances of the first mode and judges its structure. */
static void run_instantiate(Mem *mem, Program *program, const LangFile *file)
{
    if (!program_check(program))
        return;
    Def *top = program_find(program, file->model);
    FirstMode *mode = first_mode_open(mem, program, NULL);
    assert_non_null(top);
    assert_non_null(mode);
    if (first_mode_run(mode, top)) {
        DdpResult result = first_mode_result(mode);
        world_report(first_mode_world(mode), &result);
    }
    first_mode_close(mode);
}

static const struct Mode {
    const char *name;
    void (*run)(Mem *mem, Program *program, const LangFile *file);
} modes[] = {
    {"check", run_check},
    {"instantiate", run_instantiate},
};

static void run_mode(Mem *mem, Program *program, const LangFile *file)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(modes[i].name, file->mode) == 0) {
            modes[i].run(mem, program, file);
            return;
        }
    fail_msg("%s: unknown mode '%s'", file->path, file->mode);
}

/* ---- expected and actual ---- */

static void add_line(char **text, const char *line)
{
    size_t before = *text ? strlen(*text) : 0;
    *text = realloc(*text, before + strlen(line) + 2);
    assert_non_null(*text);
    sprintf(*text + before, "%s\n", line);
}

static void read_expectation(LangFile *file, char *line)
{
    line[strcspn(line, "\r\n")] = '\0';
    if (sscanf(line, "mode: %31s", file->mode) != 1 &&
        sscanf(line, "model: %199s", file->model) != 1)
        add_line(&file->expected, line);
}

static void read_expectations(LangFile *file)
{
    FILE *in = fopen(file->path, "rb");
    char line[LINE];
    assert_non_null(in);
    strcpy(file->mode, "check");
    file->expected = calloc(1, 1);
    file->actual = calloc(1, 1);
    while (fgets(line, sizeof line, in))
        if (strncmp(line, "//! ", 4) == 0)
            read_expectation(file, line + 4);
    fclose(in);
}

static void collect_messages(LangFile *file, const Diags *diags)
{
    static const char *const severities[] = {"error", "warning", "note"};
    char line[LINE];
    for (uint32_t i = 0; i < diags->list.n; i++) {
        const Message *m = &diags->list.at[i];
        Location at = source_locate(diags->sources, m->at);
        if (m->at)
            snprintf(line, sizeof line, "%u:%u: %s: %s", at.line, at.column,
                     severities[m->severity], m->text);
        else
            snprintf(line, sizeof line, "-: %s: %s", severities[m->severity], m->text);
        add_line(&file->actual, line);
    }
}

static void test_file(void **state)
{
    LangFile *file = *state;
    read_expectations(file);
    Mem *mem = mem_open();
    Program *program = program_open(mem, NULL);
    assert_non_null(program);
    if (program_load(program, file->path))
        run_mode(mem, program, file);
    bool wrong = !program_ok(program);
    collect_messages(file, program_diags(program));
    program_close(program);
    assert_int_equal(mem_used(mem), 0);
    mem_close(mem);
    if (strcmp(file->expected, file->actual) != 0)
        print_error("%s\n-- expected\n%s-- found\n%s", file->path, file->expected, file->actual);
    assert_string_equal(file->expected, file->actual);
    assert_int_equal(wrong, file->bad);
    free(file->expected);
    free(file->actual);
}

/* ---- all files ---- */

static LangFile files[MAX_FILES];
static struct CMUnitTest tests[MAX_FILES];
static size_t n_files;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const LangFile *)a)->path, ((const LangFile *)b)->path);
}

static size_t list_files(const char *folder, bool bad)
{
    char path[300];
    size_t before = n_files;
    snprintf(path, sizeof path, "%s/tests/lang/%s", SOLSTICE_SOURCE_DIR, folder);
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir)) && n_files < MAX_FILES;) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".sol") != 0)
            continue;
        LangFile *file = &files[n_files++];
        snprintf(file->path, sizeof file->path, "%s/%s", path, entry->d_name);
        file->bad = bad;
    }
    if (dir)
        closedir(dir);
    return n_files - before;
}

int main(void)
{
    size_t good = list_files("good", false), bad = list_files("bad", true);
    if (good < 10 || bad < 80) {
        fprintf(stderr, "only %zu good and %zu bad files found\n", good, bad);
        return 1;
    }
    qsort(files, n_files, sizeof *files, by_name);
    for (size_t i = 0; i < n_files; i++)
        tests[i] =
            (struct CMUnitTest){strrchr(files[i].path, '/') + 1, test_file, NULL, NULL, &files[i]};
    return _cmocka_run_group_tests("lang", tests, n_files, NULL, NULL);
}
