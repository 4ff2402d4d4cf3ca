/* similar.c: two words -> their distance. See similar.h.
 *
 * The optimal string alignment distance by rows (Damerau, CACM 7(3), 1964; Wagner and Fischer, JACM
 * 21(1), 1974): row i holds the distance of the first i characters of a to all beginnings of b. An
 * exchange of neighbours looks two rows back, so three rows are kept. */
#include "base/similar.h"

#include <string.h>

enum { LONGEST = 127 };

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t similar_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    uint32_t rows[3][LONGEST + 1];
    if (n > LONGEST || m > LONGEST)
        return UINT32_MAX;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = (uint32_t)j;
    for (size_t i = 1; i <= n; i++) {
        uint32_t *row = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= m; j++) {
            uint32_t replaced = before[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = least(replaced, least(before[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], earlier[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

bool similar_enough(const char *a, uint32_t distance)
{
    return distance < strlen(a) && (distance <= 1 || distance <= strlen(a) / 3);
}
