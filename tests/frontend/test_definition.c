/* test_definition.c: Sol text -> what definition.h promises: members, paths, slots, held variables,
 * kinds of statements. */
#include "frontend/frontend.h"
#include "frontend/resolve_int.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

typedef struct Session {
    Mem *mem;
    Program *program;
    Def *top;
} Session;

static Session load(const char *text)
{
    Session s = {.mem = mem_open()};
    s.program = program_open(s.mem, NULL);
    assert_true(program_load_text(s.program, "text", text, strlen(text)));
    assert_true(program_check(s.program));
    s.top = program_find(s.program, NULL);
    assert_non_null(s.top);
    return s;
}

static void end(Session *s)
{
    program_close(s->program);
    assert_int_equal(mem_used(s->mem), 0);
    mem_close(s->mem);
}

static const char *name_of(const Session *s, const Member *m)
{
    return intern_text(program_names(s->program), m->name);
}

static Member *member(const Session *s, const Body *body, const char *name)
{
    for (uint32_t i = 0; i < body->n_members; i++)
        if (strcmp(name_of(s, body->members[i]), name) == 0)
            return body->members[i];
    fail_msg("no member %s", name);
    return NULL;
}

/* The n-th statement of a kind. */
static const Stmt *stmt(const Body *body, StmtKind kind, uint32_t n)
{
    for (uint32_t i = 0; i < body->n_stmts; i++)
        if (body->stmts[i]->kind == kind && n-- == 0)
            return body->stmts[i];
    fail_msg("no such statement");
    return NULL;
}

/* F2, and what every body promises about its statements. */
static void verify(const Body *body)
{
    for (uint32_t i = 0; i < body->n_members; i++) {
        assert_int_equal(body->members[i]->index, i);
        assert_ptr_equal(body->members[i]->body, body);
    }
    uint32_t declared = 0;
    for (uint32_t i = 0; i < body->n_stmts; i++) {
        const Stmt *s = body->stmts[i];
        assert_ptr_equal(s->body, body);
        assert_true(s->at > 0);
        declared += s->kind == S_DECLARE;
        if (s->then_body) {
            assert_ptr_equal(s->then_body->parent, body);
            assert_ptr_equal(s->then_body->owner, s);
            assert_int_equal(s->then_body->depth, body->depth + 1);
            verify(s->then_body);
        }
        if (s->else_body)
            verify(s->else_body);
    }
    assert_int_equal(declared, body->n_members);
}

static void inherited_members_come_first(void **state)
{
    (void)state;
    Session s =
        load("model B\ninterface:\n  parameter Real p << 1;\n  Real x;\nimplementation:\n"
             "  Real h;\n  h = x;\nend B;\n"
             "model M\nend M;\nmodel N extends M;\ninterface:\n  parameter Real k;\nend N;\n"
             "model C extends B;\ninterface:\n  M m;\nend C;\n"
             "model A extends C;\ninterface:\n  in Real u;\n  redeclare N m{k << x};\n"
             "  out Real y;\nimplementation:\n  Real z;\n  y = z + h;\nend A;\n");
    static const char *const names[] = {"p", "x", "h", "m", "u", "y", "z"};
    const Body *body = s.top->body;
    verify(body);
    assert_int_equal(body->n_members, 7);
    for (uint32_t i = 0; i < 7; i++)
        assert_string_equal(name_of(&s, body->members[i]), names[i]);
    assert_int_equal(s.top->n_params, 1);
    assert_int_equal(s.top->n_ins, 1);
    assert_string_equal(name_of(&s, s.top->out), "y");
    const Member *m = body->members[3];
    assert_string_equal(def_path(s.program, m->type.def), "N"); /* replaced, in the same place */
    assert_true(m->has_list && m->is_public);
    assert_int_equal(m->params.n, 1);
    assert_ptr_equal(path_last(m->params.arg[0].value->path), body->members[1]);
    assert_string_equal(def_path(s.program, s.top->base), "C");
    const Stmt *inherited = stmt(body, S_EQUATION, 0);
    assert_ptr_equal(inherited->a->path->step[0], body->members[2]);
    end(&s);
}

static void paths_count_bodies(void **state)
{
    (void)state;
    Session s = load("model M\ninterface:\n  Real v;\nend M;\n"
                     "model A\nimplementation:\n  Real x; M m;\n"
                     "  if time > 1 then\n    Real y;\n    y = x;\n"
                     "    when time > 2 then\n      m.v << y + x;\n    end;\n"
                     "  else if time > 3 then\n    x = 1;\n  end;\nend A;\n");
    const Body *body = s.top->body;
    verify(body);
    const Stmt *outer = stmt(body, S_IF, 0);
    const Stmt *y = stmt(outer->then_body, S_EQUATION, 0);
    assert_int_equal(y->a->path->up, 0);
    assert_int_equal(y->b->path->up, 1);
    const Stmt *when = stmt(outer->then_body, S_WHEN, 0);
    const Stmt *copy = stmt(when->then_body, S_COPY_VALUE, 0);
    assert_null(when->else_body);
    assert_int_equal(copy->path->up, 2);
    assert_int_equal(copy->path->n, 2);
    assert_int_equal(copy->b->op, X_ADD);
    assert_int_equal(copy->b->arg[0]->path->up, 1);
    const Stmt *chain = stmt(outer->else_body, S_IF, 0);
    assert_int_equal(outer->else_body->n_stmts, 1);
    assert_int_equal(stmt(chain->then_body, S_EQUATION, 0)->a->path->up, 2);
    assert_int_equal(body->n_held, 1);
    assert_int_equal(body->held[0].n, 2);
    assert_int_equal(body->held[0].up, 0);
    assert_ptr_equal(body->held[0].step[0], member(&s, body, "m"));
    assert_false(member(&s, body, "x")->held);
    end(&s);
}

static void held_variables(void **state)
{
    (void)state;
    Session s =
        load("model M\ninterface:\n  in Real u;\n  in Real v;\nend M;\n"
             "model A\nimplementation:\n  Real x; Real y; M m;\n"
             "  y = 1;\n  m(u << 1, v = 2);\n"
             "  when time > 1 then\n    x << 1;\n  else then\n    x << 2;\n    m.u = 3;\n  end;\n"
             "end A;\n");
    const Body *body = s.top->body;
    assert_true(member(&s, body, "x")->held);
    assert_false(member(&s, body, "y")->held);
    assert_int_equal(body->n_held, 1);
    assert_string_equal(name_of(&s, path_last(&body->held[0])), "u");
    const Stmt *access = stmt(body, S_INSTANCE, 0);
    assert_int_equal(access->a->access->n_ins, 2);
    assert_int_equal(access->a->access->in[0].op, REL_COPY);
    assert_int_equal(access->a->access->in[1].op, REL_EQUAL);
    assert_int_equal(access->a->slot, SLOT_NONE);
    end(&s);
}

static void kinds_of_statements(void **state)
{
    (void)state;
    Session s =
        load("connector C\ninterface:\n  potential Real u;\nend C;\n"
             "model A\nimplementation:\n  C c; C d; Real x;\n  dynamic C e{};\n  alias C f;\n"
             "  x = 1;\n  x + 0 = 1;\n  e << c;\n  e <- C{};\n  f << e;\n  trash <- e;\n"
             "  connection{a << c, b << d};\n  tearing(x);\n  cout << x;\n  C{};\nend A;\n");
    static const StmtKind kinds[] = {S_DECLARE,  S_DECLARE,  S_DECLARE,    S_DECLARE, S_DECLARE,
                                     S_EQUATION, S_EQUATION, S_COPY_MODEL, S_MOVE,    S_ALIAS,
                                     S_TRASH,    S_CONNECT,  S_TEARING,    S_COUT,    S_INSTANCE};
    const Body *body = s.top->body;
    assert_int_equal(body->n_stmts, sizeof kinds / sizeof *kinds);
    for (uint32_t i = 0; i < body->n_stmts; i++)
        assert_int_equal(body->stmts[i]->kind, kinds[i]);
    const Stmt *move = stmt(body, S_MOVE, 0);
    assert_int_equal(move->b->kind, R_ACCESS);
    assert_int_equal(move->b->type.kind, TYPE_MODEL);
    assert_null(move->b->access->path);
    end(&s);
}

static void slots_are_dense(void **state)
{
    (void)state;
    Session s =
        load("model F\ninterface:\n  in Real u;\n  out Real y;\nend F;\n"
             "model P\ninterface:\n  parameter Real p;\nend P;\n"
             "model A\nimplementation:\n  Real x; Real n;\n  P p{p << random(1)};\n"
             "  der(x = x, start << 2) = F(u = F(time));\n"
             "  if Sample(interval = 1) and pre(n) > 0 then\n    n = F(1);\n  end;\nend A;\n");
    const Body *body = s.top->body;
    assert_int_equal(body->n_slots, 6); /* random, der, F, F, Sample, pre */
    const Stmt *equation = stmt(body, S_EQUATION, 0);
    const RExpr *der = equation->a;
    assert_int_equal(der->kind, R_DER);
    assert_int_equal(der->start_op, REL_COPY);
    assert_true(der->start->k == 2);
    assert_int_equal(member(&s, body, "p")->params.arg[0].value->slot, 0);
    const Stmt *branch = stmt(body, S_IF, 0);
    assert_int_equal(branch->then_body->n_slots, 1);
    assert_int_equal(branch->a->arg[1]->arg[0]->kind, R_PRE);
    end(&s);
}

static void constants(void **state)
{
    (void)state;
    Session s =
        load("package P\n  define tau as 2*3.5;\n  define n as 7;\n  define 1.5 as half;\n"
             "  define word as \"abc\";\nend P;\nmodel A\n  define q as P.n/2;\n"
             "implementation:\n  Real a; Real b; Real c; String s;\n  a = P.tau;\n  b = q;\n"
             "  c = -P.half;\n  s << P.word;\nend A;\n");
    const Body *body = s.top->body;
    assert_true(stmt(body, S_EQUATION, 0)->b->k == 7);
    assert_int_equal(stmt(body, S_EQUATION, 0)->b->type.kind, TYPE_REAL);
    assert_true(stmt(body, S_EQUATION, 1)->b->k == 3.5); /* Integer/Integer is Real */
    assert_true(stmt(body, S_EQUATION, 2)->b->k == -1.5);
    Sym word = (Sym)stmt(body, S_COPY_VALUE, 0)->b->k;
    assert_string_equal(intern_text(program_names(s.program), word), "abc");
    end(&s);
}

/* A constant has the bits that the same text has in a running model: small powers are products, and
 * of two equal values min takes the first. */
static void constants_as_at_run_time(void **state)
{
    (void)state;
    Session s = load("model A\n  define cube as 1.3^3;\n  define zero as min(0.0, -0.0);\n"
                     "  define root as 2^0.5;\nimplementation:\n"
                     "  Real a; Real b; Real c;\n  a = cube;\n  b = zero;\n  c = root;\nend A;\n");
    const Body *body = s.top->body;
    assert_true(stmt(body, S_EQUATION, 0)->b->k == 1.3 * (1.3 * 1.3));
    assert_false(stmt(body, S_EQUATION, 0)->b->k == pow(1.3, 3));
    assert_false(signbit(stmt(body, S_EQUATION, 1)->b->k));
    assert_true(stmt(body, S_EQUATION, 2)->b->k == sqrt(2));
    end(&s);
}

static void types_of_operators(void **state)
{
    (void)state;
    Session s = load("model A\nimplementation:\n  Real r; Integer i; Boolean b;\n"
                     "  r = i + 1;\n  r = i/2;\n  r = i^2;\n  r = max(i, 1);\n  r = max(i, 1.0);\n"
                     "  r = floor(r);\n  r = mod(i, 2);\n  b = r > 1;\n  b = i == 1;\nend A;\n");
    static const struct {
        TypeKind type;
        bool continuous;
    } expected[] = {
        {TYPE_INTEGER, false}, {TYPE_REAL, false},   {TYPE_REAL, false},
        {TYPE_INTEGER, false}, {TYPE_REAL, false},   {TYPE_INTEGER, true},
        {TYPE_INTEGER, false}, {TYPE_BOOLEAN, true}, {TYPE_BOOLEAN, false},
    };
    for (uint32_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const RExpr *e = stmt(s.top->body, S_EQUATION, i)->b;
        assert_int_equal(e->type.kind, expected[i].type);
        assert_int_equal(e->continuous, expected[i].continuous);
    }
    end(&s);
}

static void precedence(void **state)
{
    (void)state;
    Session s = load("model A\nimplementation:\n  Real x; Boolean b;\n"
                     "  x = 1 - 2 - 3*4^2;\n  x = -2^2;\n  b = true or false and false;\n"
                     "  b = not true == false;\n  x = 2 * -3;\nend A;\n");
    const Body *body = s.top->body;
    const RExpr *e = stmt(body, S_EQUATION, 0)->b; /* (1 - 2) - (3*(4^2)) */
    assert_int_equal(e->op, X_SUB);
    assert_int_equal(e->arg[0]->op, X_SUB);
    assert_int_equal(e->arg[1]->op, X_MUL);
    assert_int_equal(e->arg[1]->arg[1]->op, X_POW);
    e = stmt(body, S_EQUATION, 1)->b; /* (-2)^2 */
    assert_int_equal(e->op, X_POW);
    assert_true(e->arg[0]->k == -2);
    e = stmt(body, S_EQUATION, 2)->b; /* (true or false) and false */
    assert_int_equal(e->op, X_AND);
    e = stmt(body, S_EQUATION, 3)->b; /* (not true) == false */
    assert_int_equal(e->op, X_EQ);
    assert_int_equal(program_diags(s.program)->warnings, 3);
    end(&s);
}

static void external_function(void **state)
{
    (void)state;
    Session s = load(
        "model F\n  external \"libm.so.6\" \"hypot\" derivative \"dhypot\" constructor \"c\";\n"
        "interface:\n  in Real a;\n  in Real b;\n  out Real y;\nend F;\n"
        "model A\nimplementation:\n  Real external; Real x;\n  external = 1;\n"
        "  x = F(3, 4);\nend A;\n");
    const Access *access = stmt(s.top->body, S_EQUATION, 1)->b->access;
    const External *x = access->def->external;
    const Intern *names = program_names(s.program);
    assert_string_equal(intern_text(names, x->library), "libm.so.6");
    assert_string_equal(intern_text(names, x->function), "hypot");
    assert_string_equal(intern_text(names, x->derivative), "dhypot");
    assert_string_equal(intern_text(names, x->constructor), "c");
    assert_int_equal(x->destructor, 0);
    assert_int_equal(access->n_ins, 2);
    end(&s);
}

/* Text that is inherited sees what the heir redefines, and the surrounding it was written in. */
static void redefined_surrounding(void **state)
{
    (void)state;
    Session s = load(
        "model Medium\ninterface:\n  Real outer;\nend Medium;\n"
        "package P\n  model Medium\n  interface:\n    Real rho;\n  end Medium;\n"
        "  package D\n    model Pipe\n    interface:\n      Medium m;\n    end Pipe;\n  end D;\n"
        "end P;\n"
        "package Q extends P;\n  redefine model Medium extends Medium;\n  interface:\n"
        "    Real T;\n  end Medium;\nend Q;\n"
        "model A\nimplementation:\n  P.D.Pipe old; Q.D.Pipe new;\nend A;\n");
    const Body *body = s.top->body;
    Def *old = member(&s, body, "old")->type.def, *new = member(&s, body, "new")->type.def;
    assert_string_equal(def_path(s.program, member(&s, old->body, "m")->type.def), "P.Medium");
    Def *medium = member(&s, new->body, "m")->type.def;
    assert_string_equal(def_path(s.program, medium), "Q.Medium");
    assert_int_equal(medium->body->n_members, 2);
    Member *rho = member(&s, member(&s, old->body, "m")->type.def->body, "rho");
    assert_ptr_equal(member_in(medium, rho), member(&s, medium->body, "rho"));
    assert_ptr_equal(member_in(rho->body->def, rho), rho);
    end(&s);
}

/* An instance given as a parameter becomes a member of the body around, born before who refers to
 * it. */
static void given_instance(void **state)
{
    (void)state;
    Session s = load("model E\ninterface:\n  parameter Real k;\nend E;\n"
                     "model C\ninterface:\n  parameter E e;\nend C;\n"
                     "model A\nimplementation:\n  C c{e << E{k << 2}};\n  C{e << E{k << 3}};\n"
                     "  C{e << E{k << 4}};\nend A;\n");
    const Body *body = s.top->body;
    verify(body);
    static const char *const names[] = {"c", "c.e", "C.e", "C.e#2"};
    assert_int_equal(body->n_members, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_string_equal(name_of(&s, body->members[i]), names[i]);
    assert_ptr_equal(body->births[0], body->members[1]);
    assert_ptr_equal(body->births[1], body->members[0]);
    const ParamArg *arg = &body->members[0]->params.arg[0];
    assert_int_equal(arg->parameter->binding, BIND_ALIAS);
    assert_ptr_equal(path_last(arg->value->path), body->members[1]);
    assert_true(body->members[1]->params.arg[0].value->k == 2);
    end(&s);
}

static const char *broken(Session *s)
{
    Place at;
    const char *invariant = verify_definitions(s->program, &at);
    return invariant ? invariant : "";
}

/* The verifier must see what is broken, or it proves nothing. */
static void verifier(void **state)
{
    (void)state;
    Session s = load("model M\ninterface:\n  parameter Real p;\nend M;\n"
                     "model A\nimplementation:\n  Real x; M m{p << 1};\n  if time > 1 then\n"
                     "    der(x) = random(1);\n  end;\nend A;\n");
    Body *body = s.top->body;
    assert_string_equal(broken(&s), "");
    body->members[1]->index = 0;
    assert_memory_equal(broken(&s), "F2", 2);
    body->members[1]->index = 1;
    Body *branch = body->stmts[2]->then_body;
    RExpr *der = branch->stmts[0]->a;
    der->arg[0]->path->up = 0;
    assert_memory_equal(broken(&s), "F5", 2);
    der->arg[0]->path->up = 1;
    der->slot = 1;
    assert_memory_equal(broken(&s), "F7", 2);
    der->slot = 0;
    body->members[1]->params.arg[0].parameter = body->members[0];
    assert_memory_equal(broken(&s), "F6", 2);
    body->members[1]->params.arg[0].parameter = body->members[1]->type.def->params[0];
    body->stmts[2]->then_body = NULL;
    assert_memory_equal(broken(&s), "F3", 2);
    body->stmts[2]->then_body = branch;
    assert_string_equal(broken(&s), "");
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inherited_members_come_first),
        cmocka_unit_test(paths_count_bodies),
        cmocka_unit_test(held_variables),
        cmocka_unit_test(kinds_of_statements),
        cmocka_unit_test(slots_are_dense),
        cmocka_unit_test(constants),
        cmocka_unit_test(constants_as_at_run_time),
        cmocka_unit_test(types_of_operators),
        cmocka_unit_test(precedence),
        cmocka_unit_test(external_function),
        cmocka_unit_test(redefined_surrounding),
        cmocka_unit_test(given_instance),
        cmocka_unit_test(verifier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
