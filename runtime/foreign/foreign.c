/* foreign.c: calls of foreign functions -> values. See foreign.h; signatures: foreign_library.c.
 *
 * How a function says that it failed: a library may export `const char *solstice_error(void)`,
 * which is asked after every call of one of its functions: NULL means that the call went well, a
 * text why it did not. Whatever the type of the result, then. A Real result of NaN is a failure
 * too. */
#define _GNU_SOURCE
#include "runtime/foreign/foreign_int.h"

#include <dlfcn.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

Foreign *foreign_open(Mem *mem, Program *program, FormTable *forms)
{
    Foreign *f = mem_alloc(mem, sizeof *f);
    f->mem = mem;
    f->program = program;
    f->forms = forms;
    f->tables = tables_open(mem);
    f->histories = histories_open(mem);
    return f;
}

HistorySet *foreign_histories(Foreign *f)
{
    return f->histories;
}

void foreign_attach(Foreign *f, const World *world)
{
    f->world = world;
}

static void destroy(Foreign *f, Handle *handle)
{
    const Function *function = &f->functions.at[handle->function];
    if (handle->var && function->destructor)
        function->destructor(handle->pointer);
    handle->var = 0;
}

void foreign_close(Foreign *f)
{
    if (!f)
        return;
    for (uint32_t i = f->handles.n; i-- > 0;) /* youngest first */
        destroy(f, &f->handles.at[i]);
    for (uint32_t i = 0; i < f->libraries.n; i++)
        if (f->libraries.at[i].opened)
            dlclose(f->libraries.at[i].opened);
    for (uint32_t i = 0; i < f->functions.n; i++) {
        Function *function = &f->functions.at[i];
        mem_free(f->mem, function->moved);
        if (function->kind == FUNCTION_DIFFERENCE)
            continue; /* the rest is its origin's */
        mem_free(f->mem, function->types);
        mem_free(f->mem, function->in_kind);
        mem_free(f->mem, function->kind == FUNCTION_PARTIAL ? NULL : function->constructor_types);
    }
    tables_close(f->tables);
    histories_close(f->histories);
    map_free(f->mem, &f->function_index);
    map_free(f->mem, &f->handle_of);
    vec_free(f->mem, &f->functions);
    vec_free(f->mem, &f->callees);
    vec_free(f->mem, &f->libraries);
    vec_free(f->mem, &f->handles);
    vec_free(f->mem, &f->free_handles);
    mem_free(f->mem, f);
}

/* ---- failures ---- */

void foreign_fail(Foreign *f, const char *format, ...)
{
    va_list list;
    if (f->failed)
        return;
    f->failed = true;
    va_start(list, format);
    vsnprintf(f->failure, sizeof f->failure, format, list);
    va_end(list);
}

const char *foreign_failure(Foreign *f)
{
    bool failed = f->failed;
    f->failed = false;
    return failed ? f->failure : NULL;
}

const char *foreign_data_failure(const Foreign *f)
{
    return tables_complaint(f->tables);
}

const char *foreign_name(Foreign *f, const Def *def, char *out, size_t size)
{
    Location place = source_locate(program_sources(f->program), def->external->at);
    snprintf(out, size, "'%s' (%s:%u:%u)", def_path(f->program, def), place.file ? place.file : "?",
             place.line, place.column);
    return out;
}

/* ---- calls ---- */

typedef union Argument {
    double real;
    int integer;
    const void *pointer;
} Argument;

static bool to_int(double x, int *value)
{
    if (!(x >= INT_MIN && x <= INT_MAX))
        return false;
    *value = (int)x;
    return true;
}

static bool to_handle(const Foreign *f, double x, const void **pointer)
{
    if (!(x >= 1 && x <= f->handles.n) || !f->handles.at[(uint32_t)x - 1].var)
        return false;
    *pointer = f->handles.at[(uint32_t)x - 1].pointer;
    return true;
}

static bool to_argument(Foreign *f, TypeKind kind, double x, Argument *argument)
{
    switch (kind) {
    case TYPE_REAL:
        argument->real = x;
        return true;
    case TYPE_INTEGER:
    case TYPE_BOOLEAN:
        return to_int(x, &argument->integer);
    case TYPE_STRING:
        argument->pointer = x >= 0 ? intern_text(program_names(f->program), (Sym)x) : "";
        return true;
    case TYPE_VOID:
        return to_handle(f, x, &argument->pointer);
    default:
        return false;
    }
}

static double from_result(Foreign *f, TypeKind kind, const void *result)
{
    switch (kind) {
    case TYPE_REAL:
        return *(const double *)result;
    case TYPE_INTEGER:
        return (double)(int)*(const ffi_sarg *)result;
    case TYPE_BOOLEAN:
        return (int)*(const ffi_sarg *)result != 0;
    case TYPE_STRING: {
        const char *text = *(const char *const *)result;
        return text ? (double)intern_str(program_names(f->program), text) : NAN;
    }
    default:
        return NAN;
    }
}

/* Arguments as C has them; false with a failure when one cannot be passed. */
static bool to_arguments(Foreign *f, const Function *function, const double *args,
                         Argument *storage, void **pointers)
{
    char name[300];
    for (uint32_t i = 0; i < function->n; i++) {
        pointers[i] = &storage[i];
        if (to_argument(f, function->in_kind[i], args[i], &storage[i]))
            continue;
        foreign_fail(f, "argument %u of %s cannot be passed: %g", i + !function->has_handle,
                     foreign_name(f, function->def, name, sizeof name), args[i]);
        return false;
    }
    return true;
}

/* After a call: what the library says about it. True: all is well. */
static bool ask_error(Foreign *f, const Function *function, double value)
{
    const char *why = function->error ? function->error() : NULL;
    char name[300];
    if (!why && !isnan(value))
        return true;
    foreign_fail(f, "%s failed: %s", foreign_name(f, function->def, name, sizeof name),
                 why ? why : "its result is no number");
    return false;
}

static double call_plain(Foreign *f, const Function *function, const double *args)
{
    Argument storage[FOREIGN_MAX_ARGUMENTS + 1];
    void *pointers[FOREIGN_MAX_ARGUMENTS + 1];
    union {
        double real;
        ffi_sarg integer;
        const char *text;
    } result;
    if (!to_arguments(f, function, args, storage, pointers))
        return NAN;
    storage[function->n].integer = (int)function->which - (int)function->n_before;
    pointers[function->n] = &storage[function->n];
    f->ffi_calls++;
    ffi_call((ffi_cif *)&function->cif, function->address, &result, pointers);
    double value = from_result(f, function->out_kind, &result);
    return ask_error(f, function, value) ? value : NAN;
}

static double call_by_index(Foreign *f, uint32_t index, const double *args);

double foreign_step(const Function *function)
{
    return pow(DBL_EPSILON, 1.0 / (2.0 + function->order));
}

/* Central difference. The recursion into the origin is bounded by the order of derivatives, which
 * foreign_library.c limits; the step grows with the order, as the noise of the function below does.
 */
static double call_difference(Foreign *f, Function *function, const double *args)
{
    uint32_t which = function->which, origin = foreign_function(f, function->origin);
    double *moved = function->moved;
    double step = foreign_step(function) * fmax(1, fabs(args[which]));
    memcpy(moved, args, function->n * sizeof *moved);
    moved[which] = args[which] + step;
    double above = moved[which], high = call_by_index(f, origin, moved);
    moved[which] = args[which] - step;
    double below = moved[which], low = call_by_index(f, origin, moved);
    return (high - low) / (above - below);
}

static double call_table(Foreign *f, const Function *function, const double *args)
{
    const SourceFile *main_file =
        program_sources(f->program)->files.n ? &program_sources(f->program)->files.at[0] : NULL;
    char message[400];
    double value;
    if (function->order > 1 || (function->order == 1 && function->which != 0))
        return 0;
    const char *file = args[1] >= 0 ? intern_text(program_names(f->program), (Sym)args[1]) : "";
    if (tables_value(f->tables, main_file ? main_file->name : "", file, args[2], args[0],
                     function->order == 1, &value, message, sizeof message))
        return value;
    foreign_fail(f, "%s", message);
    return NAN;
}

static double call_delay(Foreign *f, const Function *function, const double *args)
{
    if (function->which == 0 && function->order)
        return 0; /* whose history it is does not vary */
    double value = history_value(f->histories, args[0], args[1], function->order);
    if (isnan(value))
        foreign_fail(f,
                     "a delay is shorter than the step of the integration: what was at time %.10g "
                     "is not known yet",
                     args[1]);
    return value;
}

static double call_by_index(Foreign *f, uint32_t index, const double *args)
{
    Function *function = &f->functions.at[index];
    switch (function->kind) {
    case FUNCTION_PLAIN:
        return call_plain(f, function, args);
    case FUNCTION_PARTIAL:
        /* what is not Real has no derivative, and nobody wants it */
        return function->in_kind[function->which] == TYPE_REAL ? call_plain(f, function, args) : 0;
    case FUNCTION_DIFFERENCE:
        return function->in_kind[function->which] == TYPE_REAL ? call_difference(f, function, args)
                                                               : 0;
    case FUNCTION_TABLE:
        return call_table(f, function, args);
    case FUNCTION_DELAY:
        return call_delay(f, function, args);
    case FUNCTION_BROKEN:
        break;
    }
    return NAN;
}

double foreign_call(void *foreign, uint32_t number, uint32_t n, const double *args)
{
    Foreign *f = foreign;
    uint32_t index = foreign_function(f, number);
    const Function *function = &f->functions.at[index];
    if (function->kind == FUNCTION_BROKEN)
        return NAN;
    if (function->n != n || n > FOREIGN_MAX_ARGUMENTS) {
        foreign_fail(f, "a foreign function has %u arguments, at most %d can be passed", n,
                     FOREIGN_MAX_ARGUMENTS);
        return NAN;
    }
    return call_by_index(f, index, args);
}

/* ---- calls by compiled code ---- */

_Static_assert((int)SHAPE_DIRECT_ARGS < (int)FOREIGN_MAX_ARGUMENTS,
               "what is called directly can be called at all");

static ShapeType shape_type(TypeKind kind)
{
    switch (kind) {
    case TYPE_REAL:
        return SHAPE_REAL;
    case TYPE_INTEGER:
        return SHAPE_INTEGER;
    case TYPE_BOOLEAN:
        return SHAPE_BOOLEAN;
    case TYPE_STRING:
        return SHAPE_STRING;
    default:
        return SHAPE_HANDLE;
    }
}

static bool is_direct(const Function *function)
{
    return function->kind == FUNCTION_PLAIN ||
           (function->kind == FUNCTION_PARTIAL && function->in_kind[function->which] == TYPE_REAL);
}

bool foreign_callee(void *foreign, uint32_t number, uint32_t n, ShapeCallee *callee)
{
    Foreign *f = foreign;
    uint32_t index = foreign_function(f, number), last = number;
    const Function *function = &f->functions.at[index];
    if (!is_direct(function) || function->n != n)
        return false;
    *callee = (ShapeCallee){.out = shape_type(function->out_kind),
                            .has_which = function->kind == FUNCTION_PARTIAL,
                            .derivative = SHAPE_BY_DIFFERENCES};
    if (function->kind == FUNCTION_PLAIN && function->def->external->derivative)
        callee->derivative = SHAPE_BY_FUNCTION;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t partial = x_call_partial(f->forms, number, i);
        callee->in[i] = shape_type(function->in_kind[i]);
        last = partial > last ? partial : last;
    }
    foreign_reserve(f, last);
    return true;
}

static const void *env_pointer(void *foreign, uint32_t type, double x)
{
    Argument argument = {.pointer = NULL};
    return to_argument(foreign, type == SHAPE_STRING ? TYPE_STRING : TYPE_VOID, x, &argument)
               ? argument.pointer
               : NULL;
}

static double env_text(void *foreign, const char *result)
{
    return from_result(foreign, TYPE_STRING, &result);
}

static double env_checked(void *foreign, uint32_t number, double value)
{
    Foreign *f = foreign;
    return ask_error(f, &f->functions.at[foreign_function(f, number)], value) ? value : NAN;
}

void foreign_env(JitEnv *env, Foreign *f)
{
    jit_env(env, foreign_call, f);
    env->callees = (const JitCallee *const *)&f->callees.at;
    env->pointer = env_pointer;
    env->text = env_text;
    env->checked = env_checked;
}

/* ---- handles ---- */

static uint32_t new_handle(Foreign *f)
{
    if (f->free_handles.n)
        return vec_pop(&f->free_handles);
    vec_push(f->mem, &f->handles, (Handle){0});
    vec_reserve(f->mem, &f->free_handles, f->handles.n);
    return f->handles.n - 1;
}

/* The handle, or NULL. */
static void *construct(Foreign *f, const Function *function, const double *parameters)
{
    const Def *def = function->def;
    Argument storage[FOREIGN_MAX_ARGUMENTS];
    void *pointers[FOREIGN_MAX_ARGUMENTS], *handle = NULL;
    for (uint32_t i = 0; i < def->n_params; i++) {
        pointers[i] = &storage[i];
        if (!to_argument(f, def->params[i]->type.kind, parameters[i], &storage[i]))
            return NULL;
    }
    ffi_call((ffi_cif *)&function->constructor_cif, function->constructor, &handle, pointers);
    return handle;
}

bool foreign_birth(Foreign *f, DdpVar var, uint32_t number, Place at, const double *parameters,
                   double *handle)
{
    uint32_t index = foreign_function(f, number);
    const Function *function = &f->functions.at[index];
    *handle = 0;
    if (function->kind != FUNCTION_PLAIN || !function->constructor)
        return false; /* there is a message about it already */
    uint32_t slot = new_handle(f);
    map_put(f->mem, &f->handle_of, var, slot + 1);
    void *pointer = construct(f, function, parameters);
    const char *why = function->error ? function->error() : NULL;
    if (!pointer) {
        map_remove(&f->handle_of, var);
        vec_push(f->mem, &f->free_handles, slot);
        diag_error(program_diags(f->program), at, "the constructor of '%s' failed: %s",
                   def_path(f->program, function->def), why ? why : "it returned no handle");
        foreign_fail(f, "the constructor of '%s' failed", def_path(f->program, function->def));
        return false;
    }
    f->handles.at[slot] = (Handle){.pointer = pointer, .function = index, .var = var};
    *handle = slot + 1;
    return true;
}

bool foreign_birth_of(Foreign *f, const WorldChange *change, const double *value, double *handle)
{
    double parameters[FOREIGN_MAX_ARGUMENTS];
    WorldFunction view;
    if (!world_function(f->world, change->b, &view) || !view.def ||
        view.def->n_params > FOREIGN_MAX_ARGUMENTS)
        return false; /* foreign_check() has told */
    for (uint32_t i = 0; i < view.def->n_params; i++)
        parameters[i] = value[world_param(f->world, change->c, i)];
    return foreign_birth(f, change->a, change->b, change->at, parameters, handle);
}

void foreign_death(Foreign *f, DdpVar var)
{
    uint32_t slot = map_get(&f->handle_of, var);
    if (!slot)
        return;
    map_remove(&f->handle_of, var);
    destroy(f, &f->handles.at[slot - 1]);
    vec_push(f->mem, &f->free_handles, slot - 1);
}
