/* event_shrink.h: the text of an event model that shows something -> a smaller one that still does.
 */
#ifndef TESTS_EVENT_SHRINK_H
#define TESTS_EVENT_SHRINK_H

#include <stdbool.h>

typedef bool EventShows(void *context, const char *text);

/* `shows(text)` holds for the text given and for the one returned, which is to be freed. */
char *event_shrink(const char *text, EventShows *shows, void *context);

#endif
