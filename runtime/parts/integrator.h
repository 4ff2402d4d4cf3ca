/* integrator.h: what a part asks of the method that integrates it. Private to runtime/.
 *
 * A method is one file of solve/ and one row of its table (solve/integrators.c). What it keeps of a part is in
 * Part.driver, at its own place; the value vector is the truth, from which it starts and into which it writes when
 * somebody looks. Checkpoints keep values only, and integrators start anew behind them.
 */
#ifndef RUNTIME_PARTS_INTEGRATOR_H
#define RUNTIME_PARTS_INTEGRATOR_H

#include "runtime/parts/parts.h"

struct Integrator {
    const char *name;
    SolStatus (*start)(Part *part); /* at Part.now, from Sim.value */
    /* One accepted step from Part.now, to `limit` at most: sets Part.back and Part.now. SOL_NUMERICS: it could make none,
     * and has said nothing; then `explain` says why, unless somebody helps. */
    SolStatus (*step)(Part *part, double limit);
    SolStatus (*explain)(Part *part);
    void (*at)(Part *part,
               double time); /* unknowns there, into Sim.value; from Part.back to Part.now */
    /* The same as an array until the next call, or NULL: they are in Sim.value. */
    const double *(*unknowns)(Part *part, double time);
    void (*restructured)(
        Part *part);             /* other unknowns, or other dynamics; NULL: `start` sees that */
    void (*close)(Part *part);   /* Part.driver is freed */
    void (*close_all)(Sim *sim); /* what all drivers share; or NULL */
};

#endif
