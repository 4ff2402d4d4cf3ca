/* shapes.c: models of the package Graphics and their members. See shapes.h. */
#include "runtime/cli/shapes.h"

#include <string.h>

typedef struct ShapeModel {
    const char *model, *name;
    const char *places[SHAPE_PLACES];
} ShapeModel;

static const ShapeModel models[] = {
    [SHAPE_NONE] = {"", "", {NULL}},
    [SHAPE_LINE] = {"Line", "line", {"sx", "sy", "dx", "dy"}},
    [SHAPE_RECTANGLE] = {"Rectangle", "rectangle", {"sx", "sy", "dx", "dy"}},
    [SHAPE_ELLIPSE] = {"Ellipse", "ellipse", {"sx", "sy", "dx", "dy"}},
    [SHAPE_TEXT] = {"Text", "text", {"sx", "sy"}},
    [SHAPE_POINT] = {"Point", "point", {"x", "y"}},
    [SHAPE_COLOURED_POINT] = {"ColouredPoint", "point", {"x", "y", "value"}},
    [SHAPE_GROUND] = {"Ground", "ground", {"y"}},
    [SHAPE_IMAGE] = {"Image", "image", {"sx", "sy", "dx", "dy"}},
};
enum { MODELS = sizeof models / sizeof *models };

static const char *const fixed[] = {"size", "width",  "text", "colour",
                                    "fill", "source", "axes", "unit"};

ShapeKind shape_kind(const char *drawn)
{
    for (int i = MODELS - 1; drawn && i > SHAPE_NONE; i--)
        if (strcmp(models[i].model, drawn) == 0)
            return (ShapeKind)i;
    return SHAPE_NONE;
}

const char *shape_kind_name(ShapeKind kind)
{
    return models[kind].name;
}

unsigned shape_places(ShapeKind kind)
{
    unsigned n = 0;
    while (n < SHAPE_PLACES && models[kind].places[n])
        n++;
    return n;
}

static int same(const char *whole, const char *name, size_t n)
{
    return strlen(whole) == n && memcmp(whole, name, n) == 0;
}

int shape_column(ShapeKind kind, const char *name, size_t n)
{
    unsigned places = shape_places(kind);
    for (unsigned i = 0; i < places; i++)
        if (same(models[kind].places[i], name, n))
            return (int)i;
    for (int i = SHAPE_PLACES; i < SHAPE_COLUMNS; i++)
        if (same(fixed[i - SHAPE_PLACES], name, n))
            return i;
    return -1;
}

const char *shape_column_name(int column)
{
    return fixed[column - SHAPE_PLACES];
}
