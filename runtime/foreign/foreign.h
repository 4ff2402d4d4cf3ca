/* foreign.h: foreign functions and tables as the rest of the runtime calls them.
 *
 * The evaluation passes foreign_call() to the interpreter as its XForeign; foreign_birth() and
 * foreign_death() follow the front end's WORLD_HANDLE changes. A call that fails returns NaN and
 * remembers its first failure, which the run then reports at a place where it can stop.
 *
 * Error rule: opening and calling never abort; messages go to the diagnostics given. */
#ifndef RUNTIME_FOREIGN_H
#define RUNTIME_FOREIGN_H

#include "frontend/world.h"
#include "jit/jit.h"

typedef struct Foreign Foreign;
typedef struct HistorySet HistorySet;

Foreign *foreign_open(Mem *mem, Program *program, FormTable *forms);
void foreign_close(Foreign *foreign); /* destructors of handles that still live, then libraries */
void foreign_attach(Foreign *foreign, const World *world); /* after world_open() */

/* XForeign; derivatives (x_call_origin) included, numerically where the library gives none. */
double foreign_call(void *foreign, uint32_t function, uint32_t n, const double *args);

/* Compiled code calls functions without libffi: how C passes their arguments (ShapeCallees), and
 * what code needs for it. `context` of the environment is a Foreign then. */
bool foreign_callee(void *foreign, uint32_t function, uint32_t n, ShapeCallee *callee);
void foreign_env(JitEnv *env, Foreign *foreign);

/* Opens what instances need since the last call: libraries, symbols, signatures. False with
 * messages when something is missing. */
bool foreign_check(Foreign *foreign);

/* Constructor of `function`, for the handle variable `var`, with the values of the model's
 * parameters (NULL: it has none); false with a message when it fails. */
bool foreign_birth(Foreign *foreign, DdpVar var, uint32_t function, Place at,
                   const double *parameters, double *handle);
/* The same for a WORLD_HANDLE change; value[v] is the value of variable v. */
bool foreign_birth_of(Foreign *foreign, const WorldChange *change, const double *value,
                      double *handle);
void foreign_death(Foreign *foreign, DdpVar var);

HistorySet *foreign_histories(Foreign *foreign); /* what delay() reads (history.h) */

/* The first failure since the last question, or NULL. */
const char *foreign_failure(Foreign *foreign);
/* A file of data that cannot be used, whatever the arguments are: what is wrong with it, or NULL.
 */
const char *foreign_data_failure(const Foreign *foreign);

#endif
