/* script files (*.rel) -> messages file:line, exit status 1 if any expectation failed. */
#include "tests/support/rel_lab.h"

#include <stdio.h>

static bool run_file(const char *path)
{
    char line[2000];
    Mem *mem = mem_open();
    Lab *lab = lab_open(mem);
    FILE *file = fopen(path, "r");
    bool good = file != NULL;

    if (!file)
        fprintf(stderr, "%s: error: can not be read\n", path);
    for (unsigned number = 1; file && fgets(line, sizeof line, file); number++) {
        if (lab_line(lab, line) == LAB_DONE)
            continue;
        good = false;
        fprintf(stderr, "%s:%u: error: %s\n", path, number,
                lab->message[0] ? lab->message : "malformed line");
    }
    if (file)
        fclose(file);
    lab_close(lab);
    mem_close(mem);
    return good;
}

int main(int argc, char **argv)
{
    bool good = true;

    for (int i = 1; i < argc; i++)
        good &= run_file(argv[i]);
    return good ? 0 : 1;
}
