/* sparse_solve.c: KLU's factors of one block -> solutions. See sparse_solve.h. */
#include "numerics/sparse_solve.h"

/* Column k of a triangle: entries first[k] to first[k + 1], without the diagonal. */
typedef struct Triangle {
    int *first, *row;
    double *value;
} Triangle;

struct SparseSolve {
    int n;
    Triangle lower, upper;
    double *diagonal; /* of the upper one; the lower one's is 1 */
    int *rows, *columns;
    double *x;
};

/* Takes the diagonal out of the columns, into `diagonal` unless that is NULL. */
static void take_diagonal(Triangle *t, int n, double *diagonal)
{
    int to = 0, from = 0;
    for (int k = 0; k < n; k++) {
        int end = t->first[k + 1];
        t->first[k] = to;
        for (; from < end; from++) {
            if (t->row[from] != k) {
                t->row[to] = t->row[from];
                t->value[to++] = t->value[from];
            } else if (diagonal) {
                diagonal[k] = t->value[from];
            }
        }
    }
    t->first[n] = to;
}

/* All arrays behind the structure, the doubles first. */
static SparseSolve *allocate(Mem *mem, size_t n, size_t lower, size_t upper)
{
    SparseSolve *s = mem_alloc(mem, sizeof *s + (lower + upper + 2 * n) * sizeof(double) +
                                        (lower + upper + 4 * n + 2) * sizeof(int));
    s->n = (int)n;
    s->lower.value = (double *)(s + 1);
    s->upper.value = s->lower.value + lower;
    s->diagonal = s->upper.value + upper;
    s->x = s->diagonal + n;
    s->lower.row = (int *)(s->x + n);
    s->upper.row = s->lower.row + lower;
    s->lower.first = s->upper.row + upper;
    s->upper.first = s->lower.first + n + 1;
    s->rows = s->upper.first + n + 1;
    s->columns = s->rows + n;
    return s;
}

SparseSolve *sparse_solve_open(Mem *mem, klu_symbolic *symbolic, klu_numeric *numeric,
                               klu_common *common)
{
    SparseSolve *s = allocate(mem, (size_t)symbolic->n, (size_t)numeric->lnz, (size_t)numeric->unz);
    if (!klu_extract(numeric, symbolic, s->lower.first, s->lower.row, s->lower.value,
                     s->upper.first, s->upper.row, s->upper.value, NULL, NULL, NULL, s->rows,
                     s->columns, NULL, NULL, common)) {
        mem_free(mem, s);
        return NULL;
    }
    take_diagonal(&s->lower, s->n, NULL);
    take_diagonal(&s->upper, s->n, s->diagonal);
    return s;
}

void sparse_solve_close(Mem *mem, SparseSolve *solve)
{
    mem_free(mem, solve);
}

static inline void subtract_column(const int *first, const int *row, const double *value, int k,
                                   double *restrict x)
{
    double by = x[k];
    for (int p = first[k]; p < first[k + 1]; p++)
        x[row[p]] -= value[p] * by;
}

void sparse_solve(const SparseSolve *s, double *b)
{
    double *x = s->x;
    const Triangle lower = s->lower, upper = s->upper;
    const double *diagonal = s->diagonal;
    int n = s->n;
    for (int k = 0; k < n; k++)
        x[k] = b[s->rows[k]];
    for (int k = 0; k < n; k++)
        subtract_column(lower.first, lower.row, lower.value, k, x);
    for (int k = n - 1; k >= 0; k--) {
        x[k] /= diagonal[k];
        subtract_column(upper.first, upper.row, upper.value, k, x);
    }
    for (int k = 0; k < n; k++)
        b[s->columns[k]] = x[k];
}
