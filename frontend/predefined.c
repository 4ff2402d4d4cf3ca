/* predefined.c: table of the types, functions and models every text knows -> names of a program. */
#include "frontend/predefined.h"
#include "frontend/resolve_int.h"

#define SPECIAL(name, kind, n, ...)                                                                \
    {                                                                                              \
        name, kind, 0, 0, 0, n, {__VA_ARGS__}, false                                               \
    }
/* A name that texts may use for their own members. */
#define SOFT(name, kind, n, ...)                                                                   \
    {                                                                                              \
        name, kind, 0, 0, 0, n, {__VA_ARGS__}, true                                                \
    }

/* clang-format off */
static const Predefined predefined_table[] = {
    {"Real", PRE_TYPE, TYPE_REAL, 0, 0, 0, {NULL}, false},
    {"Integer", PRE_TYPE, TYPE_INTEGER, 0, 0, 0, {NULL}, false},
    {"Boolean", PRE_TYPE, TYPE_BOOLEAN, 0, 0, 0, {NULL}, false},
    {"String", PRE_TYPE, TYPE_STRING, 0, 0, 0, {NULL}, false},
    {"Void", PRE_TYPE, TYPE_VOID, 0, 0, 0, {NULL}, false},
#define FUNCTION(NAME, function, type, ...)                                                        \
    {#function, PRE_FUNCTION, 0, X_##NAME, RESULT_##type, 1, {"x"}, false},
    X_FUNCTIONS_OF_ONE(FUNCTION, FUNCTION)
#undef FUNCTION
#define FUNCTION(NAME, function, type, first, second, ...)                                         \
    {#function, PRE_FUNCTION, 0, X_##NAME, RESULT_##type, 2, {first, second}, false},
    X_FUNCTIONS_OF_TWO(FUNCTION, FUNCTION)
#undef FUNCTION
    SPECIAL("time", PRE_TIME, 0, NULL),
    SPECIAL("initial", PRE_INITIAL, 0, NULL),
    SPECIAL("pre", PRE_PRE, 1, "x"),
    SPECIAL("der", PRE_DER, 2, "x", "start"),
    SPECIAL("derState", PRE_DER_STATE, 2, "x", "start"),
    SPECIAL("random", PRE_RANDOM, 1, "x"),
    SPECIAL("Sample", PRE_SAMPLE, 1, "interval"),
    SPECIAL("table", PRE_TABLE, 3, "x", "file", "column"),
    SOFT("sample", PRE_SAMPLE, 2, "start", "interval"),
    SOFT("delay", PRE_DELAY, 3, "x", "T", "longest"),
    SOFT("noEvent", PRE_NO_EVENT, 1, "x"),
    SOFT("smooth", PRE_SMOOTH, 2, "p", "x"),
    SOFT("homotopy", PRE_HOMOTOPY, 2, "actual", "simplified"),
    SOFT("edge", PRE_EDGE, 1, "x"),
    SOFT("change", PRE_CHANGE, 1, "x"),
    {"sum", PRE_REDUCE, 0, X_ADD, 0, 1, {"x"}, true},
    {"product", PRE_REDUCE, 0, X_MUL, 0, 1, {"x"}, true},
    SOFT("size", PRE_SIZE, 2, "x", "dimension"),
    SOFT("transpose", PRE_TRANSPOSE, 1, "x"),
    SPECIAL("tearing", PRE_TEARING, 1, "x"),
    SPECIAL("assert", PRE_ASSERT, 2, "condition", "message"),
    SPECIAL("connection", PRE_CONNECTION, 2, "a", "b"),
    SOFT("connect", PRE_CONNECTION, 2, "a", "b"),
    SOFT("reinit", PRE_REINIT, 2, "x", "value"),
    SOFT("terminate", PRE_TERMINATE, 1, "message"),
    SPECIAL("cout", PRE_COUT, 0, NULL),
    SPECIAL("trash", PRE_TRASH, 0, NULL),
};
/* clang-format on */

const Predefined *predefined_at(uint32_t number)
{
    return &predefined_table[number];
}

uint32_t predefined_count(void)
{
    return sizeof predefined_table / sizeof *predefined_table;
}

void predefined_init(Program *program)
{
    for (uint32_t i = 0; i < predefined_count(); i++)
        map_put(program->mem, &program->predefined,
                intern_str(&program->names, predefined_table[i].name), i + 1);
}
