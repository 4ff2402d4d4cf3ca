/* stdlib_folder.h: where the packages are that come with this library. */
#ifndef RUNTIME_SIM_STDLIB_FOLDER_H
#define RUNTIME_SIM_STDLIB_FOLDER_H

#include <limits.h>

enum { STDLIB_ROOM = PATH_MAX + 64 };

/* Written to `path`, of STDLIB_ROOM bytes; NULL: there is no such folder. */
const char *stdlib_folder(char *path);

#endif
