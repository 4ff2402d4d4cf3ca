/* fuzz_result.c: any bytes as the records of a result file, with checksums that fit -> columns,
 * rows, exports.
 *
 * The input is a sequence of records, each a length in one byte, the type and the payload; random
 * bytes would hardly ever pass the checksum, and then nothing behind it would be tried. */
#define _GNU_SOURCE
#include "runtime/results/bytes.h"
#include "runtime/results/result_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool put(int fd, const void *bytes, size_t n)
{
    return write(fd, bytes, n) == (ssize_t)n;
}

static bool write_records(int fd, const uint8_t *data, size_t size)
{
    uint8_t head[RESULT_FILE_HEAD];
    memcpy(head, RESULT_MAGIC, RESULT_MAGIC_LENGTH);
    put_u32(head + RESULT_MAGIC_LENGTH, RESULT_VERSION);
    bool good = put(fd, head, sizeof head);
    while (good && size > 1) {
        size_t n = data[0] < size - 2 ? data[0] : size - 2; /* of the payload */
        put_u32(head, (uint32_t)n);
        put_u32(head + 4, crc32_z(0, data + 1, n + 1));
        good = put(fd, head, 8) && put(fd, data + 1, n + 1);
        data += n + 2;
        size -= n + 2;
    }
    return good;
}

static void read_file(Mem *mem, const char *path)
{
    ResultReader *reader = result_open(mem, path);
    ResultRecord record;
    char text[200];
    int error;
    while (result_next(reader, &record))
        if (record.kind == RESULT_ROW)
            for (uint32_t i = 0; i < result_column_count(reader); i++)
                result_string(reader, result_column(reader, i)->value);
    if (result_end(reader) == RESULT_OPEN)
        abort(); /* it must say why it ended */
    result_end_text(reader, path, text, sizeof text);
    result_to_csv(mem, reader, "/dev/null", NULL, &error);
    result_to_mat(mem, reader, "/dev/null", NULL, &error);
    result_close_reader(reader);
    if (mem_used(mem))
        abort(); /* closing forgot something */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("result", MFD_CLOEXEC);
    Mem *mem = mem_open();
    if (fd < 0 || !mem)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (write_records(fd, data, size))
        read_file(mem, path);
    mem_close(mem);
    close(fd);
    return 0;
}
