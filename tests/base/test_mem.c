/* test_mem.c: blocks of all sizes keep their content, are aligned, counted and used again. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "tests/support/slow.h"
#include "tests/support/soak.h"

#include <string.h>

enum { BLOCKS = 300, ROUNDS = 200000, LARGEST = 3000 };

typedef struct Held {
    unsigned char *at;
    size_t size;
    unsigned char fill;
} Held;

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void check(const Held *held)
{
    assert_true((uintptr_t)held->at % 8 == 0);
    for (size_t i = 0; i < held->size; i++)
        assert_int_equal(held->at[i], held->fill);
}

static void drop(Mem *mem, Held *held)
{
    mem_free(mem, held->at);
    held->at = NULL;
    held->size = 0;
}

static void take(Mem *mem, Held *held, size_t size, unsigned char fill)
{
    held->at = mem_alloc(mem, size);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(held->at[i], 0);
    *held = (Held){held->at, size, fill};
    memset(held->at, fill, size);
}

static void resize(Mem *mem, Held *held, size_t size)
{
    size_t kept = held->size < size ? held->size : size;
    held->at = mem_resize(mem, held->at, size);
    for (size_t i = 0; i < kept; i++)
        assert_int_equal(held->at[i], held->fill);
    held->size = size;
    memset(held->at, held->fill, size);
}

/* Sizes on both sides of every border between kinds of blocks. */
static void blocks_keep_what_they_hold(void **state)
{
    (void)state;
    Mem *mem = mem_open();
    Held held[BLOCKS] = {0};
    uint64_t random = soak_seed(7);
    size_t used = 0;
    for (int round = 0; round < ROUNDS / (SLOW_BUILD ? 10 : 1); round++) {
        Held *h = &held[next_random(&random) % BLOCKS];
        size_t size = next_random(&random) % (round % 4 ? 80 : LARGEST);
        used -= h->size;
        if (!h->at)
            take(mem, h, size, (unsigned char)round);
        else if (check(h), round % 3)
            drop(mem, h);
        else
            resize(mem, h, size);
        used += h->size;
        assert_int_equal(mem_used(mem), used);
    }
    for (int i = 0; i < BLOCKS; i++)
        drop(mem, &held[i]);
    assert_int_equal(mem_used(mem), 0);
    mem_close(mem);
}

/* The next allocation fails wherever it comes from, and the block stays what it was. */
static void fail_to_grow(size_t size)
{
    Mem *mem = mem_open();
    MemGuard guard;
    void *volatile block = mem_alloc(mem, size);
    mem_fail_at(mem, 1);
    mem_guard_push(mem, &guard);
    if (setjmp(guard.env) == 0) {
        mem_resize(mem, block, size + 1);
        fail_msg("a block did not fail to grow");
    }
    assert_true(mem_used(mem) > 0 || size == 0);
    mem_free(mem, block);
    assert_int_equal(mem_used(mem), 0);
    mem_close(mem);
}

static void any_block_may_fail(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 24, 504, 2030, 2040, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        fail_to_grow(sizes[i]);
}

static int run_all(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_keep_what_they_hold),
                                       cmocka_unit_test(any_block_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    return soak_run("memory", run_all);
}
