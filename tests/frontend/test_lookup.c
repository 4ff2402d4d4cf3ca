/* test_lookup.c: names of packages -> the files that define them, and which file wins. */
#include "frontend/frontend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define LIBRARY SOLSTICE_SOURCE_DIR "/tests/lang/library/"

typedef struct Session {
    Mem *mem;
    Program *program;
} Session;

static Session open_session(const char *folder, const char *stdlib)
{
    Session s = {.mem = mem_open()};
    const char *folders[] = {folder};
    ProgramOptions options = {.n_folders = folder != NULL, .folders = folders, .stdlib = stdlib};
    s.program = program_open(s.mem, &options);
    assert_non_null(s.program);
    return s;
}

static void close_session(Session *s)
{
    program_close(s->program);
    assert_int_equal(mem_used(s->mem), 0);
    mem_close(s->mem);
}

static const char *first_message(Session *s)
{
    const Diags *diags = program_diags(s->program);
    return diags->list.n ? diags->list.at[0].text : "";
}

/* The constant that the equation `x = constant` of a model ends up with. */
static double constant_of(Session *s, const char *model)
{
    Def *def = program_find(s->program, model);
    assert_non_null(def);
    for (uint32_t i = 0; i < def->body->n_stmts; i++) {
        const Stmt *stmt = def->body->stmts[i];
        if (stmt->kind == S_EQUATION && stmt->b->kind == R_CONST)
            return stmt->b->k;
    }
    fail_msg("%s has no equation with a constant", model);
    return 0;
}

static void beside_and_folder(void **state)
{
    (void)state;
    Session s = open_session(LIBRARY "more", LIBRARY "standard");
    assert_true(program_load(s.program, LIBRARY "uses.sol"));
    assert_true(program_check(s.program));
    assert_string_equal(first_message(&s), "");
    assert_true(constant_of(&s, "UsesMore") == 41); /* -L before the standard library */
    close_session(&s);
}

static void standard_library_last(void **state)
{
    (void)state;
    Session s = open_session(NULL, LIBRARY "standard/");
    assert_true(program_load(s.program, LIBRARY "uses.sol"));
    assert_true(program_check(s.program));
    assert_true(constant_of(&s, "UsesMore") == 5);
    close_session(&s);
}

static void nowhere(void **state)
{
    (void)state;
    Session s = open_session(NULL, NULL);
    assert_true(program_load(s.program, LIBRARY "uses.sol"));
    assert_false(program_check(s.program));
    assert_string_equal(first_message(&s), "unknown name 'More'");
    assert_false(program_io_failed(s.program));
    close_session(&s);
}

static void check_text(const char *text, const char *folder, const char *message)
{
    Session s = open_session(folder, NULL);
    assert_true(program_load_text(s.program, "memory", text, strlen(text)));
    assert_false(program_check(s.program));
    assert_string_equal(first_message(&s), message);
    close_session(&s);
}

static void broken_library(void **state)
{
    (void)state;
    const char *text =
        "model A\nimplementation:\n  cout << Broken.k;\n  cout << Broken.k;\nend A;\n";
    Session s = open_session(LIBRARY, NULL);
    assert_true(program_load_text(s.program, "memory", text, strlen(text)));
    assert_false(program_check(s.program));
    assert_int_equal(program_diags(s.program)->errors,
                     1); /* in the library; its uses are no news */
    Location at =
        source_locate(program_sources(s.program), program_diags(s.program)->list.at[0].at);
    assert_int_equal(at.line, 2);
    assert_non_null(strstr(at.file, "Broken.sol"));
    close_session(&s);
}

static void misnamed_library(void **state)
{
    (void)state;
    check_text("model A\nimplementation:\n  cout << Misnamed.k;\nend A;\n", LIBRARY,
               "'" LIBRARY "Misnamed.sol' does not define 'Misnamed'");
}

static void text_in_memory_has_no_folder(void **state)
{
    (void)state;
    check_text("model A\nimplementation:\n  cout << Beside.mass;\nend A;\n", NULL,
               "unknown name 'Beside'");
}

static void missing_file(void **state)
{
    (void)state;
    Session s = open_session(NULL, NULL);
    assert_false(program_load(s.program, LIBRARY "nothing.sol"));
    assert_true(program_io_failed(s.program));
    assert_non_null(strstr(first_message(&s), "cannot read"));
    assert_null(program_find(s.program, NULL));
    close_session(&s);
}

static void folder_as_file(void **state)
{
    (void)state;
    Session s = open_session(NULL, NULL);
    assert_false(program_load(s.program, LIBRARY));
    assert_true(program_io_failed(s.program));
    close_session(&s);
}

/* ---- which model is meant ---- */

static void expect_found(const char *text, const char *designator, const char *path)
{
    Session s = open_session(NULL, NULL);
    assert_true(program_load_text(s.program, "memory", text, strlen(text)));
    Def *def = program_find(s.program, designator);
    if (path) {
        assert_non_null(def);
        assert_string_equal(def_path(s.program, def), path);
    } else {
        assert_null(def);
        assert_int_equal(program_diags(s.program)->errors, 1);
    }
    close_session(&s);
}

static void default_model(void **state)
{
    (void)state;
    expect_found("model A\nend A;\nmodel B\nend B;\npackage P\nend P;\n"
                 "partial model C\nend C;\nconnector D\nend D;\n",
                 NULL, "B");
    expect_found("package P\n model A\n end A;\n package Q\n  model B\n  end B;\n end Q;\nend P;\n",
                 "", "P.A");
    expect_found(
        "package P\n package Q\n  model A\n  end A;\n  model B\n  end B;\n end Q;\nend P;\n", NULL,
        "P.Q.B");
    expect_found("package P\nend P;\n", NULL, NULL);
    expect_found("", NULL, NULL);
}

static void named_model(void **state)
{
    (void)state;
    const char *text =
        "package P\n define M as Q.A;\n define k as 1;\n"
        " package Q\n  model A\n  end A;\n end Q;\nend P;\npackage R extends P;\nend R;\n";
    expect_found(text, "P.Q.A", "P.Q.A");
    expect_found(text, "R.Q.A", "R.Q.A"); /* the heir's own */
    expect_found(text, "P.M", "P.Q.A");
    expect_found(text, "P.N", NULL);
    expect_found(text, "P.k", NULL);
    expect_found(text, "P..Q", NULL);
    expect_found(text, ".", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beside_and_folder), cmocka_unit_test(standard_library_last),
        cmocka_unit_test(nowhere),           cmocka_unit_test(broken_library),
        cmocka_unit_test(misnamed_library),  cmocka_unit_test(text_in_memory_has_no_folder),
        cmocka_unit_test(missing_file),      cmocka_unit_test(folder_as_file),
        cmocka_unit_test(default_model),     cmocka_unit_test(named_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
