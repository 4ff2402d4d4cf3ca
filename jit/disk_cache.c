/* disk_cache.c: content -> file with the code made from it. See disk_cache.h.
 *
 * File: DiskHead, flavour, content, code. A file is written under a temporary name and renamed, so
 * that a reader or a crash never sees half of it; two processes that write the same entry write the
 * same bytes, and the last one stays. Files of other users and folders that others may write to are
 * not trusted: what stands in them is executed. */
#define _GNU_SOURCE /* mkostemp */
#include "jit/disk_cache.h"

#include "base/map.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, MAX_FILE = 16 << 20, GIVE_UP = 16, NAME_HEX = 32 };
enum { DAY = 24 * 60 * 60, KEPT_DAYS = 60 };
#define SUFFIX ".code"
#define TEMPORARY ".new-"

typedef struct DiskHead {
    char magic[8];
    uint64_t checksum[2];                    /* of everything behind it */
    uint32_t flavour, content, code, unused; /* bytes */
} DiskHead;

static const char magic[8] = "solcode";

struct DiskCache {
    Mem *mem;
    char *folder, *flavour;
    size_t flavour_size;
    bool usable, made;
    uint32_t failures; /* in a row; after GIVE_UP nothing is written any more */
    DiskTotals totals;
};

/* ---- folder ---- */

bool disk_cache_folder(char *folder, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n;
    if (cache && cache[0] == '/') /* the XDG rules: a relative path counts as not set */
        n = snprintf(folder, size, "%s/solstice/code", cache);
    else if (home && home[0] == '/')
        n = snprintf(folder, size, "%s/.cache/solstice/code", home);
    else
        return false;
    return n > 0 && (size_t)n < size;
}

/* A folder that does not exist yet is fine. */
static bool trusted(const char *folder)
{
    struct stat s;
    if (stat(folder, &s) != 0)
        return errno == ENOENT;
    return S_ISDIR(s.st_mode) && s.st_uid == geteuid() && !(s.st_mode & (S_IWGRP | S_IWOTH));
}

static void make_folder(const char *folder)
{
    char path[PATH_SIZE];
    size_t n = strlen(folder);
    for (size_t i = 1; i <= n; i++) {
        if (folder[i] != '/' && folder[i] != '\0')
            continue;
        memcpy(path, folder, i);
        path[i] = '\0';
        mkdir(path, 0700);
    }
}

static char *copy_text(Mem *mem, const char *text)
{
    size_t n = strlen(text) + 1;
    return memcpy(mem_alloc(mem, n), text, n);
}

DiskCache *disk_cache_open(Mem *mem, const char *folder, const char *flavour)
{
    DiskCache *cache = mem_alloc(mem, sizeof *cache);
    cache->mem = mem;
    cache->usable = folder && strlen(folder) < PATH_SIZE - 64 && trusted(folder);
    cache->folder = copy_text(mem, folder ? folder : "");
    cache->flavour = copy_text(mem, flavour);
    cache->flavour_size = strlen(flavour);
    return cache;
}

void disk_cache_close(DiskCache *cache)
{
    if (!cache)
        return;
    mem_free(cache->mem, cache->folder);
    mem_free(cache->mem, cache->flavour);
    mem_free(cache->mem, cache);
}

DiskTotals disk_cache_totals(const DiskCache *cache)
{
    return cache->totals;
}

/* ---- files ---- */

static void entry_path(const DiskCache *cache, const DiskKey *key, char path[PATH_SIZE])
{
    uint64_t a = hash_bytes(cache->flavour, cache->flavour_size, key->hash[0]);
    uint64_t b = hash_bytes(cache->flavour, cache->flavour_size, key->hash[1]);
    snprintf(path, PATH_SIZE, "%s/%016llx%016llx" SUFFIX, cache->folder, (unsigned long long)a,
             (unsigned long long)b);
}

static void checksum(const unsigned char *file, size_t size, uint64_t sum[2])
{
    size_t from = offsetof(DiskHead, checksum) + sizeof((DiskHead *)0)->checksum;
    sum[0] = hash_bytes(file + from, size - from, 0x63616368656f6e65u);
    sum[1] = hash_bytes(file + from, size - from, 0x636163686574776fu);
}

static size_t read_all(int fd, unsigned char *to, size_t size)
{
    size_t got = 0;
    while (got < size) {
        ssize_t n = read(fd, to + got, size - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        got += (size_t)n;
    }
    return got;
}

static bool write_all(int fd, const void *from, size_t size)
{
    const char *p = from;
    while (size > 0) {
        ssize_t n = write(fd, p, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

/* A file may be used if it is ours and has a fitting size. */
static bool is_ours(int fd, struct stat *s)
{
    return fstat(fd, s) == 0 && S_ISREG(s->st_mode) && s->st_uid == geteuid() &&
           s->st_size >= (off_t)sizeof(DiskHead) && s->st_size <= MAX_FILE;
}

static int open_file(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

/* A large file: an allocation that fails must not lose the descriptor, so it is opened again. */
static bool read_again(const char *path, unsigned char *file, size_t size)
{
    int fd = open_file(path);
    bool complete = fd >= 0 && read_all(fd, file, size) == size;
    if (fd >= 0)
        close(fd);
    return complete;
}

typedef struct DiskFile {
    size_t size;
    bool exists;     /* tells a file that cannot be used from none */
    time_t modified; /* of a file that can be used */
} DiskFile;

static unsigned char *read_file(Mem *mem, const char *path, DiskFile *d)
{
    unsigned char most[8192]; /* all of nearly every file */
    struct stat s = {0};
    int fd = open_file(path);
    d->exists = fd >= 0 || errno != ENOENT;
    if (fd < 0)
        return NULL;
    bool fits = is_ours(fd, &s);
    d->size = fits ? (size_t)s.st_size : 0;
    d->modified = s.st_mtime;
    bool complete = d->size <= sizeof most && read_all(fd, most, d->size) == d->size;
    close(fd);
    if (!fits)
        return NULL;
    unsigned char *file = mem_alloc(mem, d->size);
    if (complete)
        return memcpy(file, most, d->size);
    if (read_again(path, file, d->size))
        return file;
    mem_free(mem, file);
    return NULL;
}

static bool is_sound(const unsigned char *file, size_t size)
{
    const DiskHead *head = (const void *)file;
    uint64_t sum[2];
    if (memcmp(head->magic, magic, sizeof magic) != 0 ||
        (uint64_t)head->flavour + head->content + head->code + sizeof *head != size)
        return false;
    checksum(file, size, sum);
    return sum[0] == head->checksum[0] && sum[1] == head->checksum[1];
}

static bool belongs(const DiskCache *cache, const DiskKey *key, const unsigned char *file)
{
    const DiskHead *head = (const void *)file;
    const unsigned char *flavour = file + sizeof *head, *content = flavour + head->flavour;
    return head->flavour == cache->flavour_size && head->content == key->size &&
           memcmp(flavour, cache->flavour, cache->flavour_size) == 0 &&
           memcmp(content, key->content, key->size) == 0;
}

/* The time of change is the time of use, to the day. */
static void mark_used(const char *path, time_t modified)
{
    if (time(NULL) - modified > DAY)
        utimensat(AT_FDCWD, path, NULL, 0);
}

bool disk_cache_usable(const DiskCache *cache)
{
    return cache->usable;
}

bool disk_cache_has(const DiskCache *cache, const DiskKey *key)
{
    char path[PATH_SIZE];
    if (!cache->usable)
        return false;
    entry_path(cache, key, path);
    return access(path, R_OK) == 0;
}

unsigned char *disk_cache_load(DiskCache *cache, Mem *mem, const DiskKey *key, size_t *size)
{
    char path[PATH_SIZE];
    DiskFile d;
    if (!cache->usable)
        return NULL;
    entry_path(cache, key, path);
    unsigned char *file = read_file(mem, path, &d);
    if (!file || !is_sound(file, d.size) || !belongs(cache, key, file)) {
        mem_free(mem, file);
        if (d.exists) {
            cache->totals.dropped++;
            unlink(path);
        }
        return NULL;
    }
    mark_used(path, d.modified);
    *size = ((const DiskHead *)(const void *)file)->code;
    memmove(file, file + d.size - *size, *size);
    cache->totals.loaded++;
    return file;
}

static unsigned char *compose(DiskCache *cache, const DiskKey *key, const void *code, size_t size,
                              size_t *file_size)
{
    DiskHead head = {.flavour = (uint32_t)cache->flavour_size,
                     .content = (uint32_t)key->size,
                     .code = (uint32_t)size};
    memcpy(head.magic, magic, sizeof magic);
    *file_size = sizeof head + cache->flavour_size + key->size + size;
    unsigned char *file = mem_alloc(cache->mem, *file_size), *p = file + sizeof head;
    memcpy(file, &head, sizeof head);
    memcpy(p, cache->flavour, cache->flavour_size);
    memcpy(p += cache->flavour_size, key->content, key->size);
    memcpy(p + key->size, code, size);
    checksum(file, *file_size, ((DiskHead *)(void *)file)->checksum);
    return file;
}

static bool write_file(DiskCache *cache, const char *path, const void *file, size_t size)
{
    char temporary[PATH_SIZE];
    snprintf(temporary, sizeof temporary, "%s/" TEMPORARY "XXXXXX", cache->folder);
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return false;
    bool written = write_all(fd, file, size);
    written = close(fd) == 0 && written;
    if (written && rename(temporary, path) == 0)
        return true;
    unlink(temporary);
    return false;
}

/* ---- names in the folder ---- */

static bool is_entry(const char *name)
{
    size_t n = strlen(name);
    return n == NAME_HEX + sizeof SUFFIX - 1 && strcmp(name + NAME_HEX, SUFFIX) == 0 &&
           strspn(name, "0123456789abcdef") == NAME_HEX;
}

static bool is_left_over(const char *name)
{
    return strncmp(name, TEMPORARY, sizeof TEMPORARY - 1) == 0 &&
           strlen(name) == sizeof TEMPORARY - 1 + 6;
}

/* Calls each for the entries, and if wanted for what crashed processes left; returns the sum of
 * what it returns. `each` must not allocate: the open folder would be lost. */
static uint64_t scan(const char *folder, bool left_over, uint64_t (*each)(void *, const char *),
                     void *context)
{
    uint64_t n = 0;
    DIR *dir = opendir(folder);
    if (!dir)
        return 0;
    for (const struct dirent *e; (e = readdir(dir));)
        if (is_entry(e->d_name) || (left_over && is_left_over(e->d_name)))
            n += each(context, e->d_name);
    closedir(dir);
    return n;
}

static uint64_t delete_old(void *context, const char *name)
{
    char path[PATH_SIZE];
    struct stat s;
    int n = snprintf(path, sizeof path, "%s/%s", (const char *)context, name);
    if (n <= 0 || n >= PATH_SIZE || stat(path, &s) != 0)
        return 0;
    int64_t kept = is_entry(name) ? (int64_t)KEPT_DAYS * DAY : DAY;
    return time(NULL) - s.st_mtime > kept && unlink(path) == 0;
}

/* ---- storing ---- */

void disk_cache_store(DiskCache *cache, const DiskKey *key, const void *code, size_t size)
{
    char path[PATH_SIZE];
    size_t file_size;
    if (!cache->usable || cache->failures >= GIVE_UP || size + key->size > MAX_FILE / 2)
        return;
    if (!cache->made) {
        make_folder(cache->folder);
        scan(cache->folder, true, delete_old, cache->folder);
        cache->made = true;
    }
    entry_path(cache, key, path);
    unsigned char *file = compose(cache, key, code, size, &file_size);
    if (write_file(cache, path, file, file_size)) {
        cache->totals.stored++;
        cache->failures = 0;
    } else {
        cache->totals.errors++;
        cache->failures++;
    }
    mem_free(cache->mem, file);
}

/* ---- list and clear ---- */

typedef struct NameList {
    char (*at)[NAME_HEX + sizeof SUFFIX];
    uint64_t n, cap;
} NameList;

static uint64_t count_name(void *context, const char *name)
{
    (void)context, (void)name;
    return 1;
}

static uint64_t take_name(void *context, const char *name)
{
    NameList *list = context;
    if (list->n >= list->cap)
        return 0;
    snprintf(list->at[list->n++], sizeof *list->at, "%s", name);
    return 1;
}

uint64_t disk_cache_list(Mem *mem, const char *folder,
                         void (*show)(void *context, const DiskEntry *), void *context)
{
    NameList list = {.cap = scan(folder, false, count_name, NULL)};
    list.at = mem_alloc(mem, list.cap * sizeof *list.at + 1);
    scan(folder, false, take_name, &list);
    for (uint64_t i = 0; i < list.n; i++) {
        char path[PATH_SIZE];
        struct stat s;
        DiskFile d;
        snprintf(path, sizeof path, "%s/%s", folder, list.at[i]);
        if (stat(path, &s) != 0)
            continue;
        unsigned char *file = read_file(mem, path, &d);
        DiskEntry entry = {list.at[i], (uint64_t)s.st_size, s.st_mtime,
                           file && is_sound(file, d.size)};
        mem_free(mem, file);
        show(context, &entry);
    }
    mem_free(mem, list.at);
    return list.n;
}

static uint64_t delete_name(void *context, const char *name)
{
    char path[PATH_SIZE];
    int n = snprintf(path, sizeof path, "%s/%s", (const char *)context, name);
    return n > 0 && n < PATH_SIZE && unlink(path) == 0;
}

uint64_t disk_cache_clear(const char *folder)
{
    char path[PATH_SIZE];
    int n = snprintf(path, sizeof path, "%s", folder);
    return n > 0 && n < PATH_SIZE ? scan(folder, true, delete_name, path) : 0;
}
