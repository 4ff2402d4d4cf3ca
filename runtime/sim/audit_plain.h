/* audit_plain.h: relations of known operations, many at once -> those that are violated.
 * Private to runtime/sim/audit.c.
 *
 * Of a form in which every variable stands once the violation needs no quotients of differences:
 * beside each value goes by how much it moves when all variables in it change by their own size.
 * Relations of one such form are evaluated together. Sums of multiples, which most relations are,
 * have their factors found out once, here, from the form as it is written; a sum that is off by more
 * than its terms round to is looked at again as it is written. Other forms are evaluated from
 * a list of their operations, also together: where a variable stands twice, or something jumps, what is off by more
 * than rounding is looked at alone. Nothing here is used by what solves relations.
 */
#ifndef RUNTIME_SIM_AUDIT_PLAIN_H
#define RUNTIME_SIM_AUDIT_PLAIN_H

#include "runtime/sim/sim.h"

typedef struct AuditPlain AuditPlain;
typedef VEC(DdpRel) RelList;

AuditPlain *audit_plain_open(Sim *sim);
void audit_plain_close(AuditPlain *plain);

/* The structure changed: all relations come now, one by one. What was there and is what it was costs little. */
void audit_plain_begin(AuditPlain *plain);
/* False: it has to be looked at alone. */
bool audit_plain_add(AuditPlain *plain, DdpRel rel, const DdpRelView *view);
bool audit_plain_is_smooth(const AuditPlain *plain, DdpRel rel); /* that is among them */
void audit_plain_end(AuditPlain *plain);              /* those that did not come are gone */
bool audit_plain_has_values(const AuditPlain *plain); /* all variables of theirs */
uint64_t audit_plain_count(const AuditPlain *plain);

/* place[var]: where a tape has it, or TAPE_NOWHERE. Variables that are read from Sim.value all the same are added to
 * `needed`, some several times. Valid until the structure changes. */
void audit_plain_place(AuditPlain *plain, const uint32_t *place, NodeList *needed);
bool audit_plain_is_placed(const AuditPlain *plain);

/* Relations that are violated by more than `above`, or by something that is no number, to be looked
 * at one by one. `view`: the values at those places; NULL: all are in Sim.value. `least` [var]: what counts as a value
 * where it is less. */
void audit_plain_check(AuditPlain *plain, const double *view, const double *least, double above,
                       RelList *candidates);

/* Both sides of a form from the values at its positions. False: not one of ours. */
bool audit_plain_sides(AuditPlain *plain, Form form, const double *local, double *left,
                       double *right);

#endif
