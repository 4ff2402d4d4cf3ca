/* sweep_team.c: cases that are not done -> worker processes, outcomes back. See sweep.h.
 *
 * Processes and not threads: a case that ends its process (a foreign function, no memory) costs one case and not the sweep. They are
 * forked from a process that has parsed the model and has no threads, so definitions are shared. Each gets lists of cases through a
 * pipe and answers through another, in the same order. The parent knows what each has to do, so when one dies the first case without
 * an answer is the one that ended it: by an error of its own, which is the outcome; or by a signal from outside (SIGKILL, SIGTERM), after
 * which it is tried again, five times in all. While all have more to do the parent sleeps and answers wait in the pipes.
 *
 * Under mpirun each rank has such a team: that of rank 0 shares its list with the other ranks (serve_others), the others get theirs from it
 * (work_for_first). Processes are forked before MPI begins, but for those that replace dead ones. */
#define _GNU_SOURCE
#include "base/timer.h"
#include "runtime/cli/sweep.h"
#include "runtime/results/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 64, QUEUE = 2 * BATCH, ATTEMPTS = 5, PIPE_HEAD = 4, PIPE_ROOM = 65536 };

static const double BATCH_SECONDS = 0.05, PERIOD = 0.1, REST = 0.01;

typedef struct Worker {
    pid_t pid; /* 0: there is none */
    int to, from;
    uint64_t queue[QUEUE]; /* cases it has to do, in order */
    uint32_t n_queue;
    uint8_t *bytes; /* of an answer that is not whole yet */
    size_t n_bytes;
} Worker;

typedef struct Team {
    Sweep *sweep;
    SolModel *model;
    uint32_t n;
    Worker *workers;
    uint64_t next;       /* cases below were handed out or are done */
    VEC(uint64_t) again; /* those of workers that died */
    uint8_t *attempts;   /* [case]: workers that were killed with it */
    size_t room;         /* of an answer, at most */
    uint8_t *message;    /* from or to another rank */
    SweepOutcome outcome;
    double began, shown_at; /* on the clock */
    uint64_t finished;      /* since then */
    bool shown;             /* a line of progress */
    bool quiet;
    SweepLink *link;           /* to other ranks, or NULL */
    uint64_t given[2 * BATCH]; /* cases that rank 0 gave and no worker has, of another rank */
    uint32_t n_given;
    bool asked;     /* for more, and no answer yet */
    bool all_given; /* of another rank: there are no more */
    int dismissed;  /* of rank 0: ranks that know that there are no more */
} Team;

static volatile sig_atomic_t stopped_by;

static void note_signal(int number)
{
    stopped_by = number;
}

/* ---- the worker ---- */

static bool read_exactly(int fd, void *to, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t got = read(fd, (uint8_t *)to + done, n - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static bool write_exactly(int fd, const void *from, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t put = write(fd, (const uint8_t *)from + done, n - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        done += (size_t)put;
    }
    return true;
}

static bool answer(const SweepJob *job, int to, const SweepOutcome *outcome, uint8_t *bytes)
{
    size_t n = sweep_pack(job, outcome, bytes + PIPE_HEAD);
    put_u32(bytes, (uint32_t)n);
    return write_exactly(to, bytes, PIPE_HEAD + n);
}

/* Until the parent closes the pipe. */
static int work(const SweepJob *job, SolModel *model, int from, int to)
{
    SweepRunner *runner = sweep_runner_open(job, model);
    uint8_t *bytes = malloc(PIPE_HEAD + sweep_pack_size(job));
    SweepOutcome outcome = {.values = calloc(job->n_quantities + 1, sizeof(double))};
    uint64_t list[BATCH];
    uint32_t n;
    bool good = runner && bytes && outcome.values;
    while (good && read_exactly(from, &n, sizeof n) && n <= BATCH &&
           read_exactly(from, list, n * sizeof *list))
        for (uint32_t i = 0; i < n && good; i++) {
            outcome.index = list[i];
            sweep_run(runner, &outcome);
            good = answer(job, to, &outcome, bytes);
        }
    sweep_runner_close(runner);
    free(bytes);
    free(outcome.values);
    return good ? 0 : 1;
}

static _Noreturn void be_worker(Team *t, pid_t parent, int from, int to)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    signal(SIGINT, SIG_IGN); /* the terminal tells all; the parent decides */
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    if (t->sweep->fd >= 0)
        close(t->sweep->fd);
    for (uint32_t i = 0; i < t->n; i++)
        if (t->workers[i].pid) { /* pipes of others: one that lives must not keep them open */
            close(t->workers[i].to);
            close(t->workers[i].from);
        }
    _exit(work(t->sweep->job, t->model, from, to));
}

/* ---- starting and ending ---- */

static bool start_worker(Team *t, Worker *w)
{
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0)
        return false;
    if (pipe2(from, O_CLOEXEC) != 0) {
        close(to[0]), close(to[1]);
        return false;
    }
    fflush(NULL);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        close(to[1]), close(from[0]);
        be_worker(t, parent, to[0], from[1]);
    }
    close(to[0]), close(from[1]);
    if (pid < 0) {
        close(to[1]), close(from[0]);
        return false;
    }
    w->pid = pid;
    w->to = to[1];
    w->from = from[0];
    w->n_queue = 0;
    w->n_bytes = 0;
    return true;
}

static int end_worker(Worker *w)
{
    int status = 0;
    close(w->to);
    close(w->from);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        ;
    w->pid = 0;
    return status;
}

/* ---- handing out ---- */

/* This is another rank than 0. */
static bool is_hand(void)
{
    return sweep_rank() > 0;
}

static bool next_case(Team *t, uint64_t *index)
{
    const Sweep *s = t->sweep;
    if (t->again.n) {
        *index = vec_pop(&t->again);
        return true;
    }
    if (is_hand()) {
        bool any = t->n_given > 0;
        if (any)
            *index = t->given[--t->n_given];
        return any;
    }
    while (t->next < s->job->cases->n && s->done[t->next])
        t->next++;
    *index = t->next;
    return t->next++ < s->job->cases->n;
}

/* Who runs the cases whose outcomes come here. */
static uint32_t hands(const Team *t)
{
    return t->n + (t->link && !is_hand() ? (uint32_t)sweep_link_others(t->link) : 0);
}

/* Seconds that a case takes. */
static double each(const Team *t)
{
    double seconds = timer_now() - t->began;
    return t->finished ? seconds * hands(t) / (double)t->finished : BATCH_SECONDS;
}

/* As many as take a moment, and not all of what is left. */
static uint32_t batch_size(const Team *t)
{
    uint64_t left = (t->sweep->job->cases->n - t->sweep->n_done) / (4 * hands(t)) + 1;
    double size = each(t) > 0 ? BATCH_SECONDS / each(t) : BATCH;
    size = size < 1 ? 1 : size > BATCH ? BATCH : size;
    return (uint32_t)(size < (double)left ? size : (double)left);
}

/* False: the worker is gone, which its other pipe tells too. */
static void hand_out(Team *t, Worker *w)
{
    uint64_t list[BATCH];
    uint32_t n = 0, size = batch_size(t);
    if (w->n_queue > size / 2 || w->n_queue + size > QUEUE || stopped_by)
        return;
    while (n < size && next_case(t, &list[n]))
        w->queue[w->n_queue++] = list[n++];
    if (n > 0 && write_exactly(w->to, &n, sizeof n))
        write_exactly(w->to, list, n * sizeof *list);
}

/* ---- answers ---- */

static bool take_outcome(Team *t, const SweepOutcome *outcome)
{
    t->finished++;
    if (!is_hand())
        return sweep_add(t->sweep, outcome);
    sweep_link_outcome(t->link, t->message, sweep_pack(t->sweep->job, outcome, t->message));
    return true;
}

/* The whole answers among the bytes. False: they cannot be kept, or make no sense. */
static bool take_answers(Team *t, Worker *w)
{
    size_t at = 0;
    while (w->n_bytes - at >= PIPE_HEAD) {
        size_t n = get_u32(w->bytes + at);
        if (n > t->room - PIPE_HEAD)
            return false;
        if (w->n_bytes - at < PIPE_HEAD + n)
            break;
        if (!sweep_unpack(t->sweep->job, w->bytes + at + PIPE_HEAD, n, &t->outcome) ||
            w->n_queue == 0 || w->queue[0] != t->outcome.index)
            return false;
        memmove(w->queue, w->queue + 1, --w->n_queue * sizeof *w->queue);
        if (!take_outcome(t, &t->outcome))
            return false;
        at += PIPE_HEAD + n;
    }
    memmove(w->bytes, w->bytes + at, w->n_bytes - at);
    w->n_bytes -= at;
    return true;
}

static bool from_outside(int status)
{
    return WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM ||
                                   WTERMSIG(status) == SIGHUP);
}

/* The case that was being run when the process ended. */
static bool bury(Team *t, uint64_t index, int status)
{
    if (from_outside(status) && ++t->attempts[index] < ATTEMPTS) {
        vec_push(t->sweep->mem, &t->again, index);
        return true;
    }
    SweepOutcome *outcome = &t->outcome;
    outcome->index = index;
    outcome->status = SWEEP_CRASHED;
    for (uint32_t i = 0; i < t->sweep->job->n_quantities; i++)
        outcome->values[i] = __builtin_nan("");
    if (WIFSIGNALED(status))
        snprintf(outcome->message, SWEEP_MESSAGE, "its process was ended by signal %d (%s)",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(outcome->message, SWEEP_MESSAGE, "its process ended with exit code %d",
                 WEXITSTATUS(status));
    return take_outcome(t, outcome);
}

static bool replace_worker(Team *t, Worker *w)
{
    int status = end_worker(w);
    bool good = true;
    for (uint32_t i = w->n_queue; i-- > 1;)
        vec_push(t->sweep->mem, &t->again, w->queue[i]);
    if (w->n_queue)
        good = bury(t, w->queue[0], status);
    w->n_queue = 0;
    return good && start_worker(t, w);
}

static bool listen_to(Team *t, Worker *w)
{
    ssize_t got = read(w->from, w->bytes + w->n_bytes, PIPE_ROOM);
    if (got < 0 && errno == EINTR)
        return true;
    if (got <= 0)
        return replace_worker(t, w);
    w->n_bytes += (size_t)got;
    return take_answers(t, w);
}

/* ---- progress ---- */

static void show_progress(Team *t, double now)
{
    const Sweep *s = t->sweep;
    uint64_t n = s->job->cases->n, left = n - s->n_done;
    if (t->quiet || !cli_terminal() || now < t->shown_at + PERIOD)
        return;
    t->shown_at = now;
    t->shown = true;
    fprintf(stderr, "\r%3.0f %%  %" PRIu64 " of %" PRIu64 " cases",
            100.0 * (double)s->n_done / (double)n, s->n_done, n);
    if (s->n_failed)
        fprintf(stderr, ", %" PRIu64 " failed", s->n_failed);
    fprintf(stderr, "  %.0f s", now - t->began);
    if (t->finished)
        fprintf(stderr, ", %.0f s left", (now - t->began) * (double)left / (double)t->finished);
    fputs("\033[K", stderr);
    fflush(stderr);
}

/* ---- other ranks ---- */

/* Rank 0: all that the others have said. */
static bool serve_others(Team *t)
{
    uint64_t list[BATCH];
    SweepNews news;
    size_t n;
    int rank;
    while ((news = sweep_link_news(t->link, t->message, t->room, &n, &rank)) != SWEEP_NO_NEWS) {
        uint32_t size = batch_size(t), given = 0;
        if (news == SWEEP_TOLD && sweep_unpack(t->sweep->job, t->message, n, &t->outcome)) {
            if (!take_outcome(t, &t->outcome))
                return false;
            continue;
        }
        if (news != SWEEP_ASKED)
            return false;
        while (given < size && next_case(t, &list[given]))
            given++;
        t->dismissed += given == 0;
        sweep_link_list(t->link, rank, list, given);
    }
    return true;
}

/* Another rank: a list when there is less left than its processes get next, since the answer takes some time. */
static bool work_for_first(Team *t)
{
    size_t n;
    int rank;
    if (!t->asked && !t->all_given && t->n_given < BATCH && t->n_given < t->n * batch_size(t)) {
        sweep_link_ask(t->link);
        t->asked = true;
    }
    SweepNews news = sweep_link_news(t->link, (uint8_t *)(t->given + t->n_given),
                                     BATCH * sizeof *t->given, &n, &rank);
    if (news == SWEEP_NO_NEWS)
        return true;
    t->asked = false;
    t->n_given += (uint32_t)(n / sizeof *t->given);
    t->all_given = n == 0;
    return news == SWEEP_LIST;
}

static bool is_over(const Team *t)
{
    bool busy = t->n_given > 0 || t->again.n > 0 || !t->all_given;
    if (!is_hand())
        return t->sweep->n_done == t->sweep->job->cases->n &&
               (!t->link || t->dismissed == sweep_link_others(t->link));
    for (uint32_t i = 0; i < t->n; i++)
        busy = busy || t->workers[i].n_queue > 0;
    return !busy;
}

/* ---- the whole ---- */

/* Answers can wait in their pipes while every process has more to do. Meanwhile this one sleeps, so that it takes no core from them:
 * for half of the time after which the first will have no more. */
static void rest(const Team *t)
{
    uint32_t least = QUEUE;
    for (uint32_t i = 0; i < t->n; i++)
        least = t->workers[i].n_queue < least ? t->workers[i].n_queue : least;
    double seconds = least > 1 ? each(t) * (least - 1) / 2 : 0;
    long nanoseconds = (long)(1e9 * (seconds < REST ? seconds : REST));
    if (nanoseconds > 0)
        nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL); /* or until a signal */
}

static bool attend(Team *t, struct pollfd *fds)
{
    for (uint32_t i = 0; i < t->n; i++) {
        hand_out(t, &t->workers[i]);
        fds[i] =
            (struct pollfd){.fd = t->workers[i].pid ? t->workers[i].from : -1, .events = POLLIN};
    }
    rest(t);
    int ready = poll(fds, t->n, t->link ? 1 : 200);
    for (uint32_t i = 0; i < t->n && ready > 0; i++)
        if (fds[i].revents && !listen_to(t, &t->workers[i]))
            return false;
    show_progress(t, timer_now());
    return !t->link || (is_hand() ? work_for_first(t) : serve_others(t));
}

static Team *open_team(Sweep *sweep, SolModel *model, uint32_t jobs, bool quiet)
{
    Team *t = mem_alloc(sweep->mem, sizeof *t);
    *t = (Team){.sweep = sweep, .model = model, .n = jobs, .quiet = quiet, .began = timer_now()};
    t->workers = mem_alloc(sweep->mem, jobs * sizeof *t->workers);
    t->attempts = mem_alloc(sweep->mem, sweep->job->cases->n);
    t->room = PIPE_HEAD + sweep_pack_size(sweep->job);
    t->message = mem_alloc(sweep->mem, t->room);
    t->outcome.values = mem_alloc(sweep->mem, (sweep->job->n_quantities + 1) * sizeof(double));
    t->shown_at = t->began + 0.2;
    for (uint32_t i = 0; i < jobs; i++)
        t->workers[i].bytes = mem_alloc(sweep->mem, t->room + PIPE_ROOM);
    return t;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = note_signal};
    const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    stopped_by = 0;
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

static bool start_all(Team *t)
{
    bool good = true;
    for (uint32_t i = 0; i < t->n && good; i++)
        good = start_worker(t, &t->workers[i]);
    if (good && sweep_rank() >= 0) {
        t->link = sweep_link_open(t->sweep->mem, t->sweep->why, sizeof t->sweep->why);
        good = t->link != NULL;
    }
    return good;
}

static void end_all(Team *t, bool good)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->workers[i].pid) {
            if (!good)
                kill(t->workers[i].pid, SIGKILL);
            end_worker(&t->workers[i]);
        }
    if (good)
        sweep_link_close(t->link);
}

int sweep_team_run(Sweep *sweep, SolModel *model, uint32_t jobs, bool quiet)
{
    uint64_t left = sweep->job->cases->n - sweep->n_done;
    Team *t = open_team(sweep, model, left < jobs ? (uint32_t)left : jobs, quiet);
    struct pollfd *fds = mem_alloc(sweep->mem, (t->n + 1) * sizeof *fds);
    catch_signals();
    bool good = start_all(t);
    while (good && !stopped_by && !is_over(t))
        good = attend(t, fds);
    end_all(t, good && !stopped_by);
    if (t->shown)
        fputs("\r\033[K", stderr);
    if (!good && !sweep->why[0])
        snprintf(sweep->why, sizeof sweep->why, "a process cannot be started or gives no answer");
    return !good ? EXIT_IO : stopped_by ? EXIT_SIGNAL + stopped_by : EXIT_DONE;
}
