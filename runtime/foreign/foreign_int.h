/* foreign_int.h: shared by foreign.c (calls, handles) and foreign_library.c (libraries,
 * signatures). */
#ifndef RUNTIME_FOREIGN_INT_H
#define RUNTIME_FOREIGN_INT_H

#include "base/map.h"
#include "base/vec.h"
#include "jit/jit.h"
#include "runtime/foreign/foreign.h"
#include "runtime/foreign/history.h"
#include "runtime/foreign/table.h"

#include <ffi.h>

/* One foreign function, or one of its derivatives; found by its number. */
typedef struct Function {
    enum {
        FUNCTION_BROKEN, /* could not be opened: every call is NaN */
        FUNCTION_TABLE,
        FUNCTION_DELAY,
        FUNCTION_PLAIN,
        FUNCTION_PARTIAL,   /* by the library's derivative function */
        FUNCTION_DIFFERENCE /* by differences of `origin` */
    } kind;
    const Def *def;        /* NULL for tables and delays */
    bool has_handle;       /* the first argument is one */
    uint32_t n;            /* arguments, handle included */
    uint32_t n_before;     /* of these before the in-members: the handle, or the parameters */
    uint32_t origin;       /* FUNCTION_DIFFERENCE, _TABLE: function that is derived, or 0 */
    uint32_t which;        /* argument it is derived by */
    uint32_t order;        /* how many times the function of the model was derived */
    void (*address)(void); /* FUNCTION_PLAIN, _PARTIAL */
    ffi_cif cif;
    ffi_type **types;           /* n of them, and one for `which` of a derivative function */
    uint8_t *in_kind;           /* in_kind[i]: TypeKind of argument i; TYPE_VOID for the handle */
    uint8_t out_kind;           /* TypeKind */
    double *moved;              /* FUNCTION_DIFFERENCE: n arguments, one of them moved */
    const char *(*error)(void); /* the library's solstice_error, or NULL */
    void (*destructor)(void *);
    void (*constructor)(void);
    ffi_cif constructor_cif;
    ffi_type **constructor_types; /* of the parameters */
} Function;

enum { FOREIGN_MAX_ARGUMENTS = 64 };

typedef struct Library {
    Sym name;
    void *opened; /* of dlopen, or NULL */
} Library;

typedef struct Handle {
    void *pointer;
    uint32_t function; /* index in functions */
    DdpVar var;        /* 0: dead */
} Handle;

struct Foreign {
    Mem *mem;
    Program *program;
    FormTable *forms;
    const World *world;
    Map function_index; /* number -> index in functions, from 1 */
    VEC(Function) functions;
    VEC(Library) libraries;
    Map handle_of; /* DdpVar -> index in handles, from 1 */
    VEC(Handle) handles;
    VEC(uint32_t) free_handles; /* room for all is taken at birth: a death never needs memory */
    TableSet *tables;
    HistorySet *histories;
    uint32_t checked;       /* functions of the World that foreign_check() has opened */
    VEC(JitCallee) callees; /* [number], for compiled code; address NULL: not open, or not direct */
    uint64_t ffi_calls;     /* through libffi so far, without constructors */
    bool failed;
    char failure[512];
};

/* The function behind a number, opened when it is asked for the first time; its index. */
uint32_t foreign_function(Foreign *foreign, uint32_t number);

/* Room in `callees` up to this number. */
void foreign_reserve(Foreign *foreign, uint32_t number);

/* FUNCTION_DIFFERENCE: step of its argument, in units of it or of 1. */
double foreign_step(const Function *function);

/* Remembers the first failure. */
void foreign_fail(Foreign *foreign, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "Damper (models/Car.sol:12:3)": a function as messages name it. */
const char *foreign_name(Foreign *foreign, const Def *def, char *out, size_t size);

#endif
