/* loop_keep.c: a loop -> where its next solution begins, whoever looked in between.
 *
 * The last digits of a solution depend on where its iteration begins, on the form of the loop (torn or whole), on the pivots of its factors.
 * None of that may depend on who looked.
 *
 *   In a part   each look and each step begin where the last step, or the event, left the loop: loop_keep_note() there, loop_keep_put()
 *               before each of them. That a look found the torn form to lose digits is forgotten with the look.
 *   Elsewhere   (outputs, what is evaluated at events only) a loop is solved once in the event that made it, whoever looks, and begins in the
 *               form of then; a linear one whose factors move is solved whole at once. A linear one begins at zero. A nonlinear one needs a
 *               guess, the values that are there; its solution is rounded to some digits, and it is solved a second time from these: guesses
 *               that lead to the same solution lead to the same bits. So is one that its part has not noted yet. The borders of that rounding
 *               are no plain numbers, so that a solution lies at one of them by accident only.
 */
#include "numerics/scale.h"
#include "runtime/eval/eval.h"
#include "runtime/eval/loop_factors.h"

#include <math.h>

/* ---- form and factors ---- */

void loop_keep_begin(const EvalNode *node)
{
    NodeLoop *loop = node_loop(node);
    loop->noted = loop->tried = loop->alone = false;
    loop->made_untorn = node->untorn;
    loop->kept = (LoopForm){.untorn = node->untorn};
}

void loop_keep_outdate(EvalNode *node)
{
    node->factored = false;
    if (node->loop) {
        NodeLoop *loop = node_loop(node);
        loop->checked = loop->kept.factored = loop->kept.checked = false;
    }
}

static void form_back(Sim *sim, EvalNode *node)
{
    NodeLoop *loop = node_loop(node);
    if (loop->whole)
        loop_factors_put(sim, loop->whole);
    node->untorn = loop->kept.untorn;
    node->factored = loop->kept.factored;
    loop->checked &= loop->kept.checked;
}

/* ---- which loops lost digits ---- */

bool loop_keep_must_be_whole(const EvalNode *node)
{
    return node_loop(node)->given_whole || node->n_tears > LOOP_TORN;
}

/* What determines which variable, in any order: a mode that returns has the same loop again. */
static uint64_t loop_key(const EvalNode *node)
{
    uint64_t key = 0;
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        uint32_t step[2] = {node->ops[i].value, node_output(node, i)};
        key += hash_bytes(step, sizeof step, 0);
    }
    return key;
}

static void know_whole(Sim *sim, const EvalNode *node)
{
    if (!loop_keep_must_be_whole(node))
        map_put(sim->mem, &sim->eval.whole_loops, loop_key(node), 1);
}

bool loop_keep_is_known_whole(const Sim *sim, const EvalNode *node)
{
    return sim->eval.whole_loops.n && map_get(&sim->eval.whole_loops, loop_key(node));
}

void loop_keep_note_form(Sim *sim, EvalNode *node)
{
    NodeLoop *loop = node_loop(node);
    loop->kept = (LoopForm){node->untorn, node->factored, loop->checked};
    loop->tried = true;
    if (loop->whole)
        loop_factors_note(sim, loop->whole);
}

/* ---- in a part ---- */

void loop_keep_note(Sim *sim, EvalNode *node)
{
    double *kept = node_kept(node);
    if (node->untorn && !node_loop(node)->kept.untorn)
        know_whole(sim, node);
    for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++)
        kept[k] = sim->value[node_output(node, k)];
    loop_keep_note_form(sim, node);
    node_loop(node)->noted = true;
}

void loop_keep_put(Sim *sim, EvalNode *node)
{
    const double *kept = node_kept(node);
    for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++)
        sim->value[node_output(node, k)] = kept[k];
    form_back(sim, node);
}

/* ---- elsewhere ---- */

bool loop_keep_is_alone(const EvalNode *node)
{
    NodePlace place = node_place(node);
    return place != PLACE_DYNAMICS && place != PLACE_CONDITIONS;
}

bool loop_keep_knows_how(const EvalNode *node)
{
    const NodeLoop *loop = node_loop(node);
    return loop->tried && (loop->kept.factored || !node->constant);
}

/* Factors that do not move, made in the form that it begins with. */
static bool has_own_factors(const EvalNode *node)
{
    const NodeLoop *loop = node_loop(node);
    return node->constant && node->factored && node->untorn == loop->kept.untorn &&
           (!loop->whole || !node->untorn || loop_factors_are_first(loop->whole));
}

/* Where factors move, the torn form may lose digits at one look and not at the next. */
static void begin_alone(Sim *sim, EvalNode *node)
{
    NodeLoop *loop = node_loop(node);
    loop->noted = false;
    loop->alone = true;
    if (!has_own_factors(node))
        form_back(sim, node);
    if (node->constant)
        return;
    loop->checked = false;
    if (node->linear && !loop->tried) {
        node->untorn = true;
        node->factored = false;
    }
}

/* In a part, from now on. */
static void begin_in_part(Sim *sim, EvalNode *node)
{
    NodeLoop *loop = node_loop(node);
    loop->alone = loop->tried = false;
    loop->kept = (LoopForm){.untorn = loop->made_untorn};
    form_back(sim, node);
}

bool loop_keep_is_free(Sim *sim, EvalNode *node)
{
    if (loop_keep_is_alone(node))
        begin_alone(sim, node);
    else if (node_loop(node)->alone)
        begin_in_part(sim, node);
    return !node_loop(node)->noted;
}

/* Twelve bits, of what is tiny beside the others fewer. Where exponents change and where numbers are rounded up are no plain numbers. */
static double rounded(double x, double largest)
{
    int exponent;
    double size = larger(fabs(x), 1e-6 * largest);
    if (size == 0 || !isfinite(size))
        return x;
    frexp(1.2345 * size, &exponent);
    double unit = ldexp(1, exponent - 12), shift = 0.381966;
    return unit * (round(x / unit + shift) - shift);
}

void loop_keep_round(Sim *sim, EvalNode *node, double *found)
{
    double largest = 0;
    uint32_t n = node->n_steps + node->n_tears;
    for (uint32_t k = 0; k < n; k++) {
        found[k] = sim->value[node_output(node, k)];
        largest = larger(largest, fabs(found[k]));
    }
    for (uint32_t k = 0; k < n; k++)
        sim->value[node_output(node, k)] = rounded(found[k], largest);
    form_back(sim, node);
}

bool loop_keep_is_near(const Sim *sim, const EvalNode *node, const double *found)
{
    double largest = 0;
    uint32_t n = node->n_steps + node->n_tears;
    for (uint32_t k = 0; k < n; k++)
        largest = larger(largest, fabs(found[k]));
    for (uint32_t k = 0; k < n; k++)
        if (!(fabs(sim->value[node_output(node, k)] - found[k]) <=
              1e-7 * (fabs(found[k]) + 1e-3 * largest)))
            return false;
    return true;
}
