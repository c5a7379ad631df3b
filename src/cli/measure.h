/* SPDX-License-Identifier: MIT */
/* measure: one measured run of a workload with its reports. */
#ifndef IOLTP_CLI_MEASURE_H
#define IOLTP_CLI_MEASURE_H

#include "base/clock.h"
#include "base/log.h"
#include "cli/cli.h"
#include "script/script.h"

struct measure {
	const struct cli *cli;
	struct opt_set *options;
	struct script *script;
	const struct run_config *config;
	const struct clock *clock;
	const struct log *log;
	int argc;
	char **argv;
	const char *workload; /* as the user named it */
};

/* Runs and reports. Returns the exit status. May end the process itself when threads hang. */
int measure_run(const struct measure *m);

#endif
