/* plot_curves.c: what a curve is called, and its span. See plot.h. */
#include "runtime/cli/plot.h"

#include <math.h>

void plot_name(const Series *series, const Curve *curve, char *out, size_t size)
{
    bool several = series->files.n > 1, unit = curve->unit && curve->unit[0];
    snprintf(out, size, "%s%s%s%s%s%s", several ? series->files.at[curve->file].name : "",
             several ? ": " : "", curve->path, unit ? " [" : "", unit ? curve->unit : "",
             unit ? "]" : "");
}

void plot_span(const Series *series, uint32_t first, uint32_t end, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (uint32_t i = first; i < end; i++) {
        *low = fmin(*low, series->curves.at[i].low);
        *high = fmax(*high, series->curves.at[i].high);
    }
}
