/* broken.c: a library that lacks what it needs, so that it cannot be opened. */
double broken_missing(double x); /* defined nowhere */
double broken_value(double x);

double broken_value(double x)
{
    return broken_missing(x);
}
