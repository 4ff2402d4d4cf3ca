/* event_random.h: a number -> the text of a random event model, always the same one.
 *
 * All models are correct texts. In each, variables have an order in which lasting relations and
 * transmissions read each other, so that there are no loops, and an `if` reads only what comes
 * before the things that it determines, or held variables that change in pulses only and read
 * nothing but values of the update before. What the rules call an error is avoided, except for
 * transmissions that meet and for updates without end: these an interpreter of the rules has to
 * predict. What cancels (`x - x`) is not written: the program does not read it. */
#ifndef TESTS_EVENT_RANDOM_H
#define TESTS_EVENT_RANDOM_H

#include <stdint.h>

/* Constructs that can be left out, so that a difference is found without them. */
typedef enum EventConstruct {
    EVENT_ELSE_WHEN = 1 << 0,    /* `else when`, `else then` behind a `when` */
    EVENT_PARTS = 1 << 1,        /* models inside models */
    EVENT_BRANCH_PARTS = 1 << 2, /* declared in branches */
    EVENT_DYNAMIC = 1 << 3,      /* births, `trash`, `?`, paths through members that may be empty */
    EVENT_MOVES = 1 << 4,        /* from member to member */
    EVENT_INITIAL = 1 << 5,      /* initial() */
    EVENT_SAMPLE = 1 << 6,
    EVENT_NESTED_WHEN = 1 << 7, /* `when`s inside branches of `if`s */
    EVENT_IF_IN_WHEN =
        1 << 8, /* `if`s inside `when`s, lasting relations behind `else` of a `when` */
    EVENT_PRE_CONDITION = 1 << 9, /* pre() in conditions of `when`s */
    EVENT_LASTING = 1 << 10,      /* transmissions that last, in branches of `if`s */
    EVENT_WAITS = 1 << 11,        /* conditions that wait for each other through held variables */
    EVENT_LOCALS = 1 << 12,       /* variables declared in branches */
    EVENT_DIVISIONS = 1 << 13,    /* by what may be zero, in a branch that is safe */
    EVENT_MEET = 1 << 14,         /* several `when`s transmit to one variable */
    EVENT_FOLLOW = 1 << 15,       /* conditions on, and pre() of, what equations determine */
    EVENT_TIME_MIX = 1 << 16,     /* `time` and variables joined by `and`, `or` in a condition */
    EVENT_ALL = (1 << 17) - 1
} EventConstruct;

enum { EVENT_STOP = 4 }; /* what happens, happens at multiples of 1/4 up to here */

char *event_random(uint64_t seed, uint32_t constructs); /* to be freed */

#endif
