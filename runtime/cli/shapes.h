/* shapes.h: variables of instances of the package Graphics -> what is drawn, for `report` and `serve`. */
#ifndef RUNTIME_CLI_SHAPES_H
#define RUNTIME_CLI_SHAPES_H

#include <stddef.h>

typedef enum ShapeKind {
    SHAPE_NONE,
    SHAPE_LINE,
    SHAPE_RECTANGLE,
    SHAPE_ELLIPSE,
    SHAPE_TEXT,
    SHAPE_POINT,
    SHAPE_COLOURED_POINT,
    SHAPE_GROUND,
    SHAPE_IMAGE
} ShapeKind;

/* The columns of a shape. The first ones, its places, change from moment to moment: sx sy dx dy of most, x y of a point, x y value
 * of a coloured one, y of the ground; the others are as they were at its birth. */
enum {
    SHAPE_PLACES = 4,
    SHAPE_SIZE = SHAPE_PLACES,
    SHAPE_WIDTH,
    SHAPE_TEXTS,               /* from here on they are texts */
    SHAPE_WORDS = SHAPE_TEXTS, /* of a Text */
    SHAPE_COLOUR,
    SHAPE_FILL,
    SHAPE_SOURCE, /* of an Image */
    SHAPE_AXES,   /* of points: names of x, y and value */
    SHAPE_UNIT,   /* of the ground: that of lengths */
    SHAPE_COLUMNS
};

ShapeKind shape_kind(const char *drawn);     /* of SolVarInfo.drawn, which may be NULL */
const char *shape_kind_name(ShapeKind kind); /* as the page calls it */
unsigned shape_places(ShapeKind kind);       /* how many it has */
/* Which column the variable of this name (n characters) is; -1: none that is drawn. */
int shape_column(ShapeKind kind, const char *name, size_t n);
/* Key of a column that is no place. */
const char *shape_column_name(int column);

#endif
