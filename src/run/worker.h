/* SPDX-License-Identifier: MIT */
/* worker: the OS threads of a run. */
#ifndef IOLTP_RUN_WORKER_H
#define IOLTP_RUN_WORKER_H

#include "run/client.h"

/* Makes run->workers, clients and tallies. 0 or -ENOMEM. workers_free undoes it (threads must have
 * been joined). */
int workers_new(struct run *run);
void workers_free(struct run *run);
/* Starts the threads and waits until all are initialised; on failure they are told to leave, and
 * run->err says why. 0 or -errno. */
int workers_start(struct run *run);
/* Opens the gate: run->start_ns and the other times are set. */
void workers_go(struct run *run);
void workers_join(struct run *run);

#endif
