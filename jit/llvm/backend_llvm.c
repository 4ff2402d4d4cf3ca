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

#include <pthread.h>
#include <stdio.h>

typedef struct LlvmBackend {
    Mem *mem;
    Arena code;                      /* of the last call */
    LLVMTargetMachineRef machine[2]; /* quick, optimised */
    LLVMTargetDataRef layout;
    char *triple;
    bool fast_math;
} LlvmBackend;

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
    for (int i = 0; i < 2; i++)
        if (b->machine[i])
            LLVMDisposeTargetMachine(b->machine[i]);
    if (b->layout)
        LLVMDisposeTargetData(b->layout);
    if (b->triple)
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
    return object;
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
static void compile(void *state, uint32_t n, BackendJob *jobs, JitTier tier)
{
    LlvmBackend *b = state;
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

bool solstice_backend_open(Backend *backend, bool fast_math)
{
    Mem *mem = mem_open();
    if (!mem)
        return false;
    MemGuard guard;
    mem_guard_push(mem, &guard);
    if (setjmp(guard.env) != 0) {
        mem_close(mem);
        return false;
    }
    LlvmBackend *b = mem_alloc(mem, sizeof *b);
    mem_guard_pop(mem, &guard);
    b->mem = mem;
    b->fast_math = fast_math;
    arena_init(&b->code, mem);
    if (!set_up(b)) {
        tear_down(b);
        return false;
    }
    *backend = (Backend){BACKEND_VERSION, b, compile, tear_down};
    return true;
}
