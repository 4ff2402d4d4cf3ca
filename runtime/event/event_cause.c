/* event_cause.c: what an event is in which no condition changed -> texts in its record.
 *
 * A floor that jumps, a Sample that only a transmission reads, states that are chosen anew: such
 * events have no trigger in the sense of `if` and `when`. What happened is noted as numbers, which
 * costs nothing; where a condition was the trigger after all, nothing is made of them. Else no
 * branch was exchanged, so the numbers still mean what they meant.
 */
#include "runtime/event/event_cause.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 8, TEXT = 300 };

static void note(Sim *sim, EventCause cause)
{
    if (!sim->record.tell || !sim->record.news.shown || sim->record.causes.n >= MOST)
        return;
    for (uint32_t i = 0; i < sim->record.causes.n; i++)
        if (memcmp(&sim->record.causes.at[i], &cause, sizeof cause) == 0)
            return;
    vec_push(sim->mem, &sim->record.causes, cause);
}

void cause_jump(Sim *sim, const char *function, DdpRel rel)
{
    note(sim, (EventCause){.kind = CAUSE_JUMP, .function = function, .number = rel});
}

void cause_sample(Sim *sim, DdpVar sample)
{
    note(sim, (EventCause){.kind = CAUSE_SAMPLE, .number = sample});
}

void cause_delay(Sim *sim, DdpVar of)
{
    note(sim, (EventCause){.kind = CAUSE_DELAY, .number = of});
}

void cause_states(Sim *sim)
{
    note(sim, (EventCause){.kind = CAUSE_STATES});
}

void cause_written(Sim *sim, DdpVar var)
{
    note(sim, (EventCause){.kind = CAUSE_WRITTEN, .number = var});
}

void cause_edited(Sim *sim)
{
    note(sim, (EventCause){.kind = CAUSE_EDITED});
}

/* "a.Sample(interval = 0.5)" */
static void sample_text(Sim *sim, DdpVar var, char *out)
{
    uint32_t place = map_get(&sim->decide.sample_of, var);
    const char *path = explain_var(sim, var);
    snprintf(out, TEXT, "%.*s(interval = %.10g)", (int)strcspn(path, "("), path,
             place ? sim->decide.samples.at[place - 1].interval : 0);
}

static void text_of(Sim *sim, const EventCause *cause, char *out)
{
    switch (cause->kind) {
    case CAUSE_JUMP:
        snprintf(out, TEXT, "%s jumps in %s", cause->function, explain_rel(sim, cause->number));
        break;
    case CAUSE_SAMPLE:
        sample_text(sim, cause->number, out);
        break;
    case CAUSE_DELAY:
        snprintf(out, TEXT, "delay of %s", explain_var(sim, cause->number));
        break;
    case CAUSE_STATES:
        snprintf(out, TEXT, "other states are chosen");
        break;
    case CAUSE_EDITED:
        snprintf(out, TEXT, "the model was edited");
        break;
    case CAUSE_WRITTEN:
        snprintf(out, TEXT, "%s was set from outside", explain_var(sim, cause->number));
        break;
    }
}

void cause_end(Sim *sim)
{
    char text[TEXT];
    sim->record.event.by_condition = sim->record.triggers.n > 0;
    for (uint32_t i = 0; i < sim->record.causes.n && !sim->record.event.by_condition; i++) {
        text_of(sim, &sim->record.causes.at[i], text);
        vec_push(sim->mem, &sim->record.triggers, explain_keep(sim, text));
    }
    vec_clear(&sim->record.causes);
}
