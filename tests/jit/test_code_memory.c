/* test_code_memory.c: memory that code runs from: what is linked, who may write to it, fork(), and
 * how many mappings it takes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "jit/backend.h"
#include "jit/jit.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MODULE SOLSTICE_BINARY_DIR "/solstice_llvm.so"

enum { SHAPES = 300 };

typedef struct World {
    Mem *mem;
    FormTable *forms;
    Shapes *shapes;
    JitEnv env;
    Jit *jit;
} World;

static int open_world(void **state)
{
    Mem *mem = mem_open();
    World *w = mem_alloc(mem, sizeof *w);
    w->mem = mem;
    w->forms = forms_open(mem);
    w->shapes = shapes_open(mem, w->forms);
    jit_env(&w->env, NULL, NULL);
    *state = w;
    return 0;
}

static int close_world(void **state)
{
    World *w = *state;
    Mem *mem = w->mem;
    jit_close(w->jit);
    shapes_close(w->shapes);
    forms_close(w->forms);
    mem_close(mem);
    return 0;
}

static void open_jit(World *w, JitOptions options)
{
    options.module = MODULE;
    w->jit = jit_open(&options);
    assert_non_null(w->jit);
}

/* Variable 1 := sqrt|sqrt|...| + x_0, n times nested: a shape of its own for each n. The absolute
 * value needs a constant of LLVM's, so objects have two sections. */
static const Shape *shape(World *w, uint32_t n)
{
    static const uint32_t vars[] = {0};
    X p = x_pos(w->forms, 0), x = p;
    for (uint32_t i = 0; i < n; i++)
        x = x_binary(w->forms, i % 3 ? X_ADD : X_MUL,
                     x_unary(w->forms, X_SQRT, x_unary(w->forms, X_ABS, x)), p);
    ShapeItem item = {1, x, vars};
    return shape_of(w->shapes, 1, &item, NULL).shape;
}

static double expected(uint32_t n, double p)
{
    double x = p;
    for (uint32_t i = 0; i < n; i++)
        x = i % 3 ? __builtin_sqrt(x) + p : __builtin_sqrt(x) * p;
    return x;
}

static JitEntry *request(World *w, uint32_t n)
{
    JitEntry *entry = jit_request(w->jit, &(JitRequest){.shape = shape(w, n)});
    assert_non_null(entry);
    return entry;
}

static bool is_right(World *w, JitValueFn f, uint32_t n)
{
    uint32_t slots[] = {0, 1};
    double values[] = {1.7, 0};
    f(values, slots, NULL, &w->env);
    return values[1] == expected(n, 1.7);
}

/* ---- what is linked ---- */

static size_t read_object(char *bytes, size_t room)
{
    FILE *file = fopen(SOLSTICE_JUMPS_OBJECT, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, room, file);
    fclose(file);
    assert_true(size > 0 && size < room);
    return size;
}

/* A section that is not code has relocations, and they are not for a debugger. */
static bool refers_to_code(const char *object)
{
    const Elf64_Ehdr *head = (const void *)object;
    const Elf64_Shdr *section = (const void *)(object + head->e_shoff);
    for (uint32_t i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *to = &section[section[i].sh_info];
        if (section[i].sh_type == SHT_RELA && section[i].sh_info < head->e_shnum &&
            (to->sh_flags & SHF_ALLOC) && !(to->sh_flags & SHF_EXECINSTR) &&
            strcmp(object + section[head->e_shstrndx].sh_offset + to->sh_name, ".eh_frame") != 0)
            return true;
    }
    return false;
}

static BackendLinker open_linker(void)
{
    BackendLinker linker = {0};
    LinkerOpen open;
    void *module = dlopen(SOLSTICE_BINARY_DIR "/" LINKER_FILE, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(module);
    *(void **)&open = dlsym(module, LINKER_SYMBOL);
    assert_non_null(open);
    assert_int_equal(open(&linker, false), JIT_ACCEPTED);
    return linker;
}

static void check_jumps(double (*jumps)(double, int))
{
    static const double right[] = {3, 4, 1, 0.5, -3.5, 2, 8, 0};
    for (int i = 0; i < 8; i++)
        assert_true(jumps(2, i) == right[i]);
}

static void an_object_with_a_jump_table(void **state)
{
    (void)state;
    static char object[1 << 16];
    size_t size = read_object(object, sizeof object);
    assert_true(refers_to_code(object));
    BackendLinker b = open_linker();
    BackendSymbol symbols[] = {{.name = "jumps"}, {.name = "calls"}, {.name = "absent"}};
    BackendModule *module = b.link(b.state, object, size);
    assert_non_null(module);
    b.find(b.state, module, 3, symbols);
    assert_non_null(symbols[0].at);
    assert_null(symbols[2].at);
    check_jumps((double (*)(double, int))symbols[0].at);
    double (*calls)(double, int) = (double (*)(double, int))symbols[1].at;
    assert_true(calls(3, 0) == 6 && calls(3, 1) == 1.5);
    b.drop(b.state, module);
    b.close(b.state);
}

/* The same names again while the first are in use, and once more when they have gone. */
static void an_object_that_is_linked_twice(void **state)
{
    (void)state;
    static char object[1 << 16];
    size_t size = read_object(object, sizeof object);
    BackendLinker b = open_linker();
    BackendModule *module[3];
    BackendSymbol symbol[3];
    for (uint32_t i = 0; i < 3; i++) {
        symbol[i].name = "jumps";
        module[i] = b.link(b.state, object, size);
        assert_non_null(module[i]);
        b.find(b.state, module[i], 1, &symbol[i]);
        check_jumps((double (*)(double, int))symbol[i].at);
        if (i == 1)
            b.drop(b.state, module[0]);
    }
    assert_ptr_not_equal(symbol[0].at, symbol[1].at);
    assert_ptr_not_equal(symbol[1].at, symbol[2].at);
    check_jumps((double (*)(double, int))symbol[1].at);
    b.close(b.state);
}

static void what_is_no_object_is_refused(void **state)
{
    (void)state;
    static char object[1 << 16];
    size_t size = read_object(object, sizeof object);
    BackendLinker b = open_linker();
    BackendSymbol symbol = {.name = "jumps"};
    BackendModule *module = b.link(b.state, "this is no object", 17);
    if (module)
        b.find(b.state, module, 1, &symbol);
    assert_null(symbol.at);
    assert_true(strlen(b.last_words(b.state)) > 0);
    module = b.link(b.state, object, size); /* and the next is fine */
    b.find(b.state, module, 1, &symbol);
    check_jumps((double (*)(double, int))symbol.at);
    b.close(b.state);
}

/* ---- who may write ---- */

typedef struct Mapping {
    uintptr_t from, to;
    char rights[8]; /* as in "r-xp" */
    unsigned long inode;
} Mapping;

static bool next_mapping(FILE *maps, Mapping *m)
{
    char line[1024];
    unsigned long from, to;
    if (!fgets(line, sizeof line, maps))
        return false;
    assert_int_equal(sscanf(line, "%lx-%lx %7s %*x %*s %lu", &from, &to, m->rights, &m->inode), 4);
    m->from = from;
    m->to = to;
    return true;
}

/* Executable memory that is not a file's is private to the process, so it is mapped only once, and
 * none of it can be written to. */
static void no_code_can_be_written(void **state)
{
    World *w = *state;
    Mapping m;
    uint32_t found = 0;
    open_jit(w, (JitOptions){.batch = 1});
    JitEntry *entry[5];
    for (uint32_t i = 0; i < 5; i++)
        entry[i] = request(w, i + 1);
    jit_wait(w->jit);
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (next_mapping(maps, &m)) {
        bool executable = m.rights[2] == 'x';
        assert_false(executable && m.rights[1] == 'w');
        for (uint32_t i = 0; i < 5; i++) {
            uintptr_t code = (uintptr_t)jit_code(entry[i]).any;
            if (code < m.from || code >= m.to)
                continue;
            found++;
            assert_string_equal(m.rights, "r-xp");
            assert_int_equal(m.inode, 0);
        }
    }
    fclose(maps);
    assert_int_equal(found, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_true(is_right(w, jit_code(entry[i]).value, i + 1));
}

/* ---- fork ---- */

static void compile_many(World *w)
{
    for (uint32_t i = 100; i < 150; i++)
        request(w, i);
    jit_wait(w->jit);
}

/* What the parent does to its code is not done to the child's. */
static void code_after_fork(void **state)
{
    World *w = *state;
    int go[2], status = -1;
    open_jit(w, (JitOptions){0});
    JitEntry *entry = request(w, 10);
    jit_wait(w->jit);
    JitValueFn f = jit_code(entry).value;
    assert_true(pipe(go) == 0 && is_right(w, f, 10));
    pid_t child = fork();
    if (child == 0) {
        char byte;
        bool told = read(go[0], &byte, 1) == 1;
        _exit(told && is_right(w, f, 10) ? 0 : 1);
    }
    jit_release(w->jit, entry);
    jit_forget(w->jit);
    compile_many(w);
    assert_int_equal(write(go[1], "x", 1), 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(go[0]);
    close(go[1]);
}

/* ---- how many ---- */

static uint32_t count_code(void)
{
    Mapping m;
    uint32_t n = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (next_mapping(maps, &m))
        n += m.rights[2] == 'x' && m.inode == 0;
    fclose(maps);
    return n;
}

/* Far more functions than mappings are allowed, each in an object of its own. */
static void mappings_have_a_bound(void **state)
{
    enum { BOUND = 40, HELD = 4 };
    World *w = *state;
    JitEntry *held[HELD] = {NULL};
    uint32_t most = 0, before = count_code();
    open_jit(w, (JitOptions){.batch = 1, .mappings = BOUND});
    for (uint32_t i = 0; i < SHAPES; i++) {
        jit_release(w->jit, held[i % HELD]);
        held[i % HELD] = request(w, i + 1);
        jit_wait(w->jit);
        assert_true(is_right(w, jit_code(held[i % HELD]).value, i + 1));
        assert_true(jit_stats(w->jit).mappings <= BOUND + 2);
        uint32_t now = count_code();
        most = now > most ? now : most;
    }
    print_message("%u mappings of code at most\n", most - before);
    assert_true(most - before > 4 && most - before <= BOUND / 2 + HELD + 2);
    assert_true(jit_stats(w->jit).evicted > SHAPES / 2);
}

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { TIMES = 1000, SLACK = 256 << 20 }; /* sanitizers keep what was freed for a while */
#else
enum { TIMES = 10000, SLACK = 1 << 20 };
#endif

static size_t resident(void)
{
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*u %zu", &pages), 1);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Ever new functions that come and go: nothing is left of them, neither code nor names. */
static void come_and_go(World *w, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        uint32_t slots[2] = {0, 1 + i};
        JitEntry *entry = jit_request(
            w->jit,
            &(JitRequest){.shape = shape(w, 1 + i % 5), .layout = JIT_FIXED, .slots = slots});
        if (i % 4 == 3)
            jit_wait(w->jit);
        jit_release(w->jit, entry);
        jit_forget(w->jit);
    }
}

static void linked_and_dropped_many_times(void **state)
{
    (void)state;
    static char object[1 << 16];
    size_t size = read_object(object, sizeof object), early = 0;
    uint32_t mappings = 0;
    BackendLinker b = open_linker();
    for (uint32_t i = 0; i < TIMES; i++) {
        BackendSymbol symbol = {.name = "jumps"};
        BackendModule *module = b.link(b.state, object, size);
        b.find(b.state, module, 1, &symbol);
        assert_non_null(symbol.at);
        b.drop(b.state, module);
        if (i == TIMES / 10) {
            early = resident();
            mappings = count_code();
        }
    }
    print_message("resident %zu -> %zu kB\n", early / 1024, resident() / 1024);
    assert_true(resident() <= early + SLACK);
    assert_true(count_code() <= mappings);
    b.close(b.state);
}

static void link_copies(const BackendLinker *b, uint32_t n, const char *object, size_t size)
{
    for (uint32_t i = 0; i < n; i++) {
        BackendSymbol symbol = {.name = "jumps"};
        BackendModule *module = b->link(b->state, object, size);
        assert_non_null(module);
        b->find(b->state, module, 1, &symbol);
        assert_non_null(symbol.at);
    }
}

/* However many there are: ORC keeps them in a table, which must not grow when all is closed. */
static void closing_frees_all_code(void **state)
{
    (void)state;
    static char object[1 << 16];
    size_t size = read_object(object, sizeof object);
    uint32_t before = count_code();
    for (uint32_t n = 1; n <= 100; n++) {
        BackendLinker b = open_linker();
        link_copies(&b, n, object, size);
        assert_true(count_code() > before);
        b.close(b.state);
        if (count_code() != before)
            print_error("%u modules: %u mappings of code are left\n", n, count_code() - before);
        assert_int_equal(count_code(), before);
    }
}

static void functions_that_come_and_go(void **state)
{
    World *w = *state;
    open_jit(w, (JitOptions){.only_quick = true});
    come_and_go(w, TIMES / 10);
    size_t early = resident();
    uint32_t mappings = count_code();
    come_and_go(w, TIMES);
    jit_wait(w->jit);
    print_message("%llu functions, resident %zu -> %zu kB\n",
                  (unsigned long long)jit_stats(w->jit).functions_compiled, early / 1024,
                  resident() / 1024);
    assert_true(jit_stats(w->jit).functions_compiled > TIMES / 8);
    assert_true(resident() <= early + 4 * (size_t)SLACK);
    assert_true(count_code() <= mappings + 4);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(an_object_with_a_jump_table),
        TEST(an_object_that_is_linked_twice),
        TEST(what_is_no_object_is_refused),
        TEST(no_code_can_be_written),
        TEST(code_after_fork),
        TEST(mappings_have_a_bound),
        TEST(linked_and_dropped_many_times),
        TEST(closing_frees_all_code),
        TEST(functions_that_come_and_go),
    };
    return cmocka_run_group_tests_name("code memory", tests, NULL, NULL);
}
