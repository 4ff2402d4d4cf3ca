/* nvector.c: an N_Vector for SUNDIALS over one array of doubles.
 *
 * Debian's library is compiled without optimisation, and vector operations are most of what IDA
 * does; so the kernels are ours. Sums use four accumulators in a fixed order: the same bits in
 * every run. Memory comes from the simulation's Mem, so nothing is lost when it is closed early.
 */
#include "numerics/nvector.h"

#include <math.h>
#include <string.h>

/* A vector is its head and its numbers. */
typedef struct Vector {
    struct _generic_N_Vector head; /* content: the space */
    double at[];
} Vector;

/* IDA has 20 vectors with a direct solver, its driver 6. All lie in the block: N_VClone() of SUNDIALS reads what it is given, also
 * where that is NULL. */
enum { IN_BLOCK = 26 };

/* A step of a small part reads a score of vectors that were last read long ago: they lie close
 * together, behind this. */
struct VectorSpace {
    uint32_t n, room;
    uint32_t used; /* of the vectors in the block, those given out */
    Mem *mem;
    SUNContext context;
    char block[];
};

static Vector *vector(N_Vector v)
{
    return (Vector *)v;
}

double *nvector_at(N_Vector v)
{
    return vector(v)->at;
}

static double *data(N_Vector v)
{
    return vector(v)->at;
}

static VectorSpace *space_of(N_Vector v)
{
    return v->content;
}

static uint32_t length(N_Vector v)
{
    return space_of(v)->n;
}

static size_t vector_size(uint32_t room)
{
    return sizeof(Vector) + room * sizeof(double);
}

static N_Vector clone(N_Vector w)
{
    return nvector_new(space_of(w));
}

static void destroy(N_Vector v)
{
    if (!v)
        return;
    VectorSpace *space = space_of(v);
    char *end = space->block + IN_BLOCK * vector_size(space->room);
    if ((char *)v < space->block || (char *)v >= end)
        mem_free(space->mem, v);
}

static sunindextype get_length(N_Vector v)
{
    return (sunindextype)length(v);
}

static realtype *get_array(N_Vector v)
{
    return data(v);
}

static void space(N_Vector v, sunindextype *reals, sunindextype *ints)
{
    *reals = (sunindextype)length(v);
    *ints = 1;
}

static N_Vector_ID get_id(N_Vector v)
{
    (void)v;
    return SUNDIALS_NVEC_CUSTOM;
}

/* ---- elementwise ---- */

static void linear_sum(realtype a, N_Vector x, realtype b, N_Vector y, N_Vector z)
{
    const double *p = data(x), *q = data(y);
    double *r = data(z);
    for (uint32_t i = 0; i < length(z); i++)
        r[i] = a * p[i] + b * q[i];
}

static void set_const(realtype c, N_Vector z)
{
    double *r = data(z);
    for (uint32_t i = 0; i < length(z); i++)
        r[i] = c;
}

static void prod(N_Vector x, N_Vector y, N_Vector z)
{
    const double *p = data(x), *q = data(y);
    double *r = data(z);
    for (uint32_t i = 0; i < length(z); i++)
        r[i] = p[i] * q[i];
}

static void divide(N_Vector x, N_Vector y, N_Vector z)
{
    const double *p = data(x), *q = data(y);
    double *r = data(z);
    for (uint32_t i = 0; i < length(z); i++)
        r[i] = p[i] / q[i];
}

static void scale(realtype c, N_Vector x, N_Vector z)
{
    const double *p = data(x);
    double *r = data(z);
    for (uint32_t i = 0; i < length(z); i++)
        r[i] = c * p[i];
}

static void absolute(N_Vector x, N_Vector z)
{
    const double *p = data(x);
    double *r = data(z);
    for (uint32_t i = 0; i < length(z); i++)
        r[i] = fabs(p[i]);
}

static void inverse(N_Vector x, N_Vector z)
{
    const double *p = data(x);
    double *r = data(z);
    for (uint32_t i = 0; i < length(z); i++)
        r[i] = 1 / p[i];
}

static void add_const(N_Vector x, realtype b, N_Vector z)
{
    const double *p = data(x);
    double *r = data(z);
    for (uint32_t i = 0; i < length(z); i++)
        r[i] = p[i] + b;
}

static void compare(realtype c, N_Vector x, N_Vector z)
{
    const double *p = data(x);
    double *r = data(z);
    for (uint32_t i = 0; i < length(z); i++)
        r[i] = fabs(p[i]) >= c;
}

static booleantype inverse_test(N_Vector x, N_Vector z)
{
    const double *p = data(x);
    double *r = data(z);
    booleantype fine = SUNTRUE;
    for (uint32_t i = 0; i < length(z); i++) {
        if (p[i] == 0)
            fine = SUNFALSE;
        else
            r[i] = 1 / p[i];
    }
    return fine;
}

/* ---- sums ---- */

static realtype dot(N_Vector x, N_Vector y)
{
    const double *p = data(x), *q = data(y);
    uint32_t n = length(x), i = 0;
    double s[4] = {0};
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++)
            s[k] += p[i + k] * q[i + k];
    for (; i < n; i++)
        s[0] += p[i] * q[i];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/* Sum of (x w)^2, over those with a mask if there is one. */
static double weighted(N_Vector x, N_Vector w, N_Vector mask)
{
    const double *p = data(x), *q = data(w), *m = mask ? data(mask) : NULL;
    uint32_t n = length(x), i = 0;
    double s[4] = {0};
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) {
            double t = p[i + k] * q[i + k] * (m ? m[i + k] > 0 : 1);
            s[k] += t * t;
        }
    for (; i < n; i++) {
        double t = p[i] * q[i] * (m ? m[i] > 0 : 1);
        s[0] += t * t;
    }
    return (s[0] + s[1]) + (s[2] + s[3]);
}

static realtype wrms_norm(N_Vector x, N_Vector w)
{
    return sqrt(weighted(x, w, NULL) / length(x));
}

static realtype wrms_norm_mask(N_Vector x, N_Vector w, N_Vector mask)
{
    return sqrt(weighted(x, w, mask) / length(x));
}

static realtype wl2_norm(N_Vector x, N_Vector w)
{
    return sqrt(weighted(x, w, NULL));
}

static realtype max_norm(N_Vector x)
{
    const double *p = data(x);
    double most = 0;
    for (uint32_t i = 0; i < length(x); i++)
        most = fabs(p[i]) > most ? fabs(p[i]) : most;
    return most;
}

static realtype l1_norm(N_Vector x)
{
    const double *p = data(x);
    double sum = 0;
    for (uint32_t i = 0; i < length(x); i++)
        sum += fabs(p[i]);
    return sum;
}

static realtype minimum(N_Vector x)
{
    const double *p = data(x);
    double least = p[0];
    for (uint32_t i = 1; i < length(x); i++)
        least = p[i] < least ? p[i] : least;
    return least;
}

static booleantype constr_mask(N_Vector c, N_Vector x, N_Vector m)
{
    const double *p = data(x), *q = data(c);
    double *r = data(m);
    booleantype fine = SUNTRUE;
    for (uint32_t i = 0; i < length(x); i++) {
        bool bad = (fabs(q[i]) > 1.5 && p[i] * q[i] <= 0) || (fabs(q[i]) > 0.5 && p[i] * q[i] < 0);
        r[i] = bad;
        if (bad)
            fine = SUNFALSE;
    }
    return fine;
}

static realtype min_quotient(N_Vector x, N_Vector y)
{
    const double *p = data(x), *q = data(y);
    double least = INFINITY;
    for (uint32_t i = 0; i < length(x); i++)
        if (q[i] != 0 && p[i] / q[i] < least)
            least = p[i] / q[i];
    return least;
}

/* ---- several vectors at once: one pass over memory ---- */

static int linear_combination(int n, realtype *c, N_Vector *x, N_Vector z)
{
    enum { MOST = 16 };
    double *r = data(z), *from[MOST];
    if (n > MOST)
        return 1;
    for (int k = 0; k < n; k++)
        from[k] = data(x[k]);
    for (uint32_t i = 0; i < length(z); i++) {
        double sum = c[0] * from[0][i];
        for (int k = 1; k < n; k++)
            sum += c[k] * from[k][i];
        r[i] = sum;
    }
    return 0;
}

static int scale_add_multi(int n, realtype *a, N_Vector x, N_Vector *y, N_Vector *z)
{
    const double *p = data(x);
    for (int k = 0; k < n; k++) {
        const double *q = data(y[k]);
        double *r = data(z[k]);
        for (uint32_t i = 0; i < length(x); i++)
            r[i] = a[k] * p[i] + q[i];
    }
    return 0;
}

static int scale_array(int n, realtype *c, N_Vector *x, N_Vector *z)
{
    for (int k = 0; k < n; k++)
        scale(c[k], x[k], z[k]);
    return 0;
}

/* Shared by all vectors; nobody writes to it. */
static struct _generic_N_Vector_Ops operations = {
    .nvgetvectorid = get_id,
    .nvclone = clone,
    .nvdestroy = destroy,
    .nvspace = space,
    .nvgetarraypointer = get_array,
    .nvgetlength = get_length,
    .nvlinearsum = linear_sum,
    .nvconst = set_const,
    .nvprod = prod,
    .nvdiv = divide,
    .nvscale = scale,
    .nvabs = absolute,
    .nvinv = inverse,
    .nvaddconst = add_const,
    .nvdotprod = dot,
    .nvmaxnorm = max_norm,
    .nvwrmsnorm = wrms_norm,
    .nvwrmsnormmask = wrms_norm_mask,
    .nvmin = minimum,
    .nvwl2norm = wl2_norm,
    .nvl1norm = l1_norm,
    .nvcompare = compare,
    .nvinvtest = inverse_test,
    .nvconstrmask = constr_mask,
    .nvminquotient = min_quotient,
    .nvlinearcombination = linear_combination,
    .nvscaleaddmulti = scale_add_multi,
    .nvscalevectorarray = scale_array,
};

static size_t space_size(uint32_t room)
{
    return sizeof(VectorSpace) + IN_BLOCK * vector_size(room);
}

size_t nvector_bytes(const VectorSpace *space)
{
    return space_size(space->room);
}

VectorSpace *nvector_open(Mem *mem, SUNContext context, uint32_t room)
{
    VectorSpace *space = mem_alloc(mem, space_size(room));
    *space = (VectorSpace){.mem = mem, .context = context, .room = room};
    return space;
}

void nvector_set_length(VectorSpace *space, uint32_t n)
{
    space->n = n;
}

void nvector_close(VectorSpace *space)
{
    if (space)
        mem_free(space->mem, space);
}

/* Called from inside IDA, which must not be left by a jump: no memory is a NULL. */
N_Vector nvector_new(VectorSpace *space)
{
    Vector *v;
    if (space->used < IN_BLOCK) {
        v = (Vector *)(space->block + space->used++ * vector_size(space->room));
    } else {
        MemGuard guard;
        mem_guard_push(space->mem, &guard);
        if (setjmp(guard.env) != 0)
            return NULL;
        v = mem_alloc(space->mem, vector_size(space->room));
        mem_guard_pop(space->mem, &guard);
    }
    v->head =
        (struct _generic_N_Vector){.content = space, .ops = &operations, .sunctx = space->context};
    return &v->head;
}
