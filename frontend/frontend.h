/* frontend.h: Sol text -> definitions.
 *
 *     Program *program = program_open(mem, NULL);
 *     if (program_load(program, "Machine.sol")) {
 *         Def *top = program_find(program, "Examples.Machine");     or NULL for the last top model
 *         ... program_ok(program), then instantiate ...
 *     }
 *     diags_print(program_diags(program), 0, stderr, false);
 *     program_close(program);
 *
 * Errors: messages are collected in the program's Diags and work goes on. Every function here sets
 * its own memory guard: when memory runs out, a message says so (in a reserve that was taken
 * before) and the function fails; the Program may then only be asked for its messages and closed.
 * Nothing here is global, several programs may live side by side, each used by one thread at a
 * time.
 */
#ifndef FRONTEND_FRONTEND_H
#define FRONTEND_FRONTEND_H

#include "frontend/definition.h"

typedef struct ProgramOptions {
    uint32_t n_folders;
    const char *const *folders; /* -L: searched for NAME.sol after the folder of the file itself */
    const char *stdlib;         /* searched last; NULL: none */
    uint32_t max_depth;         /* nesting of expressions, branches and definitions; 0: 500 */
    uint32_t max_statements;    /* names, members and statements of all definitions, inherited ones
                                   counted again in each heir; 0: 5,000,000 */
    uint32_t max_definitions;   /* 0: 200,000 */
    bool strict_units;          /* units that differ are errors, not warnings */
} ProgramOptions;

/* NULL when there is no memory at all. Options may be NULL. */
Program *program_open(Mem *mem, const ProgramOptions *options);
void program_close(Program *program);
ProgramOptions program_options(const Program *program); /* that it was opened with */

/* Reads and parses a file (or a text in memory, under the name given) and makes it the main file.
 * Library files are read on demand. False when there was an error, or the file cannot be read
 * (program_io_failed). */
bool program_load(Program *program, const char *path);
bool program_load_text(Program *program, const char *name, const char *text, size_t length);
bool program_io_failed(const Program *program);

/* Resolves and checks every definition of the main file, so that all its errors are known. */
bool program_check(Program *program);

/* A definition of the main file by its designator "A.B.C", completed and with all it needs
 * completed too; NULL or "": the last model (no package, no connector, not partial) at the top of
 * the main file; when there is none there, the last one in its last package. NULL with a message
 * when there is none. */
Def *program_find(Program *program, const char *designator);

/* An error says that `def` is a package, and notes name the models in it that can be run. */
void program_report_package(Program *program, Def *def);

/* F1 of definition.h for one definition. */
bool program_complete(Program *program, Def *def);

/* Could an instance path of `top` lead to something, now or when branches are taken and dynamic
 * members filled? Behind a dynamic or alias member anything may be. */
bool def_may_reach(Program *program, const Def *top, const char *path);

/* The value of an expression of constants, as it could stand in a parameter list of `scope`; `name` is
 * where it comes from, for messages. A text's value is its Sym. TYPE_ERROR with a message when it is none. */
TypeKind program_constant(Program *program, Def *scope, const char *name, const char *text,
                          double *value);

/* A text typed into an instance of `def` that exists: statements that see what an implementation of
 * `def` sees, and what edits before it declared. */
typedef struct Edit {
    Def *def;
    Body *parent;            /* of the model, or of an edit before */
    const char *name, *text; /* name: for messages */
    size_t length;
    /* Was this member, of a body around, taken away? NULL: the text was resolved before, and its
     * names are as good as they were then. */
    bool (*gone)(const void *context, const Member *member);
    const void *context;
    uint32_t
        number; /* program_edit_number() of the same edit, if this program made it before; 0: it may be new */
} Edit;

/* Its body, whose `parent` is the one given; NULL with messages. The program is as good as before then. */
Body *program_edit(Program *program, const Edit *edit);
uint32_t program_edit_number(const Program *program, const Body *body);
/* Memory ran out while an edit was resolved, and there is some again: the program goes on. False: there is not. */
bool program_recover(Program *program);

/* For others that work on the program's memory: says that it ran out, from the reserve. Counts as
 * an error even where there is no room for the message. */
void program_exhausted(Program *program);
bool program_out_of_memory(const Program *program); /* it did so: nothing more can be asked of it */
bool program_ok(const Program *program);            /* no errors so far */
/* An error was found in a text: nothing of it must run. Errors of simulations, and designators that lead
 * nowhere, leave the texts as good as they were. */
bool program_text_wrong(const Program *program);
Diags *program_diags(Program *program);
Sources *program_sources(Program *program);
Intern *program_names(Program *program);
bool program_has_homotopy(const Program *program);  /* some expression is homotopy(..) */
bool program_has_nominals(const Program *program);  /* some variable has the attribute `nominal` */
uint32_t program_def_count(const Program *program); /* every Def.id is at most this */

#endif
