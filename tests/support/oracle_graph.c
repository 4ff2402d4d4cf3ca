/* edge lists -> adjacency, maximum matchings, strong components.
 *
 * Matching after Hopcroft and Karp, SIAM J. Comput. 2 (1973); components after Tarjan, SIAM J.
 * Comput. 1 (1972). Both with stacks of their own.
 */
#include "tests/support/oracle_int.h"

OracleGraph oracle_graph(Arena *arena, uint32_t n, uint32_t n_edges, const OracleEdge *edges)
{
    uint32_t *start = arena_alloc(arena, (n + 2) * sizeof *start);
    uint32_t *to = arena_alloc(arena, (n_edges + 1) * sizeof *to);

    for (uint32_t e = 0; e < n_edges; e++)
        start[edges[e].from + 2]++;
    for (uint32_t i = 2; i < n + 2; i++)
        start[i] += start[i - 1];
    for (uint32_t e = 0; e < n_edges; e++)
        to[start[edges[e].from + 1]++] = edges[e].to;
    return (OracleGraph){n, start, to};
}

/* ---- matching ---- */

typedef struct Matching {
    OracleGraph graph;
    uint32_t *row_match, *col_match;
    uint32_t *layer; /* [row]: distance from the unmatched rows, ORACLE_NONE: not reached */
    uint32_t *next;  /* [row]: first neighbour not tried in this phase */
    uint32_t *stack; /* rows of the path being built, also the queue of the search */
} Matching;

/* Layers by breadth-first search; false when no unmatched column can be reached. */
static bool build_layers(Matching *m)
{
    uint32_t head = 0, tail = 0;
    bool reached = false;

    for (uint32_t r = 0; r < m->graph.n; r++) {
        m->layer[r] = ORACLE_NONE;
        m->next[r] = m->graph.start[r];
        if (m->row_match[r] == ORACLE_NONE) {
            m->layer[r] = 0;
            m->stack[tail++] = r;
        }
    }
    while (head < tail) {
        uint32_t r = m->stack[head++];
        for (uint32_t e = m->graph.start[r]; e < m->graph.start[r + 1]; e++) {
            uint32_t other = m->col_match[m->graph.to[e]];
            if (other == ORACLE_NONE) {
                reached = true;
            } else if (m->layer[other] == ORACLE_NONE) {
                m->layer[other] = m->layer[r] + 1;
                m->stack[tail++] = other;
            }
        }
    }
    return reached;
}

/* Flips the path on the stack; its last row takes `col`. */
static void flip_path(Matching *m, uint32_t depth, uint32_t col)
{
    while (depth > 0) {
        uint32_t r = m->stack[--depth], old = m->row_match[r];
        m->row_match[r] = col;
        m->col_match[col] = r;
        col = old;
    }
}

/* One augmenting path from `root` along the layers. */
static bool augment(Matching *m, uint32_t root)
{
    uint32_t depth = 0;

    m->stack[depth++] = root;
    while (depth > 0) {
        uint32_t r = m->stack[depth - 1];
        if (m->next[r] == m->graph.start[r + 1]) {
            depth--;
            continue;
        }
        uint32_t col = m->graph.to[m->next[r]++], other = m->col_match[col];
        if (other == ORACLE_NONE) {
            flip_path(m, depth, col);
            return true;
        }
        if (m->layer[other] == m->layer[r] + 1)
            m->stack[depth++] = other;
    }
    return false;
}

uint32_t oracle_match(Arena *arena, OracleGraph graph, uint32_t cols, uint32_t *row_match,
                      uint32_t *col_match)
{
    size_t size = (graph.n + 1) * sizeof(uint32_t);
    Matching m = {graph,
                  row_match,
                  col_match,
                  arena_alloc(arena, size),
                  arena_alloc(arena, size),
                  arena_alloc(arena, size)};
    uint32_t matched = 0;

    for (uint32_t r = 0; r < graph.n; r++)
        row_match[r] = ORACLE_NONE;
    for (uint32_t c = 0; c < cols; c++)
        col_match[c] = ORACLE_NONE;
    while (build_layers(&m))
        for (uint32_t r = 0; r < graph.n; r++)
            if (row_match[r] == ORACLE_NONE && m.layer[r] == 0 && augment(&m, r))
                matched++;
    return matched;
}

/* ---- strong components ---- */

typedef struct Strong {
    OracleGraph graph;
    uint32_t *comp;
    uint32_t *number, *low; /* [node]: order of discovery from 1, lowest number reachable */
    uint32_t *next;         /* [node]: next neighbour to look at */
    uint32_t *path, n_path; /* the chain of calls */
    uint32_t *open, n_open; /* nodes whose component is not known yet */
    uint32_t count, comps;
} Strong;

static void discover(Strong *s, uint32_t node)
{
    s->number[node] = s->low[node] = ++s->count;
    s->next[node] = s->graph.start[node];
    s->path[s->n_path++] = node;
    s->open[s->n_open++] = node;
}

static void finish(Strong *s, uint32_t node)
{
    s->n_path--;
    if (s->n_path > 0) {
        uint32_t up = s->path[s->n_path - 1];
        if (s->low[node] < s->low[up])
            s->low[up] = s->low[node];
    }
    if (s->low[node] != s->number[node])
        return;
    uint32_t member;
    do {
        member = s->open[--s->n_open];
        s->comp[member] = s->comps;
    } while (member != node);
    s->comps++;
}

static void search_from(Strong *s, uint32_t root)
{
    discover(s, root);
    while (s->n_path > 0) {
        uint32_t node = s->path[s->n_path - 1];
        if (s->next[node] == s->graph.start[node + 1]) {
            finish(s, node);
            continue;
        }
        uint32_t to = s->graph.to[s->next[node]++];
        if (s->number[to] == 0)
            discover(s, to);
        else if (s->comp[to] == ORACLE_NONE && s->number[to] < s->low[node])
            s->low[node] = s->number[to];
    }
}

uint32_t oracle_strong(Arena *arena, OracleGraph graph, uint32_t *comp)
{
    size_t size = (graph.n + 1) * sizeof(uint32_t);
    Strong s = {.graph = graph,
                .comp = comp,
                .number = arena_alloc(arena, size),
                .low = arena_alloc(arena, size),
                .next = arena_alloc(arena, size),
                .path = arena_alloc(arena, size),
                .open = arena_alloc(arena, size)};

    for (uint32_t i = 0; i < graph.n; i++)
        comp[i] = ORACLE_NONE;
    for (uint32_t i = 0; i < graph.n; i++)
        if (s.number[i] == 0)
            search_from(&s, i);
    return s.comps;
}
