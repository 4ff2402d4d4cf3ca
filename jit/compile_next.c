/* compile_next.c: queues, what is loaded, the clock -> what the compile thread does next. See
 * jit_int.h. The lock is held in all of it. */
#include "jit/jit_int.h"

#include "base/timer.h"

#include <math.h>

bool jit_queue_empty(const Jit *jit, int queue)
{
    return jit->queue[queue].next == &jit->queue[queue];
}

/* Loading the code generator costs as much as a very short run lasts in all, and a run that ends has
 * to wait for it. So it is not loaded before the run has lasted about as long as loading would take:
 * the wait costs a long run nothing that counts, and a short one never loads. */
static double load_time(const Jit *jit)
{
    return jit->waiting || jit->urgent ? 0 : jit->opened_at + jit->options.patience;
}

static bool wants_compiler(const Jit *jit)
{
    return !jit_queue_empty(jit, QUEUE_QUICK) || !jit_queue_empty(jit, QUEUE_OPTIMISED);
}

double jit_rest_until(const Jit *jit)
{
    bool loads = wants_compiler(jit) && jit->part[PART_COMPILER].load == PART_NOT_LOADED;
    return loads ? load_time(jit) : INFINITY;
}

static JitStep link_step(const Jit *jit)
{
    if (jit_queue_empty(jit, QUEUE_LINK))
        return STEP_REST;
    return jit->part[PART_LINKER].load == PART_DECIDED ? STEP_LINK : STEP_LOAD_LINKER;
}

/* Both are loaded. */
static JitStep round_step(const Jit *jit)
{
    if (!jit_queue_empty(jit, QUEUE_QUICK) || jit->options.only_optimised)
        return STEP_ROUND;
    return jit->optimiser.state == OPTIMISER_IDLE ? STEP_OPTIMISE : STEP_REST;
}

static JitStep compile_step(const Jit *jit)
{
    LoadState compiler = jit->part[PART_COMPILER].load;
    if (!wants_compiler(jit) || compiler == PART_LOADING)
        return STEP_REST;
    if (compiler == PART_NOT_LOADED && timer_now() < load_time(jit))
        return STEP_REST;
    if (jit->part[PART_LINKER].load == PART_NOT_LOADED)
        return STEP_LOAD_LINKER;
    return compiler == PART_DECIDED ? round_step(jit) : STEP_LOAD_COMPILER;
}

/* What is being optimised is waited for and goes to disk: the next run need not make it again. */
static JitStep end_step(const Jit *jit)
{
    switch (jit->optimiser.state) {
    case OPTIMISER_BUSY:
        return STEP_REST;
    case OPTIMISER_DONE:
        return STEP_PLACE;
    default:
        return STEP_END;
    }
}

JitStep jit_next_step(const Jit *jit)
{
    if (jit->closing)
        return end_step(jit);
    if (!jit_queue_empty(jit, QUEUE_LOOK))
        return STEP_LOOK;
    if (jit->dead.next != &jit->dead)
        return STEP_BURY;
    JitStep step = link_step(jit);
    if (step != STEP_REST)
        return step;
    if (jit->optimiser.state == OPTIMISER_DONE && jit_queue_empty(jit, QUEUE_QUICK))
        return STEP_PLACE;
    return compile_step(jit);
}
