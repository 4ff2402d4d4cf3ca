/* written_names.h: a text that is put out in another surrounding -> the names in it that need another text there. */
#ifndef FRONTEND_WRITTEN_NAMES_H
#define FRONTEND_WRITTEN_NAMES_H

#include "frontend/resolve_int.h"

/* The first name of a designator, and its path from everywhere. */
typedef void NameFound(void *context, const AName *name, const char *path);

/* Of a definition's text: `level` is that of the piece, whose members are those of `body`. */
void written_names_of_model(Level *level, const Body *body, const AModel *model, NameFound *found,
                            void *context);
/* Of one typed statement, in the body of its edit. */
void written_names_of_stmt(Level *level, const Body *body, const AStmt *stmt, NameFound *found,
                           void *context);

#endif
