/* live_socket.c: a socket in the file system, of its user alone -> lines of commands; answers of JSON back. See
 * docs/protocol.md.
 *
 * One client at a time; the model goes on where the one before left it. Clients read and write no files. */
#define _GNU_SOURCE
#include "runtime/cli/live.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { LONGEST = 1 << 20 }; /* bytes of a message */

static int complain(const char *path)
{
    fprintf(stderr, "solstice: error: %s: %s\n", path, strerror(errno));
    return 4;
}

/* A file that a session left behind that was killed: nobody listens there. */
static bool remove_stale(int fd, const struct sockaddr_un *address)
{
    return errno == EADDRINUSE &&
           connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 &&
           errno == ECONNREFUSED && unlink(address->sun_path) == 0;
}

/* -1 after a message. Nobody else can connect: the file is made with the user's rights alone. */
static int open_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        fprintf(stderr, "solstice: error: %s: the name is too long for a socket\n", path);
        return -1;
    }
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    mode_t before = umask(0177);
    bool fine = fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
    if (fd >= 0 && !fine && remove_stale(fd, &address))
        fine = bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
    umask(before);
    if (fine && chmod(path, 0600) == 0 && listen(fd, 4) == 0)
        return fd;
    complain(path);
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Bytes up to the end of a line, without it; false: the client is gone, or says too much. */
static bool read_line(Live *live, FILE *in, char **line, size_t *room)
{
    size_t n = 0;
    for (int c = getc(in); c != '\n'; c = getc(in)) {
        if (c == EOF)
            return false;
        if (n + 2 > LONGEST) {
            answer_begin(live, "?");
            answer_fail(live, "a message is longer than %d bytes", LONGEST);
            answer_end(live);
            return false;
        }
        if (n + 2 > *room) {
            *room = 2 * (n + 128);
            *line = mem_resize(live->mem, *line, *room);
        }
        (*line)[n++] = c < ' ' ? ' ' : (char)c; /* a message is one line of text */
    }
    if (*room == 0)
        *line = mem_resize(live->mem, *line, *room = 16);
    (*line)[n] = 0;
    return true;
}

/* Every line has an answer, also one without a command. */
static void answer_line(Live *live, const char *line)
{
    if (line[strspn(line, " \t\r")] && line[strspn(line, " \t\r")] != '/') {
        live_line(live, line);
        return;
    }
    answer_begin(live, "?");
    answer_end(live);
}

/* ---- a client that does not want to wait ---- */

/* Is `stop` among the lines that wait to be read, or has the client gone? */
static bool wants_stop(int fd)
{
    char bytes[1 << 16];
    struct pollfd p = {.fd = fd, .events = POLLIN | POLLRDHUP};
    if (poll(&p, 1, 50) <= 0)
        return false;
    ssize_t n = recv(fd, bytes, sizeof bytes - 1, MSG_PEEK | MSG_DONTWAIT);
    if (n == 0 || (p.revents & (POLLHUP | POLLERR)))
        return true;
    if (n < 0)
        return false;
    bytes[n] = 0;
    for (const char *at = strstr(bytes, "stop"); at; at = strstr(at + 1, "stop"))
        if ((at == bytes || at[-1] == '\n') && (at[4] == '\n' || at[4] == '\r'))
            return true;
    usleep(50000); /* other lines wait for the end of the run */
    return false;
}

static void *listen_on(void *context)
{
    Live *live = context;
    while (!atomic_load(&live->run_ended))
        if (wants_stop(live->client)) {
            sol_cancel(live->sim);
            break;
        }
    return NULL;
}

void live_hear(Live *live, bool running)
{
    if (live->client < 0)
        return;
    if (running) {
        atomic_store(&live->run_ended, false);
        live->hearing = pthread_create(&live->listener, NULL, listen_on, live) == 0;
    } else if (live->hearing) {
        atomic_store(&live->run_ended, true);
        pthread_join(live->listener, NULL);
        live->hearing = false;
    }
}

static void talk_to(Live *live, int fd)
{
    char *line = NULL;
    size_t room = 0;
    int other = dup(fd);
    FILE *in = fdopen(fd, "r"), *out = other >= 0 ? fdopen(other, "w") : NULL;
    if (in && out) {
        live->out = out;
        live->client = fd;
        while (!live->done && !ferror(out) && read_line(live, in, &line, &room))
            answer_line(live, line);
        live->out = stdout;
        live->client = -1;
        if (live->watches.n) {
            live_drop_watches(live);
            live_note(live, "watch");
        }
        if (live->collecting)
            live_note(live, "abort");
        live_drop_pending(live);
    }
    mem_free(live->mem, line);
    if (in)
        fclose(in);
    else
        close(fd);
    if (out)
        fclose(out);
    else if (other >= 0)
        close(other);
}

int live_serve(Live *live, const char *path)
{
    int fd = open_socket(path);
    if (fd < 0)
        return 4;
    live->style = LIVE_JSON;
    live->files = false;
    fprintf(stderr, "listening on %s\n", path);
    while (!live->done) {
        int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
        if (client < 0 && errno != EINTR && errno != ECONNABORTED)
            break;
        if (client >= 0)
            talk_to(live, client);
    }
    close(fd);
    unlink(path);
    return 0;
}
