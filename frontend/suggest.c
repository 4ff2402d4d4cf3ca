/* suggest.c: a name that means nothing -> what may have been meant, as the end of a message.
 *
 * Of all names that could stand there the nearest is offered, if it is near enough to be a slip;
 * where there are few, all are named. */
#include "base/similar.h"
#include "frontend/predefined.h"
#include "frontend/resolve_int.h"

#include <stdio.h>
#include <string.h>

enum { FEW = 6, LIST = 200 };

typedef struct Suggestion {
    const char *word, *best;
    uint32_t least, n;
    char list[LIST];
} Suggestion;

static void offer(Suggestion *s, const char *name)
{
    uint32_t distance = similar_distance(s->word, name);
    size_t used = strlen(s->list);
    if (distance == 0) /* it exists, but is not to be seen from there */
        return;
    if (distance < s->least && similar_enough(s->word, distance)) {
        s->least = distance;
        s->best = name;
    }
    if (s->n++ < FEW)
        snprintf(s->list + used, LIST - used, "%s'%s'", used ? ", " : "", name);
}

static const char *text_of(Program *p, const Suggestion *s, bool listed)
{
    char text[LIST + 40] = "";
    if (s->best)
        snprintf(text, sizeof text, "; did you mean '%s'?", s->best);
    else if (listed && s->n && s->n <= FEW)
        snprintf(text, sizeof text, "; there %s %s", s->n == 1 ? "is" : "are", s->list);
    return arena_copy(&p->arena, text, strlen(text));
}

static Suggestion begin(Program *p, Sym word)
{
    return (Suggestion){.word = intern_text(&p->names, word), .least = UINT32_MAX};
}

const char *suggest_member(Program *p, const Body *body, Sym word)
{
    Suggestion s = begin(p, word);
    for (uint32_t i = 0; i < body->n_members; i++)
        if (body->members[i]->is_public)
            offer(&s, intern_text(&p->names, body->members[i]->name));
    return text_of(p, &s, true);
}

const char *suggest_parameter(Program *p, const Def *def, Sym word)
{
    Suggestion s = begin(p, word);
    for (uint32_t i = 0; i < def->n_params; i++)
        offer(&s, intern_text(&p->names, def->params[i]->name));
    return text_of(p, &s, true);
}

const char *suggest_in(Program *p, const Def *def, Sym word)
{
    Suggestion s = begin(p, word);
    for (uint32_t i = 0; i < def->n_ins; i++)
        offer(&s, intern_text(&p->names, def->ins[i]->name));
    return text_of(p, &s, true);
}

const char *suggest_of(Program *p, Sym word, uint32_t n, const char *const *names)
{
    Suggestion s = begin(p, word);
    for (uint32_t i = 0; i < n; i++)
        offer(&s, names[i]);
    return text_of(p, &s, true);
}

static void offer_entries(Suggestion *s, const Def *def)
{
    const DefText *text = def->text;
    for (uint32_t i = 0; i < text->n_entries; i++)
        offer(s, intern_text(&text->program->names, text->entry[i].name));
}

const char *suggest_definition(Def *def, Sym word)
{
    Suggestion s = begin(def->text->program, word);
    offer_entries(&s, def);
    return text_of(def->text->program, &s, true);
}

/* How Sol writes what other languages call so; NULL: nobody does. */
static const char *habit_of(const char *word)
{
    static const char *const habits[][2] = {
        {"arccos", "'acos(x)'"},
        {"arcsin", "'asin(x)'"},
        {"arctan", "'atan(x)'"},
        {"ceiling", "'ceil(x)'"},
        {"div", "'floor(a/b)'"},
        {"fabs", "'abs(x)'"},
        {"fill", "'{x for i in 1:n}'"},
        {"identity", "'{{if i == j then 1 else 0 for j in 1:n} for i in 1:n}'"},
        {"int", "'floor(x)'"},
        {"integer", "'floor(x)'"},
        {"linspace", "'{a + (b - a)*(i - 1)/(n - 1) for i in 1:n}'"},
        {"ln", "'log(x)'"},
        {"Modelica", "functions and packages of its library without a name in front: 'sin(x)'"},
        {"ones", "'1': a number stands for all elements"},
        {"pi", "'define pi as 3.141592653589793;', in front of 'interface:'"},
        {"PI", "'define PI as 3.141592653589793;', in front of 'interface:'"},
        {"pow", "'x^y'"},
        {"print", "'cout << x;'"},
        {"rem", "'mod(a, b)'"},
        {"zeros", "'0': a number stands for all elements"},
    };
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
        if (strcmp(word, habits[i][0]) == 0)
            return habits[i][1];
    return NULL;
}

const char *suggest_name(const Level *level, const Body *body, Sym word)
{
    Program *p = level->def->text->program;
    Suggestion s = begin(p, word);
    const char *habit = habit_of(s.word);
    for (; body; body = body->parent)
        for (uint32_t i = 0; i < body->n_members; i++)
            offer(&s, intern_text(&p->names, body->members[i]->name));
    for (; level; level = level->outer)
        offer_entries(&s, level->def);
    for (uint32_t i = 0; i < predefined_count(); i++)
        offer(&s, predefined_at(i)->name);
    uint32_t n;
    const char *const *files = lookup_files(p, &n);
    for (uint32_t i = 0; i < n; i++)
        offer(&s, files[i]);
    if (habit) {
        snprintf(s.list, sizeof s.list, "; Sol writes %s", habit);
        return arena_copy(&p->arena, s.list, strlen(s.list));
    }
    return text_of(p, &s, false);
}
