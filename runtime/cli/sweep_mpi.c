/* sweep_mpi.c: a sweep on several machines: messages between the processes that `mpirun` starts. See sweep.h.
 *
 * OpenMPI is loaded at run time and not needed to build: its functions are found by name, with the types of its headers. Rank 0 has the
 * journal and hands out cases; each other rank asks for a list when it has little to do, runs it with processes of its own and
 * sends each outcome. An empty list means that there is nothing left. A rank that dies ends the job, as OpenMPI does; the journal has
 * what was done. */
#include "runtime/cli/sweep.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_ASK = 1, TAG_OUTCOME = 2, TAG_LIST = 3, ANY = -1 };

/* As OpenMPI has it: the first three are public, the rest is its own. */
typedef struct Status {
    int source, tag, error;
    char rest[116];
} Status;

struct SweepLink {
    int rank, size;
    void *world, *byte;
    int (*init)(int *, char ***);
    int (*finalize)(void);
    int (*send)(const void *, int, void *, int, int, void *);
    int (*receive)(void *, int, void *, int, int, void *, Status *);
    int (*probe)(int, int, void *, int *, Status *);
    int (*count)(const Status *, void *, int *);
};

static int number_of(const char *name, int otherwise)
{
    const char *text = getenv(name);
    int number = text ? atoi(text) : otherwise;
    return number >= 0 && number < 1000000 ? number : otherwise;
}

uint32_t sweep_ranks(void)
{
    return (uint32_t)number_of("OMPI_COMM_WORLD_SIZE", 1);
}

int sweep_rank(void)
{
    return sweep_ranks() > 1 ? number_of("OMPI_COMM_WORLD_RANK", 0) : -1;
}

/* Functions and data of a library have one type here; what they are stands in the struct. */
static bool find(void *library, const char *name, void *to)
{
    void *found = dlsym(library, name);
    memcpy(to, &found, sizeof found);
    return found != NULL;
}

static bool load(SweepLink *link)
{
    void *library = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        library = dlopen("libmpi.so", RTLD_NOW | RTLD_GLOBAL);
    return library && find(library, "MPI_Init", &link->init) &&
           find(library, "MPI_Finalize", &link->finalize) &&
           find(library, "MPI_Send", &link->send) && find(library, "MPI_Recv", &link->receive) &&
           find(library, "MPI_Iprobe", &link->probe) &&
           find(library, "MPI_Get_count", &link->count) &&
           find(library, "ompi_mpi_comm_world", &link->world) &&
           find(library, "ompi_mpi_byte", &link->byte);
}

SweepLink *sweep_link_open(Mem *mem, char *why, size_t size)
{
    SweepLink *link = mem_alloc(mem, sizeof *link);
    link->rank = sweep_rank();
    link->size = (int)sweep_ranks();
    if (!load(link)) {
        snprintf(why, size, "mpirun started this, but OpenMPI's library cannot be loaded: %s",
                 dlerror());
        return NULL;
    }
    if (link->init(NULL, NULL) != 0) {
        snprintf(why, size, "MPI_Init failed");
        return NULL;
    }
    return link;
}

void sweep_link_close(SweepLink *link)
{
    if (link)
        link->finalize();
}

int sweep_link_others(const SweepLink *link)
{
    return link->size - 1;
}

void sweep_link_ask(SweepLink *link)
{
    link->send("", 0, link->byte, 0, TAG_ASK, link->world);
}

void sweep_link_outcome(SweepLink *link, const uint8_t *bytes, size_t n)
{
    link->send(bytes, (int)n, link->byte, 0, TAG_OUTCOME, link->world);
}

void sweep_link_list(SweepLink *link, int rank, const uint64_t *list, uint32_t n)
{
    link->send(list, (int)(n * sizeof *list), link->byte, rank, TAG_LIST, link->world);
}

SweepNews sweep_link_news(SweepLink *link, uint8_t *bytes, size_t room, size_t *n, int *rank)
{
    Status status;
    int there = 0, length = 0;
    link->probe(ANY, ANY, link->world, &there, &status);
    if (!there)
        return SWEEP_NO_NEWS;
    link->count(&status, link->byte, &length);
    *rank = status.source;
    *n = (size_t)length;
    if (length < 0 || *n > room)
        return SWEEP_BAD_NEWS;
    link->receive(bytes, length, link->byte, status.source, status.tag, link->world, &status);
    return status.tag == TAG_ASK ? SWEEP_ASKED : status.tag == TAG_LIST ? SWEEP_LIST : SWEEP_TOLD;
}
