/* bench_frontend.c: a large generated text -> MB/s of parsing and of checking.
 *
 *     bench_frontend [MB]        default 20
 *
 * The text is a library as people write them: packages, connectors, models with parameters,
 * equations, branches and comments, indented. Parsing must reach 20 MB/s. Memory is given per byte
 * of text. */
#include "frontend/frontend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MEGABYTE = 1000000, ROUNDS = 3 };

static const char package_text[] =
    "package P%u\n"
    "  // Components of group %u.\n"
    "  define gravity as 9.81;\n"
    "  connector Flange\n"
    "  interface:\n"
    "    static potential Real position;\n"
    "    static flow Real force;\n"
    "  end Flange;\n"
    "  partial model TwoFlanges\n"
    "  interface:\n"
    "    static Flange left;\n"
    "    static Flange right;\n"
    "  implementation:\n"
    "    static Real elongation;\n"
    "    elongation = right.position - left.position;\n"
    "    left.force + right.force = 0;\n"
    "  end TwoFlanges;\n"
    "  model SpringDamper extends TwoFlanges;\n"
    "  interface:\n"
    "    parameter Real stiffness;\n"
    "    parameter Real damping << 0.5;\n"
    "  implementation:\n"
    "    static Real velocity;\n"
    "    velocity = der(x = elongation, start << 0);\n"
    "    right.force = stiffness*elongation + damping*velocity*abs(velocity);\n"
    "  end SpringDamper;\n"
    "  model Mass\n"
    "  interface:\n"
    "    parameter Real m;\n"
    "    static Flange f;\n"
    "  implementation:\n"
    "    static Real v;\n"
    "    static Boolean stuck;\n"
    "    if not stuck then\n"
    "      v = der(x = f.position);\n"
    "      m*der(x = v, start << 1.25e-3) = f.force - m*gravity;\n"
    "    else then\n"
    "      v = 0;\n"
    "      f.position = sin(2*3.14159*time + 0.25)^2/4;\n"
    "    end if;\n"
    "    when v < 0 and f.position <= -1.0 then\n"
    "      stuck << true;\n"
    "    end when;\n"
    "  end Mass;\n"
    "  model Chain\n"
    "  implementation:\n"
    "    static Mass first{m << 1.5};\n"
    "    static SpringDamper link{stiffness << 1000, damping << 2.0};\n"
    "    static Mass second{m << 2.5};\n"
    "    connection{a << first.f, b << link.left};\n"
    "    connection{a << link.right, b << second.f};\n"
    "    cout << first.f.position - second.f.position;\n"
    "  end Chain;\n"
    "end P%u;\n";

static char *generate(size_t wanted, size_t *length)
{
    char *text = malloc(wanted + 2 * sizeof package_text);
    *length = 0;
    for (unsigned i = 0; text && *length < wanted; i++)
        *length += (size_t)sprintf(text + *length, package_text, i, i, i);
    return text;
}

typedef struct Times {
    double parse, check;
    size_t parse_bytes, check_bytes;
    uint32_t definitions;
} Times;

/* Time of the processor, so that a busy machine does not count. */
static double cpu_now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static bool measure(const char *text, size_t length, Times *out)
{
    static const ProgramOptions options = {.max_definitions = 10000000,
                                           .max_statements = 100000000};
    Mem *mem = mem_open();
    Program *program = mem ? program_open(mem, &options) : NULL;
    double start = cpu_now();
    bool ok = program && program_load_text(program, "generated", text, length);
    double parsed = cpu_now();
    size_t parse_bytes = mem ? mem_used(mem) : 0;
    ok = ok && program_check(program);
    *out = (Times){parsed - start, cpu_now() - parsed, parse_bytes,
                   mem ? mem_used(mem) - parse_bytes : 0, program ? program_def_count(program) : 0};
    if (program && !ok)
        diags_print(program_diags(program), 0, stderr, false);
    program_close(program);
    mem_close(mem);
    return ok;
}

int main(int argc, char **argv)
{
    double megabytes = argc > 1 ? atof(argv[1]) : 20;
    size_t length;
    char *text = generate((size_t)(megabytes * MEGABYTE), &length);
    Times best = {.parse = 1e9, .check = 1e9}, now = {0};
    for (int i = 0; text && i < ROUNDS; i++) {
        if (!measure(text, length, &now))
            return 1;
        best.parse = now.parse < best.parse ? now.parse : best.parse;
        best.check = now.check < best.check ? now.check : best.check;
    }
    free(text);
    double mb = (double)length / MEGABYTE;
    printf("text %.1f MB, %u definitions\n", mb, now.definitions);
    printf("parse %.1f MB/s, %.1f bytes of memory per byte of text\n", mb / best.parse,
           (double)now.parse_bytes / (double)length);
    printf("check %.1f MB/s, %.1f bytes of memory per byte of text\n", mb / best.check,
           (double)now.check_bytes / (double)length);
    if (mb / best.parse < 20)
        puts("parsing is slower than 20 MB/s");
    return 0;
}
