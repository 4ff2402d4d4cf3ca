/* lines of a script -> commands to the DDP, and the model of what it was told. */
#include "tests/support/rel_lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Lab *lab_open(Mem *mem)
{
    Lab *lab = mem_alloc(mem, sizeof *lab);

    lab->mem = mem;
    lab->forms = forms_open(mem);
    lab->ddp = ddp_open(mem, lab->forms);
    lab->check = lab->verify = true;
    lab->seed = 1;
    intern_init(&lab->names, mem);
    return lab;
}

void lab_close(Lab *lab)
{
    ddp_close(lab->ddp);
    forms_close(lab->forms);
    intern_free(&lab->names);
    map_free(lab->mem, &lab->var_at);
    map_free(lab->mem, &lab->rel_at);
    vec_free(lab->mem, &lab->vars);
    vec_free(lab->mem, &lab->rels);
    vec_free(lab->mem, &lab->loops_before);
    vec_free(lab->mem, &lab->kept);
    vec_free(lab->mem, &lab->determined);
    vec_free(lab->mem, &lab->kept_states);
    mem_free(lab->mem, lab);
}

/* ---- names ---- */

LabVar *lab_var(Lab *lab, const char *name)
{
    uint32_t at = map_get(&lab->var_at, intern_str(&lab->names, name));
    return at ? &lab->vars.at[at - 1] : NULL;
}

LabRel *lab_rel(Lab *lab, const char *name)
{
    uint32_t at = map_get(&lab->rel_at, intern_str(&lab->names, name));
    return at ? &lab->rels.at[at - 1] : NULL;
}

LabVar *lab_var_of(Lab *lab, DdpVar var)
{
    for (uint32_t i = lab->vars.n; i-- > 0;)
        if (lab->vars.at[i].live && lab->vars.at[i].var == var)
            return &lab->vars.at[i];
    return NULL;
}

LabRel *lab_rel_of(Lab *lab, DdpRel rel)
{
    for (uint32_t i = lab->rels.n; i-- > 0;)
        if (lab->rels.at[i].live && lab->rels.at[i].rel == rel)
            return &lab->rels.at[i];
    return NULL;
}

static LabResult skip(Lab *lab, const char *what, const char *which)
{
    snprintf(lab->message, sizeof lab->message, "%s '%.60s'", what, which);
    return LAB_SKIPPED;
}

/* ---- commands ---- */

static LabResult enter_vars(Lab *lab, LabText *text, DdpVarKind kind)
{
    char name[64];

    if (!lab_word(text, name, sizeof name))
        return skip(lab, "expected a name at", text->at);
    do {
        if (lab_var(lab, name))
            return skip(lab, "there already is a variable", name);
        LabVar var = {.name = intern_str(&lab->names, name), .kind = kind, .live = true};
        if (kind != DDP_UNKNOWN && lab_sign(text, "=")) {
            char *end;
            var.value = strtod(text->at, &end);
            text->at = end;
        }
        var.var = ddp_enter_var(lab->ddp, kind);
        vec_push(lab->mem, &lab->vars, var);
        map_put(lab->mem, &lab->var_at, var.name, lab->vars.n);
    } while (lab_word(text, name, sizeof name));
    return LAB_DONE;
}

static void count_uses(Lab *lab, const LabRel *rel, int change)
{
    for (uint32_t i = 0; i < rel->n; i++)
        lab_var_of(lab, rel->vars[i])->uses += (uint32_t)change;
    if (rel->logic)
        lab_var_of(lab, rel->logic)->uses += (uint32_t)change;
}

static LabResult add_rel(Lab *lab, LabRel *rel, unsigned flags)
{
    rel->rel = ddp_enter_rel(lab->ddp, rel->kind, rel->form, rel->n, rel->vars, rel->logic, flags);
    rel->live = true;
    vec_push(lab->mem, &lab->rels, *rel);
    map_put(lab->mem, &lab->rel_at, rel->name, lab->rels.n);
    count_uses(lab, rel, 1);
    return LAB_DONE;
}

/* `if NAME` and `prefer` at the end of a relation. */
static LabResult parse_tail(Lab *lab, LabText *text, LabRel *rel, unsigned *flags)
{
    char word[64];

    while (lab_word(text, word, sizeof word)) {
        if (strcmp(word, "prefer") == 0) {
            *flags |= DDP_PREFER_STATE;
        } else if (strcmp(word, "if") == 0 && lab_word(text, word, sizeof word)) {
            if (!lab_var(lab, word))
                return skip(lab, "no variable", word);
            rel->logic = lab_var(lab, word)->var;
        } else {
            return skip(lab, "unexpected", word);
        }
    }
    return *text->at ? skip(lab, "unexpected", text->at) : LAB_DONE;
}

static LabResult parse_derivative(Lab *lab, LabText *text, LabRel *rel)
{
    char a[64], b[64], der[64];

    if (!lab_word(text, a, sizeof a) || !lab_sign(text, "=") || !lab_word(text, der, sizeof der) ||
        strcmp(der, "der") != 0 || !lab_sign(text, "(") || !lab_word(text, b, sizeof b) ||
        !lab_sign(text, ")"))
        return skip(lab, "expected a = der(b) before", text->at);
    if (!lab_var(lab, a) || !lab_var(lab, b))
        return skip(lab, "no variable", lab_var(lab, a) ? b : a);
    rel->vars[0] = lab_var(lab, a)->var;
    rel->vars[1] = lab_var(lab, b)->var;
    rel->n = 2;
    return LAB_DONE;
}

static LabResult parse_sides(Lab *lab, LabText *text, LabRel *rel)
{
    text->vars = rel->vars;
    X lhs = lab_expression(lab, text);
    if (!lhs)
        return LAB_SKIPPED;
    if (!lab_sign(text, rel->kind == DDP_TRANSMISSION ? "<<" : "="))
        return skip(lab, "expected = or << at", text->at);
    X rhs = lab_expression(lab, text);
    if (!rhs)
        return LAB_SKIPPED;
    rel->n = text->n;
    rel->form = form_make(lab->forms, lhs, rhs, rel->n);
    return LAB_DONE;
}

static LabResult enter_rel(Lab *lab, LabText *text, DdpRelKind kind)
{
    char name[64];
    LabRel rel = {.kind = kind};
    unsigned flags = 0;

    if (!lab_word(text, name, sizeof name) || !lab_sign(text, ":"))
        return skip(lab, "expected NAME: at", text->at);
    if (lab_rel(lab, name))
        return skip(lab, "there already is a relation", name);
    rel.name = intern_str(&lab->names, name);
    LabResult result =
        kind == DDP_DERIVATIVE ? parse_derivative(lab, text, &rel) : parse_sides(lab, text, &rel);
    if (result == LAB_DONE)
        result = parse_tail(lab, text, &rel, &flags);
    return result == LAB_DONE ? add_rel(lab, &rel, flags) : result;
}

static LabResult remove_var(Lab *lab, const char *name)
{
    LabVar *var = lab_var(lab, name);

    if (!var)
        return skip(lab, "no variable", name);
    if (var->uses > 0)
        return skip(lab, "relations still name", name);
    ddp_remove_var(lab->ddp, var->var);
    var->live = false;
    map_remove(&lab->var_at, var->name);
    return LAB_DONE;
}

static LabResult remove_any(Lab *lab, LabText *text)
{
    char name[64];

    if (!lab_word(text, name, sizeof name))
        return skip(lab, "expected a name at", text->at);
    if (strcmp(name, "var") == 0 && lab_word(text, name, sizeof name))
        return remove_var(lab, name);
    do {
        LabRel *rel = lab_rel(lab, name);
        if (!rel)
            return skip(lab, "no relation", name);
        count_uses(lab, rel, -1);
        ddp_remove_rel(lab->ddp, rel->rel);
        rel->live = false;
        map_remove(&lab->rel_at, rel->name);
    } while (lab_word(text, name, sizeof name));
    return LAB_DONE;
}

static LabResult turn_var(Lab *lab, LabText *text, DdpVarKind kind)
{
    char name[64];
    LabVar *var = lab_word(text, name, sizeof name) ? lab_var(lab, name) : NULL;

    if (!var || (var->kind != DDP_UNKNOWN && var->kind != DDP_HELD))
        return skip(lab, "no variable that could turn", name);
    ddp_turn_var(lab->ddp, var->var, kind);
    var->kind = kind;
    return LAB_DONE;
}

static LabResult set_value(Lab *lab, LabText *text)
{
    char name[64];

    if (!lab_word(text, name, sizeof name) || !lab_var(lab, name) || !lab_sign(text, "="))
        return skip(lab, "expected set NAME = VALUE at", text->at);
    lab_var(lab, name)->value = strtod(text->at, NULL);
    return LAB_DONE;
}

static LabResult advise(Lab *lab, LabText *text)
{
    char rel[64], var[64];

    if (!lab_word(text, rel, sizeof rel) || !lab_word(text, var, sizeof var) ||
        !lab_rel(lab, rel) || !lab_var(lab, var))
        return skip(lab, "expected advise RELATION VARIABLE at", text->at);
    ddp_advise_against(lab->ddp, lab_rel(lab, rel)->rel, lab_var(lab, var)->var);
    return LAB_DONE;
}

static LabResult hint(Lab *lab, LabText *text, int change)
{
    char name[64];

    if (!lab_word(text, name, sizeof name) || !lab_var(lab, name))
        return skip(lab, "no variable", name);
    ddp_hint_tearing(lab->ddp, lab_var(lab, name)->var, change);
    return LAB_DONE;
}

/* ---- commits ---- */

static LabResult commit(Lab *lab, DdpCommit kind)
{
    vec_clear(&lab->loops_before);
    for (DdpNode n = ddp_first(lab->ddp); n; n = ddp_next(lab->ddp, n))
        if (ddp_node(lab->ddp, n).loop)
            vec_push(lab->mem, &lab->loops_before, n);
    for (uint32_t i = 0; i < lab->rels.n; i++) {
        LabRel *rel = &lab->rels.at[i];
        rel->before = rel->live && rel->committed ? ddp_causality(lab->ddp, rel->rel) : 0;
        rel->committed = rel->live;
    }
    LabResult result = lab_commit(lab, kind);
    lab->counts.commits++;
    if (lab->verify)
        ddp_verify(lab->ddp);
    return lab->check && result == LAB_DONE ? lab_check(lab) : result;
}

/* Some words are also relation names; a command is the first word of its line. */
LabResult lab_line(Lab *lab, const char *line)
{
    char word[64], copy[2000];
    LabText text = {.at = copy};

    snprintf(copy, sizeof copy, "%s", line);
    copy[strcspn(copy, "#\r\n")] = 0;
    for (size_t n = strlen(copy); n > 0 && (copy[n - 1] == ' ' || copy[n - 1] == '\t');)
        copy[--n] = 0;
    lab->message[0] = 0;
    if (!lab_word(&text, word, sizeof word))
        return *text.at ? skip(lab, "no command at", text.at) : LAB_DONE;
#define COMMAND(name, call)                                                                        \
    if (strcmp(word, name) == 0)                                                                   \
    return call
    COMMAND("var", enter_vars(lab, &text, DDP_UNKNOWN));
    COMMAND("held", enter_vars(lab, &text, DDP_HELD));
    COMMAND("known", enter_vars(lab, &text, DDP_KNOWN));
    COMMAND("time", enter_vars(lab, &text, DDP_TIME));
    COMMAND("eq", enter_rel(lab, &text, DDP_EQUATION));
    COMMAND("trans", enter_rel(lab, &text, DDP_TRANSMISSION));
    COMMAND("der", enter_rel(lab, &text, DDP_DERIVATIVE));
    COMMAND("tearing", hint(lab, &text, 1));
    COMMAND("untearing", hint(lab, &text, -1));
    COMMAND("advise", advise(lab, &text));
    COMMAND("hold", turn_var(lab, &text, DDP_HELD));
    COMMAND("release", turn_var(lab, &text, DDP_UNKNOWN));
    COMMAND("remove", remove_any(lab, &text));
    COMMAND("set", set_value(lab, &text));
    COMMAND("commit", commit(lab, DDP_SO_FAR));
    COMMAND("final", commit(lab, DDP_FINAL));
    COMMAND("eager", (ddp_eager(lab->ddp), lab->eager = true, LAB_DONE));
    COMMAND("expect", lab_expect(lab, &text));
    COMMAND("show", (lab_show(lab), LAB_DONE));
#undef COMMAND
    return skip(lab, "no such command", word);
}
