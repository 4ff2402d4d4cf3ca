/* solstice.h: the one public header of libsolstice: Sol models in, trajectories out.
 *
 *     SolModel *model = sol_load(&(SolLoad){.path = "Machine.sol"});
 *     Sol *sim = sol_create(model, NULL, &(SolOptions){.stop = 10});
 *     if (sim != NULL)
 *         sol_run_to(sim, 10);
 *     sol_print_messages(model, 0, stderr, false);
 *     sol_close(sim);
 *     sol_unload(model);
 *
 * Nothing is global. A model and its simulations are used by one thread at a time; whoever wants
 * several threads loads the model once for each. Only sol_cancel() may be called from anywhere.
 * Compiled code belongs to the model: simulations of it share what was compiled, and a thread that compiles may wait for work
 * until sol_unload(). Whoever forks and simulates in the child does so before the first simulation of that model, or uses the interpreter.
 *
 * Errors: functions return a SolStatus (or NULL, whose reason sol_model_status() and sol_status()
 * tell); what happened in words is in the model's list of messages. After a status other than
 * SOL_OK and SOL_CANCELLED a simulation can be read, asked and closed, but goes no further: every
 * call that would move it returns the same status again.
 *
 * Structs given to a function may be zeroed except for what matters: 0 and NULL stand for the
 * default.
 */
#ifndef SOLSTICE_H
#define SOLSTICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct SolModel SolModel; /* texts and definitions */
typedef struct Sol Sol;           /* one simulation */
typedef uint32_t SolVar; /* a variable of a simulation, 0: none. Numbers are used again after
                            a death; below sol_var_limit() */

typedef enum SolStatus {
    SOL_OK = 0,
    SOL_MODEL = 1,    /* the model is wrong: syntax, types, structure */
    SOL_USAGE = 2,    /* an option or an argument is wrong */
    SOL_NUMERICS = 3, /* the numerics failed; the message has time, equation, instance and values */
    SOL_IO = 4,       /* a file cannot be read, or a callback said that its output failed */
    SOL_MEMORY = 5,   /* out of memory */
    SOL_CANCELLED = 6 /* sol_cancel(): the run stands at a consistent point and may go on */
} SolStatus;

const char *sol_version(void); /* "0.1.0" */
/* The folder of the packages shipped, cut to size, always terminated. Returns its full length; 0: there is none. */
size_t sol_stdlib(char *out, size_t size);

/* ---- models ---- */

typedef struct SolLoad {
    const char *path; /* file to read, and name in messages */
    const char *text; /* not NULL: the text itself, `length` bytes; path is only its name then */
    size_t length;
    uint32_t n_folders;
    const char *const *folders; /* -L */
    const char *stdlib;  /* folder of the packages shipped; NULL: the one that belongs to this
                                   library, found beside it; "": none */
    size_t memory_limit; /* bytes of model and simulations together; 0: no limit */
    uint32_t max_nesting, max_definitions, max_statements; /* of texts; 0: the default */
    bool strict_units; /* units that differ are errors, not warnings */
    /* Of the simulation that will be created, or NULL: if the cache has code for this file, what is
     * needed to use it is loaded meanwhile. */
    const struct SolOptions *run;
} SolLoad;

/* Reads and parses. NULL only when there is no memory at all; otherwise look at sol_model_status():
 * SOL_IO when the file cannot be read, SOL_MODEL when its text is wrong, SOL_USAGE when there is neither. */
SolModel *sol_load(const SolLoad *load);
/* Of the last sol_load(), sol_check() or sol_create(). A sol_create() that fails leaves the model as
 * usable as it was, unless an error was found in its text. */
SolStatus sol_model_status(const SolModel *model);
/* Checks every definition of the file. SOL_MODEL with messages. */
SolStatus sol_check(SolModel *model);
void sol_unload(SolModel *model); /* closes what is left of its simulations too; NULL is fine */

/* ---- messages ---- */

typedef enum SolSeverity { SOL_ERROR, SOL_WARNING, SOL_NOTE } SolSeverity;

typedef struct SolMessage {
    SolSeverity severity;
    const char *text;
    const char *file; /* NULL: no place */
    uint32_t line, column;
} SolMessage;

/* A number that is another one when the text of any file changes that was read so far: of the model, and of the packages it
 * needed. */
uint64_t sol_text_hash(const SolModel *model);

uint32_t sol_message_count(const SolModel *model);
bool sol_message(const SolModel *model, uint32_t index, SolMessage *message); /* false: no such */
/* Gives back the memory of all messages, for sessions that go on for long: the next has number 0 again. */
void sol_forget_messages(SolModel *model);
uint32_t sol_warning_count(const SolModel *model);
/* Prints messages from number `from` on, with source lines; returns their number for the next call.
 */
uint32_t sol_print_messages(const SolModel *model, uint32_t from, FILE *out, bool colour);

/* ---- options of a simulation ---- */

typedef enum SolSolver {
    SOL_SOLVER_IDA,
    SOL_SOLVER_AUTO, /* each part: Runge-Kutta until it turns out to be stiff, then IDA, or RODAS where events are many,
                        and back */
    SOL_SOLVER_RK,
    SOL_SOLVER_EULER,
    SOL_SOLVER_RODAS, /* Rosenbrock's method of order 4(3) */
    SOL_SOLVER_INLINE /* SolMethod, its equations solved together with those of the model */
} SolSolver;
typedef enum SolMethod {
    SOL_METHOD_RADAU5,
    SOL_METHOD_RADAU3,
    SOL_METHOD_BDF3,
    SOL_METHOD_BDF2,
    SOL_METHOD_IMPLICIT_EULER,
    SOL_METHOD_EXPLICIT_EULER
} SolMethod;
typedef enum SolForm {
    SOL_FORM_ODE,  /* states are integrated, all else follows from them */
    SOL_FORM_DAE,  /* constraints stay equations of the integrator: SOL_SOLVER_IDA */
    SOL_FORM_AUTO, /* each part: by the number of entries of its matrix */
    SOL_FORM_WHOLE /* as SOL_FORM_DAE, but nothing is solved beforehand except copies */
} SolForm;
typedef enum SolLinear {
    SOL_LINEAR_AUTO,
    SOL_LINEAR_DENSE,
    SOL_LINEAR_KLU,
    SOL_LINEAR_KRYLOV
} SolLinear;
typedef enum SolEngine { SOL_ENGINE_JIT, SOL_ENGINE_INTERP, SOL_ENGINE_REBUILD } SolEngine;

typedef struct SolSet {
    const char
        *path; /* instance path of a parameter, or of a variable whose start value is meant */
    const char *value; /* as written in Sol: number, true, false, "text" */
} SolSet;

typedef struct SolOptions {
    double start, stop; /* default 0 and 1 */
    double interval;    /* between output points; 0: (stop - start) / steps */
    uint32_t steps;     /* number of output intervals; 0: 500 */
    double rtol, atol;  /* default 1e-6 and rtol * 1e-2 */
    double max_step;    /* 0: no bound but the end of the run */
    uint32_t max_order; /* of BDF; 0: 5 */
    SolSolver solver;
    SolMethod method; /* of SOL_SOLVER_INLINE */
    double step; /* of fixed-step solvers; 0: interval; of SOL_SOLVER_INLINE: chosen by the error */
    /* 0: as fast as it goes. Else so many seconds of the model pass in one of the clock, in steps of `step`, of
     * SOL_SOLVER_EULER or SOL_SOLVER_INLINE (sol_realtime()). Code is waited for before the first step;
     * what an event brings is interpreted until its code is there, unless jit_wait asks to wait then too. */
    double realtime;
    uint32_t max_rounds; /* of Newton's method in one step in real time; 0: 8 */
    /* Path of a parameter or held variable that is written, as by sol_write(), where real time was missed: an Integer gets
     * the number of such steps, a Boolean is true until a step is in time again. NULL: none. */
    const char *overrun;
    SolForm form;
    SolLinear linear;
    SolEngine engine;
    bool jit_wait;
    const char *cache; /* folder of the code cache; "off": none; NULL: the default */
    bool fast_math;
    bool forget_modes;   /* what a structure that returns had before is made anew, not put back */
    bool jit_names;      /* compiled functions have names that gdb and perf show */
    uint32_t batch_from; /* blocks of one kind that are evaluated together at least; 0: 8 */
    uint32_t n_sets;
    const SolSet *sets;
    uint64_t seed;          /* of random(); default 0 */
    uint64_t max_events;    /* 0: no limit */
    uint32_t max_updates;   /* at one time; 0: 1000 */
    uint32_t max_instances; /* 0: 10,000,000 */
    uint32_t n_monitored;
    const char *const *monitored; /* designators of definitions whose instances are monitored */
    bool savable;                 /* sol_save() or sol_restore() will be called */
    bool editable;                /* sol_edit() will be called; implies `savable` */
    uint32_t
        exact_edits; /* models of up to so many relations are written before each edit, so that nothing at all is
                             left of one that is refused; above, it is done backwards: values and structure are those
                             from before, the order inside the schedule need not be. 0: 20,000 */
    bool
        edits_call_foreign; /* what is typed may call foreign functions and read tables from files */
    double
        audit; /* 0: none; else at every point all relations of the model are checked as they are written,
                     and one that is violated by more than this (SolAudit) ends the run, SOL_NUMERICS */
    uint32_t n_sensitivities;
    const char *const *sensitivities; /* paths of parameters: sol_sensitivity() */
    const char
        *trace;     /* letters: i instances, d DDP, e events, s steps, u held variables behind each
                          update: a line of text for each; lines go to trace_to */
    FILE *trace_to; /* NULL: stderr */
} SolOptions;

/* ---- life of a simulation ---- */

/* A simulation of `designator` (NULL: the last top model) at its start time, not yet initialised:
 * that happens in the first call that needs values (sol_init, sol_run_*, sol_read, ...), so that
 * callbacks can be set before. NULL with messages when options or designator are wrong
 * (sol_model_status(): SOL_USAGE, SOL_MODEL, SOL_MEMORY). */
Sol *sol_create(SolModel *model, const char *designator, const SolOptions *options);
void sol_close(Sol *sim); /* NULL is fine */

/* Creates the instances and finds consistent values, all updates at the start time included. Done
 * by the first run too; harmless when done already. SOL_MODEL: wrong structure or parameter;
 * SOL_NUMERICS: no consistent values; SOL_MEMORY. */
SolStatus sol_init(Sol *sim);

/* Integrates to `time`, events on the way included, output points where the options say. SOL_USAGE:
 * `time` lies before the present. SOL_NUMERICS, SOL_MODEL (structure wrong after an event), SOL_IO
 * (output callback), SOL_MEMORY, SOL_CANCELLED. */
SolStatus sol_run_to(Sol *sim, double time);
/* The same, but returns after the first event's updates; *happened tells whether there was one. */
SolStatus sol_run_to_event(Sol *sim, double time, bool *happened);
/* One step of the integrator (of the longest running part), at most to `time`. Errors as
 * sol_run_to(). */
SolStatus sol_step(Sol *sim, double time);
/* Makes a run in progress return SOL_CANCELLED soon. From any thread, and from a signal handler. */
void sol_cancel(Sol *sim);

double sol_time(const Sol *sim);
SolStatus sol_status(const Sol *sim); /* of the last call */

/* ---- variables ---- */

typedef enum SolType { SOL_REAL, SOL_INTEGER, SOL_BOOLEAN, SOL_STRING } SolType;

typedef struct SolVarInfo {
    SolVar var;
    SolType type;
    bool parameter; /* does not change while its instance lives */
    bool held;      /* changes at events only */
    bool state;     /* at present */
    bool is_public;
    bool top;          /* belongs to the top model itself */
    bool monitored;    /* its instance, or one around it, is of a monitored definition */
    bool in_branch;    /* its instance was born inside a branch: when the branch returns, its column
                          goes on */
    uint64_t birth;    /* number of its birth: never used again in this simulation */
    uint32_t instance; /* that owns it; numbers are used again */
    const char *drawn; /* the instance is of this model of a package Graphics ("Line"), or NULL */
    const char *unit;  /* "m/s"; NULL: it has none */
    double min, max;   /* that its declaration names as constants; infinite: none */
} SolVarInfo;

uint32_t sol_var_limit(const Sol *sim);
/* The variables the modeller declared, ascending numbers: the first above `after`, 0 at the end. */
SolVar sol_next_var(const Sol *sim, SolVar after);
bool sol_var_info(const Sol *sim, SolVar var, SolVarInfo *info); /* false: no such variable */
/* The instance path as it is now, cut to size, always terminated. Returns its full length. */
size_t sol_var_path(const Sol *sim, SolVar var, char *out, size_t size);
SolVar sol_find(const Sol *sim, const char *path); /* 0: no such variable now */

/* Values at the present time, everything evaluated; after a failure, as far as they are known. A value that
 * nobody asked for before and that cannot be found is NaN, with the status of the failure. SOL_USAGE: no such variable; NaN for one that has no value now (an empty dynamic member's, or undetermined in an impulse). */
SolStatus sol_read(Sol *sim, SolVar var, double *value);
const char *sol_text(const Sol *sim, double value); /* of a String; "" when there is none */
/* Sets a parameter, a held variable or a state, as an event would: what follows from it is
 * evaluated, conditions may fire, the integrator restarts. SOL_USAGE: no such variable, one that
 * equations determine, or a value that its type does not have: Reals are finite, Integers whole, Booleans 0 or 1,
 * Strings what sol_text() has a text for. Otherwise errors as sol_run_to(). */
SolStatus sol_write(Sol *sim, SolVar var, double value);

/* A run in real time. The step from t to t + h begins when the clock has come to t; it is late where the clock has passed t + h
 * when it ends, events and output included. Then the next ones do not wait until the clock is met again. A call that begins
 * more than a step behind the clock starts it anew. */
typedef struct SolRealtime {
    uint64_t steps, overruns;
    double worst, worst_at; /* seconds of the longest step, and the time of the model at its end */
    double mean;            /* seconds of a step */
    double latest;          /* most seconds behind the clock at the end of a step */
    double jitter;          /* most seconds that waiting lasted too long */
    uint32_t max_rounds;    /* the bound of Newton's method */
    uint64_t unfinished;    /* times that it was reached: what was found then counts */
    double unfinished_by;   /* the largest relative change that was still to come then, about */
} SolRealtime;

bool sol_realtime(const Sol *sim, SolRealtime *to); /* false: it does not run in real time */

/* What exists now, for people: variables with their values, relations and branches, one a line; and the
 * causality graph in the language of dot, its blocks coloured by what evaluates them (interpreter, quick
 * or optimised code) and by how many events ago they were made. SOL_IO: `out` failed; otherwise errors as sol_init(). */
SolStatus sol_print_flat(Sol *sim, FILE *out);
SolStatus sol_print_graph(Sol *sim, FILE *out);

/* ---- output ---- */

typedef enum SolSide {
    SOL_AT_START,     /* after all updates at the start */
    SOL_AT_POINT,     /* an output point */
    SOL_BEFORE_EVENT, /* left limit */
    SOL_AFTER_EVENT,  /* after the event's last update */
    SOL_AT_END /* the last time of a run that ended (also by an error): as far as it is known */
} SolSide;

typedef struct SolPoint {
    double time;
    SolSide side;
    const double
        *values;    /* values[var] for every SolVar, NaN for those without; valid during the call */
    uint32_t limit; /* sol_var_limit() */
} SolPoint;

/* In a model of more than SOL_FEW_PARTS independent parts an event is a matter of those it touches: at
 * its two points, what would need other parts has this value, a NaN with bits of its own. */
enum { SOL_FEW_PARTS = 32 };
#define SOL_UNSEEN UINT64_C(0x7ff8534f4c000001)

static inline bool sol_unseen(double value)
{
    union {
        double value;
        uint64_t bits;
    } both = {.value = value};
    return both.bits == SOL_UNSEEN;
}

typedef enum SolChoice { SOL_GONE, SOL_ELSE, SOL_THEN } SolChoice;

/* What an `if` chose. A branch of `when` lives in no interval of time, so it is no mode. */
typedef struct SolMode {
    uint64_t branch;                   /* number of the `if`, never used again in this simulation */
    const char *path, *condition;      /* instance it stands in, text; NULL when it is gone */
    const char *else_name, *then_name; /* of its branches in the text; "" or NULL: none */
    SolChoice choice;
} SolMode;

/* Called in order: births, deaths and modes between two points, then the point. Callbacks may ask
 * the simulation (info, path, text, statistics) but not move or close it. */
typedef struct SolOutput {
    void *context;
    /* A variable exists from the next point on. The answer says whether its values are wanted;
     * others need not be evaluated, and are then what they were. NULL: all are wanted. */
    bool (*birth)(void *context, const SolVarInfo *info, const char *path);
    /* Asked before, with the last name of the path: false if no variable of this name is wanted,
     * and nothing more is told of it; paths are long in deep models. NULL: `birth` decides. */
    bool (*name)(void *context, const char *name);
    void (*death)(void *context, SolVar var); /* of one that was told; NULL: nobody asks */
    /* An `if` is there, chose otherwise, or is gone with its instance. NULL: nobody asks. */
    void (*mode)(void *context, double time, const SolMode *mode);
    bool (*point)(void *context,
                  const SolPoint *point); /* false: output failed, the run ends with SOL_IO */
    /* `cout << expression`: called when the text changes. NULL: written to stdout. */
    void (*cout)(void *context, double time, const char *text);
    /* A monitored instance came to life or died. */
    void (*monitor)(void *context, double time, bool born, uint32_t instance, const char *path);
} SolOutput;

/* Before the first run. The struct is copied. */
void sol_set_output(Sol *sim, const SolOutput *output);
/* From the next point on the values of this variable are wanted, too. */
void sol_want(Sol *sim, SolVar var);

/* d(variable)/d(parameter), the parameter by its place in SolOptions.sensitivities, at the last point that was shown: for the
 * callback of the point. NaN: there is none. */
double sol_sensitivity(const Sol *sim, uint32_t parameter, SolVar var);
const char *sol_sensitivity_by(const Sol *sim,
                               uint32_t parameter); /* its path; NULL: there are no more */

/* ---- events ---- */

/* Everything one event did: the record of the statistics. Texts are valid during the call. */
typedef struct SolEvent {
    double time;
    uint32_t updates; /* (time, i): how many i */
    uint32_t
        combinations; /* of branches that were tried where conditions took turns; 0: none did */
    bool several;     /* of these agree with their consequences; one was taken */
    uint32_t n_triggers;
    const char *const *triggers; /* the conditions that fired: "path: text", each once; where none
                                    did, what else the event is */
    bool by_condition;           /* some did */
    uint32_t entered, removed;   /* relations */
    uint64_t visited;            /* relations the DDP looked at */
    uint64_t touched; /* what the runtime did, counted in nodes: evaluated, made, taken away, moved,
                         listed for an integrator; and conditions looked at */
    uint32_t blocks_kept, blocks_rebuilt, shapes_new;
    uint32_t
        modes_returned; /* parts and loops that got back what they had when they were so before */
    uint32_t states_before, states_after, loops_before, loops_after;
    uint32_t n_changes;     /* updates that changed the structure, by more than a `when` that is
                               active in them and leaves the number of states as it was */
    const uint32_t *states; /* number of states after each of them: impulses are seen here only */
    bool structural;
    bool restarted; /* an integrator was restarted */
    uint32_t parts_restarted;
    double structure_us; /* its updates: conditions, instances, DDP, codes of new nodes, evaluation,
                            parts; without output */
    double restart_us;   /* integrators set up again, and waiting for code they need; without
                            their first steps */
    double wait_us;      /* the two together */
} SolEvent;

/* Called once per event, when restart_us is known: before the next point, the next event, or the
 * return of the call. Before the first run. */
void sol_set_event(Sol *sim, void (*event)(void *context, const SolEvent *event), void *context);

/* ---- results: what a run shows, kept ----
 *
 * A recording keeps what a simulation shows: in a result file (docs/result-format.md), or in memory in the same form.
 * Both are read the same way, column by column, in memory that does not grow with the number of rows. */

typedef struct SolResult SolResult; /* a result that is read; used by one thread at a time */

typedef struct SolRecording {
    const char *path; /* of the file; NULL: kept in memory */
    uint32_t
        n_patterns; /* 0: all variables; of more than 10,000 the states, the interface of the top
                                    model and monitored instances */
    const char *const *patterns; /* paths of those wanted: '*' is any text, '?' one character */
    /* Called beside, each may be NULL: they are output and event callbacks as below sol_set_output(). What `cout`
     * shows is recorded and written nowhere else. */
    void *context;
    bool (*point)(void *context, const SolPoint *point);
    void (*cout)(void *context, double time, const char *text);
    void (*event)(void *context, const SolEvent *event);
} SolRecording;

/* From the next point on, so best before the first run; the struct and its texts are copied. It takes the place of sol_set_output() and
 * sol_set_event(). After an edit that was refused, and after sol_back(), it goes on with what is there then. SOL_IO: the file cannot
 * be written; SOL_USAGE: something is recorded already, or the output has callbacks; SOL_MEMORY. */
SolStatus sol_record(Sol *sim, const SolRecording *recording);
/* Writes the end of the result, with the status of the simulation: nothing is recorded any more. sol_close() does it too.
 * SOL_IO: something could not be written; SOL_USAGE: nothing was recorded. */
SolStatus sol_record_end(Sol *sim);
/* What was recorded so far: of a file it is opened, of memory there is a copy. NULL: no memory, or nothing is recorded. */
SolResult *sol_recorded(Sol *sim);

/* Never NULL but where there is no memory; look at sol_result_info(). The file is read once, for its columns and the
 * places of its rows. */
SolResult *sol_result_open(const char *path);
SolResult *sol_result_open_bytes(const void *bytes, size_t n); /* copied */
void sol_result_close(SolResult *result);                      /* NULL is fine */
/* What a result in memory consists of: the content of its file. NULL: it is in a file. */
const void *sol_result_bytes(const SolResult *result, size_t *n);

typedef struct SolResultInfo {
    SolStatus status;    /* SOL_IO: it cannot be read; SOL_MEMORY */
    const char *message; /* why not, or why not to its end: cut, damaged; "": all is well */
    uint64_t rows;
    uint32_t columns;
    bool complete;      /* it has its end */
    double end;         /* its last time */
    uint32_t exit_code; /* of the run, as `solstice run` has them */
    const char *ended;  /* what was said there */
} SolResultInfo;

void sol_result_info(const SolResult *result, SolResultInfo *info);

typedef struct SolColumn {
    const char
        *path; /* of its birth; later ones born at the same place have #2, #3, ... behind it */
    SolType type;
    bool parameter, held, state, top, monitored; /* at its birth */
} SolColumn;

bool sol_result_column(const SolResult *result, uint32_t index, SolColumn *column);
/* Rows from, ..., from + count - 1: times[], sides[] (SolSide) and values[i][], of column columns[i]; NaN where it does not
 * live or has no value. Each of the three may be NULL, and values[i]. Goes on from the row that was read last, or else from the
 * first one. SOL_USAGE: no such rows or column; SOL_IO: the file is another one than it was. */
SolStatus sol_result_read(SolResult *result, uint64_t from, uint64_t count, double *times,
                          uint8_t *sides, uint32_t n, const uint32_t *columns,
                          double *const *values);
const char *sol_result_text(const SolResult *result, double value); /* of a String column; "" */

/* Everything but rows, in order; each may be NULL. Of events, what a result knows of them. */
typedef struct SolVisit {
    void *context;
    void (*header)(void *context, const char *key, const char *value);
    void (*event)(void *context, const SolEvent *event);
    void (*mode)(void *context, double time, const SolMode *mode);
    void (*note)(void *context, double time, const char *text);
} SolVisit;

SolStatus sol_result_visit(SolResult *result, const SolVisit *visit);

/* ---- statistics ---- */

typedef struct SolStats {
    /* stages: seconds of wall time */
    double parse, instantiate, ddp, lower, compile_wait, compile_background, integrate, events,
        output, total;
    /* parts */
    uint32_t parts, parts_max;
    double time_ida, time_rk, time_euler, time_rodas, time_inline,
        time_dae; /* simulated time, summed over parts */
    /* Parts in dae form at the end, their equations, how many of these are constraints, and entries of their matrices; entries of the
     * largest Jacobian that a part in ode form had. */
    uint32_t dae_parts, dae_equations, dae_constraints, dae_nonzeros, ode_nonzeros;
    uint64_t method_changes; /* under `auto`: parts that went to the other solver */
    /* totals */
    uint64_t steps, residuals, jacobians, tangent_sweeps, newton_iterations, error_test_failures,
        events_count, updates, warnings;
    uint64_t restarts; /* of integrators, one for each part and event */
    uint32_t relations, variables, instances, states, states_max, blocks, functions_compiled,
        shapes, shapes_from_memory, shapes_from_disk;
    uint32_t batches, blocks_batched; /* at the end: blocks of one kind evaluated together */
    uint32_t modes_remembered;        /* what parts had in other modes, at the end */
    uint64_t modes_returned;          /* so many times one of these was put back */
    uint64_t scratch_rebuilds;
    uint64_t examined;                /* equations looked at for such that depend on each other */
    size_t memory_bytes, memory_peak; /* of model and simulations */
    /* functions that became worth native code while LLVM was there: how many, and the seconds to
     * their first code, median and what 95 % are within */
    uint64_t code_waits;
    double code_wait_median, code_wait_95;
    uint64_t
        starts_unsaid; /* states that began at 0, because no condition and no start said where */
} SolStats;

void sol_stats(const Sol *sim, SolStats *stats);

/* What the audit found so far. The violation of a relation is the smallest relative change of its variables that
 * would satisfy it. */
typedef struct SolAudit {
    uint64_t points, relations; /* looked at, in all */
    double bound;               /* SolOptions.audit */
    double worst, time;         /* largest violation, and when */
    const char
        *relation; /* whose it is, with paths; "" when nothing was violated; until the next call */
} SolAudit;

bool sol_audit(const Sol *sim, SolAudit *audit); /* false: not asked for */

/* Why the model ended the run by `terminate`; NULL: it did not. Time does not go on then: calls that move the
 * simulation return SOL_OK at once. */
const char *sol_terminated(const Sol *sim);

/* An independent part of the dynamics at present. */
typedef struct SolPart {
    uint32_t states;
    uint64_t steps, restarts; /* of it and of those that were united in it, since the run began or
                                 was resumed */
} SolPart;

/* The part that a state belongs to; false: no state, or the run has not begun. */
bool sol_part(const Sol *sim, SolVar state, SolPart *part);

/* ---- the linear model around the present point ---- */

/* With x the states, u the inputs, y the outputs, each as its distance from the present value: der(x) = A x + B u,
 * y = C x + D u. Matrices by rows. */
typedef struct SolLinearized {
    uint32_t n, n_in, n_out;
    SolVar *states;        /* [n] */
    double *a, *b, *c, *d; /* n x n, n x n_in, n_out x n, n_out x n_in */
    double *re, *im;       /* [n]: eigenvalues of A by size, complex ones in pairs */
    double *
        participation; /* [n][n]: row j: shares of the states in eigenvalue j; NULL beyond 100 states */
} SolLinearized;

/* The longest steps with which methods stay stable there: eigenvalues that die away do so in the computation. INFINITY: any step, 0: none. */
typedef struct SolStepLimits {
    double euler, rk;
    uint32_t
        ida_order; /* up to which its steps are stable whatever their length; `rodas` always is */
} SolStepLimits;

void sol_step_limits(const SolLinearized *of, SolStepLimits *to);

/* Inputs are Real parameters and held variables, outputs any Reals. To be freed in any case. SOL_USAGE: no input;
 * otherwise errors as sol_init(), and SOL_NUMERICS where a derivative has no value. */
SolStatus sol_linearize(Sol *sim, uint32_t n_in, const SolVar *in, uint32_t n_out,
                        const SolVar *out, SolLinearized *to);
void sol_linearized_free(Sol *sim, SolLinearized *of);

/* ---- save and restore ---- */

/* Bytes out and in; false: failed, or at the end too early. */
typedef bool (*SolWrite)(void *context, const void *bytes, size_t n);
typedef bool (*SolRead)(void *context, void *bytes, size_t n);

/* Everything that a run needs to go on in another process with the same results: instances, values,
 * held values, memory of conditions, random ordinals. The integrators restart here too, so that a
 * run that is saved and one that is saved and resumed go on alike. SOL_IO: `write` failed;
 * SOL_USAGE: not `savable`. */
SolStatus sol_save(Sol *sim, SolWrite write, void *context);
/* Into a simulation that was created from the same text and designator with the same options,
 * and is not initialised yet. All variables are announced as born; what foreign functions
 * remember is not saved, their handles are made anew. SOL_IO: `read` failed; SOL_USAGE: saved by
 * something else. */
SolStatus sol_restore(Sol *sim, SolRead read, void *context);

/* ---- edits: a model that runs is changed ----
 *
 * At the present time, in any instance: every edit is one event, and gets its verdict. Messages say why, in
 * the words of the diagnosis; those of one call are the last of the model's list. */

typedef enum SolEditKind {
    SOL_ADD, /* enters the statements `text` into the instance `scope` */
    SOL_REMOVE, /* takes away what `what` names: a handle (sol_statements), "+3" for all that edit 3 entered,
                    or a member of `scope`; with a component go its connections */
    SOL_REPLACE, /* the component `what` of `scope` becomes one of `text`, "Type{a << 1}"; statements that name it
                    are entered anew, and states of equal name go on from their values */
    SOL_ASSIGN /* the parameter, state or held variable `what` of `scope` gets the value `text` */
} SolEditKind;

typedef struct SolEdit {
    SolEditKind kind;
    const char *scope; /* path of an instance; NULL or "": the top */
    const char *what, *text;
} SolEdit;

typedef enum SolVerdict {
    SOL_ACCEPTED,
    SOL_INCOMPLETE, /* accepted, but some variables lack an equation: time does not go on before they have one */
    SOL_REFUSED /* everything is as it was before, bit by bit */
} SolVerdict;

typedef struct SolEdited {
    SolVerdict verdict;
    SolStatus reason; /* of a refusal: SOL_MODEL, SOL_USAGE, SOL_NUMERICS, SOL_MEMORY */
    uint32_t
        edit; /* number of the last SOL_ADD or SOL_REPLACE, never used again; 0: there was none */
    uint32_t entered, removed; /* relations */
    uint64_t visited;          /* relations that the DDP looked at */
    uint32_t blocks_rebuilt;
    double microseconds; /* from the call to the verdict */
    uint32_t message;    /* the first message about it; sol_message_count(): there is none */
} SolEdited;

/* All edits of the list together, or none. SOL_OK: look at the verdict, also of a refusal. SOL_USAGE: not
 * `editable`; SOL_IO: output failed. After a refusal by SOL_MEMORY for which there was no memory to go back, the
 * simulation goes no further. */
SolStatus sol_edit(Sol *sim, uint32_t n, const SolEdit *edits, SolEdited *edited);
/* The last sol_edit() that was not undone is taken out at the present time, and put back: values that go on do so,
 * what returns has its last values. SOL_USAGE: there is none. */
SolStatus sol_undo(Sol *sim, SolEdited *edited);
SolStatus sol_redo(Sol *sim, SolEdited *edited);
/* The last edit and the one before it, which both are one SOL_ASSIGN to the same variable, are undone and put back as one
 * from now on: a slider that moves. False: they are not such edits. */
bool sol_join_edits(Sol *sim);
bool sol_is_complete(const Sol *sim); /* time can go on */

/* A second simulation at the same point, which goes on with the same bytes. It has no callbacks. NULL: no
 * memory, not `savable`, or it has failed. */
Sol *sol_fork(Sol *sim);
/* To a point that sol_save() wrote, time included; SOL_USAGE, SOL_IO as sol_restore(), the simulation is what it
 * was then. Edits before that point cannot be undone any more. */
SolStatus sol_back(Sol *sim, SolRead read, void *context);

/* The edited model as Sol text, and a checkpoint (sol_restore) with which a simulation of that text, with the designator
 * and the options of this one, goes on as this one does. The text is that of the main file with the edits in it; where an
 * instance was edited whose definition others have too, the definition stands there once more under another name. Values
 * that were set are in the checkpoint alone. SOL_MODEL, with a message: a text cannot say it, for example of an
 * instance that lies in a branch; nothing was written then. SOL_USAGE: it is not complete. */
typedef struct SolWriting {
    SolWrite text;
    void *text_context;
    SolWrite state; /* NULL: only the text is wanted */
    void *state_context;
} SolWriting;

SolStatus sol_write_model(Sol *sim, const SolWriting *writing);

/* A statement of an instance: of its text, or of an edit. */
typedef struct SolStatement {
    const char *handle; /* "#3", "#3.then.1", "+2.1": for sol_edit() */
    const char *text;   /* as it was written, `length` bytes */
    size_t length;
    uint32_t edit; /* that entered it, or 0 */
    bool removed;
    const char *file; /* that has it, as it was named; of an edit, a name for its text */
    size_t offset;    /* of `text` in it */
} SolStatement;

/* All of the instance at `path`, one call each; false: no such instance. */
bool sol_statements(Sol *sim, const char *path,
                    void (*each)(void *context, const SolStatement *statement), void *context);
/* Paths of instances, one call each: `path` and all in it. */
void sol_instances(Sol *sim, const char *path, void (*each)(void *context, const char *path),
                   void *context);

/* For people: what determines a variable, with values, and what that follows from, to a depth; or, with `readers`,
 * what follows from it. SOL_USAGE: no such variable. */
SolStatus sol_why(Sol *sim, SolVar var, uint32_t depth, bool readers, FILE *out);

/* Words that every text knows, numbered from 0, for who colours or completes texts; NULL behind the last. */
typedef enum SolWord { SOL_KEYWORD, SOL_TYPE_NAME, SOL_FUNCTION_NAME } SolWord;
const char *sol_word(uint32_t number, SolWord *kind);

/* The part of the causality graph around a variable. A block determines its variables; what none determines stands for itself. */
typedef enum SolBlockKind {
    SOL_BLOCK_EQUATION, /* one variable, from one relation */
    SOL_BLOCK_LOOP,     /* several, that are solved together */
    SOL_BLOCK_STATE,    /* what the integrator determines */
    SOL_BLOCK_HELD,     /* what keeps its value between events */
    SOL_BLOCK_GIVEN,    /* a parameter, a constant */
    SOL_BLOCK_CLOCK
} SolBlockKind;

typedef struct SolBlock {
    uint32_t id; /* in this graph; the same while the block is there */
    SolBlockKind kind;
    SolVar var;       /* the first it determines */
    const char *path; /* of that */
    const char *text; /* of its relation, of a loop the first; "" where there is none */
    bool has_value;
    double value;
    uint32_t variables; /* how many it determines */
    int32_t
        depth; /* 0: the one asked for; below: it follows from these; above: these follow from it */
    uint32_t made; /* how often a block of this number was made: another number, it was rebuilt */
} SolBlock;

typedef struct SolGraph {
    void *context;
    uint32_t most; /* blocks */
    void (*block)(void *context, const SolBlock *block);
    void (*edge)(void *context, uint32_t from, uint32_t to, bool integrates);
} SolGraph;

/* Blocks first, then edges. SOL_USAGE: no such variable. */
SolStatus sol_graph(Sol *sim, SolVar var, uint32_t depth, const SolGraph *to);

#endif
