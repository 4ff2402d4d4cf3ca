/* hybrid_random.h: a number -> the text of a small hybrid model, always the same one.
 *
 * Cells of many kinds (lags, oscillators, rectifiers, states that come and go, held values, samples,
 * time events, loops, rows of bodies that are tied now and then, births and deaths, outputs that nobody
 * needs) that read each other here and there: independent parts, coupled ones, and parts that only a
 * condition connects. */
#ifndef TESTS_HYBRID_RANDOM_H
#define TESTS_HYBRID_RANDOM_H

#include <stdint.h>

char *hybrid_random(uint64_t seed); /* to be freed; its last model is `Top` */

#endif
