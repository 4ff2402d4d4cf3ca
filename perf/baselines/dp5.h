/* Dormand and Prince's method of order 5(4) with dense output of order 4.
 *
 * Coefficients: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, table II.5.2;
 * dense output: the same book, section II.6. All functions are inline and take the number of
 * states and the right-hand side as arguments, so that a program with two states gets loops of
 * length two with its own equations inside, as if written out.
 */
#ifndef PERF_DP5_H
#define PERF_DP5_H

#include <math.h>
#include <stdbool.h>

#define DP5_INLINE static inline __attribute__((always_inline))

typedef void (*Dp5Rhs)(double t, const double *y, double *f, void *user);

/* Arrays have n elements each. After a step from t0 to t, k[0] is f(t0) and k[6] is f(t). */
typedef struct Dp5 {
    double t, t0, h; /* h: the step tried next */
    double *y, *y0, *stage;
    double *k[7];
    double rtol, atol, max_step;
    bool fresh; /* k[6] holds f(t, y) */
    long steps, calls;
} Dp5;

DP5_INLINE void dp5_rhs(Dp5 *d, Dp5Rhs f, double t, const double *y, double *to, void *user)
{
    f(t, y, to, user);
    d->calls++;
}

/* Starts at t with the state in d->y; `h` is a guess, 0 for none. */
DP5_INLINE void dp5_begin(Dp5 *d, int n, Dp5Rhs f, void *user, double t, double h)
{
    d->t = d->t0 = t;
    dp5_rhs(d, f, t, d->y, d->k[6], user);
    d->fresh = true;
    if (h <= 0) {
        double size = 0, slope = 0;
        for (int i = 0; i < n; i++) {
            double w = 1 / (d->atol + d->rtol * fabs(d->y[i]));
            size += d->y[i] * w * d->y[i] * w;
            slope += d->k[6][i] * w * d->k[6][i] * w;
        }
        h = size > 1e-10 && slope > 1e-10 ? 0.01 * sqrt(size / slope) : 1e-6;
    }
    d->h = h;
}

DP5_INLINE void dp5_stages(Dp5 *d, int n, Dp5Rhs f, void *user, double h)
{
    const double *y = d->y0;
    double *s = d->stage, **k = d->k, t = d->t0;

    for (int i = 0; i < n; i++)
        s[i] = y[i] + h * (1.0 / 5) * k[0][i];
    dp5_rhs(d, f, t + h / 5, s, k[1], user);
    for (int i = 0; i < n; i++)
        s[i] = y[i] + h * (3.0 / 40 * k[0][i] + 9.0 / 40 * k[1][i]);
    dp5_rhs(d, f, t + h * 3 / 10, s, k[2], user);
    for (int i = 0; i < n; i++)
        s[i] = y[i] + h * (44.0 / 45 * k[0][i] - 56.0 / 15 * k[1][i] + 32.0 / 9 * k[2][i]);
    dp5_rhs(d, f, t + h * 4 / 5, s, k[3], user);
    for (int i = 0; i < n; i++)
        s[i] = y[i] + h * (19372.0 / 6561 * k[0][i] - 25360.0 / 2187 * k[1][i] +
                           64448.0 / 6561 * k[2][i] - 212.0 / 729 * k[3][i]);
    dp5_rhs(d, f, t + h * 8 / 9, s, k[4], user);
    for (int i = 0; i < n; i++)
        s[i] =
            y[i] + h * (9017.0 / 3168 * k[0][i] - 355.0 / 33 * k[1][i] + 46732.0 / 5247 * k[2][i] +
                        49.0 / 176 * k[3][i] - 5103.0 / 18656 * k[4][i]);
    dp5_rhs(d, f, t + h, s, k[5], user);
    for (int i = 0; i < n; i++)
        d->y[i] =
            y[i] + h * (35.0 / 384 * k[0][i] + 500.0 / 1113 * k[2][i] + 125.0 / 192 * k[3][i] -
                        2187.0 / 6784 * k[4][i] + 11.0 / 84 * k[5][i]);
    dp5_rhs(d, f, t + h, d->y, k[6], user);
}

DP5_INLINE double dp5_error(const Dp5 *d, int n, double h)
{
    double sum = 0, *const *k = d->k;

    for (int i = 0; i < n; i++) {
        double e = h * (71.0 / 57600 * k[0][i] - 71.0 / 16695 * k[2][i] + 71.0 / 1920 * k[3][i] -
                        17253.0 / 339200 * k[4][i] + 22.0 / 525 * k[5][i] - 1.0 / 40 * k[6][i]);
        double w = e / (d->atol + d->rtol * fmax(fabs(d->y0[i]), fabs(d->y[i])));
        sum += w * w;
    }
    return sqrt(sum / n);
}

/* One accepted step, from t0 to t, not beyond `stop`. */
DP5_INLINE void dp5_step(Dp5 *d, int n, Dp5Rhs f, void *user, double stop)
{
    double *first = d->k[0];

    d->k[0] = d->k[6]; /* first same as last */
    d->k[6] = first;
    d->t0 = d->t;
    for (int i = 0; i < n; i++)
        d->y0[i] = d->y[i];
    for (;;) {
        double h = d->max_step > 0 ? fmin(d->h, d->max_step) : d->h;
        bool last = d->t0 + h * (1 + 1e-12) >= stop;
        if (last)
            h = stop - d->t0;
        dp5_stages(d, n, f, user, h);
        double error = dp5_error(d, n, h);
        double factor = error > 0 ? fmin(5, fmax(0.2, 0.9 * pow(error, -0.2))) : 5;
        if (!last || factor < 1)
            d->h = h * factor;
        if (error <= 1) {
            d->t = last ? stop : d->t0 + h;
            d->steps++;
            return;
        }
    }
}

/* The state at a time within the last step. */
DP5_INLINE double dp5_dense(const Dp5 *d, int i, double t)
{
    double h = d->t - d->t0, x = (t - d->t0) / h, x1 = 1 - x;
    double *const *k = d->k;
    double dy = d->y[i] - d->y0[i], b = h * k[0][i] - dy;
    double c = dy - h * k[6][i] - b;
    double e =
        h * (-12715105075.0 / 11282082432.0 * k[0][i] + 87487479700.0 / 32700410799.0 * k[2][i] -
             10690763975.0 / 1880347072.0 * k[3][i] + 701980252875.0 / 199316789632.0 * k[4][i] -
             1453857185.0 / 822651844.0 * k[5][i] + 69997945.0 / 29380423.0 * k[6][i]);

    return d->y0[i] + x * (dy + x1 * (b + x * (c + x1 * e)));
}

/* Room for n states: an array of dp5_room(n) numbers, which the caller owns. */
DP5_INLINE int dp5_room(int n)
{
    return 10 * n;
}

DP5_INLINE void dp5_place(Dp5 *d, int n, double *room)
{
    d->y = room;
    d->y0 = room + n;
    d->stage = room + 2 * n;
    for (int j = 0; j < 7; j++)
        d->k[j] = room + (3 + j) * n;
}

#endif
