/* instantiate_special.c: statements that are no relation, in instances -> roles for the runtime. */
#include "frontend/world_int.h"

#include <stdio.h>

void inst_begin_value(World *world, Inst *inst, const Op *op)
{
    const char *name = intern_text(program_names(world->program), op->member->name);
    double value;
    bool reads_free; /* it is a first guess */
    if (row_fits(world, inst, op->value, name) &&
        birth_value_of(world, inst, op->value, NULL, &value, &reads_free) && world->host.begin)
        world->host.begin(world->host.context, inst->word[op->word], op->var_kind, value);
}

/* Where it begins and at which intervals: values at birth. */
static bool sample_times(World *world, Inst *inst, const Op *op, WorldChange *change)
{
    change->b = op->n_args;
    return birth_value(world, inst, op->value, NULL, &change->value) &&
           (!op->n_args || birth_value(world, inst, &op->args[0].value, NULL, &change->from));
}

void inst_make_sample(World *world, Inst *inst, const Op *op)
{
    WorldChange change = {.role = WORLD_SAMPLE, .born = true, .copied = inst->copied, .at = op->at};
    change.a = inst_make_var(world, inst, op);
    if (sample_times(world, inst, op, &change) && !(change.value > 0))
        world_fail(world, op->at, "the interval of %s must be positive, it is %g",
                   op->n_args ? "sample" : "Sample", change.value);
    world_note(world, change);
}

void inst_make_delay(World *world, Inst *inst, const Op *op)
{
    WorldChange change = {.role = WORLD_DELAY, .born = true, .copied = inst->copied, .at = op->at};
    change.b = follow_var(world, inst, &op->refs.at[0]);
    change.c = op->refs.n > 1 ? follow_var(world, inst, &op->refs.at[1]) : 0;
    change.a = inst_make_var(world, inst, op);
    if (birth_value(world, inst, op->value, NULL, &change.value) &&
        !(change.value > 0 && change.value < 1e300))
        world_fail(world, op->at, "a delay must be positive, it is %g", change.value);
    world_note(world, change);
}

void inst_note_special(World *world, Inst *inst, const Op *op, bool born)
{
    if (op->kind == OP_TERMINATE) {
        if (born)
            world_note_role(world, inst, op, WORLD_TERMINATE, true, op->assertion, 0, 0);
        return;
    }
    DdpVar value = follow_var(world, inst, &op->refs.at[0]);
    if (op->kind == OP_COUT) {
        world_note_role(world, inst, op, WORLD_COUT, born, value, 0, 0);
        return;
    }
    DdpVar state = follow_var(world, inst, &op->refs.at[1]);
    if (value && state)
        world_note_role(world, inst, op, WORLD_REINIT, born, value, state, 0);
}

/* ---- assertions about parameters ---- */

/* "C = -1", "file = "a.txt"", "on = true" */
static int parameter_text(const Intern *names, const Member *m, double value, char *out,
                          size_t size)
{
    const char *name = intern_text(names, m->name);
    if (m->type.kind == TYPE_STRING)
        return snprintf(out, size, "%s = \"%s\"", name, intern_text(names, (Sym)value));
    if (m->type.kind == TYPE_BOOLEAN)
        return snprintf(out, size, "%s = %s", name, value != 0 ? "true" : "false");
    return snprintf(out, size, "%s = %.10g", name, value);
}

/* "C = -1, L = 2": the parameters that a condition names, as far as there is room. */
static void parameters_text(World *world, Inst *inst, const RefList *refs, char *out, size_t size)
{
    const Intern *names = program_names(world->program);
    size_t used = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < refs->n && used + 3 < size; i++) {
        const Member *m = refs->at[i].step[refs->at[i].n - 1].member;
        DdpVar var = follow_var(world, inst, &refs->at[i]);
        double value;
        if (!var || !world->host.read(world->host.context, var, &value))
            continue;
        if (used)
            used += (size_t)snprintf(out + used, size - used, ", ");
        used += (size_t)parameter_text(names, m, value, out + used, size - used);
    }
}

/* Told where the instance is declared: that is where its parameters are given. */
void inst_assert(World *world, Inst *inst, const Op *op, Place cause)
{
    double fails;
    char text[400];
    bool reads_free;
    if (!birth_value_of(world, inst, op->value, NULL, &fails, &reads_free) ||
        (reads_free && free_waits(world, inst, op, cause)) || fails == 0)
        return;
    Intern *names = program_names(world->program);
    parameters_text(world, inst, &op->value->refs, text, sizeof text);
    world_fail(world, cause ? cause : op->at, "%s '%s': %s (%s)",
               intern_text(names, inst->plan->def->name), world_path_text(world, inst->id),
               intern_text(names, op->assertion), text);
    if (cause)
        world_remark(world, op->at, "this is what must hold");
}
