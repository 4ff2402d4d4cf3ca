/* similar.h: how far two words lie apart, for "did you mean". */
#ifndef BASE_SIMILAR_H
#define BASE_SIMILAR_H

#include <stdbool.h>
#include <stdint.h>

/* Insertions, deletions, replacements and exchanges of neighbours that make one of the other; texts
 * longer than 127 bytes count as far apart: UINT32_MAX. */
uint32_t similar_distance(const char *a, const char *b);

/* Near enough to be a slip of the hand: one change, or one in three characters. */
bool similar_enough(const char *a, uint32_t distance);

#endif
