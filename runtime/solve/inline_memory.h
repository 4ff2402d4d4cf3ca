/* inline_memory.h: what a part solves its steps by -> kept for when its structure returns. */
#ifndef RUNTIME_SOLVE_INLINE_MEMORY_H
#define RUNTIME_SOLVE_INLINE_MEMORY_H

#include "runtime/solve/inline_step.h"

typedef struct InlineSystem {
    InlinePlan *plan;
    InlineStep *one, *many;   /* with one stage, with several; NULL: the method needs none */
    InlineStep *between;      /* as `many`, for the dense output; NULL: not asked for */
    uint32_t n_words, *words; /* the structure that it was made for; none: it is not kept */
    uint64_t key;             /* of these */
    uint32_t places;          /* while it is kept: how large it is */
} InlineSystem;

/* Of the part as it is now: what it had when it was so before, or only a plan. NULL: the equations could not be sorted. */
InlineSystem *inline_system_open(Part *part);
/* Into the memory, or closed. NULL is fine. */
void inline_system_put_away(Sim *sim, InlineSystem *system);
void inline_memory_close(Sim *sim);

/* What is kept from plan to plan. */
InlineRecords *inline_memory_records(Sim *sim);
InlineLoops *inline_memory_loops(Sim *sim);
typedef struct InlineMaking InlineMaking;
InlineMaking *inline_memory_making(Sim *sim);

#endif
