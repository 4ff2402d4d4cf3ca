/* options.c: words of the command line -> option values. See options.h. */
#include "runtime/cli/options.h"
#include "base/similar.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool option_parse_number(const char *text, double *value)
{
    char *end;
    if (!*text || isspace((unsigned char)*text))
        return false;
    *value = strtod(text, &end);
    return *end == '\0' && isfinite(*value);
}

bool option_parse_count(const char *text, uint64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *end == '\0' && errno == 0;
}

static int set_number(const Args *args, const Option *option, const char *text)
{
    OptionNumber *number = option->to;
    if (!option_parse_number(text, &number->value))
        return args_fail(args, "%s wants a number, not '%s'", option->name, text);
    if (option->kind != OPTION_NUMBER && !(number->value > 0))
        return args_fail(args, "%s wants a number above 0, not '%s'", option->name, text);
    number->given = true;
    return EXIT_DONE;
}

static int set_count(const Args *args, const Option *option, const char *text)
{
    OptionCount *count = option->to;
    if (!option_parse_count(text, &count->value))
        return args_fail(args, "%s wants a whole number, not '%s'", option->name, text);
    count->given = true;
    return EXIT_DONE;
}

static int add_text(const Args *args, const Option *option, const char *text)
{
    OptionTexts *texts = option->to;
    if (texts->n == OPTION_TEXTS_MAX)
        return args_fail(args, "%s is given more than %d times", option->name, OPTION_TEXTS_MAX);
    texts->at[texts->n++] = text;
    return EXIT_DONE;
}

static int set_choice(const Args *args, const Option *option, const char *text)
{
    char all[200] = "";
    for (uint32_t i = 0; option->choices[i]; i++) {
        if (strcmp(option->choices[i], text) == 0) {
            *(uint32_t *)option->to = i;
            return EXIT_DONE;
        }
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", option->choices[i]);
    }
    return args_fail(args, "%s wants one of %s, not '%s'", option->name, all, text);
}

static int set_value(const Args *args, const Option *option, const char *text)
{
    switch (option->kind) {
    case OPTION_NUMBER:
    case OPTION_POSITIVE:
    case OPTION_PERHAPS:
        return set_number(args, option, text);
    case OPTION_COUNT:
        return set_count(args, option, text);
    case OPTION_TEXTS:
        return add_text(args, option, text);
    case OPTION_CHOICE:
        return set_choice(args, option, text);
    case OPTION_TEXT:
        *(const char **)option->to = text;
        return EXIT_DONE;
    case OPTION_FLAG:
        break;
    }
    return args_fail(args, "%s takes no value", option->name);
}

static void log_option(OptionLog *log, const Option *option, const char *value)
{
    size_t used = strlen(log->text);
    snprintf(log->text + used, sizeof log->text - used, "%s%s%s%s", used ? " " : "", option->name,
             value ? " " : "", value ? value : "");
}

static int read_option(Args *args, const Option *option, const char *argument, OptionLog *log)
{
    const char *equals = strchr(argument, '='), *value = NULL;
    int code = EXIT_DONE;
    if (option->kind == OPTION_FLAG && !equals) {
        *(bool *)option->to = true;
    } else if (option->kind == OPTION_PERHAPS && !equals) {
        ((OptionNumber *)option->to)->given = true;
    } else {
        value = equals ? equals + 1 : args_next(args);
        if (!value)
            return args_fail(args, "%s wants a value", option->name);
        code = set_value(args, option, value);
    }
    if (log && !option->aside)
        log_option(log, option, value);
    return code;
}

static const Option *find_option(uint32_t n, const Option *options, const char *argument)
{
    size_t length = strcspn(argument, "=");
    for (uint32_t i = 0; i < n; i++)
        if (strlen(options[i].name) == length && strncmp(options[i].name, argument, length) == 0)
            return &options[i];
    return NULL;
}

/* ---- -L and limits of texts ---- */

static bool is_folder(const char *argument)
{
    return strncmp(argument, "-L", 2) == 0;
}

static int add_folder(Args *args, const char *argument, CliFolders *folders)
{
    const char *folder = argument[2] ? argument + 2 : args_next(args);
    if (!folder)
        return args_fail(args, "-L wants a folder");
    if (folders->n == CLI_MAX_FOLDERS)
        return args_fail(args, "-L more than %d times", CLI_MAX_FOLDERS);
    folders->at[folders->n++] = folder;
    return EXIT_DONE;
}

enum { LIMITS = 4 };

static const struct LimitOption {
    const char *name;
    uint32_t most;
} limit_options[LIMITS] = {
    {"--max-nesting", 2000}, /* what an ordinary stack bears */
    {"--max-definitions", UINT32_MAX},
    {"--max-statements", UINT32_MAX},
    {"--max-instances", UINT32_MAX},
};

/* Looks an argument up among the limits; LIMITS: it is none of them. */
static uint32_t find_limit(const char *argument)
{
    size_t length = strcspn(argument, "=");
    uint32_t i = 0;
    while (i < LIMITS && (strlen(limit_options[i].name) != length ||
                          strncmp(limit_options[i].name, argument, length) != 0))
        i++;
    return i;
}

static int read_limit(Args *args, uint32_t which, const char *argument, CliFolders *folders)
{
    uint32_t *const to[LIMITS] = {&folders->max_nesting, &folders->max_definitions,
                                  &folders->max_statements, &folders->max_instances};
    OptionCount count = {0};
    const struct LimitOption *limit = &limit_options[which];
    const Option option = {limit->name, OPTION_COUNT, &count, NULL, true};
    int code = read_option(args, &option, argument, NULL);
    if (code != EXIT_DONE)
        return code;
    if (count.value == 0 || count.value > limit->most)
        return args_fail(args, "%s wants a number from 1 to %u", limit->name, limit->most);
    *to[which] = (uint32_t)count.value;
    return EXIT_DONE;
}

static int read_units(Args *args, const char *argument, CliFolders *folders)
{
    static const char *const choices[] = {"warn", "strict", NULL};
    int choice = 0;
    const Option option = {"--units", OPTION_CHOICE, &choice, choices, true};
    int code = read_option(args, &option, argument, NULL);
    folders->strict_units = choice == 1;
    return code;
}

/* ---- a whole command line ---- */

static int unknown_option(const Args *args, uint32_t n, const Option *options, const char *argument)
{
    const char *best = NULL;
    uint32_t least = UINT32_MAX;
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(argument, "="), argument);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t distance = similar_distance(word, options[i].name);
        if (distance < least && similar_enough(word, distance)) {
            least = distance;
            best = options[i].name;
        }
    }
    if (best)
        return args_fail(args, "unknown option '%s': did you mean %s?", argument, best);
    return args_fail(args, "unknown option '%s'", argument);
}

static int read_any(Args *args, uint32_t n, const Option *options, CliFolders *folders,
                    const char *argument, OptionLog *log)
{
    uint32_t limit = folders ? find_limit(argument) : LIMITS;
    const Option *option = find_option(n, options, argument);
    if (limit < LIMITS)
        return read_limit(args, limit, argument, folders);
    if (folders && strncmp(argument, "--units", 7) == 0 && (!argument[7] || argument[7] == '='))
        return read_units(args, argument, folders);
    if (folders && is_folder(argument))
        return add_folder(args, argument, folders);
    if (option)
        return read_option(args, option, argument, log);
    return unknown_option(args, n, options, argument);
}

int options_read(Args *args, uint32_t n, const Option *options, CliFolders *folders, uint32_t max,
                 const char **operands, uint32_t *n_operands, OptionLog *log)
{
    const char *argument;
    bool only_operands = false;
    *n_operands = 0;
    while ((argument = args_next(args))) {
        if (only_operands || argument[0] != '-' || !argument[1]) {
            if (*n_operands == max)
                return args_fail(args, "one word too many: '%s'", argument);
            operands[(*n_operands)++] = argument;
            continue;
        }
        if (strcmp(argument, "--") == 0) {
            only_operands = true;
            continue;
        }
        int code = read_any(args, n, options, folders, argument, log);
        if (code != EXIT_DONE)
            return code;
    }
    return EXIT_DONE;
}

int options_read_file(Args *args, uint32_t n, const Option *options, CliFolders *folders,
                      const char **file)
{
    uint32_t found;
    int code = options_read(args, n, options, folders, 1, file, &found, NULL);
    if (code == EXIT_DONE && found == 0)
        return args_fail(args, "which file?");
    return code;
}

int options_split_sets(const Args *args, const OptionTexts *texts, OptionSets *sets)
{
    size_t used = 0;
    for (uint32_t i = 0; i < texts->n; i++) {
        const char *text = texts->at[i], *equals = strchr(text, '=');
        size_t n = strlen(text) + 1;
        if (!equals || equals == text || !equals[1])
            return args_fail(args, "--set wants PATH=VALUE, not '%s'", text);
        if (n > sizeof sets->text - used)
            return args_fail(args, "all --set together are longer than %zu bytes",
                             sizeof sets->text);
        char *copy = memcpy(sets->text + used, text, n);
        copy[equals - text] = '\0';
        sets->at[i] = (SolSet){copy, copy + (equals - text) + 1};
        used += n;
    }
    return EXIT_DONE;
}
