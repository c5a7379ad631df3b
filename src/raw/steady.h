/* SPDX-License-Identifier: MIT */
/*
 * steady: has a measure settled? The rule of the SNIA's solid state storage performance test
 * specification, over a window of the last rounds: the values lie close together, and the straight
 * line that fits them best is nearly level.
 */
#ifndef IOLTP_RAW_STEADY_H
#define IOLTP_RAW_STEADY_H

#include <stdbool.h>

struct steady_rules {
	unsigned window;     /* rounds, at least 2 */
	unsigned max_rounds; /* then the test ends, steady or not */
	double range;        /* max - min, at most this share of the mean */
	double excursion;    /* how far the fitted line rises or falls over the window, likewise */
};

#define STEADY_RULES_PTS ((struct steady_rules){5, 25, 0.20, 0.10})

struct steady_verdict {
	bool steady;
	unsigned first; /* index of the window's first round */
	unsigned n;     /* rounds in the window; less than the rules' window: too few yet */
	double mean, min, max;
	double range;     /* (max - min) / mean */
	double slope;     /* of the fitted line, per round */
	double intercept; /* its value at the window's first round */
	double excursion; /* |slope| * (n - 1) / mean */
};

/*
 * Judges the last rounds of `values`, n in all. With fewer than the window the figures are of those
 * there are and it is not steady, nor is a mean that is not above 0. Returns v->steady.
 */
bool steady_judge(const struct steady_rules *rules, const double *values, unsigned n,
                  struct steady_verdict *v);

#endif
