/* save_lab.h: a run with checkpoints, and the same run resumed from each of them: the same bits? */
#ifndef TESTS_SAVE_LAB_H
#define TESTS_SAVE_LAB_H

#include "runtime/solstice.h"

enum { SAVE_LAB_CHECKPOINTS = 8 };

typedef struct SaveCase {
    const char *text, *file; /* one of them */
    const char *model;
    SolOptions options;
    int checkpoints; /* at equal distances; 0: SAVE_LAB_CHECKPOINTS */
} SaveCase;

/* NULL when points with all values and births, events with their triggers, and further checkpoints
 * are the same bytes; or what is not. A run that fails must fail alike. */
const char *save_lab_check(const SaveCase *save_case);

/* Bytes written and read by sol_save() and sol_restore(). */
typedef struct SaveBytes {
    uint8_t *at;
    size_t n, cap, next;
} SaveBytes;

bool save_lab_put(void *bytes, const void *from, size_t n);
bool save_lab_get(void *bytes, void *to, size_t n);

#endif
