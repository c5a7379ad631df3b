/* SPDX-License-Identifier: MIT */
/* The text report of a raw run: for people; programs read the JSON result or the CSV. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "report/rep_tests.h"
#include "report/figures.h"
#include "report/rep_text.h"

#define NAME_COLUMNS 30u
#define COLUMNS_MAX  8u /* of percentiles */

static const char *fact(const struct kv *kv, const char *key)
{
	const struct kv_item *item = kv_find(kv, key);

	return item != NULL && item->text[0] != '\0' ? item->text : NULL;
}

static double mb_per_s(uint64_t bytes, const struct run_figures *f)
{
	return figures_rate(bytes, f) / 1e6;
}

static bool has_transactions(const struct result *r)
{
	return fact(&r->raw, "transactions") != NULL;
}

/* ---- while it runs ---- */

int rep_text_raw_interval(const struct result *r, const struct run_figures *f, FILE *out)
{
	int decimals = r->config->interval_ns % 1000000000u != 0 ? 3 : 0;
	const struct tally_sum *s = f->sum;
	double p = r->config->npercentiles != 0 ? r->config->percentile_first : 50;

	if (f->tail && f->elapsed_s * 2e9 < (double)r->config->interval_ns)
		return 0;
	fprintf(out, "[ %.*fs ]", decimals, f->end_s);
	if (has_transactions(r))
		fprintf(out, " tps: %.2f", figures_rate(f->ok, f));
	fprintf(out, " iops: %.0f MB/s r/w: %.1f/%.1f lat (us,%.10g%%): %.1f",
	        figures_rate(figures_ios(f), f), s != NULL ? mb_per_s(s->bytes[TALLY_READ], f) : 0,
	        s != NULL ? mb_per_s(s->bytes[TALLY_WRITE], f) : 0, p,
	        (double)figures_percentile_ns(f, p) / 1e3);
	if (s != NULL && s->errors != 0)
		fprintf(out, " err/s: %.2f", figures_rate(s->errors, f));
	if (figures_open_loop(r))
		fprintf(out, " queue: %llu", (unsigned long long)f->queue_length);
	if (figures_stalled(f))
		fprintf(out, " (stalled)");
	fprintf(out, "\n");
	return figures_flush(out);
}

int rep_text_raw_checkpoint(const struct result *r, const struct run_figures *f, FILE *out)
{
	struct figures_latency l;

	figures_response(&l, f);
	fprintf(out, "[ %.0fs ] Checkpoint: %.2f %s/s, %.0f iops, %.1f MB/s, mean %.1f us",
	        f->end_s, figures_rate(f->ok, f), has_transactions(r) ? "transactions" : "I/Os",
	        figures_rate(figures_ios(f), f), mb_per_s(figures_bytes(f), f), l.mean_ns / 1e3);
	for (unsigned i = 0; i < r->config->npercentiles && i < COLUMNS_MAX; i++)
		fprintf(out, ", p%.10g %.1f", r->config->percentiles[i],
		        (double)figures_percentile_ns(f, r->config->percentiles[i]) / 1e3);
	fprintf(out, "\n");
	return figures_flush(out);
}

/* ---- tables ---- */

static void latency_heads(const struct run_config *c, FILE *out)
{
	fprintf(out, " %10s", "mean");
	for (unsigned i = 0; i < c->npercentiles && i < COLUMNS_MAX; i++) {
		char head[24];

		snprintf(head, sizeof(head), "p%.10g", c->percentiles[i]);
		fprintf(out, " %10s", head);
	}
	fprintf(out, " %11s\n", "max");
}

/* A percentile above which there is not even one value says nothing: "-". */
static void latency_cells(const struct run_config *c, const struct hist *h, FILE *out)
{
	struct figures_latency l;

	figures_latency(&l, h);
	fprintf(out, " %10.1f", l.mean_ns / 1e3);
	for (unsigned i = 0; i < c->npercentiles && i < COLUMNS_MAX; i++) {
		double beyond = (double)l.count * (100 - c->percentiles[i]) / 100;

		if (beyond < 1 && c->percentiles[i] < 100)
			fprintf(out, " %10s", "-");
		else
			fprintf(out, " %10.1f",
			        (double)hist_percentile_ns(h, c->percentiles[i]) / 1e3);
	}
	fprintf(out, " %11.1f\n", (double)l.max_ns / 1e3);
}

static const char *type_name(const struct result *r, unsigned i)
{
	return r->mix != NULL && i < r->mix->ntypes ? r->mix->types[i].name : "I/O";
}

static const struct hist *type_hist(const struct tally_sum *s, unsigned i, bool service)
{
	const struct hist *h = service ? s->types[i].service : s->types[i].latency;

	/* One type only: its histogram is the total one. */
	if (h == NULL && s->ntypes == 1)
		h = service ? s->service : s->latency;
	return h;
}

static void type_table(const struct result *r, const char *title, bool service, FILE *out)
{
	const struct run_figures *f = &r->run->total;
	const struct tally_sum *s = f->sum;
	char label[4 * NAME_COLUMNS + 1];

	fprintf(out, "%s\n    %-*s %12s %11s", title, (int)NAME_COLUMNS,
	        has_transactions(r) ? "transaction" : "stream", "count", "per s");
	latency_heads(r->config, out);
	for (unsigned i = 0; i < s->ntypes; i++) {
		const struct tally_sum_type *t = &s->types[i];

		/* Streams in the background have no events of the run. */
		if (t->begun == 0 && s->ntypes != 1)
			continue;
		fprintf(out, "    %-*s %12llu %11.1f", (int)NAME_COLUMNS,
		        figures_label(label, type_name(r, i), NAME_COLUMNS),
		        (unsigned long long)t->ok, figures_rate(t->ok, f));
		latency_cells(r->config, type_hist(s, i, service), out);
	}
	if (s->ntypes > 1) {
		fprintf(out, "    %-*s %12llu %11.1f", (int)NAME_COLUMNS, "(all)",
		        (unsigned long long)s->ok, figures_rate(s->ok, f));
		latency_cells(r->config, service ? s->service : s->latency, out);
	}
	fprintf(out, "\n");
}

static void statement_table(const struct result *r, FILE *out)
{
	const struct run_figures *f = &r->run->total;
	const struct tally_sum *s = f->sum;
	char label[4 * NAME_COLUMNS + 1];

	if (s->nstmts == 0)
		return;
	fprintf(out, "%s\n    %-*s %11s %9s",
	        has_transactions(r) ? "Steps (us):" : "By kind (us):", (int)NAME_COLUMNS,
	        has_transactions(r) ? "step" : "I/O", "per s", "MB/s");
	latency_heads(r->config, out);
	for (unsigned i = 0; i < s->nstmts; i++) {
		const struct tally_stmt *t = &s->stmts[i];

		fprintf(out, "    %-*s %11.1f %9.1f", (int)NAME_COLUMNS,
		        figures_label(label, t->label, NAME_COLUMNS), figures_rate(t->count, f),
		        mb_per_s(t->bytes, f));
		latency_cells(r->config, t->latency, out);
	}
	fprintf(out, "\n");
}

static void throughput(const struct result *r, FILE *out)
{
	static const char *const words[] = {"reads", "writes", "flushes"};
	const struct run_figures *f = &r->run->total;
	const struct tally_sum *s = f->sum;

	fprintf(out, "Throughput over %.2f s:\n", f->elapsed_s);
	if (has_transactions(r))
		fprintf(out, "    %-14s %14.2f per s\n", "transactions", figures_rate(f->ok, f));
	fprintf(out, "    %-14s %14.1f per s %12.1f MB/s\n", "I/O", figures_rate(figures_ios(f), f),
	        mb_per_s(figures_bytes(f), f));
	for (unsigned i = 0; i < TALLY_CLASSES; i++) {
		if (s->classes[i] == 0)
			continue;
		fprintf(out, "    %-14s %14.1f per s", words[i], figures_rate(s->classes[i], f));
		if (s->bytes[i] != 0)
			fprintf(out, " %12.1f MB/s", mb_per_s(s->bytes[i], f));
		fprintf(out, "\n");
	}
	fprintf(out, "\n");
}

/* ---- lines ---- */

static void add(const struct result *r, const char *key, const char *before, const char *after,
                FILE *out)
{
	const char *text = fact(&r->raw, key);

	if (text != NULL)
		fprintf(out, "%s%s%s", before, text, after);
}

static void size(const struct result *r, const char *key, const char *before, FILE *out)
{
	const struct kv_item *item = kv_find(&r->raw, key);
	char text[32];

	if (item != NULL)
		fprintf(out, "%s%s", before,
		        units_format_size(text, sizeof(text), (uint64_t)item->i));
}

static void what_lines(const struct result *r, FILE *out)
{
	add(r, "profile", "Profile:   ", "", out);
	add(r, "title", ": ", "", out);
	fprintf(out, "\n");
	add(r, "modelled", "           modelled: ", "\n", out);
	add(r, "target", "Target:    ", "", out);
	size(r, "size_bytes", ", ", out);
	size(r, "lba_bytes", " in blocks of ", out);
	add(r, "not_direct", "; through the page cache: ", "", out);
	fprintf(out, "\n");
	add(r, "engine", "Engine:    ", "", out);
	add(r, "engine_in_force", ": ", "", out);
	fprintf(out, "\n");
	add(r, "oio", "Load:      ", has_transactions(r) ? " clients" : " outstanding", out);
	add(r, "workers", ", threads: ", "", out);
	if (figures_open_loop(r))
		fprintf(out, ", %g per s, %s arrivals", r->config->rate_per_s,
		        r->config->process == SCHED_FIXED ? "fixed" : "Poisson");
	else
		fprintf(out, ", closed loop");
	fprintf(out, "\n");
	add(r, "conditioning", "State:     ", "\n", out);
}

/* ---- curves ---- */

int rep_text_curve_head(const struct result *r, FILE *out)
{
	fprintf(out, "%-8s %12s %12s %9s", "load", "offered/s", "achieved/s", "MB/s");
	fprintf(out, " %12s", "service mean");
	latency_heads(r->config, out);
	return figures_flush(out);
}

int rep_text_point(const struct result *r, const struct result_point *p, FILE *out)
{
	const struct run_figures *f = &p->run.total;
	struct figures_latency service;
	char load[24];

	figures_latency(&service, f->sum != NULL ? f->sum->service : NULL);
	snprintf(load, sizeof(load), "%.10g%%%s", p->per_cent, p->saturated ? " *" : "");
	fprintf(out, "%-8s %12.1f %12.1f %9.1f %12.1f", load, figures_rate(f->offered, f),
	        figures_rate(f->ok, f), mb_per_s(figures_bytes(f), f), service.mean_ns / 1e3);
	latency_cells(r->config, f->sum != NULL ? f->sum->latency : NULL, out);
	return figures_flush(out);
}

/* The points were printed as they came. */
static void curve_lines(const struct result *r, FILE *out)
{
	double knee = 0;
	bool saturated = false;

	for (unsigned i = 0; i < r->npoints; i++) {
		knee = fmax(knee, figures_rate(r->points[i].run.total.ok, &r->points[i].run.total));
		saturated = saturated || r->points[i].saturated;
	}
	if (saturated)
		fprintf(out, "* saturated: less was done than offered, so its response times grow "
		             "with the length of the run\n");
	fprintf(out, "Times in us, response from the intended start; most done: %.1f per s\n\n",
	        knee);
}

int rep_text_raw_final(const struct result *r, FILE *out)
{
	const struct run_result *run = r->run;

	if (r->npoints != 0)
		curve_lines(r, out);
	if (run != NULL && run->partial)
		rep_text_partial(r, out);
	what_lines(r, out);
	fprintf(out, "\n");
	rep_text_tests(r, out);
	if (run != NULL && run->total.sum != NULL && r->ntests == 0) {
		bool open = run->total.sum->service != NULL;

		throughput(r, out);
		type_table(
		    r, open ? "Response time from the intended start (us):" : "Response time (us):",
		    false, out);
		if (open)
			type_table(r, "Service time from the actual start (us):", true, out);
		statement_table(r, out);
		rep_text_errors(run->total.sum, out);
		rep_text_balance(&run->total, out);
	}
	rep_text_device(r, out);
	rep_text_counters(r, out);
	rep_text_capture(r, out);
	if (run != NULL)
		rep_text_generator(r, out);
	rep_text_warnings(r, out);
	return figures_flush(out);
}
