/* web_server.h: a page and its messages over HTTP and WebSockets, on this machine alone: what the module WEB_MODULE does for
 * `solstice serve`. It is a module so that other commands need not load libwebsockets.
 *
 * A thread of its own serves. Who has the token in the address gets the page, and may open a WebSocket /ws of the
 * protocol "solstice"; Host and Origin must be those of this server. A message is a text of at most WEB_LONGEST
 * bytes. What is sent waits in a queue of its client; one that does not read is cut off, and nobody else waits for it. */
#ifndef RUNTIME_CLI_WEB_WEB_SERVER_H
#define RUNTIME_CLI_WEB_WEB_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WEB_LONGEST = 1 << 20, WEB_CLIENTS = 16 };

/* Called by the thread that serves. Numbers of clients are never used again. */
typedef struct WebUser {
    void *context;
    const char *page; /* the only thing that is served */
    size_t page_size;
    const char *token; /* hexadecimal digits */
    const char *nonce; /* of the scripts and styles in the page */
    int port;          /* 0: any that is free */
    void (*joined)(void *context, uint32_t client);
    void (*message)(void *context, uint32_t client, const char *text, size_t n);
    void (*left)(void *context, uint32_t client);
} WebUser;

typedef struct Web Web;

typedef struct WebModule {
    Web *(*open)(const WebUser *user, int *port, char *words,
                 size_t size);                                           /* NULL: `words` say why */
    void (*send)(Web *web, uint32_t client, const char *text, size_t n); /* from any thread */
    bool (*idle)(Web *web, uint32_t client); /* all that was sent to it is on its way */
    void (*close)(Web *web);
} WebModule;

#define WEB_MODULE "solstice_web.so"
#define WEB_SYMBOL "solstice_web"

#endif
