/* kinsol.c: equations and a first guess -> a solution. See kinsol.h. */
#include "runtime/solve/kinsol.h"

#include "runtime/solve/direct_solver.h"

#include <kinsol/kinsol.h>
#include <nvector/nvector_serial.h>
#include <string.h>

typedef struct Search {
    const WaySystem *system;
    DirectSolver solver;
    SUNContext context;
    void *kinsol;
    N_Vector x, unit;
} Search;

static int residual(N_Vector x, N_Vector off, void *data)
{
    const WaySystem *system = ((Search *)data)->system;
    return system->value(system->context, NV_DATA_S(x), 1, NV_DATA_S(off)) ? 0 : 1;
}

/* The factors are made where values are now: at x, then. */
static int go_there(N_Vector x, N_Vector off, SUNMatrix matrix, void *data, N_Vector a, N_Vector b)
{
    (void)off;
    (void)matrix;
    (void)b;
    return residual(x, a, data);
}

static int factor(void *owner)
{
    const WaySystem *system = ((Search *)owner)->system;
    return system->factor(system->context) ? 0 : 1;
}

static int solve(void *owner, double *b)
{
    const WaySystem *system = ((Search *)owner)->system;
    system->solve(system->context, b);
    return 0;
}

static void be_silent(int code, const char *module, const char *function, char *text, void *data)
{
    (void)code;
    (void)module;
    (void)function;
    (void)text;
    (void)data;
}

static bool open_search(Search *s)
{
    enum { ROUNDS = 200 };
    static const double LONGEST = 1e6, ENOUGH = 1e-11;
    uint32_t n = s->system->n;
    if (SUNContext_Create(NULL, &s->context) != 0)
        return false;
    s->kinsol = KINCreate(s->context);
    s->x = N_VNew_Serial(n, s->context);
    s->unit = N_VNew_Serial(n, s->context);
    if (!s->kinsol || !s->x || !s->unit)
        return false;
    N_VConst(1, s->unit);
    s->solver = (DirectSolver){.owner = s, .n = n, .factor = factor, .solve = solve};
    return KINInit(s->kinsol, residual, s->x) == 0 &&
           KINSetErrHandlerFn(s->kinsol, be_silent, NULL) == 0 &&
           KINSetUserData(s->kinsol, s) == 0 &&
           KINSetLinearSolver(s->kinsol, direct_solver(&s->solver, s->context),
                              direct_matrix(&s->solver, s->context)) == 0 &&
           KINSetJacFn(s->kinsol, go_there) == 0 && KINSetMaxSetupCalls(s->kinsol, 1) == 0 &&
           KINSetNumMaxIters(s->kinsol, ROUNDS) == 0 &&
           KINSetMaxNewtonStep(s->kinsol, LONGEST) == 0 &&
           KINSetFuncNormTol(s->kinsol, ENOUGH) == 0;
}

static void close_search(Search *s)
{
    KINFree(&s->kinsol);
    if (s->x)
        N_VDestroy(s->x);
    if (s->unit)
        N_VDestroy(s->unit);
    if (s->context)
        SUNContext_Free(&s->context);
}

bool kinsol_solve(const WaySystem *system, double *x)
{
    Search s = {.system = system};
    bool found = open_search(&s);
    if (found) {
        memcpy(NV_DATA_S(s.x), x, system->n * sizeof *x);
        found = KINSol(s.kinsol, s.x, KIN_LINESEARCH, s.unit, s.unit) >= 0;
        memcpy(x, NV_DATA_S(s.x), system->n * sizeof *x);
    }
    close_search(&s);
    return found;
}
