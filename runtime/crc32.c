/* crc32.c: bytes -> CRC-32.
 *
 * Two table look-ups per byte (one for each half) from 16 entries: small enough to be read here and
 * to be checked by hand, and fast enough beside the writing of the bytes themselves. Reflected
 * polynomial 0xEDB88320; entry i is what four steps of the bitwise algorithm make of i. */
#include "runtime/crc32.h"

static const uint32_t half_byte[16] = {
    0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
    0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
};

uint32_t crc32_update(uint32_t crc, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    crc = ~crc;
    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        crc = (crc >> 4) ^ half_byte[crc & 15];
        crc = (crc >> 4) ^ half_byte[crc & 15];
    }
    return ~crc;
}
