/* jit.h: native code for shapes: requested, made in the background, used when it is there.
 *
 * A request returns at once with an entry; the entry's function is NULL until a background thread
 * has made it, and the caller interprets until then. What the interpreter (jit/interp.h) computes
 * and what code computes is the same bit for bit, in every tier and layout (a NaN is a NaN); so it
 * never matters to a result when code arrives. Code has no address in it: only the vector of
 * values, the slots, the constants and the JitEnv it is given.
 *
 * Who asks: any thread; requests take a lock that is never held while something is compiled or read
 * from disk. jit_code takes none. A function is valid while its entry is held (jit_request,
 * jit_release); a better one that arrives later does not make it invalid.
 *
 * Error rule: not compiling is a normal answer with a reason (jit_refusal), and the interpreter
 * goes on. Nothing here fails otherwise.
 */
#ifndef JIT_JIT_H
#define JIT_JIT_H

#include "jit/shape.h"

typedef struct Jit Jit;
typedef struct JitEntry JitEntry;

typedef struct JitOptions {
    const char *
        module; /* path of solstice_llvm.so, which solstice_orc.so lies beside; NULL: beside the program or where it is installed */
    const char *cache;     /* folder of the cache on disk; NULL: none */
    size_t memory;         /* bytes of code kept at most, as far as not in use; 0: 64 MB */
    uint64_t warm;         /* evaluations before LLVM is asked; the disk is asked at once */
    double patience;       /* seconds since jit_open before LLVM is loaded, unless someone waits */
    uint64_t hot;          /* evaluations after which code is optimised; 0: 2,000 */
    uint32_t batch;        /* functions per module at most; 0: 32 */
    bool fast_math;        /* results may differ from the interpreter's */
    bool only_optimised;   /* no quick tier: everything is optimised at once */
    bool only_quick;       /* no optimised tier */
    bool names;            /* tell gdb and perf (/tmp/perf-PID.map) about functions */
    const char *model;     /* what jit_ahead is told in later runs; NULL: nothing */
    uint32_t mappings;     /* of code at most, as far as not in use; 0: a quarter of the system's */
    uint32_t refuse_every; /* tests: LLVM is given every n-th function broken; 0: never */
    uint32_t fatal_at;     /* tests: the n-th function is a fatal error to LLVM; 0: none */
    uint32_t slow_load;    /* tests: milliseconds that loading the code generator takes longer */
    uint32_t slow_optimise; /* tests: the same for each optimised function */
    uint32_t late;          /* tests: draws how often jit_code finds nothing yet; 0: never */
    uint32_t fail_at;       /* tests: the n-th allocation of the compile thread fails; 0: none */
} JitOptions;

/* Never NULL, except when there is no memory at all. Starts nothing: thread and LLVM come with the
 * first request. */
Jit *jit_open(const JitOptions *options);
bool jit_serves(const Jit *jit, const JitOptions *options); /* its options are these */
/* Waits for the function that is being compiled, drops the queue. All entries become invalid. */
void jit_close(Jit *jit);

/* Before there is a Jit: begins to load LLVM's linker in a thread of its own, if the cache on disk remembers
 * that options->model used code from it. NULL: it cannot. */
typedef struct JitAhead JitAhead;
JitAhead *jit_ahead(const JitOptions *options);
void jit_ahead_end(JitAhead *ahead); /* waits for it; NULL is fine */

/* ---- functions ---- */

/* What code needs beside its data. Filled by jit_env; the same for all threads and entries. */
enum { JIT_MATH = 24 };

/* A foreign function that code calls itself, as its ShapeCallee says. */
typedef struct JitCallee {
    void (*address)(
        void);           /* NULL: JitEnv.foreign calls it. Of a difference: what is called for it */
    void (*error)(void); /* not NULL: every call is followed by one of JitEnv.checked */
    double step;         /* of a difference: of its argument where that is at most 1 */
    int64_t which;       /* last argument of derivative functions */
} JitCallee;

typedef struct JitEnv {
    XForeign foreign;
    void *context;
    void (*math[JIT_MATH])(void); /* the interpreter's own functions; see jit_math.h */
    /* The rest is for calls of functions with a SHAPE_CALLEE, and set by whoever gives out such.
     * (*callees)[f]: function number f and its derivatives, as far as shapes name them. */
    const JitCallee *const *callees;
    /* SHAPE_STRING, SHAPE_HANDLE: what is passed for x; NULL: it cannot be passed. */
    const void *(*pointer)(void *context, uint32_t type, double x);
    double (*text)(void *context, const char *result); /* of SHAPE_STRING */
    /* After a call that may have failed: `value`, or NaN. */
    double (*checked)(void *context, uint32_t function, double value);
} JitEnv;

void jit_env(JitEnv *env, XForeign foreign, void *context);

typedef enum JitKind {
    JIT_VALUE,  /* values only */
    JIT_TANGENT /* and with it the derivative in the direction `tangents`, as interp_tangent */
} JitKind;

/* How one call reaches its instances. All of them have the same constants. No instance may read or
 * write what another one writes. */
typedef enum JitLayout {
    JIT_SINGLE,  /* one instance: values[slots[s]] */
    JIT_TABLES,  /* instance i: values[slots[i * stride + s]] */
    JIT_RECORDS, /* instance i: values[slots[s] + i * stride] */
    JIT_ARRAYS,  /* instance i: values[slots[s] + i]; vectorised */
    /* One instance whose slots and constants are written into the code: for what has not changed
     * for long, in larger pieces. Called as JIT_SINGLE; slots and constants may be NULL there. */
    JIT_FIXED
} JitLayout;

typedef void (*JitValueFn)(double *restrict values, const uint32_t *restrict slots,
                           const double *restrict constants, const JitEnv *env);
typedef void (*JitTangentFn)(double *restrict values, double *restrict tangents,
                             const uint32_t *restrict slots, const double *restrict constants,
                             const JitEnv *env);
/* JIT_TABLES, JIT_RECORDS, JIT_ARRAYS. For JIT_VALUE `tangents` is where JIT_ARRAYS writes results that are
 * common (JitRequest), else NULL. */
typedef void (*JitBatchFn)(double *restrict values, double *restrict tangents,
                           const uint32_t *restrict slots, const double *restrict constants,
                           const JitEnv *env, uint64_t n, uint64_t stride);

typedef union JitCode {
    JitValueFn value;
    JitTangentFn tangent;
    JitBatchFn batch;
    void *any; /* NULL: not there (yet) */
} JitCode;

typedef struct JitRequest {
    const Shape *shape; /* copied */
    JitKind kind;
    JitLayout layout;
    /* JIT_RECORDS, JIT_ARRAYS: common[s] (or NULL) when slot s is the same variable in all
     * instances (the clock, a parameter around them); such a slot must not be assigned. With
     * JIT_ARRAYS it may be, and means something else: JIT_VALUE writes it to `tangents` instead of
     * `values`, at the same places. */
    const bool *common;
    /* JIT_FIXED: as in ShapeUse; copied */
    const uint32_t *slots;
    const double *constants;
    /* JIT_TABLES: arrays[s] (or NULL) when instance i has there the place behind that of instance
     * i - 1: only the first one's is read from the table. */
    const bool *arrays;
} JitRequest;

/* ---- entries ---- */

/* Never waits. NULL only when memory is exhausted. Each call is paired with one of jit_release. */
JitEntry *jit_request(Jit *jit, const JitRequest *request);
void jit_release(Jit *jit, JitEntry *entry);
void jit_released(Jit *jit); /* debug builds abort where somebody still holds an entry (J5) */

/* The best function there is now; a single acquire load. */
JitCode jit_code(JitEntry *entry);

typedef enum JitRefusal {
    JIT_ACCEPTED,
    JIT_TOO_LARGE,    /* more operations than a block should have */
    JIT_NO_MODULE,    /* solstice_llvm.so is missing or does not fit */
    JIT_NO_TARGET,    /* LLVM cannot compile for this machine, or not link in memory */
    JIT_LLVM_REFUSED, /* LLVM did not take the function */
    JIT_LLVM_FATAL,   /* LLVM met an error it cannot live with: it is not used again in this process
                       */
    JIT_NOT_LINKED,   /* LLVM cannot place the machine code, for want of memory or otherwise */
    JIT_NO_MEMORY
} JitRefusal;

/* Why there is no code, or none better than what jit_code gives. */
JitRefusal jit_refusal(const JitEntry *entry);
const char *jit_refusal_text(JitRefusal refusal);
/* Why something that was wanted will never have native code though nothing is wrong with it: there
 * is no module, no target, linking failed or LLVM is given up; in words as far as there is room.
 * JIT_ACCEPTED: nothing of that kind. */
JitRefusal jit_failure(Jit *jit, char *text, size_t size);
typedef enum JitTier { JIT_NONE, JIT_QUICK, JIT_OPTIMISED } JitTier;
JitTier jit_tier(const JitEntry *entry); /* of the function that jit_code gives */

/* The caller has evaluated the entry this many times more; what is hot gets optimised. Lock-free
 * unless that decides something. */
void jit_heat(Jit *jit, JitEntry *entry, uint64_t evaluations);

/* LLVM is worth loading as soon as something is warm: `patience` is over. */
void jit_hurry(Jit *jit);

/* Waits until nothing is queued or being compiled (--jit=wait, --engine=rebuild, tests). */
void jit_wait(Jit *jit);
/* Drops all entries that nobody holds (--engine=rebuild: before every change). */
void jit_forget(Jit *jit);

typedef struct JitStats {
    uint64_t functions_compiled; /* made by LLVM in this process, all kinds and tiers */
    uint64_t shapes;             /* different requests seen and still known */
    uint64_t shapes_from_memory; /* requests answered by an entry that was there */
    uint64_t shapes_from_disk;   /* entries whose code came from the cache on disk */
    uint64_t modules, refused, evicted, disk_dropped, disk_errors;
    uint64_t code_bytes;    /* pages that hold code, at most */
    uint64_t mappings;      /* of the process that hold code, at most */
    uint64_t entry_bytes;   /* other memory in use */
    double compile_seconds; /* of the background thread, LLVM only */
    double load_seconds;    /* loading LLVM's code generator; 0: it was not needed */
    double linker_seconds;  /* loading its linker, likewise */
    double wait_seconds;    /* spent in jit_wait */
    /* Seconds from the moment in which a function is warm to its quick code, LLVM being there: how
     * often, and of the last 1,024 the median and what 95 % are within. */
    uint64_t waits;
    double wait_median, wait_95;
} JitStats;

JitStats jit_stats(Jit *jit);

#endif
