/* web_server.c: libwebsockets -> a page and its messages. See web_server.h. */
#include "runtime/cli/web/web_server.h"

#include <libwebsockets.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WAITING = 8 << 20, CHUNK = 1 << 14, HEADER = 2048 };

typedef struct Outgoing {
    struct Outgoing *next;
    size_t n;
    unsigned char bytes[]; /* LWS_PRE, then the text */
} Outgoing;

typedef struct Client {
    uint32_t id; /* 0: nobody */
    struct lws *wsi;
    Outgoing *first, *last;
    size_t waiting; /* bytes */
    bool overflow;
    char *text; /* a message that is not complete yet */
    size_t n, room;
} Client;

struct Web {
    WebUser user;
    struct lws_context *context;
    int port;
    pthread_t thread;
    atomic_bool stops;
    pthread_mutex_t lock; /* over queues and numbers of clients */
    Client clients[WEB_CLIENTS];
    uint32_t last_id;
};

typedef struct Visit { /* a request */
    size_t sent;
    bool page;
} Visit;

static Web *web_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

/* ---- who may come in ---- */

/* Takes as long for any text of this length. */
static bool same_secret(const char *given, const char *wanted)
{
    size_t n = strlen(wanted);
    unsigned char difference = strlen(given) != n;
    for (size_t i = 0; i < n && given[i]; i++)
        difference |= (unsigned char)(given[i] ^ wanted[i]);
    return difference == 0;
}

static bool has_token(const Web *web, struct lws *wsi)
{
    char given[128] = "";
    const char *found = lws_get_urlarg_by_name(wsi, "token=", given, sizeof given);
    return found && same_secret(found, web->user.token);
}

static bool is_own_host(const Web *web, const char *host)
{
    char own[2][40];
    snprintf(own[0], sizeof own[0], "127.0.0.1:%d", web->port);
    snprintf(own[1], sizeof own[1], "localhost:%d", web->port);
    return strcmp(host, own[0]) == 0 || strcmp(host, own[1]) == 0;
}

/* Browsers tell where a page comes from; other programs need not. */
static bool is_own_origin(const Web *web, struct lws *wsi)
{
    char origin[100] = "";
    int n = lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN);
    if (n <= 0)
        return true;
    return lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN) > 0 &&
           strncmp(origin, "http://", 7) == 0 && is_own_host(web, origin + 7);
}

static bool is_welcome(const Web *web, struct lws *wsi)
{
    char host[100] = "";
    return lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST) > 0 && is_own_host(web, host) &&
           is_own_origin(web, wsi) && has_token(web, wsi);
}

/* ---- the page ---- */

static int add_header(struct lws *wsi, const char *name, const char *value, unsigned char **at,
                      unsigned char *end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name,
                                       (const unsigned char *)value, (int)strlen(value), at, end);
}

static int begin_page(const Web *web, struct lws *wsi, Visit *visit)
{
    unsigned char buffer[LWS_PRE + HEADER], *start = buffer + LWS_PRE, *at = start;
    unsigned char *end = buffer + sizeof buffer - 1;
    char policy[400];
    snprintf(policy, sizeof policy,
             "default-src 'none'; script-src 'nonce-%s'; style-src 'nonce-%s'; style-src-attr "
             "'unsafe-inline'; img-src data:; connect-src 'self' ws://127.0.0.1:%d "
             "ws://localhost:%d; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
             web->user.nonce, web->user.nonce, web->port, web->port);
    if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, "text/html; charset=utf-8",
                                    web->user.page_size, &at, end) ||
        add_header(wsi, "content-security-policy:", policy, &at, end) ||
        add_header(wsi, "cache-control:", "no-store", &at, end) ||
        add_header(wsi, "referrer-policy:", "no-referrer", &at, end) ||
        add_header(wsi, "x-content-type-options:", "nosniff", &at, end) ||
        lws_finalize_write_http_header(wsi, start, &at, end))
        return 1;
    visit->page = true;
    visit->sent = 0;
    lws_callback_on_writable(wsi);
    return 0;
}

static int go_on_with_page(const Web *web, struct lws *wsi, Visit *visit)
{
    unsigned char buffer[LWS_PRE + CHUNK];
    size_t left = web->user.page_size - visit->sent, n = left < CHUNK ? left : CHUNK;
    bool last = n == left;
    if (!visit->page)
        return 0;
    memcpy(buffer + LWS_PRE, web->user.page + visit->sent, n);
    if (lws_write(wsi, buffer + LWS_PRE, n, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0)
        return 1;
    visit->sent += n;
    if (!last) {
        lws_callback_on_writable(wsi);
        return 0;
    }
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int refuse(struct lws *wsi, unsigned status)
{
    lws_return_http_status(wsi, status, NULL);
    return -1;
}

static int on_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                   size_t n)
{
    Web *web = web_of(wsi);
    (void)n;
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        if (!web || !is_welcome(web, wsi))
            return refuse(wsi, HTTP_STATUS_FORBIDDEN);
        if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0)
            return refuse(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED);
        if (strcmp(in, "/") != 0)
            return refuse(wsi, HTTP_STATUS_NOT_FOUND);
        return begin_page(web, wsi, user);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return web ? go_on_with_page(web, wsi, user) : -1;
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: /* a WebSocket of this protocol */
    case LWS_CALLBACK_HTTP_BODY:
    case LWS_CALLBACK_HTTP_FILE_COMPLETION:
        return -1;
    default:
        return 0;
    }
}

/* ---- clients ---- */

static Client *client_of(Web *web, const struct lws *wsi)
{
    for (uint32_t i = 0; i < WEB_CLIENTS; i++)
        if (web->clients[i].id && web->clients[i].wsi == wsi)
            return &web->clients[i];
    return NULL;
}

static Client *client_by_id(Web *web, uint32_t id)
{
    for (uint32_t i = 0; i < WEB_CLIENTS; i++)
        if (id && web->clients[i].id == id)
            return &web->clients[i];
    return NULL;
}

static int enter(Web *web, struct lws *wsi)
{
    uint32_t id = 0;
    pthread_mutex_lock(&web->lock);
    for (uint32_t i = 0; i < WEB_CLIENTS && !id; i++)
        if (!web->clients[i].id) {
            id = ++web->last_id;
            web->clients[i] = (Client){.id = id, .wsi = wsi};
        }
    pthread_mutex_unlock(&web->lock);
    if (!id)
        return -1;
    web->user.joined(web->user.context, id);
    return 0;
}

static void leave(Web *web, const struct lws *wsi)
{
    pthread_mutex_lock(&web->lock);
    Client *c = client_of(web, wsi);
    uint32_t id = c ? c->id : 0;
    while (c && c->first) {
        Outgoing *o = c->first;
        c->first = o->next;
        free(o);
    }
    if (c) {
        free(c->text);
        *c = (Client){0};
    }
    pthread_mutex_unlock(&web->lock);
    if (id)
        web->user.left(web->user.context, id);
}

/* Only the thread that serves touches a message that arrives. */
static int take_text(Web *web, struct lws *wsi, const char *bytes, size_t n)
{
    Client *c = client_of(web, wsi);
    if (!c || lws_frame_is_binary(wsi))
        return -1;
    if (c->n + n > WEB_LONGEST) {
        lws_close_reason(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, NULL, 0);
        return -1;
    }
    if (c->n + n + 1 > c->room) {
        size_t room = 2 * (c->n + n + 1);
        char *more = realloc(c->text, room);
        if (!more)
            return -1;
        c->text = more;
        c->room = room;
    }
    memcpy(c->text + c->n, bytes, n);
    c->n += n;
    if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi))
        return 0;
    c->text[c->n] = 0;
    web->user.message(web->user.context, c->id, c->text, c->n);
    c->n = 0;
    return 0;
}

static int write_next(Web *web, struct lws *wsi)
{
    pthread_mutex_lock(&web->lock);
    Client *c = client_of(web, wsi);
    bool overflow = !c || c->overflow, more = false;
    Outgoing *o = c ? c->first : NULL;
    if (o) {
        c->first = o->next;
        c->last = c->first ? c->last : NULL;
        more = c->first != NULL;
    }
    pthread_mutex_unlock(&web->lock);
    int status = overflow ? -1 : 0;
    if (o && !overflow && lws_write(wsi, o->bytes + LWS_PRE, o->n, LWS_WRITE_TEXT) < 0)
        status = -1;
    if (o) {
        pthread_mutex_lock(&web->lock);
        if ((c = client_of(web, wsi)) != NULL)
            c->waiting -= o->n;
        pthread_mutex_unlock(&web->lock);
        free(o);
    }
    if (more && status == 0)
        lws_callback_on_writable(wsi);
    return status;
}

static void wake_writers(Web *web)
{
    pthread_mutex_lock(&web->lock);
    for (uint32_t i = 0; i < WEB_CLIENTS; i++)
        if (web->clients[i].id && (web->clients[i].first || web->clients[i].overflow))
            lws_callback_on_writable(web->clients[i].wsi);
    pthread_mutex_unlock(&web->lock);
}

static int on_socket(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                     size_t n)
{
    Web *web = web_of(wsi);
    char uri[8] = "";
    (void)user;
    if (!web)
        return 0;
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return !is_welcome(web, wsi) ||
               lws_hdr_copy(wsi, uri, sizeof uri, WSI_TOKEN_GET_URI) <= 0 ||
               strcmp(uri, "/ws") != 0;
    case LWS_CALLBACK_ESTABLISHED:
        return enter(web, wsi);
    case LWS_CALLBACK_RECEIVE:
        return take_text(web, wsi, in, n);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return write_next(web, wsi);
    case LWS_CALLBACK_CLOSED:
        leave(web, wsi);
        return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        wake_writers(web);
        return 0;
    default:
        return 0;
    }
}

/* ---- life ---- */

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = on_http, .per_session_data_size = sizeof(Visit)},
    {.name = "solstice", .callback = on_socket, .rx_buffer_size = 1 << 16},
    {0},
};

static const lws_retry_bo_t patience = {.secs_since_valid_ping = 30, .secs_since_valid_hangup = 60};

static void *serve(void *argument)
{
    Web *web = argument;
    while (!atomic_load(&web->stops) && lws_service(web->context, 0) >= 0)
        ;
    return NULL;
}

static struct lws_context *make_context(Web *web)
{
    struct lws_context_creation_info info = {0};
    lws_set_log_level(0, NULL);
    info.port = web->user.port;
    info.iface = "127.0.0.1";
    info.protocols = protocols;
    info.user = web;
    info.gid = (gid_t)-1;
    info.uid = (uid_t)-1;
    info.options = LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
    info.retry_and_idle_policy = &patience;
    info.timeout_secs = 10;
    return lws_create_context(&info);
}

static void web_close(Web *web)
{
    if (!web)
        return;
    atomic_store(&web->stops, true);
    lws_cancel_service(web->context);
    pthread_join(web->thread, NULL);
    lws_context_destroy(web->context);
    pthread_mutex_destroy(&web->lock);
    free(web);
}

static Web *web_open(const WebUser *user, int *port, char *words, size_t size)
{
    Web *web = calloc(1, sizeof *web);
    if (!web)
        return NULL;
    web->user = *user;
    pthread_mutex_init(&web->lock, NULL);
    web->context = make_context(web);
    if (!web->context) {
        snprintf(words, size, "port %d of 127.0.0.1 cannot be served", user->port);
        free(web);
        return NULL;
    }
    *port = web->port = lws_get_vhost_listen_port(lws_get_vhost_by_name(web->context, "default"));
    if (pthread_create(&web->thread, NULL, serve, web) == 0)
        return web;
    snprintf(words, size, "no thread can be made");
    lws_context_destroy(web->context);
    free(web);
    return NULL;
}

static void web_send(Web *web, uint32_t client, const char *text, size_t n)
{
    Outgoing *o = malloc(sizeof *o + LWS_PRE + n);
    pthread_mutex_lock(&web->lock);
    Client *c = client_by_id(web, client);
    if (!o || !c || c->waiting + n > MOST_WAITING) {
        if (c)
            c->overflow = true;
        free(o);
    } else {
        o->next = NULL;
        o->n = n;
        memcpy(o->bytes + LWS_PRE, text, n);
        *(c->last ? &c->last->next : &c->first) = o;
        c->last = o;
        c->waiting += n;
    }
    pthread_mutex_unlock(&web->lock);
    lws_cancel_service(web->context);
}

static bool web_idle(Web *web, uint32_t client)
{
    pthread_mutex_lock(&web->lock);
    const Client *c = client_by_id(web, client);
    bool idle = c && c->waiting == 0;
    pthread_mutex_unlock(&web->lock);
    return idle;
}

__attribute__((visibility("default")))
const WebModule solstice_web = {web_open, web_send, web_idle, web_close};
