/* damper.c: a damper law for tests of foreign functions, with and without its derivative. */
double damper_force(double v, double d);
double damper_slope(double v, double d, int which);
double damper_count(void);

static int calls; /* the tests ask whether the derivative function was used */

/* progressive: d * v * (1 + v^2) */
double damper_force(double v, double d)
{
    return d * v * (1 + v * v);
}

double damper_slope(double v, double d, int which)
{
    calls++;
    return which == 0 ? d * (1 + 3 * v * v) : v * (1 + v * v);
}

double damper_count(void)
{
    return calls;
}
