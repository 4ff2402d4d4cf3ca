/* checkpoint.h: everything a run needs to go on in another process <-> one file.
 *
 * The file is replaced as a whole (written beside, then renamed): there is always a complete one.
 * Its checksum is verified before anything in it is believed. */
#ifndef RUNTIME_CLI_CHECKPOINT_H
#define RUNTIME_CLI_CHECKPOINT_H

#include "runtime/sim/record.h"

typedef struct Checkpoint {
    uint64_t index;      /* of this checkpoint: start + index * every */
    const char *options; /* of the run */
} Checkpoint;

/* Errno, or 0. Writes the state of simulation, writer and recorder; the result file must be
 * flushed. A failure of the simulation itself is its sol_status(). */
SolStatus checkpoint_save(Mem *mem, const char *path, const Checkpoint *checkpoint,
                          ResultWriter *writer, Recorder *recorder, Sol *sim, int *error);

typedef struct CheckpointFile CheckpointFile;

/* NULL with a message in `why`. Allocates under the caller's guard. */
CheckpointFile *checkpoint_load(Mem *mem, const char *path, Checkpoint *checkpoint, char *why,
                                size_t size);
/* After checkpoint_load(), in this order. */
SolStatus checkpoint_restore_simulation(CheckpointFile *file, Sol *sim);
/* Goes on with the result file; never NULL, see result_error(). */
ResultWriter *checkpoint_restore_writer(CheckpointFile *file, Mem *mem, const char *result);
bool checkpoint_restore_recorder(CheckpointFile *file, Recorder *recorder);

#endif
