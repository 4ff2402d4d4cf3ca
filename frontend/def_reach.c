/* def_reach.c: a definition and an instance path -> may the path ever lead to something? See
 * frontend.h. */
#include "frontend/frontend.h"

#include <string.h>

/* A member of the body or of the branches inside it. Branches nest no deeper than texts may
 * (ProgramOptions.max_depth), which bounds the recursion. */
static const Member *find_member(const Body *body, Sym name)
{
    const Member *found = NULL;
    for (uint32_t i = 0; i < body->n_members; i++)
        if (body->members[i]->name == name)
            return body->members[i];
    for (uint32_t i = 0; i < body->n_stmts && !found; i++) {
        const Stmt *stmt = body->stmts[i];
        if (stmt->kind != S_IF && stmt->kind != S_WHEN && stmt->kind != S_FOR)
            continue;
        found = find_member(stmt->then_body, name);
        if (!found && stmt->else_body)
            found = find_member(stmt->else_body, name);
    }
    return found;
}

bool def_may_reach(Program *program, const Def *top, const char *path)
{
    const Def *def = top;
    for (;;) {
        size_t n = strcspn(path, ".");
        if (n == 0)
            return false;
        size_t name = strcspn(path, ".["); /* an element: whether it exists shows at run time */
        const Member *member = find_member(def->body, intern(program_names(program), path, name));
        if (!member)
            return false;
        path += n;
        if (*path == '\0')
            return true;
        path++;
        if (member->type.kind != TYPE_MODEL)
            return member->type.kind == TYPE_VOID; /* an alias of anything */
        if (member->binding != BIND_STATIC)
            return true; /* may hold an instance of another definition */
        def = member->type.def;
    }
}
