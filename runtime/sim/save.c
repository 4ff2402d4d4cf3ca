/* save.c: a simulation at rest <-> a block of bytes (save.h) <-> sol_save() and sol_restore().
 *
 * The front end and the DDP are written as they are, with all numbers. What the runtime makes of
 * them, nodes and parts, is not written but built anew, in the simulation that was saved as in the
 * one that goes on from what was saved (rebuild.c); integrators start anew likewise. So both go on
 * alike, and saving costs what the model is, not what it went through.
 *
 * The bytes are for the same program on the same kind of machine; a mark of both, of the texts and
 * of the options refuses everything else, and a checksum what was damaged. */
#include "runtime/event/delay.h"
#include "runtime/eval/compare.h"
#include "runtime/sim/save.h"

#include <string.h>
#include <zlib.h>

/* ---- texts ---- */

enum { LONGEST_TEXT = 1 << 24 };

static void write_text(Pack *p, const Intern *names, uint32_t i)
{
    uint32_t length = names->texts.at[i].length;
    PACK(p, length);
    if (length)
        pack_bytes(p, (void *)names->texts.at[i].text, length);
}

static void read_text(Pack *p, Intern *names, uint32_t i)
{
    uint32_t length = pack_count(p, 0, 1);
    if (length > LONGEST_TEXT)
        p->bad = true;
    if (p->bad)
        return;
    p->bad = intern(names, (const char *)p->bytes + p->at, length) != i;
    p->at += length;
}

/* Texts have numbers in the order of their first use, which includes use while it ran. */
static void pack_texts(Sim *sim, Pack *p)
{
    Intern *names = program_names(sim->program);
    uint32_t n = pack_count(p, names->texts.n, 1);
    for (uint32_t i = 1; i < n && !p->bad; i++)
        if (p->writing)
            write_text(p, names, i);
        else
            read_text(p, names, i);
}

/* ---- values ---- */

/* Of all numbers, also of those not in use: a derivative that gets one begins with its value. */
static void pack_values(Sim *sim, Pack *p)
{
    pack_same(p, ddp_var_limit(sim->ddp));
    event_pack_births(sim, p);
    PACK(p, sim->run.births_at_start);
    for (DdpVar var = 0; var < ddp_var_limit(sim->ddp) && !p->bad; var++) {
        ValueInfo *info = &sim->info[var];
        double scale = values_scale(sim, var);
        PACK(p, sim->value[var]);
        PACK(p, info->birth);
        PACK(p, scale);
        PACK_BIT(p, info->has);
        PACK_BIT(p, info->guess);
        PACK_BIT(p, info->stiff);
        PACK_BIT(p, info->exchanged);
        values_set_scale(sim, var, scale);
    }
}

/* ---- memory of nodes and branches ---- */

/* The comparison of a node that was meant, or NULL: it compares nothing that varies any more. */
static Compare *find_compare(const EvalNode *node, const Compare *memo)
{
    for (Compare *c = node->compare; c < node->compare + node->n_compares; c++)
        if (c->op == memo->op && c->self == memo->self && c->source == memo->source)
            return c;
    return NULL;
}

static void pack_compare(Sim *sim, Pack *p, const EvalNode *node, uint32_t i)
{
    Compare memo = p->writing ? node->compare[i] : (Compare){0};
    double kept = memo.slot ? sim->value[memo.slot] : 0;
    PACK(p, memo.op);
    PACK(p, memo.self);
    PACK(p, memo.source);
    PACK(p, memo.left);
    PACK_BIT(p, memo.near);
    PACK(p, memo.tie);
    PACK_BIT(p, memo.close);
    PACK(p, memo.turns);
    PACK(p, kept);
    Compare *compare = find_compare(node, &memo);
    if (p->writing || !compare)
        return;
    compare->left = memo.left;
    compare->near = memo.near;
    compare->tie = memo.tie;
    compare->close = memo.close;
    compare->turns = memo.turns;
    if (compare->slot)
        sim->value[compare->slot] = kept;
}

static void pack_node(Sim *sim, Pack *p, EvalNode *node)
{
    if (node->loop)
        PACK_BIT(p, node_loop(node)->kept.untorn);
    if (node->loop && !p->writing)
        node->untorn = node_loop(node)->kept.untorn;
    PACK_BIT(p, node->forced);
    uint32_t n = pack_count(p, node->n_compares, 1);
    for (uint32_t i = 0; i < n; i++)
        pack_compare(sim, p, node, i);
}

static void pack_nodes(Sim *sim, Pack *p)
{
    for (DdpNode n = ddp_first(sim->ddp); n && !p->bad; n = ddp_next(sim->ddp, n))
        pack_node(sim, p, &sim->nodes.at[n]);
    compare_pack_ties(sim, p);
    event_pack_times(sim, p);
}

static void pack_firings(Sim *sim, Pack *p, BranchMemo *memo)
{
    bool fired = memo->firings != NULL;
    PACK_BIT(p, fired);
    if (!fired)
        return;
    if (!memo->firings)
        memo->firings = mem_alloc(sim->mem, sizeof *memo->firings);
    PACK(p, *memo->firings);
}

/* The memory of a condition; counts of who needs it follow. */
static void pack_branch(Sim *sim, Pack *p, BranchId id)
{
    BranchMemo *memo = &sim->branches.at[id];
    DdpVar condition = memo->condition;
    PACK_BIT(p, memo->live);
    PACK_BIT(p, memo->truth);
    PACK_BIT(p, memo->when);
    PACK_BIT(p, memo->noted);
    PACK(p, memo->told);
    PACK(p, memo->serial);
    PACK(p, memo->born);
    PACK(p, memo->false_since);
    PACK(p, condition);
    pack_firings(sim, p, memo);
    if (p->writing)
        return;
    p->bad |= condition >= ddp_var_limit(sim->ddp);
    if (!p->bad)
        event_link_branch(sim, id, condition);
}

static void free_branches(Sim *sim)
{
    for (BranchId id = 0; id < sim->branches.n; id++) {
        mem_free(sim->mem, sim->branches.at[id].firings);
        explain_forget_branch(sim, &sim->branches.at[id]);
    }
    vec_clear(&sim->branches);
}

static void pack_branches(Sim *sim, Pack *p)
{
    if (!p->writing)
        free_branches(sim);
    PACK_LENGTH(p, &sim->branches, 1);
    for (BranchId id = 1; id < sim->branches.n && !p->bad; id++)
        pack_branch(sim, p, id);
    event_pack_modes(sim, p);
    PACK(p, sim->output.mode_serial);
    event_pack_runaway(sim, p);
}

/* ---- counters ---- */

static void pack_counters(Sim *sim, Pack *p)
{
    SimCounts counts = sim->counts;
    counts.parts = 0; /* counted when they start */
    PACK(p, counts);
    sim->counts = counts;
    event_pack_loops(sim, p);
    PACK(p, sim->time);
    PACK(p, sim->grid.steps);
    PACK_BIT(p, event_news(sim)->shown);
    event_pack_incomplete(sim, p);
    PACK_BIT(p, sim->run.sets_checked);
    PACK(p, sim->output.last);
    PACK(p, sim->output.next);
    PACK(p, sim->output.index);
    known_steps_pack(sim, p);
}

/* ---- all of it ---- */

/* Read into layers that were just opened. */
static void pack_layers(Sim *sim, Pack *p)
{
    forms_pack(sim->forms, p);
    if (!p->bad)
        world_pack(sim->world, sim->run.top, p);
    if (!p->bad)
        ddp_pack(sim->ddp, p);
}

/* Read also into the simulation that wrote it: its own memory, around a structure built anew. */
static void pack_own(Sim *sim, Pack *p)
{
    pack_values(sim, p);
    if (!p->writing && !p->bad)
        rebuild_nodes(sim);
    if (!p->bad)
        pack_nodes(sim, p);
    if (!p->bad)
        pack_branches(sim, p);
    event_pack_roles(sim, p);
    pack_counters(sim, p);
    if (!p->writing && !p->bad)
        rebuild_parts(sim);
}

/* What was evaluated at this time already stays as it is: loops would change in their last digit.
 */
static SolStatus evaluate_all(Sim *sim)
{
    SolStatus status = delay_cut(sim);
    if (status == SOL_OK)
        status = parts_bring_all(sim, EVAL_PLAIN);
    EACH_SEGMENT (&sim->outputs, segment)
        for (uint32_t i = 0; i < segment->nodes.n && status == SOL_OK; i++) {
            const EvalNode *node = &sim->nodes.at[segment->nodes.at[i]];
            status = evaluate_fetch(sim, node->n_steps ? node->ops[0].target : node_tears(node)[0],
                                    EVAL_PLAIN);
        }
    return status;
}

/* Its own memory is written while there are nodes that have it, the layers when they are gone. */
SolStatus save_write(Sim *sim, Pack *p)
{
    SolStatus status = evaluate_all(sim);
    if (status != SOL_OK)
        return status;
    Pack own = {.mem = p->mem, .writing = true};
    /* which loops lose digits is found anew by this run and by the one that goes on from here: the keys
     * have numbers of expressions, which are others there */
    loop_solve_forget_whole(sim);
    pack_own(sim, &own);
    rebuild_clear(sim);
    p->writing = true;
    pack_texts(sim, p);
    pack_layers(sim, p);
    pack_bytes(p, own.bytes, own.n);
    own.writing = false;
    pack_own(sim, &own);
    pack_free(&own);
    return SOL_OK;
}

/* ---- as it stands ---- */

/* Numbers that the runtime made for what it keeps between events, in the order of the schedule. */
static void pack_places(Sim *sim, Pack *p)
{
    VEC(DdpVar) places = {0};
    for (DdpNode n = p->writing ? ddp_first(sim->ddp) : 0; n; n = ddp_next(sim->ddp, n))
        for (uint32_t i = 0; i < sim->nodes.at[n].n_compares; i++)
            if (sim->nodes.at[n].compare[i].slot)
                vec_push(sim->mem, &places, sim->nodes.at[n].compare[i].slot);
    PACK_LIST(p, &places);
    for (uint32_t i = places.n; !p->writing && !p->bad && i-- > 0;)
        ddp_drop_var(sim->ddp, places.at[i]);
    vec_free(sim->mem, &places);
}

static void pack_standing(Sim *sim, Pack *p)
{
    pack_layers(sim, p);
    if (!p->bad)
        pack_places(sim, p);
    PACK_LIST(p, &event_news(sim)->births);
    PACK_LIST(p, &event_news(sim)->deaths);
    output_plan_pack_wanted(sim, p);
}

SolStatus save_peek(Sim *sim, Pack *p)
{
    SolStatus status = evaluate_all(sim);
    if (status != SOL_OK)
        return status;
    p->writing = true;
    pack_standing(sim, p);
    for (DdpVar var = 0; var < ddp_var_limit(sim->ddp); var++) {
        uint8_t announced = var < sim->n_values && sim->info[var].announced;
        PACK(p, announced);
    }
    pack_own(sim, p);
    return SOL_OK;
}

/* Who listens knows what it knew. */
static void unpack_announced(Sim *sim, Pack *p)
{
    for (DdpVar var = 0; var < ddp_var_limit(sim->ddp); var++) {
        uint8_t announced = 0;
        PACK(p, announced);
        if (var < sim->n_values)
            sim->info[var].announced = announced;
    }
    output_plan_number_wanted(sim);
}

static bool make_handles(Sim *sim);

SolStatus save_return(Sim *sim, Pack *p)
{
    p->writing = false;
    p->at = 0;
    SolStatus status = structure_open_world(sim, sim->run.top);
    if (status != SOL_OK)
        return status;
    pack_standing(sim, p);
    values_grow(sim);
    if (p->bad || !foreign_check(sim->foreign))
        return p->bad ? SOL_IO : SOL_MODEL;
    unpack_announced(sim, p);
    pack_own(sim, p);
    if (p->bad || p->at != p->n)
        return SOL_IO;
    return make_handles(sim) ? SOL_OK : SOL_MODEL;
}

/* ---- reading ---- */

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

SolStatus save_read(Sim *sim, Pack *p)
{
    p->writing = false;
    pack_texts(sim, p);
    SolStatus status = p->bad ? SOL_IO : structure_open_world(sim, sim->run.top);
    if (status != SOL_OK)
        return status;
    pack_layers(sim, p);
    values_grow(sim);
    if (p->bad || !foreign_check(sim->foreign))
        return p->bad ? SOL_IO : SOL_MODEL;
    pack_own(sim, p);
    if (p->bad || p->at != p->n)
        return SOL_IO;
    announce_all(sim);
    return make_handles(sim) ? SOL_OK : SOL_MODEL;
}

/* ---- as instances of another text ---- */

/* Texts have other numbers in another program. */
static void translate_texts(Sim *sim, Sim *to)
{
    for (DdpVar var = 1; var < to->n_values; var++) {
        WorldVar view = {0};
        if (!ddp_var_used(to->ddp, var) || !world_var(to->world, var, &view) ||
            view.type != TYPE_STRING)
            continue;
        const char *text = intern_text(program_names(sim->program), (Sym)sim->value[var]);
        to->value[var] = *text ? intern_str(program_names(to->program), text) : 0;
    }
}

static SolStatus read_transplanted(Sim *sim, Sim *to, Pack *p, const WrittenText *text)
{
    SolStatus status = structure_open_world(to, to->run.top);
    if (status != SOL_OK)
        return status;
    forms_pack(to->forms, p);
    if (p->bad || !world_transplant(to->world, sim->world, to->run.top, text))
        return p->bad ? SOL_IO : SOL_MODEL;
    ddp_pack(to->ddp, p);
    if (!p->bad)
        pack_places(to, p);
    values_grow(to);
    if (p->bad || !foreign_check(to->foreign))
        return p->bad ? SOL_IO : SOL_MODEL;
    pack_own(to, p);
    if (p->bad || p->at != p->n)
        return SOL_IO;
    translate_texts(sim, to);
    announce_all(to);
    return make_handles(to) ? SOL_OK : SOL_MODEL;
}

SolStatus save_transplant(Sim *sim, Sim *to, const WrittenText *text)
{
    SolStatus status = evaluate_all(sim);
    if (status != SOL_OK)
        return status;
    Pack p = {.mem = sim->mem, .writing = true};
    forms_pack(sim->forms, &p);
    ddp_pack(sim->ddp, &p);
    pack_places(sim, &p);
    pack_own(sim, &p);
    Pack there = {.mem = to->mem, .bytes = p.bytes, .n = p.n};
    MemGuard guard;
    mem_guard_push(to->mem, &guard);
    if (setjmp(guard.env) == 0) {
        status = read_transplanted(sim, to, &there, text);
        mem_guard_pop(to->mem, &guard);
    } else {
        status = SOL_MEMORY;
    }
    to->run.initialised = true;
    to->run.status = status;
    pack_free(&p);
    return status;
}

/* ---- marks: who may go on with what is saved ---- */

static const uint64_t MAGIC = 0x34305641534c4f53; /* "SOLSAV04" */
static const uint64_t KIND = 0xffffffffffff;      /* of it: "SOLSAV" */

enum { MARKS = 3, PIECE = 1 << 20 };

typedef struct Head {
    uint64_t magic;
    uint64_t mark[MARKS];
    uint64_t length; /* of the block that follows */
    uint64_t crc;    /* of it */
} Head;

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
    const char *top = def_path(sim->program, sim->run.top);
    uint64_t h = hash_bytes(top, strlen(top), MAGIC);
    for (uint32_t i = 0; i < sim->run.n_texts; i++)
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

static Head head_of(const Sim *sim)
{
    return (Head){.magic = MAGIC,
                  .mark = {mark_of_program(), mark_of_texts(sim), mark_of_options(sim)}};
}

/* Why what has this head cannot go on here; NULL: it can. */
static const char *refusal(const Sim *sim, const Head *head)
{
    static const char *const why[] = {"it was saved by another version of the program",
                                      "the text of the model, or of a library, has changed since",
                                      "it was saved with other options"};
    Head here = head_of(sim);
    if (head->magic != MAGIC)
        return (head->magic & KIND) == (MAGIC & KIND) ? why[0] : "it is no saved simulation";
    for (int i = 0; i < MARKS; i++)
        if (head->mark[i] != here.mark[i])
            return why[i];
    return NULL;
}

static uint32_t checksum(const Pack *p)
{
    return crc32_z(0, p->bytes, p->n);
}

/* ---- sol_save ---- */

static SolStatus save(Sim *sim, SolWrite write, void *context)
{
    Pack p = {.mem = sim->mem};
    SolStatus status = save_write(sim, &p);
    if (status == SOL_OK) {
        Head head = head_of(sim);
        head.length = p.n;
        head.crc = checksum(&p);
        if (!write(context, &head, sizeof head) || !write(context, p.bytes, p.n))
            status = SOL_IO;
    }
    pack_free(&p);
    return status;
}

SolStatus sol_save(Sol *sol, SolWrite write, void *context)
{
    Sim *sim = sol->sim;
    MemGuard guard;
    if (!sim->opt.savable) {
        diag_error(sim->diags, 0, "only a simulation whose options say `savable` can be saved");
        return SOL_USAGE;
    }
    SolStatus status = sol_init(sol);
    if ((status != SOL_OK && status != SOL_CANCELLED) || cancel_broke_off(sim))
        return status;
    mem_guard_push(sim->mem, &guard);
    if (setjmp(guard.env) != 0)
        return sim_exhausted(sim);
    status = save(sim, write, context);
    mem_guard_pop(sim->mem, &guard);
    return status;
}

/* ---- sol_restore ---- */

/* Piece by piece: the length may be a lie. */
static bool read_block(Pack *p, uint64_t length, SolRead read, void *context)
{
    while (p->n < length) {
        size_t piece = length - p->n < PIECE ? length - p->n : PIECE;
        if (p->room - p->n < piece)
            pack_room(p, piece);
        if (!read(context, p->bytes + p->n, piece))
            return false;
        p->n += piece;
    }
    return true;
}

static SolStatus unreadable(Sim *sim, const char *why)
{
    diag_error(sim->diags, 0, "what was saved cannot be read: %s", why);
    return SOL_IO;
}

static SolStatus restore(Sim *sim, SolRead read, void *context)
{
    Pack p = {.mem = sim->mem};
    Head head;
    if (!read(context, &head, sizeof head))
        return unreadable(sim, "it ends too early");
    const char *why = refusal(sim, &head);
    if (why) {
        diag_error(sim->diags, 0, "what was saved cannot go on here: %s", why);
        return SOL_USAGE;
    }
    SolStatus status = SOL_OK;
    if (!read_block(&p, head.length, read, context))
        status = unreadable(sim, "it ends too early");
    else if (checksum(&p) != head.crc)
        status = unreadable(sim, "it is damaged, its checksum is wrong");
    else if ((status = save_read(sim, &p)) == SOL_IO)
        unreadable(sim, "it contradicts itself");
    pack_free(&p);
    return status;
}

SolStatus sol_restore(Sol *sol, SolRead read, void *context)
{
    Sim *sim = sol->sim;
    MemGuard guard;
    if (!sim->opt.savable || sim->run.initialised) {
        diag_error(sim->diags, 0,
                   "only a new simulation whose options say `savable` can be restored");
        return sim->run.status = SOL_USAGE;
    }
    mem_guard_push(sim->mem, &guard);
    if (setjmp(guard.env) != 0)
        return sim_exhausted(sim);
    sim->run.initialised = true;
    SolStatus status = restore(sim, read, context);
    mem_guard_pop(sim->mem, &guard);
    sim->run.status = status == SOL_OK ? SOL_OK : SOL_IO; /* half restored: it goes no further */
    return status;
}
