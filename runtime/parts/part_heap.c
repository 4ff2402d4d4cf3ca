/* part_heap.c: parts -> which is furthest behind, whose event comes first, which clock turns first. */
#include "runtime/parts/parts.h"

#include <math.h>
#include <string.h>

bool part_needs_steps(const Part *part)
{
    return part->started && (part->n > 0 || part->lists.watched.n > 0);
}

/* What a part is ordered by; infinite: it is not in the heap. */
static double key_of(const Part *part, int heap)
{
    switch (heap) {
    case HEAP_BEHIND:
        return part_needs_steps(part) ? part->now : INFINITY;
    case HEAP_DUE:
        return part->started ? fmin(part->event, part->timed) : INFINITY;
    default:
        return part->started && part->n == 0 && (!part->stops.known || part->stops.broad)
                   ? part->timed
                   : INFINITY;
    }
}

/* Keys are kept in the heap, and where a part is in it beside it: parts lie far apart. */
static bool comes_first(const PartKey *a, const PartKey *b)
{
    return (a->key < b->key) | ((a->key == b->key) & (a->index < b->index));
}

static void heap_set(PartHeap *heap, uint32_t i, PartKey entry)
{
    heap->at[i] = entry;
    heap->place[entry.index] = i + 1;
}

static void heap_up(PartHeap *heap, uint32_t i)
{
    PartKey entry = heap->at[i];
    for (; i && comes_first(&entry, &heap->at[(i - 1) / 2]); i = (i - 1) / 2)
        heap_set(heap, i, heap->at[(i - 1) / 2]);
    heap_set(heap, i, entry);
}

static void heap_down(PartHeap *heap, uint32_t i)
{
    PartKey entry = heap->at[i];
    for (uint32_t child; (child = 2 * i + 1) < heap->n; i = child) {
        if (child + 1 < heap->n) /* which one nobody could predict: no branch */
            child += comes_first(&heap->at[child + 1], &heap->at[child]);
        if (!comes_first(&heap->at[child], &entry))
            break;
        heap_set(heap, i, heap->at[child]);
    }
    heap_set(heap, i, entry);
}

static void heap_leave(PartHeap *heap, uint32_t index)
{
    uint32_t i = heap->place[index] - 1;
    PartKey last = heap->at[--heap->n];
    heap->place[index] = 0;
    if (last.index == index)
        return;
    heap_set(heap, i, last);
    heap_up(heap, i);
    heap_down(heap, heap->place[last.index] - 1);
}

/* For as many parts as there are. */
static void heap_room(Sim *sim, PartHeap *heap)
{
    if (sim->parts.n <= heap->room)
        return;
    uint32_t room = 2 * sim->parts.n;
    heap->at = mem_resize(sim->mem, heap->at, room * sizeof *heap->at);
    heap->place = mem_resize(sim->mem, heap->place, room * sizeof *heap->place);
    memset(heap->place + heap->room, 0, (room - heap->room) * sizeof *heap->place);
    heap->room = room;
}

/* The part with the second index has the first one now, which has nobody. */
void part_heap_rename(PartHeap *heap, uint32_t to, uint32_t from)
{
    uint32_t place = from < heap->room ? heap->place[from] : 0;
    if (!place)
        return;
    heap->at[place - 1].index = to;
    heap->place[to] = place;
    heap->place[from] = 0;
}

void part_reorder(Part *part)
{
    for (int which = 0; which < HEAPS; which++) {
        PartHeap *heap = &part->sim->loop.heaps[which];
        double key = key_of(part, which);
        heap_room(part->sim, heap);
        uint32_t place = heap->place[part->index];
        if (!isfinite(key)) {
            if (place)
                heap_leave(heap, part->index);
            continue;
        }
        uint32_t i = place ? place - 1 : heap->n++;
        heap->at[i] = (PartKey){key, part->index};
        heap_up(heap, i);
        heap_down(heap, heap->place[part->index] - 1);
    }
}

double parts_first_key(const Sim *sim, int which)
{
    return sim->loop.heaps[which].n ? sim->loop.heaps[which].at[0].key : INFINITY;
}

Part *parts_first(const Sim *sim, int which, uint32_t i)
{
    return sim->parts.at[sim->loop.heaps[which].at[i].index];
}

void part_heaps_close(Sim *sim)
{
    for (int which = 0; which < HEAPS; which++) {
        mem_free(sim->mem, sim->loop.heaps[which].at);
        mem_free(sim->mem, sim->loop.heaps[which].place);
    }
}

/* Small parts take turns, and the turns of a thousand others drive from the caches what one needs:
 * so it is asked for one turn ahead, and where that lies two turns ahead. Whose turn it will be is
 * told by the heap, unless the part that steps now comes first again. NULL: parts are few. */
const Part *parts_second(const Sim *sim)
{
    const PartHeap *heap = &sim->loop.heaps[HEAP_BEHIND];
    if (heap->n < 3)
        return NULL;
    for (uint32_t i = 3; i < heap->n && i < 7; i++)
        part_prefetch_head(parts_first(sim, HEAP_BEHIND, i));
    return parts_first(sim, HEAP_BEHIND, heap->at[2].key < heap->at[1].key ? 2 : 1);
}
