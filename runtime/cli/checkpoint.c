/* checkpoint.c: simulation and recorder <-> checkpoint file. See checkpoint.h.
 *
 *     "SOLSAVE\n"  u32 version  u64 index  u32 length, options
 *     simulation  u64 length, writer of the result  recorder  u32 CRC-32 of all before
 */
#define _GNU_SOURCE
#include "runtime/cli/checkpoint.h"
#include "base/pack.h"
#include "runtime/results/bytes.h"
#include "runtime/results/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { MAGIC = 8, HEAD = 24, VERSION = 2 };

static const char magic[] = "SOLSAVE\n";

/* ---- writing ---- */

typedef struct Saving {
    OutFile out;
    uint32_t crc;
} Saving;

static bool save_bytes(void *context, const void *bytes, size_t n)
{
    Saving *saving = context;
    if (n)
        saving->crc = (uint32_t)crc32_z(saving->crc, bytes, n);
    out_bytes(&saving->out, bytes, n);
    return saving->out.error == 0;
}

static void save_head(Saving *saving, const Checkpoint *checkpoint)
{
    uint8_t head[HEAD];
    uint32_t length = (uint32_t)strlen(checkpoint->options);
    memcpy(head, magic, MAGIC);
    put_u32(head + 8, VERSION);
    put_u64(head + 12, checkpoint->index);
    put_u32(head + 20, length);
    save_bytes(saving, head, sizeof head);
    save_bytes(saving, checkpoint->options, length);
}

static void save_block(Saving *saving, const Pack *pack)
{
    uint8_t length[8];
    put_u64(length, pack->n);
    save_bytes(saving, length, sizeof length);
    save_bytes(saving, pack->bytes, pack->n);
}

/* What the writer of the result keeps; false: no memory. */
static bool pack_writer(ResultWriter *writer, Pack *pack)
{
    MemGuard guard;
    mem_guard_push(pack->mem, &guard);
    if (setjmp(guard.env) != 0)
        return false;
    result_pack(writer, pack);
    mem_guard_pop(pack->mem, &guard);
    return true;
}

/* Into the file beside the old one, which it then replaces. */
static SolStatus save_file(const char *path, const char *beside, const Checkpoint *checkpoint,
                           const Pack *writer, Recorder *recorder, Sol *sim, int *error)
{
    uint8_t sum[4];
    Saving saving = {.crc = 0};
    out_create(&saving.out, beside);
    *error = saving.out.error;
    if (*error)
        return SOL_IO;
    save_head(&saving, checkpoint);
    SolStatus status = sol_save(sim, save_bytes, &saving);
    save_block(&saving, writer);
    record_save(recorder, save_bytes, &saving);
    put_u32(sum, saving.crc);
    out_bytes(&saving.out, sum, sizeof sum);
    if (!out_close(&saving.out))
        status = SOL_IO;
    *error = saving.out.error;
    if (status != SOL_OK) {
        unlink(beside);
        return status;
    }
    if (rename(beside, path) == 0)
        return SOL_OK;
    *error = errno;
    return SOL_IO;
}

SolStatus checkpoint_save(Mem *mem, const char *path, const Checkpoint *checkpoint,
                          ResultWriter *writer, Recorder *recorder, Sol *sim, int *error)
{
    char beside[PATH_MAX];
    Pack pack = {.mem = mem, .writing = true};
    *error = ENAMETOOLONG;
    if (snprintf(beside, sizeof beside, "%s.new", path) >= (int)sizeof beside)
        return SOL_IO;
    *error = ENOMEM;
    if (!pack_writer(writer, &pack))
        return SOL_MEMORY;
    SolStatus status = save_file(path, beside, checkpoint, &pack, recorder, sim, error);
    pack_free(&pack);
    return status;
}

/* ---- reading ---- */

struct CheckpointFile {
    uint8_t *bytes;
    size_t size, at; /* without the checksum */
};

static bool load_bytes(void *context, void *bytes, size_t n)
{
    CheckpointFile *file = context;
    if (n > file->size - file->at)
        return false;
    memcpy(bytes, file->bytes + file->at, n);
    file->at += n;
    return true;
}

/* All memory is taken while no file is open. False with errno. */
static bool read_whole(Mem *mem, const char *path, CheckpointFile *file)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return false;
    file->size = (size_t)info.st_size;
    file->bytes = mem_alloc(mem, file->size + 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    size_t done = 0;
    ssize_t n = 1;
    while (done < file->size && n > 0) {
        n = read(fd, file->bytes + done, file->size - done);
        done += n > 0 ? (size_t)n : 0;
    }
    close(fd);
    file->size = done;
    return n >= 0;
}

static const char *read_head(Mem *mem, CheckpointFile *file, Checkpoint *checkpoint)
{
    if (file->size < HEAD + 4 || memcmp(file->bytes, magic, MAGIC) != 0)
        return "not a checkpoint";
    file->size -= 4;
    if (crc32_z(0, file->bytes, file->size) != get_u32(file->bytes + file->size))
        return "damaged: its checksum is wrong";
    if (get_u32(file->bytes + 8) != VERSION)
        return "written by another version of solstice: only that one can go on from it";
    uint32_t length = get_u32(file->bytes + 20);
    if (length > file->size - HEAD)
        return "damaged";
    char *options = mem_alloc(mem, length + 1);
    memcpy(options, file->bytes + HEAD, length);
    *checkpoint = (Checkpoint){get_u64(file->bytes + 12), options};
    file->at = HEAD + length;
    return NULL;
}

CheckpointFile *checkpoint_load(Mem *mem, const char *path, Checkpoint *checkpoint, char *why,
                                size_t size)
{
    CheckpointFile *file = mem_alloc(mem, sizeof *file);
    const char *complaint =
        read_whole(mem, path, file) ? read_head(mem, file, checkpoint) : strerror(errno);
    if (!complaint)
        return file;
    snprintf(why, size, "%s", complaint);
    return NULL;
}

ResultWriter *checkpoint_restore_writer(CheckpointFile *file, Mem *mem, const char *result)
{
    uint8_t bytes[8];
    uint64_t length = load_bytes(file, bytes, sizeof bytes) ? get_u64(bytes) : 0;
    if (length > file->size - file->at)
        length = 0;
    Pack pack = {.mem = mem, .bytes = file->bytes + file->at, .n = length};
    file->at += length;
    return result_continue(mem, &pack, result);
}

bool checkpoint_restore_recorder(CheckpointFile *file, Recorder *recorder)
{
    return record_restore(recorder, load_bytes, file);
}

SolStatus checkpoint_restore_simulation(CheckpointFile *file, Sol *sim)
{
    return sol_restore(sim, load_bytes, file);
}
