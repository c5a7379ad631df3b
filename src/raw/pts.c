/* SPDX-License-Identifier: MIT */
#include "raw/pts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

double pts_metric(const struct cell_figures *f, enum pts_metric metric)
{
	return metric == PTS_IOPS          ? f->iops_per_s
	       : metric == PTS_BYTES_PER_S ? f->bytes_per_s
	                                   : f->mean_ns;
}

const char *pts_metric_name(enum pts_metric metric)
{
	static const char *const names[] = {"IOPS", "MB/s", "mean latency"};

	return names[metric];
}

void pts_profile(struct raw_profile *p, const struct pts_test *t, unsigned mix, unsigned size)
{
	struct io_stream *s = &p->streams[0];

	*p = (struct raw_profile){
	    .oio = t->oio, .compress_ratio = 1, .dedupe_ratio = 1, .nstreams = 1};
	snprintf(p->name, sizeof(p->name), "%.60s", t->name);
	snprintf(p->title, sizeof(p->title), "%s", t->title);
	*s = (struct io_stream){.weight = 1, .read_share = t->read_shares[mix]};
	snprintf(s->name, sizeof(s->name), "%u B %g/%g", t->size_bytes[size], 100 * s->read_share,
	         100 - 100 * s->read_share);
	s->read_sizes = (struct io_sizes){.n = 1, .bytes = {t->size_bytes[size]}, .share = {1}};
	s->write_sizes = s->read_sizes;
	s->pattern = t->sequential ? IO_SEQUENTIAL : IO_RANDOM;
	s->random_read_share = s->random_write_share = t->sequential ? 0 : 1;
}

/* Room for all rounds at once: a round must not fail for want of memory. */
static int make_room(const struct pts_test *t, struct pts_result *r, unsigned rounds)
{
	*r = (struct pts_result){.ncells = t->nmixes * t->nsizes};
	r->cells = calloc((size_t)rounds * r->ncells, sizeof(*r->cells));
	r->tracked = calloc(rounds, sizeof(*r->tracked));
	r->end_s = calloc(rounds, sizeof(*r->end_s));
	r->written_bytes = calloc(rounds, sizeof(*r->written_bytes));
	return r->cells != NULL && r->tracked != NULL && r->end_s != NULL &&
	               r->written_bytes != NULL
	           ? 0
	           : -ENOMEM;
}

void pts_result_fini(struct pts_result *r)
{
	free(r->cells);
	free(r->tracked);
	free(r->end_s);
	free(r->written_bytes);
	*r = (struct pts_result){0};
}

static int run_round(const struct pts_test *t, const struct pts_ops *ops, struct pts_result *r,
                     struct raw_profile *profile, struct err *err)
{
	struct cell_figures *cells = &r->cells[(size_t)r->nrounds * r->ncells];
	unsigned n = r->nrounds;
	double seconds = 0, written = 0;

	for (unsigned m = 0; m < t->nmixes; m++) {
		for (unsigned s = 0; s < t->nsizes; s++) {
			struct cell_figures *f = &cells[pts_cell(t, m, s)];
			int rc;

			pts_profile(profile, t, m, s);
			rc = ops->run(ops->ctx, profile, t->cell_ns, f, err);
			if (rc != 0)
				return rc;
			seconds += f->elapsed_s;
			written += (double)f->written_bytes;
		}
	}
	r->tracked[n] = pts_metric(&cells[pts_cell(t, t->track_mix, t->track_size)], t->metric);
	r->end_s[n] = seconds + (n != 0 ? r->end_s[n - 1] : 0);
	r->written_bytes[n] = written + (n != 0 ? r->written_bytes[n - 1] : 0);
	r->nrounds++;
	return 0;
}

static bool is_over(const struct pts_test *t, const struct pts_result *r, uint64_t target_bytes)
{
	double limit = t->limit_capacities * (double)target_bytes;

	if (!t->series)
		return r->verdict.steady;
	return (limit > 0 && r->written_bytes[r->nrounds - 1] >= limit) ||
	       (t->limit_ns != 0 && r->end_s[r->nrounds - 1] >= (double)t->limit_ns / 1e9);
}

/* A series is as long as its limits say; whatever they say, its rounds must fit into memory. */
static unsigned rounds_at_most(const struct pts_test *t)
{
	double n = t->cell_ns != 0 ? ceil((double)t->limit_ns / (double)t->cell_ns) : 0;

	if (!t->series)
		return t->rules.max_rounds;
	return n >= 1 && n < 1e6 ? (unsigned)n : 1000000;
}

int pts_run(const struct pts_test *t, uint64_t target_bytes, const struct pts_ops *ops,
            struct pts_result *r, struct err *err)
{
	struct raw_profile *profile = calloc(1, sizeof(*profile));
	unsigned max_rounds = rounds_at_most(t);
	int rc = make_room(t, r, max_rounds);

	if (rc != 0 || profile == NULL) {
		free(profile);
		return err_run(err, "%s: out of memory for %u rounds", t->name, max_rounds);
	}
	while (rc == 0 && r->nrounds < max_rounds) {
		rc = run_round(t, ops, r, profile, err);
		if (rc != 0)
			break;
		steady_judge(&t->rules, r->tracked, r->nrounds, &r->verdict);
		if (ops->round != NULL)
			ops->round(ops->ctx, t, r);
		if (is_over(t, r, target_bytes))
			break;
	}
	free(profile);
	r->partial = rc == -EINTR;
	return rc == -EINTR ? 0 : rc;
}

void pts_window(const struct pts_test *t, const struct pts_result *r, unsigned cell,
                struct cell_figures *mean)
{
	unsigned first = t->series ? 0 : r->verdict.first, n = r->nrounds - first;

	*mean = (struct cell_figures){0};
	for (unsigned i = first; i < r->nrounds; i++) {
		const struct cell_figures *f = &r->cells[(size_t)i * r->ncells + cell];

		mean->iops_per_s += f->iops_per_s / n;
		mean->bytes_per_s += f->bytes_per_s / n;
		mean->mean_ns += f->mean_ns / n;
		mean->p99_ns += f->p99_ns / n;
		mean->p99999_ns += f->p99999_ns / n;
		mean->max_ns = fmax(mean->max_ns, f->max_ns);
		mean->elapsed_s += f->elapsed_s;
		mean->written_bytes += f->written_bytes;
		mean->errors += f->errors;
	}
}
