/* SPDX-License-Identifier: MIT */
/* raw_measure: one measured raw run, or a curve of them, with its reports. */
#ifndef IOLTP_CLI_RAW_MEASURE_H
#define IOLTP_CLI_RAW_MEASURE_H

#include "base/log.h"
#include "cli/cli.h"
#include "cli/raw_replay.h"
#include "raw/curve.h"
#include "raw/raw_run.h"

struct raw_measure {
	const struct cli *cli;
	struct opt_set *options;
	const struct clock *clock;
	const struct log *log;
	int argc;
	char **argv;
	struct io_plan *plan;
	const struct run_config *config; /* threads = the plan's workers */
	const struct curve *curve;       /* NULL: one run */
	double curve_max_per_s;          /* 0: to be found */
	uint64_t size_bytes;
	uint32_t lba_bytes;
	const struct raw_replay *replay; /* NULL: no trace */
	const struct kv
	    *provenance; /* what was done to the target before; NULL: nothing is known */
};

/* Runs and reports. Returns the exit status. May end the process itself when threads hang. */
int raw_measure_run(const struct raw_measure *m);

#endif
