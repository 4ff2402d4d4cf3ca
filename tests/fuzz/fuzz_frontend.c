/* fuzz_frontend.c: any bytes -> definitions, pictures of them, and back to nothing. */
#include "frontend/frontend.h"
#include "frontend/graph.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a Program promises whatever the text was. */
static void verify(Program *program, const Def *def)
{
    const Diags *diags = program_diags(program);
    if (diags->errors && !diags->list.n)
        abort(); /* an error without a message */
    if (def && program_ok(program) && !def->body)
        abort(); /* F1 of definition.h */
}

static void read_text(Mem *mem, const uint8_t *data, size_t size)
{
    ProgramOptions options = {.max_depth = 100, .max_definitions = 2000, .max_statements = 50000};
    Program *program = program_open(mem, &options);
    if (!program)
        return;
    if (program_load_text(program, "fuzz", (const char *)data, size)) {
        bool checked = program_check(program);
        verify(program, program_find(program, NULL));
        FILE *out = checked ? fopen("/dev/null", "w") : NULL;
        if (out) {
            graph_types(program, out);
            graph_packages(program, out);
            fclose(out);
        }
    }
    verify(program, NULL);
    program_close(program);
    if (mem_used(mem))
        abort(); /* closing forgot something */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Mem *mem = mem_open();
    if (!mem)
        return 0;
    read_text(mem, data, size);
    mem_close(mem);
    return 0;
}
