/* table.c: file of numbers -> interpolated values. See table.h. Each file is read once. */
#include "runtime/foreign/table.h"
#include "base/vec.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILE = 1 << 30 };

typedef struct Table {
    char *name;
    uint32_t rows, columns;
    double *cell;    /* cell[row * columns + column] */
    uint32_t last;   /* row found last time: most calls come from near it */
    char *complaint; /* its name, and why it cannot be used; or NULL */
} Table;

struct TableSet {
    Mem *mem;
    Arena arena;
    VEC(Table) list;
};

TableSet *tables_open(Mem *mem)
{
    TableSet *tables = mem_alloc(mem, sizeof *tables);
    tables->mem = mem;
    arena_init(&tables->arena, mem);
    return tables;
}

void tables_close(TableSet *tables)
{
    if (!tables)
        return;
    for (uint32_t i = 0; i < tables->list.n; i++)
        mem_free(tables->mem, tables->list.at[i].cell);
    vec_free(tables->mem, &tables->list);
    arena_free(&tables->arena);
    mem_free(tables->mem, tables);
}

/* ---- reading ---- */

typedef struct Reading {
    TableSet *tables;
    Table *table;
    const char *at;
    uint32_t line;
    char separator; /* between columns: ' ', ',' or ';'; 0: not known yet */
    VEC(double) cells;
} Reading;

static void refuse(TableSet *tables, Table *table, const char *why)
{
    char text[PATH_MAX + 200];
    snprintf(text, sizeof text, "table '%s': %s", table->name, why);
    table->complaint = arena_copy(&tables->arena, text, strlen(text));
}

static void complain(Reading *r, const char *what)
{
    char text[160];
    snprintf(text, sizeof text, "line %u: %s", r->line, what);
    refuse(r->tables, r->table, text);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\0' || c == '#';
}

enum { NO_NUMBER = -1, MIXED = -2, EMPTY_CELL = -3 };

/* Columns are apart by blanks alone, or by one comma or semicolon, the same in the whole file:
 * `1,5;2,5` is two numbers with decimal commas and must not be read as four. */
static int pass_separator(Reading *r)
{
    bool blank = is_blank(*r->at);
    while (is_blank(*r->at))
        r->at++;
    if (is_line_end(*r->at))
        return 0;
    char found = *r->at == ',' || *r->at == ';' ? *r->at : ' ';
    if (found == ' ' && !blank)
        return NO_NUMBER;
    if (r->separator && r->separator != found)
        return MIXED;
    r->separator = found;
    if (found != ' ')
        r->at++;
    while (is_blank(*r->at))
        r->at++;
    return *r->at == ',' || *r->at == ';' || is_line_end(*r->at) ? EMPTY_CELL : 0;
}

/* Numbers of one line, appended; below 0 when something else stands there. */
static int read_line(Reading *r)
{
    while (is_blank(*r->at))
        r->at++;
    for (int n = 0;; n++) {
        if (is_line_end(*r->at))
            return n;
        char *end;
        double x = strtod(r->at, &end);
        if (end == r->at || !isfinite(x))
            return NO_NUMBER;
        vec_push(r->tables->mem, &r->cells, x);
        r->at = end;
        int verdict = is_line_end(*r->at) ? 0 : pass_separator(r);
        if (verdict < 0)
            return verdict;
    }
}

static bool accept_line(Reading *r, int n)
{
    Table *t = r->table;
    if (n == 0)
        return true;
    if (n == NO_NUMBER && t->rows == 0 && r->line == 1) {
        r->cells.n = 0; /* names */
        r->separator = 0;
        return true;
    }
    if (n == MIXED)
        return complain(r, "columns are apart by different signs; a decimal comma is not possible"),
               false;
    if (n == EMPTY_CELL)
        return complain(r, "a column is empty"), false;
    if (n < 0)
        return complain(r, "not a number"), false;
    if (t->rows == 0)
        t->columns = (uint32_t)n;
    if ((uint32_t)n != t->columns)
        return complain(r, "another number of columns than before"), false;
    if (t->rows > 0 &&
        !(r->cells.at[t->rows * t->columns] > r->cells.at[(t->rows - 1) * t->columns]))
        return complain(r, "the first column does not ascend"), false;
    t->rows++;
    return true;
}

static void read_lines(Reading *r)
{
    bool good = true;
    for (r->line = 1; *r->at && good; r->line++) {
        good = accept_line(r, read_line(r));
        r->at = strchr(r->at, '\n');
        if (!r->at)
            break;
        r->at++;
    }
    if (good && r->table->rows == 0)
        complain(r, "no numbers");
    r->table->cell = r->cells.at;
}

/* The whole file, NUL-terminated, or NULL with errno. All memory is taken while no file is open. */
static char *load(Mem *mem, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return NULL;
    if (!S_ISREG(info.st_mode) || info.st_size > MAX_FILE) {
        errno = EINVAL;
        return NULL;
    }
    char *text = mem_alloc(mem, (size_t)info.st_size + 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t done = 0;
    ssize_t n = fd < 0 ? -1 : 1;
    while (n > 0 && done < (size_t)info.st_size) {
        n = read(fd, text + done, (size_t)info.st_size - done);
        done += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        close(fd);
    if (n >= 0)
        return text;
    mem_free(mem, text);
    return NULL;
}

static char *load_beside(Mem *mem, const char *model_file, const char *file)
{
    char path[PATH_MAX];
    const char *slash = strrchr(model_file, '/');
    int folder = file[0] == '/' || !slash ? 0 : (int)(slash - model_file) + 1;
    int n = snprintf(path, sizeof path, "%.*s%s", folder, model_file, file);
    if (n < 0 || n >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    return load(mem, path);
}

static Table *find_table(TableSet *tables, const char *model_file, const char *file)
{
    for (uint32_t i = 0; i < tables->list.n; i++)
        if (strcmp(tables->list.at[i].name, file) == 0)
            return &tables->list.at[i];
    Table table = {.name = arena_copy(&tables->arena, file, strlen(file))};
    char *text = load_beside(tables->mem, model_file, file);
    if (text) {
        Reading r = {.tables = tables, .table = &table, .at = text};
        read_lines(&r);
        mem_free(tables->mem, text);
    } else {
        refuse(tables, &table, strerror(errno));
    }
    vec_push(tables->mem, &tables->list, table);
    return &vec_last(&tables->list);
}

/* ---- interpolation ---- */

/* The row at or before x; x lies inside. */
static uint32_t find_row(Table *t, double x)
{
    uint32_t low = 0, high = t->rows - 1;
    if (x >= t->cell[t->last * t->columns])
        low = t->last;
    else
        high = t->last;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (t->cell[middle * t->columns] <= x)
            low = middle;
        else
            high = middle;
    }
    t->last = low;
    return low;
}

static double interpolate(Table *t, uint32_t column, double x, bool slope)
{
    const double *cell = t->cell;
    uint32_t end = (t->rows - 1) * t->columns;
    if (isnan(x))
        return x;
    if (x < cell[0])
        return slope ? 0 : cell[column];
    if (x >= cell[end])
        return slope ? 0 : cell[end + column];
    const double *a = cell + find_row(t, x) * t->columns, *b = a + t->columns;
    double steep = (b[column] - a[column]) / (b[0] - a[0]);
    return slope ? steep : a[column] + steep * (x - a[0]);
}

const char *tables_complaint(const TableSet *tables)
{
    for (uint32_t i = 0; i < tables->list.n; i++)
        if (tables->list.at[i].complaint)
            return tables->list.at[i].complaint;
    return NULL;
}

bool tables_value(TableSet *tables, const char *model_file, const char *file, double column,
                  double x, bool slope, double *value, char *message, size_t size)
{
    Table *t = find_table(tables, model_file, file);
    if (t->complaint) {
        snprintf(message, size, "%s", t->complaint);
        return false;
    }
    if (!(column >= 2 && column <= t->columns)) {
        snprintf(message, size, "table '%s' has the columns 2 to %u beside the first, not %g", file,
                 t->columns, column);
        return false;
    }
    *value = interpolate(t, (uint32_t)column - 1, x, slope);
    return true;
}
