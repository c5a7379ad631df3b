/* SPDX-License-Identifier: MIT */
/*
 * capture: what a run asks of its drive, recorded while it goes on (--capture), and the figures of
 * it for the report. Main thread, but for what it hangs into the run.
 */
#ifndef IOLTP_CLI_CAPTURE_H
#define IOLTP_CLI_CAPTURE_H

#include "base/kv.h"
#include "base/log.h"
#include "base/opt.h"
#include "report/result.h"
#include "run/run.h"

extern const struct opt_desc capture_options[];

/* What is captured. */
struct capture_subject {
	struct opt_set *options;
	const struct clock *clock;
	const struct log *log;
	const char *driver; /* "sqlite", ...; NULL: a raw run */
	const char *path;   /* the database file or the raw target; NULL: known when connected (a
	                       server), or there is none */
	bool needs_trace;   /* each I/O is needed, and counters are of no use */
};

struct capture; /* opaque */

/*
 * Prepares what --capture asks for. 0, and *c is NULL when it asks for nothing; -errno with `err`:
 * it cannot be had. For SQLite the driver must have been opened, and not yet be connected.
 */
int capture_new(struct capture **c, const struct capture_subject *s, struct err *err);
/* Hangs it into a run that is about to be executed. NULL: does nothing. */
void capture_attach(struct capture *c, struct run *run);
/* From the run's sink when all threads are ready: `database` has the server's facts. A capture that
 * cannot be had then stops the run with an error. */
void capture_started(struct capture *c, const struct kv *database);
/* After the run: figures and warnings for the report. `run` may be of a run that did not start. */
void capture_finish(struct capture *c, const struct run_result *run, struct result *result);
void capture_free(struct capture *c);

#endif
