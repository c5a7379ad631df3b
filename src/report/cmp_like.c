/* SPDX-License-Identifier: MIT */
/* Like runs: the same metrics of both sides, with what their intervals or repeats say of errors. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/cmp_doc.h"
#include "report/cmp_report.h"

/* A percentile with fewer samples beyond it in the whole run is its maximum, and left out. */
#define WHOLE_BEYOND 1.0
/* Samples beyond a percentile that an interval needs for it to be more than its maximum. */
#define SAMPLES_BEYOND 5.0
/* An interval is left out when it is shorter than this part of the longest: the tail of a run. */
#define INTERVAL_WHOLE 0.9

static const char *const percentiles[] = {"50", "90", "95", "99", "99.9", "99.99", "99.999"};

/* How a metric is had from an interval: `top` over `bottom`; `bottom` NULL: a percentile. */
struct source {
	const char *key, *label;
	enum cmp_unit unit;
	bool more_is_better, gated;
	const char *top, *bottom, *whole;
	unsigned of; /* which runs have it */
};

/* Runs by what an event is: without I/O transactions, one of a raw run is an I/O. */
enum { OF_SQL = 1, OF_IOS = 2, OF_CHAINS = 4, OF_RAW = OF_IOS | OF_CHAINS, OF_ALL = 7 };

const char *cmp_conclusion_name(enum cmp_conclusion conclusion)
{
	static const char *const names[] = {[CMP_NO_DIFFERENCE] = "no difference",
	                                    [CMP_BETTER] = "better",
	                                    [CMP_WORSE] = "worse",
	                                    [CMP_CANNOT_TELL] = "cannot tell"};

	return names[conclusion];
}

/* ---- the intervals of a run ---- */

static double longest(const struct tree *intervals)
{
	double most = 0;

	for (size_t i = 0; i < intervals->narray; i++)
		most = fmax(most, tree_number(&intervals->items[i], "elapsed_s"));
	return most;
}

static bool is_whole(const struct tree *interval, double longest_s)
{
	return tree_number(interval, "elapsed_s") >= INTERVAL_WHOLE * longest_s;
}

/* What an interval adds to a sum: rates times their seconds, means times their events. */
static double share_of(const struct tree *interval, const char *rate)
{
	double value = tree_number(interval, rate);

	if (strncmp(rate, "latency_ns", 10) == 0) {
		double count = tree_number(interval, "latency_ns/count");

		/* A stalled interval has no latencies, only the age of what hangs. */
		return count > 0 ? value * count : 0;
	}
	return value * tree_number(interval, "elapsed_s");
}

static struct cmp_estimate ratio_of(const struct cmp_doc *d, const struct source *s)
{
	const struct tree *intervals = tree_at(&d->tree, "intervals");
	struct cmp_estimate e = {.value = NAN, .error = NAN};
	double whole = tree_number(&d->tree, s->whole), longest_s = longest(intervals);
	double *top = calloc(2 * intervals->narray + 1, sizeof(*top));
	double *bottom = top != NULL ? top + intervals->narray : NULL;
	size_t n = 0;

	for (size_t i = 0; top != NULL && i < intervals->narray; i++) {
		const struct tree *interval = &intervals->items[i];

		if (!is_whole(interval, longest_s))
			continue;
		top[n] = share_of(interval, s->top);
		bottom[n] = tree_number(interval, s->bottom);
		if (isfinite(top[n]) && isfinite(bottom[n]))
			n++;
	}
	if (top != NULL)
		e = cmp_of_intervals(top, bottom, n);
	/* The error is the intervals', the value the whole run's. */
	if (isfinite(whole))
		e.value = whole;
	free(top);
	return e;
}

static struct cmp_estimate percentile_of(const struct cmp_doc *d, const struct source *s,
                                         char *note, size_t room)
{
	const struct tree *intervals = tree_at(&d->tree, "intervals");
	double beyond = 1 - strtod(s->key, NULL) / 100, longest_s = longest(intervals);
	double whole = cmp_percentile_ns(tree_at(&d->tree, "latency_ns"), s->key);
	struct cmp_estimate e = {.value = whole, .error = NAN};
	double *values = calloc(intervals->narray + 1, sizeof(*values)), samples = 0;
	size_t n = 0;

	for (size_t i = 0; values != NULL && i < intervals->narray; i++) {
		const struct tree *latency = tree_at(&intervals->items[i], "latency_ns");

		values[n] = cmp_percentile_ns(latency, s->key);
		if (!is_whole(&intervals->items[i], longest_s) || !isfinite(values[n]))
			continue;
		samples += tree_number(latency, "count");
		n++;
	}
	e.n = n;
	if (n > 0 && samples / (double)n * beyond >= SAMPLES_BEYOND)
		e = cmp_of_sections(whole, values, n);
	else if (n > 0)
		snprintf(note, room,
		         "p%s needs %.0f events in each interval, there are %.0f; use longer "
		         "intervals, or repeats",
		         s->key, ceil(SAMPLES_BEYOND / beyond - 1e-6), samples / (double)n);
	free(values);
	return e;
}

/* ---- one side ---- */

static double whole_value(const struct cmp_doc *d, const struct source *s)
{
	if (s->bottom == NULL)
		return cmp_percentile_ns(tree_at(&d->tree, "latency_ns"), s->key);
	if (s->whole != NULL && tree_at(&d->tree, s->whole) != NULL)
		return tree_number(&d->tree, s->whole);
	/* A run that did not end has only its intervals. */
	return ratio_of(d, s).value;
}

static struct cmp_estimate side_of(const struct cmp_side *side, const struct source *s,
                                   bool repeats, char *note, size_t room)
{
	struct cmp_estimate e = {.value = NAN, .error = NAN};
	double *values;

	if (!repeats)
		return s->bottom == NULL ? percentile_of(&side->docs[0], s, note, room)
		                         : ratio_of(&side->docs[0], s);
	values = calloc(side->n, sizeof(*values));
	for (size_t i = 0; values != NULL && i < side->n; i++)
		values[i] = whole_value(&side->docs[i], s);
	if (values != NULL)
		e = cmp_of_repeats(values, side->n);
	free(values);
	return e;
}

/* ---- metrics ---- */

static enum cmp_conclusion conclude(const struct cmp_metric *m, double resolution)
{
	const struct cmp_difference *d = &m->difference;

	if (!d->known)
		return CMP_CANNOT_TELL;
	if (d->absolute_low <= 0 && d->absolute_high >= 0)
		return CMP_NO_DIFFERENCE;
	if (fabs(d->relative) < resolution)
		return CMP_NO_DIFFERENCE;
	return (d->absolute > 0) == m->more_is_better ? CMP_BETTER : CMP_WORSE;
}

static void add_metric(struct cmp_pair *p, const struct source *s, double resolution)
{
	struct cmp_metric *m = &p->metrics[p->nmetrics];

	if (p->nmetrics == CMP_METRICS_MAX)
		return;
	*m = (struct cmp_metric){
	    .unit = s->unit, .more_is_better = s->more_is_better, .gated = s->gated};
	snprintf(m->key, sizeof(m->key), s->bottom != NULL ? "%s" : "latency_p%s_ns", s->key);
	snprintf(m->label, sizeof(m->label), s->bottom != NULL ? "%s" : "latency p%s", s->label);
	m->base = side_of(p->base, s, p->repeats, m->note, sizeof(m->note));
	m->new = side_of(p->new, s, p->repeats, m->note, sizeof(m->note));
	if (isnan(m->base.value) && isnan(m->new.value))
		return;
	m->difference = cmp_differ(m->base, m->new, p->repeats);
	m->conclusion = conclude(m, resolution);
	if (m->conclusion == CMP_CANNOT_TELL && m->note[0] == '\0')
		snprintf(m->note, sizeof(m->note), "%s",
		         isnan(m->base.value) || isnan(m->new.value) ? "one side has no value"
		         : p->repeats
		             ? "too few repeats, or too unlike each other; make more"
		             : "too few intervals that are independent of each other; use a "
		               "longer --time with --report-interval, or repeats");
	p->nmetrics++;
}

static bool rests_on_samples(const struct cmp_side *side, const char *percentile)
{
	double beyond = 1 - strtod(percentile, NULL) / 100;

	return tree_number(&side->docs[0].tree, "latency_ns/count") * beyond >= WHOLE_BEYOND;
}

static void add_metrics(struct cmp_pair *p, bool raw, double resolution)
{
	static const struct source sources[] = {
	    {"tps", "transactions per s", CMP_PER_S, true, true, "tps", "elapsed_s", "totals/tps",
	     OF_SQL | OF_CHAINS},
	    {"qps", "queries per s", CMP_PER_S, true, false, "qps", "elapsed_s", "totals/qps",
	     OF_SQL},
	    {"iops_per_s", "I/Os per s", CMP_PER_S, true, true, "iops_per_s", "elapsed_s",
	     "totals/iops_per_s", OF_RAW},
	    {"bytes_per_s", "throughput", CMP_BYTES_PER_S, true, false, "bytes_per_s", "elapsed_s",
	     "totals/bytes_per_s", OF_RAW},
	    {"latency_mean_ns", "latency mean", CMP_NS, false, true, "latency_ns/mean",
	     "latency_ns/count", "latency_ns/mean", OF_ALL},
	};
	const struct tree *base = &p->base->docs[0].tree;
	bool chains = tree_number(base, "raw/transactions") > 0;

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		const struct source *s = &sources[i];
		bool fits = (s->of & (raw ? chains ? OF_CHAINS : OF_IOS : OF_SQL)) != 0;

		if (fits)
			add_metric(p, s, resolution);
	}
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++) {
		struct source s = {
		    .key = percentiles[i], .label = percentiles[i], .unit = CMP_NS, .of = OF_ALL};

		if (!rests_on_samples(p->base, s.key) && !rests_on_samples(p->new, s.key))
			continue;
		s.gated = strcmp(percentiles[i], "99") == 0;
		add_metric(p, &s, resolution);
	}
}

/* ---- pairs ---- */

static bool is_regression(const struct cmp_metric *m, double fail_above)
{
	return m->gated && m->conclusion == CMP_WORSE && fabs(m->difference.relative) > fail_above;
}

static void own_warnings(struct cmp_pair *p, const struct cmp_side *side)
{
	for (size_t i = 0; i < side->n; i++) {
		const struct cmp_doc *d = &side->docs[i];
		const struct tree *w = tree_at(&d->tree, "warnings");

		if (d->part)
			cmp_texts_add(
			    &p->warnings,
			    "%s: of a run that did not end; its intervals are all there is",
			    d->path);
		else if (tree_bool(&d->tree, "phases/partial"))
			cmp_texts_add(&p->warnings, "%s: of a run that was cut short", d->path);
		for (size_t j = 0; w != NULL && j < w->narray; j++) {
			if (w->items[j].kind == TREE_TEXT)
				cmp_texts_add(&p->warnings, "%s: %s", d->path, w->items[j].text);
		}
	}
}

static void make_pair(struct cmp_pair *p, struct cmp_like *l, const struct cmp_side *base,
                      const struct cmp_side *new)
{
	p->base = base;
	p->new = new;
	p->repeats = base->n > 1 || new->n > 1;
	add_metrics(p, base->docs[0].kind == CMP_RAW, l->resolution);
	for (size_t i = 1; i < base->n; i++)
		cmp_unlike(&p->unlike, &base->docs[0], &base->docs[i]);
	for (size_t i = 0; i < new->n; i++)
		cmp_unlike(&p->unlike, &base->docs[0], &new->docs[i]);
	own_warnings(p, base);
	own_warnings(p, new);
	for (unsigned i = 0; i < p->nmetrics; i++)
		l->regressed |= is_regression(&p->metrics[i], l->fail_above);
}

static int check_kinds(const struct cmp_side *sides, size_t n, struct err *err)
{
	const struct cmp_doc *first = &sides[0].docs[0];

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < sides[i].n; j++) {
			const struct cmp_doc *d = &sides[i].docs[j];

			if (d->kind == CMP_TWIN)
				return err_usage(err,
				                 "%s: is a twin, which stands beside its "
				                 "application only: 'ioltp compare APP TWIN'; name "
				                 "results of runs for BASE and NEW",
				                 d->path);
			if (d->kind != first->kind)
				return err_usage(
				    err,
				    "%s: is a %s and %s is a %s, which have nothing in common "
				    "to compare; name runs of one kind, or one SQL result and one "
				    "raw "
				    "result",
				    d->path, cmp_kind_name(d->kind), first->path,
				    cmp_kind_name(first->kind));
		}
	}
	return 0;
}

int cmp_like(struct cmp_like *l, const struct cmp_side *sides, size_t n, double resolution,
             double fail_above, struct err *err)
{
	int rc = check_kinds(sides, n, err);
	bool failed = false;

	*l = (struct cmp_like){
	    .base = sides[0].label, .resolution = resolution, .fail_above = fail_above};
	if (rc != 0)
		return rc;
	l->pairs = calloc(n, sizeof(*l->pairs));
	if (l->pairs == NULL)
		goto no_memory;
	l->npairs = n - 1;
	for (size_t i = 1; i < n; i++) {
		make_pair(&l->pairs[i - 1], l, &sides[0], &sides[i]);
		failed |= l->pairs[i - 1].unlike.failed || l->pairs[i - 1].warnings.failed;
	}
	if (!failed)
		return 0;
no_memory:
	err_run(err, "compare: out of memory");
	return -ENOMEM;
}

void cmp_like_fini(struct cmp_like *l)
{
	for (size_t i = 0; i < l->npairs; i++) {
		cmp_texts_fini(&l->pairs[i].unlike);
		cmp_texts_fini(&l->pairs[i].warnings);
	}
	free(l->pairs);
	l->pairs = NULL;
	l->npairs = 0;
}
