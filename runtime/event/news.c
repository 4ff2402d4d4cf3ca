/* news.c: what events do -> what the output is told at the next point. */
#include "runtime/event/event.h"

EventNews *event_news(Sim *sim)
{
    return &sim->record.news;
}

void event_news_close(Sim *sim)
{
    EventNews *news = &sim->record.news;
    vec_free(sim->mem, &news->births);
    vec_free(sim->mem, &news->deaths);
    vec_free(sim->mem, &news->modes);
    vec_free(sim->mem, &news->modes_gone);
}

void event_news_to(Sim *sim, const SolOutput *output)
{
    EventNews *news = &sim->record.news;
    news->modes_wanted = output->mode != NULL;
    news->monitor = output->monitor;
    news->context = output->context;
}

uint64_t event_births(const Sim *sim)
{
    return sim->build.births;
}
