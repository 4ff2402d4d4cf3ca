/* outfile.c: bytes, texts, numbers -> file descriptor. See outfile.h. */
#define _GNU_SOURCE
#include "runtime/results/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void start(OutFile *out, int fd, bool owned)
{
    out->fd = fd;
    out->error = fd < 0 ? errno : 0;
    out->owned = owned;
    out->replaces = out->made = out->in_memory = false;
    out->kept = NULL;
    out->n_kept = out->room = 0;
    out->used = 0;
    out->offset = 0;
}

bool out_create(OutFile *out, const char *path)
{
    start(out, open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), true);
    return out->fd >= 0;
}

bool out_replace(OutFile *out, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool made = fd >= 0;
    if (!made && errno == EEXIST)
        fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    start(out, fd, true);
    out->replaces = fd >= 0;
    out->made = made;
    return fd >= 0;
}

void out_discard(OutFile *out, const char *path)
{
    if (out->fd < 0 || !out->replaces)
        return;
    close(out->fd);
    out->fd = -1;
    out->used = 0;
    if (out->made)
        unlink(path);
}

/* Devices and pipes have nothing to be cut off. */
static void cut_off(OutFile *out)
{
    struct stat info;
    out->replaces = false;
    if (fstat(out->fd, &info) == 0 && S_ISREG(info.st_mode) && ftruncate(out->fd, 0) != 0)
        out->error = errno;
}

bool out_append(OutFile *out, const char *path, uint64_t at)
{
    start(out, open(path, O_WRONLY | O_CLOEXEC), true);
    if (out->fd < 0)
        return false;
    if (ftruncate(out->fd, (off_t)at) != 0 || lseek(out->fd, 0, SEEK_END) != (off_t)at) {
        int error = errno ? errno : EINVAL;
        close(out->fd);
        out->fd = -1;
        out->error = error;
        return false;
    }
    out->offset = at;
    return true;
}

void out_attach(OutFile *out, int fd)
{
    start(out, fd, false);
}

void out_memory(OutFile *out)
{
    start(out, -1, false);
    out->error = 0;
    out->in_memory = true;
}

static bool keep(OutFile *out)
{
    if (!out->error && out->n_kept + out->used > out->room) {
        size_t room = 2 * out->room + out->used;
        uint8_t *moved = realloc(out->kept, room);
        if (!moved)
            out->error = ENOMEM;
        else
            out->kept = moved, out->room = room;
    }
    if (!out->error && out->used) {
        memcpy(out->kept + out->n_kept, out->buffer, out->used);
        out->n_kept += out->used;
    }
    out->used = 0;
    return !out->error;
}

bool out_flush(OutFile *out)
{
    size_t done = 0;
    if (out->in_memory)
        return keep(out);
    if (out->replaces && out->used)
        cut_off(out);
    while (done < out->used && !out->error) {
        ssize_t n = write(out->fd, out->buffer + done, out->used - done);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            out->error = n == 0 ? EIO : errno;
    }
    out->used = 0;
    return !out->error;
}

void out_bytes(OutFile *out, const void *bytes, size_t n)
{
    const uint8_t *from = bytes;
    out->offset += n;
    while (n) {
        size_t part = OUT_BUFFER - out->used;
        if (part > n)
            part = n;
        memcpy(out->buffer + out->used, from, part);
        out->used += part;
        from += part;
        n -= part;
        if (out->used == OUT_BUFFER)
            out_flush(out);
    }
}

void out_text(OutFile *out, const char *text)
{
    out_bytes(out, text, strlen(text));
}

void out_number(OutFile *out, double x)
{
    char text[OUT_NUMBER];
    out_bytes(out, text, number_text(x, text));
}

bool out_close(OutFile *out)
{
    if (out->in_memory)
        free(out->kept);
    out->kept = NULL;
    out->in_memory = false;
    if (out->fd < 0)
        return !out->error;
    out_flush(out);
    /* a network file system may report a full disk only here */
    if (out->owned && close(out->fd) != 0 && !out->error)
        out->error = errno;
    out->fd = -1;
    return !out->error;
}

/* Whole numbers are by far the most frequent (Booleans, counters), and cheap to write exactly. */
static size_t whole_number_text(double x, char text[OUT_NUMBER])
{
    return (size_t)snprintf(text, OUT_NUMBER, "%lld", (long long)x);
}

size_t number_text(double x, char text[OUT_NUMBER])
{
    if (isnan(x))
        return (size_t)snprintf(text, OUT_NUMBER, "nan");
    if (isinf(x))
        return (size_t)snprintf(text, OUT_NUMBER, x < 0 ? "-inf" : "inf");
    if (fabs(x) < 1e15 && x == (double)(long long)x && !(x == 0 && signbit(x)))
        return whole_number_text(x, text);
    size_t n = 0;
    for (int digits = 15; digits <= 17; digits++) {
        n = (size_t)snprintf(text, OUT_NUMBER, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    return n;
}
