/* SPDX-License-Identifier: MIT */
/* Tests of many cells in the JSON document. */
#include "report/rep_tests.h"

#ifdef HAVE_JANSSON

#include "report/rep_json_put.h"

static json_t *cell(const struct result_test *t, unsigned mix, unsigned size,
                    const struct cell_figures *f)
{
	json_t *o = json_object();

	put_real(o, "read_share", t->read_shares[mix]);
	put_count(o, "size_bytes", t->size_bytes[size]);
	put_real(o, "iops_per_s", f->iops_per_s);
	put_real(o, "bytes_per_s", f->bytes_per_s);
	put_real(o, "mean_ns", f->mean_ns);
	put_real(o, "p99_ns", f->p99_ns);
	put_real(o, "p99999_ns", f->p99999_ns);
	put_real(o, "max_ns", f->max_ns);
	put_real(o, "elapsed_s", f->elapsed_s);
	put_count(o, "written_bytes", f->written_bytes);
	put_count(o, "errors", f->errors);
	return o;
}

static json_t *cells(const struct result_test *t, const struct cell_figures *f)
{
	json_t *a = json_array();

	for (unsigned m = 0; m < t->nmixes; m++) {
		for (unsigned s = 0; s < t->nsizes; s++)
			json_array_append_new(a, cell(t, m, s, &f[m * t->nsizes + s]));
	}
	return a;
}

static json_t *steady_state(const struct result_test *t)
{
	json_t *o = json_object();

	json_object_set_new(o, "reached", json_boolean(t->steady));
	put_count(o, "window_first_round", t->window_first + 1);
	put_count(o, "window_rounds", t->window);
	put_count(o, "max_rounds", t->max_rounds);
	put_real(o, "mean", t->mean);
	put_real(o, "min", t->min);
	put_real(o, "max", t->max);
	put_real(o, "slope_per_round", t->slope);
	put_real(o, "range", t->range);
	put_real(o, "range_limit", t->range_limit);
	put_real(o, "excursion", t->excursion);
	put_real(o, "excursion_limit", t->excursion_limit);
	return o;
}

static json_t *rounds(const struct result_test *t)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < t->nrounds; i++) {
		json_t *o = json_object();

		put_count(o, "round", i + 1);
		put_real(o, "end_s", t->end_s[i]);
		put_real(o, "written_bytes", t->written_bytes[i]);
		put_real(o, "tracked", t->tracked[i]);
		json_object_set_new(o, "cells",
		                    cells(t, &t->cells[(size_t)i * t->nmixes * t->nsizes]));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *test(const struct result_test *t)
{
	static const char *const metrics[] = {"iops_per_s", "bytes_per_s", "mean_ns"};
	json_t *o = json_object(), *tracked = json_object();

	json_object_set_new(o, "name", rep_json_text(t->name));
	json_object_set_new(o, "title", rep_json_text(t->title));
	json_object_set_new(o, "kind", json_string(t->series ? "series" : "rounds"));
	json_object_set_new(o, "metric", json_string(metrics[t->metric]));
	json_object_set_new(o, "sequential", json_boolean(t->sequential));
	put_count(o, "oio", t->oio);
	put_real(o, "cell_s", t->cell_s);
	json_object_set_new(o, "partial", json_boolean(t->partial));
	put_real(tracked, "read_share", t->read_shares[t->track_mix]);
	put_count(tracked, "size_bytes", t->size_bytes[t->track_size]);
	json_object_set_new(o, "tracked", tracked);
	json_object_set_new(o, "steady_state", t->series ? json_null() : steady_state(t));
	json_object_set_new(o, "table", t->nrounds != 0 ? cells(t, t->means) : json_array());
	json_object_set_new(o, "rounds", rounds(t));
	json_object_set_new(o, "conditioning",
	                    t->conditioning != NULL ? rep_json_facts(t->conditioning)
	                                            : json_object());
	return o;
}

json_t *rep_json_tests(const struct result *r)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < r->ntests; i++)
		json_array_append_new(a, test(&r->tests[i]));
	return a;
}

#else

typedef int rep_json_tests_needs_jansson;

#endif
