/* SPDX-License-Identifier: MIT */
#include "cli/raw_pts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/profiles.h"
#include "cli/raw_condition.h"
#include "scenario/reader.h"

const struct opt_desc raw_pts_options[] = {
    {.name = "pts",
     .type = OPT_STRING,
     .help = "run a test of the SNIA's performance test specification in the place of one run: "
             "iops, throughput, latency or wsat (write saturation); or the path of a scenario"},
    {.name = "round-time",
     .type = OPT_TIME,
     .range = "0.001..",
     .help = "how long each cell of each round runs, in the place of the test's one minute"},
    {.name = "max-rounds",
     .type = OPT_INT,
     .range = "2..1000",
     .unit = "rounds",
     .help = "end a test that is not steady after so many rounds, in the place of 25"},
    OPT_END,
};

/* ---- the plan ---- */

int raw_pts_load(struct raw_pts *p, const struct opt_set *set, struct err *err)
{
	static const char *const shorts[][2] = {{"iops", "pts_iops"},
	                                        {"throughput", "pts_throughput"},
	                                        {"latency", "pts_latency"},
	                                        {"wsat", "pts_write_saturation"}};
	const char *name = opt_str(set, "pts");
	struct tree tree;
	char *path;
	int rc;

	for (size_t i = 0; i < sizeof(shorts) / sizeof(shorts[0]); i++) {
		if (strcmp(name, shorts[i][0]) == 0)
			name = shorts[i][1];
	}
	rc = profiles_find(&path, ".", name, "test (iops, throughput, latency, wsat)", err);
	if (rc == 0)
		rc = reader_load(&tree, path, err);
	if (rc == 0) {
		rc = plan_from_tree(&p->plan, &tree, path, err);
		tree_fini(&tree);
	}
	free(path);
	return rc;
}

/* What the plan and the options say of a measuring stage. */
static void make_test(const struct raw_pts *p, const struct plan_stage *stage, struct pts_test *t)
{
	static const enum pts_metric metrics[] = {
	    [PLAN_IOPS] = PTS_IOPS,
	    [PLAN_BYTES_PER_S] = PTS_BYTES_PER_S,
	    [PLAN_LATENCY] = PTS_LATENCY_NS,
	};
	const struct opt_set *set = p->stage->options;
	const struct plan_rounds *r = &stage->rounds;

	*t = (struct pts_test){.series = stage->kind == PLAN_SERIES,
	                       .metric = metrics[r->metric],
	                       .sequential = r->sequential,
	                       .oio = r->oio,
	                       .nmixes = r->nmixes,
	                       .nsizes = r->nsizes,
	                       .track_mix = r->track_mix,
	                       .track_size = r->track_size,
	                       .cell_ns = r->cell_ns,
	                       .rules = {r->window, r->max_rounds, r->range, r->excursion},
	                       .limit_capacities = r->limit_capacities,
	                       .limit_ns = r->limit_ns};
	snprintf(t->name, sizeof(t->name), "%s", stage->name);
	snprintf(t->title, sizeof(t->title), "%s", stage->title);
	for (unsigned i = 0; i < r->nmixes; i++)
		t->read_shares[i] = r->read_shares[i];
	for (unsigned i = 0; i < r->nsizes; i++)
		t->size_bytes[i] = (uint32_t)r->size_bytes[i];
	if (opt_given(set, "round-time"))
		t->cell_ns = opt_time_ns(set, "round-time");
	if (opt_given(set, "max-rounds"))
		t->rules.max_rounds = (unsigned)opt_int(set, "max-rounds");
	if (opt_given(set, "oio"))
		t->oio = (unsigned)opt_int(set, "oio");
	/* A series may end earlier than its own limit. */
	if (t->series && opt_given(set, "time"))
		t->limit_ns = opt_time_ns(set, "time");
}

/* Sizes that the target cannot do are found before hours of preconditioning. */
static int check_tests(const struct raw_pts *p, struct err *err)
{
	struct raw_profile *profile = calloc(1, sizeof(*profile));
	int rc = profile != NULL ? 0 : -ENOMEM;

	for (unsigned i = 0; rc == 0 && i < p->plan.nstages; i++) {
		struct pts_test t;

		if (p->plan.stages[i].kind < PLAN_ROUNDS)
			continue;
		make_test(p, &p->plan.stages[i], &t);
		for (unsigned s = 0; rc == 0 && s < t.nsizes; s++) {
			/* A drive of 4K blocks has no cell of 512 bytes; the rest of the table is
			 * worth having. */
			if (t.size_bytes[s] % p->stage->setup.lba_bytes != 0 && t.nsizes > 1)
				continue;
			pts_profile(profile, &t, 0, s);
			rc = profile_check(profile, p->stage->setup.size_bytes,
			                   p->stage->setup.lba_bytes, err);
			if (rc == 0 && t.size_bytes[s] > p->stage->setup.size_bytes)
				rc = err_usage(err,
				               "%s: the target has %llu bytes, and an I/O of the "
				               "test %u; give a larger one",
				               t.name,
				               (unsigned long long)p->stage->setup.size_bytes,
				               t.size_bytes[s]);
		}
	}
	free(profile);
	return rc;
}

/* Leaves out the sizes that are no multiple of the target's block, and says so. */
static void drop_small_sizes(const struct raw_pts *p, struct pts_test *t)
{
	uint32_t tracked = t->size_bytes[t->track_size];
	unsigned n = 0;

	for (unsigned i = 0; i < t->nsizes; i++) {
		if (t->size_bytes[i] % p->stage->setup.lba_bytes == 0)
			t->size_bytes[n++] = t->size_bytes[i];
		else
			log_warn(p->stage->log,
			         "%s: no I/Os of %u bytes, as the target's block has %u", t->name,
			         t->size_bytes[i], p->stage->setup.lba_bytes);
	}
	t->nsizes = n;
	for (unsigned i = 0; i < n; i++) {
		if (t->size_bytes[i] == tracked)
			t->track_size = i;
	}
}

/* ---- runs ---- */

static void take_figures(struct cell_figures *f, const struct run_result *res)
{
	static const double percentiles[] = {99, 99.999};
	const struct run_figures *total = &res->total;
	const struct tally_sum *sum = total->sum;
	uint64_t values_ns[2];

	*f = (struct cell_figures){.elapsed_s = total->elapsed_s};
	if (sum == NULL || total->elapsed_s <= 0)
		return;
	f->iops_per_s = (double)total->ok / total->elapsed_s;
	f->bytes_per_s =
	    (double)(sum->bytes[TALLY_READ] + sum->bytes[TALLY_WRITE]) / total->elapsed_s;
	f->written_bytes = sum->bytes[TALLY_WRITE];
	f->errors = sum->errors;
	if (sum->latency == NULL || total->ok == 0)
		return;
	f->mean_ns = hist_mean_ns(sum->latency);
	hist_percentiles_ns(sum->latency, percentiles, 2, values_ns);
	f->p99_ns = (double)values_ns[0];
	f->p99999_ns = (double)values_ns[1];
	f->max_ns = (double)sum->latency->max_ns;
}

static int run_cell(void *ctx, const struct raw_profile *profile, uint64_t time_ns,
                    struct cell_figures *f, struct err *err)
{
	struct raw_pts *p = ctx;
	const struct raw_pts_test *now = &p->tests[p->ntests - 1];
	const struct pts_test *t = &now->test;
	struct run_config config = *p->stage->config;
	struct run_result res = {0};
	struct mix mix;
	const struct io_stream *s = &profile->streams[0];
	int rc;

	config.time_ns = time_ns;
	config.events = 0;
	config.warmup_ns = 0;
	config.rate_per_s = 0;
	config.interval_ns = 0;
	config.ncheckpoints = 0;
	rc = raw_stage_run(p->stage, profile, &config, NULL, &mix, &res, err);
	if (p->stage->abandoned)
		return rc;
	take_figures(f, &res);
	if (rc == 0 && f->errors != 0)
		rc = err_run(err, "%s: %llu I/Os failed, first: %s; look at the kernel's log",
		             p->stage->target != NULL ? p->stage->target->path : "target",
		             (unsigned long long)f->errors,
		             res.total.sum->nerrors != 0 ? res.total.sum->error_list[0].text : "?");
	if (rc == 0 && s->read_sizes.bytes[0] == t->size_bytes[t->track_size] &&
	    s->read_share == t->read_shares[t->track_mix]) {
		run_result_fini(&p->run);
		p->run = res;
		p->run_config = config;
		p->run_mix = mix;
		snprintf(p->run_name, sizeof(p->run_name), "%s", s->name);
		return 0;
	}
	run_result_fini(&res);
	return rc;
}

static void on_round(void *ctx, const struct pts_test *t, const struct pts_result *r)
{
	struct raw_pts *p = ctx;
	const struct steady_verdict *v = &r->verdict;
	double value = r->tracked[r->nrounds - 1];
	double round_s = r->end_s[r->nrounds - 1] / r->nrounds;
	char left[48], state[96] = "";

	value = t->metric == PTS_BYTES_PER_S  ? value / 1e6
	        : t->metric == PTS_LATENCY_NS ? value / 1e3
	                                      : value;
	units_format_time(left, sizeof(left),
	                  (uint64_t)(round_s * (t->rules.max_rounds - r->nrounds) * 1e9));
	if (v->n == t->rules.window)
		snprintf(state, sizeof(state), ", range %.1f %%, excursion %.1f %%%s",
		         100 * v->range, 100 * v->excursion, v->steady ? ": steady" : "");
	if (t->series)
		log_notice(p->stage->log, "%s: round %u: %.1f %s, %.3g x the capacity written",
		           t->name, r->nrounds, value, pts_metric_name(t->metric),
		           r->written_bytes[r->nrounds - 1] / (double)p->stage->setup.size_bytes);
	else
		log_notice(p->stage->log, "%s: round %u of at most %u: %.1f %s%s, at most %s left",
		           t->name, r->nrounds, t->rules.max_rounds, value,
		           t->metric == PTS_LATENCY_NS ? "us mean" : pts_metric_name(t->metric),
		           state, v->steady ? "0 s" : left);
}

/* One measuring stage. */
static int run_test(struct raw_pts *p, const struct plan_stage *stage, struct err *err)
{
	const struct pts_ops ops = {p, run_cell, on_round};
	struct raw_pts_test *now = &p->tests[p->ntests++];
	int rc;

	make_test(p, stage, &now->test);
	drop_small_sizes(p, &now->test);
	rc = pts_run(&now->test, p->stage->setup.size_bytes, &ops, &now->result, err);
	if (now->result.verdict.steady && !now->test.series)
		condition_done(&p->condition, CONDITION_DEPENDENT, "%s steady in round %u",
		               now->test.name, now->result.nrounds);
	now->condition = p->condition;
	now->condition.dependent_asked = !now->test.series;
	now->condition.fresh_asked = now->test.series;
	/* The next test has a state of its own to reach. */
	p->condition.steps[CONDITION_DEPENDENT] = (struct condition_record){0};
	return rc != 0 ? rc : now->result.partial ? -EINTR : 0;
}

static int run_stages(struct raw_pts *p, struct err *err)
{
	int rc = check_tests(p, err);

	for (unsigned i = 0; rc == 0 && i < p->plan.nstages; i++) {
		const struct plan_stage *stage = &p->plan.stages[i];

		switch (stage->kind) {
		case PLAN_PURGE:
			p->condition = (struct condition){0};
			rc = raw_condition_purge(p->stage, &p->condition, err);
			break;
		case PLAN_PRECONDITION:
			rc = raw_condition_write(p->stage, &p->condition, stage->amount, err);
			break;
		default:
			rc = run_test(p, stage, err);
		}
	}
	return rc;
}

int raw_pts_run(struct raw_pts *p)
{
	struct raw_stage *stage = p->stage;
	struct err err = ERR_INIT, report_err = ERR_INIT;
	struct raw_pts_report *report = raw_pts_report_open(p, &err);
	int status = EXIT_OK, rc;

	if (report == NULL) {
		log_err(stage->log, &err);
		return err.status;
	}
	if (stage->target != NULL)
		counters_take(stage->target->path, &p->before);
	rc = run_stages(p, &err);
	if (rc == -EINTR)
		status = 128 + stage->signal;
	else if (rc != 0)
		status = err.status != 0 ? err.status : EXIT_RUN;
	if (err_is_set(&err))
		log_err(stage->log, &err);
	/* Wrong use has measured nothing; else what there is, is reported. */
	if (status != EXIT_USAGE && p->ntests != 0 &&
	    raw_pts_report_write(report, &report_err) != 0) {
		log_err(stage->log, &report_err);
		status = EXIT_RUN;
	}
	if (stage->abandoned) {
		/* Threads that hang in an I/O cannot be joined, nor what they hold freed. */
		fflush(NULL);
		_exit(status);
	}
	raw_pts_report_close(report);
	return status;
}

void raw_pts_fini(struct raw_pts *p)
{
	for (unsigned i = 0; i < p->ntests; i++)
		pts_result_fini(&p->tests[i].result);
	run_result_fini(&p->run);
}
