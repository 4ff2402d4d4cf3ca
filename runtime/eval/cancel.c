/* cancel.c: a cancellation that was asked for -> whether what is going on has to be broken off. */
#include "runtime/eval/eval.h"

static const double MOMENT = 0.3; /* seconds: most events and steps are over by then */

bool cancel_break_off(Sim *sim)
{
    if (!atomic_load_explicit(&sim->cancel.asked, memory_order_relaxed))
        return false;
    double now = timer_now();
    if (sim->cancel.seen == 0)
        sim->cancel.seen = now;
    sim->cancel.broken_off |= now - sim->cancel.seen > MOMENT;
    return sim->cancel.broken_off;
}

bool cancel_broke_off(const Sim *sim)
{
    return sim->cancel.broken_off;
}

void cancel_ask(Sim *sim)
{
    atomic_store(&sim->cancel.asked, true);
}

bool cancel_asked(Sim *sim)
{
    return atomic_load(&sim->cancel.asked);
}

void cancel_forget(Sim *sim)
{
    atomic_store(&sim->cancel.asked, false);
    sim->cancel.seen = 0;
}
