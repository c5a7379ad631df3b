/* SPDX-License-Identifier: MIT */
#include "raw/curve.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/opt.h"
#include "base/units.h"

/* By chance a few arrivals less are done within the window than were offered in it. */
#define ACHIEVED_SHARE_MIN 0.99

static int bad(const char *text, struct err *err)
{
	return err_usage(err,
	                 "--curve=%s: not a range; write per cents as FROM-TO,STEP, for example "
	                 "10-120,10, or as a list of up to %u",
	                 text, CURVE_POINTS_MAX);
}

/* "FROM-TO,STEP"; 1: it is no range. */
static int parse_range(struct curve *c, const char *text)
{
	const char *dash = strchr(text, '-');
	const char *comma = dash != NULL ? strchr(dash, ',') : NULL;
	char from[32], to[32];
	double lo, hi, step;

	if (dash == NULL)
		return 1;
	if (comma == NULL || (size_t)(dash - text) >= sizeof(from) ||
	    (size_t)(comma - dash) >= sizeof(to))
		return -EINVAL;
	snprintf(from, sizeof(from), "%.*s", (int)(dash - text), text);
	snprintf(to, sizeof(to), "%.*s", (int)(comma - dash - 1), dash + 1);
	if (units_parse_double(from, &lo) != 0 || units_parse_double(to, &hi) != 0 ||
	    units_parse_double(comma + 1, &step) != 0)
		return -EINVAL;
	if (!(lo > 0) || !(step > 0) || hi < lo || (hi - lo) / step >= CURVE_POINTS_MAX)
		return -EINVAL;
	/* By number, not by adding: steps of 0.1 must reach the end. */
	for (unsigned i = 0; lo + i * step <= hi + step * 1e-9; i++)
		c->per_cent[c->n++] = lo + i * step;
	return 0;
}

static int add_point(void *ctx, const char *item)
{
	struct curve *c = ctx;
	double per_cent;

	if (c->n == CURVE_POINTS_MAX || units_parse_double(item, &per_cent) != 0 || !(per_cent > 0))
		return -EINVAL;
	c->per_cent[c->n++] = per_cent;
	return 0;
}

int curve_parse(struct curve *c, const char *text, struct err *err)
{
	int rc;

	c->n = 0;
	rc = parse_range(c, text);
	if (rc == 1)
		rc = opt_split(text, add_point, c);
	if (rc != 0 || c->n == 0)
		return bad(text, err);
	return 0;
}

bool curve_saturated(const struct curve_outcome *o)
{
	return o->achieved_per_s < ACHIEVED_SHARE_MIN * o->offered_per_s;
}

unsigned curve_run(const struct curve *c, double max_per_s,
                   void (*point)(void *ctx, unsigned i, double rate_per_s, struct curve_outcome *o),
                   void *ctx)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct curve_outcome o = {0};

		point(ctx, i, max_per_s * c->per_cent[i] / 100, &o);
		if (o.failed ||
		    (c->stop_latency_ns != 0 && o.mean_latency_ns > (double)c->stop_latency_ns))
			return i + 1;
	}
	return c->n;
}
