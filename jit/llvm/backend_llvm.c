/* backend_llvm.c: shapes -> object files, through LLVM. See backend.h.
 *
 * lower_function writes each function into a module, LLVM's code generator makes an object file of
 * it, which the linker (jit/orc/) places. No line here depends on the kind of machine: LLVM is asked which one this
 * is, and whether it can compile for it. */
#include "jit/llvm/fatal.h"
#include "jit/llvm/lower.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <pthread.h>
#include <stdio.h>

/* What makes code of one tier: a thread each may use both at a time. */
typedef struct Maker {
    Mem *mem;
    LLVMTargetMachineRef machine;     /* NULL: not needed yet */
    VEC(LLVMMemoryBufferRef) objects; /* of the last call */
    bool diagnosed;                   /* LLVM has reported an error about the present module */
} Maker;

enum { TIERS = 2 }; /* quick, optimised */

typedef struct LlvmBackend {
    Maker maker[TIERS];
    LLVMTargetRef target;
    LLVMTargetDataRef layout;
    char *triple, *cpu, *features;
    bool fast_math;
} LlvmBackend;

static _Thread_local char refusal_words[LLVM_WORDS]; /* of opening, in this thread */

/* Without it, LLVM ends the process after reporting an error of code generation. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *state)
{
    Maker *maker = state;
    if (LLVMGetDiagInfoSeverity(info) == LLVMDSError)
        maker->diagnosed = true;
}

/* ---- setting up ---- */

static bool refuse(const char *what, const char *why)
{
    snprintf(refusal_words, sizeof refusal_words, "%s %s", what, why);
    return false;
}

static LLVMTargetMachineRef make_machine(const LlvmBackend *b, const char *cpu,
                                         const char *features, LLVMCodeGenOptLevel level)
{
    return LLVMCreateTargetMachine(b->target, b->triple, cpu, features, level, LLVMRelocPIC,
                                   LLVMCodeModelDefault);
}

/* Of the kind, not of this processor: to know a kind takes LLVM much less time. */
static LLVMTargetMachineRef make_plain_machine(const LlvmBackend *b)
{
    return make_machine(b, "", "", LLVMCodeGenLevelNone);
}

/* With its machine, which a run whose code is on disk does not need. */
static Maker *maker_for(LlvmBackend *b, JitTier tier)
{
    bool optimise = tier == JIT_OPTIMISED;
    Maker *maker = &b->maker[optimise];
    if (!maker->machine)
        maker->machine = make_machine(b, b->cpu, b->features,
                                      optimise ? LLVMCodeGenLevelDefault : LLVMCodeGenLevelNone);
    return maker;
}

/* LLVM's list of targets is global and not guarded. */
static void register_target(void)
{
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    fatal_install();
}

/* For other machines than this one. */
static void register_all_targets(void)
{
#ifdef SOLSTICE_LLVM_SHARED
    LLVMInitializeAllTargetInfos();
    LLVMInitializeAllTargets();
    LLVMInitializeAllTargetMCs();
    LLVMInitializeAllAsmPrinters();
#endif
}

static void prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_target);
}

static bool set_up_target(LlvmBackend *b)
{
    char *message = NULL;
    if (LLVMGetTargetFromTriple(b->triple, &b->target, &message)) {
        refuse("LLVM does not know this machine:", message);
        LLVMDisposeMessage(message);
        return false;
    }
    bool can = LLVMTargetHasTargetMachine(b->target) && LLVMTargetHasAsmBackend(b->target);
    LLVMTargetMachineRef plain = can ? make_plain_machine(b) : NULL;
    if (!plain)
        return refuse("LLVM has no code generator for", b->triple);
    b->layout = LLVMCreateTargetDataLayout(plain);
    LLVMDisposeTargetMachine(plain);
    return true;
}

static bool set_up_host(LlvmBackend *b)
{
    b->triple = LLVMGetDefaultTargetTriple();
    b->cpu = LLVMGetHostCPUName();
    b->features = LLVMGetHostCPUFeatures();
    if (!set_up_target(b))
        return false;
    if (!LLVMTargetHasJIT(b->target))
        return refuse("LLVM cannot link code in memory for", b->triple);
    return true;
}

static void drop_objects(Maker *maker)
{
    for (uint32_t i = 0; i < maker->objects.n; i++)
        LLVMDisposeMemoryBuffer(maker->objects.at[i]);
    maker->objects.n = 0;
}

static void dispose(LlvmBackend *b)
{
    for (int i = 0; i < TIERS; i++) {
        drop_objects(&b->maker[i]);
        if (b->maker[i].machine)
            LLVMDisposeTargetMachine(b->maker[i].machine);
    }
    if (b->layout)
        LLVMDisposeTargetData(b->layout);
    char *texts[] = {b->triple, b->cpu, b->features};
    for (int i = 0; i < 3; i++)
        if (texts[i])
            LLVMDisposeMessage(texts[i]);
}

static void tear_down(void *state)
{
    LlvmBackend *b = state;
    if (!fatal_happened())
        dispose(b);
    mem_close(b->maker[1].mem);
    mem_close(b->maker[0].mem); /* it holds b */
}

static const char *words(void *state)
{
    (void)state;
    return fatal_happened() ? fatal_words() : refusal_words;
}

/* ---- compiling ---- */

/* LLVM's quick code generator knows no vectors and leaves them to the slow one: quick code has none. */
static LLVMModuleRef lower_jobs(const LlvmBackend *b, Mem *mem, LLVMContextRef context, uint32_t n,
                                const BackendJob *jobs, JitTier tier)
{
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("solstice", context);
    LLVMSetTarget(module, b->triple);
    LLVMSetModuleDataLayout(module, b->layout);
    for (uint32_t i = 0; i < n; i++)
        lower_function(mem, module, &jobs[i], b->fast_math, tier == JIT_OPTIMISED);
    return module;
}

static LLVMMemoryBufferRef emit(const Maker *maker, LLVMModuleRef module)
{
    LLVMMemoryBufferRef object = NULL;
    char *message = NULL;
    bool broken = LLVMVerifyModule(module, LLVMReturnStatusAction, &message);
    LLVMDisposeMessage(message);
    if (broken)
        return NULL;
    message = NULL;
    if (!maker->machine || LLVMTargetMachineEmitToMemoryBuffer(maker->machine, module,
                                                               LLVMObjectFile, &message, &object)) {
        LLVMDisposeMessage(message);
        return NULL;
    }
    if (!maker->diagnosed)
        return object;
    LLVMDisposeMemoryBuffer(object);
    return NULL;
}

static void keep_object(Maker *maker, LLVMMemoryBufferRef object, uint32_t n, BackendJob *jobs)
{
    vec_push(maker->mem, &maker->objects, object);
    for (uint32_t i = 0; i < n; i++) {
        jobs[i].refusal = JIT_ACCEPTED;
        jobs[i].object = (const unsigned char *)LLVMGetBufferStart(object);
        jobs[i].size = LLVMGetBufferSize(object);
    }
}

/* False when LLVM refuses the module. Contexts do not outlive a module, so that what LLVM keeps in
 * them does not pile up. */
static bool compile_module(LlvmBackend *b, uint32_t n, BackendJob *jobs, JitTier tier)
{
    Maker *maker = maker_for(b, tier);
    LLVMContextRef context = LLVMContextCreate();
    maker->diagnosed = false;
    LLVMContextSetDiagnosticHandler(context, on_diagnostic, maker);
    LLVMModuleRef module = lower_jobs(b, maker->mem, context, n, jobs, tier);
    LLVMMemoryBufferRef object = emit(maker, module);
    if (object)
        keep_object(maker, object, n, jobs);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return object != NULL;
}

typedef struct CompileCall {
    LlvmBackend *b;
    uint32_t n;
    BackendJob *jobs;
    JitTier tier;
} CompileCall;

static void compile_all(CompileCall *c)
{
    drop_objects(&c->b->maker[c->tier == JIT_OPTIMISED]);
    if (compile_module(c->b, c->n, c->jobs, c->tier))
        return;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->n == 1 || !compile_module(c->b, 1, &c->jobs[i], c->tier))
            c->jobs[i].refusal = JIT_LLVM_REFUSED;
}

static void set_refusals(const CompileCall *c, JitRefusal refusal)
{
    for (uint32_t i = 0; i < c->n; i++)
        c->jobs[i].refusal = refusal;
}

/* Memory running out here leaks what LLVM holds at that moment; the module is not used again
 * for these jobs, and nothing else is lost. After a fatal error the guard stays behind, and nobody
 * takes memory from there again. */
static void compile_guarded(void *context)
{
    CompileCall *c = context;
    Mem *mem = c->b->maker[c->tier == JIT_OPTIMISED].mem;
    MemGuard guard;
    set_refusals(c, JIT_NO_MEMORY);
    mem_guard_push(mem, &guard);
    if (setjmp(guard.env) == 0) {
        compile_all(c);
        mem_guard_pop(mem, &guard);
    }
}

static void compile(void *state, uint32_t n, BackendJob *jobs, JitTier tier)
{
    CompileCall c = {state, n, jobs, tier};
    if (!fatal_guarded(compile_guarded, &c))
        set_refusals(&c, JIT_LLVM_FATAL);
}

/* ---- opening ---- */

typedef struct OpenCall {
    LlvmBackend *b;
    JitRefusal why;
} OpenCall;

static void set_up_guarded(void *context)
{
    OpenCall *c = context;
    bool ready = c->b->triple ? set_up_target(c->b) : set_up_host(c->b);
    c->why = ready ? JIT_ACCEPTED : JIT_NO_TARGET;
}

static LlvmBackend *new_backend(bool fast_math)
{
    Mem *mem = mem_open(), *more = mem_open();
    MemGuard guard;
    if (mem)
        mem_guard_push(mem, &guard);
    if (!mem || !more || setjmp(guard.env) != 0) {
        mem_close(mem);
        mem_close(more);
        return NULL;
    }
    LlvmBackend *b = mem_alloc(mem, sizeof *b);
    mem_guard_pop(mem, &guard);
    b->maker[0].mem = mem;
    b->maker[1].mem = more;
    b->fast_math = fast_math;
    return b;
}

/* b: NULL if there was no memory for it. */
static JitRefusal open_backend(Backend *backend, LlvmBackend *b)
{
    OpenCall call = {b, JIT_NO_MEMORY};
    *backend = (Backend){BACKEND_VERSION, NULL, compile, words, tear_down};
    refuse("there is no memory", "for it");
    if (!b)
        return JIT_NO_MEMORY;
    prepare();
    if (!fatal_guarded(set_up_guarded, &call))
        call.why = JIT_LLVM_FATAL;
    if (call.why == JIT_ACCEPTED)
        backend->state = b;
    else
        tear_down(b);
    return call.why;
}

JitRefusal solstice_backend_open(Backend *backend, bool fast_math)
{
    return open_backend(backend, new_backend(fast_math));
}

JitRefusal solstice_backend_open_for(Backend *backend, const char *triple, const char *cpu,
                                     const char *features)
{
    LlvmBackend *b = new_backend(false);
    register_all_targets();
    if (b) {
        b->triple = LLVMCreateMessage(triple);
        b->cpu = LLVMCreateMessage(cpu);
        b->features = LLVMCreateMessage(features);
    }
    return open_backend(backend, b);
}
