/* world_lab.h: a Sol text -> a world in its first mode, for tests. */
#ifndef TESTS_WORLD_LAB_H
#define TESTS_WORLD_LAB_H

#include "frontend/first_mode.h"

typedef struct WorldLab {
    Mem *mem;
    Program *program;
    FirstMode *mode;
    World *world;
    Ddp *ddp;
} WorldLab;

/* Loads the text; with a model (NULL: the last) it is instantiated too. Any error of the text
 * fails. */
WorldLab wlab_open(const char *text, const char *model);
/* The same, but errors of instantiation are allowed. */
WorldLab wlab_open_any(const char *text, const char *model);
/* Removes everything and checks that nothing is left in world and DDP, then closes. */
void wlab_close(WorldLab *lab);
void wlab_drop(WorldLab *lab); /* closes without a look */

/* The branch at this line of the text that is alive now (the n-th one, from 0). */
BranchId wlab_branch(const WorldLab *lab, uint32_t line, uint32_t n);
/* .. and then every `if` whose condition has changed. */
void wlab_choose(WorldLab *lab, BranchId branch, WorldChoice choice);
/* One pulse of the `when` at this line: then, settle, else, settle. */
void wlab_pulse(WorldLab *lab, uint32_t line);
/* The whole flattened text, in memory of the WorldLab. */
const char *wlab_flat(WorldLab *lab);
bool wlab_has_line(WorldLab *lab, const char *line); /* of wlab_flat(), blanks at its start aside */
double wlab_value(const WorldLab *lab, const char *path);
const char *wlab_first_error(const WorldLab *lab); /* "line:column: text", or "" */
void wlab_consistent(const WorldLab *lab);         /* counts of world and DDP agree */

#endif
