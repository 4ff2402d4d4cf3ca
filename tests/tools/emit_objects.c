/* emit_objects.c: TRIPLE CPU FEATURES FOLDER -> object files with code for that machine.
 *
 * What the engine makes of shapes: all operations, kinds, layouts, tiers, foreign functions, each
 * as an object of its own, for whoever wants to see whether they can be linked there. The module
 * used is the one with LLVM's shared library, which has code generators for all machines. */
#include "jit/backend.h"
#include "tests/support/random_x.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef JitRefusal (*OpenFor)(Backend *, const char *triple, const char *cpu, const char *features);

enum { READ = 6, EXPRESSIONS = 8, FUNCTION = 5 };

typedef struct Emit {
    Backend backend;
    const char *folder;
    Shapes *shapes;
    uint32_t n; /* objects so far */
} Emit;

static void fail(const char *what)
{
    fprintf(stderr, "emit_objects: %s\n", what);
    exit(1);
}

static void write_object(Emit *e, const BackendJob *job)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.o", e->folder, job->name);
    e->n++;
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(job->object, 1, job->size, file) != job->size || fclose(file) != 0)
        fail("an object cannot be written");
}

static void emit(Emit *e, const ShapeUse *use, JitKind kind, JitLayout layout, JitTier tier)
{
    char name[16];
    snprintf(name, sizeof name, "f%u", e->n);
    BackendJob job = {.shape = use->shape,
                      .kind = kind,
                      .layout = layout,
                      .slots = layout == JIT_FIXED ? use->slots : NULL,
                      .constants = use->constants,
                      .name = name};
    e->backend.compile(e->backend.state, 1, &job, tier);
    if (job.refusal != JIT_ACCEPTED)
        fail("a function was refused");
    write_object(e, &job);
}

static void emit_all(Emit *e, const ShapeUse *use)
{
    for (JitTier tier = JIT_QUICK; tier <= JIT_OPTIMISED; tier++)
        for (JitKind kind = JIT_VALUE; kind <= JIT_TANGENT; kind++)
            for (JitLayout layout = JIT_SINGLE; layout <= JIT_FIXED; layout++)
                emit(e, use, kind, layout, tier);
}

/* The function that expressions call takes reals and integers in turn, and is called directly. */
static bool callee(void *context, uint32_t function, uint32_t n, ShapeCallee *c)
{
    (void)context, (void)function;
    *c = (ShapeCallee){.out = SHAPE_INTEGER, .derivative = SHAPE_BY_DIFFERENCES};
    for (uint32_t i = 0; i < n; i++)
        c->in[i] = i % 2 ? SHAPE_INTEGER : SHAPE_REAL;
    return true;
}

static void emit_expressions(Emit *e, FormTable *forms)
{
    static const uint32_t vars[] = {0, 1, 2, 3, 4, 5};
    Rng rng = {7};
    for (uint32_t i = 0; i < EXPRESSIONS; i++) {
        ShapeItem item = {READ, random_x(forms, &rng, RANDOM_ANY, 20, READ, FUNCTION), vars};
        ShapeUse use = shape_of(e->shapes, 1, &item, NULL);
        emit_all(e, &use);
    }
}

int main(int argc, char **argv)
{
    Emit e = {.folder = argc == 5 ? argv[4] : NULL};
    OpenFor open = NULL;
    if (!e.folder)
        fail("TRIPLE CPU FEATURES FOLDER");
    void *module = dlopen(SOLSTICE_BINARY_DIR "/solstice_llvm_shared.so", RTLD_NOW);
    if (module)
        *(void **)&open = dlsym(module, "solstice_backend_open_for");
    if (!open)
        fail("the module cannot be loaded");
    JitRefusal why = open(&e.backend, argv[1], argv[2], argv[3]);
    if (why != JIT_ACCEPTED) {
        fprintf(stderr, "emit_objects: %s\n", e.backend.last_words(NULL));
        return 1;
    }
    Mem *mem = mem_open();
    FormTable *forms = forms_open(mem);
    e.shapes = shapes_open(mem, forms);
    shapes_callees(e.shapes, callee, NULL);
    emit_expressions(&e, forms);
    shapes_close(e.shapes);
    forms_close(forms);
    mem_close(mem);
    e.backend.close(e.backend.state);
    printf("%u objects\n", e.n);
    return 0;
}
