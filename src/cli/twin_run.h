/* SPDX-License-Identifier: MIT */
/* twin_run: `ioltp WORKLOAD --twin run`: a captured run, and its twin after it. */
#ifndef IOLTP_CLI_TWIN_RUN_H
#define IOLTP_CLI_TWIN_RUN_H

#include "cli/cli.h"

extern const struct opt_desc twin_run_options[];

/* Before the run: with --twin, asks for a capture and a result. 0; -EINVAL with `err`. */
int twin_run_settle(struct opt_set *options, struct err *err);
/* After a run that ended with `status`: the twin, where one is wanted and the run went well. Exit
 * status of both. */
int twin_run_after(const struct cli *cli, const struct opt_set *options, int status);

#endif
