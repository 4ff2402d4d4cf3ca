/* save.c: a simulation at rest <-> bytes: sol_save() and sol_restore(). The journal: save.h.
 *
 * Saved are the journal and, behind it, what it does not determine: values, memory of conditions,
 * samples and pre values, factors of loops, counters. Integrators are not saved: they start anew
 * after a save, also in the process that goes on, so that both go on alike.
 *
 * The bytes are for the same program on the same kind of machine; a fingerprint of both, of the
 * texts and of the options refuses everything else. */
#include "runtime/save.h"
#include "numerics/dense_lu.h"
#include "runtime/bytes.h"
#include "runtime/sim_int.h"

#include <string.h>

struct Journal {
    VEC(uint8_t) bytes;
    uint32_t at; /* next byte when it is done again */
    bool replaying, bad;
};

enum {
    ENTRY_CREATE = 'c',
    ENTRY_TAKE = 't',
    ENTRY_CHOOSE = 'd',
    ENTRY_COMMIT = 'k',
    ENTRY_ADVISE = 'a',
    ENTRY_VALUE = 'v',
    ENTRY_NO_VALUE = 'n'
};

static const uint64_t MAGIC = 0x31305641534c4f53; /* "SOLSAV01" */

/* ---- the journal: writing ---- */

void journal_open(Sim *sim)
{
    sim->journal = mem_alloc(sim->mem, sizeof *sim->journal);
}

void journal_close(Sim *sim)
{
    if (!sim->journal)
        return;
    vec_free(sim->mem, &sim->journal->bytes);
    mem_free(sim->mem, sim->journal);
    sim->journal = NULL;
}

bool journal_replaying(const Sim *sim)
{
    return sim->journal && sim->journal->replaying;
}

static uint8_t *add(Sim *sim, uint32_t n)
{
    Journal *j = sim->journal;
    vec_reserve(sim->mem, &j->bytes, j->bytes.n + n);
    j->bytes.n += n;
    return j->bytes.at + j->bytes.n - n;
}

static bool is_kept(const Sim *sim)
{
    return sim->journal && !sim->journal->replaying;
}

void journal_create(Sim *sim)
{
    if (is_kept(sim))
        *add(sim, 1) = ENTRY_CREATE;
}

void journal_take_changes(Sim *sim)
{
    if (is_kept(sim))
        *add(sim, 1) = ENTRY_TAKE;
}

void journal_choose(Sim *sim, uint32_t n, const WorldDecision *list)
{
    if (!is_kept(sim))
        return;
    uint8_t *to = add(sim, 5 + 5 * n);
    to[0] = ENTRY_CHOOSE;
    put_u32(to + 1, n);
    for (uint32_t i = 0; i < n; i++) {
        put_u32(to + 5 + 5 * i, list[i].branch);
        to[9 + 5 * i] = (uint8_t)list[i].choice;
    }
}

void journal_commit(Sim *sim, DdpCommit kind)
{
    if (!is_kept(sim))
        return;
    uint8_t *to = add(sim, 2);
    to[0] = ENTRY_COMMIT;
    to[1] = (uint8_t)kind;
}

void journal_advise(Sim *sim, DdpRel rel, DdpVar var)
{
    if (!is_kept(sim))
        return;
    uint8_t *to = add(sim, 9);
    to[0] = ENTRY_ADVISE;
    put_u32(to + 1, rel);
    put_u32(to + 5, var);
}

/* ---- the journal: doing it again ---- */

static const uint8_t *take(Journal *j, uint32_t n)
{
    static const uint8_t nothing[8];
    if (j->bytes.n - j->at < n) {
        j->bad = true;
        return nothing;
    }
    j->at += n;
    return j->bytes.at + j->at - n;
}

bool journal_read(Sim *sim, bool has, double *value)
{
    Journal *j = sim->journal;
    if (!j)
        return has;
    if (!j->replaying) {
        uint8_t *to = add(sim, has ? 9 : 1);
        to[0] = has ? ENTRY_VALUE : ENTRY_NO_VALUE;
        if (has)
            put_f64(to + 1, *value);
        return has;
    }
    uint8_t entry = *take(j, 1);
    j->bad = j->bad || (entry != ENTRY_VALUE && entry != ENTRY_NO_VALUE);
    if (entry == ENTRY_VALUE)
        *value = get_f64(take(j, 8));
    return entry == ENTRY_VALUE;
}

static bool choose_again(Sim *sim)
{
    Journal *j = sim->journal;
    uint32_t n = get_u32(take(j, 4));
    if (n > (j->bytes.n - j->at) / 5)
        return false;
    vec_clear(&sim->decisions);
    for (uint32_t i = 0; i < n; i++) {
        BranchId branch = get_u32(take(j, 4));
        WorldChoice choice = (WorldChoice)*take(j, 1);
        WorldBranch view;
        if (!world_branch(sim->world, branch, &view) || choice > WORLD_THEN)
            return false;
        vec_push(sim->mem, &sim->decisions, ((WorldDecision){branch, choice}));
    }
    return init_choose(sim) == SOL_OK;
}

static bool advise_again(Sim *sim)
{
    DdpRel rel = get_u32(take(sim->journal, 4));
    DdpVar var = get_u32(take(sim->journal, 4));
    ddp_advise_against(sim->ddp, rel, var);
    return true;
}

static bool replay_entry(Sim *sim)
{
    switch (*take(sim->journal, 1)) {
    case ENTRY_CREATE:
        return world_create(sim->world, sim->top);
    case ENTRY_TAKE:
        return init_take_changes(sim) == SOL_OK;
    case ENTRY_CHOOSE:
        return choose_again(sim);
    case ENTRY_COMMIT:
        values_commit(sim, (DdpCommit)*take(sim->journal, 1));
        return true;
    case ENTRY_ADVISE:
        return advise_again(sim);
    default:
        return false;
    }
}

static SolStatus replay(Sim *sim)
{
    Journal *j = sim->journal;
    bool good = true;
    SolStatus status = init_open_world(sim);
    if (status != SOL_OK)
        return status;
    j->replaying = true;
    j->at = 0;
    while (good && !j->bad && j->at < j->bytes.n)
        good = replay_entry(sim);
    j->replaying = false;
    vec_clear(&sim->decisions);
    vec_clear(&sim->starts); /* these and what follows: notes of events that are over */
    vec_clear(&sim->lacking);
    vec_clear(&sim->integers);
    vec_clear(&sim->compared);
    return good && !j->bad ? SOL_OK : SOL_USAGE;
}

/* ---- streams: one description of the state for both directions ---- */

typedef struct Stream {
    Sim *sim;
    SolWrite write; /* NULL: reading */
    SolRead read;
    void *context;
    bool io_failed;
    bool differs;     /* what is read cannot belong to this simulation */
    const char *what; /* differs, or NULL: it is not known */
} Stream;

static void move(Stream *s, void *bytes, size_t n)
{
    if (s->io_failed || s->differs || n == 0)
        return;
    bool good = s->write ? s->write(s->context, bytes, n) : s->read(s->context, bytes, n);
    s->io_failed = !good;
}

/* A number that must be the same on both sides. */
static void same(Stream *s, uint64_t here)
{
    uint64_t there = here;
    move(s, &there, sizeof there);
    s->differs = s->differs || (!s->io_failed && there != here);
}

#define MOVE(s, x) move((s), &(x), sizeof(x))

/* A list that is overwritten as a whole; its elements hold no pointers. */
#define MOVE_LIST(s, list)                                                                         \
    do {                                                                                           \
        uint32_t count_ = (list)->n;                                                               \
        MOVE(s, count_);                                                                           \
        if (!(s)->write && !(s)->io_failed && !(s)->differs) {                                     \
            vec_clear(list);                                                                       \
            vec_reserve((s)->sim->mem, (list), count_ + 1);                                        \
            (list)->n = count_;                                                                    \
        }                                                                                          \
        if (!(s)->io_failed && !(s)->differs)                                                      \
            move((s), (list)->at, (list)->n * sizeof *(list)->at);                                 \
    } while (0)

/* Version and memory layout of the program. */
static uint64_t mark_of_program(void)
{
    static const char version[] = SOLSTICE_VERSION;
    const uint64_t sizes[] = {sizeof(Sim), sizeof(EvalNode), sizeof(BranchMemo)};
    return hash_bytes(sizes, sizeof sizes, hash_bytes(version, sizeof version, MAGIC));
}

/* The designator, and the texts read when the simulation was created: file and libraries. */
static uint64_t mark_of_texts(const Sim *sim)
{
    const Sources *sources = program_sources(sim->program);
    const char *top = def_path(sim->program, sim->top);
    uint64_t h = hash_bytes(top, strlen(top), MAGIC);
    for (uint32_t i = 0; i < sim->n_texts; i++)
        h = hash_bytes(sources->files.at[i].text, sources->files.at[i].length, h);
    return h;
}

static uint64_t mark_of_options(const Sim *sim)
{
    const SolOptions *o = &sim->opt;
    const double numbers[] = {o->start, o->stop,     o->interval, o->rtol,
                              o->atol,  o->max_step, o->step};
    const uint64_t integers[] = {o->seed, o->solver, o->linear, o->max_order, o->n_sets};
    uint64_t h = hash_bytes(numbers, sizeof numbers, MAGIC);
    h = hash_bytes(integers, sizeof integers, h);
    for (uint32_t i = 0; i < o->n_sets; i++) {
        h = hash_bytes(o->sets[i].path, strlen(o->sets[i].path), h);
        h = hash_bytes(o->sets[i].value, strlen(o->sets[i].value), h);
    }
    return h;
}

/* Who may go on with what is saved; what differs is told. */
static void move_marks(Stream *s)
{
    const struct {
        uint64_t mark;
        const char *what;
    } marks[] = {
        {mark_of_program(), "it was saved by another version of the program"},
        {mark_of_texts(s->sim), "the text of the model, or of a library, has changed since"},
        {mark_of_options(s->sim), "it was saved with other options"}};
    same(s, MAGIC);
    for (uint32_t i = 0; i < 3 && !s->differs; i++) {
        same(s, marks[i].mark);
        if (s->differs)
            s->what = marks[i].what;
    }
}

/* ---- what the journal does not determine ---- */

/* Texts have numbers in the order of their first use, which includes use while it ran. */
static void move_texts(Stream *s)
{
    Intern *names = program_names(s->sim->program);
    uint32_t n = names->texts.n;
    MOVE(s, n);
    for (uint32_t i = 1; i < n && !s->io_failed && !s->differs; i++) {
        uint32_t length = s->write ? names->texts.at[i].length : 0;
        MOVE(s, length);
        if (s->write) {
            move(s, (void *)names->texts.at[i].text, length);
            continue;
        }
        if (s->io_failed || length > 1 << 24) {
            s->differs = true;
            return;
        }
        char *text = mem_alloc(s->sim->mem, length + 1);
        move(s, text, length);
        s->differs = s->differs || intern(names, text, length) != i;
        mem_free(s->sim->mem, text);
    }
}

static void move_values(Stream *s)
{
    Sim *sim = s->sim;
    same(s, ddp_var_limit(sim->ddp));
    same(s, sim->births);
    MOVE(s, sim->shown);
    MOVE(s, sim->last_point);
    for (DdpVar var = 0; var < ddp_var_limit(sim->ddp) && !s->differs; var++) {
        ValueInfo *info = &sim->info[var];
        MOVE(s, sim->value[var]);
        MOVE(s, info->has);
        MOVE(s, info->guess);
        double scale = values_scale(sim, var);
        MOVE(s, scale);
        values_set_scale(sim, var, scale);
        MOVE(s, info->stiff);
        info->pending = false;
    }
}

static void move_loop(Stream *s, EvalNode *node)
{
    loop_solve_forget(s->sim, node);
    same(s, node->n_tears);
    MOVE(s, node->untorn);
    MOVE(s, node->factored);
    if (s->differs || !node->factored)
        return;
    move(s, node_lu(node), dense_lu_room(node->n_tears) * sizeof(double));
    move(s, node_pivot(node), dense_lu_pivots(node->n_tears) * sizeof(uint32_t));
}

static void move_nodes(Stream *s)
{
    Sim *sim = s->sim;
    same(s, sim->nodes.n);
    for (uint32_t n = 0; n < sim->nodes.n && !s->differs; n++) {
        EvalNode *node = &sim->nodes.at[n];
        same(s, node->live);
        node->dirty = false;
        if (!node->live)
            continue;
        if (node->loop)
            move_loop(s, node);
        same(s, node->n_compares);
        MOVE(s, node->forced);
        for (uint32_t i = 0; i < node->n_compares && !s->differs; i++) {
            MOVE(s, node->compare[i].left);
            MOVE(s, node->compare[i].near);
            MOVE(s, node->compare[i].tie);
        }
    }
}

/* The memory of conditions, with the counts of who needs what adjusted to it. */
static void move_branches(Stream *s)
{
    Sim *sim = s->sim;
    same(s, sim->branches.n);
    for (BranchId id = 1; id < sim->branches.n && !s->differs; id++) {
        BranchMemo memo = sim->branches.at[id];
        bool fired = memo.firings;
        Firings past = fired ? *memo.firings : (Firings){0};
        memo.next = memo.loose = memo.suspect = 0; /* lists are made by each process for itself */
        memo.firings = NULL;
        MOVE(s, memo);
        MOVE(s, fired);
        if (fired)
            MOVE(s, past);
        if (s->write || s->io_failed)
            continue;
        s->differs = s->differs || memo.condition >= ddp_var_limit(sim->ddp);
        if (s->differs)
            return;
        event_restore_branch(sim, id, &memo, fired ? &past : NULL);
    }
}

static void move_rest(Stream *s)
{
    Sim *sim = s->sim;
    MOVE_LIST(s, &sim->samples);
    MOVE_LIST(s, &sim->pres);
    MOVE_LIST(s, &sim->couts);
    MOVE_LIST(s, &sim->initials);
    MOVE_LIST(s, &sim->forced);
    MOVE(s, sim->time);
    MOVE(s, sim->tie_time);
    MOVE(s, sim->runaway);
    MOVE(s, sim->mode_serial);
    MOVE(s, sim->grid);
    MOVE(s, sim->next_output);
    MOVE(s, sim->output_index);
    MOVE(s, sim->counts);
    same(s, MAGIC); /* nothing was lost on the way */
}

static void move_state(Stream *s)
{
    move_texts(s);
    if (!s->io_failed && !s->differs)
        move_values(s);
    if (!s->io_failed && !s->differs)
        move_nodes(s);
    if (!s->io_failed && !s->differs)
        move_branches(s);
    if (!s->io_failed && !s->differs)
        move_rest(s);
}

static SolStatus verdict(const Stream *s)
{
    if (s->differs) {
        diag_error(s->sim->diags, 0, "what was saved cannot go on here: %s",
                   s->what ? s->what : "it belongs to another run");
        return SOL_USAGE;
    }
    return s->io_failed ? SOL_IO : SOL_OK;
}

/* Integrators start anew, here as in the process that will go on from what was saved. */
static void rest(Sim *sim)
{
    vec_clear(&sim->heap);
    vec_clear(&sim->held_back);
    event_forget_suspects(sim);
    sim->running = false;
    sim->grid_time = sim->time;
    part_graph_settle(sim);
    parts_rest(sim);
}

/* ---- sol_save ---- */

/* What was evaluated at this time already stays as it is: loops would change in their last digit.
 */
static SolStatus evaluate_all(Sim *sim)
{
    SolStatus status = parts_meet_all(sim);
    EACH_LEAF(&sim->outputs, leaf)
    for (uint32_t i = 0; i < leaf->nodes.n && status == SOL_OK; i++) {
        const EvalNode *node = &sim->nodes.at[leaf->nodes.at[i]];
        status = evaluate_fetch(sim, node->n_steps ? node->ops[0].target : node_tears(node)[0]);
    }
    return status;
}

static SolStatus save(Sim *sim, SolWrite write, void *context)
{
    Stream s = {.sim = sim, .write = write, .context = context};
    uint32_t length = sim->journal->bytes.n;
    SolStatus status = evaluate_all(sim);
    if (status != SOL_OK)
        return status;
    move_marks(&s);
    MOVE(&s, length);
    move(&s, sim->journal->bytes.at, length);
    move_state(&s);
    rest(sim);
    return verdict(&s);
}

SolStatus sol_save(Sol *sol, SolWrite write, void *context)
{
    Sim *sim = &sol->sim;
    MemGuard guard;
    if (!sim->journal) {
        diag_error(sim->diags, 0, "only a simulation whose options say `savable` can be saved");
        return SOL_USAGE;
    }
    SolStatus status = sol_init(sol);
    if (status != SOL_OK && status != SOL_CANCELLED)
        return status;
    mem_guard_push(sim->mem, &guard);
    if (setjmp(guard.env) != 0)
        return sim->status = SOL_MEMORY;
    status = save(sim, write, context);
    mem_guard_pop(sim->mem, &guard);
    return status;
}

/* ---- sol_restore ---- */

/* Handles of foreign functions are made anew: what a library remembered is not ours to save. */
static bool make_handles(Sim *sim)
{
    uint32_t n;
    bool good = true;
    world_changes_clear(sim->world);
    world_changes_list_all(sim->world);
    const WorldChange *changes = world_changes(sim->world, &n);
    for (uint32_t i = 0; i < n && good; i++)
        if (changes[i].role == WORLD_HANDLE && changes[i].born)
            good =
                foreign_birth_of(sim->foreign, &changes[i], sim->value, &sim->value[changes[i].a]);
    world_changes_clear(sim->world);
    return good;
}

static bool read_journal(Stream *s)
{
    Journal *j = s->sim->journal;
    uint32_t length = 0;
    move_marks(s);
    if (s->io_failed || s->differs)
        return false;
    MOVE(s, length);
    vec_clear(&j->bytes);
    while (!s->io_failed && j->bytes.n < length) { /* piece by piece: the length may be a lie */
        uint32_t part = length - j->bytes.n < 1 << 16 ? length - j->bytes.n : 1 << 16;
        uint8_t *to = add(s->sim, part);
        move(s, to, part);
    }
    return !s->io_failed;
}

static SolStatus restore(Sim *sim, SolRead read, void *context)
{
    Stream s = {.sim = sim, .read = read, .context = context};
    if (!read_journal(&s))
        return verdict(&s);
    SolStatus status = replay(sim);
    if (status != SOL_OK) {
        s.differs = status == SOL_USAGE;
        return s.differs ? verdict(&s) : status;
    }
    move_state(&s);
    status = verdict(&s);
    if (status == SOL_OK && !make_handles(sim))
        status = SOL_MODEL;
    if (status == SOL_OK)
        rest(sim);
    return status;
}

SolStatus sol_restore(Sol *sol, SolRead read, void *context)
{
    Sim *sim = &sol->sim;
    MemGuard guard;
    if (!sim->journal || sim->initialised) {
        diag_error(sim->diags, 0,
                   "only a new simulation whose options say `savable` can be restored");
        return sim->status = SOL_USAGE;
    }
    mem_guard_push(sim->mem, &guard);
    if (setjmp(guard.env) != 0)
        return sim->status = SOL_MEMORY;
    sim->initialised = true;
    SolStatus status = restore(sim, read, context);
    mem_guard_pop(sim->mem, &guard);
    sim->status = status == SOL_OK ? SOL_OK : SOL_IO; /* half restored: it goes no further */
    return status;
}
