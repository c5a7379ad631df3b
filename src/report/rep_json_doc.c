/* SPDX-License-Identifier: MIT */
/*
 * The parts of the JSON document; docs/result-schema.md describes them. A value that memory did not
 * suffice for is left out by jansson's setters; the caller learns of it because the document's keys
 * are then not all there.
 */
#include "report/rep_json.h"

#ifdef HAVE_JANSSON

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/hist_codec.h"
#include "report/figures.h"
#include "report/rep_json_put.h"
#include "report/rep_tests.h"

static const struct run_result no_run;
static const struct tally_sum no_sum;

/* ---- latencies ---- */

static json_t *latency_object(const struct figures_latency *l)
{
	json_t *o = json_object();

	put_count(o, "count", l->count);
	put_count(o, "min", l->min_ns);
	put_real(o, "mean", l->mean_ns);
	put_count(o, "max", l->max_ns);
	put_real(o, "stddev", l->stddev_ns);
	return o;
}

static void put_percentile(json_t *o, double percentile, uint64_t value_ns)
{
	char key[32];

	snprintf(key, sizeof(key), "%.10g", percentile);
	put_count(o, key, value_ns);
}

static json_t *latency_of(const struct result *r, const struct hist *h)
{
	double percentiles[FIGURES_PERCENTILES_MAX];
	uint64_t values_ns[FIGURES_PERCENTILES_MAX] = {0};
	unsigned n = figures_percentiles(r->config, percentiles);
	struct figures_latency l;
	json_t *o, *p = json_object();

	figures_latency(&l, h);
	if (l.count > 0)
		hist_percentiles_ns(h, percentiles, n, values_ns);
	o = latency_object(&l);
	for (unsigned i = 0; i < n; i++)
		put_percentile(p, percentiles[i], values_ns[i]);
	put(o, "percentiles", p);
	return o;
}

json_t *rep_json_latency(const struct result *r, const struct hist *h)
{
	return latency_of(r, h);
}

/* As above, but with the age of the oldest event where nothing ended. */
static json_t *response_of(const struct result *r, const struct run_figures *f)
{
	double percentiles[FIGURES_PERCENTILES_MAX];
	unsigned n = figures_percentiles(r->config, percentiles);
	struct figures_latency l;
	json_t *o, *p;

	if (!figures_stalled(f))
		return latency_of(r, f->sum != NULL ? f->sum->latency : NULL);
	figures_response(&l, f);
	o = latency_object(&l);
	p = json_object();
	for (unsigned i = 0; i < n; i++)
		put_percentile(p, percentiles[i], f->oldest_ns);
	put(o, "percentiles", p);
	return o;
}

/* ---- totals and intervals ---- */

static void put_raw_figures(json_t *o, const struct run_figures *f)
{
	const struct tally_sum *s = f->sum != NULL ? f->sum : &no_sum;

	put_real(o, "iops_per_s", figures_rate(figures_ios(f), f));
	put_real(o, "bytes_per_s", figures_rate(figures_bytes(f), f));
	put_real(o, "read_bytes_per_s", figures_rate(s->bytes[TALLY_READ], f));
	put_real(o, "write_bytes_per_s", figures_rate(s->bytes[TALLY_WRITE], f));
}

static void put_figures(json_t *o, const struct run_figures *f)
{
	const struct tally_sum *s = f->sum != NULL ? f->sum : &no_sum;

	put_real(o, "begin_s", f->begin_s);
	put_real(o, "end_s", f->end_s);
	put_real(o, "elapsed_s", f->elapsed_s);
	put_real(o, "tps", figures_rate(f->ok, f));
	put_real(o, "qps", figures_rate(figures_queries(f), f));
	put_count(o, "events", f->ok);
	put_count(o, "offered", f->offered);
	put_count(o, "ok", f->ok);
	put_count(o, "failed", f->failed);
	put_count(o, "skipped", f->skipped);
	put_count(o, "unfinished", f->unfinished);
	put_count(o, "retries", s->retries);
	put_count(o, "reconnects", s->reconnects);
	put_count(o, "errors", s->errors);
	put_count(o, "reads", s->classes[TALLY_READ]);
	put_count(o, "writes", s->classes[TALLY_WRITE]);
	put_count(o, "other", s->classes[TALLY_OTHER]);
}

static json_t *totals(const struct result *r, const struct run_result *run)
{
	const struct run_figures *f = &run->total;
	const struct tally_sum *s = f->sum != NULL ? f->sum : &no_sum;
	json_t *o = json_object(), *fair = json_object();

	put_figures(o, f);
	if (figures_is_raw(r))
		put_raw_figures(o, f);
	put_count(o, "threads", r->config->threads);
	put(o, "loop", json_string(figures_open_loop(r) ? "open" : "closed"));
	put_count(o, "cancelled", s->cancelled);
	put_count(o, "commit_unknown", s->commit_unknown);
	put_count(o, "lock_waits", s->lock_waits);
	put_count(o, "lock_wait_ns", s->lock_wait_ns);
	put_count(o, "lock_timeouts", s->lock_timeouts);
	if (s->service != NULL)
		put(o, "service_ns", latency_of(r, s->service));
	put_real(fair, "events_avg", f->fairness.events_avg);
	put_real(fair, "events_stddev", f->fairness.events_stddev);
	put_real(fair, "time_avg_s", f->fairness.time_avg_s);
	put_real(fair, "time_stddev_s", f->fairness.time_stddev_s);
	put(o, "fairness", fair);
	return o;
}

json_t *rep_json_interval_object(const struct result *r, const struct run_figures *f)
{
	json_t *o = json_object();

	put_figures(o, f);
	if (figures_is_raw(r))
		put_raw_figures(o, f);
	put(o, "tail", json_boolean(f->tail));
	put_count(o, "threads_running", f->threads_running);
	put_count(o, "queue_length", f->queue_length);
	put_count(o, "oldest_ns", f->oldest_ns);
	put(o, "stalled", json_boolean(figures_stalled(f)));
	put(o, "latency_ns", response_of(r, f));
	return o;
}

/* ---- tables ---- */

static const char *type_name(const struct result *r, unsigned i)
{
	return r->mix != NULL && i < r->mix->ntypes ? r->mix->types[i].name : "event";
}

/* A sum of one type may carry its histogram only once, as the total. */
static const struct hist *type_hist(const struct tally_sum *s, unsigned i, bool service)
{
	const struct hist *h = service ? s->types[i].service : s->types[i].latency;

	if (h == NULL && s->ntypes == 1)
		h = service ? s->service : s->latency;
	return h;
}

static json_t *transactions(const struct result *r, const struct run_figures *f)
{
	const struct tally_sum *s = f->sum != NULL ? f->sum : &no_sum;
	json_t *a = json_array();

	for (unsigned i = 0; i < s->ntypes; i++) {
		const struct tally_sum_type *t = &s->types[i];
		json_t *o = json_object();

		put(o, "name", rep_json_text(type_name(r, i)));
		put_real(o, "weight",
		         r->mix != NULL && i < r->mix->ntypes ? r->mix->types[i].weight : 1);
		put_real(o, "tps", figures_rate(t->ok, f));
		put_count(o, "begun", t->begun);
		put_count(o, "ok", t->ok);
		put_count(o, "failed", t->failed);
		put_count(o, "cancelled", t->cancelled);
		put_count(o, "retries", t->retries);
		put(o, "latency_ns", latency_of(r, type_hist(s, i, false)));
		if (s->service != NULL)
			put(o, "service_ns", latency_of(r, type_hist(s, i, true)));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *statements(const struct result *r, const struct run_figures *f)
{
	const struct tally_sum *s = f->sum != NULL ? f->sum : &no_sum;
	json_t *a = json_array();

	for (unsigned i = 0; i < s->nstmts; i++) {
		const struct tally_stmt *t = &s->stmts[i];
		json_t *o = json_object();

		put(o, "statement", rep_json_text(t->label));
		put(o, "class", json_string(figures_class_name(t->class)));
		put_real(o, "rate_per_s", figures_rate(t->count, f));
		put_count(o, "count", t->count);
		put_count(o, "errors", t->errors);
		put_count(o, "rows", t->rows);
		if (figures_is_raw(r))
			put_count(o, "bytes", t->bytes);
		put(o, "latency_ns", latency_of(r, t->latency));
		json_array_append_new(a, o);
	}
	return a;
}

/* Each server's part of the work: the counts add up to those of the totals. */
static json_t *targets(const struct result *r, const struct run_result *run)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < run->ntargets; i++) {
		const struct tally_sum *s = run->targets[i];
		struct run_figures f = run->total;
		json_t *o = json_object();

		f.sum = s;
		put(o, "name", rep_json_text(i < r->ntargets ? r->targets[i] : NULL));
		put_count(o, "clients", figures_target_clients(r, i));
		put_real(o, "tps", figures_rate(s->ok, &f));
		put_real(o, "qps", figures_rate(figures_queries(&f), &f));
		put_count(o, "begun", s->begun - s->cancelled);
		put_count(o, "ok", s->ok);
		put_count(o, "failed", s->failed);
		put_count(o, "unfinished", s->begun - s->cancelled - s->ok - s->failed);
		put_count(o, "retries", s->retries);
		put_count(o, "reconnects", s->reconnects);
		put_count(o, "errors", s->errors);
		put_count(o, "commit_unknown", s->commit_unknown);
		put_count(o, "reads", s->classes[TALLY_READ]);
		put_count(o, "writes", s->classes[TALLY_WRITE]);
		put_count(o, "other", s->classes[TALLY_OTHER]);
		put(o, "latency_ns", latency_of(r, s->latency));
		if (s->service != NULL)
			put(o, "service_ns", latency_of(r, s->service));
		json_array_append_new(a, o);
	}
	return a;
}

/* Loads of a curve: what was asked for, offered and done, and both latencies. */
static json_t *curve(const struct result *r)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < r->npoints; i++) {
		const struct result_point *p = &r->points[i];
		const struct run_figures *f = &p->run.total;
		json_t *o = json_object();

		put_real(o, "per_cent", p->per_cent);
		put_real(o, "rate_per_s", p->rate_per_s);
		put_real(o, "offered_per_s", figures_rate(f->offered, f));
		put_real(o, "achieved_per_s", figures_rate(f->ok, f));
		put(o, "saturated", json_boolean(p->saturated));
		put(o, "partial", json_boolean(p->run.partial));
		put_count(o, "offered", f->offered);
		put_count(o, "ok", f->ok);
		put_count(o, "failed", f->failed);
		put_count(o, "skipped", f->skipped);
		put_count(o, "unfinished", f->unfinished);
		put_real(o, "elapsed_s", f->elapsed_s);
		put_raw_figures(o, f);
		put(o, "latency_ns", response_of(r, f));
		put(o, "service_ns", latency_of(r, f->sum != NULL ? f->sum->service : NULL));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *errors(const struct tally_sum *s)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < s->nerrors; i++) {
		const struct tally_error *e = &s->error_list[i];
		json_t *o = json_object();

		put(o, "code", json_integer(e->code));
		put(o, "state", rep_json_text(e->state));
		put(o, "text", rep_json_text(e->text));
		put_count(o, "count", e->count);
		json_array_append_new(a, o);
	}
	return a;
}

/* ---- histograms ---- */

static void put_hist(json_t *o, const char *key, const struct hist *h)
{
	struct strbuf text = STRBUF_INIT;

	if (h == NULL)
		return;
	if (hist_encode(h, &text) == 0 && !text.failed)
		put(o, key, json_string(strbuf_str(&text)));
	strbuf_fini(&text);
}

static json_t *target_histograms(const struct result *r, const struct run_result *run)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < run->ntargets; i++) {
		json_t *o = json_object();

		put(o, "name", rep_json_text(i < r->ntargets ? r->targets[i] : NULL));
		put_hist(o, "latency_ns", run->targets[i]->latency);
		put_hist(o, "service_ns", run->targets[i]->service);
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *histograms(const struct result *r, const struct run_result *run,
                          const struct tally_sum *s)
{
	json_t *o = json_object(), *types = json_object();

	put(o, "encoding", json_string("HdrHistogram V2, base64"));
	put_hist(o, "latency_ns", s->latency);
	put_hist(o, "service_ns", s->service);
	for (unsigned i = 0; i < s->ntypes; i++) {
		json_t *type = json_object();

		put_hist(type, "latency_ns", type_hist(s, i, false));
		put_hist(type, "service_ns", s->service != NULL ? type_hist(s, i, true) : NULL);
		put(types, type_name(r, i), type);
	}
	put(o, "transactions", types);
	if (run->ntargets != 0)
		put(o, "targets", target_histograms(r, run));
	return o;
}

/* ---- the rest ---- */

static json_t *tool(const struct result *r)
{
	json_t *o = json_object();

	put(o, "name", json_string("ioltp"));
	put(o, "version", rep_json_text(r->version));
	put(o, "kind", rep_json_text(r->kind));
	put(o, "workload", rep_json_text(r->workload));
	put(o, "command_line", rep_json_text(r->command_line));
	return o;
}

static json_t *database(const struct result *r)
{
	json_t *o = rep_json_facts(&r->database);

	put(o, "driver", rep_json_text(r->driver));
	put(o, "durable", r->driver != NULL ? json_boolean(r->durable) : json_null());
	return o;
}

static json_t *phases(const struct run_result *run)
{
	const char *name = run->end == RUN_END_SIGNAL ? sigabbrev_np(run->signal) : NULL;
	bool failed = run->end == RUN_END_ERROR && err_is_set(&run->err);
	char signal_name[24];
	json_t *o = json_object();

	put_count(o, "setup_ns", run->phases.setup_ns);
	put_count(o, "warmup_ns", run->phases.warmup_ns);
	put_count(o, "measure_ns", run->phases.measure_ns);
	put_count(o, "drain_ns", run->phases.drain_ns);
	put(o, "start_unix_s", json_integer(run->phases.wall_start_s));
	put(o, "end", json_string(figures_end_name(run->end)));
	put(o, "partial", json_boolean(run->partial));
	put(o, "abandoned", json_boolean(run->abandoned));
	snprintf(signal_name, sizeof(signal_name), "SIG%s", name != NULL ? name : "");
	put(o, "signal", name != NULL ? json_string(signal_name) : json_null());
	put(o, "error", failed ? rep_json_text(run->err.text) : json_null());
	return o;
}

static json_t *generator(const struct result *r, const struct run_result *run)
{
	const struct tally_sum *s = run->total.sum != NULL ? run->total.sum : &no_sum;
	json_t *o = json_object();
	char seed[24];

	/* All 64 bits: as a number, many readers would round it. */
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)r->config->seed);
	put(o, "seed", json_string(seed));
	put(o, "seed_given", json_boolean(r->config->seed_given));
	put_real(o, "cpu_user_s", run->cpu_user_s);
	put_real(o, "cpu_system_s", run->cpu_system_s);
	put_real(o, "cpu_share", run->cpu_share);
	put_count(o, "context_switches", run->ctx_switches);
	put_count(o, "max_rss_bytes", run->max_rss_bytes);
	if (r->lua_states != 0)
		put_count(o, "lua_states", r->lua_states);
	put(o, "clock", rep_json_text(run->clock_kind));
	put_real(o, "clock_cost_ns", run->clock_cost_ns);
	put_real(o, "clock_drift_ppm", run->clock_drift_ppm);
	put_real(o, "own_time_per_event_ns", run->idle_overhead_ns);
	if (s->lateness != NULL)
		put(o, "lateness_ns", latency_of(r, s->lateness));
	return o;
}

static json_t *warnings(const struct result_warnings *w)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < w->n; i++)
		json_array_append_new(a, rep_json_text(w->texts[i]));
	return a;
}

json_t *rep_json_head(const struct result *r)
{
	json_t *o = json_object();

	put(o, "schema", json_string(RESULT_SCHEMA));
	put(o, "tool", tool(r));
	put(o, "options", rep_json_options(r->options));
	put(o, "host", rep_json_facts(&r->host));
	put(o, "device", rep_json_facts(&r->device));
	put(o, "database", database(r));
	return o;
}

json_t *rep_json_document(const struct result *r, json_t *intervals)
{
	const struct run_result *run = r->run != NULL ? r->run : &no_run;
	const struct run_figures *f = &run->total;
	const struct tally_sum *s = f->sum != NULL ? f->sum : &no_sum;
	json_t *o = rep_json_head(r);
	size_t keys = 17;

	put(o, "phases", phases(run));
	put(o, "totals", totals(r, run));
	put(o, "latency_ns", response_of(r, f));
	put(o, "transactions", transactions(r, f));
	put(o, "statements", statements(r, f));
	json_object_set(o, "intervals", intervals);
	put(o, "errors", errors(s));
	put(o, "histograms", histograms(r, run, s));
	put(o, "counters", rep_json_facts(&r->counters));
	put(o, "generator", generator(r, run));
	put(o, "warnings", warnings(&r->warnings));
	if (figures_is_raw(r)) {
		put(o, "raw", rep_json_facts(&r->raw));
		put(o, "curve", curve(r));
		keys += 2;
	}
	if (run->ntargets != 0) {
		put(o, "targets", targets(r, run));
		keys++;
	}
	if (r->ntests != 0) {
		put(o, "tests", rep_json_tests(r));
		keys++;
	}
	if (r->capture != NULL) {
		put(o, "capture", rep_json_capture(r));
		keys++;
	}
	if (json_object_size(o) != keys) {
		json_decref(o);
		return NULL;
	}
	return o;
}

#else

typedef int rep_json_doc_needs_jansson;

#endif
