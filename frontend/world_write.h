/* world_write.h: a world with edits -> a text that says the same, and the same world as instances of that text. */
#ifndef FRONTEND_WORLD_WRITE_H
#define FRONTEND_WORLD_WRITE_H

#include "frontend/world.h"
#include "frontend/written.h"

/* The text, in the writer's memory. False, with a message: it cannot be said by a text. */
bool world_write_text(World *world, Writer *writer, WrittenText *text);

/* Into a world that was just opened, with a table of forms that has those of `from`: all that is in `from`, as instances
 * of `top`, which was read from the written text. All numbers stay what they are. False, with a message: the
 * text does not say what `from` is. Nothing of `from` is changed. */
bool world_transplant(World *to, World *from, Def *top, const WrittenText *text);

#endif
