/* crc32.h: checksum of records (CRC-32 of ISO 3309, the one of zip and PNG). */
#ifndef RUNTIME_CRC32_H
#define RUNTIME_CRC32_H

#include <stddef.h>
#include <stdint.h>

typedef struct Crc32 {
    uint32_t table[8][256]; /* table[k][b]: what byte b becomes after k more bytes of 0 */
} Crc32;

void crc32_init(Crc32 *crc32); /* some microseconds; then any number of threads may use it */
/* Start with 0; the result of one call continues in the next. */
uint32_t crc32_update(const Crc32 *crc32, uint32_t crc, const void *bytes, size_t n);

#endif
