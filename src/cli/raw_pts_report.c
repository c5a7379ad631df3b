/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/raw_pts.h"
#include "report/rep_tests.h"
#include "report/result.h"

struct raw_pts_report {
	const struct raw_pts *p;
	struct result result;
	struct rep_json *json; /* NULL: not wanted */
	const char *format;
	struct result_test tests[RAW_PTS_TESTS_MAX];
	struct cell_figures *means[RAW_PTS_TESTS_MAX]; /* owned */
	struct kv conditions[RAW_PTS_TESTS_MAX];
};

static void collect_facts(struct raw_pts_report *r)
{
	const struct raw_pts *p = r->p;
	const struct raw_stage *s = p->stage;
	const struct raw_target *t = s->target;
	struct kv *kv = &r->result.raw;

	kv_text(kv, "profile", p->plan.name);
	kv_text(kv, "title", p->plan.title);
	kv_text(kv, "target", t != NULL ? t->path : "none");
	kv_int(kv, "size_bytes", (int64_t)s->setup.size_bytes);
	kv_int(kv, "lba_bytes", s->setup.lba_bytes);
	if (t != NULL) {
		kv_bool(kv, "direct", t->direct);
		if (!t->direct)
			kv_text(kv, "not_direct", t->why_not_direct);
	}
	kv_text(kv, "engine", s->setup.engine->name);
}

struct raw_pts_report *raw_pts_report_open(const struct raw_pts *p, struct err *err)
{
	struct raw_pts_report *r = calloc(1, sizeof(*r));
	const struct opt_set *set = p->stage->options;
	const char *path = opt_str(set, "output");

	if (r == NULL) {
		err_run(err, "report: out of memory");
		return NULL;
	}
	result_init(&r->result);
	r->p = p;
	r->format = opt_str(set, "format");
	r->result.version = p->stage->cli->version;
	r->result.kind = "raw";
	r->result.workload = p->plan.name;
	r->result.command_line = result_command_line(p->argc, p->argv, set);
	r->result.options = set;
	r->result.config = p->stage->config;
	r->result.show_serial = opt_bool(set, "show-serial");
	facts_host(&r->result.host);
	collect_facts(r);
	if (p->stage->target != NULL)
		facts_device(&r->result.device, p->stage->target->path, r->result.show_serial);
	if ((path != NULL || strcmp(r->format, "json") == 0) &&
	    rep_json_open(&r->json, path, err) != 0) {
		raw_pts_report_close(r);
		return NULL;
	}
	return r;
}

void raw_pts_report_close(struct raw_pts_report *r)
{
	if (r == NULL)
		return;
	rep_json_close(r->json);
	for (unsigned i = 0; i < RAW_PTS_TESTS_MAX; i++) {
		free(r->means[i]);
		kv_fini(&r->conditions[i]);
	}
	result_fini(&r->result);
	free(r);
}

static void set_verdict(struct result_test *t, const struct raw_pts_test *from)
{
	const struct steady_verdict *v = &from->result.verdict;

	t->steady = v->steady;
	t->window_first = v->first;
	t->window = v->n;
	t->mean = v->mean;
	t->min = v->min;
	t->max = v->max;
	t->slope = v->slope;
	t->range = v->range;
	t->excursion = v->excursion;
	t->range_limit = from->test.rules.range;
	t->excursion_limit = from->test.rules.excursion;
	t->max_rounds = from->test.rules.max_rounds;
}

static int set_test(struct raw_pts_report *r, unsigned i)
{
	static const enum result_metric metrics[] = {
	    [PTS_IOPS] = RESULT_IOPS,
	    [PTS_BYTES_PER_S] = RESULT_THROUGHPUT,
	    [PTS_LATENCY_NS] = RESULT_LATENCY,
	};
	const struct raw_pts_test *from = &r->p->tests[i];
	const struct pts_test *test = &from->test;
	struct result_test *t = &r->tests[i];

	r->means[i] = calloc((size_t)test->nmixes * test->nsizes, sizeof(**r->means));
	if (r->means[i] == NULL)
		return -ENOMEM;
	for (unsigned c = 0; from->result.nrounds != 0 && c < test->nmixes * test->nsizes; c++)
		pts_window(test, &from->result, c, &r->means[i][c]);
	condition_stamp(&from->condition, &r->conditions[i]);
	*t = (struct result_test){.name = test->name,
	                          .title = test->title,
	                          .series = test->series,
	                          .sequential = test->sequential,
	                          .metric = metrics[test->metric],
	                          .oio = test->oio,
	                          .cell_s = (double)test->cell_ns / 1e9,
	                          .nmixes = test->nmixes,
	                          .nsizes = test->nsizes,
	                          .read_shares = test->read_shares,
	                          .size_bytes = test->size_bytes,
	                          .track_mix = test->track_mix,
	                          .track_size = test->track_size,
	                          .nrounds = from->result.nrounds,
	                          .cells = from->result.cells,
	                          .means = r->means[i],
	                          .tracked = from->result.tracked,
	                          .end_s = from->result.end_s,
	                          .written_bytes = from->result.written_bytes,
	                          .partial = from->result.partial,
	                          .conditioning = &r->conditions[i]};
	set_verdict(t, from);
	return 0;
}

/* What a reader must not miss, beside the tables. */
static void warn(struct raw_pts_report *r)
{
	for (unsigned i = 0; i < r->result.ntests; i++) {
		const struct result_test *t = &r->tests[i];
		const struct kv_item *item = kv_find(t->conditioning, "unconditioned");

		if (!t->series && !t->steady)
			result_warn(&r->result,
			            "%s: no steady state: its table is of the last rounds and no "
			            "result of the specification",
			            t->name);
		if (item != NULL)
			result_warn(&r->result, "%s: unconditioned: %s", t->name, item->text);
	}
}

static int fill_result(struct raw_pts_report *r)
{
	const struct raw_pts *p = r->p;
	struct counters after;

	if (p->stage->target != NULL) {
		counters_take(p->stage->target->path, &after);
		counters_diff(&p->before, &after, &r->result.counters);
	}
	kv_text(&r->result.raw, "engine_in_force", p->stage->in_force);
	for (unsigned i = 0; i < p->ntests; i++) {
		if (set_test(r, i) != 0)
			return -ENOMEM;
	}
	r->result.tests = r->tests;
	r->result.ntests = p->ntests;
	if (p->run.sum != NULL) {
		kv_text(&r->result.raw, "totals_of", p->run_name);
		r->result.run = &p->run;
		r->result.config = &p->run_config;
		r->result.mix = &p->run_mix;
	}
	kv_int(&r->result.raw, "workers", p->stage->workers);
	kv_int(&r->result.raw, "oio", p->tests[p->ntests - 1].test.oio);
	warn(r);
	return 0;
}

int raw_pts_report_write(struct raw_pts_report *r, struct err *err)
{
	FILE *json_out = strcmp(r->format, "json") == 0 ? stdout : NULL;
	int rc = fill_result(r);

	if (rc != 0)
		return err_run(err, "report: out of memory");
	if (strcmp(r->format, "text") == 0)
		rc = rep_text_final(&r->result, stdout);
	else if (strcmp(r->format, "csv") == 0)
		rc = rep_csv_tests(&r->result, stdout);
	if (rc == 0 && fflush(stdout) != 0)
		rc = -errno;
	if (rc != 0)
		return err_run(err,
		               "standard output: the report could not be written: %s; send it "
		               "elsewhere",
		               strerror(-rc));
	return r->json != NULL ? rep_json_final(r->json, &r->result, json_out, err) : 0;
}
