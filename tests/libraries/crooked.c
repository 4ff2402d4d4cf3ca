/* crooked.c: functions that make a simulation wrong without its doing, for tests of the audit. */
double crooked_square(double x);
double crooked_square_slope(double x, int which);
double crooked_drift(double x);

double crooked_square(double x)
{
    return x * x;
}

/* Of another sign than the derivative of crooked_square has. */
double crooked_square_slope(double x, int which)
{
    (void)which;
    return -2 * x;
}

/* Every answer is a little larger than the one before: no pure function. */
double crooked_drift(double x)
{
    static int calls;
    return x + 1e-7 * calls++;
}
