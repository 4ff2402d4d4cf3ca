/* predefined.c: table of the types, functions and models every text knows -> names of a program. */
#include "frontend/predefined.h"
#include "frontend/resolve_int.h"

#define FUNCTION1(name, op, result)                                                                \
    {                                                                                              \
        name, PRE_FUNCTION, 0, op, result, 1,                                                      \
        {                                                                                          \
            "x"                                                                                    \
        }                                                                                          \
    }
#define FUNCTION2(name, op, result, a, b)                                                          \
    {                                                                                              \
        name, PRE_FUNCTION, 0, op, result, 2,                                                      \
        {                                                                                          \
            a, b                                                                                   \
        }                                                                                          \
    }
#define SPECIAL(name, kind, n, ...)                                                                \
    {                                                                                              \
        name, kind, 0, 0, 0, n,                                                                    \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static const Predefined predefined_table[] = {
    {"Real", PRE_TYPE, TYPE_REAL, 0, 0, 0, {NULL}},
    {"Integer", PRE_TYPE, TYPE_INTEGER, 0, 0, 0, {NULL}},
    {"Boolean", PRE_TYPE, TYPE_BOOLEAN, 0, 0, 0, {NULL}},
    {"String", PRE_TYPE, TYPE_STRING, 0, 0, 0, {NULL}},
    {"Void", PRE_TYPE, TYPE_VOID, 0, 0, 0, {NULL}},
    FUNCTION1("sin", X_SIN, RESULT_REAL),
    FUNCTION1("cos", X_COS, RESULT_REAL),
    FUNCTION1("tan", X_TAN, RESULT_REAL),
    FUNCTION1("asin", X_ASIN, RESULT_REAL),
    FUNCTION1("acos", X_ACOS, RESULT_REAL),
    FUNCTION1("atan", X_ATAN, RESULT_REAL),
    FUNCTION2("atan2", X_ATAN2, RESULT_REAL, "y", "x"),
    FUNCTION1("sinh", X_SINH, RESULT_REAL),
    FUNCTION1("cosh", X_COSH, RESULT_REAL),
    FUNCTION1("tanh", X_TANH, RESULT_REAL),
    FUNCTION1("exp", X_EXP, RESULT_REAL),
    FUNCTION1("log", X_LOG, RESULT_REAL),
    FUNCTION1("log10", X_LOG10, RESULT_REAL),
    FUNCTION1("sqrt", X_SQRT, RESULT_REAL),
    FUNCTION1("abs", X_ABS, RESULT_LIKE),
    FUNCTION1("sign", X_SIGN, RESULT_INTEGER),
    FUNCTION2("min", X_MIN, RESULT_LIKE, "a", "b"),
    FUNCTION2("max", X_MAX, RESULT_LIKE, "a", "b"),
    FUNCTION1("floor", X_FLOOR, RESULT_INTEGER),
    FUNCTION1("ceil", X_CEIL, RESULT_INTEGER),
    FUNCTION1("round", X_ROUND, RESULT_INTEGER),
    FUNCTION2("mod", X_MOD, RESULT_LIKE, "a", "b"),
    SPECIAL("time", PRE_TIME, 0, NULL),
    SPECIAL("initial", PRE_INITIAL, 0, NULL),
    SPECIAL("pre", PRE_PRE, 1, "x"),
    SPECIAL("der", PRE_DER, 2, "x", "start"),
    SPECIAL("derState", PRE_DER_STATE, 2, "x", "start"),
    SPECIAL("random", PRE_RANDOM, 1, "x"),
    SPECIAL("Sample", PRE_SAMPLE, 1, "interval"),
    SPECIAL("table", PRE_TABLE, 3, "x", "file", "column"),
    SPECIAL("tearing", PRE_TEARING, 1, "x"),
    SPECIAL("assert", PRE_ASSERT, 2, "condition", "message"),
    SPECIAL("connection", PRE_CONNECTION, 2, "a", "b"),
    SPECIAL("cout", PRE_COUT, 0, NULL),
    SPECIAL("trash", PRE_TRASH, 0, NULL),
};

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
