/* json.h: calls -> JSON text, indented, one pass, nothing kept but the depth. */
#ifndef RUNTIME_JSON_H
#define RUNTIME_JSON_H

#include "runtime/results/outfile.h"

enum { JSON_DEPTH = 16 };

typedef struct Json {
    OutFile *out;
    uint32_t depth;
    bool filled[JSON_DEPTH]; /* the object or list at this depth has an element */
    bool flat[JSON_DEPTH];   /* ... stands on one line */
} Json;

void json_open(Json *json, OutFile *out);
void json_close(Json *json); /* the last line's end */

/* key is NULL for elements of a list and for the outermost value */
void json_object(Json *json, const char *key);
void json_flat_object(Json *json, const char *key); /* on one line, with all it contains */
void json_list(Json *json, const char *key);
void json_end_object(Json *json);
void json_end_list(Json *json);
void json_number(Json *json, const char *key, double x); /* null for what JSON has no number for */
/* What a clock measured: so many digits behind the point, no zeros at the end. Their rest is noise,
 * and to find the shortest text that is exactly x costs a hundred times as much. */
void json_measured(Json *json, const char *key, double x, uint32_t decimals);
void json_integer(Json *json, const char *key, uint64_t x);
void json_bool(Json *json, const char *key, bool x);
void json_text(Json *json, const char *key, const char *text); /* bytes that are no UTF-8: U+FFFD */

#endif
