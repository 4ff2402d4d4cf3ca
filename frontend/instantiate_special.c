/* instantiate_special.c: statements that are no relation, in instances -> roles for the runtime. */
#include "frontend/world_int.h"

void inst_begin_value(World *world, Inst *inst, const Op *op)
{
    const char *name = intern_text(program_names(world->program), op->member->name);
    double value;
    if (row_fits(world, inst, op->value, name) &&
        birth_value(world, inst, op->value, NULL, &value) && world->host.begin)
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
