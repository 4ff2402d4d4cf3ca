/* backend_llvm.c: shapes -> machine code, through LLVM. See backend.h.
 *
 * lower_function writes each function into a module, LLVM makes an object file of it, link_object
 * takes each function out. LLVM's own JIT linker (ORC) is not used: it keeps and frees code by
 * module, while ours comes and goes by function with many functions to a module; and code that it
 * has linked cannot be stored and loaded again without LLVM, which is most of what a warm start
 * would pay. */
#include "jit/llvm/lower.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include <llvm-c/ErrorHandling.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>

typedef struct LlvmBackend {
    Mem *mem;
    Arena code;                      /* of the last call */
    LLVMTargetMachineRef machine[2]; /* quick, optimised */
    LLVMTargetDataRef layout;
    char *triple;
    bool fast_math;
    bool diagnosed; /* LLVM has reported an error about the present module */
} LlvmBackend;

/* ---- errors that LLVM does not survive ----
 *
 * LLVM ends the process after what it calls a fatal error, unless the handler does not return. Ours
 * leaves by longjmp, which LLVM is not made for: locks may be held and lists half changed. So from
 * then on nobody in this process calls it again, whatever simulation it is; what it had allocated
 * is lost. Code that exists stays, code on disk is still found. */

static atomic_bool dead;
static char last_words[200]; /* written once, before `dead` */
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

static const char *words(void *state)
{
    (void)state;
    return last_words;
}

/* Without it, LLVM ends the process after reporting an error of code generation. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *state)
{
    LlvmBackend *b = state;
    if (LLVMGetDiagInfoSeverity(info) == LLVMDSError)
        b->diagnosed = true;
}

/* ---- setting up ---- */

static LLVMTargetMachineRef make_machine(LLVMTargetRef target, const char *triple,
                                         LLVMCodeGenOptLevel level)
{
    char *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
    LLVMTargetMachineRef machine = LLVMCreateTargetMachine(target, triple, cpu, features, level,
                                                           LLVMRelocPIC, LLVMCodeModelSmall);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
    return machine;
}

/* LLVM's list of targets is global and not guarded. */
static void register_target(void)
{
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInstallFatalErrorHandler(on_fatal);
}

static bool set_up(LlvmBackend *b)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    LLVMTargetRef target;
    char *message = NULL;
    pthread_once(&once, register_target);
    b->triple = LLVMGetDefaultTargetTriple();
    if (LLVMGetTargetFromTriple(b->triple, &target, &message)) {
        LLVMDisposeMessage(message);
        return false;
    }
    b->machine[0] = make_machine(target, b->triple, LLVMCodeGenLevelNone);
    b->machine[1] = make_machine(target, b->triple, LLVMCodeGenLevelDefault);
    b->layout = b->machine[0] ? LLVMCreateTargetDataLayout(b->machine[0]) : NULL;
    return b->machine[0] && b->machine[1];
}

static void tear_down(void *state)
{
    LlvmBackend *b = state;
    bool gone = atomic_load(&dead);
    for (int i = 0; i < 2 && !gone; i++)
        if (b->machine[i])
            LLVMDisposeTargetMachine(b->machine[i]);
    if (b->layout && !gone)
        LLVMDisposeTargetData(b->layout);
    if (b->triple && !gone)
        LLVMDisposeMessage(b->triple);
    mem_close(b->mem);
}

/* ---- compiling ---- */

static LLVMModuleRef lower_jobs(LlvmBackend *b, LLVMContextRef context, uint32_t n,
                                const BackendJob *jobs)
{
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("solstice", context);
    LLVMSetTarget(module, b->triple);
    LLVMSetModuleDataLayout(module, b->layout);
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", i);
        lower_function(b->mem, module, &jobs[i], name, b->fast_math);
    }
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
    LLVMTargetMachineRef machine = b->machine[tier == JIT_OPTIMISED];
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &object)) {
        LLVMDisposeMessage(message);
        return NULL;
    }
    if (!b->diagnosed)
        return object;
    LLVMDisposeMemoryBuffer(object);
    return NULL;
}

static void take_functions(LlvmBackend *b, LLVMMemoryBufferRef object, uint32_t n, BackendJob *jobs)
{
    const char *bytes = LLVMGetBufferStart(object);
    size_t size = LLVMGetBufferSize(object);
    for (uint32_t i = 0; i < n; i++) {
        bool linked = link_object(&b->code, bytes, size, i, &jobs[i].code, &jobs[i].size);
        jobs[i].refusal = linked ? JIT_ACCEPTED : JIT_NOT_LINKED;
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
    if (object) {
        take_functions(b, object, n, jobs);
        LLVMDisposeMemoryBuffer(object);
    }
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
        arena_free(&b->code);
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

/* ---- opening ---- */

static JitRefusal set_up_or_escape(LlvmBackend *b)
{
    jmp_buf here;
    JitRefusal why = JIT_LLVM_FATAL;
    if (!atomic_load(&dead) && setjmp(here) == 0) {
        escape = &here;
        why = set_up(b) ? JIT_ACCEPTED : JIT_NO_MODULE;
    }
    escape = NULL;
    return why;
}

JitRefusal solstice_backend_open(Backend *backend, bool fast_math)
{
    Mem *mem = mem_open();
    if (!mem)
        return JIT_NO_MEMORY;
    MemGuard guard;
    mem_guard_push(mem, &guard);
    if (setjmp(guard.env) != 0) {
        mem_close(mem);
        return JIT_NO_MEMORY;
    }
    LlvmBackend *b = mem_alloc(mem, sizeof *b);
    mem_guard_pop(mem, &guard);
    b->mem = mem;
    b->fast_math = fast_math;
    arena_init(&b->code, mem);
    *backend = (Backend){BACKEND_VERSION, b, compile, words, tear_down};
    JitRefusal why = set_up_or_escape(b);
    if (why == JIT_NO_MODULE)
        tear_down(b);
    return why;
}
