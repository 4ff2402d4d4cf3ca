/* orc_link.c: object file -> code that runs, through LLVM's ORC. See link.h, backend.h.
 *
 * ORC places objects with JITLink: memory that is written, then made executable and read-only,
 * private to the process. Each object has a resource tracker, which frees it alone.
 *
 * Names of functions say what they compute, so an object that is linked while an older one with the
 * same functions is still in use would define a name twice. Then it goes into another library
 * (JITDylib); there are as many of these as one name ever had to be there at a time. They are bare:
 * nothing in them is looked for in the process, except the two functions of libm that some
 * processors have no instruction for, and whose results are exact. */
#include "jit/orc/link.h"
#include "jit/orc/session.h"

#include <llvm-c/Error.h>
#include <llvm-c/Orc.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CLEAR_EVERY = 256 }; /* modules dropped before names that nobody uses are dropped too */

typedef struct Library {
    LLVMOrcJITDylibRef dylib;
    uint32_t modules; /* in it now */
} Library;

struct BackendModule {
    uint32_t library; /* in Linker.libraries */
    LLVMOrcResourceTrackerRef tracker;
    BackendModule *prev, *next; /* in Linker.modules */
    /* only with names */
    void *object; /* for the sizes of functions */
    size_t size;
    GdbEntry *entry; /* once it is linked */
};

struct Linker {
    Mem *mem;
    OrcSession *orc;
    LLVMOrcExecutionSessionRef session; /* its */
    VEC(Library) libraries;
    uint32_t dropped; /* since names were cleared */
    bool names;
    BackendModule *modules; /* all of them */
    char words[LLVM_WORDS]; /* what the last error said */
};

/* ---- errors ---- */

/* True when there is one; it is taken. */
static bool failed(LLVMErrorRef error, char words[LLVM_WORDS])
{
    if (!error)
        return false;
    char *message = LLVMGetErrorMessage(error);
    snprintf(words, LLVM_WORDS, "%s", message);
    LLVMDisposeErrorMessage(message);
    return true;
}

static void forget_error(LLVMErrorRef error)
{
    if (error)
        LLVMConsumeError(error);
}

/* What a lookup returns is all that is said; ORC would print it, too. */
static void report_nothing(void *context, LLVMErrorRef error)
{
    (void)context;
    forget_error(error);
}

/* ---- opening ---- */

static LLVMOrcCSymbolMapPair absolute(Linker *k, const char *name, double (*function)(double))
{
    LLVMJITSymbolFlags flags = {
        LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable, 0};
    return (LLVMOrcCSymbolMapPair){LLVMOrcExecutionSessionIntern(k->session, name),
                                   {(LLVMOrcExecutorAddress)(uintptr_t)function, flags}};
}

static void add_library(Linker *k)
{
    char name[32];
    vec_reserve(k->mem, &k->libraries, k->libraries.n + 1);
    snprintf(name, sizeof name, "solstice%u", k->libraries.n);
    LLVMOrcJITDylibRef dylib = LLVMOrcExecutionSessionCreateBareJITDylib(k->session, name);
    LLVMOrcCSymbolMapPair exact[] = {absolute(k, "floor", floor), absolute(k, "ceil", ceil)};
    forget_error(LLVMOrcJITDylibDefine(dylib, LLVMOrcAbsoluteSymbols(exact, 2)));
    vec_push(k->mem, &k->libraries, ((Library){dylib, 0}));
}

Linker *linker_open(Mem *mem, bool names, char words[LLVM_WORDS])
{
    Linker *k = mem_alloc(mem, sizeof *k);
    k->mem = mem;
    k->names = names;
    if (failed(orc_open(&k->orc), words)) {
        mem_free(mem, k);
        return NULL;
    }
    k->session = orc_session(k->orc);
    LLVMOrcExecutionSessionSetErrorReporter(k->session, report_nothing, NULL);
    if (names)
        orc_tell_gdb(k->orc);
    add_library(k);
    return k;
}

/* A tracker that is released with code in it hands the code on to its library's tracker. That adds to ORC's
 * table of code, and when the table grows LLVM 19 reads on where it was before. So code is removed first. */
static void free_module(Linker *k, BackendModule *m)
{
    gdb_list_drop(m->entry);
    mem_free(k->mem, m->object);
    forget_error(LLVMOrcResourceTrackerRemove(m->tracker));
    LLVMOrcReleaseResourceTracker(m->tracker);
    mem_free(k->mem, m);
}

void linker_close(Linker *k)
{
    if (!k)
        return;
    for (BackendModule *m = k->modules, *next; m; m = next) {
        next = m->next;
        free_module(k, m);
    }
    orc_close(k->orc);
    vec_free(k->mem, &k->libraries);
    mem_free(k->mem, k);
}

const char *linker_words(const Linker *k)
{
    return k->words;
}

/* ---- modules ---- */

static void list(Linker *k, BackendModule *m)
{
    m->next = k->modules;
    if (m->next)
        m->next->prev = m;
    k->modules = m;
}

static void unlist(Linker *k, BackendModule *m)
{
    if (m->prev)
        m->prev->next = m->next;
    else
        k->modules = m->next;
    if (m->next)
        m->next->prev = m->prev;
}

/* In a library where none of its names is defined. */
static bool add(Linker *k, BackendModule *m, uint32_t library, const void *object, size_t size)
{
    Library *in = &k->libraries.at[library];
    m->library = library;
    m->tracker = LLVMOrcJITDylibCreateResourceTracker(in->dylib);
    LLVMErrorRef error = orc_add(k->orc, m->tracker, object, size);
    if (failed(error, k->words)) {
        LLVMOrcReleaseResourceTracker(m->tracker);
        return false;
    }
    in->modules++;
    return true;
}

/* In the first library that takes it; what an empty one does not take is taken by none. */
static bool add_somewhere(Linker *k, BackendModule *m, const void *object, size_t size)
{
    for (uint32_t i = 0;; i++) {
        if (i == k->libraries.n)
            add_library(k);
        if (add(k, m, i, object, size))
            return true;
        if (k->libraries.at[i].modules == 0)
            return false;
    }
}

/* Objects are linked when one of their functions is first looked for. */
BackendModule *linker_link(Linker *k, const void *object, size_t size)
{
    BackendModule *m = mem_alloc(k->mem, sizeof *m);
    if (k->names) {
        m->object = memcpy(mem_alloc(k->mem, size), object, size);
        m->size = size;
    }
    if (!add_somewhere(k, m, object, size)) {
        mem_free(k->mem, m->object);
        mem_free(k->mem, m);
        return NULL;
    }
    list(k, m);
    return m;
}

void linker_drop(Linker *k, BackendModule *m)
{
    unlist(k, m);
    k->libraries.at[m->library].modules--;
    free_module(k, m);
    if (++k->dropped < CLEAR_EVERY)
        return;
    k->dropped = 0;
    LLVMOrcSymbolStringPoolClearDeadEntries(LLVMOrcExecutionSessionGetSymbolStringPool(k->session));
}

/* ---- functions ---- */

typedef struct Found {
    Linker *linker;
    uint32_t n;
    BackendSymbol *symbols;
    LLVMOrcSymbolStringPoolEntryRef *names;
} Found;

/* ORC calls it before the lookup returns: nothing of ours runs in other threads. */
static void take_addresses(LLVMErrorRef error, LLVMOrcCSymbolMapPairs pairs, size_t n,
                           void *context)
{
    Found *found = context;
    bool none = failed(error, found->linker->words);
    for (size_t i = 0; !none && i < n; i++)
        for (uint32_t k = 0; k < found->n; k++)
            if (found->names[k] == pairs[i].Name)
                found->symbols[k].at = (void *)(uintptr_t)pairs[i].Sym.Address;
}

static void find_sizes(Linker *k, const BackendModule *m, uint32_t n, BackendSymbol *symbols)
{
    const char **names = mem_alloc(k->mem, n * sizeof *names + 1);
    size_t *sizes = mem_alloc(k->mem, n * sizeof *sizes + 1);
    for (uint32_t i = 0; i < n; i++)
        names[i] = symbols[i].name;
    orc_sizes(m->object, m->size, n, names, sizes);
    for (uint32_t i = 0; i < n; i++)
        symbols[i].size = sizes[i];
    mem_free(k->mem, names);
    mem_free(k->mem, sizes);
}

static void look_up(Linker *k, BackendModule *m, LLVMOrcCLookupSetElement *wanted, Found *found)
{
    LLVMOrcCJITDylibSearchOrderElement where = {k->libraries.at[m->library].dylib,
                                                LLVMOrcJITDylibLookupFlagsMatchAllSymbols};
    LLVMOrcExecutionSessionLookup(k->session, LLVMOrcLookupKindStatic, &where, 1, wanted, found->n,
                                  take_addresses, found);
}

static void look_up_with_names(Linker *k, BackendModule *m, LLVMOrcCLookupSetElement *wanted,
                               Found *found)
{
    const GdbEntry *before = gdb_list_begin();
    look_up(k, m, wanted, found);
    GdbEntry *added = gdb_list_end(before);
    if (added)
        m->entry = added;
    find_sizes(k, m, found->n, found->symbols);
}

void linker_find(Linker *k, BackendModule *m, uint32_t n, BackendSymbol *symbols)
{
    LLVMOrcCLookupSetElement *wanted = mem_alloc(k->mem, n * sizeof *wanted + 1);
    Found found = {k, n, symbols, mem_alloc(k->mem, n * sizeof *found.names + 1)};
    for (uint32_t i = 0; i < n; i++) {
        found.names[i] = LLVMOrcExecutionSessionIntern(k->session, symbols[i].name);
        wanted[i] = (LLVMOrcCLookupSetElement){found.names[i],
                                               LLVMOrcSymbolLookupFlagsWeaklyReferencedSymbol};
        symbols[i].at = NULL;
        symbols[i].size = 0;
    }
    if (k->names)
        look_up_with_names(k, m, wanted, &found);
    else
        look_up(k, m, wanted, &found);
    mem_free(k->mem, found.names);
    mem_free(k->mem, wanted);
}
