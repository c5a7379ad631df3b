/* SPDX-License-Identifier: MIT */
/* raw_pts: the tests of a scenario (the SNIA's, or one of the user's) on a target, and their
 * report. */
#ifndef IOLTP_CLI_RAW_PTS_H
#define IOLTP_CLI_RAW_PTS_H

#include "cli/raw_stage.h"
#include "raw/condition.h"
#include "raw/counters.h"
#include "raw/pts.h"
#include "scenario/plan.h"

/* --pts --round-time --max-rounds */
extern const struct opt_desc raw_pts_options[];

#define RAW_PTS_TESTS_MAX PLAN_STAGES_MAX

/* One measuring stage with its outcome. */
struct raw_pts_test {
	struct pts_test test;
	struct pts_result result;
	struct condition condition; /* of the target before it */
};

struct raw_pts {
	struct raw_stage *stage;
	struct plan plan;
	struct raw_pts_test tests[RAW_PTS_TESTS_MAX];
	unsigned ntests;            /* begun */
	struct condition condition; /* of the target now */
	/* of the last run of a tracked cell */
	struct run_result run;
	struct run_config run_config;
	struct mix run_mix;
	char run_name[64];
	struct counters before;
	int argc;
	char **argv;
};

/* The plan of --pts: "iops", "throughput", "latency", "wsat", the name of a bundled scenario or a
 * path. It only writes when profiles of it do; all of the SNIA's do. -EINVAL with `err`. */
int raw_pts_load(struct raw_pts *p, const struct opt_set *set, struct err *err);
/* Runs all stages and reports. Returns the exit status. May end the process itself when threads
 * hang. */
int raw_pts_run(struct raw_pts *p);
void raw_pts_fini(struct raw_pts *p);

/* ---- raw_pts_report.c ---- */

struct raw_pts_report;
/* Before the runs, so that a bad --output does not cost the measurement. NULL with `err`. */
struct raw_pts_report *raw_pts_report_open(const struct raw_pts *p, struct err *err);
/* Writes everything. 0, or -errno with `err`. */
int raw_pts_report_write(struct raw_pts_report *r, struct err *err);
void raw_pts_report_close(struct raw_pts_report *r); /* NULL is fine */

#endif
