/* SPDX-License-Identifier: MIT */
/*
 * cmp_stat: means that were measured in pieces, and whether two of them differ. A piece is an
 * interval of one run, or a whole run of several. Any thread; nothing is kept.
 */
#ifndef IOLTP_REPORT_CMP_STAT_H
#define IOLTP_REPORT_CMP_STAT_H

#include <stdbool.h>
#include <stddef.h>

#define CMP_CONFIDENCE 0.95

/* P(T <= t) of Student's t with `df` > 0 degrees of freedom, which need not be whole. */
double cmp_t_cdf(double t, double df);
/* The t that P(T <= t) = p for, 0 < p < 1. */
double cmp_t_quantile(double p, double df);

/* A figure with what is known of its error. */
struct cmp_estimate {
	double value; /* NAN: there is none */
	double error; /* standard error of `value`; NAN: unknown */
	double df;    /* degrees of freedom of `error`; 0: unknown */
	size_t n;     /* pieces that it rests on */
};

/*
 * Of independent pieces, such as repeats: their mean. One piece gives a value without an error.
 */
struct cmp_estimate cmp_of_repeats(const double *values, size_t n);

/*
 * The ratio sum(top) / sum(bottom) over the `n` intervals of one run: rates (events over seconds)
 * and means (sum of latencies over events). Neighbouring intervals may be alike: they are joined to
 * longer and longer batches until their means no longer are, and what is left when batches grow
 * few is taken off the degrees of freedom. -ENOMEM leaves a value without an error.
 */
struct cmp_estimate cmp_of_intervals(const double *top, const double *bottom, size_t n);

/*
 * A percentile of a run, from those of its intervals ("sectioning"): `whole` is the value, and the
 * spread of the intervals around it, not around their mean, its error, so that intervals too short
 * for the percentile make the error larger, never smaller.
 */
struct cmp_estimate cmp_of_sections(double whole, const double *values, size_t n);

/* What two estimates say together: NEW minus BASE. */
struct cmp_difference {
	double absolute, absolute_low, absolute_high;
	double relative, relative_low, relative_high; /* of BASE: 0.2 is 20 % more */
	bool known;                                   /* the limits are; else NAN: too few pieces */
};

/*
 * Welch's interval of CMP_CONFIDENCE. Where one side has an error and the other is a single piece
 * of the same kind (`single` true), that one is taken to vary as the others do.
 */
struct cmp_difference cmp_differ(struct cmp_estimate base, struct cmp_estimate new, bool single);

#endif
