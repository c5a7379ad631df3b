/* SPDX-License-Identifier: MIT */
/* curve: latency against load: which rates are run, and how their outcome is judged. */
#ifndef IOLTP_RAW_CURVE_H
#define IOLTP_RAW_CURVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define CURVE_POINTS_MAX 128u

struct curve {
	unsigned n;
	double per_cent[CURVE_POINTS_MAX]; /* of the maximum, in the order of the runs */
	uint64_t stop_latency_ns;          /* mean response time; 0: no rule */
};

struct curve_outcome {
	double offered_per_s, achieved_per_s;
	double mean_latency_ns; /* from the intended start */
	bool failed;            /* the run went wrong or was stopped: no further points */
};

/* "10-120,10" (from-to,step) or a list "50,80,100". -EINVAL with `err`. */
int curve_parse(struct curve *c, const char *text, struct err *err);
/* More was offered than was done: latencies grow with the length of the run. */
bool curve_saturated(const struct curve_outcome *o);
/*
 * Runs the points of a maximum by `point`, in order, until the last one or the stop rule. The point
 * that breaks the rule is part of the curve. Returns how many were run.
 */
unsigned curve_run(const struct curve *c, double max_per_s,
                   void (*point)(void *ctx, unsigned i, double rate_per_s, struct curve_outcome *o),
                   void *ctx);

#endif
