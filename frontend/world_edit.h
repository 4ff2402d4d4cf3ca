/* world_edit.h: a world whose instances exist is changed by what somebody types.
 *
 * Statements are entered into a model instance as a body of their own inside that of the model, like a branch
 * that is entered, and any statement of an instance can be taken away and put back: its operations run backwards
 * and forwards alone. What was typed and taken away belongs to the instance and dies with it. The runtime
 * takes each of these as one structural change, as it does after world_choose().
 *
 * Errors: messages, and false. After an error the world may be half changed: whoever wants it as it was has written
 * it before (world_pack). */
#ifndef FRONTEND_WORLD_EDIT_H
#define FRONTEND_WORLD_EDIT_H

#include "frontend/world.h"

/* What was reported is not held against it: it was a verdict, and the world is as it is meant to be. */
void world_edit_pardon(World *world);

/* May what is typed call foreign functions and read tables? Not unless this is said. */
void world_edit_allow_foreign(World *world, bool allowed);

/* Enters statements into a model instance; *number: of the edit, from 1, never used again. */
bool world_edit_add(World *world, InstId model, const char *text, size_t length, uint32_t *number);
uint32_t world_edit_count(const World *world);
/* Edit `number`, whose instance died, once more in another instance of the same model. */
bool world_edit_again(World *world, uint32_t number, InstId model);
/* Numbers of edits, and statements that were taken away, in the instance that the declaration `stmt` of `model` made and in its
 * parts: what dies with it. One of `number` and `hidden` is there. */
typedef void (*WorldInsideCall)(void *context, InstId model, uint32_t number, const Stmt *hidden);
void world_edit_inside(World *world, InstId model, const Stmt *stmt, WorldInsideCall call,
                       void *context);
/* False: its instance died. */
bool world_edit(const World *world, uint32_t number, InstId *model, const Body **body);

/* Takes a statement of the instance away, and puts it back. Nothing that is there may name what goes
 * (world_edit_users). */
bool world_edit_hide(World *world, InstId model, const Stmt *stmt);
bool world_edit_show(World *world, InstId model, const Stmt *stmt);
bool world_edit_is_hidden(const World *world, InstId model, const Stmt *stmt);
/* Is it a statement of this instance, taken away or not? Numbers of instances are used again. */
bool world_edit_has(const World *world, InstId model, const Stmt *stmt);

/* Statements that are there and name what the declaration `stmt` of `model` made; at most `most`, and returns how many. */
typedef struct WorldUser {
    InstId model;
    const Stmt *stmt;
} WorldUser;

uint32_t world_edit_users(World *world, InstId model, const Stmt *stmt, uint32_t most,
                          WorldUser *users);

/* The variables that the declaration made: itself, or all in the instance and its parts. */
void world_edit_vars(World *world, InstId model, const Stmt *stmt,
                     void (*call)(void *context, DdpVar var), void *context);

/* One of them, by its path behind the member's name, "" for itself; 0: there is none. */
DdpVar world_edit_var(const World *world, InstId model, const Stmt *stmt, const char *path);

/* All statements of an instance, in order of the text, edits last; those that are gone with `hidden`. */
typedef void (*WorldStmtCall)(void *context, InstId model, const Stmt *stmt, bool hidden);
void world_edit_list(World *world, InstId model, WorldStmtCall call, void *context);

/* "#3" is the third statement of the model's text, "#3.then.1" the first in its branch, "+2" what edit 2
 * entered, "+2.1" its first statement: for people. NULL: no such. */
void world_stmt_handle(const World *world, const Stmt *stmt, char *out, size_t size);
const Stmt *world_stmt_find(const World *world, InstId model, const char *handle);
/* The statement that declares this member in the instance, if it is there; NULL: none. */
const Stmt *world_stmt_declaring(const World *world, InstId model, const char *name);
/* As it was written, from its first token to its last, and, unless NULL, the file; "" for one that nobody wrote. */
const char *world_stmt_text(const World *world, const Stmt *stmt, size_t *length,
                            const SourceFile **in);

#endif
