/* birth.h: newborn `if`s and `when`s -> the branches they take in the update of their birth (U3).
 *
 * One procedure for `run`, `flat`, `graph` and `check --instantiate`. It asks a host for values and
 * tells it what to choose; hosts differ in how they evaluate (the runtime with loops and start
 * values, the static tools along the schedule), not in what is decided when:
 *
 *   - A newborn `when` takes its else branch at once: before its first evaluation a condition
 * counts as false.
 *   - A newborn `if` takes its branch as soon as its condition is known and nothing that is still
 * undecided can change it: it *waits* for an undecided `if` that may transmit, in one of its
 * branches, to a held variable which its condition depends on and which no active transmission
 * determines, that may determine by an equation what nothing determines yet, or that may move the
 * instance of a member that its condition asks for or passes through.
 *   - What stands in a branch depends on the conditions around it (U1): the newborn `if` itself,
 * and each relation that its condition depends on. Where such a condition will be known later in
 * the update it waits for that too: it may turn. Not so in a `when` that acts, nor what that needs.
 *   - Where undecided conditions wait only for each other, held variables and members count as what
 * they hold.
 *   - Where nothing can be decided the host becomes bolder: loops, then starts of potential states.
 *   - Who is undecided then has no branch in this update. An `if` in a `when` that acts has no
 * other update, and waits for those no longer; everything else that waits for them is left alone.
 */
#ifndef FRONTEND_BIRTH_H
#define FRONTEND_BIRTH_H

#include "frontend/world.h"

typedef struct BirthHost {
    void *context;
    /* The structure has changed: takes it over, commits it so far and evaluates what follows. */
    int (*begin)(void *context);
    /* By the next means: loops, starts ...; *more: something was done, so conditions may be known
     * now. */
    int (*bolder)(void *context, bool *more);
    /* The value of the condition of a branch in this update; false: it is not known yet. */
    bool (*known)(void *context, BranchId branch, DdpVar condition, double *value);
    /* Are there branches whose condition, of this update, is not known yet, but will be? Is `condition` such a
     * one? NULL where `leave` is. */
    bool (*awaits)(void *context);
    bool (*awaited)(void *context, DdpVar condition);
    /* One structural change. */
    int (*choose)(void *context, uint32_t n, const WorldDecision *list);
    /* What waits for an `if` that stays undecided. NULL: this is the first update of all, in which
     * no branch is outgoing and no `when` acts. */
    int (*leave)(void *context, uint32_t n, const DdpVar *vars);
    bool acting; /* a `when` acts in this update */
} BirthHost;

/* All that the update bears, until nothing more can be decided. What the host returns other than 0
 * ends it. */
int birth_settle(World *world, const BirthHost *host);

#endif
