/* disk_cache.h: machine code kept between runs, one file per function or object.
 *
 * A file is found by the hash of what it was made from and holds that content itself, so that a hit
 * is certain: the flavour (versions of generator and LLVM, processor, options) and the operations
 * of the shape are compared, and a checksum covers all of it. What does not fit is deleted, never
 * run. Any number of processes may share a folder: files appear complete or not at all.
 *
 * Entries that nobody has used for 60 days are deleted by whoever stores something; so what older
 * versions or other processors left does not stay for good.
 *
 * Error rule: a cache that cannot be read or written is a cache without entries.
 */
#ifndef JIT_DISK_CACHE_H
#define JIT_DISK_CACHE_H

#include "base/mem.h"

typedef struct DiskCache DiskCache;

/* Only remembers the folder; it is made when something is stored. NULL folder: no cache. One thread
 * at a time. */
DiskCache *disk_cache_open(Mem *mem, const char *folder, const char *flavour);
void disk_cache_close(DiskCache *cache);

typedef struct DiskKey {
    uint64_t hash[2];    /* of the content */
    const void *content; /* what the code was made from */
    size_t size;
} DiskKey;

bool disk_cache_usable(const DiskCache *cache); /* else nothing is ever found or stored */
/* Whether there is a file for it; it may turn out to be damaged. */
bool disk_cache_has(const DiskCache *cache, const DiskKey *key);
/* The code, allocated from `mem`, or NULL. */
unsigned char *disk_cache_load(DiskCache *cache, Mem *mem, const DiskKey *key, size_t *size);
void disk_cache_store(DiskCache *cache, const DiskKey *key, const void *code, size_t size);

typedef struct DiskTotals {
    uint64_t loaded, stored;
    uint64_t dropped; /* entries deleted because they were damaged or did not belong */
    uint64_t errors;  /* files that could not be written */
} DiskTotals;

DiskTotals disk_cache_totals(const DiskCache *cache);

/* ---- for `solstice cache` ---- */

/* $XDG_CACHE_HOME/solstice/code, or ~/.cache/solstice/code; false: neither is known or it is too
 * long. */
bool disk_cache_folder(char *folder, size_t size);

typedef struct DiskEntry {
    const char *name; /* within the folder */
    uint64_t bytes;
    int64_t modified; /* seconds since 1970 */
    bool sound;       /* complete and unaltered */
} DiskEntry;

/* Calls show for each entry; returns their number. */
uint64_t disk_cache_list(Mem *mem, const char *folder,
                         void (*show)(void *context, const DiskEntry *), void *context);
/* Deletes all entries and what crashed processes left behind, and nothing else; returns their
 * number. */
uint64_t disk_cache_clear(const char *folder);

#endif
