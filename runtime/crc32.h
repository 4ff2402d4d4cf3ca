/* crc32.h: checksum of records (CRC-32 of ISO 3309, the one of zip and PNG). */
#ifndef RUNTIME_CRC32_H
#define RUNTIME_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Start with 0; the result of one call continues in the next. */
uint32_t crc32_update(uint32_t crc, const void *bytes, size_t n);

#endif
