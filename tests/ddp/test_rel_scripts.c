/* every tests/ddp/NAME.rel -> one test: its expectations, and the oracle after each commit. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/rel_lab.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCRIPTS = 200 };

static void run_script(void **state)
{
    const char *name = *state;
    char path[600], line[2000];
    Mem *mem = mem_open();
    Lab *lab = lab_open(mem);

    snprintf(path, sizeof path, "%s/tests/ddp/%s", SOLSTICE_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    unsigned faults = 0, expected = 0;
    for (unsigned number = 1; fgets(line, sizeof line, file); number++) {
        expected += strncmp(line, "expect", 6) == 0;
        LabResult result = lab_line(lab, line);
        if (result == LAB_DONE)
            continue;
        faults++;
        fprintf(stderr, "tests/ddp/%s:%u: error: %s\n", name, number,
                lab->message[0] ? lab->message : "malformed line");
    }
    fclose(file);
    bool verified = lab->counts.commits > 0;
    lab_close(lab);
    mem_close(mem);
    assert_int_equal(faults, 0);
    assert_true(verified && expected > 0);
}

static int is_script(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 4 && strcmp(entry->d_name + n - 4, ".rel") == 0;
}

int main(int argc, char **argv)
{
    static struct CMUnitTest tests[SCRIPTS];
    struct dirent **list;
    size_t n_tests = 0;
    int n = scandir(SOLSTICE_SOURCE_DIR "/tests/ddp", &list, is_script, alphasort);

    for (int i = 0; i < n && n_tests < SCRIPTS; i++) {
        if (argc > 1 && strcmp(argv[1], list[i]->d_name) != 0)
            continue;
        tests[n_tests++] =
            (struct CMUnitTest){list[i]->d_name, run_script, NULL, NULL, list[i]->d_name};
    }
    if (n_tests == 0) {
        fprintf(stderr, "no scripts in tests/ddp\n");
        return 1;
    }
    return _cmocka_run_group_tests("scripts", tests, n_tests, NULL, NULL);
}
