/* worker.h: the compile thread inside. Private to compile_thread.c and the two files it hands work to; all of
 * it runs in that thread. */
#ifndef JIT_WORKER_H
#define JIT_WORKER_H

#include "jit/jit_int.h"

#include <stdio.h>

enum { ROUND = JIT_ROUND };

typedef struct Worker {
    Jit *jit;
    Mem *mem; /* of this thread alone */
    DiskCache *disk;
    const BackendLinker *linker; /* &jit->linker */
    const Backend *compiler;     /* &jit->compiler */
    uint64_t host;               /* hash of linker->host */
    uint64_t jobs;               /* ever, for options.refuse_every and fatal_at */
    FILE *perf_map;
    bool used_disk;           /* something was stored or found there */
    VEC(JitModule *) modules; /* by id; at[0] is unused; NULL: id is free */
    VEC(uint32_t) free_ids;
    Map by_hash; /* of the object */
    /* this round */
    JitTier tier;
    uint32_t n, n_jobs;
    JitEntry *entry[ROUND];   /* taken */
    JitEntry *job_for[ROUND]; /* of them, those to compile */
    BackendJob job[ROUND];
    char name[ROUND][BACKEND_NAME];
} Worker;

/* code_modules.c: object files -> modules, entries -> their code */

/* A name says tier, kind and layout, and by a hash what is computed; whoever makes the same
 * function again gives it the same name. */
void worker_name(const JitEntry *entry, JitTier tier, char name[BACKEND_NAME]);
JitModule *worker_known(const Worker *w, const uint64_t hash[2]); /* NULL: not linked */
/* The module with one user, who must leave it; NULL: it cannot be linked. */
JitModule *worker_link(Worker *w, const void *object, size_t size, const uint64_t hash[2]);
void worker_leave(Worker *w, JitModule *module);
/* Lock held; it is left while modules are dropped. */
void worker_bury(Worker *w);
void worker_refuse(Jit *jit, JitEntry *entry, JitRefusal why); /* lock held */
void worker_refuse_linking(Worker *w, JitEntry *entry);
void worker_publish(Worker *w, JitEntry *entry, JitTier tier, JitModule *module,
                    const BackendSymbol *symbol);

/* stored_code.c: entries <-> their code on disk */

void worker_know_host(Worker *w); /* before anything is loaded or stored; the linker is there */
/* Only whether there is something; the linker must be there to use it. */
void worker_look(Worker *w);
/* True: it has code from disk now. What cannot be used is as good as not there; it is compiled when it is
 * warm. */
bool worker_load(Worker *w, JitEntry *entry);
/* Without the object: that is an entry of its own. */
void worker_store(Worker *w, const JitEntry *entry, const JitModule *module, const void *object,
                  size_t size);

#endif
