/* audit_plain.h: relations of smooth functions, many at once -> those that are violated most.
 * Private to runtime/sim/audit.c.
 *
 * Of a form in which every variable stands once the violation needs no quotients of differences:
 * beside each value goes by how much it moves when all variables in it change by their own size.
 * Relations of one such form are evaluated together. Sums of multiples, which most relations are,
 * have their factors found out once, here, from the form as it is written; a sum that is off by more
 * than its terms round to is looked at again as it is written. Other forms are evaluated from
 * a list of their operations. Nothing here is used by what solves relations.
 */
#ifndef RUNTIME_SIM_AUDIT_PLAIN_H
#define RUNTIME_SIM_AUDIT_PLAIN_H

#include "runtime/sim/sim.h"

typedef struct AuditPlain AuditPlain;
typedef VEC(DdpRel) RelList;

AuditPlain *audit_plain_open(Sim *sim);
void audit_plain_close(AuditPlain *plain);

/* The structure changed: no relations. */
void audit_plain_clear(AuditPlain *plain);
/* False: it has to be looked at alone. */
bool audit_plain_add(AuditPlain *plain, DdpRel rel, const DdpRelView *view);
uint64_t audit_plain_count(const AuditPlain *plain);

/* Relations that are violated by more than `above`, or by something that is no number, to be looked
 * at one by one. `least` [var]: what counts as a value where it is less. */
void audit_plain_check(AuditPlain *plain, const double *least, double above, RelList *candidates);

/* Both sides of a form from the values at its positions. False: not one of ours. */
bool audit_plain_sides(AuditPlain *plain, Form form, const double *local, double *left,
                       double *right);

#endif
