/* jump_random.h: a number -> the text of a small model with functions that jump, always the same
 * one.
 *
 * Oscillators that push each other by sign, floor, ceil, round and mod of their states and of time;
 * branches, counters and outputs that read such functions too. */
#ifndef TESTS_JUMP_RANDOM_H
#define TESTS_JUMP_RANDOM_H

#include <stdint.h>

char *jump_random(uint64_t seed); /* to be freed */

#endif
