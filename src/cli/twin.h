/* SPDX-License-Identifier: MIT */
/*
 * twin: the synthetic twin of an application's run: profile from trace, replays on a target that is
 * no part of the application, and both side by side. Main thread.
 */
#ifndef IOLTP_CLI_TWIN_H
#define IOLTP_CLI_TWIN_H

#include "base/log.h"
#include "base/tree.h"
#include "cli/cli.h"
#include "report/rep_json_twin.h"
#include "trace/distil.h"

#define TWIN_REPLAYS_MAX  8u
#define TWIN_WARNINGS_MAX 8u
#define TWIN_ARGS_MAX     24u

enum twin_replay_kind {
	TWIN_PACE = 1,
	TWIN_CAPABILITY = 2,
	TWIN_SATURATION = 4,
	TWIN_TRACE = 8,
};

struct twin {
	const struct cli *cli;
	struct opt_set *options;
	struct log log;
	unsigned replays; /* enum twin_replay_kind, or-ed */
	bool ios, transactions;

	char *app_path;     /* the result document; absolute */
	char *trace_path;   /* owned */
	char *profile_path; /* owned */
	struct tree app;
	struct trace trace;
	struct distilled *shape;

	char *target; /* owned; NULL: the engine needs none */
	uint64_t target_bytes;
	bool is_file, made; /* made: by us, removed at the end */
	uint64_t made_dev, made_ino;

	char *work_dir; /* for results of replays; owned */
	struct twin_replay done[TWIN_REPLAYS_MAX];
	struct tree results[TWIN_REPLAYS_MAX]; /* as they were read back */
	unsigned ndone;
	bool partial;

	char *warnings[TWIN_WARNINGS_MAX]; /* owned */
	unsigned nwarnings;
};

/* twin_source.c: reads the result, finds and distils its trace, writes the profile. 0 or -errno
 * with `err`. */
int twin_distil(struct twin *t, const char *result, struct err *err);
/* Length of a result's path without ".json": where the names of what is made beside it begin. */
int twin_stem(const char *result);
/* Says it on stderr, and keeps it for the document. */
void twin_warn(struct twin *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * twin_target.c: where the replays go: what was named, or a file made beside the database and
 * filled with data. 0; -EINVAL with `err`: refused, nothing was changed; -EIO with `err`; -EINTR: a
 * signal came. twin_target_end in any case.
 */
int twin_target_begin(struct twin *t, struct err *err);
/* Whether profile and --output would go over what the application or the twin needs, or cannot be
 * written at all: before anything is. The trace must have been loaded. 0, or -EINVAL with `err`. */
int twin_check_outputs(const struct twin *t, struct err *err);
/* Removes what was made. */
void twin_target_end(struct twin *t);

/* twin_replay.c: all replays that are wanted. Exit status; what was done is in t->done. */
int twin_replay_all(struct twin *t, struct err *err);
/* Runs `ioltp raw` with these arguments and t's own on the target. Exit status. */
int twin_raw(struct twin *t, const char *const *args, unsigned nargs);
/* A text that lives as long as the array of arguments; "" when memory ran out. */
const char *twin_arg(char *buf, size_t room, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* twin_report.c: the table. 0 or -errno. */
int twin_report(const struct twin *t, FILE *out);

#endif
