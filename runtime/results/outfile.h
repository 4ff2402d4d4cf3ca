/* outfile.h: buffered output to a file descriptor, or to memory, that remembers its first error.
 *
 * Error rule: writing never fails in the middle of a caller; the first errno stays in `error`, what
 * follows is dropped, and out_close() says whether everything reached the system. */
#ifndef RUNTIME_OUTFILE_H
#define RUNTIME_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OUT_BUFFER = 1 << 16, OUT_NUMBER = 32 };

typedef struct OutFile {
    int fd;         /* -1: closed, or in memory */
    int error;      /* errno of the first failure, or 0 */
    bool owned;     /* out_close() closes fd */
    bool replaces;  /* what was in the file is still there: cut off when the first bytes go out */
    bool made;      /* out_replace() made the file */
    bool in_memory; /* kept[0..n_kept-1] is what was flushed; freed by out_close() */
    uint8_t *kept;
    size_t n_kept, room;
    size_t used;
    uint64_t offset; /* bytes given to it so far, buffer included */
    uint8_t buffer[OUT_BUFFER];
} OutFile;

bool out_create(OutFile *out, const char *path); /* empties an existing file */
/* Leaves an existing file as it is until the first bytes are flushed to it. */
bool out_replace(OutFile *out, const char *path);
/* After out_replace(), if nothing was flushed: closes it as if it had never been opened. */
void out_discard(OutFile *out, const char *path);
bool out_append(OutFile *out, const char *path,
                uint64_t at);          /* cuts the file at `at`, goes on there */
void out_attach(OutFile *out, int fd); /* fd stays the caller's */
void out_memory(OutFile *out);         /* no file: what is flushed is kept */
void out_bytes(OutFile *out, const void *bytes, size_t n);
void out_text(OutFile *out, const char *text);
void out_number(OutFile *out, double x);
bool out_flush(OutFile *out);
bool out_close(OutFile *out); /* false: something was lost, see `error` */

/* The shortest decimal text that reads back as the same double; "nan", "inf", "-inf". Returns its
 * length. */
size_t number_text(double x, char text[OUT_NUMBER]);

#endif
