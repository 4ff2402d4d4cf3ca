/* vec.h: growing arrays of any type.
 *
 *     VEC(int) v = {0};
 *     vec_push(mem, &v, 7);   v.at[0] == 7, v.n == 1
 *     vec_free(mem, &v);
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/mem.h"

#include <stdint.h>

#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *at;                                                                                     \
        uint32_t n, cap;                                                                           \
    }

/* room for at least `need` elements; returns the array, perhaps moved */
void *vec_grow(Mem *mem, void *at, uint32_t need, uint32_t *cap, size_t element);

#define vec_reserve(mem, v, need)                                                                  \
    ((need) > (v)->cap                                                                             \
         ? (void)((v)->at = vec_grow((mem), (v)->at, (need), &(v)->cap, sizeof *(v)->at))          \
         : (void)0)
#define vec_push(mem, v, x) (vec_reserve((mem), (v), (v)->n + 1), (v)->at[(v)->n++] = (x))
#define vec_pop(v) ((v)->at[--(v)->n])
#define vec_last(v) ((v)->at[(v)->n - 1])
#define vec_clear(v) ((v)->n = 0)
#define vec_free(mem, v) (mem_free((mem), (v)->at), (v)->at = NULL, (v)->n = (v)->cap = 0)

#endif
