/* What is iterated in a loop that is not linear: drawn loops against the rule as it is written (runtime/solve/inline_cut.c), by
 * closures instead of strong components, and without what the program does to look at fewer of them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/solve/inline_plan.h"
#include "tests/support/soak.h"

#include <string.h>

enum { MOST = 14 };

typedef struct Drawn {
    uint32_t n;
    bool reads[MOST][MOST]; /* [i][j]: relation i names variable j */
    bool bent[MOST][MOST]
             [MOST]; /* [i][j][k]: and k stands in the factor of j; k == j: it is not linear in j */
    InlineMember member[MOST];
    InlineRel rel[MOST];
    uint32_t vars[MOST][MOST];
    bool cut[MOST];
} Drawn;

static uint64_t random_bits(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed >> 11;
}

/* ---- the rule ---- */

/* Variables that depend on each other and on which none of the cut ones stands between. */
static void close_over(const Drawn *d, bool together[MOST][MOST])
{
    bool reach[MOST][MOST];
    for (uint32_t i = 0; i < d->n; i++)
        for (uint32_t j = 0; j < d->n; j++)
            reach[i][j] = i == j || (d->reads[i][j] && !d->cut[i] && !d->cut[j]);
    for (uint32_t k = 0; k < d->n; k++)
        for (uint32_t i = 0; i < d->n; i++)
            for (uint32_t j = 0; j < d->n; j++)
                reach[i][j] |= reach[i][k] && reach[k][j];
    for (uint32_t i = 0; i < d->n; i++)
        for (uint32_t j = 0; j < d->n; j++)
            together[i][j] = reach[i][j] && reach[j][i];
}

/* How many variables stand in components that are not linear; which ones. */
static uint32_t judge(const Drawn *d, bool *open)
{
    bool together[MOST][MOST];
    uint32_t count = 0;
    close_over(d, together);
    memset(open, 0, MOST);
    for (uint32_t i = 0; i < d->n; i++)
        for (uint32_t j = 0; j < d->n; j++)
            for (uint32_t k = 0; k < d->n; k++)
                if (d->bent[i][j][k] && !d->cut[i] && !d->cut[j] && !d->cut[k] && together[i][j] &&
                    together[i][k])
                    for (uint32_t v = 0; v < d->n; v++)
                        open[v] |= together[i][v] && !d->cut[v];
    for (uint32_t v = 0; v < d->n; v++)
        count += open[v];
    return count;
}

static uint32_t best_of(Drawn *d, const bool *open)
{
    uint32_t best = MOST, least = UINT32_MAX;
    bool hinted = false, ignored[MOST];
    for (uint32_t v = 0; v < d->n; v++)
        hinted |= open[v] && d->member[v].hinted;
    for (uint32_t v = 0; v < d->n; v++) {
        if (!open[v] || (hinted && !d->member[v].hinted))
            continue;
        d->cut[v] = true;
        uint32_t left = judge(d, ignored);
        d->cut[v] = false;
        if (left < least || (left == least && d->member[v].wish > d->member[best].wish)) {
            least = left;
            best = v;
        }
    }
    return best;
}

static void cut_by_rule(Drawn *d)
{
    bool open[MOST];
    while (judge(d, open))
        d->cut[best_of(d, open)] = true;
}

/* ---- loops ---- */

/* 0 = variable i - the sum of what it reads: itself, squared, or times another one that it reads. */
static void enter_relation(Drawn *d, FormTable *forms, uint32_t i, uint64_t *seed)
{
    uint32_t *vars = d->vars[i], of[MOST], n = 0;
    of[n] = i;
    vars[n++] = d->member[i].var;
    for (uint32_t j = 0; j < d->n; j++)
        if (d->reads[i][j]) {
            of[n] = j;
            vars[n++] = d->member[j].var;
        }
    X sum = x_const(forms, 1);
    for (uint32_t k = 1; k < n; k++) {
        uint32_t with = random_bits(seed) % 3 ? 0 : 1 + (uint32_t)(random_bits(seed) % (n - 1));
        X term = x_pos(forms, k);
        if (with) {
            term = x_binary(forms, X_MUL, term, x_pos(forms, with));
            d->bent[i][of[k]][of[with]] = d->bent[i][of[with]][of[k]] = true;
        }
        sum = x_binary(forms, X_ADD, sum, term);
    }
    Form form = form_make(forms, x_pos(forms, 0), sum, n);
    d->rel[i] = (InlineRel){.form = form, .n = n, .vars = vars};
    d->member[i].rel = i;
}

static bool agree(uint64_t seed)
{
    Mem *mem = mem_open();
    FormTable *forms = forms_open(mem);
    Drawn d = {0};
    bool cut[MOST] = {0};
    seed = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    d.n = 2 + (uint32_t)(random_bits(&seed) % (MOST - 1));
    uint32_t rare = 2 + (uint32_t)(random_bits(&seed) % 4);
    uint32_t hints = 1 + (uint32_t)(random_bits(&seed) % 4);
    for (uint32_t i = 0; i < d.n; i++) {
        d.member[i] = (InlineMember){.var = i + 1,
                                     .wish = random_bits(&seed) % 2,
                                     .hinted = random_bits(&seed) % hints == 0,
                                     .must = random_bits(&seed) % 8 == 0};
        d.bent[i][i][i] = d.member[i].must;
        for (uint32_t j = 0; j < d.n; j++)
            d.reads[i][j] = i != j && random_bits(&seed) % rare == 0;
    }
    for (uint32_t i = 0; i < d.n; i++)
        enter_relation(&d, forms, i, &seed);
    inline_cut(mem, forms, MOST + 1, d.rel, d.n, d.member, cut);
    cut_by_rule(&d);
    bool same = memcmp(cut, d.cut, sizeof cut) == 0;
    forms_close(forms);
    mem_close(mem);
    return same;
}

static void test_drawn(void **state)
{
    (void)state;
    Soak soak = soak_begin("loops that are cut", 4000, 1);
    uint64_t bad = 0;
    while (soak_next(&soak))
        if (!agree(soak.seed)) {
            print_error("seed %llu: others are iterated than by the rule\n",
                        (unsigned long long)soak.seed);
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
