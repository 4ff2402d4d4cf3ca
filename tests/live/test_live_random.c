/* test_live_random.c: random edits of a running model, legal and not, with runs between -> the same structure and the
 * same further trajectory as a fresh build of the text that the edits amount to; refusals leave no trace, and undoing
 * all that was done since the last run leaves the bytes from before.
 *
 * The text is put together from what sol_statements() lists: whatever the edits did to the instances, a simulation that
 * knows nothing of them has to agree. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/saved_bytes.h"
#include "runtime/solstice.h"
#include "tests/support/soak.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPERATIONS = 15, NAMES = 12, HELD = 3, TEXT = 60000, MOST_SETS = 200 };

static const char library[] =
    "connector Pin interface: static potential Real u; static flow Real i; end Pin;\n"
    "partial model Two interface: static Pin p; static Pin n; static Real u; static Real i;\n"
    "implementation: u = p.u - n.u; i = p.i; p.i + n.i = 0; end Two;\n"
    "model R extends Two; interface: parameter Real R << 1; implementation: u = R*i; end R;\n"
    "model C extends Two; interface: parameter Real C << 1;\n"
    "implementation: i = C*der(x = u, start << 0); end C;\n"
    "model L extends Two; interface: parameter Real L << 1;\n"
    "implementation: u = L*der(x = i, start << 0); end L;\n"
    "model V extends Two; interface: parameter Real U << 1; implementation: u = U*sin(3*time); "
    "end V;\n"
    "model G interface: static Pin p; implementation: p.u = 0; end G;\n"
    "model Lab\n"
    "implementation:\n";

/* The same components, of another file: what is edited inside them is written as copies of their definitions. */
static const char elsewhere[] =
    "model Lab define R as Parts.Basic.R; define C as Parts.Basic.C; define L as Parts.Basic.L;\n"
    "define V as Parts.Sources.V; define G as Parts.Sources.G;\n"
    "implementation:\n";

static const char first[] =
    "  static V v{U << 2}; static R r{R << 3}; static G g; static Real x; static Real y;\n"
    "  connection{a << v.p, b << r.p}; connection{a << v.n, b << g.p};\n"
    "  connection{a << r.n, b << g.p};\n"
    "  der(x = x, start << 1) = y - x; y = sin(2*time) + 0.1*r.i;\n";

typedef struct Lab {
    SolModel *model;
    Sol *sim;
    SolOptions options;
    uint64_t random;
    bool exact; /* refusals and undoing leave the same bytes */
    const char *library;
    bool inside;    /* components were edited inside: only the written text has it */
    char log[TEXT]; /* what was done */
} Lab;

static uint32_t draw(Lab *lab, uint32_t n)
{
    lab->random = lab->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(lab->random >> 33) % n;
}

static double number(Lab *lab)
{
    return 0.1 + 0.1 * draw(lab, 40);
}

static void note(Lab *lab, const char *format, ...)
{
    size_t n = strlen(lab->log);
    va_list list;
    va_start(list, format);
    vsnprintf(lab->log + n, sizeof lab->log - n, format, list);
    va_end(list);
}

static void wrong(Lab *lab, const char *format, ...)
{
    char text[600];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    uint32_t n = sol_message_count(lab->model);
    sol_print_messages(lab->model, n > 6 ? n - 6 : 0, stderr, false);
    fprintf(stderr, "%s", lab->log);
    fail_msg("%s", text);
}

static bool get_bytes(void *context, void *bytes, size_t n)
{
    Bytes *b = context;
    if (b->n - b->read < n)
        return false;
    memcpy(bytes, b->at + b->read, n);
    b->read += n;
    return true;
}

/* ---- the text that it amounts to ---- */

static void put_statement(void *context, const SolStatement *s)
{
    char *text = context;
    size_t n = strlen(text);
    if (s->removed || strstr(s->handle, "then") || strstr(s->handle, "else") ||
        n + s->length + 8 > TEXT)
        return;
    snprintf(text + n, TEXT - n, "  %.*s;\n", (int)s->length, s->text);
}

static void resulting_text(Lab *lab, char *text)
{
    snprintf(text, TEXT, "%s", lab->library);
    sol_statements(lab->sim, "", put_statement, text);
    strcat(text, "end Lab;\n");
}

/* ---- a fresh build at the same point ---- */

typedef struct Starts {
    uint32_t n;
    SolSet set[MOST_SETS];
    char path[MOST_SETS][60], value[MOST_SETS][40];
} Starts;

static void list_starts(Lab *lab, Starts *s)
{
    SolVarInfo info;
    s->n = 0;
    for (SolVar v = sol_next_var(lab->sim, 0); v && s->n < MOST_SETS;
         v = sol_next_var(lab->sim, v)) {
        double x;
        if (!sol_var_info(lab->sim, v, &info) || !info.state || sol_read(lab->sim, v, &x) != SOL_OK)
            continue;
        sol_var_path(lab->sim, v, s->path[s->n], sizeof s->path[0]);
        snprintf(s->value[s->n], sizeof s->value[0], "%.17g", x);
        s->set[s->n] = (SolSet){s->path[s->n], s->value[s->n]};
        s->n++;
    }
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (1 + fabs(a) + fabs(b));
}

/* The next held variable here behind *v, and its number there; 0: no more. */
static SolVar next_held(Lab *lab, Sol *fresh, SolVar *v, double *value)
{
    SolVarInfo info;
    char path[200];
    for (*v = sol_next_var(lab->sim, *v); *v; *v = sol_next_var(lab->sim, *v)) {
        if (!sol_var_info(lab->sim, *v, &info) || !info.held || info.parameter)
            continue;
        sol_var_path(lab->sim, *v, path, sizeof path);
        SolVar other = sol_find(fresh, path);
        if (other && sol_read(lab->sim, *v, value) == SOL_OK)
            return other;
    }
    return 0;
}

/* False: a value made a `when` act there that has acted here, as `h = 2*x` and `when x > 1 then h << ..` do. */
static bool copy_held(Lab *lab, Sol *fresh)
{
    double here, there;
    bool same = true;
    for (SolVar v = 0, to; (to = next_held(lab, fresh, &v, &here));)
        sol_write(fresh, to, here);
    for (SolVar v = 0, to; (to = next_held(lab, fresh, &v, &here));)
        same &= sol_read(fresh, to, &there) == SOL_OK && near(here, there);
    return same;
}

static void compare_values(Lab *lab, Sol *twin, Sol *fresh, const char *when)
{
    char path[200];
    uint32_t n = 0, m = 0;
    for (SolVar v = sol_next_var(twin, 0); v; v = sol_next_var(twin, v), n++) {
        double a, b;
        sol_var_path(twin, v, path, sizeof path);
        SolVar other = sol_find(fresh, path);
        if (!other)
            wrong(lab, "%s is not in the fresh build", path);
        sol_read(twin, v, &a);
        sol_read(fresh, other, &b);
        if (!near(a, b))
            wrong(lab, "%s %s: %.17g here, %.17g in a fresh build", when, path, a, b);
    }
    for (SolVar v = sol_next_var(fresh, 0); v; v = sol_next_var(fresh, v))
        m++;
    if (n != m)
        wrong(lab, "%u variables here, %u in a fresh build", n, m);
}

static void compare_structure(Lab *lab, Sol *twin, Sol *fresh)
{
    SolStats a, b;
    sol_stats(twin, &a);
    sol_stats(fresh, &b);
    if (a.relations != b.relations || a.states != b.states || a.instances < b.instances)
        wrong(lab, "relations %u, states %u here; %u, %u in a fresh build", a.relations, a.states,
              b.relations, b.states);
}

static SolModel *load(const char *path, const char *text, size_t length)
{
    static const char *const folder = SOLSTICE_SOURCE_DIR "/tests/live/";
    return sol_load(&(SolLoad){
        .path = path, .text = text, .length = length, .n_folders = 1, .folders = &folder});
}

static const SolOptions options = {
    .stop = 1, .rtol = 1e-11, .editable = true, .engine = SOL_ENGINE_INTERP};

/* What follows this in the text, with the number for %u; NULL: it is not there. */
static const char *find_part(const char *text, const char *part, uint32_t k)
{
    char out[60];
    snprintf(out, sizeof out, part, k);
    const char *found = strstr(text, out);
    return found ? found + strlen(out) : NULL;
}

/* A `when` that holds acts at a fresh start; here it acted when it was entered. A `<<` that lasts and determines the same
 * contradicts it then (docs/language.md, 6). */
static bool contradicts_at_start(Lab *lab, const char *text)
{
    for (uint32_t k = 0; k < HELD; k++) {
        double limit, value;
        char name[40];
        const char *end = find_part(text, "then h%u <<", k);
        const char *begin = end;
        while (begin && strncmp(begin, "when ", 5) != 0)
            begin--;
        if (!end || !find_part(text, "\n  h%u <<", k) ||
            sscanf(begin, "when %39s > %lf", name, &limit) != 2)
            continue;
        value = sol_time(lab->sim);
        if (strcmp(name, "time") != 0 &&
            sol_read(lab->sim, sol_find(lab->sim, name), &value) != SOL_OK)
            wrong(lab, "%s cannot be read", name);
        if (value > limit - 1e-12) /* at its boundary time goes beyond it */
            return true;
    }
    return false;
}

/* A fresh build of this text, in the present state, goes on as this does. */
static void check_text(Lab *lab, const char *text)
{
    static Starts starts;
    list_starts(lab, &starts);
    SolModel *model = load("fresh", text, strlen(text));
    SolOptions at = options;
    at.start = sol_time(lab->sim);
    at.stop = at.start + 1;
    at.n_sets = starts.n;
    at.sets = starts.set;
    Sol *fresh = sol_create(model, NULL, &at);
    if (fresh && contradicts_at_start(lab, text)) {
        if (sol_init(fresh) != SOL_MODEL)
            wrong(lab, "a `when` and a `<<` that lasts determine the same:\n%s", text);
        sol_unload(model);
        return;
    }
    if (!fresh || sol_init(fresh) != SOL_OK) {
        sol_print_messages(model, 0, stderr, false);
        wrong(lab, "a fresh build of what was accepted fails:\n%s", text);
    }
    if (!copy_held(lab, fresh)) {
        if (!strstr(text, "when "))
            wrong(lab, "held values of a fresh build do not stay");
        sol_unload(model);
        return;
    }
    Sol *twin = sol_fork(lab->sim);
    if (!twin)
        wrong(lab, "no fork");
    compare_structure(lab, twin, fresh);
    compare_values(lab, twin, fresh, "at once");
    double end = sol_time(twin) + 0.03;
    SolStatus here = sol_run_to(twin, end), there = sol_run_to(fresh, end);
    if (here != there) /* both may come to a contradiction */
        wrong(lab, "it ends with %d here, with %d in a fresh build", here, there);
    if (here == SOL_OK) {
        compare_values(lab, twin, fresh, "later");
        compare_structure(lab, twin, fresh);
    }
    sol_close(twin);
    sol_close(fresh);
    sol_unload(model);
}

/* The same digits, and those of both at the same time. */
static void same_values(Lab *lab, Sol *twin, Sol *other, const char *when)
{
    char path[200];
    compare_values(lab, twin, other, when);
    for (SolVar v = sol_next_var(twin, 0); v; v = sol_next_var(twin, v)) {
        double a, b;
        sol_var_path(twin, v, path, sizeof path);
        sol_read(twin, v, &a);
        sol_read(other, sol_find(other, path), &b);
        if (memcmp(&a, &b, sizeof a) != 0 && !(isnan(a) && isnan(b)))
            wrong(lab, "%s %s: %.17g here, %.17g from the written pair", when, path, a, b);
    }
}

/* What is written goes on with the same bytes, and its text alone says what was accepted. */
static void check_written(Lab *lab)
{
    Bytes text = {0}, state = {0};
    if (!sol_is_complete(lab->sim))
        return;
    if (sol_write_model(lab->sim, &(SolWriting){put, &text, put, &state}) != SOL_OK)
        wrong(lab, "cannot be written");
    put(&text, "", 1);
    SolModel *model = load("written", (char *)text.at, text.n - 1);
    Sol *other = sol_create(model, NULL, &lab->options);
    if (!other || sol_restore(other, get_bytes, &state) != SOL_OK) {
        sol_print_messages(model, 0, stderr, false);
        wrong(lab, "what was written cannot be read:\n%s", (char *)text.at);
    }
    note(lab, "written\n");
    Sol *twin = sol_fork(lab->sim);
    if (!twin)
        wrong(lab, "no fork");
    same_values(lab, twin, other, "at once");
    compare_structure(lab, twin, other);
    double end = sol_time(twin) + 0.03;
    SolStatus here = sol_run_to(twin, end), there = sol_run_to(other, end);
    if (here != there)
        wrong(lab, "it ends with %d here, with %d from the written pair", here, there);
    if (here == SOL_OK)
        same_values(lab, twin, other, "later");
    sol_close(twin);
    sol_unload(model);
    check_text(lab, (char *)text.at);
    free(text.at);
    free(state.at);
}

static void check_fresh(Lab *lab)
{
    static char text[TEXT];
    if (!lab->inside) {
        resulting_text(lab, text);
        check_text(lab, text);
    }
}

/* ---- bytes ---- */

static Bytes save(Lab *lab)
{
    Bytes b = {0};
    if (sol_save(lab->sim, put, &b) != SOL_OK)
        wrong(lab, "cannot be saved");
    return b;
}

static void same_bytes(Lab *lab, Bytes a, Bytes b, const char *what)
{
    size_t at = 0;
    while (at < a.n && at < b.n && a.at[at] == b.at[at])
        at++;
    if (!lab->exact)
        at = a.n = b.n;
    if (a.n != b.n || at < a.n)
        note(lab, "%zu and %zu bytes, other ones from byte %zu on\n", a.n, b.n, at);
    if (a.n != b.n || at < a.n)
        wrong(lab, "other bytes after %s", what);
    free(a.at);
    free(b.at);
}

/* ---- random operations ---- */

/* A Real that may be there. */
static const char *some_real(Lab *lab)
{
    static const char *const names[] = {"x", "y", "r.i", "r.u", "v.u"};
    static char out[20];
    uint32_t k = draw(lab, 5 + NAMES);
    if (k < 5)
        return names[k];
    snprintf(out, sizeof out, "a%u", k - 5);
    return out;
}

/* Two that hold at the start would act at once in a fresh build. */
static bool has_when(Lab *lab, uint32_t k)
{
    static char text[TEXT];
    resulting_text(lab, text);
    return find_part(text, "then h%u", k) != NULL;
}

/* Of few variables, what determines them comes and goes: an equation, a transmission that lasts, one at times. */
static void write_held(Lab *lab, char *text, size_t size)
{
    uint32_t k = draw(lab, HELD);
    double a = number(lab), b = number(lab);
    const char *moving = draw(lab, 2) ? "x" : "y";
    switch (draw(lab, has_when(lab, k) ? 3 : 5)) {
    case 0:
        snprintf(text, size, "Real h%u", k);
        break;
    case 1:
        snprintf(text, size, "h%u = %g*%s + %g", k, a, moving, b);
        break;
    case 2:
        snprintf(text, size, "h%u << %g*%s + %g", k, a, moving, b);
        break;
    case 3:
        snprintf(text, size, "when time > %g then h%u << %g; end", 0.03 * a, k, b);
        break;
    default:
        snprintf(text, size, "when %s > %g then h%u << pre(x = h%u) + %g; end", moving, 0.3 * a, k,
                 k, b);
        break;
    }
}

static void write_addition(Lab *lab, char *text, size_t size)
{
    uint32_t k = draw(lab, NAMES);
    double a = number(lab), b = number(lab);
    char other[20];
    if (draw(lab, 3) == 0) {
        write_held(lab, text, size);
        return;
    }
    snprintf(other, sizeof other, "%s", some_real(lab));
    switch (draw(lab, 12)) {
    case 0:
        snprintf(text, size, "Real a%u; a%u = %g*%s + %g", k, k, a, other, b);
        break;
    case 1:
        snprintf(text, size, "Real a%u; der(x = a%u, start << %g) = %g*%s - a%u", k, k, a, b, other,
                 k);
        break;
    case 2:
        snprintf(text, size, "Real a%u; if time < %g then a%u = %s; else then a%u = %g; end", k,
                 0.1 * a, k, other, k, b);
        break;
    case 3:
        snprintf(text, size, "Real a%u; when %s > %g then a%u << pre(x = a%u) + 1; end", k, other,
                 0.3 * a, k, k);
        break;
    case 4:
        snprintf(text, size, "Real a%u; Real b%u; a%u + 2*b%u = %s; a%u - b%u = %g", k, k, k, k,
                 other, k, k, b);
        break;
    case 5: /* too many, mostly */
        snprintf(text, size, "%s = %g", other, a);
        break;
    case 6: /* too few, for the time being */
        snprintf(text, size, "Real a%u", k);
        break;
    case 7:
        snprintf(text, size, "a%u = %g*%s", k, a, other);
        break;
    case 8:
        snprintf(
            text, size,
            "R r%u{R << %g}; connection{a << r%u.p, b << v.p}; connection{a << r%u.n, b << g.p}", k,
            a, k, k);
        break;
    case 9:
        snprintf(text, size,
                 "R s%u{R << %g}; C c%u{C << %g}; connection{a << s%u.p, b << v.p};"
                 "connection{a << s%u.n, b << c%u.p}; connection{a << c%u.n, b << g.p}",
                 k, a, k, b, k, k, k, k);
        break;
    case 10: /* a second source beside the first */
        snprintf(
            text, size,
            "V w%u{U << 1}; connection{a << w%u.p, b << v.p}; connection{a << w%u.n, b << v.n}", k,
            k, k);
        break;
    default:
        snprintf(text, size, "Real a%u; a%u*a%u*a%u + a%u = %s", k, k, k, k, k, other);
        break;
    }
}

typedef struct Handles {
    uint32_t n;
    char at[400][40];
} Handles;

/* What may be removed alone. */
static void list_handle(void *context, const SolStatement *s)
{
    Handles *h = context;
    if (!s->removed && h->n < 400 && strlen(s->handle) < 40 && !strstr(s->handle, "then") &&
        !strstr(s->handle, "else"))
        strcpy(h->at[h->n++], s->handle);
}

/* Statements of one component come and go; others of its kind stay as they are. */
static void edit_inside(Lab *lab, SolEdit *edit, char *what, char *text, size_t size)
{
    static char scope[20];
    static Handles handles;
    snprintf(scope, sizeof scope, draw(lab, 2) ? "r" : "%s%u", draw(lab, 2) ? "r" : "s",
             draw(lab, NAMES));
    edit->scope = scope;
    edit->kind = draw(lab, 3) ? SOL_ADD : SOL_REMOVE;
    if (edit->kind == SOL_ADD) {
        const char *const texts[] = {"Real k%u; k%u = %g*u*i", "u = %g*i", "Real k%u; k%u = %g + R",
                                     "Real k%u; when i > %g then k%u << pre(x = k%u) + 1; end"};
        uint32_t k = draw(lab, 3), which = draw(lab, 4);
        double a = number(lab);
        if (which == 1)
            snprintf(text, size, "u = %g*i", a);
        else if (which == 3)
            snprintf(text, size, texts[3], k, 0.1 * a, k, k);
        else
            snprintf(text, size, which ? texts[2] : texts[0], k, k, a);
    } else {
        handles.n = 0;
        sol_statements(lab->sim, scope, list_handle, &handles);
        snprintf(what, size, "%s", handles.n ? handles.at[draw(lab, handles.n)] : "#1");
    }
    note(lab, "in %s: %s %s\n", scope, edit->kind == SOL_ADD ? "add" : "remove",
         edit->kind == SOL_ADD ? text : what);
    lab->inside = true;
}

static void choose_edit(Lab *lab, SolEdit *edit, char *what, char *text, size_t size)
{
    static Handles handles;
    uint32_t kind = draw(lab, 10);
    *edit = (SolEdit){.what = what, .text = text};
    if (draw(lab, 6) == 0) {
        edit_inside(lab, edit, what, text, size);
        return;
    }
    if (kind < 6) {
        edit->kind = SOL_ADD;
        write_addition(lab, text, size);
        note(lab, "add %s\n", text);
    } else if (kind < 8) {
        edit->kind = SOL_REMOVE;
        handles.n = 0;
        sol_statements(lab->sim, "", list_handle, &handles);
        snprintf(what, size, "%s", handles.at[draw(lab, handles.n)]);
        if (draw(lab, 3) == 0 && what[0] == '+')
            what[strcspn(what, ".")] = 0; /* the whole edit */
        if (draw(lab, 4) == 0)
            snprintf(what, size, "%s%u", draw(lab, 2) ? "r" : "c", draw(lab, NAMES));
        note(lab, "remove %s\n", what);
    } else if (kind == 8) {
        edit->kind = SOL_REPLACE;
        snprintf(what, size, "r%u", draw(lab, NAMES));
        if (draw(lab, 2))
            strcpy(what, "r");
        snprintf(text, size, draw(lab, 3) ? "R{R << %g}" : "L{L << %g}", number(lab));
        note(lab, "replace %s by %s\n", what, text);
    } else {
        edit->kind = SOL_ASSIGN;
        strcpy(what, "x");
        snprintf(text, size, "%g", number(lab));
        note(lab, "set %s = %s\n", what, text);
    }
}

/* Refusals are tried twice: the first time, the names in the text may be new to the program. */
static SolVerdict do_edit(Lab *lab, const SolEdit *edit)
{
    SolEdited edited;
    if (sol_edit(lab->sim, 1, edit, &edited) != SOL_OK)
        wrong(lab, "an edit failed");
    if (edited.verdict != SOL_REFUSED)
        return edited.verdict;
    Bytes before = save(lab);
    if (sol_edit(lab->sim, 1, edit, &edited) != SOL_OK || edited.verdict != SOL_REFUSED)
        wrong(lab, "refused once, not twice");
    same_bytes(lab, before, save(lab), "a refusal");
    return SOL_REFUSED;
}

static void undo_all(Lab *lab, uint32_t n)
{
    SolEdited edited;
    for (uint32_t i = 0; i < n; i++)
        if (sol_undo(lab->sim, &edited) != SOL_OK || edited.verdict == SOL_REFUSED)
            wrong(lab, "cannot be undone");
}

/* False: the run came to its end. */
static bool one_operation(Lab *lab)
{
    char what[200], text[400];
    SolEdit edit;
    SolEdited edited;
    uint32_t kind = draw(lab, 8);
    if (kind == 0 && sol_is_complete(lab->sim)) {
        double to = sol_time(lab->sim) + 0.01 * (1 + draw(lab, 5));
        note(lab, "run to %g\n", to);
        if (sol_run_to(lab->sim, to) != SOL_OK)
            return false;
    } else if (kind == 1) {
        note(lab, "undo\n");
        sol_undo(lab->sim, &edited);
    } else if (kind == 2) {
        note(lab, "redo\n");
        sol_redo(lab->sim, &edited);
    } else {
        choose_edit(lab, &edit, what, text, sizeof text);
        note(lab, "  %d\n", do_edit(lab, &edit));
    }
    if (sol_is_complete(lab->sim))
        check_fresh(lab);
    if (draw(lab, 4) == 0)
        check_written(lab);
    return true;
}

/* A row of edits without a run, and all of them undone: the bytes from before. */
static void there_and_back(Lab *lab)
{
    char what[200], text[400];
    SolEdit edit[4];
    SolEdited edited;
    uint32_t done = 0;
    for (int i = 0; i < 4; i++) {
        choose_edit(lab, &edit[i], what, text, sizeof text);
        done += do_edit(lab, &edit[i]) != SOL_REFUSED;
    }
    undo_all(lab, done);
    Bytes before = save(lab); /* all names are known now */
    for (uint32_t i = 0; i < done; i++)
        if (sol_redo(lab->sim, &edited) != SOL_OK || edited.verdict == SOL_REFUSED)
            wrong(lab, "cannot be done again");
    undo_all(lab, done);
    same_bytes(lab, before, save(lab), "undoing all");
}

static void check_case(uint64_t seed)
{
    static Lab lab;
    static char text[TEXT];
    memset(&lab, 0, sizeof lab);
    lab.random = seed * 2654435761u + 12345;
    lab.library = seed % 4 == 1 ? elsewhere : library;
    snprintf(text, sizeof text, "%s%send Lab;\n", lab.library, first);
    lab.model = load("lab", text, strlen(text));
    lab.exact = seed % 3 != 0; /* else as in a large model: backwards, step by step */
    SolOptions mine = options;
    mine.exact_edits = lab.exact ? 0 : 1;
    lab.options = mine;
    lab.sim = sol_create(lab.model, NULL, &mine);
    assert_non_null(lab.sim);
    assert_int_equal(sol_init(lab.sim), SOL_OK);
    bool goes_on = true;
    for (int i = 0; i < OPERATIONS && goes_on; i++)
        goes_on = one_operation(&lab);
    if (goes_on)
        there_and_back(&lab);
    sol_close(lab.sim);
    sol_unload(lab.model);
}

static void random_edits(void **state)
{
    (void)state;
    Soak soak = soak_begin("random edits", 20, 1);
    while (soak_next(&soak))
        check_case(soak.seed);
    soak_end(&soak);
}

/* What one component says twice is a mistake, whatever it is found with: it is refused at once, not later. */
static void said_twice(void **state)
{
    (void)state;
    check_case(52612356);
}

/* Sessions that were wrong once: a written pair that went on with other digits; a refusal behind a `when` that contradicted
 * a `<<`, in a model that is taken back step by step; and those of which a fresh start is no measure. */
static void found_before(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {26119040, 80008647, 26120739, 70008454, 70009493};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        check_case(seeds[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(said_twice), cmocka_unit_test(found_before),
                                       cmocka_unit_test(random_edits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
