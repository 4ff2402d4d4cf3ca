/* linear_files.c: a linear model with its names -> text, CSV, MAT, a picture of its eigenvalues. */
#include "runtime/cli/linear_files.h"
#include "runtime/results/bytes.h"

#include <errno.h>
#include <math.h>
#include <string.h>

bool linear_has_format(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n > m && strcmp(path + n - m, end) == 0;
}

/* One of A, B, C, D. */
typedef struct Matrix {
    const char *name;
    const double *cells;
    uint32_t rows, columns;
    const char **row, **column;
    bool derivative; /* rows are derivatives of states */
} Matrix;

enum { MATRICES = 4 };

static void list_matrices(const SolLinearized *l, const LinearNames *names, Matrix m[MATRICES])
{
    m[0] = (Matrix){"A", l->a, l->n, l->n, names->state, names->state, true};
    m[1] = (Matrix){"B", l->b, l->n, l->n_in, names->state, names->in, true};
    m[2] = (Matrix){"C", l->c, l->n_out, l->n, names->out, names->state, false};
    m[3] = (Matrix){"D", l->d, l->n_out, l->n_in, names->out, names->in, false};
}

/* ---- text ---- */

enum { WIDE = 14, MOST_SHOWN = 12 };

static void row_name(const Matrix *m, uint32_t i, char *text, size_t size)
{
    snprintf(text, size, m->derivative ? "der(%s)" : "%s", m->row[i]);
}

static void print_matrix(const Matrix *m, FILE *out)
{
    char name[300];
    if (!m->rows || !m->columns)
        return;
    if (m->rows > MOST_SHOWN || m->columns > MOST_SHOWN) {
        fprintf(out, "%s: %u x %u (--output writes it)\n\n", m->name, m->rows, m->columns);
        return;
    }
    fprintf(out, "%-20s", m->name);
    for (uint32_t j = 0; j < m->columns; j++)
        fprintf(out, " %*s", WIDE, m->column[j]);
    fputc('\n', out);
    for (uint32_t i = 0; i < m->rows; i++) {
        row_name(m, i, name, sizeof name);
        fprintf(out, "%-20s", name);
        for (uint32_t j = 0; j < m->columns; j++)
            fprintf(out, " %*.7g", WIDE, m->cells[(size_t)i * m->columns + j] + 0.0);
        fputc('\n', out);
    }
    fputc('\n', out);
}

/* 1/|re|; Hz; -re/|lambda|. */
static void print_eigenvalue(double re, double im, FILE *out)
{
    char text[80];
    double size = hypot(re, im);
    snprintf(text, sizeof text, im != 0 ? "%.7g +- %.7gi" : "%.7g", re + 0.0, fabs(im));
    fprintf(out, "%-30s", text);
    fprintf(out, " %*.7g", WIDE, 1 / fabs(re));
    if (im != 0)
        fprintf(out, " %*.7g %*.7g", WIDE, fabs(im) / (2 * acos(-1.0)), WIDE, -re / size);
    fputc('\n', out);
}

static void print_eigenvalues(const SolLinearized *l, FILE *out)
{
    fprintf(out, "%-30s %*s %*s %*s\n", "eigenvalues [1/s]", WIDE, "1/|re| [s]", WIDE, "Hz", WIDE,
            "damping");
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->re[i] == 0 && l->im[i] == 0) {
            fputs("0\n", out);
            continue;
        }
        if (l->re[i] == 0) {
            fprintf(out, "+- %-27.7g %*s %*.7g %*d\n", fabs(l->im[i]), WIDE, "-", WIDE,
                    fabs(l->im[i]) / (2 * acos(-1.0)), WIDE, 0);
        } else {
            print_eigenvalue(l->re[i], l->im[i], out);
        }
        i += l->im[i] != 0;
    }
}

/* The states that take part most, down to a tenth of the first. */
static void print_shares(const SolLinearized *l, const LinearNames *names, uint32_t eigenvalue,
                         FILE *out)
{
    enum { MOST_NAMED = 4 };
    const double *share = l->participation + (size_t)eigenvalue * l->n;
    double last = INFINITY, first = 0;
    for (int k = 0, before = -1; k < MOST_NAMED; k++) {
        int best = -1;
        for (uint32_t i = 0; i < l->n; i++)
            if ((share[i] < last || (share[i] == last && (int)i > before)) &&
                (best < 0 || share[i] > share[best]))
                best = (int)i;
        if (best < 0 || share[best] < 0.1 * first || share[best] == 0)
            break;
        fprintf(out, "%s%s %.0f %%", k ? ", " : "", names->state[best], 100 * share[best]);
        first = k ? first : share[best];
        last = share[best];
        before = best;
    }
}

static void print_participation(const SolLinearized *l, const LinearNames *names, FILE *out)
{
    fputs("\nstates that take part\n", out);
    for (uint32_t i = 0; i < l->n; i++) {
        char text[80];
        snprintf(text, sizeof text, l->im[i] != 0 ? "%.7g +- %.7gi" : "%.7g", l->re[i] + 0.0,
                 fabs(l->im[i]));
        fprintf(out, "%-31s", text);
        print_shares(l, names, i, out);
        fputc('\n', out);
        i += l->im[i] != 0;
    }
}

static void print_limit(const char *method, double step, FILE *out)
{
    if (isinf(step))
        fprintf(out, "%-31sany\n", method);
    else if (step == 0)
        fprintf(out, "%-31snone: something swings without dying away\n", method);
    else
        fprintf(out, "%-31s%.7g s\n", method, step);
}

static void print_limits(const SolLinearized *l, FILE *out)
{
    SolStepLimits limits;
    sol_step_limits(l, &limits);
    fputs("\nlongest stable step\n", out);
    print_limit("euler", limits.euler, out);
    print_limit("rk", limits.rk, out);
    print_limit("rodas", INFINITY, out);
    if (limits.ida_order < 5)
        fprintf(out, "%-31sany up to order %u (--max-order %u)\n", "ida", limits.ida_order,
                limits.ida_order);
    else
        print_limit("ida", INFINITY, out);
}

void linear_print(const SolLinearized *l, const LinearNames *names, FILE *out)
{
    Matrix m[MATRICES];
    list_matrices(l, names, m);
    fprintf(out, "at time %.10g: %u state%s\n\n", names->time, l->n, l->n == 1 ? "" : "s");
    for (int i = 0; i < MATRICES; i++)
        print_matrix(&m[i], out);
    if (!l->n)
        return;
    print_eigenvalues(l, out);
    if (l->participation)
        print_participation(l, names, out);
    print_limits(l, out);
}

/* ---- CSV ---- */

static void csv_name(const char *name, FILE *out)
{
    bool quoted = strpbrk(name, ",\"") != NULL;
    fprintf(out, quoted ? "\"%s\"" : "%s", name);
}

static void write_csv(const SolLinearized *l, const LinearNames *names, FILE *out)
{
    Matrix m[MATRICES];
    char name[300];
    list_matrices(l, names, m);
    fputs("matrix,row,column,value\n", out);
    for (int k = 0; k < MATRICES; k++)
        for (uint32_t i = 0; i < m[k].rows; i++)
            for (uint32_t j = 0; j < m[k].columns; j++) {
                row_name(&m[k], i, name, sizeof name);
                fprintf(out, "%s,", m[k].name);
                csv_name(name, out);
                fputc(',', out);
                csv_name(m[k].column[j], out);
                fprintf(out, ",%.17g\n", m[k].cells[(size_t)i * m[k].columns + j] + 0.0);
            }
    for (uint32_t i = 0; i < l->n; i++)
        fprintf(out, "eigenvalue,%u,re,%.17g\neigenvalue,%u,im,%.17g\n", i + 1, l->re[i] + 0.0,
                i + 1, l->im[i] + 0.0);
    for (uint32_t i = 0; l->participation && i < l->n; i++)
        for (uint32_t k = 0; k < l->n; k++) {
            fprintf(out, "participation,%u,", i + 1);
            csv_name(names->state[k], out);
            fprintf(out, ",%.17g\n", l->participation[(size_t)i * l->n + k]);
        }
    SolStepLimits limits;
    sol_step_limits(l, &limits);
    fprintf(out, "step,euler,,%.17g\nstep,rk,,%.17g\nstep,ida order,,%u\n", limits.euler, limits.rk,
            limits.ida_order);
}

/* ---- MAT, level 4: columns one after the other ---- */

enum { MAT_DOUBLE = 0, MAT_TEXT = 51 };

static void mat_head(FILE *out, uint32_t type, uint32_t rows, uint32_t columns, const char *name)
{
    uint8_t head[20];
    put_u32(head, type);
    put_u32(head + 4, rows);
    put_u32(head + 8, columns);
    put_u32(head + 12, 0); /* no imaginary part */
    put_u32(head + 16, (uint32_t)strlen(name) + 1);
    fwrite(head, 1, sizeof head, out);
    fwrite(name, 1, strlen(name) + 1, out);
}

static void mat_double(FILE *out, double x)
{
    uint8_t bytes[8];
    put_f64(bytes, x);
    fwrite(bytes, 1, sizeof bytes, out);
}

static void mat_texts(FILE *out, uint32_t n, const char **texts, const char *name)
{
    size_t wide = 1;
    for (uint32_t i = 0; i < n; i++)
        wide = strlen(texts[i]) > wide ? strlen(texts[i]) : wide;
    mat_head(out, MAT_TEXT, n, (uint32_t)wide, name);
    for (size_t c = 0; c < wide; c++)
        for (uint32_t i = 0; i < n; i++)
            fputc(c < strlen(texts[i]) ? texts[i][c] : ' ', out);
}

static void write_mat(const SolLinearized *l, const LinearNames *names, FILE *out)
{
    Matrix m[MATRICES];
    list_matrices(l, names, m);
    for (int k = 0; k < MATRICES; k++) {
        mat_head(out, MAT_DOUBLE, m[k].rows, m[k].columns, m[k].name);
        for (uint32_t j = 0; j < m[k].columns; j++)
            for (uint32_t i = 0; i < m[k].rows; i++)
                mat_double(out, m[k].cells[(size_t)i * m[k].columns + j]);
    }
    mat_head(out, MAT_DOUBLE, l->n, 2, "eigenvalues");
    for (uint32_t i = 0; i < l->n; i++)
        mat_double(out, l->re[i]);
    for (uint32_t i = 0; i < l->n; i++)
        mat_double(out, l->im[i]);
    if (l->participation) {
        mat_head(out, MAT_DOUBLE, l->n, l->n, "participation");
        for (uint32_t k = 0; k < l->n; k++)
            for (uint32_t i = 0; i < l->n; i++)
                mat_double(out, l->participation[(size_t)i * l->n + k]);
    }
    mat_texts(out, l->n, names->state, "xNames");
    mat_texts(out, l->n_in, names->in, "uNames");
    mat_texts(out, l->n_out, names->out, "yNames");
}

static bool finish(FILE *out)
{
    bool fine = !ferror(out);
    return fclose(out) == 0 && fine;
}

bool linear_write(const SolLinearized *l, const LinearNames *names, const char *path)
{
    FILE *out = fopen(path, "wb");
    if (!out)
        return false;
    if (linear_has_format(path, ".mat"))
        write_mat(l, names, out);
    else
        write_csv(l, names, out);
    return finish(out);
}

/* ---- the picture ---- */

enum { SIZE = 480, EDGE = 60 };

static double most_of(uint32_t n, const double *x)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most > 0 ? most : 1;
}

typedef struct Plane {
    double re, im; /* reach */
} Plane;

static const double MIDDLE = SIZE / 2.0, HALF = SIZE / 2.0 - EDGE;

/* The imaginary axis is the limit of what dies away, in grey what grows. */
static void draw_plane(FILE *out, Plane p, const char *title)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n"
            "<rect x=\"%g\" y=\"%d\" width=\"%g\" height=\"%g\" fill=\"#eee\"/>\n"
            "<path d=\"M%d %gH%dM%g %dV%d\" stroke=\"#888\" fill=\"none\"/>\n",
            SIZE, SIZE, SIZE, SIZE, MIDDLE, EDGE, HALF, 2 * HALF, EDGE, MIDDLE, SIZE - EDGE, MIDDLE,
            EDGE, SIZE - EDGE);
    fprintf(out,
            "<text x=\"%d\" y=\"24\">%s</text>\n"
            "<text x=\"%d\" y=\"%g\" text-anchor=\"end\">re %.3g</text>\n"
            "<text x=\"%d\" y=\"%g\">%.3g</text>\n"
            "<text x=\"%g\" y=\"%d\">im %.3g</text>\n<text x=\"%g\" y=\"%d\">%.3g</text>\n",
            EDGE, title, SIZE - 4, MIDDLE + 16, p.re, 4, MIDDLE + 16, -p.re, MIDDLE + 6, EDGE - 6,
            p.im, MIDDLE + 6, SIZE - EDGE + 16, -p.im);
}

bool linear_draw(const SolLinearized *l, const LinearNames *names, const char *path)
{
    FILE *out = fopen(path, "w");
    char title[80];
    Plane p = {1.1 * most_of(l->n, l->re), 1.1 * most_of(l->n, l->im)};
    if (!out)
        return false;
    snprintf(title, sizeof title, "eigenvalues at time %.6g", names->time);
    draw_plane(out, p, title);
    for (uint32_t i = 0; i < l->n; i++) {
        double x = MIDDLE + HALF * l->re[i] / p.re, y = MIDDLE - HALF * l->im[i] / p.im;
        fprintf(out,
                "<path d=\"M%.2f %.2fl10 10m0 -10l-10 10\" stroke=\"#c22\" stroke-width=\"2\" "
                "fill=\"none\"><title>%.6g %+.6gi</title></path>\n",
                x - 5, y - 5, l->re[i], l->im[i]);
    }
    fputs("</svg>\n", out);
    return finish(out);
}

/* ---- over time ---- */

bool linear_write_course(const LinearCourse *c, const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    fputs("time,number,re,im\n", out);
    for (size_t i = 0; i < c->n; i++)
        fprintf(out, "%.17g,%u,%.17g,%.17g\n", c->time[i], c->number[i], c->re[i] + 0.0,
                c->im[i] + 0.0);
    return finish(out);
}

/* From blue at the beginning to red at the end. */
bool linear_draw_course(const LinearCourse *c, const char *path)
{
    FILE *out = fopen(path, "w");
    char title[120];
    Plane p = {1.1 * most_of((uint32_t)c->n, c->re), 1.1 * most_of((uint32_t)c->n, c->im)};
    double from = c->n ? c->time[0] : 0, to = c->n ? c->time[c->n - 1] : 1;
    if (!out)
        return false;
    snprintf(title, sizeof title, "eigenvalues from time %.6g (blue) to %.6g (red)", from, to);
    draw_plane(out, p, title);
    for (size_t i = 0; i < c->n; i++) {
        double part = to > from ? (c->time[i] - from) / (to - from) : 0;
        fprintf(out,
                "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3\" fill=\"rgb(%d,40,%d)\"><title>time "
                "%.6g: %.6g %+.6gi</title></circle>\n",
                MIDDLE + HALF * c->re[i] / p.re, MIDDLE - HALF * c->im[i] / p.im, (int)(220 * part),
                (int)(220 * (1 - part)), c->time[i], c->re[i], c->im[i]);
    }
    fputs("</svg>\n", out);
    return finish(out);
}

void linear_print_line(const SolLinearized *l, double time, FILE *out)
{
    enum { MOST_EIGENVALUES = 8 };
    fprintf(out, "%-12.6g", time);
    uint32_t shown = 0;
    for (uint32_t i = 0; i < l->n && shown < MOST_EIGENVALUES; i++, shown++) {
        fprintf(out, l->im[i] != 0 ? "  %.6g +- %.6gi" : "  %.6g", l->re[i] + 0.0, fabs(l->im[i]));
        i += l->im[i] != 0;
    }
    fputs(shown == MOST_EIGENVALUES ? "  ...\n" : "\n", out);
}
