/* result_mat.c: result file -> MAT file of level 4, laid out as Modelica tools read trajectories.
 *
 * Six matrices follow each other, each with a head of five integers and its name:
 *
 *     Aclass       4 x 11 characters: "Atrajectory", "1.1", "", "binTrans"
 *     name         one column of characters for each variable, the first is "time"
 *     description  likewise
 *     dataInfo     4 x n integers: matrix (0 time, 1, 2), its row, 0 (linear), -1 (undefined
 * outside) or 0 (as at the ends) data_1       rows: time and the constant parameters; columns:
 * start and stop data_2       rows: time and what varies; one column for each point
 *
 * "binTrans" puts each point into one column, and columns are stored one after the other: so data_2
 * is written row by row of the result, and nothing but the number of points must be known before.
 * NaN where a variable does not exist. Strings have no place in this format and are left out. */
#include "base/vec.h"
#include "runtime/results/bytes.h"
#include "runtime/results/outfile.h"
#include "runtime/results/result.h"

#include <math.h>
#include <string.h>

enum { MAT_DOUBLE = 0, MAT_INT32 = 20, MAT_TEXT = 51, CLASS_WIDTH = 11 };

typedef struct MatColumn {
    uint32_t column;
    bool constant; /* a parameter that lives from the first row to the last */
    uint32_t row;  /* in data_1 or data_2, from 1; row 1 is the time */
} MatColumn;

typedef struct Mat {
    Mem *mem;
    OutFile out;
    ResultReader *reader;
    VEC(MatColumn) columns; /* ascending column */
    uint32_t n_constant, n_varying;
    uint64_t n_rows;
    double first, last; /* times */
    size_t name_width, description_width;
} Mat;

/* ---- first pass: which columns, how many rows ---- */

static void note_death(Mat *mat, uint32_t column)
{
    uint32_t low = 0, high = mat->columns.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (mat->columns.at[middle].column < column)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < mat->columns.n && mat->columns.at[low].column == column)
        mat->columns.at[low].constant = false;
}

static void note_birth(Mat *mat, uint32_t number, const ResultSelection *selection)
{
    const ResultColumn *column = result_column(mat->reader, number);
    if (column->type == RESULT_STRING || !result_matches(selection, column->path))
        return;
    bool constant = (column->flags & RESULT_PARAMETER) && mat->n_rows == 0;
    vec_push(mat->mem, &mat->columns, ((MatColumn){.column = number, .constant = constant}));
}

static const char *describe(const ResultColumn *column)
{
    static const char *const text[3][2] = {{"Real", "Real parameter"},
                                           {"Integer", "Integer parameter"},
                                           {"Boolean", "Boolean parameter"}};
    return text[column->type][(column->flags & RESULT_PARAMETER) != 0];
}

static void place_columns(Mat *mat)
{
    mat->name_width = strlen("time");
    mat->description_width = strlen("time in s");
    for (uint32_t i = 0; i < mat->columns.n; i++) {
        MatColumn *c = &mat->columns.at[i];
        const ResultColumn *column = result_column(mat->reader, c->column);
        size_t name = strlen(column->path), description = strlen(describe(column));
        c->row = 1 + (c->constant ? ++mat->n_constant : ++mat->n_varying);
        if (name > mat->name_width)
            mat->name_width = name;
        if (description > mat->description_width)
            mat->description_width = description;
    }
}

static bool survey(Mat *mat, const ResultSelection *selection)
{
    ResultRecord record;
    bool any = false;
    while (result_next(mat->reader, &record)) {
        any = true;
        if (record.kind == RESULT_BIRTH) {
            note_birth(mat, record.column, selection);
        } else if (record.kind == RESULT_DEATH) {
            note_death(mat, record.column);
        } else if (record.kind == RESULT_ROW) {
            if (mat->n_rows++ == 0)
                mat->first = record.time;
            mat->last = record.time;
        }
    }
    place_columns(mat);
    return any;
}

/* ---- matrices ---- */

static void write_head(OutFile *out, uint32_t type, uint64_t rows, uint64_t columns,
                       const char *name)
{
    uint8_t head[20];
    put_u32(head, type);
    put_u32(head + 4, (uint32_t)rows);
    put_u32(head + 8, (uint32_t)columns);
    put_u32(head + 12, 0); /* no imaginary part */
    put_u32(head + 16, (uint32_t)strlen(name) + 1);
    out_bytes(out, head, sizeof head);
    out_bytes(out, name, strlen(name) + 1);
}

static void write_double(OutFile *out, double x)
{
    uint8_t bytes[8];
    put_f64(bytes, x);
    out_bytes(out, bytes, sizeof bytes);
}

static void write_padded(OutFile *out, const char *text, size_t width)
{
    size_t n = strlen(text);
    out_bytes(out, text, n);
    for (; n < width; n++)
        out_bytes(out, " ", 1);
}

/* This one matrix is not transposed: its texts are rows. */
static void write_class(OutFile *out)
{
    static const char *const rows[4] = {"Atrajectory", "1.1", "", "binTrans"};
    write_head(out, MAT_TEXT, 4, CLASS_WIDTH, "Aclass");
    for (size_t c = 0; c < CLASS_WIDTH; c++)
        for (int r = 0; r < 4; r++)
            out_bytes(out, c < strlen(rows[r]) ? rows[r] + c : " ", 1);
}

static void write_texts(Mat *mat)
{
    write_head(&mat->out, MAT_TEXT, mat->name_width, mat->columns.n + 1, "name");
    write_padded(&mat->out, "time", mat->name_width);
    for (uint32_t i = 0; i < mat->columns.n; i++)
        write_padded(&mat->out, result_column(mat->reader, mat->columns.at[i].column)->path,
                     mat->name_width);
    write_head(&mat->out, MAT_TEXT, mat->description_width, mat->columns.n + 1, "description");
    write_padded(&mat->out, "time in s", mat->description_width);
    for (uint32_t i = 0; i < mat->columns.n; i++)
        write_padded(&mat->out, describe(result_column(mat->reader, mat->columns.at[i].column)),
                     mat->description_width);
}

static void write_info(OutFile *out, int matrix, uint32_t row, int outside)
{
    uint8_t bytes[16];
    put_u32(bytes, (uint32_t)matrix);
    put_u32(bytes + 4, row);
    put_u32(bytes + 8, 0);
    put_u32(bytes + 12, (uint32_t)outside);
    out_bytes(out, bytes, sizeof bytes);
}

static void write_infos(Mat *mat)
{
    write_head(&mat->out, MAT_INT32, 4, mat->columns.n + 1, "dataInfo");
    write_info(&mat->out, 0, 1, -1);
    for (uint32_t i = 0; i < mat->columns.n; i++) {
        const MatColumn *c = &mat->columns.at[i];
        write_info(&mat->out, c->constant ? 1 : 2, c->row, c->constant ? 0 : -1);
    }
}

static void write_constants(Mat *mat)
{
    write_head(&mat->out, MAT_DOUBLE, mat->n_constant + 1, 2, "data_1");
    for (int column = 0; column < 2; column++) {
        write_double(&mat->out, column == 0 ? mat->first : mat->last);
        for (uint32_t i = 0; i < mat->columns.n; i++)
            if (mat->columns.at[i].constant)
                write_double(&mat->out,
                             result_column(mat->reader, mat->columns.at[i].column)->value);
    }
}

static void write_point(Mat *mat, double time)
{
    uint32_t known = result_column_count(mat->reader);
    write_double(&mat->out, time);
    for (uint32_t i = 0; i < mat->columns.n; i++) {
        const MatColumn *c = &mat->columns.at[i];
        if (c->constant)
            continue;
        const ResultColumn *column =
            c->column < known ? result_column(mat->reader, c->column) : NULL;
        write_double(&mat->out, column && column->alive ? column->value : NAN);
    }
}

static void write_file(Mat *mat, const char *output)
{
    ResultRecord record;
    uint64_t written = 0;
    if (strcmp(output, "-") == 0)
        out_attach(&mat->out, 1);
    else if (!out_create(&mat->out, output))
        return;
    write_class(&mat->out);
    write_texts(mat);
    write_infos(mat);
    write_constants(mat);
    write_head(&mat->out, MAT_DOUBLE, mat->n_varying + 1, mat->n_rows, "data_2");
    result_rewind(mat->reader);
    /* the file may have grown since the first pass: no more than was announced */
    while (!mat->out.error && written < mat->n_rows && result_next(mat->reader, &record))
        if (record.kind == RESULT_ROW) {
            write_point(mat, record.time);
            written++;
        }
    out_close(&mat->out);
}

static ResultExport export(Mat *mat, const char *output, const ResultSelection *selection)
{
    result_rewind(mat->reader);
    if (!survey(mat, selection))
        return RESULT_NOT_READABLE;
    if (mat->n_rows > INT32_MAX || mat->columns.n >= INT32_MAX)
        return RESULT_TOO_LARGE;
    if (selection && selection->n && mat->columns.n == 0)
        return RESULT_NO_COLUMN;
    write_file(mat, output);
    return mat->out.error ? RESULT_NOT_WRITTEN : RESULT_EXPORTED;
}

ResultExport result_to_mat(Mem *mem, ResultReader *reader, const char *output,
                           const ResultSelection *selection, int *error)
{
    MemGuard guard;
    Mat *mat = mem_alloc(mem, sizeof *mat);
    mat->mem = mem;
    mat->reader = reader;
    mat->out.fd = -1;
    mem_guard_push(mem, &guard);
    if (setjmp(guard.env) != 0) {
        out_close(&mat->out);
        return RESULT_NO_MEMORY;
    }
    ResultExport verdict = export(mat, output, selection);
    mem_guard_pop(mem, &guard);
    *error = mat->out.error;
    vec_free(mem, &mat->columns);
    mem_free(mem, mat);
    return verdict;
}
