/* inline_equations.c: nodes of a part's schedule -> its equations in order, and words that describe them. See inline_plan.h.
 *
 * A description has all that a plan follows from: states and slopes, and of each equation in the order of the schedule its form, what it
 * determines, its variables, which of them are parameters, and what is to be torn. Forms are numbers in a table that only grows, so
 * equal numbers are equal equations. The words of a node are kept until it is made anew, so that an event costs what it changed, and one look at each of the
 * other nodes. NodeInLists.described says where they are; hints are no matter of nodes, so all words go when one comes or goes.
 */
#include "runtime/solve/inline_memory.h"

#include "runtime/solve/relation_form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_WORDS = 1 << 16,
    MOST_WORDS_EACH = 32
}; /* for each node; then those that are gone go */

typedef struct Record {
    DdpNode node;
    uint32_t from, n_words, n_equations;
    uint64_t hash;
} Record;

struct InlineRecords {
    VEC(Record) at;
    VEC(uint32_t) words;
    uint32_t hint_changes; /* when they were written */
    VEC(uint32_t) states;  /* of the part that was described last */
    VEC(uint32_t) part;    /* and its records, in order */
    uint32_t part_words;   /* and how many words these have */
    InlineEquations equations;
};

InlineRecords *inline_records_open(Mem *mem)
{
    return mem_alloc(mem, sizeof(InlineRecords));
}

void inline_records_close(Mem *mem, InlineRecords *records)
{
    if (!records)
        return;
    vec_free(mem, &records->at);
    vec_free(mem, &records->words);
    vec_free(mem, &records->states);
    vec_free(mem, &records->part);
    vec_free(mem, &records->equations);
    mem_free(mem, records);
}

/* ---- nodes ---- */

/* In a loop steps are solved for other variables than those, and residuals for none. */
static DdpVar computed_by(const Sim *sim, const EvalNode *node, uint32_t at)
{
    return node->loop ? ddp_computed_by(sim->ddp, node->ops[at].rel) : node_output(node, at);
}

static uint32_t hinted_word(const Sim *sim, DdpVar var)
{
    return var << 1 | ddp_tearing_hinted(sim->ddp, var);
}

static uint32_t known_word(const Sim *sim, DdpVar var)
{
    return var << 1 | (var && ddp_var(sim->ddp, var).kind == DDP_KNOWN);
}

enum { HEAD = 4 }; /* words in front of the variables of an equation */

/* Of each equation as InlineEquation has it. */
static void write_node(Sim *sim, const EvalNode *node, InlineRecords *records)
{
    for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++) {
        uint32_t n;
        Form form = relation_form(sim, node, k, &n);
        vec_reserve(sim->mem, &records->words, records->words.n + HEAD + n);
        uint32_t *word = records->words.at + records->words.n;
        records->words.n += HEAD + n;
        *word++ = form;
        DdpVar output = computed_by(sim, node, k);
        *word++ = ddp_var(sim->ddp, output).order << 16 | n;
        *word++ = hinted_word(sim, output);
        *word++ = inline_copy(sim->forms, form);
        for (uint32_t i = 0; i < n; i++)
            *word++ = known_word(sim, node->ops[k].vars[i]);
    }
}

static Record write_record(Sim *sim, DdpNode n, InlineRecords *records)
{
    const EvalNode *node = &sim->nodes.at[n];
    Record record = {
        .node = n, .from = records->words.n, .n_equations = node->n_steps + node->n_tears};
    write_node(sim, node, records);
    record.n_words = records->words.n - record.from;
    record.hash = hash_bytes(records->words.at + record.from, record.n_words * sizeof(uint32_t), 3);
    return record;
}

static uint32_t record_of(Sim *sim, DdpNode n, InlineRecords *records)
{
    uint32_t known = sim->nodes.at[n].in.described;
    if (known && known <= records->at.n && records->at.at[known - 1].node == n)
        return known - 1;
    Record record = write_record(sim, n, records);
    vec_push(sim->mem, &records->at, record);
    sim->nodes.at[n].in.described = records->at.n;
    return records->at.n - 1;
}

#ifdef SOLSTICE_VERIFY
/* The words of a node are those that would be written now. */
static void verify(Sim *sim, uint32_t at, InlineRecords *records)
{
    Record known = records->at.at[at], now = write_record(sim, known.node, records);
    bool same = known.n_words == now.n_words &&
                memcmp(records->words.at + known.from, records->words.at + now.from,
                       now.n_words * sizeof(uint32_t)) == 0;
    records->words.n = now.from;
    if (!same) {
        fprintf(stderr, "inline_equations: node %u is not as it is described\n", known.node);
        abort();
    }
}
#endif

/* ---- parts ---- */

static void forget_old(Sim *sim, InlineRecords *records)
{
    uint32_t changes = ddp_hint_changes(sim->ddp);
    if (records->hint_changes == changes &&
        records->words.n < MOST_WORDS + MOST_WORDS_EACH * (uint64_t)sim->nodes.n)
        return;
    vec_clear(&records->at);
    vec_clear(&records->words);
    records->hint_changes = changes;
}

static void describe_states(Part *part, InlineRecords *records)
{
    vec_clear(&records->states);
    vec_push(part->sim->mem, &records->states, part->states.n);
    for (uint32_t i = 0; i < part->states.n; i++) {
        uint32_t word = hinted_word(part->sim, part->states.at[i].var);
        vec_push(part->sim->mem, &records->states, word);
        vec_push(part->sim->mem, &records->states, part->states.at[i].slope);
    }
}

InlineDescription inline_describe(Part *part, InlineRecords *records)
{
    Sim *sim = part->sim;
    const NodeList *nodes = part_dynamics(part);
    InlineDescription description = {0};
    forget_old(sim, records);
    describe_states(part, records);
    uint64_t key = hash_bytes(records->states.at, records->states.n * sizeof(uint32_t), 3);
    vec_clear(&records->part);
    vec_reserve(sim->mem, &records->part, nodes->n);
    records->part_words = records->states.n;
    for (uint32_t i = 0; i < nodes->n; i++) {
        uint32_t at = records->part.at[records->part.n++] = record_of(sim, nodes->at[i], records);
#ifdef SOLSTICE_VERIFY
        verify(sim, at, records);
#endif
        records->part_words += records->at.at[at].n_words;
        key = (key ^ records->at.at[at].hash) * UINT64_C(0x9e3779b97f4a7c15);
        key ^= key >> 29;
    }
    description.key = key;
    description.n_words = records->part_words;
    return description;
}

bool inline_description_is(const InlineRecords *records, const uint32_t *words)
{
    bool same = memcmp(words, records->states.at, records->states.n * sizeof *words) == 0;
    words += records->states.n;
    for (uint32_t i = 0; i < records->part.n && same; i++) {
        const Record *record = &records->at.at[records->part.at[i]];
        same =
            memcmp(words, records->words.at + record->from, record->n_words * sizeof *words) == 0;
        words += record->n_words;
    }
    return same;
}

void inline_description_copy(const InlineRecords *records, uint32_t *words)
{
    memcpy(words, records->states.at, records->states.n * sizeof *words);
    words += records->states.n;
    for (uint32_t i = 0; i < records->part.n; i++) {
        const Record *record = &records->at.at[records->part.at[i]];
        memcpy(words, records->words.at + record->from, record->n_words * sizeof *words);
        words += record->n_words;
    }
}

const InlineEquations *inline_equations(Sim *sim, InlineRecords *records)
{
    vec_clear(&records->equations);
    for (uint32_t i = 0; i < records->part.n; i++) {
        const Record *record = &records->at.at[records->part.at[i]];
        const uint32_t *word = records->words.at + record->from;
        for (uint32_t k = 0; k < record->n_equations; k++) {
            InlineEquation equation = {.form = word[0],
                                       .n = (uint16_t)word[1],
                                       .order = (uint16_t)(word[1] >> 16),
                                       .output = word[2],
                                       .copy = word[3],
                                       .vars = word + HEAD};
            vec_push(sim->mem, &records->equations, equation);
            word += HEAD + equation.n;
        }
    }
    return &records->equations;
}
