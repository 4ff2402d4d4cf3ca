/* crc32.c: bytes -> CRC-32, eight bytes at a time (Kounavis and Berry, A systematic approach to
 * building high performance software-based CRC generators, 2005). The reflected polynomial is
 * 0xEDB88320. */
#include "runtime/crc32.h"
#include "runtime/bytes.h"

void crc32_init(Crc32 *crc32)
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t x = b;
        for (int bit = 0; bit < 8; bit++)
            x = (x >> 1) ^ (x & 1 ? 0xEDB88320 : 0);
        crc32->table[0][b] = x;
    }
    for (int k = 1; k < 8; k++)
        for (uint32_t b = 0; b < 256; b++) {
            uint32_t x = crc32->table[k - 1][b];
            crc32->table[k][b] = (x >> 8) ^ crc32->table[0][x & 255];
        }
}

uint32_t crc32_update(const Crc32 *crc32, uint32_t crc, const void *bytes, size_t n)
{
    const uint32_t(*t)[256] = crc32->table;
    const uint8_t *p = bytes;
    crc = ~crc;
    for (; n >= 8; n -= 8, p += 8) {
        uint32_t a = crc ^ get_u32(p), b = get_u32(p + 4);
        crc = t[7][a & 255] ^ t[6][a >> 8 & 255] ^ t[5][a >> 16 & 255] ^ t[4][a >> 24] ^
              t[3][b & 255] ^ t[2][b >> 8 & 255] ^ t[1][b >> 16 & 255] ^ t[0][b >> 24];
    }
    for (; n; n--, p++)
        crc = (crc >> 8) ^ t[0][(crc ^ *p) & 255];
    return ~crc;
}
