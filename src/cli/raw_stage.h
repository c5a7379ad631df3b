/* SPDX-License-Identifier: MIT */
/* raw_stage: runs one after another on the same target: what they share, and one of them. */
#ifndef IOLTP_CLI_RAW_STAGE_H
#define IOLTP_CLI_RAW_STAGE_H

#include "base/log.h"
#include "cli/cli.h"
#include "raw/raw_run.h"

struct raw_stage {
	const struct cli *cli;
	const struct opt_set *options;
	const struct clock *clock;
	const struct log *log;
	const struct run_config *config; /* what the options say of a run */
	struct guard_request request;    /* how the target was opened, to open it again */
	struct raw_target *target;       /* NULL: the engine needs none */
	struct raw_setup setup;          /* all but the profile */
	bool abandoned;     /* threads hang in an I/O: the process must end without freeing */
	char in_force[512]; /* what the engine said in the last run */
	unsigned workers;   /* of the last run */
	int signal;         /* that ended the last run, 0: none */
};

/* Size and block of the target, after it was opened. */
void raw_stage_resize(struct raw_stage *s);

/*
 * One run. `res` and `mix` are the caller's (run_result_fini). 0; -EINTR: stopped by a signal (res
 * is what came until then); -errno with `err`. I/Os that failed are counted in `res` and are no
 * failure here.
 */
int raw_stage_run(struct raw_stage *s, const struct raw_profile *p, const struct run_config *config,
                  const struct run_sink *sink, struct mix *mix, struct run_result *res,
                  struct err *err);

#endif
