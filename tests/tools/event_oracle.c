/* an event model in a file -> its updates by the rules, on standard output.
 *
 *     event_oracle FILE.sol [STOP]
 *
 * The interpreter of tests/support/event_rules.h: no run of the program is involved. */
#include "tests/support/event_rules.h"

#include <stdlib.h>

static char *read_all(const char *path)
{
    FILE *in = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    size_t n = in ? fread(text, 1, (1 << 20) - 1, in) : 0;
    if (in)
        fclose(in);
    text[n] = '\0';
    return text;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: event_oracle FILE.sol [STOP]\n");
        return 2;
    }
    char *text = read_all(argv[1]);
    EmModel *model = em_read(text, stderr);
    if (model) {
        ErRun *run = er_run(model, argc > 2 ? atof(argv[2]) : 10, 1000);
        er_print(run, stdout);
        er_free(run);
    }
    em_free(model);
    free(text);
    return model ? 0 : 1;
}
