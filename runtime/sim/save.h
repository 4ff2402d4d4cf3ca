/* save.h: a simulation at rest as a block of bytes: what sol_save() writes. Private to runtime/.
 *
 * The block is all there is to know of the present model, and nothing of how it came about:
 * expressions, instances, relations with their causality and schedule (each layer packs its own),
 * values, memory of conditions, counters. A simulation that was just created reads it and is then
 * what the other one was. */
#ifndef RUNTIME_SIM_SAVE_H
#define RUNTIME_SIM_SAVE_H

#include "base/pack.h"
#include "frontend/world_write.h"
#include "runtime/sim/sim.h"

/* Writes `pack`, which is empty; then the simulation builds its nodes and parts anew and starts its
 * integrators anew, as whoever reads the block will do. */
SolStatus save_write(Sim *sim, Pack *pack);
/* Into a simulation of the same program, text and options that was not initialised. SOL_IO, without
 * a message: the block is not what was written. */
SolStatus save_read(Sim *sim, Pack *pack);

/* The same for whoever stays in this process: written without any change to the simulation, and read into
 * another one that sim_like() made. What listens to the output was told the same. */
SolStatus save_peek(Sim *sim, Pack *pack);
SolStatus save_return(Sim *sim, Pack *pack);

/* Into a simulation of the written text that was not initialised, whose program and memory are its own: all that is in `sim`,
 * which is not changed. */
SolStatus save_transplant(Sim *sim, Sim *to, const WrittenText *text);

#endif
