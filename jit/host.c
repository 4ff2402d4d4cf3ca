/* host.c: processor and versions -> text. See jit_int.h.
 *
 * The processor is asked directly and not through LLVM, because what is on disk is looked for
 * before LLVM is loaded; what LLVM calls it is compared when code is linked (compile_thread.c).
 * This is the one place that knows a kind of machine, and it need not: without it, machines that
 * share a folder and differ in features only the system's words do not tell would replace each
 * other's files. */
#include "jit/jit_int.h"

#include "jit/backend.h"

#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#if defined __x86_64__
#include <cpuid.h>
#endif

#ifndef SOLSTICE_LLVM_VERSION
#define SOLSTICE_LLVM_VERSION "unknown"
#endif

/* Where the system's words say too little: family, model and all feature words, whatever LLVM could
 * base its choice of instructions on. */
static void more_cpu_text(char *text, size_t size)
{
    snprintf(text, size, "generic");
#if defined __x86_64__
    unsigned a, b, c, d, v[3] = {0}, word[8] = {0}, state_low = 0, state_high = 0;
    __get_cpuid(0, &a, &v[0], &v[2], &v[1]);
    if (__get_cpuid(1, &a, &b, &c, &d)) {
        word[0] = a, word[1] = c, word[2] = d;
        if (c & bit_OSXSAVE) /* which registers the system saves */
            __asm__("xgetbv" : "=a"(state_low), "=d"(state_high) : "c"(0));
    }
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
        word[3] = b, word[4] = c, word[5] = d;
    if (__get_cpuid(0x80000001u, &a, &b, &c, &d))
        word[6] = c, word[7] = d;
    snprintf(text, size, "%.12s %x-%x-%x-%x-%x-%x-%x-%x-%x", (const char *)v, word[0], word[1],
             word[2], word[3], word[4], word[5], word[6], word[7], state_low);
#endif
}

static void cpu_text(char *text, size_t size)
{
    char more[160];
    struct utsname system = {0};
    const char *platform = (const char *)(uintptr_t)getauxval(AT_PLATFORM);
    more_cpu_text(more, sizeof more);
    uname(&system);
    snprintf(text, size, "%s %s %lx-%lx %s", system.machine, platform ? platform : "-",
             getauxval(AT_HWCAP), getauxval(AT_HWCAP2), more);
}

void jit_host_flavour(char *text, size_t size, const char *module, bool fast_math)
{
    char cpu[320];
    struct stat s = {0};
    cpu_text(cpu, sizeof cpu);
    if (!module || stat(module, &s) != 0) /* a module that was built anew may generate other code */
        s = (struct stat){0};
    snprintf(text, size, "generator %d, llvm %s, module %lld %lld.%09ld, cpu %s, fast-math %d",
             BACKEND_VERSION, SOLSTICE_LLVM_VERSION, (long long)s.st_size,
             (long long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec, cpu, fast_math);
}
