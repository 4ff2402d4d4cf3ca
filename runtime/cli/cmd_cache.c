/* cmd_cache.c: `solstice cache`: the folder of compiled code -> a list, or nothing left. */
#include "jit/disk_cache.h"
#include "runtime/cli/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct Listing {
    uint64_t bytes, damaged;
    bool all;
} Listing;

static void show(void *context, const DiskEntry *entry)
{
    Listing *listing = context;
    listing->bytes += entry->bytes;
    listing->damaged += !entry->sound;
    if (!listing->all)
        return;
    char when[32];
    time_t modified = (time_t)entry->modified;
    struct tm local;
    strftime(when, sizeof when, "%Y-%m-%d %H:%M", localtime_r(&modified, &local));
    printf("%s %10" PRIu64 " %s%s\n", when, entry->bytes, entry->name,
           entry->sound ? "" : " (damaged)");
}

static int list(const char *folder, bool all)
{
    Mem *mem = mem_open();
    if (!mem)
        return EXIT_IO;
    Listing listing = {.all = all};
    MemGuard guard;
    mem_guard_push(mem, &guard);
    if (setjmp(guard.env) != 0) {
        mem_close(mem);
        fputs("solstice: out of memory\n", stderr);
        return EXIT_IO;
    }
    uint64_t n = disk_cache_list(mem, folder, show, &listing);
    mem_close(mem);
    printf("%s: %" PRIu64 " functions, %.1f kB", folder, n, (double)listing.bytes / 1000);
    if (listing.damaged)
        printf(", %" PRIu64 " damaged", listing.damaged);
    putchar('\n');
    return EXIT_DONE;
}

static int run_cache(int argc, char **argv)
{
    char standard[4096];
    Args args = args_begin(&cli_cache, argc, argv);
    const char *folder = NULL, *words[1];
    uint32_t n;
    const Option options[] = {{"--cache", OPTION_TEXT, &folder, NULL, false}};
    int code = options_read(&args, 1, options, NULL, 1, words, &n, NULL);
    if (code != EXIT_DONE)
        return code;
    if (!folder && !disk_cache_folder(standard, sizeof standard))
        return args_fail(&args, "no home folder is known: say --cache DIR");
    if (!folder)
        folder = standard;
    if (n == 0 || strcmp(words[0], "list") == 0)
        return list(folder, n > 0);
    if (strcmp(words[0], "clear") != 0)
        return args_fail(&args, "'list' or 'clear', not '%s'", words[0]);
    printf("%s: %" PRIu64 " functions deleted\n", folder, disk_cache_clear(folder));
    return EXIT_DONE;
}

const Command cli_cache = {
    "cache",
    "lists or clears the cache of compiled code",
    "usage: solstice cache [list|clear] [--cache DIR]\n\n"
    "Code that was compiled for one run is kept for the next, in $XDG_CACHE_HOME/solstice/code or\n"
    "~/.cache/solstice/code. Nothing breaks when it is deleted; damaged files are never run, and "
    "what\n"
    "was not used for 60 days goes by itself.\n\n"
    "  list          every function: when it was made, its bytes, its file\n"
    "  clear         deletes all of them\n"
    "  --cache DIR   another folder\n\n"
    "examples:\n"
    "  solstice cache\n"
    "  solstice cache clear\n",
    run_cache,
};
