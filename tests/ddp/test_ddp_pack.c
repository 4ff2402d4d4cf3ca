/* A DDP that was written and read again goes on like the one that was written: two labs get the
 * same random commands, one of them is exchanged for what was read of it every few commits, and
 * after each commit both are the same bytes. A field that is not written would change what comes
 * later. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/pack.h"
#include "tests/support/rel_lab.h"
#include "tests/support/rel_random.h"
#include "tests/support/slow.h"
#include "tests/support/soak.h"

#include <string.h>

static Pack pack_of(Lab *lab)
{
    Pack p = {.mem = lab->mem, .writing = true};
    forms_pack(lab->forms, &p);
    ddp_pack(lab->ddp, &p);
    return p;
}

static void read_from(Lab *lab, Pack *p)
{
    p->writing = p->bad = false;
    p->at = 0;
    forms_pack(lab->forms, p);
    if (!p->bad)
        ddp_pack(lab->ddp, p);
}

/* The lab goes on with what was read. */
static void exchange(Lab *lab)
{
    Pack p = pack_of(lab);
    ddp_close(lab->ddp);
    forms_close(lab->forms);
    lab->forms = forms_open(lab->mem);
    lab->ddp = ddp_open(lab->mem, lab->forms);
    read_from(lab, &p);
    if (lab->eager)
        ddp_eager(lab->ddp);
    assert_false(p.bad);
    assert_int_equal(p.at, p.n);
    pack_free(&p);
}

static bool are_alike(Lab *a, Lab *b)
{
    Pack x = pack_of(a), y = pack_of(b);
    bool alike = x.n == y.n && memcmp(x.bytes, y.bytes, x.n) == 0;
    pack_free(&x);
    pack_free(&y);
    return alike;
}

static bool is_commit(const char *line)
{
    return strncmp(line, "commit", 6) == 0 || strncmp(line, "final", 5) == 0;
}

/* Also between the commands of one commit. */
static bool check_script(const ScriptLines *lines, uint64_t seed)
{
    Mem *mem = mem_open();
    Lab *a = lab_open(mem), *b = lab_open(mem);
    a->check = b->check = false; /* with the oracle: other tests do */
    bool fine = true;
    for (uint32_t i = 0; i < lines->n && fine; i++) {
        LabResult ra = lab_line(a, lines->at[i]), rb = lab_line(b, lines->at[i]);
        seed = hash_u64(seed + i);
        fine = ra == rb && strcmp(a->message, b->message) == 0;
        if (seed % 16 == 0)
            exchange(b);
        if (fine && is_commit(lines->at[i]))
            fine = are_alike(a, b);
    }
    lab_close(a);
    lab_close(b);
    mem_close(mem);
    return fine;
}

static void random_changes(void **state)
{
    (void)state;
    uint32_t failures = 0;
    Soak soak = soak_begin("DDPs that are written and read", SLOW_BUILD ? 40 : 400, 1);
    while (soak_next(&soak)) {
        Mem *mem = mem_open();
        Arena arena;
        arena_init(&arena, mem);
        RandomSettings settings = {.seed = soak.seed,
                                   .changes = 40,
                                   .size = 5 + (uint32_t)(soak.seed % 20),
                                   .index = (uint32_t)(soak.seed % 4)};
        ScriptLines lines = rel_random(&arena, &settings);
        if (!check_script(&lines, soak.seed)) {
            soak_failed(&soak);
            failures++;
        }
        mem_close(mem);
    }
    soak_end(&soak);
    assert_int_equal(failures, 0);
}

/* A block that ends too early is bad wherever that is, and what it was read into can be closed. */
static void cut_blocks(void **state)
{
    (void)state;
    static const char *const lines[] = {"var x y z v",       "time t",
                                        "held h = 2",        "eq a: x = sin(t)",
                                        "eq b: y + z = x",   "eq c: y - 2*z = h",
                                        "der d: v = der(x)", "final"};
    Mem *mem = mem_open();
    Lab *lab = lab_open(mem);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_int_equal(lab_line(lab, lines[i]), LAB_DONE);
    Pack p = pack_of(lab);
    size_t whole = p.n;
    for (p.n = 0; p.n < whole; p.n++) {
        Lab *other = lab_open(mem);
        read_from(other, &p);
        assert_true(p.bad);
        lab_close(other);
    }
    pack_free(&p);
    lab_close(lab);
    mem_close(mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_changes),
        cmocka_unit_test(cut_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
