/* backend_llvm.c: shapes -> object files -> code, through LLVM. See backend.h.
 *
 * lower_function writes each function into a module, LLVM's code generator makes an object file of
 * it, orc_link places it. No line here depends on the kind of machine: LLVM is asked which one this
 * is, and whether it can compile for it. */
#include "jit/llvm/lower.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

typedef struct LlvmBackend {
    Mem *mem;
    VEC(LLVMMemoryBufferRef) objects; /* of the last call */
    LLVMTargetRef target;
    LLVMTargetMachineRef machine[2]; /* quick, optimised; NULL: not needed yet */
    LLVMTargetDataRef layout;
    Linker *linker; /* NULL: this is for another machine */
    char *triple, *cpu, *features;
    char *host;
    BackendOptions options;
    bool diagnosed; /* LLVM has reported an error about the present module */
} LlvmBackend;

/* ---- errors that LLVM does not survive ----
 *
 * LLVM ends the process after what it calls a fatal error, unless the handler does not return. Ours
 * leaves by longjmp, which LLVM is not made for: locks may be held and lists half changed. So from
 * then on nobody in this process calls it again, whatever simulation it is; what it had allocated
 * is lost. Code that exists stays, code on disk is still found. */

static atomic_bool dead;
static char last_words[LINKER_WORDS];                  /* written once, before `dead` */
static _Thread_local char refusal_words[LINKER_WORDS]; /* of opening, in this thread */
static pthread_mutex_t dying = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local jmp_buf *escape; /* NULL: this thread is not inside a call of ours */

static void on_fatal(const char *reason)
{
    if (!escape)
        return; /* somebody else's use of LLVM */
    pthread_mutex_lock(&dying);
    if (!atomic_load(&dead))
        snprintf(last_words, sizeof last_words, "%s", reason);
    atomic_store(&dead, true);
    pthread_mutex_unlock(&dying);
    longjmp(*escape, 1);
}

/* Without it, LLVM ends the process after reporting an error of code generation. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *state)
{
    LlvmBackend *b = state;
    if (LLVMGetDiagInfoSeverity(info) == LLVMDSError)
        b->diagnosed = true;
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

/* A run whose code is on disk needs none. */
static LLVMTargetMachineRef machine_for(LlvmBackend *b, JitTier tier)
{
    LLVMTargetMachineRef *machine = &b->machine[tier == JIT_OPTIMISED];
    if (!*machine)
        *machine =
            make_machine(b, b->cpu, b->features,
                         tier == JIT_OPTIMISED ? LLVMCodeGenLevelDefault : LLVMCodeGenLevelNone);
    return *machine;
}

/* LLVM's list of targets is global and not guarded. */
static void register_target(void)
{
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInstallFatalErrorHandler(on_fatal);
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

void solstice_backend_prepare(void)
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
    b->linker = linker_open(b->mem, make_plain_machine(b), b->options.names, refusal_words);
    return b->linker != NULL;
}

static void name_host(LlvmBackend *b)
{
    size_t n = strlen(b->triple) + strlen(b->cpu) + strlen(b->features) + 3;
    b->host = mem_alloc(b->mem, n);
    snprintf(b->host, n, "%s %s %s", b->triple, b->cpu, b->features);
}

static void drop_objects(LlvmBackend *b)
{
    for (uint32_t i = 0; i < b->objects.n; i++)
        LLVMDisposeMemoryBuffer(b->objects.at[i]);
    b->objects.n = 0;
}

static void dispose(LlvmBackend *b)
{
    drop_objects(b);
    linker_close(b->linker);
    for (int i = 0; i < 2; i++)
        if (b->machine[i])
            LLVMDisposeTargetMachine(b->machine[i]);
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
    if (!atomic_load(&dead))
        dispose(b);
    mem_close(b->mem);
}

static const char *words(void *state)
{
    const LlvmBackend *b = state;
    if (atomic_load(&dead))
        return last_words;
    return b && b->linker ? linker_words(b->linker) : refusal_words;
}

/* ---- compiling ---- */

static LLVMModuleRef lower_jobs(LlvmBackend *b, LLVMContextRef context, uint32_t n,
                                const BackendJob *jobs)
{
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("solstice", context);
    LLVMSetTarget(module, b->triple);
    LLVMSetModuleDataLayout(module, b->layout);
    for (uint32_t i = 0; i < n; i++)
        lower_function(b->mem, module, &jobs[i], b->options.fast_math);
    return module;
}

static LLVMMemoryBufferRef emit(LlvmBackend *b, LLVMModuleRef module, JitTier tier)
{
    LLVMMemoryBufferRef object = NULL;
    char *message = NULL;
    bool broken = LLVMVerifyModule(module, LLVMReturnStatusAction, &message);
    LLVMDisposeMessage(message);
    if (broken)
        return NULL;
    message = NULL;
    LLVMTargetMachineRef machine = machine_for(b, tier);
    if (!machine ||
        LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &object)) {
        LLVMDisposeMessage(message);
        return NULL;
    }
    if (!b->diagnosed)
        return object;
    LLVMDisposeMemoryBuffer(object);
    return NULL;
}

static void keep_object(LlvmBackend *b, LLVMMemoryBufferRef object, uint32_t n, BackendJob *jobs)
{
    vec_push(b->mem, &b->objects, object);
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
    LLVMContextRef context = LLVMContextCreate();
    b->diagnosed = false;
    LLVMContextSetDiagnosticHandler(context, on_diagnostic, b);
    LLVMModuleRef module = lower_jobs(b, context, n, jobs);
    LLVMMemoryBufferRef object = emit(b, module, tier);
    if (object)
        keep_object(b, object, n, jobs);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return object != NULL;
}

/* Memory running out here leaks what LLVM holds at that moment; the module is not used again
 * for these jobs, and nothing else is lost. */
static void compile_guarded(LlvmBackend *b, uint32_t n, BackendJob *jobs, JitTier tier)
{
    MemGuard guard;
    for (uint32_t i = 0; i < n; i++)
        jobs[i].refusal = JIT_NO_MEMORY;
    mem_guard_push(b->mem, &guard);
    if (setjmp(guard.env) == 0) {
        drop_objects(b);
        if (!compile_module(b, n, jobs, tier))
            for (uint32_t i = 0; i < n; i++)
                if (n == 1 || !compile_module(b, 1, &jobs[i], tier))
                    jobs[i].refusal = JIT_LLVM_REFUSED;
        mem_guard_pop(b->mem, &guard);
    }
}

/* The way out of a fatal error; a guard of compile_guarded stays behind, and nobody takes memory
 * from b->mem again. */
static void compile(void *state, uint32_t n, BackendJob *jobs, JitTier tier)
{
    jmp_buf here;
    if (!atomic_load(&dead) && setjmp(here) == 0) {
        escape = &here;
        compile_guarded(state, n, jobs, tier);
    } else {
        for (uint32_t i = 0; i < n; i++)
            jobs[i].refusal = JIT_LLVM_FATAL;
    }
    escape = NULL;
}

/* ---- linking ---- */

typedef struct LinkCall {
    LlvmBackend *b;
    const void *object;
    size_t size;
    BackendModule *module;
    uint32_t n;
    BackendSymbol *symbols;
} LinkCall;

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

/* The call, unless LLVM is dead; what it has not done by the time memory runs out or LLVM dies is
 * left undone. */
static void guarded(LinkCall *c, void (*call)(LinkCall *c))
{
    jmp_buf here;
    MemGuard guard;
    if (!c->b->linker || atomic_load(&dead) || setjmp(here) != 0) {
        escape = NULL;
        return;
    }
    escape = &here;
    mem_guard_push(c->b->mem, &guard);
    if (setjmp(guard.env) == 0) {
        call(c);
        mem_guard_pop(c->b->mem, &guard);
    }
    escape = NULL;
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

/* ---- opening ---- */

static JitRefusal set_up_or_escape(LlvmBackend *b)
{
    jmp_buf here;
    JitRefusal volatile why = JIT_LLVM_FATAL;
    if (!atomic_load(&dead) && setjmp(here) == 0) {
        escape = &here;
        bool ready = b->triple ? set_up_target(b) : set_up_host(b);
        why = ready ? JIT_ACCEPTED : JIT_NO_TARGET;
        if (ready)
            name_host(b);
    }
    escape = NULL;
    return why;
}

static LlvmBackend *new_backend(const BackendOptions *options)
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
    LlvmBackend *b = mem_alloc(mem, sizeof *b);
    mem_guard_pop(mem, &guard);
    b->mem = mem;
    b->options = *options;
    return b;
}

static JitRefusal open_backend(Backend *backend, LlvmBackend *b)
{
    MemGuard guard;
    JitRefusal volatile why = JIT_NO_MEMORY;
    *backend =
        (Backend){BACKEND_VERSION, NULL, NULL, compile, link_object, find, drop, words, tear_down};
    solstice_backend_prepare();
    mem_guard_push(b->mem, &guard);
    if (setjmp(guard.env) == 0) {
        why = set_up_or_escape(b);
        mem_guard_pop(b->mem, &guard);
    }
    if (why == JIT_ACCEPTED) {
        backend->state = b;
        backend->host = b->host;
    } else {
        tear_down(b);
    }
    return why;
}

JitRefusal solstice_backend_open(Backend *backend, const BackendOptions *options)
{
    LlvmBackend *b = new_backend(options);
    return b ? open_backend(backend, b) : JIT_NO_MEMORY;
}

JitRefusal solstice_backend_open_for(Backend *backend, const char *triple, const char *cpu,
                                     const char *features)
{
    LlvmBackend *b = new_backend(&(BackendOptions){0});
    if (!b)
        return JIT_NO_MEMORY;
    register_all_targets();
    b->triple = LLVMCreateMessage(triple);
    b->cpu = LLVMCreateMessage(cpu);
    b->features = LLVMCreateMessage(features);
    return open_backend(backend, b);
}
