/* expectation in a script -> holds, or a message.
 *
 *     expect determined             verdict of the last commit
 *     expect under {x y}            variables of the underdetermined part (verdict after `final`)
 *     expect over {r s}             relations of the overdetermined part, and the verdict
 *     expect false [{r s}]          false causality, and the cycle named
 *     expect tipped r               the relation that tipped the balance
 *     expect r -> x                 causality
 *     expect r potential            or noncausal, causal, residual, integrator, differentiator
 *     expect states {x y}           exactly these; expect states N: so many
 *     expect loop {r s t'} ...      one loop of exactly these; primes count differentiations. Behind it:
 *         tears 1, tears <= 2       number of tearing variables
 *         tears {x}                 exactly these tearing variables
 *         residuals {r}             exactly these relations are left as residuals
 *         linear, nonlinear, constant, varying, torn, untorn
 *     expect loops 2                so many
 *     expect loop kept              all loops of before the commit still are, under their number
 *     expect changed {r s}          relations with a new causality, new ones included; <=: no others
 *     expect moved {r s}            relations of the nodes that only moved in the order
 *     expect began {x}              states that are new; expect ended {x}: that are no more (still named)
 *     expect visited <= 20          relations looked at by the commit
 *     expect scratch 0              rebuilds so far
 *     expect value x = 2            at the values set (1e-9)
 */
#include "tests/support/rel_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Names {
    uint32_t n;
    char at[100][64];
} Names;

#define FAIL(lab, ...) (snprintf((lab)->message, sizeof(lab)->message, __VA_ARGS__), LAB_FAILED)

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void add_name(Names *names, const char *name)
{
    if (names->n < 100)
        snprintf(names->at[names->n++], sizeof names->at[0], "%s", name);
}

static void sort_names(Names *names)
{
    qsort(names->at, names->n, sizeof names->at[0], compare_names);
}

/* { a b c }; false: no set there. */
static bool parse_set(LabText *text, Names *names)
{
    char word[64];

    names->n = 0;
    if (!lab_sign(text, "{"))
        return false;
    while (lab_word(text, word, sizeof word))
        add_name(names, word);
    sort_names(names);
    return lab_sign(text, "}");
}

static bool same_names(const Names *a, const Names *b)
{
    if (a->n != b->n)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (strcmp(a->at[i], b->at[i]) != 0)
            return false;
    return true;
}

static bool has_name(const Names *names, const char *name)
{
    for (uint32_t i = 0; i < names->n; i++)
        if (strcmp(names->at[i], name) == 0)
            return true;
    return false;
}

static const char *text_of(const Names *names, char *text, size_t size)
{
    snprintf(text, size, "{");
    for (uint32_t i = 0; i < names->n; i++) {
        size_t n = strlen(text);
        snprintf(text + n, size - n, "%s%s", i ? " " : "", names->at[i]);
    }
    size_t n = strlen(text);
    snprintf(text + n, size - n, "}");
    return text;
}

static LabResult compare_sets(Lab *lab, const char *what, Names *got, const Names *want)
{
    char a[600], b[600];

    sort_names(got);
    if (same_names(got, want))
        return LAB_DONE;
    return FAIL(lab, "%s: found %s, expected %s", what, text_of(got, a, sizeof a),
                text_of(want, b, sizeof b));
}

static void rel_name(Lab *lab, DdpRel rel, char *name, size_t size)
{
    DdpRelView view = ddp_rel(lab->ddp, rel);
    LabRel *origin = lab_rel_of(lab, view.origin);

    snprintf(name, size, "%s", origin ? intern_text(&lab->names, origin->name) : "?");
    for (uint32_t i = 0; i < view.order; i++) {
        size_t n = strlen(name);
        snprintf(name + n, size - n, "'");
    }
}

typedef struct Naming {
    Lab *lab;
    const DdpVar *vars;
    char text[80];
} Naming;

static const char *var_name(Naming *n, DdpVar var)
{
    DdpVarView view = ddp_var(n->lab->ddp, var);
    LabVar *origin = lab_var_of(n->lab, view.origin);
    static const char primes[] = "''''''''";

    snprintf(n->text, sizeof n->text, "%s%.*s",
             origin ? intern_text(&n->lab->names, origin->name) : "?", (int)view.order, primes);
    return n->text;
}

static void add_vars(Lab *lab, Names *names, const DdpPart *part)
{
    for (uint32_t i = 0; i < part->n_vars; i++) {
        LabVar *var = lab_var_of(lab, part->vars[i]);
        add_name(names, var ? intern_text(&lab->names, var->name) : "?");
    }
}

static void add_rels(Lab *lab, Names *names, const DdpPart *part)
{
    for (uint32_t i = 0; i < part->n_rels; i++) {
        char name[64];
        rel_name(lab, part->rels[i], name, sizeof name);
        add_name(names, name);
    }
}

/* ---- verdicts ---- */

static LabResult expect_verdict(Lab *lab, DdpVerdict want)
{
    if (lab->last.verdict == want)
        return LAB_DONE;
    return FAIL(lab, "verdict %d, expected %d (0 determined, 1 under, 2 over, 3 false)",
                lab->last.verdict, want);
}

static LabResult expect_under(Lab *lab, LabText *text)
{
    DdpDiagnosis diagnosis = ddp_diagnose(lab->ddp);
    Names want, got = {0};

    if (lab->last_kind == DDP_FINAL && lab->last.verdict != DDP_UNDERDETERMINED)
        return expect_verdict(lab, DDP_UNDERDETERMINED);
    if (!parse_set(text, &want))
        return LAB_SKIPPED;
    add_vars(lab, &got, &diagnosis.under);
    return compare_sets(lab, "underdetermined variables", &got, &want);
}

static LabResult expect_over(Lab *lab, LabText *text)
{
    DdpDiagnosis diagnosis = ddp_diagnose(lab->ddp);
    Names want, got = {0};

    if (lab->last.verdict != DDP_OVERDETERMINED)
        return expect_verdict(lab, DDP_OVERDETERMINED);
    if (!parse_set(text, &want))
        return LAB_SKIPPED;
    add_rels(lab, &got, &diagnosis.over);
    return compare_sets(lab, "overdetermined relations", &got, &want);
}

static LabResult expect_false(Lab *lab, LabText *text)
{
    DdpDiagnosis diagnosis = ddp_diagnose(lab->ddp);
    Names want, got = {0};

    if (lab->last.verdict != DDP_FALSE_CAUSALITY)
        return expect_verdict(lab, DDP_FALSE_CAUSALITY);
    if (!parse_set(text, &want))
        return LAB_DONE;
    add_rels(lab, &got, &diagnosis.false_causal);
    return compare_sets(lab, "falsely causal relations", &got, &want);
}

static LabResult expect_tipped(Lab *lab, LabText *text)
{
    DdpDiagnosis diagnosis = ddp_diagnose(lab->ddp);
    char want[64], got[64] = "none";

    if (!lab_word(text, want, sizeof want))
        return LAB_SKIPPED;
    if (diagnosis.tipped)
        rel_name(lab, diagnosis.tipped, got, sizeof got);
    return strcmp(want, got) == 0 ? LAB_DONE : FAIL(lab, "tipped by %s, expected %s", got, want);
}

/* ---- schedule ---- */

static LabResult expect_states(Lab *lab, LabText *text)
{
    char word[64];
    Names want = {0}, got = {0};
    uint32_t n = ddp_state_count(lab->ddp);

    if (!parse_set(text, &want)) {
        if (!lab_word(text, word, sizeof word))
            return LAB_SKIPPED;
        if ((uint32_t)atoi(word) == n)
            return LAB_DONE;
        return FAIL(lab, "%u states, expected %s", n, word);
    }
    for (uint32_t i = 0; i < n; i++) {
        LabVar *var = lab_var_of(lab, ddp_state(lab->ddp, i).var);
        add_name(&got, var ? intern_text(&lab->names, var->name) : "?");
    }
    return compare_sets(lab, "states", &got, &want);
}

static void add_step_names(Lab *lab, const DdpNodeView *node, Names *names)
{
    char name[64];

    for (uint32_t i = 0; i < node->n_steps; i++) {
        rel_name(lab, node->steps[i].rel, name, sizeof name);
        add_name(names, name);
    }
    for (uint32_t i = 0; i < node->n_tears; i++) {
        rel_name(lab, node->residuals[i].rel, name, sizeof name);
        add_name(names, name);
    }
}

static void loop_names(Lab *lab, const DdpNodeView *node, Names *names)
{
    names->n = 0;
    add_step_names(lab, node, names);
    sort_names(names);
}

static LabResult expect_kept(Lab *lab)
{
    for (uint32_t i = 0; i < lab->loops_before.n; i++) {
        uint32_t n, seen = 0;
        const DdpDelta *delta = ddp_delta(lab->ddp, &n);
        for (DdpNode at = ddp_first(lab->ddp); at; at = ddp_next(lab->ddp, at))
            seen += at == lab->loops_before.at[i] && ddp_node(lab->ddp, at).loop;
        for (uint32_t k = 0; k < n; k++)
            if (delta[k].node == lab->loops_before.at[i] &&
                (delta[k].change == DDP_NODE_NEW || delta[k].change == DDP_NODE_GONE))
                seen = 0;
        if (!seen)
            return FAIL(lab, "loop node %u is gone or made anew", lab->loops_before.at[i]);
    }
    return lab->loops_before.n ? LAB_DONE : FAIL(lab, "there was no loop to keep");
}

/* What a script says about a loop, behind the set of its relations. */
typedef struct LoopWish {
    int tears;    /* so many, or -1: any */
    bool at_most; /* ... or fewer */
    Names torn;   /* exactly these variables; none: any */
    Names left;   /* exactly these residuals; none: any */
    Names kinds;  /* words that must hold */
} LoopWish;

static bool parse_wish(LabText *text, LoopWish *wish)
{
    char word[64];

    *wish = (LoopWish){.tears = -1};
    while (lab_word(text, word, sizeof word)) {
        if (strcmp(word, "residuals") == 0) {
            if (!parse_set(text, &wish->left))
                return false;
            continue;
        }
        if (strcmp(word, "tears") != 0) {
            add_name(&wish->kinds, word);
            continue;
        }
        if (parse_set(text, &wish->torn))
            continue;
        wish->at_most = lab_sign(text, "<=");
        if (!lab_word(text, word, sizeof word))
            return false;
        wish->tears = atoi(word);
    }
    return true;
}

/* -1: there is no such word. */
static int is_of_kind(const DdpNodeView *node, const char *kind)
{
    const struct {
        const char *name;
        bool holds;
    } list[] = {{"linear", node->linear},     {"nonlinear", !node->linear},
                {"constant", node->constant}, {"varying", !node->constant},
                {"untorn", node->untorn},     {"torn", !node->untorn}};

    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strcmp(kind, list[i].name) == 0)
            return list[i].holds;
    return -1;
}

/* Tearing variables and residuals, where the script names them. */
static LabResult check_torn(Lab *lab, const DdpNodeView *node, const LoopWish *wish)
{
    Names torn = {0}, left = {0};
    LabResult result = LAB_DONE;
    char name[64];

    for (uint32_t i = 0; i < node->n_tears; i++) {
        add_name(&torn, var_name(&(Naming){.lab = lab}, node->tears[i]));
        rel_name(lab, node->residuals[i].rel, name, sizeof name);
        add_name(&left, name);
    }
    if (wish->torn.n)
        result = compare_sets(lab, "tearing variables", &torn, &wish->torn);
    if (wish->left.n && result == LAB_DONE)
        result = compare_sets(lab, "residuals", &left, &wish->left);
    return result;
}

static LabResult check_wish(Lab *lab, const DdpNodeView *node, const LoopWish *wish)
{
    if (wish->tears >= 0 && (wish->at_most ? node->n_tears > (uint32_t)wish->tears
                                           : node->n_tears != (uint32_t)wish->tears))
        return FAIL(lab, "the loop has %u tears, expected %d", node->n_tears, wish->tears);
    for (uint32_t i = 0; i < wish->kinds.n; i++) {
        int holds = is_of_kind(node, wish->kinds.at[i]);
        if (holds < 0)
            return FAIL(lab, "no such kind of loop: %s", wish->kinds.at[i]);
        if (!holds)
            return FAIL(lab, "the loop is not %s", wish->kinds.at[i]);
    }
    return check_torn(lab, node, wish);
}

static LabResult expect_loop(Lab *lab, LabText *text)
{
    Names want, got;
    LoopWish wish;
    char word[64] = "", all[1200] = "", one[300];

    if (!parse_set(text, &want))
        return lab_word(text, word, sizeof word) && strcmp(word, "kept") == 0 ? expect_kept(lab)
                                                                              : LAB_SKIPPED;
    if (!parse_wish(text, &wish))
        return LAB_SKIPPED;
    for (DdpNode at = ddp_first(lab->ddp); at; at = ddp_next(lab->ddp, at)) {
        DdpNodeView node = ddp_node(lab->ddp, at);
        if (!node.loop)
            continue;
        loop_names(lab, &node, &got);
        if (same_names(&got, &want))
            return check_wish(lab, &node, &wish);
        size_t n = strlen(all);
        snprintf(all + n, sizeof all - n, " %s", text_of(&got, one, sizeof one));
    }
    return FAIL(lab, "no loop %s; there are%s", text_of(&want, one, sizeof one),
                all[0] ? all : " none");
}

static LabResult expect_count(Lab *lab, LabText *text, const char *what, uint64_t got)
{
    char word[64];
    bool less = lab_sign(text, "<=");

    if (!lab_word(text, word, sizeof word))
        return LAB_SKIPPED;
    uint64_t want = strtoull(word, NULL, 10);
    if (less ? got <= want : got == want)
        return LAB_DONE;
    return FAIL(lab, "%s: %llu, expected %s%s", what, (unsigned long long)got, less ? "<= " : "",
                word);
}

static LabResult expect_changed(Lab *lab, LabText *text)
{
    Names want, got = {0};
    char a[600];
    bool less = lab_sign(text, "<=");

    if (!parse_set(text, &want))
        return LAB_SKIPPED;
    for (uint32_t i = 0; i < lab->rels.n; i++) {
        LabRel *rel = &lab->rels.at[i];
        if (rel->live && ddp_causality(lab->ddp, rel->rel) != rel->before)
            add_name(&got, intern_text(&lab->names, rel->name));
    }
    if (!less)
        return compare_sets(lab, "changed relations", &got, &want);
    for (uint32_t i = 0; i < got.n; i++)
        if (!has_name(&want, got.at[i]))
            return FAIL(lab, "changed relations: %s", text_of(&got, a, sizeof a));
    return LAB_DONE;
}

static LabResult expect_moved(Lab *lab, LabText *text)
{
    Names want, got = {0};
    uint32_t n;
    const DdpDelta *delta = ddp_delta(lab->ddp, &n);

    if (!parse_set(text, &want))
        return LAB_SKIPPED;
    for (uint32_t i = 0; i < n; i++)
        if (delta[i].change == DDP_NODE_MOVED) {
            DdpNodeView node = ddp_node(lab->ddp, delta[i].node);
            add_step_names(lab, &node, &got);
        }
    return compare_sets(lab, "nodes that moved", &got, &want);
}

static LabResult expect_state_delta(Lab *lab, LabText *text, bool born)
{
    Names want, got = {0};
    uint32_t n;
    const DdpStateDelta *delta = ddp_state_delta(lab->ddp, &n);

    if (!parse_set(text, &want))
        return LAB_SKIPPED;
    for (uint32_t i = 0; i < n; i++) {
        LabVar *var = delta[i].born == born ? lab_var_of(lab, delta[i].var) : NULL;
        if (var)
            add_name(&got, intern_text(&lab->names, var->name));
    }
    return compare_sets(lab, born ? "states that began" : "states that ended", &got, &want);
}

static LabResult expect_value(Lab *lab, LabText *text)
{
    char name[64];
    Arena arena;
    LabResult result = LAB_DONE;

    if (!lab_word(text, name, sizeof name) || !lab_var(lab, name) || !lab_sign(text, "="))
        return LAB_SKIPPED;
    double want = strtod(text->at, NULL);
    arena_init(&arena, lab->mem);
    const double *value = lab_values(lab, &arena);
    if (!value)
        result = LAB_FAILED;
    else if (!(fabs(value[lab_var(lab, name)->var] - want) <= 1e-9 * (1 + fabs(want))))
        result =
            FAIL(lab, "%s is %.12g, expected %.12g", name, value[lab_var(lab, name)->var], want);
    arena_free(&arena);
    return result;
}

/* ---- the schedule in words ---- */

static const char *position_name(void *context, uint32_t position)
{
    Naming *n = context;
    return var_name(n, n->vars[position]);
}

static void show_step(Lab *lab, const DdpStep *step)
{
    Naming naming = {.lab = lab, .vars = ddp_rel(lab->ddp, step->rel).vars};
    char rel[64], value[500] = "";

    rel_name(lab, step->rel, rel, sizeof rel);
    if (step->value)
        x_print(lab->forms, step->value, position_name, &naming, value, sizeof value);
    fprintf(stderr, "    %s: %s%s%s\n", rel, step->var ? var_name(&naming, step->var) : "residual",
            step->value ? " = " : "", value);
}

void lab_show(Lab *lab)
{
    Naming naming = {.lab = lab};

    for (uint32_t i = 0; i < ddp_state_count(lab->ddp); i++)
        fprintf(stderr, "state %s\n", var_name(&naming, ddp_state(lab->ddp, i).var));
    for (DdpNode at = ddp_first(lab->ddp); at; at = ddp_next(lab->ddp, at)) {
        DdpNodeView node = ddp_node(lab->ddp, at);
        fprintf(stderr, "node %u%s%s%s%s\n", at, node.determined ? "" : " undetermined",
                node.loop ? " loop" : "",
                node.linear ? node.constant ? " linear constant" : " linear" : "",
                node.untorn ? " untorn" : "");
        for (uint32_t i = 0; i < node.n_tears; i++)
            fprintf(stderr, "    tear %s\n", var_name(&naming, node.tears[i]));
        for (uint32_t i = 0; i < node.n_steps; i++)
            show_step(lab, &node.steps[i]);
        for (uint32_t i = 0; i < node.n_tears; i++)
            show_step(lab, &node.residuals[i]);
    }
}

/* ---- single relations ---- */

static LabResult expect_rel(Lab *lab, LabText *text, LabRel *rel, const char *name)
{
    static const char *const state[] = {"noncausal", "potential",  "causal",
                                        "residual",  "integrator", "differentiator"};
    char word[64];

    if (lab_sign(text, "->")) {
        DdpVar var = ddp_causality(lab->ddp, rel->rel);
        LabVar *got = var ? lab_var_of(lab, var) : NULL;
        const char *got_name = got ? intern_text(&lab->names, got->name) : "nothing";
        if (!lab_word(text, word, sizeof word))
            return LAB_SKIPPED;
        if (strcmp(word, got_name) == 0)
            return LAB_DONE;
        return FAIL(lab, "%s determines %s, expected %s", name, got_name, word);
    }
    const char *got = state[ddp_rel_state(lab->ddp, rel->rel)];
    if (!lab_word(text, word, sizeof word))
        return LAB_SKIPPED;
    return strcmp(got, word) == 0 ? LAB_DONE : FAIL(lab, "%s is %s, expected %s", name, got, word);
}

LabResult lab_expect(Lab *lab, LabText *text)
{
    char word[64];

    if (!lab_word(text, word, sizeof word))
        return LAB_SKIPPED;
#define WORD(name) (strcmp(word, name) == 0)
    if (WORD("determined"))
        return expect_verdict(lab, DDP_DETERMINED);
    if (WORD("under"))
        return expect_under(lab, text);
    if (WORD("over"))
        return expect_over(lab, text);
    if (WORD("false"))
        return expect_false(lab, text);
    if (WORD("tipped"))
        return expect_tipped(lab, text);
    if (WORD("states"))
        return expect_states(lab, text);
    if (WORD("loop"))
        return expect_loop(lab, text);
    if (WORD("loops"))
        return expect_count(lab, text, "loops", lab->last.loops);
    if (WORD("changed"))
        return expect_changed(lab, text);
    if (WORD("moved"))
        return expect_moved(lab, text);
    if (WORD("began") || WORD("ended"))
        return expect_state_delta(lab, text, WORD("began"));
    if (WORD("visited"))
        return expect_count(lab, text, "visited", lab->last.visited);
    if (WORD("scratch"))
        return expect_count(lab, text, "scratch rebuilds", ddp_totals(lab->ddp).scratch_rebuilds);
    if (WORD("value"))
        return expect_value(lab, text);
#undef WORD
    LabRel *rel = lab_rel(lab, word);
    if (rel)
        return expect_rel(lab, text, rel, word);
    snprintf(lab->message, sizeof lab->message, "no such expectation or relation '%s'", word);
    return LAB_SKIPPED;
}
