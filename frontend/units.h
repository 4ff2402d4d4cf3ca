/* units.h: texts like "kg.m2/s3" -> powers of the base units and a factor; and back. */
#ifndef FRONTEND_UNITS_H
#define FRONTEND_UNITS_H

#include <stdbool.h>
#include <stddef.h>

enum { UNIT_BASES = 7, UNIT_PART = 12 }; /* powers are counted in twelfths: roots have units too */

typedef struct Unit {
    int power[UNIT_BASES]; /* of kg m s A K mol cd, times UNIT_PART */
    double factor;         /* that a value in this unit has to be multiplied with: 1000 for "km" */
} Unit;

/* False: it is none. */
bool unit_read(const char *text, Unit *unit);
/* "V", "kg.m2/s3", "1"; with a factor in front where it has one. */
void unit_write(const Unit *unit, char *text, size_t size);

Unit unit_times(Unit a, Unit b, int sign); /* a*b, or a/b */
/* a^(power); false: powers are no twelfths, or too large. */
bool unit_power(Unit a, double power, Unit *out);
bool unit_same(const Unit *a, const Unit *b);
bool unit_same_powers(const Unit *a, const Unit *b);
bool unit_is_number(const Unit *a); /* no powers, factor 1 */

#endif
