/* SPDX-License-Identifier: MIT */
#include "raw/steady.h"

#include <math.h>
#include <stddef.h>

/* Least squares through (0, y[0]) ... (n - 1, y[n - 1]). */
static void fit(const double *y, struct steady_verdict *v)
{
	double mid = ((double)v->n - 1) / 2, up = 0, down = 0;

	for (unsigned i = 0; i < v->n; i++) {
		double x = (double)i - mid;

		up += x * (y[i] - v->mean);
		down += x * x;
	}
	v->slope = down > 0 ? up / down : 0;
	v->intercept = v->mean - v->slope * mid;
}

bool steady_judge(const struct steady_rules *rules, const double *values, unsigned n,
                  struct steady_verdict *v)
{
	const double *y;

	*v = (struct steady_verdict){.n = n < rules->window ? n : rules->window};
	if (n == 0)
		return false;
	v->first = n - v->n;
	y = values + v->first;
	v->min = v->max = y[0];
	for (unsigned i = 0; i < v->n; i++) {
		v->mean += y[i] / (double)v->n;
		v->min = fmin(v->min, y[i]);
		v->max = fmax(v->max, y[i]);
	}
	fit(y, v);
	if (!(v->mean > 0) || !isfinite(v->mean))
		return false;
	v->range = (v->max - v->min) / v->mean;
	v->excursion = fabs(v->slope) * ((double)v->n - 1) / v->mean;
	/* The limits themselves pass, whatever the arithmetic's last digit. */
	v->steady = v->n == rules->window && v->range <= rules->range * (1 + 1e-12) &&
	            v->excursion <= rules->excursion * (1 + 1e-12);
	return v->steady;
}
