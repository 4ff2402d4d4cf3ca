/* sweep_journal.c: outcomes of cases -> memory and a file that is only appended to, from which a sweep that was killed goes on. See
 * sweep.h.
 *
 * File: magic, then records: u32 length, u32 checksum, content. The first content says what is swept, each other is an outcome. What stands
 * behind the last whole record is cut off. */
#include "runtime/cli/sweep.h"
#include "runtime/results/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define MAGIC "SOLSWEEP1\n"
enum { MAGIC_LENGTH = 10, HEAD = 8, OUTCOME = 16 };

/* ---- outcomes as bytes ---- */

size_t sweep_pack_size(const SweepJob *job)
{
    return OUTCOME + 8 * (size_t)job->n_quantities + SWEEP_MESSAGE;
}

size_t sweep_pack(const SweepJob *job, const SweepOutcome *outcome, uint8_t *bytes)
{
    size_t n = strlen(outcome->message);
    put_u64(bytes, outcome->index);
    put_u32(bytes + 8, outcome->status);
    put_u32(bytes + 12, (uint32_t)n);
    for (uint32_t i = 0; i < job->n_quantities; i++)
        put_f64(bytes + OUTCOME + 8 * i, outcome->values[i]);
    memcpy(bytes + OUTCOME + 8 * (size_t)job->n_quantities, outcome->message, n);
    return OUTCOME + 8 * (size_t)job->n_quantities + n;
}

bool sweep_unpack(const SweepJob *job, const uint8_t *bytes, size_t n, SweepOutcome *outcome)
{
    size_t fixed = OUTCOME + 8 * (size_t)job->n_quantities;
    if (n < fixed || n - fixed >= SWEEP_MESSAGE || get_u32(bytes + 12) != n - fixed)
        return false;
    outcome->index = get_u64(bytes);
    outcome->status = get_u32(bytes + 8);
    for (uint32_t i = 0; i < job->n_quantities; i++)
        outcome->values[i] = get_f64(bytes + OUTCOME + 8 * i);
    memcpy(outcome->message, bytes + fixed, n - fixed);
    outcome->message[n - fixed] = '\0';
    return outcome->index < job->cases->n;
}

/* ---- what is known ---- */

Sweep *sweep_open(Mem *mem, const SweepJob *job)
{
    Sweep *s = mem_alloc(mem, sizeof *s);
    uint64_t n = job->cases->n;
    *s = (Sweep){.mem = mem, .job = job, .fd = -1};
    s->done = mem_alloc(mem, n);
    s->message = mem_alloc(mem, n * sizeof *s->message);
    s->values = mem_alloc(mem, (n * job->n_quantities + 1) * sizeof *s->values);
    return s;
}

static void remember(Sweep *s, const SweepOutcome *outcome)
{
    if (s->done[outcome->index])
        return;
    uint32_t n = s->job->n_quantities;
    s->done[outcome->index] = outcome->status == SOL_OK ? 1 : 2;
    s->n_done++;
    s->n_failed += outcome->status != SOL_OK;
    for (uint32_t i = 0; i < n; i++)
        s->values[outcome->index * n + i] = outcome->values[i];
    if (outcome->message[0]) {
        char *text = strcpy(mem_alloc(s->mem, strlen(outcome->message) + 1), outcome->message);
        vec_push(s->mem, &s->messages, text);
        s->message[outcome->index] = s->messages.n;
    }
}

/* ---- writing ---- */

static bool say(Sweep *s, const char *text)
{
    snprintf(s->why, sizeof s->why, "%.4000s: %s", s->journal, text);
    return false;
}

static bool write_all(Sweep *s, const uint8_t *bytes, size_t n)
{
    while (n > 0) {
        ssize_t done = write(s->fd, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return say(s, strerror(done < 0 ? errno : EIO));
        bytes += done;
        n -= (size_t)done;
    }
    return true;
}

static bool write_record(Sweep *s, const void *content, size_t n)
{
    uint8_t *bytes = mem_alloc(s->mem, HEAD + n);
    put_u32(bytes, (uint32_t)n);
    put_u32(bytes + 4, (uint32_t)crc32_z(0, content, n));
    memcpy(bytes + HEAD, content, n);
    bool good = write_all(s, bytes, HEAD + n);
    mem_free(s->mem, bytes);
    return good;
}

bool sweep_add(Sweep *s, const SweepOutcome *outcome)
{
    bool good = true;
    if (s->fd >= 0 && !s->done[outcome->index]) {
        uint8_t *bytes = mem_alloc(s->mem, sweep_pack_size(s->job));
        good = write_record(s, bytes, sweep_pack(s->job, outcome, bytes));
        mem_free(s->mem, bytes);
    }
    remember(s, outcome);
    return good;
}

/* ---- reading ---- */

static uint8_t *read_all(Sweep *s, size_t *n)
{
    struct stat info;
    *n = 0;
    if (fstat(s->fd, &info) != 0)
        return NULL;
    uint8_t *bytes = mem_alloc(s->mem, (size_t)info.st_size + 1);
    while (*n < (size_t)info.st_size) {
        ssize_t got = read(s->fd, bytes + *n, (size_t)info.st_size - *n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        *n += (size_t)got;
    }
    return bytes;
}

/* The content of the record at `at`, or NULL: there is no whole one. */
static const uint8_t *record_at(const uint8_t *bytes, size_t n, size_t at, size_t *length)
{
    if (n - at < HEAD)
        return NULL;
    *length = get_u32(bytes + at);
    if (*length > n - at - HEAD ||
        crc32_z(0, bytes + at + HEAD, *length) != get_u32(bytes + at + 4))
        return NULL;
    return bytes + at + HEAD;
}

/* Outcomes from `at` on; where the last whole one ends. */
static size_t take_outcomes(Sweep *s, const uint8_t *bytes, size_t n, size_t at)
{
    SweepOutcome outcome = {.values =
                                mem_alloc(s->mem, (s->job->n_quantities + 1) * sizeof(double))};
    const uint8_t *content;
    size_t length;
    while ((content = record_at(bytes, n, at, &length)) &&
           sweep_unpack(s->job, content, length, &outcome)) {
        remember(s, &outcome);
        at += HEAD + length;
    }
    mem_free(s->mem, outcome.values);
    s->n_before = s->n_done;
    return at;
}

static bool begin(Sweep *s, const char *about)
{
    if (ftruncate(s->fd, 0) != 0 || lseek(s->fd, 0, SEEK_SET) != 0)
        return say(s, strerror(errno));
    return write_all(s, (const uint8_t *)MAGIC, MAGIC_LENGTH) &&
           write_record(s, about, strlen(about));
}

static bool go_on(Sweep *s, const char *about)
{
    size_t n, length = 0;
    uint8_t *bytes = read_all(s, &n);
    bool ours = bytes && n >= MAGIC_LENGTH && memcmp(bytes, MAGIC, MAGIC_LENGTH) == 0;
    const uint8_t *first = ours ? record_at(bytes, n, MAGIC_LENGTH, &length) : NULL;
    if (!first && (ours || n < MAGIC_LENGTH)) /* killed before it had begun */
        return begin(s, about);
    if (!ours)
        return say(s, "this is no journal of a sweep");
    if (length != strlen(about) || memcmp(first, about, length) != 0)
        return say(s, "belongs to a sweep of another model, of other cases or with other options: "
                      "--fresh begins anew");
    size_t end = take_outcomes(s, bytes, n, MAGIC_LENGTH + HEAD + length);
    mem_free(s->mem, bytes);
    if (ftruncate(s->fd, (off_t)end) != 0 || lseek(s->fd, 0, SEEK_END) != (off_t)end)
        return say(s, strerror(errno));
    return true;
}

bool sweep_journal_open(Sweep *s, const char *path, const char *about, bool fresh)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    s->journal = strcpy(mem_alloc(s->mem, strlen(path) + 1), path);
    s->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (s->fd < 0)
        return say(s, strerror(errno));
    if (fcntl(s->fd, F_SETLK, &lock) != 0)
        return say(s, "another sweep is writing it");
    return fresh ? begin(s, about) : go_on(s, about);
}

void sweep_journal_remove(Sweep *s)
{
    if (s->fd >= 0)
        unlink(s->journal);
}

void sweep_close(Sweep *s)
{
    if (s && s->fd >= 0)
        close(s->fd);
}
