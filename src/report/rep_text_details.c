/* SPDX-License-Identifier: MIT */
/*
 * Our own lines after sysbench's: made for people; programs read the JSON result. No label here may
 * be one that sysbench prints ("95th percentile:", "transactions:"), because scripts search whole
 * reports for those.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/figures.h"
#include "report/rep_text.h"

#define NAME_COLUMNS      24u
#define STATEMENT_ROWS    40u
#define STATEMENT_COLUMNS 60u
#define FACTS_COLUMNS     110u

/* ---- tables ---- */

static void latency_heads(FILE *out)
{
	fprintf(out, " %9s %9s %9s %9s %9s %10s", "mean", "p50", "p95", "p99", "p99.9", "max");
}

static void latency_cells(const struct hist *h, FILE *out)
{
	static const double shown[] = {50, 95, 99, 99.9};
	uint64_t values_ns[4] = {0};
	struct figures_latency l;

	figures_latency(&l, h);
	if (l.count > 0)
		hist_percentiles_ns(h, shown, 4, values_ns);
	fprintf(out, " %9.3f", l.mean_ns / 1e6);
	for (unsigned i = 0; i < 4; i++)
		fprintf(out, " %9.3f", (double)values_ns[i] / 1e6);
	fprintf(out, " %10.3f", (double)l.max_ns / 1e6);
}

static const char *type_name(const struct result *r, unsigned i)
{
	return r->mix != NULL && i < r->mix->ntypes ? r->mix->types[i].name : "event";
}

static void type_row(const char *name, const struct tally_sum_type *t, const struct hist *h,
                     const struct run_figures *f, FILE *out)
{
	char label[4 * NAME_COLUMNS + 1];

	fprintf(out, "    %-*s %10llu %11.2f", (int)NAME_COLUMNS,
	        figures_label(label, name, NAME_COLUMNS), (unsigned long long)t->ok,
	        figures_rate(t->ok, f));
	latency_cells(h, out);
	fprintf(out, " %8llu %8llu\n", (unsigned long long)t->failed,
	        (unsigned long long)t->retries);
}

static void type_table(const struct result *r, const char *title, bool service, FILE *out)
{
	const struct run_figures *f = &r->run->total;
	const struct tally_sum *s = f->sum;
	struct tally_sum_type all = {.ok = s->ok, .failed = s->failed, .retries = s->retries};

	fprintf(out, "%s\n    %-*s %10s %11s", title, (int)NAME_COLUMNS, "transaction", "count",
	        "per s");
	latency_heads(out);
	fprintf(out, " %8s %8s\n", "failed", "retries");
	for (unsigned i = 0; i < s->ntypes; i++) {
		const struct tally_sum_type *t = &s->types[i];
		const struct hist *h = service ? t->service : t->latency;

		/* One type only: its histogram is the total one. */
		if (h == NULL && s->ntypes == 1)
			h = service ? s->service : s->latency;
		type_row(type_name(r, i), t, h, f, out);
	}
	if (s->ntypes != 1)
		type_row("(all)", &all, service ? s->service : s->latency, f, out);
	fprintf(out, "\n");
}

static void target_table(const struct result *r, FILE *out)
{
	const struct run_figures *f = &r->run->total;
	char label[4 * STATEMENT_COLUMNS + 1];

	fprintf(out, "Targets (response time in ms):\n    %7s %10s %11s", "clients", "count",
	        "per s");
	latency_heads(out);
	fprintf(out, " %8s %8s %9s  %s\n", "failed", "errors", "reconn.", "target");
	for (unsigned i = 0; i < r->run->ntargets; i++) {
		const struct tally_sum *s = r->run->targets[i];

		fprintf(out, "    %7u %10llu %11.2f", figures_target_clients(r, i),
		        (unsigned long long)s->ok, figures_rate(s->ok, f));
		latency_cells(s->latency, out);
		fprintf(
		    out, " %8llu %8llu %9llu  %s\n", (unsigned long long)s->failed,
		    (unsigned long long)s->errors, (unsigned long long)s->reconnects,
		    figures_label(label, i < r->ntargets ? r->targets[i] : "?", STATEMENT_COLUMNS));
	}
	fprintf(out, "\n");
}

static void percentile_table(const struct result *r, FILE *out)
{
	const struct tally_sum *s = r->run->total.sum;
	const struct run_config *c = r->config;

	if (c->npercentiles < 2 || s->latency == NULL)
		return;
	fprintf(out, "As asked for by --percentile (ms):\n    %-24s %12s%s\n", "", "response",
	        s->service != NULL ? "      service" : "");
	for (unsigned i = 0; i < c->npercentiles; i++) {
		double p = c->percentiles[i];

		fprintf(out, "    p%-23.10g %12.3f", p,
		        (double)hist_percentile_ns(s->latency, p) / 1e6);
		if (s->service != NULL)
			fprintf(out, " %12.3f", (double)hist_percentile_ns(s->service, p) / 1e6);
		fprintf(out, "\n");
	}
	fprintf(out, "\n");
}

static int by_time_spent(const void *a, const void *b)
{
	const struct tally_stmt *const *x = a, *const *y = b;
	uint64_t x_ns = (*x)->latency != NULL ? (*x)->latency->sum_ns : 0;
	uint64_t y_ns = (*y)->latency != NULL ? (*y)->latency->sum_ns : 0;

	return x_ns < y_ns ? 1 : x_ns > y_ns ? -1 : 0;
}

static void statement_row(const struct tally_stmt *t, const struct run_figures *f, FILE *out)
{
	char label[4 * STATEMENT_COLUMNS + 1];

	fprintf(out, "    %-5s %10llu %11.2f", figures_class_name(t->class),
	        (unsigned long long)t->count, figures_rate(t->count, f));
	/* Inside pipelines statements have no time of their own. */
	if (t->count != 0 && t->latency->lo > t->latency->hi)
		fprintf(out, " %9s %9s %9s %9s %9s %10s", "-", "-", "-", "-", "-", "-");
	else
		latency_cells(t->latency, out);
	fprintf(out, " %11llu %7llu  %s\n", (unsigned long long)t->rows,
	        (unsigned long long)t->errors, figures_label(label, t->label, STATEMENT_COLUMNS));
}

static void statement_table(const struct run_figures *f, FILE *out)
{
	const struct tally_sum *s = f->sum;
	const struct tally_stmt **order;
	unsigned shown = s->nstmts < STATEMENT_ROWS ? s->nstmts : STATEMENT_ROWS;

	order = s->nstmts > 0 ? calloc(s->nstmts, sizeof(const struct tally_stmt *)) : NULL;
	if (order == NULL)
		return;
	for (unsigned i = 0; i < s->nstmts; i++)
		order[i] = &s->stmts[i];
	qsort(order, s->nstmts, sizeof(const struct tally_stmt *), by_time_spent);
	fprintf(out, "Statements by time spent (ms):\n    %-5s %10s %11s", "class", "count",
	        "per s");
	latency_heads(out);
	fprintf(out, " %11s %7s  %s\n", "rows", "errors", "statement");
	for (unsigned i = 0; i < shown; i++)
		statement_row(order[i], f, out);
	if (shown < s->nstmts)
		fprintf(out, "    and %u more, all in the JSON result\n", s->nstmts - shown);
	fprintf(out, "\n");
	free(order);
}

void rep_text_errors(const struct tally_sum *s, FILE *out)
{
	char text[4 * sizeof(s->error_list[0].text) + 1];
	char state[4 * sizeof(s->error_list[0].state) + 1];

	if (s->nerrors == 0)
		return;
	fprintf(out, "Errors:\n    %10s %8s %-6s %s\n", "count", "code", "state", "first text");
	for (unsigned i = 0; i < s->nerrors; i++) {
		const struct tally_error *e = &s->error_list[i];

		fprintf(out, "    %10llu %8d %-6s %s\n", (unsigned long long)e->count, e->code,
		        figures_label(state, e->state, sizeof(e->state)),
		        figures_label(text, e->text, sizeof(e->text)));
	}
	fprintf(out, "\n");
}

/* ---- lines ---- */

static void print_goal(const struct run_config *c, FILE *out)
{
	if (c->time_ns != RUN_NEVER && c->time_ns != 0)
		fprintf(out, " of %g s", (double)c->time_ns / 1e9);
	if (c->events != 0)
		fprintf(out, "%s %llu events", c->time_ns != RUN_NEVER ? " or" : " of",
		        (unsigned long long)c->events);
}

void rep_text_partial(const struct result *r, FILE *out)
{
	const struct run_result *run = r->run;
	const char *name = sigabbrev_np(run->signal);

	fprintf(out, "partial: ");
	if (run->end == RUN_END_SIGNAL && name != NULL)
		fprintf(out, "stopped by SIG%s", name);
	else if (run->end == RUN_END_SIGNAL)
		fprintf(out, "stopped by signal %d", run->signal);
	else if (run->end == RUN_END_ERROR)
		fprintf(out, "ended by an error");
	else if (run->end == RUN_END_SCRIPT)
		fprintf(out, "ended by the script");
	else
		fprintf(out, "ended early");
	if (run->phases.measure_ns == 0 && r->config->warmup_ns != 0) {
		fprintf(out, " during warm-up");
	} else {
		fprintf(out, " after %.1f s", (double)run->phases.measure_ns / 1e9);
		print_goal(r->config, out);
	}
	if (run->end == RUN_END_ERROR && err_is_set(&run->err))
		fprintf(out, ": %.*s", (int)strcspn(run->err.text, "\n"), run->err.text);
	fprintf(out, "\n\n");
}

void rep_text_balance(const struct run_figures *f, FILE *out)
{
	const struct tally_sum *s = f->sum;

	fprintf(out,
	        "Balance:   offered %llu = ok %llu + failed %llu + skipped %llu + unfinished %llu",
	        (unsigned long long)f->offered, (unsigned long long)f->ok,
	        (unsigned long long)f->failed, (unsigned long long)f->skipped,
	        (unsigned long long)f->unfinished);
	if (s != NULL && s->retries != 0)
		fprintf(out, "; retries %llu", (unsigned long long)s->retries);
	if (s != NULL && s->cancelled != 0)
		fprintf(out, "; called off by the script %llu", (unsigned long long)s->cancelled);
	if (s != NULL && s->commit_unknown != 0)
		fprintf(out, "; commits of unknown outcome %llu",
		        (unsigned long long)s->commit_unknown);
	fprintf(out, "\n");
	if (s != NULL && (s->lock_waits != 0 || s->lock_timeouts != 0))
		fprintf(out,
		        "Locks:     %llu waits for other writers, %.3f s in all, %llu timed out\n",
		        (unsigned long long)s->lock_waits, (double)s->lock_wait_ns / 1e9,
		        (unsigned long long)s->lock_timeouts);
}

static const char *fact(const struct kv *kv, const char *key)
{
	const struct kv_item *item = kv_find(kv, key);

	return item != NULL && item->text[0] != '\0' ? item->text : NULL;
}

/* What the first line has told, where it lies (the device's line), and what is too long for a line.
 */
static bool is_told(const struct kv_item *item)
{
	static const char *const told[] = {"engine",         "version",         "durability_note",
	                                   "data_directory", "compile_options", "file_size_bytes",
	                                   "wal_size_bytes"};

	for (unsigned i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		if (strcmp(item->key, told[i]) == 0)
			return true;
	}
	return item->text[0] == '\0';
}

/* Further facts in the engine's order, which is that of their weight, until the line is full. */
static void more_facts(const struct kv *kv, FILE *out)
{
	size_t used = 0;

	for (unsigned i = 0; i < kv->n; i++) {
		const struct kv_item *item = &kv->items[i];
		size_t len = strlen(item->key) + strlen(item->text) + 3;

		if (is_told(item) || used + len > FACTS_COLUMNS)
			continue;
		fprintf(out, "%s%s %s", used == 0 ? "           " : ", ", item->key, item->text);
		used += len;
	}
	if (used > 0)
		fprintf(out, "\n");
}

static void database_lines(const struct result *r, FILE *out)
{
	const char *engine = fact(&r->database, "engine");
	const char *version = fact(&r->database, "version");
	const char *note = fact(&r->database, "durability_note");

	if (r->driver == NULL)
		return;
	fprintf(out, "Database:  %s%s%s, %s", engine != NULL ? engine : r->driver,
	        version != NULL ? " " : "", version != NULL ? version : "",
	        r->durable ? "a commit survives a power cut" : "a power cut may lose commits");
	if (note != NULL)
		fprintf(out, " (%s)", note);
	fprintf(out, "\n");
	more_facts(&r->database, out);
}

/* ", LABEL TEXT" when the fact is known. */
static void add_fact(const struct kv *kv, const char *key, const char *label, FILE *out)
{
	const char *text = fact(kv, key);

	if (text != NULL)
		fprintf(out, ", %s%s", label, text);
}

void rep_text_device(const struct result *r, FILE *out)
{
	const struct kv *d = &r->device;
	const struct kv_item *size = kv_find(d, "capacity_bytes");
	const char *drive = fact(d, "drive");
	const char *model = fact(d, "model");
	const char *fs = fact(d, "filesystem");
	char text[32];

	if (d->n == 0)
		return;
	fprintf(out, "Device:    %s%s%s", drive != NULL ? drive : "no drive is known",
	        model != NULL ? " " : "", model != NULL ? model : "");
	add_fact(d, "firmware", "firmware ", out);
	add_fact(d, "serial", "serial ", out);
	if (size != NULL)
		fprintf(out, ", %s", units_format_size(text, sizeof(text), (uint64_t)size->i));
	add_fact(d, "link_speed", "link ", out);
	if (fact(d, "link_width") != NULL)
		fprintf(out, " x%s", fact(d, "link_width"));
	add_fact(d, "scheduler", "scheduler ", out);
	add_fact(d, "write_cache", "write cache ", out);
	if (fs != NULL)
		fprintf(out, "; %s on %s", fs,
		        fact(d, "mount_point") != NULL ? fact(d, "mount_point") : "?");
	if (fact(d, "mount_options") != NULL)
		fprintf(out, " (%s)", fact(d, "mount_options"));
	add_fact(d, "note", "", out);
	fprintf(out, "\n");
}

void rep_text_generator(const struct result *r, FILE *out)
{
	const struct run_result *run = r->run;
	const struct tally_sum *s = run->total.sum;
	char text[32];

	fprintf(out, "Seed:      %llu%s\n", (unsigned long long)r->config->seed,
	        r->config->seed_given ? "" : " (from the time; --rand-seed repeats it)");
	fprintf(out, "Generator: CPU %.2f s user + %.2f s system, %.1f %% of what it may use",
	        run->cpu_user_s, run->cpu_system_s, 100 * figures_finite(run->cpu_share));
	if (run->idle_overhead_ns > 0)
		fprintf(out, "; own time per event %s",
		        units_format_time(text, sizeof(text),
		                          (uint64_t)llround(run->idle_overhead_ns)));
	fprintf(out, "; clock %s, %.0f ns a reading",
	        run->clock_kind != NULL ? run->clock_kind : "?",
	        figures_finite(run->clock_cost_ns));
	if (s != NULL && s->lateness != NULL && hist_count(s->lateness) != 0) {
		fprintf(out, "; arrivals late by p99 %s",
		        units_format_time(text, sizeof(text), hist_percentile_ns(s->lateness, 99)));
		fprintf(out, ", at most %s",
		        units_format_time(text, sizeof(text), s->lateness->max_ns));
	}
	if (run->max_rss_bytes != 0)
		fprintf(out, "; memory %s",
		        units_format_size(text, sizeof(text), run->max_rss_bytes));
	if (r->lua_states != 0)
		fprintf(out, "; %u Lua states, shared", r->lua_states);
	fprintf(out, "\n");
}

void rep_text_warnings(const struct result *r, FILE *out)
{
	const struct result_warnings *w = &r->warnings;

	if (w->n == 0)
		return;
	fprintf(out, "\nWarnings:\n");
	for (unsigned i = 0; i < w->n; i++)
		fprintf(out, "    %s\n", w->texts[i]);
}

int rep_text_details(const struct result *r, FILE *out)
{
	const struct run_result *run = r->run;

	if (run != NULL && run->partial)
		rep_text_partial(r, out);
	if (run != NULL && run->total.sum != NULL) {
		const struct tally_sum *s = run->total.sum;

		type_table(r,
		           s->service != NULL
		               ? "Transactions, response time from the intended start (ms):"
		               : "Transactions, response time (ms):",
		           false, out);
		if (s->service != NULL)
			type_table(
			    r, "Transactions, service time from the actual start (ms):", true, out);
		percentile_table(r, out);
		if (run->ntargets != 0)
			target_table(r, out);
		statement_table(&run->total, out);
		rep_text_errors(s, out);
	}
	if (run != NULL)
		rep_text_balance(&run->total, out);
	database_lines(r, out);
	rep_text_device(r, out);
	rep_text_counters(r, out);
	rep_text_capture(r, out);
	if (run != NULL)
		rep_text_generator(r, out);
	rep_text_warnings(r, out);
	return figures_flush(out);
}
