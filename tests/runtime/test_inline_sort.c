/* The order of a plan of inline integration (runtime/solve/inline_sort.c): drawn systems against closures. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/solve/inline_plan.h"
#include "tests/support/soak.h"

#include <string.h>

enum { MOST = 16 };

typedef struct Drawn {
    uint32_t n;
    InlineRel rel[MOST];        /* relation i determines variable i + 1 */
    uint32_t reads[MOST][MOST]; /* variables */
    bool needs
        [MOST]
        [MOST]; /* [i][j]: relation i what j determines, itself or by way of others that are sorted */
    uint32_t n_list, list[MOST]; /* those that are sorted */
} Drawn;

static uint64_t random_bits(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed >> 11;
}

static void draw(Drawn *d, uint64_t *seed)
{
    bool listed[MOST];
    d->n = 1 + (uint32_t)(random_bits(seed) % MOST);
    uint32_t rare = 2 + (uint32_t)(random_bits(seed) % 8), some = (uint32_t)(random_bits(seed) % 4);
    for (uint32_t i = 0; i < d->n; i++) {
        listed[i] = !some || random_bits(seed) % 4;
        if (listed[i])
            d->list[d->n_list++] = i;
    }
    for (uint32_t i = 0; i < d->n; i++) {
        d->rel[i].var = i + 1;
        d->rel[i].reads = d->reads[i];
        for (uint32_t j = 0; j < d->n; j++) {
            if (random_bits(seed) % rare)
                continue;
            d->reads[i][d->rel[i].n_reads++] = j + 1;
            d->needs[i][j] = listed[i] && listed[j];
        }
    }
    for (uint32_t k = 0; k < d->n; k++)
        for (uint32_t i = 0; i < d->n; i++)
            for (uint32_t j = 0; j < d->n; j++)
                d->needs[i][j] |= d->needs[i][k] && d->needs[k][j];
}

/* Who is together needs each other, nobody needs who comes later, and numbers ascend within a component. */
static bool is_right(const Drawn *d, const InlineOrder *order)
{
    uint32_t component[MOST], seen = 0;
    if (order->rels.n != d->n_list || (d->n_list && vec_last(&order->ends) != d->n_list))
        return false;
    memset(component, 0xff, sizeof component);
    for (uint32_t c = 0; c < order->ends.n; c++)
        for (uint32_t first = seen; seen < order->ends.at[c]; seen++) {
            if (seen > first && order->rels.at[seen] <= order->rels.at[seen - 1])
                return false;
            component[order->rels.at[seen]] = c;
        }
    for (uint32_t a = 0; a < d->n_list; a++)
        for (uint32_t b = 0; b < d->n_list; b++) {
            uint32_t i = d->list[a], j = d->list[b];
            bool together = i == j || (d->needs[i][j] && d->needs[j][i]);
            if (component[i] == UINT32_MAX || together != (component[i] == component[j]) ||
                (d->needs[i][j] && component[i] < component[j]))
                return false;
        }
    return true;
}

static bool agree(uint64_t seed)
{
    Mem *mem = mem_open();
    Drawn d = {0};
    InlineOrder order = {0};
    uint32_t rel_of[MOST + 1] = {0};
    seed = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    draw(&d, &seed);
    for (uint32_t i = 0; i < d.n; i++)
        rel_of[i + 1] = i + 1;
    inline_sort(mem, d.n, d.rel, rel_of, d.n_list, d.list, &order);
    bool right = is_right(&d, &order);
    inline_order_free(mem, &order);
    mem_close(mem);
    return right;
}

static void test_drawn(void **state)
{
    (void)state;
    Soak soak = soak_begin("systems that are sorted", 4000, 1);
    uint64_t bad = 0;
    while (soak_next(&soak))
        if (!agree(soak.seed)) {
            print_error("seed %llu: wrong order\n", (unsigned long long)soak.seed);
            bad++;
            soak_failed(&soak);
        }
    soak_end(&soak);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_drawn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
