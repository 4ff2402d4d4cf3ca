/* Initial conditions of drawn sparse structures: the conditions that are said to be too many, and the states that are said to be open, are
 * the sets of a Dulmage-Mendelsohn decomposition of the test's own, by matchings of the equations as they are written. Conditions
 * read states and variables that are made of states; all factors are any numbers, so ranks are those of the structure. Some conditions agree
 * with values that were drawn first, some do not: a set of conditions is wrong where one of them does not. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/random_x.h"
#include "tests/support/sim_lab.h"
#include "tests/support/soak.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    STATES = 8,
    MADE = 3,
    CONDITIONS = 10,
    ROWS = CONDITIONS + MADE + STATES,
    COLUMNS = STATES + MADE
};

/* Rows: conditions, what makes variables, start values. Columns: states, variables that are made. */
typedef struct Drawn {
    int n, made, k;
    bool reads[ROWS][COLUMNS]; /* a row that is not there reads nothing */
    double factor[ROWS][COLUMNS];
    double want[CONDITIONS];
    bool off[CONDITIONS]; /* it does not agree with the values */
} Drawn;

static double sum_of(const Drawn *d, int r, const double *value, int columns)
{
    double sum = 0;
    for (int c = 0; c < columns; c++)
        sum += d->reads[r][c] ? d->factor[r][c] * value[c] : 0;
    return sum;
}

static void make(const Drawn *d, double *value)
{
    for (int v = 0; v < d->made; v++)
        value[STATES + v] = sum_of(d, CONDITIONS + v, value, STATES);
}

static void draw_wants(Rng *rng, Drawn *d)
{
    double value[COLUMNS] = {0};
    uint32_t wrong = rng_below(rng, 3); /* none, some, all */
    for (int i = 0; i < d->n; i++)
        value[i] = rng_real(rng, -2, 2);
    make(d, value);
    for (int r = 0; r < d->k; r++) {
        d->off[r] = wrong == 2 || (wrong == 1 && rng_below(rng, 4) == 0);
        d->want[r] = sum_of(d, r, value, COLUMNS) + (d->off[r] ? rng_real(rng, 5, 50) : 0);
    }
}

static Drawn draw(Rng *rng)
{
    Drawn d = {.n = 1 + (int)rng_below(rng, STATES),
               .made = (int)rng_below(rng, MADE + 1),
               .k = 1 + (int)rng_below(rng, CONDITIONS)};
    uint32_t starts = rng_below(rng, 4), thin = 1 + rng_below(rng, 4);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            d.factor[r][c] = (rng_below(rng, 2) ? 1 : -1) * rng_real(rng, 0.5, 2);
    for (int r = 0; r < d.k; r++)
        for (uint32_t i = 0; i < 1 + rng_below(rng, thin); i++) {
            int c = (int)rng_below(rng, (uint32_t)(d.n + d.made));
            d.reads[r][c < d.n ? c : STATES + c - d.n] = true;
        }
    for (int v = 0; v < d.made; v++) {
        d.reads[CONDITIONS + v][STATES + v] = true;
        for (uint32_t i = 0; i < 1 + rng_below(rng, 3); i++)
            d.reads[CONDITIONS + v][rng_below(rng, (uint32_t)d.n)] = true;
    }
    for (int i = 0; i < d.n; i++)
        d.reads[CONDITIONS + MADE + i][i] = rng_below(rng, 4) < starts;
    draw_wants(rng, &d);
    return d;
}

static void write_sum(FILE *out, const Drawn *d, int r, bool made)
{
    for (int c = 0; c < (made ? COLUMNS : STATES); c++)
        if (d->reads[r][c])
            fprintf(out, " + (%.17g)*%c%d", d->factor[r][c], c < STATES ? 'x' : 'y', c % STATES);
}

static void write_model(FILE *out, const Drawn *d)
{
    fputs("model M\ninterface:\n", out);
    for (int i = 0; i < d->n; i++)
        fprintf(out, "  static Real x%d;\n", i);
    for (int v = 0; v < d->made; v++)
        fprintf(out, "  static Real y%d;\n", v);
    fputs("implementation:\n", out);
    for (int i = 0; i < d->n; i++)
        fprintf(out, "  der(x = x%d%s) = -x%d;\n", i,
                d->reads[CONDITIONS + MADE + i][i] ? ", start << 1" : "", i);
    for (int v = 0; v < d->made; v++) {
        fprintf(out, "  y%d = 0", v);
        write_sum(out, d, CONDITIONS + v, false);
        fputs(";\n", out);
    }
    fputs("  if initial() then\n", out);
    for (int r = 0; r < d->k; r++) {
        fprintf(out, "    %.17g = 0", d->want[r]);
        write_sum(out, d, r, true);
        fputs(";\n", out);
    }
    fputs("  end if;\nend M;\n", out);
}

/* ---- the decomposition ---- */

typedef struct Parts {
    int row_of[COLUMNS], column_of[ROWS];  /* the matching, or -1 */
    bool over[ROWS], shared[COLUMNS];      /* the overdetermined part */
    bool open[COLUMNS], open_by[ROWS];     /* the underdetermined part */
    int over_set[ROWS], open_set[COLUMNS]; /* from 1; sets share no row and no column */
    int excess_over[ROWS + COLUMNS + 1], excess_open[ROWS + COLUMNS + 1]; /* of each set */
    int n_over, n_open;
} Parts;

static bool augment(const Drawn *d, Parts *p, int rows, int r, bool *seen)
{
    for (int c = 0; c < COLUMNS; c++)
        if (d->reads[r][c] && !seen[c]) {
            seen[c] = true;
            if (p->row_of[c] < 0 || augment(d, p, rows, p->row_of[c], seen)) {
                p->row_of[c] = r;
                p->column_of[r] = c;
                return true;
            }
        }
    return false;
}

static bool is_row(const Drawn *d, int r)
{
    for (int c = 0; c < COLUMNS; c++)
        if (d->reads[r][c])
            return true;
    return false;
}

static bool is_column(const Drawn *d, int c)
{
    return c < STATES ? c < d->n : d->reads[CONDITIONS + c - STATES][c];
}

/* A variable that no condition reads says nothing about where states begin. */
static void forget_unread(Drawn *d)
{
    for (int v = 0; v < MADE; v++) {
        bool read = false;
        for (int r = 0; r < d->k; r++)
            read |= d->reads[r][STATES + v];
        if (!read)
            memset(d->reads[CONDITIONS + v], 0, sizeof d->reads[0]);
    }
}

static void match(const Drawn *d, Parts *p, int rows)
{
    memset(p->row_of, -1, sizeof p->row_of);
    memset(p->column_of, -1, sizeof p->column_of);
    for (int r = 0; r < rows; r++) {
        bool seen[COLUMNS] = {0};
        augment(d, p, rows, r, seen);
    }
}

/* Whatever alternating paths reach from rows without a column. */
static void find_over(const Drawn *d, Parts *p, int rows)
{
    for (int r = 0; r < rows; r++)
        p->over[r] = is_row(d, r) && p->column_of[r] < 0;
    for (bool more = true; more;) {
        more = false;
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < COLUMNS && p->over[r]; c++)
                if (d->reads[r][c] && !p->shared[c]) {
                    p->shared[c] = more = true;
                    p->over[p->row_of[c]] = true;
                }
    }
}

/* From columns without a row. */
static void find_open(const Drawn *d, Parts *p, int rows)
{
    for (int c = 0; c < COLUMNS; c++)
        p->open[c] = is_column(d, c) && p->row_of[c] < 0;
    for (bool more = true; more;) {
        more = false;
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < COLUMNS && !p->open_by[r]; c++)
                if (d->reads[r][c] && p->open[c]) {
                    p->open_by[r] = more = true;
                    p->open[p->column_of[r]] = true;
                }
    }
}

/* Rows and columns of a part that hang together get one number. */
static int connect(const Drawn *d, int rows, const bool *row, const bool *column, int *row_set,
                   int *column_set)
{
    int n = 0;
    for (int r = 0; r < ROWS; r++)
        row_set[r] = r < rows && row[r] ? ++n : 0;
    for (int c = 0; c < COLUMNS; c++)
        column_set[c] = column[c] ? ++n : 0;
    for (bool more = true; more;) {
        more = false;
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < COLUMNS; c++)
                if (d->reads[r][c] && row[r] && column[c] && row_set[r] != column_set[c]) {
                    int least = row_set[r] < column_set[c] ? row_set[r] : column_set[c];
                    row_set[r] = column_set[c] = least;
                    more = true;
                }
    }
    return n;
}

/* Too many: conditions and what makes variables. Open: start values hold states beside them. */
static Parts decompose(const Drawn *d)
{
    Parts p = {0};
    int unused_columns[COLUMNS], unused_rows[ROWS], some = CONDITIONS + MADE;
    match(d, &p, some);
    find_over(d, &p, some);
    p.n_over = connect(d, some, p.over, p.shared, p.over_set, unused_columns);
    for (int r = 0; r < some; r++)
        p.excess_over[p.over_set[r]] += p.over[r] && p.column_of[r] < 0;
    match(d, &p, ROWS);
    find_open(d, &p, ROWS);
    p.n_open = connect(d, ROWS, p.open_by, p.open, unused_rows, p.open_set);
    for (int c = 0; c < COLUMNS; c++)
        p.excess_open[p.open_set[c]] += p.open[c] && p.row_of[c] < 0;
    return p;
}

/* ---- what was said ---- */

/* Bit i: x followed by i stands in the text. */
static unsigned states_in(const char *text)
{
    unsigned found = 0;
    for (const char *at = text; (at = strchr(at, 'x')); at++)
        if (at[1] >= '0' && at[1] < '0' + STATES && (at == text || at[-1] == ' '))
            found |= 1u << (at[1] - '0');
    return found;
}

/* Conditions of the set, and all states they depend on; false: they agree. */
static bool set_of(const Drawn *d, const Parts *p, int set, unsigned *conditions, unsigned *states)
{
    bool wrong = false;
    *conditions = *states = 0;
    for (int r = 0; r < d->k; r++) {
        if (p->over_set[r] != set)
            continue;
        wrong |= d->off[r];
        *conditions |= 1u << r;
        for (int c = 0; c < COLUMNS; c++)
            for (int i = 0; i < d->n && d->reads[r][c]; i++)
                if (c < STATES ? c == i : d->reads[CONDITIONS + c - STATES][i])
                    *states |= 1u << i;
    }
    return wrong;
}

typedef struct Said {
    int n;
    unsigned conditions[CONDITIONS], states[CONDITIONS]; /* of each error, with its notes */
    int excess[CONDITIONS];
    int n_open;
    unsigned open[STATES];
    int missing[STATES];
} Said;

/* The condition that a message with this text is about, by its line; -1: it is another message. */
static int condition_in(const Drawn *d, const SolMessage *message, const char *text)
{
    int before = 2 * (d->n + d->made) + 4; /* lines of write_model */
    return strstr(message->text, text) ? (int)message->line - before - 1 : -1;
}

static void listen_open(const char *text, Said *said)
{
    const char *wanted = strstr(text, " wanted for ");
    int n;
    if (wanted && sscanf(text, "%d more", &n) == 1) {
        char names[400];
        snprintf(names, sizeof names, "%s", wanted + 11);
        char *end = strchr(names, ':');
        if (end)
            *end = 0;
        said->missing[said->n_open] = n;
        said->open[said->n_open++] = states_in(names);
    }
    if (strstr(text, "where no condition and no start says so"))
        for (int i = 0; i < STATES; i++)
            if (states_in(strchr(text, ':')) & 1u << i) {
                said->missing[said->n_open] = 1;
                said->open[said->n_open++] = 1u << i;
            }
}

static Said listen(const Drawn *d, const SimLab *lab)
{
    Said said = {0};
    SolMessage message;
    for (uint32_t i = 0; sol_message(lab->model, i, &message); i++) {
        int error = condition_in(d, &message, "too many initial conditions: '"),
            other = condition_in(d, &message, "another condition: "), excess;
        if (error >= 0)
            said.conditions[said.n++] = 1u << error;
        else if (other >= 0 && said.n)
            said.conditions[said.n - 1] |= 1u << other;
        else if (said.n && strstr(message.text, " conditions on ")) {
            const char *end = strchr(message.text, ':');
            said.states[said.n - 1] = states_in(message.text);
            said.excess[said.n - 1] = sscanf(end, ": %d of them", &excess) == 1 ? excess : 1;
        } else
            listen_open(message.text, &said);
    }
    return said;
}

/* How many sets are wrong; each of them was named. */
static int check_over(const Drawn *d, const Parts *p, const Said *said, const char *text)
{
    int sets = 0;
    for (int set = 1; set <= p->n_over; set++) {
        unsigned conditions, states;
        bool found = false;
        if (!set_of(d, p, set, &conditions, &states))
            continue;
        for (int i = 0; i < said->n; i++)
            found |= said->conditions[i] == conditions && said->states[i] == states &&
                     said->excess[i] == p->excess_over[set];
        sets++;
        if (!found)
            fail_msg("conditions %x on %x, %d too many: not said\n%s", conditions, states,
                     p->excess_over[set], text);
    }
    if (said->n != sets)
        fail_msg("%d sets are too many, %d were named\n%s", sets, said->n, text);
    return sets;
}

static void check_values(const Drawn *d, SimLab *lab, const char *text)
{
    double value[COLUMNS] = {0};
    for (int i = 0; i < d->n; i++)
        value[i] = sim_lab_value(lab, (char[]){'x', (char)('0' + i), 0});
    make(d, value);
    for (int r = 0; r < d->k; r++) {
        double size = 1 + fabs(d->want[r]);
        for (int c = 0; c < COLUMNS; c++)
            size += d->reads[r][c] ? fabs(d->factor[r][c] * value[c]) : 0;
        if (!(fabs(sum_of(d, r, value, COLUMNS) - d->want[r]) <= 1e-9 * size))
            fail_msg("condition %d does not hold\n%s", r, text);
    }
}

static void check_open(const Drawn *d, const Parts *p, const Said *said, const char *text)
{
    int sets = 0;
    for (int set = 1; set <= p->n_open; set++) {
        unsigned states = 0;
        bool found = false;
        for (int i = 0; i < d->n; i++)
            if (p->open_set[i] == set)
                states |= 1u << i;
        for (int i = 0; i < said->n_open; i++)
            found |= said->open[i] == states && said->missing[i] == p->excess_open[set];
        sets += states != 0;
        if (states && !found)
            fail_msg("%d of %x are open: not said\n%s", p->excess_open[set], states, text);
    }
    if (said->n_open != sets)
        fail_msg("%d sets are open, %d were named\n%s", sets, said->n_open, text);
}

static void drawn_structures(void **state)
{
    (void)state;
    unsigned over = 0, open = 0;
    Soak soak = soak_begin("structures of initial conditions", 600, 1);
    while (soak_next(&soak)) {
        static char text[20000];
        Rng rng = {soak.seed};
        Drawn d = draw(&rng);
        FILE *out = fmemopen(text, sizeof text, "w");
        write_model(out, &d);
        fclose(out);
        forget_unread(&d);
        Parts p = decompose(&d);
        SolOptions options = {.stop = 1, .engine = SOL_ENGINE_INTERP};
        SimLab *lab = sim_lab_text(text, &options);
        SolStatus status = sim_lab_run(lab, 0);
        Said said = listen(&d, lab);
        int many = check_over(&d, &p, &said, text);
        if (status != (many ? SOL_MODEL : SOL_OK))
            fail_msg("status %d\n%s", status, text);
        if (!many)
            check_values(&d, lab, text);
        check_open(&d, &p, &said, text);
        over += many > 0;
        open += said.n_open > 0;
        sim_lab_close(lab);
    }
    soak_end(&soak);
    printf("too many in %u, open states in %u\n", over, open);
    assert_true(soak.done < 600 || (over > 100 && open > 100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drawn_structures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
