/* SPDX-License-Identifier: MIT */
/*
 * The part of the text report whose form other programs parse. Every blank, heading and width here
 * is on purpose; tests/unit/report_text_test.c holds them against what sysbench 1.0.20 printed.
 */
#include <math.h>

#include "report/figures.h"
#include "report/rep_text.h"

/* Seconds of a label: whole ones without a fraction, as parsers expect. */
static void print_stamp(const struct result *r, const struct run_figures *f, FILE *out)
{
	int decimals = r->config->interval_ns % 1000000000u != 0 ? 3 : 0;

	fprintf(out, "[ %.*fs ]", decimals, f->end_s);
}

static double latency_ms(const struct result *r, const struct run_figures *f)
{
	/* Without percentiles the column stays 0, but a stall must show all the same. */
	if (r->config->npercentiles == 0 && !figures_stalled(f))
		return 0;
	return (double)figures_percentile_ns(f, r->config->percentile_first) / 1e6;
}

static void interval_sql(const struct result *r, const struct run_figures *f, FILE *out)
{
	const struct tally_sum *s = f->sum;

	fprintf(
	    out,
	    " thds: %u tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) lat (ms,%.10g%%): %4.2f "
	    "err/s: %4.2f reconn/s: %4.2f\n",
	    f->threads_running, figures_rate(f->ok, f), figures_rate(figures_queries(f), f),
	    figures_rate(s != NULL ? s->classes[TALLY_READ] : 0, f),
	    figures_rate(s != NULL ? s->classes[TALLY_WRITE] : 0, f),
	    figures_rate(s != NULL ? s->classes[TALLY_OTHER] : 0, f),
	    r->config->npercentiles != 0 ? r->config->percentile_first : 0, latency_ms(r, f),
	    figures_rate(s != NULL ? s->errors : 0, f),
	    figures_rate(s != NULL ? s->reconnects : 0, f));
}

static void interval_plain(const struct result *r, const struct run_figures *f, FILE *out)
{
	fprintf(out, " thds: %u eps: %4.2f lat (ms,%.10g%%): %4.2f\n", f->threads_running,
	        figures_rate(f->ok, f),
	        r->config->npercentiles != 0 ? r->config->percentile_first : 0, latency_ms(r, f));
}

/*
 * A run rarely ends on an interval's border. The rest of a fraction of a second after the last full
 * interval would be a second line with the same time, which parsers take for another interval.
 */
static bool worth_a_line(const struct run_figures *f)
{
	return !f->tail || f->whole;
}

int rep_text_interval(const struct result *r, const struct run_figures *f, FILE *out)
{
	if (figures_is_raw(r))
		return rep_text_raw_interval(r, f, out);
	if (!worth_a_line(f))
		return 0;
	print_stamp(r, f, out);
	if (r->driver != NULL)
		interval_sql(r, f, out);
	else
		interval_plain(r, f, out);
	if (figures_open_loop(r)) {
		print_stamp(r, f, out);
		fprintf(out, " queue length: %llu%s concurrency: %u\n",
		        (unsigned long long)f->queue_length, r->driver != NULL ? "," : "",
		        f->sum != NULL ? f->sum->inflight : 0);
	}
	return figures_flush(out);
}

static void statistics_sql(const struct run_figures *f, FILE *out)
{
	const struct tally_sum *s = f->sum;
	unsigned long long queries = figures_queries(f);
	unsigned long long errors = s != NULL ? s->errors : 0;
	unsigned long long reconnects = s != NULL ? s->reconnects : 0;
	unsigned long long class[TALLY_CLASSES] = {0};

	for (unsigned i = 0; s != NULL && i < TALLY_CLASSES; i++)
		class[i] = s->classes[i];
	fprintf(out, "SQL statistics:\n    queries performed:\n");
	fprintf(out, "        read:                            %llu\n", class[TALLY_READ]);
	fprintf(out, "        write:                           %llu\n", class[TALLY_WRITE]);
	fprintf(out, "        other:                           %llu\n", class[TALLY_OTHER]);
	fprintf(out, "        total:                           %llu\n", queries);
	fprintf(out, "    transactions:                        %-6llu (%.2f per sec.)\n",
	        (unsigned long long)f->ok, figures_rate(f->ok, f));
	fprintf(out, "    queries:                             %-6llu (%.2f per sec.)\n", queries,
	        figures_rate(queries, f));
	fprintf(out, "    ignored errors:                      %-6llu (%.2f per sec.)\n", errors,
	        figures_rate(errors, f));
	fprintf(out, "    reconnects:                          %-6llu (%.2f per sec.)\n",
	        reconnects, figures_rate(reconnects, f));
}

static void general(const struct result *r, const struct run_figures *f, FILE *out)
{
	if (r->compat_1_1) {
		fprintf(out, "\nThroughput:\n");
		fprintf(out, "    events/s (eps):                      %.4f\n",
		        figures_rate(f->ok, f));
		fprintf(out, "    time elapsed:                        %.4fs\n", f->elapsed_s);
	} else {
		fprintf(out, "\nGeneral statistics:\n");
		fprintf(out, "    total time:                          %.4fs\n", f->elapsed_s);
	}
	fprintf(out, "    total number of events:              %llu\n", (unsigned long long)f->ok);
}

static void latency(const struct result *r, const struct run_figures *f, FILE *out)
{
	struct figures_latency l;

	figures_response(&l, f);
	fprintf(out, "\nLatency (ms):\n");
	fprintf(out, "         min: %39.2f\n", (double)l.min_ns / 1e6);
	fprintf(out, "         avg: %39.2f\n", l.mean_ns / 1e6);
	fprintf(out, "         max: %39.2f\n", (double)l.max_ns / 1e6);
	if (r->config->npercentiles > 0)
		fprintf(out, "%11.10gth percentile: %27.2f\n", r->config->percentile_first,
		        latency_ms(r, f));
	else
		fprintf(out, "         percentile stats:               disabled\n");
	fprintf(out, "         sum: %39.2f\n", l.sum_ms);
}

static void fairness(const struct run_fairness *fair, FILE *out)
{
	fprintf(out, "\nThreads fairness:\n");
	fprintf(out, "    events (avg/stddev):           %.4f/%3.2f\n",
	        figures_finite(fair->events_avg), figures_finite(fair->events_stddev));
	fprintf(out, "    execution time (avg/stddev):   %.4f/%3.2f\n",
	        figures_finite(fair->time_avg_s), figures_finite(fair->time_stddev_s));
}

int rep_text_cumulative(const struct result *r, const struct run_figures *f, FILE *out)
{
	if (r->driver != NULL)
		statistics_sql(f, out);
	general(r, f, out);
	latency(r, f, out);
	fairness(&f->fairness, out);
	fprintf(out, "\n");
	return figures_flush(out);
}

int rep_text_checkpoint(const struct result *r, const struct run_figures *f, FILE *out)
{
	if (figures_is_raw(r))
		return rep_text_raw_checkpoint(r, f, out);
	fprintf(out, "[ %.0fs ] Checkpoint report:\n", f->end_s);
	return rep_text_cumulative(r, f, out);
}

/* ---- --histogram ---- */

/* 32 buckets to each doubling, about as fine as sysbench's; the exact counts are in the JSON
 * result. */
#define COARSE_BITS  5u
#define COARSE_COUNT ((65u - COARSE_BITS) << COARSE_BITS)
#define BAR_COLUMNS  40

struct coarse {
	uint64_t counts[COARSE_COUNT];
	uint64_t low_ns[COARSE_COUNT], high_ns[COARSE_COUNT]; /* of the counters that went in */
	uint64_t most;
};

static void coarse_add(void *ctx, uint64_t value_ns, uint64_t width_ns, uint64_t count)
{
	struct coarse *c = ctx;
	unsigned top = 63u - (unsigned)__builtin_clzll(value_ns | 1);
	unsigned shift = top > COARSE_BITS ? top - COARSE_BITS : 0;
	unsigned i = (shift << COARSE_BITS) + (unsigned)(value_ns >> shift);

	if (c->counts[i] == 0)
		c->low_ns[i] = value_ns;
	c->high_ns[i] = value_ns + width_ns - 1;
	c->counts[i] += count;
	if (c->counts[i] > c->most)
		c->most = c->counts[i];
}

static void coarse_print(const struct coarse *c, FILE *out)
{
	static const char bar[] = "****************************************";

	_Static_assert(sizeof(bar) - 1 == BAR_COLUMNS, "a full bar");
	for (unsigned i = 0; i < COARSE_COUNT; i++) {
		double share = (double)c->counts[i] / (double)c->most;

		if (c->counts[i] == 0)
			continue;
		fprintf(out, "%12.3f |%-*.*s %llu\n",
		        ((double)c->low_ns[i] + (double)c->high_ns[i]) / 2 / 1e6, BAR_COLUMNS,
		        (int)lround(share * BAR_COLUMNS), bar, (unsigned long long)c->counts[i]);
	}
}

int rep_text_histogram(const struct result *r, FILE *out)
{
	const struct tally_sum *s = figures_sum(r);
	struct coarse c = {0};

	if (s != NULL && s->latency != NULL)
		hist_each(s->latency, coarse_add, &c);
	fprintf(out, "Latency histogram (values are in milliseconds)\n");
	fprintf(out, "       value  ------------- distribution ------------- count\n");
	if (c.most > 0)
		coarse_print(&c, out);
	/* A blank and an end of line is what there is. */
	fprintf(out, " \n");
	return figures_flush(out);
}

int rep_text_final(const struct result *r, FILE *out)
{
	static const struct run_figures none;

	if (figures_is_raw(r))
		return rep_text_raw_final(r, out);
	if (r->debug_histogram)
		rep_text_histogram(r, out);
	rep_text_cumulative(r, r->run != NULL ? &r->run->last : &none, out);
	return rep_text_details(r, out);
}
