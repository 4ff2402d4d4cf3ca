/* test_types.c: pairs of models -> their relation: equal, sub-type, common base, separate. */
#include "frontend/frontend.h"
#include "frontend/types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "model Empty\nend Empty;\n"
    "model X\ninterface:\n  Real x;\nimplementation:\n  Real hidden;\nend X;\n"
    "model X2\ninterface:\n  Real x;\nimplementation:\n  Boolean other;\nend X2;\n"
    "model XY\ninterface:\n  Real y;\n  Real x;\nend XY;\n"
    "model Y\ninterface:\n  Real y;\nend Y;\n"
    "model IntX\ninterface:\n  Integer x;\nend IntX;\n"
    "model HiddenX\nimplementation:\n  Real x;\nend HiddenX;\n"
    "connector InX\ninterface:\n  in Real x;\nend InX;\n"
    "connector FlowX\ninterface:\n  in flow Real x;\nend FlowX;\n"
    "connector PotX\ninterface:\n  potential Real x;\nend PotX;\n"
    "model ParX\ninterface:\n  parameter Real x;\nend ParX;\n"
    "model HasX\ninterface:\n  X m;\nend HasX;\n"
    "model HasXY\ninterface:\n  XY m;\nend HasXY;\n"
    "model HasY\ninterface:\n  Y m;\nend HasY;\n"
    "model DynX\ninterface:\n  dynamic X m;\nend DynX;\n"
    "model List\ninterface:\n  Real v;\n  dynamic List next;\nend List;\n"
    "model Odd\ninterface:\n  Real v;\n  dynamic Even next;\nend Odd;\n"
    "model Even\ninterface:\n  Real v;\n  dynamic Odd next;\nend Even;\n"
    "model Third\ninterface:\n  Real v;\n  Real w;\n  dynamic Second next;\nend Third;\n"
    "model Second\ninterface:\n  Real v;\n  dynamic Third next;\nend Second;\n"
    "model BadList\ninterface:\n  Real v;\n  dynamic BadEnd next;\nend BadList;\n"
    "model BadEnd\ninterface:\n  Integer v;\n  dynamic BadList next;\nend BadEnd;\n"
    "model Ring\ninterface:\n  dynamic Ring next;\nend Ring;\n"
    "model ToY\ninterface:\n  dynamic Y next;\nend ToY;\n"
    "model ToX\ninterface:\n  dynamic X next;\nend ToX;\n"
    "model ToToY\ninterface:\n  dynamic ToY next;\nend ToToY;\n"
    "model ToToX\ninterface:\n  dynamic ToX next;\nend ToToX;\n"
    "package P\n  connector Pin\n  interface:\n    potential Real u;\n  end Pin;\n"
    "  model M\n  interface:\n    Pin p;\n  end M;\nend P;\n"
    "package Q extends P;\nend Q;\n";

typedef struct Fixture {
    Mem *mem;
    Program *program;
} Fixture;

static int set_up(void **state)
{
    static Fixture f;
    f.mem = mem_open();
    f.program = program_open(f.mem, NULL);
    assert_true(program_load_text(f.program, "types", text, sizeof text - 1));
    assert_true(program_check(f.program));
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    program_close(f->program);
    mem_close(f->mem);
    return 0;
}

static Type type_of(Fixture *f, const char *name)
{
    Def *def = program_find(f->program, name);
    assert_non_null(def);
    return (Type){TYPE_MODEL, def};
}

/* One character for each relation: = equal, < sub-type, > super-type, ^ a common base, # separate.
 * Equal types, sub- and super-types are never separate here, since Empty is left out. */
static char relation(Fixture *f, const char *a, const char *b)
{
    Type x = type_of(f, a), y = type_of(f, b);
    bool below = types_is_sub(x, y, NULL), above = types_is_sub(y, x, NULL);
    bool separate = types_is_separate(x, y);
    assert_int_equal(types_is_equal(x, y), below && above);
    assert_int_equal(types_is_separate(y, x), separate);
    if (below || above) {
        assert_false(separate);
        return below && above ? '=' : below ? '<' : '>';
    }
    return separate ? '#' : '^';
}

#define assert_relation(a, sign, b) assert_int_equal(relation(f, a, b), sign)

static void plain(void **state)
{
    Fixture *f = *state;
    assert_relation("X", '=', "X");
    assert_relation("X", '=', "X2");
    assert_relation("XY", '<', "X");
    assert_relation("Y", '>', "XY");
    assert_relation("X", '#', "Y");
    assert_relation("X", '#', "IntX");
    assert_relation("XY", '#', "IntX");
    assert_relation("X", '#', "HasX");
}

static void attributes_and_binding(void **state)
{
    Fixture *f = *state;
    assert_relation("InX", '<', "X");
    assert_relation("FlowX", '<', "InX");
    assert_relation("FlowX", '^', "PotX");
    assert_relation("ParX", '<', "X");
    assert_relation("ParX", '^', "InX");
    assert_relation("HasXY", '<', "HasX");
    assert_relation("HasX", '#', "HasY");
    assert_relation("HasX", '#', "DynX");
}

static void recursive(void **state)
{
    Fixture *f = *state;
    assert_relation("List", '=', "Odd");
    assert_relation("Odd", '=', "Even");
    assert_relation("Third", '<', "List");
    assert_relation("Second", '<', "List");
    assert_relation("Third", '^', "Second"); /* each needs a w where the other has none */
    assert_relation("BadList", '^', "List");
    assert_relation("BadEnd", '^', "List");
    assert_relation("Ring", '>', "List");
    assert_relation("ToX", '#', "ToY");
    assert_relation("ToToX", '#', "ToToY");
    assert_relation("Ring", '#', "ToToY"); /* each next leads to another, the last ones differ */
}

static void inherited_packages(void **state)
{
    Fixture *f = *state;
    assert_relation("P.M", '=', "Q.M");
    assert_true(type_of(f, "P.M").def != type_of(f, "Q.M").def);
    assert_relation("P.Pin", '=', "Q.Pin");
}

static void empty_and_basic(void **state)
{
    Fixture *f = *state;
    Type real = {TYPE_REAL, NULL}, integer = {TYPE_INTEGER, NULL}, nothing = {TYPE_VOID, NULL};
    Type empty = type_of(f, "Empty"), x = type_of(f, "X");
    assert_true(types_is_sub(x, empty, NULL) && !types_is_sub(empty, x, NULL));
    assert_true(types_is_equal(type_of(f, "HiddenX"), empty)); /* what is private is no type */
    assert_true(types_is_separate(x, empty));                  /* nothing is common with nothing */
    assert_true(types_is_sub(real, real, NULL) && !types_is_sub(integer, real, NULL));
    assert_true(types_is_separate(real, integer) && types_is_separate(real, x));
    assert_true(types_is_sub(x, nothing, NULL) && !types_is_sub(nothing, x, NULL));
}

static void reasons(void **state)
{
    Fixture *f = *state;
    static const char *const cases[][3] = {
        {"X", "XY", "public member 'y' is missing"},
        {"HiddenX", "X", "public member 'x' is missing"},
        {"IntX", "X", "member 'x' is Integer, not Real"},
        {"DynX", "HasX", "member 'm' is dynamic, not static"},
        {"InX", "FlowX", "member 'x' is not 'flow'"},
        {"X", "ParX", "member 'x' is not 'parameter'"},
        {"BadList", "List", "member 'v' is Integer, not Real"},
        {"HasX", "X", "public member 'x' is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Mismatch why;
        Type a = type_of(f, cases[i][0]), b = type_of(f, cases[i][1]);
        for (int again = 0; again < 2; again++) { /* the second answer comes from memory */
            assert_false(types_is_sub(a, b, &why));
            assert_string_equal(types_reason(f->program, &why), cases[i][2]);
            assert_false(types_is_sub(a, b, NULL));
        }
    }
    Mismatch why;
    assert_false(types_is_sub(type_of(f, "X"), (Type){TYPE_REAL, NULL}, &why));
    assert_string_equal(types_reason(f->program, &why), "it is X, not Real");
}

static void common_base(void **state)
{
    Fixture *f = *state;
    Arena arena;
    CommonMember *common;
    arena_init(&arena, f->mem);
    assert_int_equal(types_common(&arena, type_of(f, "XY"), type_of(f, "X"), &common), 1);
    assert_string_equal(intern_text(program_names(f->program), common[0].a->name), "x");
    assert_int_equal(types_common(&arena, type_of(f, "Third"), type_of(f, "Second"), &common), 2);
    assert_int_equal(types_common(&arena, type_of(f, "ToX"), type_of(f, "ToY"), &common), 0);
    assert_int_equal(types_common(&arena, type_of(f, "X"), type_of(f, "Empty"), &common), 0);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),           cmocka_unit_test(attributes_and_binding),
        cmocka_unit_test(recursive),       cmocka_unit_test(inherited_packages),
        cmocka_unit_test(empty_and_basic), cmocka_unit_test(reasons),
        cmocka_unit_test(common_base),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
