/* shape_table.c: keys of blocks -> patterns -> shapes, kept while someone needs them or there is room.
 *
 * A run that goes through ever new combinations of modes meets ever new blocks: with n switches in one
 * instance there may be 2^n. So what nobody keeps is a cache with a bound: a list from the oldest to
 * the newest, from whose old end patterns go when a new one comes and there are too many bytes. A
 * shape goes with its last pattern. Native code does not depend on it: the code service has its own
 * copy of what it compiles (jit.c), bounded likewise.
 */
#include "jit/shape_int.h"

#include <string.h>

/* ---- patterns that nobody keeps ---- */

static uint32_t *link_to_newer(Shapes *s, uint32_t older)
{
    return older ? &s->patterns.at[older]->newer : &s->oldest;
}

static uint32_t *link_to_older(Shapes *s, uint32_t newer)
{
    return newer ? &s->patterns.at[newer]->older : &s->newest;
}

static void put_newest(Shapes *s, Pattern *p)
{
    p->older = s->newest;
    p->newer = 0;
    *link_to_newer(s, p->older) = p->id;
    s->newest = p->id;
    s->idle += p->bytes + p->known->bytes;
}

static void take_out(Shapes *s, Pattern *p)
{
    *link_to_newer(s, p->older) = p->newer;
    *link_to_older(s, p->newer) = p->older;
    s->idle -= p->bytes + p->known->bytes;
}

void shape_keep(Shapes *s, uint32_t id)
{
    Pattern *p = s->patterns.at[id];
    if (p->keepers++ == 0)
        take_out(s, p);
}

void shape_drop(Shapes *s, uint32_t id)
{
    Pattern *p = s->patterns.at[id];
    if (--p->keepers == 0)
        put_newest(s, p);
}

void shapes_limit(Shapes *s, size_t bytes)
{
    s->limit = bytes;
}

/* ---- removing ---- */

static void forget_shape(Shapes *s, KnownShape *known)
{
    uint64_t hash = known->shape.hash[0];
    uint32_t first = map_get(&s->shape_by_hash, hash);
    if (first != known->id) {
        while (s->shapes.at[first]->same_hash != known->id)
            first = s->shapes.at[first]->same_hash;
        s->shapes.at[first]->same_hash = known->same_hash;
    } else if (known->same_hash) {
        map_put(s->mem, &s->shape_by_hash, hash, known->same_hash);
    } else {
        map_remove(&s->shape_by_hash, hash);
    }
    s->shapes.at[known->id] = NULL;
    s->free_shapes.at[s->free_shapes.n++] = known->id;
    s->bytes -= known->bytes;
    s->totals.shapes--;
    mem_free(s->mem, known);
}

static void forget_pattern(Shapes *s, Pattern *p)
{
    uint32_t first = map_get(&s->pattern_by_hash, p->hash);
    take_out(s, p);
    if (first != p->id) {
        while (s->patterns.at[first]->same_hash != p->id)
            first = s->patterns.at[first]->same_hash;
        s->patterns.at[first]->same_hash = p->same_hash;
    } else if (p->same_hash) {
        map_put(s->mem, &s->pattern_by_hash, p->hash, p->same_hash);
    } else {
        map_remove(&s->pattern_by_hash, p->hash);
    }
    if (--p->known->patterns == 0)
        forget_shape(s, p->known);
    s->patterns.at[p->id] = NULL;
    s->free_patterns.at[s->free_patterns.n++] = p->id;
    s->bytes -= p->bytes;
    s->totals.patterns--;
    mem_free(s->mem, p);
}

void shape_table_free(Shapes *s)
{
    for (uint32_t i = 1; i < s->patterns.n; i++)
        mem_free(s->mem, s->patterns.at[i]);
    for (uint32_t i = 1; i < s->shapes.n; i++)
        mem_free(s->mem, s->shapes.at[i]);
    vec_free(s->mem, &s->patterns);
    vec_free(s->mem, &s->shapes);
    vec_free(s->mem, &s->free_patterns);
    vec_free(s->mem, &s->free_shapes);
    map_free(s->mem, &s->pattern_by_hash);
    map_free(s->mem, &s->shape_by_hash);
}

/* ---- finding and adding ---- */

Pattern *shape_table_find(Shapes *s, uint64_t hash)
{
    for (uint32_t id = map_get(&s->pattern_by_hash, hash); id; id = s->patterns.at[id]->same_hash) {
        Pattern *p = s->patterns.at[id];
        if (p->n_key != s->key.n || memcmp(p->key, s->key.at, s->key.n * sizeof *s->key.at) != 0)
            continue;
        if (!p->keepers && s->newest != id) {
            take_out(s, p);
            put_newest(s, p);
        }
        return p;
    }
    return NULL;
}

static void find_roles(const Shape *shape, uint8_t *role)
{
    for (uint32_t i = 0; i < shape->n_ops; i++) {
        ShapeOp op = shape->ops[i];
        if (op.op == SHAPE_STORE)
            role[op.a] = SLOT_STORED;
        for (uint32_t k = 0; op.op == X_CALL && k <= op.c; k++)
            role[op.a + k] = SLOT_FUNCTION;
    }
}

static KnownShape *add_shape(Shapes *s, const Shape *wanted)
{
    size_t ops = wanted->n_ops * sizeof *wanted->ops;
    size_t bytes = sizeof(KnownShape) + ops + wanted->n_slots;
    vec_reserve(s->mem, &s->shapes, s->shapes.n + 1);
    vec_reserve(s->mem, &s->free_shapes, s->shapes.cap); /* so that forgetting cannot fail */
    KnownShape *known = mem_alloc(s->mem, bytes);
    known->shape = *wanted;
    known->shape.ops = memcpy(known + 1, wanted->ops, ops);
    uint8_t *role = (uint8_t *)(known + 1) + ops;
    find_roles(wanted, role);
    known->shape.role = role;
    known->bytes = bytes;
    known->same_hash = map_get(&s->shape_by_hash, wanted->hash[0]);
    known->id = s->free_shapes.n ? vec_last(&s->free_shapes) : s->shapes.n;
    map_put(s->mem, &s->shape_by_hash, wanted->hash[0], known->id);
    if (s->free_shapes.n)
        s->free_shapes.n--;
    else
        s->shapes.n++;
    s->shapes.at[known->id] = known;
    s->bytes += bytes;
    s->totals.shapes++;
    s->totals.made++;
    return known;
}

static KnownShape *find_shape(Shapes *s, const Shape *wanted)
{
    uint32_t id = map_get(&s->shape_by_hash, wanted->hash[0]);
    while (id && !shape_same(&s->shapes.at[id]->shape, wanted))
        id = s->shapes.at[id]->same_hash;
    return id ? s->shapes.at[id] : add_shape(s, wanted);
}

Pattern *shape_table_add(Shapes *s, uint64_t hash, const Shape *shape, const double *constants)
{
    while (s->idle > s->limit)
        forget_pattern(s, s->patterns.at[s->oldest]);
    size_t n_constants = shape->n_constants * sizeof(double), n_key = s->key.n * sizeof *s->key.at;
    size_t bytes = sizeof(Pattern) + n_constants + n_key;
    vec_reserve(s->mem, &s->patterns, s->patterns.n + 1);
    vec_reserve(s->mem, &s->free_patterns, s->patterns.cap);
    Pattern *p = mem_alloc(s->mem, bytes);
    *p = (Pattern){.n_key = s->key.n, .hash = hash, .bytes = bytes};
    p->constants = n_constants ? memcpy(p + 1, constants, n_constants) : (void *)(p + 1);
    p->key = memcpy((char *)(p + 1) + n_constants, s->key.at, n_key);
    p->known = find_shape(s, shape);
    p->known->patterns++;
    p->same_hash = map_get(&s->pattern_by_hash, hash);
    p->id = s->free_patterns.n ? vec_last(&s->free_patterns) : s->patterns.n;
    map_put(s->mem, &s->pattern_by_hash, hash, p->id);
    if (s->free_patterns.n)
        s->free_patterns.n--;
    else
        s->patterns.n++;
    s->patterns.at[p->id] = p;
    s->bytes += bytes;
    s->totals.patterns++;
    put_newest(s, p);
    return p;
}
