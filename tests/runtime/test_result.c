/* test_result.c: the result file: written, read back, cut at every byte, damaged, exported. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/pack.h"
#include "runtime/results/bytes.h"
#include "tests/support/soak.h"
#include "runtime/results/result.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

typedef struct Lab {
    Mem *mem;
    char path[64], copy[64], exported[64];
} Lab;

static int open_lab(void **state)
{
    Lab *lab = calloc(1, sizeof *lab);
    lab->mem = mem_open();
    snprintf(lab->path, sizeof lab->path, "test_result_%d.solr", (int)getpid());
    snprintf(lab->copy, sizeof lab->copy, "test_result_%d.copy.solr", (int)getpid());
    snprintf(lab->exported, sizeof lab->exported, "test_result_%d.out", (int)getpid());
    *state = lab;
    return 0;
}

static int close_lab(void **state)
{
    Lab *lab = *state;
    unlink(lab->path);
    unlink(lab->copy);
    unlink(lab->exported);
    assert_int_equal(mem_used(lab->mem), 0);
    mem_close(lab->mem);
    free(lab);
    return 0;
}

static uint8_t *load(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *n = (size_t)ftell(f);
    rewind(f);
    uint8_t *bytes = malloc(*n + 1);
    assert_int_equal(fread(bytes, 1, *n, f), *n);
    bytes[*n] = 0;
    fclose(f);
    return bytes;
}

static void store(const char *path, const uint8_t *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static const char *name_text(void *context, double value)
{
    assert_ptr_equal(context, &name_text);
    return value == 7 ? "seven, \"7\"" : "other";
}

/* A small run with everything in it: a parameter, a state, a String, a car that dies and one that
 * is born at its place, and a column that returns. */
static ResultWriter *write_sample(Lab *lab)
{
    const ResultPair header[] = {{"model", "Road"}, {"seed", "0"}};
    const char *triggers[] = {"car: x > 1", "time >= 0.5"};
    ResultWriter *w = result_create(lab->mem, lab->path, 2, header);
    double v[8] = {0, 2.5, 0, 7, 1, 10};
    result_texts(w, name_text, (void *)&name_text);
    assert_int_equal(result_birth(w, "p", RESULT_REAL, RESULT_PARAMETER, 1), 0);
    assert_int_equal(result_birth(w, "car.x", RESULT_REAL, RESULT_STATE, 2), 1);
    assert_int_equal(result_birth(w, "label", RESULT_STRING, 0, 3), 2);
    assert_int_equal(result_birth(w, "on", RESULT_BOOLEAN, RESULT_TOP, 4), 3);
    result_row(w, 0, RESULT_AT_START, v);
    v[2] = 0.1;
    result_row(w, 0.25, RESULT_AT_POINT, v);
    v[2] = 0.2;
    result_row(w, 0.5, RESULT_BEFORE_EVENT, v);
    result_death(w, 1);
    result_death(w, 3);
    assert_int_equal(result_birth(w, "car.x#2", RESULT_INTEGER, 0, 5), 4);
    assert_int_equal(result_living(w), 3);
    v[3] = 8;
    result_row(w, 0.5, RESULT_AFTER_EVENT, v);
    result_event(w, &(ResultEvent){.time = 0.5,
                                   .structural = true,
                                   .updates = 2,
                                   .entered = 3,
                                   .removed = 4,
                                   .visited = 1234567890123,
                                   .n_changes = 2,
                                   .states = (const uint32_t[]){5, 2},
                                   .states_before = 1,
                                   .states_after = 0,
                                   .loops_before = 5,
                                   .loops_after = 6,
                                   .n_triggers = 2,
                                   .triggers = triggers});
    result_note(w, 0.5, "hello");
    result_return(w, 3, 4);
    v[4] = 0;
    v[5] = NAN;
    result_row(w, 1, RESULT_AT_END, v);
    return w;
}

static void write_whole_sample(Lab *lab)
{
    ResultWriter *w = write_sample(lab);
    result_finish(w, 1, 0, "done");
    assert_int_equal(result_error(w), 0);
    assert_true(result_close(w));
}

static void expect_row(ResultReader *r, ResultRecord *record, double time, ResultSide side)
{
    assert_true(result_next(r, record));
    assert_int_equal(record->kind, RESULT_ROW);
    assert_true(record->time == time);
    assert_int_equal(record->side, side);
}

static void expect_column(ResultReader *r, uint32_t number, bool alive, double value)
{
    const ResultColumn *column = result_column(r, number);
    assert_int_equal(column->alive, alive);
    if (alive)
        assert_memory_equal(&column->value, &value, sizeof value);
}

static void expect_kind(ResultReader *r, ResultRecord *record, ResultKind kind, uint32_t column)
{
    assert_true(result_next(r, record));
    assert_int_equal(record->kind, kind);
    assert_int_equal(record->column, column);
}

static void expect_event(const ResultEvent *e)
{
    assert_true(e->time == 0.5 && e->structural);
    assert_int_equal(e->updates, 2);
    assert_int_equal(e->entered, 3);
    assert_int_equal(e->removed, 4);
    assert_true(e->visited == 1234567890123);
    assert_int_equal(e->states_before, 1);
    assert_int_equal(e->n_changes, 2);
    assert_int_equal(e->states[0], 5);
    assert_int_equal(e->states[1], 2);
    assert_int_equal(e->states_after, 0);
    assert_int_equal(e->loops_before, 5);
    assert_int_equal(e->loops_after, 6);
    assert_int_equal(e->n_triggers, 2);
    assert_string_equal(e->triggers[0], "car: x > 1");
    assert_string_equal(e->triggers[1], "time >= 0.5");
}

static void round_trip(void **state)
{
    Lab *lab = *state;
    ResultRecord rec;
    write_whole_sample(lab);
    ResultReader *r = result_open(lab->mem, lab->path);
    expect_kind(r, &rec, RESULT_HEADER, 0);
    assert_int_equal(rec.n_pairs, 2);
    assert_string_equal(rec.pairs[0].key, "model");
    assert_string_equal(rec.pairs[0].value, "Road");
    for (uint32_t i = 0; i < 4; i++)
        expect_kind(r, &rec, RESULT_BIRTH, i);
    assert_string_equal(result_column(r, 1)->path, "car.x");
    assert_int_equal(result_column(r, 1)->flags, RESULT_STATE);
    assert_int_equal(result_column(r, 3)->type, RESULT_BOOLEAN);
    expect_row(r, &rec, 0, RESULT_AT_START);
    expect_column(r, 0, true, 2.5);
    expect_column(r, 2, true, 7);
    assert_string_equal(result_string(r, 7), "seven, \"7\"");
    expect_row(r, &rec, 0.25, RESULT_AT_POINT);
    expect_column(r, 0, true, 2.5);
    expect_column(r, 1, true, 0.1);
    expect_row(r, &rec, 0.5, RESULT_BEFORE_EVENT);
    expect_column(r, 1, true, 0.2);
    expect_kind(r, &rec, RESULT_DEATH, 1);
    expect_kind(r, &rec, RESULT_DEATH, 3);
    expect_kind(r, &rec, RESULT_BIRTH, 4);
    expect_row(r, &rec, 0.5, RESULT_AFTER_EVENT);
    expect_column(r, 1, false, 0);
    expect_column(r, 2, true, 8);
    expect_column(r, 4, true, 10);
    expect_kind(r, &rec, RESULT_EVENT, 0);
    expect_event(&rec.event);
    expect_kind(r, &rec, RESULT_NOTE, 0);
    assert_string_equal(rec.text, "hello");
    expect_kind(r, &rec, RESULT_RETURN, 3);
    expect_row(r, &rec, 1, RESULT_AT_END);
    expect_column(r, 3, true, 0);
    expect_column(r, 4, true, NAN);
    expect_kind(r, &rec, RESULT_FINISH, 0);
    assert_string_equal(rec.text, "done");
    assert_false(result_next(r, &rec));
    assert_int_equal(result_end(r), RESULT_COMPLETE);
    result_close_reader(r);
}

/* How many records can be read. */
static uint32_t count_records(ResultReader *r)
{
    ResultRecord record;
    uint32_t n = 0;
    while (result_next(r, &record))
        n++;
    return n;
}

/* Ends of the records that the caller sees, from the positions while reading the whole file. */
static uint32_t record_ends(Lab *lab, uint64_t *ends)
{
    ResultRecord record;
    uint32_t n = 0;
    ResultReader *r = result_open(lab->mem, lab->path);
    while (result_next(r, &record))
        ends[n++] = result_position(r);
    result_close_reader(r);
    return n;
}

static void cut_at_every_byte(void **state)
{
    Lab *lab = *state;
    size_t size;
    uint64_t ends[64];
    write_whole_sample(lab);
    uint8_t *bytes = load(lab->path, &size);
    uint32_t n_records = record_ends(lab, ends);
    assert_int_equal(ends[n_records - 1], size);
    for (size_t n = 0; n < size; n++) {
        uint32_t complete = 0;
        while (ends[complete] <= n)
            complete++;
        store(lab->copy, bytes, n);
        ResultReader *r = result_open(lab->mem, lab->copy);
        assert_int_equal(count_records(r), complete);
        assert_int_equal(result_end(r), RESULT_CUT);
        assert_true(result_position(r) <= n);
        result_close_reader(r);
    }
    free(bytes);
}

static void damage_at_every_byte(void **state)
{
    Lab *lab = *state;
    size_t size;
    uint64_t ends[64];
    write_whole_sample(lab);
    uint8_t *bytes = load(lab->path, &size);
    uint32_t n_records = record_ends(lab, ends);
    for (size_t n = 0; n < size; n++) {
        uint32_t before = 0;
        while (ends[before] <= n)
            before++;
        bytes[n] ^= 0x40;
        store(lab->copy, bytes, size);
        bytes[n] ^= 0x40;
        ResultReader *r = result_open(lab->mem, lab->copy);
        uint32_t read = count_records(r);
        assert_true(read <= before && before < n_records);
        assert_int_not_equal(result_end(r), RESULT_COMPLETE);
        result_close_reader(r);
    }
    free(bytes);
}

/* Records whose checksum is right but whose content is nonsense: numbers of columns, lengths,
 * types. */
static void contents_are_not_believed(void **state)
{
    Lab *lab = *state;
    size_t size;
    write_whole_sample(lab);
    uint8_t *bytes = load(lab->path, &size);
    for (size_t at = 12; at < size;) {
        uint32_t length = get_u32(bytes + at);
        uint8_t *sum = bytes + at + 4, *body = bytes + at + 8;
        for (uint32_t i = 0; i <= length; i++) {
            uint8_t kept = body[i];
            body[i] = (uint8_t)(kept + 0x7B);
            put_u32(sum, crc32_z(0, body, length + 1));
            store(lab->copy, bytes, size);
            ResultReader *r = result_open(lab->mem, lab->copy);
            count_records(r);
            assert_int_not_equal(result_end(r), RESULT_OPEN);
            result_close_reader(r);
            body[i] = kept;
        }
        put_u32(sum, crc32_z(0, body, length + 1));
        at += 9 + length;
    }
    free(bytes);
}

static void other_files_are_refused(void **state)
{
    Lab *lab = *state;
    char text[200];
    store(lab->copy, (const uint8_t *)"time,x\n0,1\n", 11);
    ResultReader *r = result_open(lab->mem, lab->copy);
    assert_int_equal(result_end(r), RESULT_FOREIGN);
    result_end_text(r, "a.csv", text, sizeof text);
    assert_string_equal(text, "a.csv: not a result file");
    result_close_reader(r);

    store(lab->copy, (const uint8_t *)"SOLR\r\n\x1a\n\x02\0\0\0", 12);
    r = result_open(lab->mem, lab->copy);
    assert_int_equal(result_end(r), RESULT_NEWER);
    result_close_reader(r);

    r = result_open(lab->mem, "no/such/file.solr");
    assert_int_equal(result_end(r), RESULT_UNREADABLE);
    assert_int_equal(result_read_error(r), ENOENT);
    result_close_reader(r);
}

static void csv_has_empty_cells(void **state)
{
    Lab *lab = *state;
    int error;
    size_t size;
    write_whole_sample(lab);
    ResultReader *r = result_open(lab->mem, lab->path);
    assert_int_equal(result_to_csv(lab->mem, r, lab->exported, NULL, &error), RESULT_EXPORTED);
    uint8_t *text = load(lab->exported, &size);
    assert_string_equal((char *)text, "time,p,car.x,label,on,car.x#2\n"
                                      "0,2.5,0,\"seven, \"\"7\"\"\",1,\n"
                                      "0.25,2.5,0.1,\"seven, \"\"7\"\"\",1,\n"
                                      "0.5,2.5,0.2,\"seven, \"\"7\"\"\",1,\n"
                                      "0.5,2.5,,other,,10\n"
                                      "1,2.5,,other,0,\n");
    free(text);
    const char *patterns[] = {"car.*", "o?"};
    ResultSelection some = {2, patterns};
    assert_int_equal(result_to_csv(lab->mem, r, lab->exported, &some, &error), RESULT_EXPORTED);
    text = load(lab->exported, &size);
    assert_string_equal((char *)text, "time,car.x,on,car.x#2\n0,0,1,\n0.25,0.1,1,\n0.5,0.2,1,\n"
                                      "0.5,,,10\n1,,0,\n");
    free(text);
    result_close_reader(r);
}

/* A matrix of the MAT file at `at`: checks its head, returns its content and moves behind it. */
static const uint8_t *expect_matrix(const uint8_t *mat, size_t *at, uint32_t type, uint32_t rows,
                                    uint32_t columns, const char *name)
{
    const uint8_t *head = mat + *at;
    assert_int_equal(get_u32(head), type);
    assert_int_equal(get_u32(head + 4), rows);
    assert_int_equal(get_u32(head + 8), columns);
    assert_int_equal(get_u32(head + 12), 0);
    assert_int_equal(get_u32(head + 16), strlen(name) + 1);
    assert_string_equal((const char *)head + 20, name);
    const uint8_t *content = head + 20 + strlen(name) + 1;
    size_t element = type == 51 ? 1 : type == 20 ? 4 : 8;
    *at = (size_t)(content - mat) + element * rows * columns;
    return content;
}

static void expect_doubles(const uint8_t *content, const double *expected, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double x = get_f64(content + 8 * i);
        assert_true(x == expected[i] || (isnan(x) && isnan(expected[i])));
    }
}

static void mat_is_laid_out_as_tools_expect(void **state)
{
    Lab *lab = *state;
    int error;
    size_t size, at = 0;
    write_whole_sample(lab);
    ResultReader *r = result_open(lab->mem, lab->path);
    assert_int_equal(result_to_mat(lab->mem, r, lab->exported, NULL, &error), RESULT_EXPORTED);
    result_close_reader(r);
    uint8_t *mat = load(lab->exported, &size);
    const uint8_t *p = expect_matrix(mat, &at, 51, 4, 11, "Aclass");
    assert_memory_equal(p, "A1 bt. ir1 na  Tj  re  ac  nt  so   r   y   ", 44);
    p = expect_matrix(mat, &at, 51, 7, 5, "name");
    assert_memory_equal(p, "time   p      car.x  on     car.x#2", 35);
    p = expect_matrix(mat, &at, 51, 14, 5, "description");
    assert_memory_equal(p, "time in s     Real parameterReal          Boolean       Integer       ",
                        70);
    p = expect_matrix(mat, &at, 20, 4, 5, "dataInfo");
    const int32_t info[] = {0, 1, 0, -1, 1, 2, 0, 0, 2, 2, 0, -1, 2, 3, 0, -1, 2, 4, 0, -1};
    for (size_t i = 0; i < 20; i++)
        assert_int_equal((int32_t)get_u32(p + 4 * i), info[i]);
    p = expect_matrix(mat, &at, 0, 2, 2, "data_1");
    expect_doubles(p, (double[]){0, 2.5, 1, 2.5}, 4);
    p = expect_matrix(mat, &at, 0, 4, 5, "data_2");
    const double values[] = {0, 0,   1,   NAN, 0.25, 0.1, 1, NAN, 0.5, 0.2,
                             1, NAN, 0.5, NAN, NAN,  10,  1, NAN, 0,   NAN};
    expect_doubles(p, values, 20);
    assert_int_equal(at, size);
    free(mat);
}

static void full_disk_is_reported(void **state)
{
    Lab *lab = *state;
    double v[1] = {0};
    int error;
    ResultWriter *w = result_create(lab->mem, "/dev/full", 0, NULL);
    assert_int_equal(result_error(w), 0); /* nothing is written before the run has started */
    assert_false(result_flush(w));
    assert_int_equal(result_error(w), ENOSPC);
    result_birth(w, "x", RESULT_REAL, 0, 0);
    result_row(w, 0, RESULT_AT_START, v);
    result_finish(w, 0, 0, "");
    assert_int_equal(result_error(w), ENOSPC);
    assert_false(result_close(w));

    write_whole_sample(lab);
    ResultReader *r = result_open(lab->mem, lab->path);
    assert_int_equal(result_to_csv(lab->mem, r, "/dev/full", NULL, &error), RESULT_NOT_WRITTEN);
    assert_int_equal(error, ENOSPC);
    assert_int_equal(result_to_mat(lab->mem, r, "/dev/full", NULL, &error), RESULT_NOT_WRITTEN);
    assert_int_equal(error, ENOSPC);
    result_close_reader(r);

    w = result_create(lab->mem, "no/such/folder/x.solr", 0, NULL);
    assert_int_equal(result_error(w), ENOENT);
    assert_false(result_close(w));
}

static void refuse(Lab *lab, Pack *pack)
{
    pack->at = 0;
    pack->bad = false;
    ResultWriter *w = result_continue(lab->mem, pack, lab->path);
    assert_int_equal(result_error(w), EINVAL);
    result_close(w);
}

/* A file that has another record before that point, or ends there too early, stays as it is. */
static void refuse_other_files(Lab *lab, Pack *pack, uint8_t *whole, size_t size)
{
    uint64_t begin, end;
    size_t n;
    memcpy(&begin, pack->bytes, sizeof begin);
    memcpy(&end, pack->bytes + sizeof begin, sizeof end);
    const uint64_t wrong[] = {0, begin, begin + 5, begin + 8, end - 1};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        whole[wrong[i]] ^= 1;
        store(lab->path, whole, size);
        refuse(lab, pack);
        uint8_t *left = load(lab->path, &n);
        assert_int_equal(n, size);
        assert_memory_equal(left, whole, size);
        free(left);
        whole[wrong[i]] ^= 1;
    }
    store(lab->path, whole, end - 1);
    refuse(lab, pack);
    for (pack->n--; pack->n > 0; pack->n -= pack->n > 5 ? 5 : pack->n) { /* a block cut anywhere */
        store(lab->path, whole, size);
        refuse(lab, pack);
    }
}

/* Cut behind any record, gone on with, the file has the bytes of one that was never cut. */
static void continued_file_has_the_same_bytes(void **state)
{
    Lab *lab = *state;
    size_t size, size2;
    double v[8] = {0, 2.5, 0.3, 7, 0, NAN};
    ResultWriter *w = write_sample(lab);
    Pack pack = {.mem = lab->mem, .writing = true};
    result_pack(w, &pack);
    pack.writing = false;
    v[2] = 0.3;
    result_row(w, 2, RESULT_AT_POINT, v);
    v[5] = 11;
    result_row(w, 3, RESULT_AT_POINT, v);
    result_finish(w, 3, 0, "done");
    assert_true(result_close(w));
    uint8_t *whole = load(lab->path, &size);

    w = result_continue(lab->mem, &pack, lab->path);
    assert_int_equal(result_error(w), 0);
    result_texts(w, name_text, (void *)&name_text);
    const uint32_t sources[][2] = {{0, 1}, {2, 3}, {3, 4}, {4, 5}};
    for (size_t i = 0; i < 4; i++)
        result_source(w, sources[i][0], sources[i][1]);
    v[5] = NAN;
    result_row(w, 2, RESULT_AT_POINT, v);
    v[5] = 11;
    result_row(w, 3, RESULT_AT_POINT, v);
    result_finish(w, 3, 0, "done");
    assert_true(result_close(w));
    uint8_t *continued = load(lab->path, &size2);
    assert_int_equal(size, size2);
    assert_memory_equal(whole, continued, size);
    free(continued);
    refuse_other_files(lab, &pack, whole, size);
    free(whole);
    pack_free(&pack);
}

/* Columns come and go at random; the reader must know what the writer was given. */
static void random_lives(void **state)
{
    Lab *lab = *state;
    enum { COLUMNS = 40, ROUNDS = 300 };
    double v[COLUMNS] = {0};
    int life[COLUMNS] = {0}; /* 0 unborn, 1 alive, 2 dead */
    uint32_t column[COLUMNS], seed = (uint32_t)soak_seed(12345), n = 0;
    double shown[ROUNDS][COLUMNS];
    ResultWriter *w = result_create(lab->mem, lab->path, 0, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < COLUMNS; i++) {
            seed = seed * 1664525u + 1013904223u;
            unsigned dice = seed >> 24;
            if (dice < 60)
                v[i] = dice * 0.37 + round;
            if (dice % 16 != 3)
                continue;
            if (life[i] == 0)
                column[i] = result_birth(w, "x", RESULT_REAL, 0, (uint32_t)i), n++;
            else if (life[i] == 1)
                result_death(w, column[i]);
            else
                result_return(w, column[i], (uint32_t)i);
            life[i] = life[i] == 1 ? 2 : 1;
        }
        result_row(w, round, RESULT_AT_POINT, v);
        for (int i = 0; i < COLUMNS; i++)
            shown[round][i] = life[i] == 1 ? v[i] : NAN;
    }
    assert_true(result_close(w));
    ResultReader *r = result_open(lab->mem, lab->path);
    ResultRecord record;
    for (int round = 0; result_next(r, &record);) {
        if (record.kind != RESULT_ROW)
            continue;
        for (int i = 0; i < COLUMNS; i++)
            if (life[i] != 0 && column[i] < result_column_count(r))
                expect_column(r, column[i], !isnan(shown[round][i]), shown[round][i]);
        round++;
        if (round == ROUNDS)
            assert_int_equal(result_column_count(r), n);
    }
    assert_int_equal(result_end(r), RESULT_CUT);
    result_close_reader(r);
}

/* Ten times the rows, the same memory. */
static size_t peak_of_run(Lab *lab, int rows)
{
    double v[50];
    int error;
    Mem *mem = mem_open();
    ResultWriter *w = result_create(mem, lab->path, 0, NULL);
    for (uint32_t i = 0; i < 50; i++)
        result_birth(w, "x", RESULT_REAL, 0, i);
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < 50; i++)
            v[i] = row + i;
        result_row(w, row, RESULT_AT_POINT, v);
    }
    assert_true(result_close(w));
    ResultReader *r = result_open(mem, lab->path);
    assert_int_equal(result_to_csv(mem, r, lab->exported, NULL, &error), RESULT_EXPORTED);
    result_close_reader(r);
    size_t peak = mem_peak(mem);
    mem_close(mem);
    return peak;
}

/* Modes: numbered by place, written only when they change, known again after a continuation. */
static void modes_are_changes(void **state)
{
    Lab *lab = *state;
    ResultRecord record;
    ResultWriter *w = result_create(lab->mem, lab->path, 0, NULL);
    result_drawn(w, "Line");
    result_birth(w, "l.sx", RESULT_REAL, 0, 0);
    result_birth(w, "x", RESULT_REAL, 0, 1);
    static const char *const names[2] = {"open", "closed"}, *const none[2] = {NULL, NULL};
    uint32_t diode = result_mode_number(w, "D", "s > 0", names);
    uint32_t top = result_mode_number(w, "", "b", none);
    assert_int_equal(result_mode_number(w, "D", "s > 0", names), diode);
    result_mode(w, 0, diode, RESULT_ELSE);
    result_mode(w, 0, top, RESULT_THEN);
    uint64_t at = result_offset(w);
    result_mode(w, 1, diode, RESULT_ELSE); /* nothing new */
    assert_int_equal(result_offset(w), at);
    Pack pack = {.mem = lab->mem, .writing = true};
    result_pack(w, &pack);
    pack.writing = false;
    assert_true(result_close(w));

    w = result_continue(lab->mem, &pack, lab->path);
    pack_free(&pack);
    assert_int_equal(result_mode_number(w, "D", "s > 0", names), diode);
    result_mode(w, 1, diode, RESULT_ELSE);
    assert_int_equal(result_offset(w), at);
    result_mode(w, 2, diode, RESULT_GONE);
    assert_true(result_close(w));

    ResultReader *r = result_open(lab->mem, lab->path);
    const ResultMode expected[] = {{diode, "D", "s > 0", {"open", "closed"}, RESULT_ELSE},
                                   {top, "", "b", {"", ""}, RESULT_THEN},
                                   {diode, "D", "s > 0", {"open", "closed"}, RESULT_GONE}};
    const double times[] = {0, 0, 2};
    for (int i = 0; i < 3; i++) /* header, births */
        assert_true(result_next(r, &record));
    assert_string_equal(result_column(r, 0)->drawn, "Line");
    assert_null(result_column(r, 1)->drawn);
    for (int i = 0; i < 3; i++) {
        assert_true(result_next(r, &record));
        assert_int_equal(record.kind, RESULT_MODE);
        assert_true(record.time == times[i]);
        assert_int_equal(record.mode.number, expected[i].number);
        assert_string_equal(record.mode.path, expected[i].path);
        assert_string_equal(record.mode.condition, expected[i].condition);
        assert_int_equal(record.mode.choice, expected[i].choice);
        for (int j = 0; j < 2; j++)
            assert_string_equal(record.mode.names[j], expected[i].names[j]);
    }
    assert_false(result_next(r, &record));
    assert_int_equal(result_mode_count(r), 2);
    assert_int_equal(result_mode_choice(r, top), RESULT_THEN);
    result_close_reader(r);
}

static void memory_is_flat(void **state)
{
    Lab *lab = *state;
    assert_int_equal(peak_of_run(lab, 100), peak_of_run(lab, 1000));
}

/* Every allocation fails once: no crash, no lost file, all memory back. */
static void memory_may_run_out(void **state)
{
    Lab *lab = *state;
    write_whole_sample(lab);
    for (uint64_t n = 1; n < 200; n++) {
        Mem *mem = mem_open();
        MemGuard guard;
        ResultReader *volatile reader = NULL;
        int error;
        mem_guard_push(mem, &guard);
        if (setjmp(guard.env) == 0) {
            mem_fail_at(mem, n);
            reader = result_open(mem, lab->path);
            result_to_csv(mem, reader, lab->exported, NULL, &error);
            result_to_mat(mem, reader, lab->exported, NULL, &error);
            mem_guard_pop(mem, &guard);
        }
        result_close_reader(reader);
        mem_close(mem);
    }
}

static int run_all(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_lab, close_lab)
        TEST(round_trip),
        TEST(cut_at_every_byte),
        TEST(damage_at_every_byte),
        TEST(contents_are_not_believed),
        TEST(other_files_are_refused),
        TEST(csv_has_empty_cells),
        TEST(mat_is_laid_out_as_tools_expect),
        TEST(full_disk_is_reported),
        TEST(continued_file_has_the_same_bytes),
        TEST(random_lives),
        TEST(memory_is_flat),
        TEST(modes_are_changes),
        TEST(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    return soak_run("results", run_all);
}
