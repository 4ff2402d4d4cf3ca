/* result_continue.c: what a writer keeps <-> a block of bytes; a file that was cut -> a writer that
 * goes on with it. See result.h. */
#include "base/pack.h"
#include "runtime/results/bytes.h"
#include "runtime/results/result_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

/* ---- what it keeps ---- */

static void pack_live(Pack *p, LiveColumn *c)
{
    PACK(p, c->column);
    PACK(p, c->type);
    PACK_BIT(p, c->dead);
    PACK_BIT(p, c->fresh);
    PACK(p, c->last);
}

/* Where the last record begins and ends, and its checksum: a file without it is another one. */
typedef struct Tail {
    uint64_t begin, end;
    uint8_t sum[4];
} Tail;

static Tail pack_writer(ResultWriter *w, Pack *p)
{
    Tail tail = {.begin = w->last_record, .end = w->out.offset};
    if (p->writing)
        memcpy(tail.sum, w->record.at + 4, sizeof tail.sum);
    PACK(p, tail.begin);
    PACK(p, tail.end);
    PACK(p, tail.sum);
    PACK(p, w->n_columns);
    PACK(p, w->n_strings);
    PACK_BIT(p, w->has_dead);
    PACK_LIST(p, &w->types);
    PACK_LENGTH(p, &w->live, 1);
    for (uint32_t i = 0; i < w->live.n; i++)
        pack_live(p, &w->live.at[i]);
    pack_map(p, &w->texts);
    pack_map(p, &w->modes);
    PACK_LIST(p, &w->choices);
    return tail;
}

void result_pack(ResultWriter *w, Pack *p)
{
    pack_writer(w, p);
}

/* ---- the file ---- */

static bool head_fits(int fd)
{
    uint8_t head[RESULT_FILE_HEAD];
    return pread(fd, head, sizeof head, 0) == sizeof head &&
           memcmp(head, RESULT_MAGIC, RESULT_MAGIC_LENGTH) == 0 &&
           get_u32(head + RESULT_MAGIC_LENGTH) == RESULT_VERSION;
}

/* The bytes of the last record are those that were written; `record` has room for them. */
static bool tail_fits(int fd, const Tail *tail, uint8_t *record)
{
    size_t n = tail->end - tail->begin;
    return pread(fd, record, n, (off_t)tail->begin) == (ssize_t)n &&
           get_u32(record) == n - RESULT_RECORD_HEAD &&
           memcmp(record + 4, tail->sum, sizeof tail->sum) == 0 &&
           crc32_z(0, record + RESULT_SUM_FROM, n - RESULT_SUM_FROM) == get_u32(record + 4);
}

/* All memory is taken while the file is not open. */
static int check_file(ResultWriter *w, const char *path, const Tail *tail)
{
    if (tail->begin < RESULT_FILE_HEAD || tail->end < tail->begin + RESULT_RECORD_HEAD ||
        tail->end - tail->begin > UINT32_MAX)
        return EINVAL;
    vec_reserve(w->mem, &w->record, (uint32_t)(tail->end - tail->begin));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    bool fits = head_fits(fd) && tail_fits(fd, tail, w->record.at);
    close(fd);
    return fits ? 0 : EINVAL;
}

ResultWriter *result_continue(Mem *mem, Pack *p, const char *path)
{
    ResultWriter *w = result_new_writer(mem);
    Tail tail = pack_writer(w, p);
    int error = p->bad || w->types.n != w->n_columns ? EINVAL : check_file(w, path, &tail);
    w->last_record = tail.begin;
    if (error)
        w->out.error = error;
    else
        out_append(&w->out, path, tail.end);
    return w;
}
