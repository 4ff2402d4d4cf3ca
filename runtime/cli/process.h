/* process.h: what this process asks of the system. */
#ifndef RUNTIME_CLI_PROCESS_H
#define RUNTIME_CLI_PROCESS_H

#include <stddef.h>

/* Asks for real-time scheduling and for memory that stays; says what it got. */
void process_realtime(char *text, size_t size);

#endif
