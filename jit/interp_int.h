/* interp_int.h: the bytecode, between its maker and its runner. Private to jit/.
 *
 * Registers are places in the scratch of a run:
 *     [0, results)          results of assignments without target
 *     [results, +consts)    constants, copied at the start
 *     [.., +loads)          values of the positions that are read before they are assigned
 *     [.., registers)       everything else, used again after the last reader
 */
#ifndef JIT_INTERP_INT_H
#define JIT_INTERP_INT_H

#include "jit/interp.h"

enum {
    OP_STORE = X_OP_COUNT, /* position a := register b */
    OP_MOVE                /* register to := register a */
};

typedef struct Instr {
    uint8_t op;       /* XOp, or OP_ */
    uint32_t to;      /* register */
    uint32_t a, b, c; /* registers; of X_CALL a is the number of the call */
} Instr;

typedef struct Call {
    uint32_t function, n;
    const uint32_t *args;     /* registers */
    const uint32_t *partials; /* functions: derivative by each argument */
} Call;

struct Code {
    uint32_t results, consts, loads, registers;
    uint32_t instrs, max_args;
    const double *k;      /* k[i]: constant in register results + i */
    const uint32_t *load; /* load[i]: position in register results + consts + i */
    const Instr *instr;
    const Call *call;
};

/* One assignment list -> code, all in the arena; temporary memory from mem. */
Code *interp_compile(Mem *mem, Arena *arena, FormTable *forms, uint32_t n, const uint32_t *targets,
                     const X *values);

#endif
