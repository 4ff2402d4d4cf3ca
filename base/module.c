/* module.c: the name of a module of ours -> its path; a path -> a function of the module. See module.h. */
#define _GNU_SOURCE /* dladdr */
#include "base/module.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef SOLSTICE_MODULES /* where modules are installed, as seen from the program */
#define SOLSTICE_MODULES "../lib/solstice"
#endif

/* `file`: a program or a library. */
static bool find_near(const char *file, const char *name, char *path, size_t size)
{
    static const char *const places[] = {"", "solstice/", SOLSTICE_MODULES "/"};
    const char *slash = strrchr(file, '/');
    if (!slash)
        return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int n = snprintf(path, size, "%.*s/%s%s", (int)(slash - file), file, places[i], name);
        if (n > 0 && (size_t)n < size && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

/* This code may be part of a library that somebody else's program uses: look there first. */
bool module_find(const char *name, char *path, size_t size)
{
    char program[2048];
    Dl_info here;
    if (dladdr((void *)(uintptr_t)module_find, &here) && here.dli_fname &&
        find_near(here.dli_fname, name, path, size))
        return true;
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    return find_near(program, name, path, size);
}

void *module_open(const char *path, const char *symbol, char *words, size_t size)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *reason = module ? "it is of another version" : dlerror();
    snprintf(words, size, "%s", reason ? reason : "it is not there");
    return module ? dlsym(module, symbol) : NULL;
}
