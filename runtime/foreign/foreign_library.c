/* foreign_library.c: number of a foreign function -> address and signature in a shared library.
 *
 * A function takes the in-members of its model in order of declaration and returns its out-member:
 * Real is double, Integer and Boolean are int, String is const char *. Parameters come before them.
 * With a constructor, the parameters are its arguments (void *constructor(parameters)) and the
 * handle that it returned takes their place. The derivative function has the same arguments and one
 * more, int which: it returns the derivative by in-member number `which`, from 0.
 *
 * LIBRARY is looked for beside the model's file, then where the system looks; a plain NAME stands
 * for libNAME.so. "c" and "m" mean the C library. */
#define _GNU_SOURCE
#include "runtime/foreign/foreign_int.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ORDER = 4 }; /* of derivatives: index reduction rarely asks for more than two */

static const char *text_of(const Foreign *f, Sym sym)
{
    return intern_text(program_names(f->program), sym);
}

/* ---- libraries ---- */

typedef struct Search {
    void *opened;
    bool there; /* a file of that name exists: its error is the one that counts */
    char why[400];
} Search;

/* dlopen of FOLDER PREFIX NAME SUFFIX; a folder inside NAME stays before the prefix */
static void try_open(Search *search, int folder_length, const char *folder, const char *prefix,
                     const char *name, const char *suffix)
{
    char path[PATH_MAX];
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    int n = snprintf(path, sizeof path, "%.*s%.*s%s%s%s", folder_length, folder, (int)(base - name),
                     name, prefix, base, suffix);
    if (search->opened || search->there || n <= 0 || n >= (int)sizeof path)
        return;
    search->opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    search->there = strchr(path, '/') && access(path, F_OK) == 0;
    const char *why = search->opened ? NULL : dlerror();
    if (why)
        snprintf(search->why, sizeof search->why, "%s", why);
}

static void try_names(Search *search, int folder_length, const char *folder, const char *name)
{
    if (!strstr(name, ".so")) {
        try_open(search, folder_length, folder, "", name, ".so");
        try_open(search, folder_length, folder, "lib", name, ".so");
    } else {
        try_open(search, folder_length, folder, "", name, "");
    }
}

static void open_library(const Foreign *f, const External *external, Search *search)
{
    const char *name = text_of(f, external->library);
    Location place = source_locate(program_sources(f->program), external->at);
    const char *slash = place.file ? strrchr(place.file, '/') : NULL;
    if (strcmp(name, "c") == 0 || strcmp(name, "m") == 0) {
        /* libm.so itself is a text for the linker, not a library */
        try_open(search, 0, "", "lib", name, ".so.6");
    } else if (name[0] == '/') {
        try_names(search, 0, "", name);
    } else {
        try_names(search, slash ? (int)(slash - place.file) + 1 : 2, slash ? place.file : "./",
                  name);
        if (!strchr(name, '/'))
            try_names(search, 0, "", name);
    }
}

/* The library is listed before it is opened: nothing is lost when memory runs out. */
static void *library(Foreign *f, const External *external)
{
    for (uint32_t i = 0; i < f->libraries.n; i++)
        if (f->libraries.at[i].name == external->library)
            return f->libraries.at[i].opened;
    vec_push(f->mem, &f->libraries, ((Library){.name = external->library}));
    Search search = {.why = "its name is too long"};
    open_library(f, external, &search);
    vec_last(&f->libraries).opened = search.opened;
    if (!search.opened)
        diag_error(program_diags(f->program), external->at, "library \"%s\" cannot be opened: %s",
                   text_of(f, external->library), search.why);
    return search.opened;
}

static void *symbol(Foreign *f, const Def *def, Sym name)
{
    const External *external = def->external;
    void *opened = library(f, external);
    void *address = opened ? dlsym(opened, text_of(f, name)) : NULL;
    if (opened && !address)
        diag_error(program_diags(f->program), external->at, "no function '%s' in library \"%s\"",
                   text_of(f, name), text_of(f, external->library));
    if (!address)
        foreign_fail(f, "foreign function '%s' of library \"%s\" is not available",
                     text_of(f, name), text_of(f, external->library));
    return address;
}

/* ---- signatures ---- */

static ffi_type *type_of(TypeKind kind)
{
    switch (kind) {
    case TYPE_REAL:
        return &ffi_type_double;
    case TYPE_INTEGER:
    case TYPE_BOOLEAN:
        return &ffi_type_sint;
    case TYPE_STRING:
    case TYPE_VOID: /* the handle */
        return &ffi_type_pointer;
    default:
        return NULL;
    }
}

/* What cannot be passed is an error of the model. */
static bool cannot_pass(Foreign *f, const Def *def, const char *why)
{
    diag_error(program_diags(f->program), def->external->at,
               "'%s' cannot be a foreign function: %s", text_of(f, def->name), why);
    foreign_fail(f, "the arguments of '%s' cannot be passed", text_of(f, def->name));
    return false;
}

static bool set_signature(Foreign *f, Function *function, bool derivative)
{
    const Def *def = function->def;
    uint32_t n = 0;
    if (def->n_params + def->n_ins >= FOREIGN_MAX_ARGUMENTS)
        return cannot_pass(f, def, "it has too many members");
    function->n_before = function->has_handle ? 1 : def->n_params;
    function->n = def->n_ins + function->n_before;
    function->in_kind = mem_alloc(f->mem, function->n + 1);
    function->types = mem_alloc(f->mem, (function->n + 1) * sizeof *function->types);
    if (function->has_handle)
        function->in_kind[n++] = TYPE_VOID;
    for (uint32_t i = 0; !function->has_handle && i < def->n_params; i++)
        function->in_kind[n++] = (uint8_t)def->params[i]->type.kind;
    for (uint32_t i = 0; i < def->n_ins; i++)
        function->in_kind[n++] = (uint8_t)def->ins[i]->type.kind;
    function->in_kind[n] = TYPE_INTEGER; /* `which` */
    for (uint32_t i = 0; i <= n; i++)
        function->types[i] = type_of(function->in_kind[i]);
    function->out_kind = derivative ? TYPE_REAL : (uint8_t)def->out->type.kind;
    ffi_type *out = type_of(function->out_kind);
    if (out && ffi_prep_cif(&function->cif, FFI_DEFAULT_ABI, n + derivative, out,
                            function->types) == FFI_OK)
        return true;
    return cannot_pass(f, def, "C has no such types");
}

/* void *constructor(parameters) */
static bool set_constructor(Foreign *f, Function *function)
{
    const Def *def = function->def;
    function->constructor_types =
        mem_alloc(f->mem, (def->n_params + 1) * sizeof *function->constructor_types);
    for (uint32_t i = 0; i < def->n_params; i++)
        function->constructor_types[i] = type_of(def->params[i]->type.kind);
    return ffi_prep_cif(&function->constructor_cif, FFI_DEFAULT_ABI, def->n_params,
                        &ffi_type_pointer, function->constructor_types) == FFI_OK ||
           cannot_pass(f, def, "C has no such types");
}

/* ---- functions ---- */

static void set_address(Function *function, void *address)
{
    /* ISO C has no cast from object to function pointers; POSIX says the bits are the same */
    memcpy(&function->address, &address, sizeof address);
}

static Function open_plain(Foreign *f, const WorldFunction *view)
{
    const External *external = view->what;
    Function function = {.def = view->def, .has_handle = view->has_handle};
    void *address = symbol(f, view->def, external->function);
    if (!address || !set_signature(f, &function, false))
        return function;
    set_address(&function, address);
    function.kind = FUNCTION_PLAIN;
    void *constructor = external->constructor ? symbol(f, view->def, external->constructor) : NULL;
    void *destructor = external->destructor ? symbol(f, view->def, external->destructor) : NULL;
    memcpy(&function.constructor, &constructor, sizeof constructor);
    memcpy(&function.destructor, &destructor, sizeof destructor);
    if ((external->constructor && !constructor) || (external->destructor && !destructor) ||
        !set_constructor(f, &function))
        function.kind = FUNCTION_BROKEN;
    void *error = dlsym(library(f, external), "solstice_error");
    memcpy(&function.error, &error, sizeof error);
    return function;
}

static Function open_difference(Foreign *f, const Function *origin, uint32_t number, uint32_t which)
{
    const Def *def = origin->def;
    Function function = *origin;
    function.kind = FUNCTION_DIFFERENCE;
    function.origin = number;
    function.which = which;
    function.order = origin->order + 1;
    function.moved = mem_alloc(f->mem, (function.n + 1) * sizeof *function.moved);
    if (function.order == 1)
        diag_warning(program_diags(f->program), def->external->at,
                     "'%s' has no derivative function: its derivatives are taken by differences",
                     text_of(f, def->name));
    return function;
}

static Function open_derivative(Foreign *f, uint32_t number, uint32_t which)
{
    uint32_t index = foreign_function(f, number); /* may move the list */
    Function origin = f->functions.at[index];
    Function function = origin;
    function.which = which;
    if (origin.kind == FUNCTION_BROKEN)
        return (Function){.kind = FUNCTION_BROKEN};
    if (origin.kind == FUNCTION_DELAY && origin.order && origin.which == 0)
        function.which = 0; /* 0 stays 0 */
    if (origin.kind == FUNCTION_TABLE || origin.kind == FUNCTION_DELAY) {
        function.order = origin.order + 1;
        return function;
    }
    if (origin.kind != FUNCTION_PLAIN || !origin.def->external->derivative)
        return open_difference(f, &origin, number, which);
    void *address = symbol(f, origin.def, origin.def->external->derivative);
    if (!address)
        return (Function){.kind = FUNCTION_BROKEN};
    function.kind = set_signature(f, &function, true) ? FUNCTION_PARTIAL : FUNCTION_BROKEN;
    set_address(&function, address);
    function.order = 1;
    return function;
}

static Function open_function(Foreign *f, uint32_t number)
{
    uint32_t origin, which, order = 0;
    WorldFunction view;
    for (uint32_t x = number; x_call_origin(f->forms, x, &origin, &which); x = origin)
        order++;
    if (order > MAX_ORDER) {
        foreign_fail(f, "a foreign function would have to be derived %u times", order);
        return (Function){0};
    }
    if (x_call_origin(f->forms, number, &origin, &which))
        return open_derivative(f, origin, which);
    if (!f->world || !world_function(f->world, number, &view)) {
        foreign_fail(f, "foreign function number %u is not known", number);
        return (Function){0};
    }
    if (view.table)
        return (Function){.kind = FUNCTION_TABLE, .n = 3};
    if (view.delay)
        return (Function){.kind = FUNCTION_DELAY, .n = 2};
    return open_plain(f, &view);
}

bool foreign_check(Foreign *f)
{
    bool fine = true;
    uint32_t n = world_function_count(f->world);
    while (f->checked < n) {
        uint32_t number = world_function_number(f->world, f->checked++);
        uint32_t index = foreign_function(f, number); /* may move the list */
        fine &= f->functions.at[index].kind != FUNCTION_BROKEN;
    }
    if (!fine)
        foreign_failure(f); /* there are messages about it already */
    return fine;
}

void foreign_reserve(Foreign *f, uint32_t number)
{
    while (f->callees.n <= number)
        vec_push(f->mem, &f->callees, (JitCallee){0});
}

/* What compiled code needs to call it; a difference is called by what it is a difference of. */
static void set_callee(Foreign *f, uint32_t number, const Function *function)
{
    foreign_reserve(f, number);
    if (function->kind == FUNCTION_BROKEN || function->kind == FUNCTION_TABLE ||
        function->kind == FUNCTION_DELAY)
        return;
    JitCallee callee = {.which = (int64_t)function->which - function->n_before};
    if (function->kind == FUNCTION_DIFFERENCE) {
        uint32_t origin = foreign_function(f, function->origin);
        if (f->functions.at[origin].kind == FUNCTION_DIFFERENCE)
            return;
        callee.which = (int64_t)f->functions.at[origin].which - function->n_before;
        callee.step = foreign_step(function);
    }
    callee.address = function->address;
    callee.error = (void (*)(void))function->error;
    f->callees.at[number] = callee;
}

uint32_t foreign_function(Foreign *f, uint32_t number)
{
    uint32_t index = map_get(&f->function_index, number);
    if (index)
        return index - 1;
    Function function = open_function(f, number);
    set_callee(f, number, &function);
    vec_push(f->mem, &f->functions, function);
    map_put(f->mem, &f->function_index, number, f->functions.n);
    return f->functions.n - 1;
}
