/* SPDX-License-Identifier: MIT */
#include "cli/raw_measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/capture.h"
#include "raw/counters.h"
#include "report/figures.h"
#include "report/result.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_NONE };

struct reports {
	const struct raw_measure *m;
	struct result result;
	struct run_config config; /* of the run that the totals are of */
	struct mix mix;
	struct rep_json *json;   /* NULL: neither wanted on stdout nor as a file */
	struct capture *capture; /* NULL: off */
	enum format format;
	struct result_point *points; /* room for the whole curve; owned */
	unsigned npoints;
	struct run_result run; /* of the totals; without a sum: none yet */
	bool run_is_a_point;   /* it belongs to the last point */
	struct counters before;
	int write_errno; /* first failure to write standard output */
	struct err err;  /* first failure of the document */
};

static void note(struct reports *r, int rc)
{
	if (rc != 0 && r->write_errno == 0)
		r->write_errno = -rc;
}

static void on_interval(void *ctx, const struct run_figures *f)
{
	struct reports *r = ctx;

	if (r->json != NULL)
		note(r, rep_json_interval(r->json, &r->result, f));
	if (!f->whole)
		return;
	if (r->format == FORMAT_TEXT)
		note(r, rep_text_interval(&r->result, f, stdout));
	else if (r->format == FORMAT_CSV)
		note(r, rep_csv_interval(&r->result, f, stdout));
}

static void on_checkpoint(void *ctx, const struct run_figures *f)
{
	struct reports *r = ctx;

	if (r->format == FORMAT_TEXT)
		note(r, rep_text_checkpoint(&r->result, f, stdout));
}

/* ---- facts ---- */

static bool has_group_flush(const struct raw_profile *p)
{
	for (unsigned i = 0; i < p->ntxns; i++) {
		for (unsigned k = 0; k < p->txns[i].nsteps; k++) {
			if (p->txns[i].steps[k].group)
				return true;
		}
	}
	return false;
}

static void raw_facts(struct reports *r)
{
	const struct raw_measure *m = r->m;
	const struct raw_profile *p = m->plan->profile;
	const struct raw_target *t = m->plan->target;
	struct kv *kv = &r->result.raw;
	struct stat st;

	kv_text(kv, "profile", p->name);
	kv_text(kv, "title", p->title[0] != '\0' ? p->title : NULL);
	kv_text(kv, "modelled", p->modelled[0] != '\0' ? p->modelled : NULL);
	if (p->ntxns != 0)
		kv_int(kv, "transactions", p->ntxns);
	if (has_group_flush(p))
		kv_int(kv, "commit_groups", m->plan->workers);
	kv_int(kv, "streams", p->nstreams);
	/* Of the application that it was distilled from. */
	if (p->measured.tps > 0)
		kv_double(kv, "measured_tps", p->measured.tps);
	if (p->measured.iops_per_s > 0)
		kv_double(kv, "measured_iops_per_s", p->measured.iops_per_s);
	kv_text(kv, "target", t != NULL ? t->path : "none");
	kv_int(kv, "size_bytes", (int64_t)m->size_bytes);
	kv_int(kv, "lba_bytes", m->lba_bytes);
	if (t != NULL) {
		kv_bool(kv, "direct", t->direct);
		if (!t->direct)
			kv_text(kv, "not_direct", t->why_not_direct);
		kv_bool(kv, "writable", t->writable);
		if (!t->is_device && t->size_bytes != 0 && fstat(t->fd, &st) == 0 &&
		    (uint64_t)st.st_blocks * 512 < t->size_bytes)
			kv_double(kv, "unwritten_share",
			          1 - (double)st.st_blocks * 512 / (double)t->size_bytes);
	}
	kv_text(kv, "engine", m->plan->engine->name);
	kv_int(kv, "oio", p->oio);
	kv_int(kv, "workers", m->plan->workers);
	kv_double(kv, "compress_ratio", p->compress_ratio);
	kv_double(kv, "dedupe_ratio", p->dedupe_ratio);
	for (unsigned i = 0; m->provenance != NULL && i < m->provenance->n; i++)
		kv_text(kv, m->provenance->items[i].key, m->provenance->items[i].text);
}

static int open_capture(struct reports *r)
{
	const struct raw_measure *m = r->m;
	const struct capture_subject s = {.options = m->options,
	                                  .clock = m->clock,
	                                  .log = m->log,
	                                  .path = m->plan->target != NULL ? m->plan->target->path
	                                                                  : NULL};

	return capture_new(&r->capture, &s, &r->err);
}

/* What is known before the start. 0, or -errno with r->err. */
static int reports_open(struct reports *r, const struct raw_measure *m)
{
	const char *format = opt_str(m->options, "format");
	const char *path = opt_str(m->options, "output");
	int rc;

	result_init(&r->result);
	r->m = m;
	r->config = *m->config;
	r->format = strcmp(format, "json") == 0   ? FORMAT_JSON
	            : strcmp(format, "csv") == 0  ? FORMAT_CSV
	            : strcmp(format, "none") == 0 ? FORMAT_NONE
	                                          : FORMAT_TEXT;
	r->result.version = m->cli->version;
	r->result.kind = "raw";
	r->result.workload = m->plan->profile->name;
	r->result.command_line = result_command_line(m->argc, m->argv, m->options);
	r->result.options = m->options;
	r->result.config = &r->config;
	r->result.mix = &r->mix;
	r->result.show_serial = opt_bool(m->options, "show-serial");
	facts_host(&r->result.host);
	raw_facts(r);
	if (m->plan->target != NULL)
		facts_device(&r->result.device, m->plan->target->path, r->result.show_serial);
	rc = raw_plan_mix(m->plan, &r->mix, &r->err);
	if (rc == 0 && m->curve != NULL) {
		r->points = calloc(m->curve->n, sizeof(*r->points));
		if (r->points == NULL)
			rc = err_run(&r->err, "curve: out of memory");
		r->result.points = r->points;
	}
	/* Before the run: a bad path must not cost the measurement. */
	if (rc == 0 && (path != NULL || r->format == FORMAT_JSON))
		rc = rep_json_open(&r->json, path, &r->err);
	return rc == 0 ? open_capture(r) : rc;
}

static void reports_close(struct reports *r)
{
	rep_json_close(r->json);
	capture_free(r->capture);
	if (!r->run_is_a_point)
		run_result_fini(&r->run);
	for (unsigned i = 0; i < r->npoints; i++)
		run_result_fini(&r->points[i].run);
	free(r->points);
	result_fini(&r->result);
}

/* ---- runs ---- */

static void execute(struct reports *r, const struct run_config *config, bool intervals,
                    struct run_result *res)
{
	const struct raw_measure *m = r->m;
	const struct run_sink sink = {
	    .ctx = r, .interval = on_interval, .checkpoint = on_checkpoint};
	struct run run = {.config = *config,
	                  .clock = m->clock,
	                  .log = m->log,
	                  .ops = &raw_run_ops,
	                  .ops_ctx = m->plan,
	                  .sink = intervals ? &sink : NULL,
	                  .mix = &r->mix,
	                  .signal = m->cli->signal};

	raw_plan_restart(m->plan);
	capture_attach(r->capture, &run);
	run_execute(&run, res);
	kv_text(&r->result.raw, "engine_in_force", m->plan->in_force);
}

static void run_point(void *ctx, unsigned i, double rate_per_s, struct curve_outcome *o)
{
	struct reports *r = ctx;
	struct result_point *p = &r->points[i];
	struct run_config config = r->config;
	const struct run_figures *f = &p->run.total;

	config.rate_per_s = rate_per_s;
	config.interval_ns = 0;
	config.ncheckpoints = 0;
	p->per_cent = r->m->curve->per_cent[i];
	p->rate_per_s = rate_per_s;
	execute(r, &config, false, &p->run);
	r->npoints = r->result.npoints = i + 1;
	o->failed = p->run.partial || f->sum == NULL;
	if (f->sum == NULL)
		return;
	o->offered_per_s = figures_rate(f->offered, f);
	o->achieved_per_s = figures_rate(f->ok, f);
	o->mean_latency_ns = hist_mean_ns(f->sum->latency);
	p->saturated = curve_saturated(o);
	if (r->format == FORMAT_TEXT && i == 0)
		note(r, rep_text_curve_head(&r->result, stdout));
	if (r->format == FORMAT_TEXT)
		note(r, rep_text_point(&r->result, p, stdout));
	else if (r->format == FORMAT_CSV)
		note(r, rep_csv_point(&r->result, p, stdout));
}

/* The totals of a curve are its maximum's; when that was given, its last point's. */
static void run_curve(struct reports *r)
{
	const struct raw_measure *m = r->m;
	double max_per_s = m->curve_max_per_s;

	if (max_per_s <= 0) {
		execute(r, &r->config, true, &r->run);
		if (r->run.partial || r->run.total.ok == 0)
			return;
		max_per_s = figures_rate(r->run.total.ok, &r->run.total);
		if (r->format == FORMAT_TEXT) {
			printf("Maximum: %.1f per s\n\n", max_per_s);
			fflush(stdout);
		}
	}
	curve_run(m->curve, max_per_s, run_point, r);
	if (m->curve_max_per_s > 0) {
		const struct result_point *last = &r->points[r->npoints - 1];

		r->run = last->run;
		r->run_is_a_point = true;
		r->config.rate_per_s = last->rate_per_s;
	}
}

static void write_final(struct reports *r)
{
	struct err err = ERR_INIT;
	struct counters after;

	if (r->m->plan->target != NULL) {
		counters_take(r->m->plan->target->path, &after);
		counters_diff(&r->before, &after, &r->result.counters);
	}
	capture_finish(r->capture, &r->run, &r->result);
	r->result.run = &r->run;
	if (r->m->replay != NULL)
		raw_replay_facts(r->m->replay, &r->result.raw);
	result_judge(&r->result);
	if (r->format == FORMAT_TEXT)
		note(r, rep_text_final(&r->result, stdout));
	else if (r->format == FORMAT_CSV)
		note(r, rep_csv_final(&r->result, stdout));
	if (r->json != NULL &&
	    rep_json_final(r->json, &r->result, r->format == FORMAT_JSON ? stdout : NULL, &err) !=
	        0 &&
	    !err_is_set(&r->err))
		r->err = err;
	if (fflush(stdout) != 0)
		note(r, -errno);
}

/* ---- the end ---- */

/* Says how a run failed: by itself, or because I/Os did. True when it did. */
static bool told_failure(const struct reports *r, const struct run_result *run)
{
	const struct tally_sum *s = run->total.sum;

	if (err_is_set(&run->err)) {
		log_err(r->m->log, &run->err);
		return true;
	}
	if (s == NULL || s->errors == 0)
		return false;
	log_error(r->m->log, "%s: %llu I/Os failed, first: %s; look at the kernel's log",
	          r->m->plan->target != NULL ? r->m->plan->target->path : "target",
	          (unsigned long long)s->errors, s->nerrors != 0 ? s->error_list[0].text : "?");
	return true;
}

static int conclude(struct reports *r)
{
	int status = EXIT_OK, signal = r->run.signal;

	if (told_failure(r, &r->run))
		status = r->run.err.status != EXIT_OK ? r->run.err.status : EXIT_RUN;
	for (unsigned i = 0; i < r->npoints && status == EXIT_OK; i++) {
		const struct run_result *run = &r->points[i].run;

		signal = run->signal != 0 ? run->signal : signal;
		if (told_failure(r, run))
			status = run->err.status != EXIT_OK ? run->err.status : EXIT_RUN;
	}
	if (err_is_set(&r->err)) {
		log_err(r->m->log, &r->err);
		status = status == EXIT_OK ? r->err.status : status;
	}
	if (r->write_errno != 0) {
		log_error(r->m->log,
		          "standard output: the report could not be written: %s; send it elsewhere",
		          strerror(r->write_errno));
		status = EXIT_RUN;
	}
	return status == EXIT_OK && signal != 0 ? 128 + signal : status;
}

static bool abandoned(const struct reports *r)
{
	bool hangs = r->run.abandoned;

	for (unsigned i = 0; i < r->npoints; i++)
		hangs = hangs || r->points[i].run.abandoned;
	return hangs;
}

int raw_measure_run(const struct raw_measure *m)
{
	struct reports *r = calloc(1, sizeof(*r));
	int status;

	if (r == NULL) {
		log_error(m->log, "raw: out of memory");
		return EXIT_RUN;
	}
	if (reports_open(r, m) != 0) {
		log_err(m->log, &r->err);
		status = r->err.status;
		goto close_reports;
	}
	if (m->plan->target != NULL)
		counters_take(m->plan->target->path, &r->before);
	if (r->format == FORMAT_CSV)
		note(r, rep_csv_header(&r->result, stdout));
	if (m->curve != NULL)
		run_curve(r);
	else
		execute(r, &r->config, true, &r->run);
	/* Without a measured window there is nothing to report but why. */
	if (r->run.sum != NULL)
		write_final(r);
	status = conclude(r);
	if (abandoned(r)) {
		/* Threads that hang in an I/O cannot be joined, nor what they hold freed under
		 * them. */
		fflush(NULL);
		_exit(status);
	}
close_reports:
	reports_close(r);
	free(r);
	return status;
}
