/* cli_module.c: the name of a module -> a function of it, or why not. See cli.h. */
#include "runtime/cli/cli.h"

#include "base/module.h"

#include <stdio.h>

void *cli_module(const char *name, const char *symbol, char *words, size_t size)
{
    char path[4096];
    if (module_find(name, path, sizeof path))
        return module_open(path, symbol, words, size);
    snprintf(words, size, "the file %s is not there", name);
    return NULL;
}
