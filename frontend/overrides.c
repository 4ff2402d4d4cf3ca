/* overrides.c: a variable -> the value that was set for its path from outside (--set), or none. */
#include "frontend/world_int.h"

#include <math.h>
#include <string.h>

static bool override_fits(const Override *o, TypeKind type)
{
    bool number = o->type == TYPE_REAL || o->type == TYPE_INTEGER;
    if (type == TYPE_INTEGER)
        return number && o->value == floor(o->value) && fabs(o->value) <= 0x1p53;
    return type == TYPE_REAL ? number : o->type == type;
}

static void check_override(World *world, const Override *o, DdpVar var)
{
    static const char *const wanted[] = {[TYPE_REAL] = "a Real: a number",
                                         [TYPE_INTEGER] = "an Integer: a whole number",
                                         [TYPE_BOOLEAN] = "a Boolean: true or false",
                                         [TYPE_STRING] = "a String: a text in quotes"};
    WorldVar view = {0};
    world_var(world, var, &view);
    if (view.type < TYPE_REAL || view.type > TYPE_STRING || override_fits(o, view.type))
        return;
    world->misfit = true;
    world_fail(world, 0, "%s cannot be set to this value: it is %s is wanted", o->path,
               wanted[view.type]);
}

/* Does the path end with that name? Paths are made for few variables then, and not for all. */
static bool ends_with(const char *path, const char *name)
{
    const char *dot = strrchr(path, '.'), *last = dot ? dot + 1 : path;
    size_t n = strlen(name);
    return strncmp(last, name, n) == 0 && (last[n] == 0 || last[n] == '[');
}

static bool may_be_overridden(const World *world, DdpVar var)
{
    WorldVar view = {0};
    if (world->overrides.n == 0 || !world_var(world, var, &view) || !view.member)
        return world->overrides.n != 0;
    const char *name = intern_text(program_names(world->program), view.member->name);
    for (uint32_t i = 0; i < world->overrides.n; i++)
        if (ends_with(world->overrides.at[i].path, name))
            return true;
    return false;
}

Override *override_of(World *world, DdpVar var)
{
    if (!may_be_overridden(world, var))
        return NULL;
    char path[1024];
    world_var_path(world, var, path, sizeof path);
    for (uint32_t i = 0; i < world->overrides.n; i++)
        if (!strcmp(world->overrides.at[i].path, path)) {
            world->overrides.at[i].used = true;
            check_override(world, &world->overrides.at[i], var);
            return &world->overrides.at[i];
        }
    return NULL;
}
