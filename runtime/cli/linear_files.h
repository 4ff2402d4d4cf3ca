/* linear_files.h: a linear model with its names -> text, CSV, MAT, a picture of its eigenvalues. */
#ifndef RUNTIME_CLI_LINEAR_FILES_H
#define RUNTIME_CLI_LINEAR_FILES_H

#include "runtime/solstice.h"

typedef struct LinearNames {
    const char **state, **in, **out; /* [n], [n_in], [n_out] */
    double time;
} LinearNames;

void linear_print(const SolLinearized *l, const LinearNames *names, FILE *out);
/* By the end of the name: .csv, .mat (level 4); .svg for the picture. False: errno says why. */
bool linear_write(const SolLinearized *l, const LinearNames *names, const char *path);
bool linear_draw(const SolLinearized *l, const LinearNames *names, const char *path);

/* Eigenvalues at several times, one after the other. */
typedef struct LinearCourse {
    size_t n;
    double *time, *re, *im; /* [n] */
    uint32_t *number;       /* [n]: of the eigenvalue at its time, from 1 */
} LinearCourse;

void linear_print_line(const SolLinearized *l, double time, FILE *out);
bool linear_write_course(const LinearCourse *course, const char *path);
bool linear_draw_course(const LinearCourse *course, const char *path);
bool linear_has_format(const char *path, const char *end);

#endif
