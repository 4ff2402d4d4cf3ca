/* inline_merge.c: relations x = y of a part -> one variable for all that are equal. See inline_plan.h.
 *
 * Connections make two thirds of the relations of a model that is built from a library. Nothing is to be sorted there, and in
 * chains of steps they would count as such. Who is left is a state rather than others, then who was differentiated most
 * often: the derivative of a state, as its equation names it. Two states are never one variable: each has its discretisation.
 */
#include "runtime/solve/inline_plan.h"

DdpVar inline_merged(InlineNames *names, DdpVar var)
{
    for (DdpVar into; (into = inline_name(names, var)->into);)
        var = into;
    return var;
}

uint32_t inline_copy(FormTable *forms, Form form)
{
    const FormInfo *info = form_info(forms, form);
    for (uint32_t i = 0; i < info->n && info->n <= UINT16_MAX; i++) {
        const FormPosition *position = &info->position[i];
        if (!position->occurs || position->solvable != SOLVE_SAFE)
            continue;
        XNode value = x_node(forms, position->solved);
        return value.op == X_POS ? i << 16 | value.a : 0;
    }
    return 0;
}

bool inline_merge_relation(InlineNames *names, const InlineEquation *equation)
{
    if (!equation->copy)
        return false;
    DdpVar pair[2] = {equation->vars[equation->copy >> 16] >> 1,
                      equation->vars[equation->copy & UINT16_MAX] >> 1};
    if (!inline_name(names, pair[0])->known || !inline_name(names, pair[1])->known)
        return false;
    DdpVar a = inline_merged(names, pair[0]), b = inline_merged(names, pair[1]);
    uint32_t rank[2] = {inline_name(names, a)->rank, inline_name(names, b)->rank};
    if (a == b || (rank[0] == UINT32_MAX && rank[1] == UINT32_MAX))
        return false;
    bool first = rank[0] != rank[1] ? rank[0] > rank[1] : a < b;
    inline_name(names, first ? b : a)->into = first ? a : b;
    return true;
}
