/* options.c: words of the command line -> option values. See options.h. */
#include "runtime/cli/options.h"

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
    if (option->kind == OPTION_POSITIVE && !(number->value > 0))
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
        if (folders && cli_folder(args, argument, folders))
            continue;
        const Option *option = find_option(n, options, argument);
        int code = option ? read_option(args, option, argument, log)
                          : args_fail(args, "unknown option '%s'", argument);
        if (code != EXIT_DONE)
            return code;
    }
    return EXIT_DONE;
}
