/* jumps.c: an object file whose constants refer to its code: a jump table and a table of functions.
 * Nothing that our shapes need has either; whoever links objects must do it all the same. */
double jumps(double x, int which);
double calls(double x, int which);

double jumps(double x, int which)
{
    switch (which) {
    case 0:
        return x + 1;
    case 1:
        return x * x;
    case 2:
        return 3 - x;
    case 3:
        return 1 / x;
    case 4:
        return x * 0.25 - x * x;
    case 5:
        return x > 0 ? x : 7;
    case 6:
        return x * x * x;
    default:
        return 0;
    }
}

static double twice(double x)
{
    return 2 * x;
}

static double half(double x)
{
    return x / 2;
}

static double (*const table[])(double) = {twice, half};

double calls(double x, int which)
{
    return table[which & 1](x);
}
