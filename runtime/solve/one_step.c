/* one_step.c: values, slopes and errors of a part's states -> lengths of steps. See one_step.h. */
#include "runtime/solve/one_step.h"

double one_step_norm(const Part *part, const double *error, const double *y, const double *next)
{
    double sum = 0;
    for (uint32_t i = 0; i < part->states.n; i++) {
        double size = error[i] / one_step_weight(part, i, y[i], next[i]);
        sum += size * size;
    }
    return sqrt(sum / part->states.n);
}

double one_step_first(const Part *part, const double *y, const double *slope)
{
    double size = 0, speed = 0;
    for (uint32_t i = 0; i < part->states.n; i++) {
        double w = one_step_weight(part, i, y[i], y[i]);
        size += y[i] / w * (y[i] / w);
        speed += slope[i] / w * (slope[i] / w);
    }
    double h = size < 1e-10 || speed < 1e-10 ? 1e-6 : 0.01 * sqrt(size / speed);
    return fmin(h, part->sim->opt.max_step);
}

double one_step_begin(const Part *part, double first)
{
    const Sim *sim = part->sim;
    if (part->step <= 0)
        return first;
    double way = 1e-3 * (sim->opt.stop - sim->opt.start);
    return fmin(fmin(part->step, sim->opt.max_step), fmax(3 * first, way));
}

uint32_t one_step_fastest(const Part *part, const double *y, const double *slope)
{
    uint32_t fastest = 0;
    double most = -1;
    for (uint32_t i = 0; i < part->states.n; i++) {
        double size = fabs(slope[i]) / one_step_weight(part, i, y[i], y[i]);
        if (!(size <= most)) {
            most = isnan(size) ? INFINITY : size;
            fastest = i;
        }
    }
    return fastest;
}

int one_step_slopes(Part *part, double time, const double *y, double *slope)
{
    int result = part_slopes(part, time, y, slope, NULL);
    if (result != 0)
        failure_in_nodes(part->sim, part_dynamics(part));
    return result;
}
