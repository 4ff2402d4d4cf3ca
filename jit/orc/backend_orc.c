/* backend_orc.c: object files -> code, for the code service. See backend.h.
 *
 * What orc_link.c does, behind guards: memory may run out, and LLVM may call an error fatal. */
#include "jit/orc/link.h"
#include "jit/orc/session.h"

#include <pthread.h>
#include <stdio.h>

typedef struct OrcBackend {
    Mem *mem;
    Linker *linker;
} OrcBackend;

static _Thread_local char refusal_words[LLVM_WORDS]; /* of opening, in this thread */

/* ---- the processor ---- */

enum { HOST_ROOM = 4096 };
static char host[HOST_ROOM]; /* kind of machine, processor, features */

/* Once: LLVM's list of features takes it a while. */
static void describe_host(void)
{
    fatal_install();
    orc_host(host, sizeof host);
}

void solstice_linker_prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, describe_host);
}

/* ---- guarded calls ---- */

typedef struct LinkCall {
    OrcBackend *b;
    void (*call)(struct LinkCall *c);
    bool names;
    const void *object;
    size_t size;
    BackendModule *module;
    uint32_t n;
    BackendSymbol *symbols;
    bool done; /* memory was enough */
} LinkCall;

static void open_it(LinkCall *c)
{
    c->b->linker = linker_open(c->b->mem, c->names, refusal_words);
}

static void link_it(LinkCall *c)
{
    c->module = linker_link(c->b->linker, c->object, c->size);
}

static void find_them(LinkCall *c)
{
    linker_find(c->b->linker, c->module, c->n, c->symbols);
}

static void drop_it(LinkCall *c)
{
    linker_drop(c->b->linker, c->module);
}

static void within_memory(void *context)
{
    LinkCall *c = context;
    MemGuard guard;
    mem_guard_push(c->b->mem, &guard);
    if (setjmp(guard.env) == 0) {
        c->call(c);
        c->done = true;
        mem_guard_pop(c->b->mem, &guard);
    }
}

/* What the call has not done by the time memory runs out or LLVM dies is left undone. */
static bool guarded(LinkCall *c, void (*call)(LinkCall *c))
{
    c->call = call;
    return fatal_guarded(within_memory, c);
}

static BackendModule *link_object(void *state, const void *object, size_t size)
{
    LinkCall c = {.b = state, .object = object, .size = size};
    guarded(&c, link_it);
    return c.module;
}

static void find(void *state, BackendModule *module, uint32_t n, BackendSymbol *symbols)
{
    LinkCall c = {.b = state, .module = module, .n = n, .symbols = symbols};
    for (uint32_t i = 0; i < n; i++)
        symbols[i].at = NULL;
    guarded(&c, find_them);
}

static void drop(void *state, BackendModule *module)
{
    LinkCall c = {.b = state, .module = module};
    guarded(&c, drop_it);
}

/* ---- opening and closing ---- */

static const char *words(void *state)
{
    const OrcBackend *b = state;
    if (fatal_happened())
        return fatal_words();
    return b ? linker_words(b->linker) : refusal_words;
}

static void tear_down(void *state)
{
    OrcBackend *b = state;
    if (!fatal_happened())
        linker_close(b->linker);
    mem_close(b->mem);
}

static OrcBackend *new_backend(void)
{
    Mem *mem = mem_open();
    MemGuard guard;
    if (!mem)
        return NULL;
    mem_guard_push(mem, &guard);
    if (setjmp(guard.env) != 0) {
        mem_close(mem);
        return NULL;
    }
    OrcBackend *b = mem_alloc(mem, sizeof *b);
    mem_guard_pop(mem, &guard);
    b->mem = mem;
    return b;
}

JitRefusal solstice_linker_open(BackendLinker *linker, bool names)
{
    *linker =
        (BackendLinker){BACKEND_VERSION, NULL, NULL, link_object, find, drop, words, tear_down};
    solstice_linker_prepare();
    snprintf(refusal_words, sizeof refusal_words, "there is no memory for it");
    OrcBackend *b = new_backend();
    if (!b)
        return JIT_NO_MEMORY;
    LinkCall c = {.b = b, .names = names};
    bool lives = guarded(&c, open_it);
    if (b->linker) {
        linker->state = b;
        linker->host = host;
        return JIT_ACCEPTED;
    }
    tear_down(b);
    if (!lives)
        return JIT_LLVM_FATAL;
    return c.done ? JIT_NO_TARGET : JIT_NO_MEMORY;
}
