/* event_rules.h: an event model -> its updates, by the rules and nothing but the rules.
 *
 * An interpreter of the updates (t, i) of Sol, for models without numerics (event_model.h). It is
 * slow and direct: in each update all is evaluated from nothing, by demand, and each question of
 * the rules is asked where it arises. It shares no code with the program. How it reads the rules:
 *
 * U1  A variable is *known* in an update if its relation was evaluated there, or if it is held and
 *     no active relation determines it. It is *stale*, and keeps its value, if its relation stands
 *     in a branch of an `if` whose condition comes out against that branch in this update (also a
 *     branch that came in this update), if its relation reads something stale, or if nothing
 *     determines it. Conditions in such a branch are left alone likewise. A condition that is not
 *     decided in this update keeps its branch, whose content is evaluated as usual.
 *     Transmissions of an active `when`, wherever it stands, and conditions inside it are always
 *     evaluated, with all that they need, whatever conditions around say; what nothing determines,
 *     and what only an `if` that stays undecided could determine, is read as its last value.
 *
 * U2  A condition that reads something stale, or through an empty member, keeps its truth. All that
 *     it reads counts, also behind an `and` that is already false. What a `when` in an outgoing
 *     branch transmits is known (else the state machine `if m == 0 then when c then m << 1; end;
 *     end` could never be decided); the lasting relations of that branch that this `when` needs are
 *     computed, and stale for conditions.
 *
 * U3  An `if` that is born waits until all that its condition reads is known. A variable waits for
 *     a born `if` that is undecided and in whose branches (`if`s inside included) a lasting
 *     relation determines it; `p?` and paths through p wait for one that moves p. All that can be
 *     decided are decided together, then their moves run, in textual order. If none can: in each
 *     smallest set of conditions that wait for each other only, held variables and members count as
 *     what they hold. A born `if` whose condition is stale has neither branch in this update and is
 *     decided in the next; what waits for it is stale too, but for an active `when`, which has no
 *     other update. A condition that depends on lasting content of its branches is an error.
 *
 * U4  At the beginning of an update, conditions that read an initial() that falls are decided with
 *     the values of the update before; the exchange belongs to the update that begins.
 *
 * U5  The else branch of a `when` rests while the `when` is active, and returns with all its values
 *     and memory; moves in it do not run again. Its `when`s remember the truth of their last
 *     evaluation, its `if`s choose anew in the update of the return, as births do, and a branch
 *     that is chosen again returns with its memory as well.
 *
 * U6  Comparisons of `time` have, at each time, the value just afterwards. Comparisons of other
 *     values are exact.
 *
 * A Sample is true in update 0 of its times, counted from the birth of the body it stands in; it
 * stays true for a condition that U2 defers, not for one that reads through an empty member or
 * rests behind an active `when`. `pre`
 * of what has no update before is 0 or false. A move from an empty member does nothing. An update
 * follows another if a condition fired, if a `when` was active, or if an initial() was true that
 * something reads.
 */
#ifndef TESTS_EVENT_RULES_H
#define TESTS_EVENT_RULES_H

#include "tests/support/event_model.h"

#include <stdio.h>

enum { ER_PATH = 64 };

typedef enum ErVerdict {
    ER_FINE,
    ER_OVER,     /* two active relations determine one variable */
    ER_UNDER,    /* time would go on and nothing determines a variable */
    ER_NO_VALUE, /* a division by zero in a relation that is evaluated */
    ER_SELF,     /* a relation or condition depends on itself */
    ER_ENDLESS   /* more updates at one time than allowed */
} ErVerdict;

typedef struct ErValue {
    char path[ER_PATH];
    double value;
    bool visible; /* also between updates: held, and no lasting relation determines it */
} ErValue;

typedef struct ErChoice { /* a branch that an update takes */
    char path[ER_PATH];   /* of the instance, "" at the top */
    uint32_t line;
    bool when;
    bool then;  /* of an `if`; a `when` is listed when it becomes active */
    bool again; /* an `if` that returned and chose what it had */
} ErChoice;

typedef struct ErUpdate {
    ErChoice *choices;
    ErValue *values; /* behind the update */
    uint32_t n_choices, n_values;
} ErUpdate;

typedef struct ErEvent { /* the first one: the start */
    double time;
    ErUpdate *updates;
    uint32_t n_updates;
} ErEvent;

typedef struct ErRun {
    ErEvent *events;
    uint32_t n_events;
    ErVerdict verdict; /* belongs to the last update */
    char why[ER_PATH]; /* the variable or condition concerned */
    void *pool;
} ErRun;

/* From time 0 to `stop`; `max_updates` at one time. */
ErRun *er_run(const EmModel *model, double stop, uint32_t max_updates);
void er_free(ErRun *run);
void er_print(const ErRun *run, FILE *out);
/* Value of a variable behind an update; NAN: no such variable there. */
double er_value(const ErUpdate *update, const char *path);
const char *er_verdict(ErVerdict verdict);

#endif
