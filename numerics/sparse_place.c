/* sparse_place.c: rows of a sparse matrix -> an order in which large entries lie on the diagonal.
 *
 * A matching of rows to columns, first at the largest entries of rows alone, then at smaller ones too.
 */
#include "numerics/sparse_place.h"

#include <math.h>

/* Each row at an entry of at least `least` times its largest; grows by augmenting paths. */
typedef struct Matching {
    int *of_row, *of_column; /* [n]: -1: none */
    uint32_t *seen, round;   /* [n]: == round: this row is on the way already */
    uint32_t *stack, *next;  /* [n]: rows of the path; entry that is looked at in each */
    double least;
} Matching;

static bool usable(const SparseRows *rows, const Matching *m, uint32_t row, uint32_t k)
{
    return fabs(rows->value[k]) >= m->least * rows->scale[row];
}

static void take(const SparseRows *rows, Matching *m, uint32_t depth)
{
    for (uint32_t d = 0; d < depth; d++) {
        uint32_t row = m->stack[d];
        m->of_row[row] = rows->column[m->next[row]];
        m->of_column[m->of_row[row]] = (int)row;
    }
}

/* Looks for a free column from `row`, through columns whose rows could go elsewhere. */
static bool augment(const SparseRows *rows, Matching *m, uint32_t row)
{
    uint32_t depth = 0;
    m->seen[row] = ++m->round;
    m->next[row] = rows->first[row];
    m->stack[depth++] = row;
    while (depth) {
        row = m->stack[depth - 1];
        uint32_t k = m->next[row];
        if (k == rows->first[row + 1]) {
            depth--;
            if (depth)
                m->next[m->stack[depth - 1]]++;
            continue;
        }
        int other = usable(rows, m, row, k) ? m->of_column[rows->column[k]] : (int)row;
        if (other < 0) {
            take(rows, m, depth);
            return true;
        }
        if (m->seen[other] == m->round) {
            m->next[row]++;
            continue;
        }
        m->seen[other] = m->round;
        m->next[other] = rows->first[other];
        m->stack[depth++] = (uint32_t)other;
    }
    return false;
}

void sparse_place(Mem *mem, const SparseRows *rows, int *place)
{
    static const double least[] = {1, 0.1, 1e-3, 0};
    size_t n = rows->n;
    Matching m = {.of_row = mem_alloc(mem, 5 * n * sizeof(int))};
    m.of_column = m.of_row + n;
    m.seen = (uint32_t *)(m.of_row + 2 * n);
    m.stack = m.seen + n;
    m.next = m.seen + 2 * n;
    for (uint32_t i = 0; i < n; i++)
        m.of_row[i] = m.of_column[i] = -1;
    for (size_t k = 0; k < sizeof least / sizeof *least; k++) {
        m.least = least[k];
        for (uint32_t i = 0; i < n; i++)
            if (m.of_row[i] < 0)
                augment(rows, &m, i);
    }
    for (uint32_t i = 0, spare = 0; i < n; i++) {
        if (m.of_row[i] < 0) { /* structurally singular: any place */
            while (m.of_column[spare] >= 0)
                spare++;
            m.of_row[i] = (int)spare;
            m.of_column[spare] = (int)i;
        }
        place[i] = m.of_row[i];
    }
    mem_free(mem, m.of_row);
}
