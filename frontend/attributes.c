/* attributes.c: what stands in braces behind a variable, `static Real v {start << 1};` -> its attributes.
 *
 * All of them are known at birth: made of constants and parameters. */
#include "frontend/resolve_int.h"
#include "frontend/types.h"

#include <string.h>

static const char *const names[] = {"start"};
enum { ATTR_START, ATTRIBUTES };

/* The number of the attribute that an argument names; -1 with a message. */
static int find(Context *cx, const AArg *arg)
{
    Program *p = cx->program;
    if (!arg->name.n) {
        resolve_error(cx->level, arg->at, "an attribute needs its name: 'start << 1'");
        return -1;
    }
    const char *name = intern_text(&p->names, arg->name.name[0].sym);
    for (int i = 0; i < ATTRIBUTES && arg->name.n == 1 && !arg->name.name[0].subs; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    resolve_error(cx->level, arg->at, "'%s' is no attribute of a variable%s",
                  resolve_text(p, &arg->name),
                  suggest_of(p, arg->name.name[0].sym, ATTRIBUTES, names));
    return -1;
}

static void read_start(Context *cx, Member *m, const AArg *arg)
{
    if (m->parameter) {
        resolve_error(cx->level, arg->at, "a parameter has a value, not a start");
        return;
    }
    Context inside = *cx;
    inside.at_birth = true;
    m->start = array_argument(&inside, m, arg->value);
    expr_check_assignable(cx, m->type, m->start, "the start");
    if (m->start->type.kind == TYPE_ERROR)
        m->start = NULL;
}

void attributes_read(Context *cx, Member *m, const AList *list)
{
    bool given[ATTRIBUTES] = {false};
    for (const AArg *arg = list->first; arg; arg = arg->next) {
        int i = find(cx, arg);
        if (i < 0)
            continue;
        if (given[i])
            resolve_error(cx->level, arg->at, "'%s' is given twice", names[i]);
        else if (arg->op == REL_MOVE)
            resolve_error(cx->level, arg->at, "an attribute takes a value by '<<', not by '<-'");
        else
            read_start(cx, m, arg);
        given[i] = true;
    }
}
