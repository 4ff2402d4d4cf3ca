/* stdlib_folder.c: the file this code was loaded from -> the folder of the standard library. */
#define _GNU_SOURCE
#include "runtime/sim/stdlib_folder.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The program, or the shared library: whichever contains this function. */
static bool own_file(char *path)
{
    Dl_info info;
    if (dladdr((void *)(uintptr_t)stdlib_folder, &info) && info.dli_fname &&
        strchr(info.dli_fname, '/') && realpath(info.dli_fname, path))
        return true;
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[n > 0 ? n : 0] = '\0';
    return n > 0;
}

static bool go_up(char *path, int levels)
{
    char *end = path;
    for (int i = 0; i < levels && end; i++)
        if ((end = strrchr(path, '/')))
            *end = '\0';
    return end != NULL;
}

/* Beside the build folder, or where `make install` puts it. Names of folders are taken off the
 * file's path, so that messages show no "..". */
const char *stdlib_folder(char *path)
{
    static const struct {
        int up;
        const char *then;
    } places[] = {{2, "/stdlib"},
                  {3, "/stdlib"},
                  {2, "/share/solstice/stdlib"},
                  {3, "/share/solstice/stdlib"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!own_file(path) || !go_up(path, places[i].up))
            continue;
        strcat(path, places[i].then);
        if (access(path, R_OK | X_OK) == 0)
            return path;
    }
    return NULL;
}
