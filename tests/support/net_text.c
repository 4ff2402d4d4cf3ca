/* net_text.c: a list of components and nodes -> a model in Sol. See net_text.h. */
#include "tests/support/net_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 400, WORD = 64, MOST_PINS = 4 };

typedef struct Nodes {
    char name[MOST_NODES][WORD], pin[MOST_NODES][2 * WORD];
    int n;
} Nodes;

static const char *const pin_names[MOST_PINS + 1][MOST_PINS] = {
    {0}, {"p"}, {"p", "n"}, {"p", "n1", "n2"}, {"p1", "n1", "p2", "n2"}};

/* The pin that was the last on the node, or NULL; from now on it is `pin`. */
static const char *last_pin(Nodes *nodes, const char *node, const char *pin, char *before)
{
    int i = 0;
    while (i < nodes->n && strcmp(nodes->name[i], node) != 0)
        i++;
    if (i == MOST_NODES)
        abort();
    strcpy(before, i < nodes->n ? nodes->pin[i] : "");
    strcpy(nodes->name[i], node);
    strcpy(nodes->pin[i], pin);
    nodes->n += i == nodes->n;
    return *before ? before : NULL;
}

/* "Type name{parameters}": the type without its package, the name, what follows it. */
static const char *component(const char *at, char *declared, size_t size, char *name)
{
    char type[2 * WORD];
    int used = 0;
    if (sscanf(at, " %127s %63[A-Za-z0-9_]%n", type, name, &used) != 2)
        abort();
    const char *end = at + used;
    if (*end == '{')
        end = strchr(end, '}') + 1;
    snprintf(declared, size, "  static Electric.%s %.*s;\n", type,
             (int)(end - (at + used - (int)strlen(name))), at + used - (int)strlen(name));
    return end;
}

static void add(char *out, size_t size, const char *text)
{
    size_t used = strlen(out);
    if (used + strlen(text) + 1 > size)
        abort();
    strcpy(out + used, text);
}

static void connect(Nodes *nodes, const char *name, const char *at, char *out, size_t size)
{
    char node[MOST_PINS][WORD], pin[2 * WORD], before[2 * WORD], line[8 * WORD];
    int n =
        sscanf(at, " %63[^; !] %63[^; !] %63[^; !] %63[^; !]", node[0], node[1], node[2], node[3]);
    for (int i = 0; i < n; i++) {
        snprintf(pin, sizeof pin, "%s.%s", name, pin_names[n][i]);
        if (!last_pin(nodes, node[i], pin, before))
            continue;
        snprintf(line, sizeof line, "  connection{a << %s, b << %s};\n", before, pin);
        add(out, size, line);
    }
}

void net_text(const char *net, const char *name, char *out, size_t size)
{
    Nodes *nodes = calloc(1, sizeof *nodes);
    char *links = calloc(1, size), line[8 * WORD], one[WORD];
    const char *end = strchr(net, '!');
    snprintf(out, size, "model %s\ninterface:\n", name);
    for (const char *at = net; at && *at && (!end || at < end);) {
        const char *rest = component(at, line, sizeof line, one);
        add(out, size, line);
        connect(nodes, one, rest, links, size);
        at = strchr(rest, ';');
        at = at ? at + 1 : NULL;
    }
    add(out, size, "implementation:\n");
    add(out, size, links);
    if (end)
        add(out, size, end + 1);
    snprintf(line, sizeof line, "\nend %s;\n", name);
    add(out, size, line);
    free(links);
    free(nodes);
}
