/* SPDX-License-Identifier: MIT */
/* Tests of many cells, in text and CSV. */
#include <string.h>

#include "base/units.h"
#include "report/figures.h"
#include "report/rep_tests.h"

#define SERIES_ROWS 40u /* in text; the other forms have all */

static const char *unit(enum result_metric metric)
{
	static const char *const units[] = {"IOPS", "MB/s", "us"};

	return units[metric];
}

/* In the unit that is printed: IOPS, MB/s, us. */
static double shown(double value, enum result_metric metric)
{
	return metric == RESULT_IOPS         ? value
	       : metric == RESULT_THROUGHPUT ? value / 1e6
	                                     : value / 1e3;
}

double result_cell_metric(const struct cell_figures *f, enum result_metric metric)
{
	return metric == RESULT_IOPS         ? f->iops_per_s
	       : metric == RESULT_THROUGHPUT ? f->bytes_per_s
	                                     : f->mean_ns;
}

/* "100/0" */
static char *mix_text(char *buf, size_t room, double read_share)
{
	snprintf(buf, room, "%.4g/%.4g", 100 * read_share, 100 - 100 * read_share);
	return buf;
}

static void table(const struct result_test *t, enum result_metric metric, const char *title,
                  FILE *out)
{
	char text[32];

	fprintf(out, "%s, average over the window (read/write):\n    %10s", title, "");
	for (unsigned m = 0; m < t->nmixes; m++)
		fprintf(out, " %11s", mix_text(text, sizeof(text), t->read_shares[m]));
	fprintf(out, "\n");
	for (unsigned s = 0; s < t->nsizes; s++) {
		fprintf(out, "    %10s", units_format_size(text, sizeof(text), t->size_bytes[s]));
		for (unsigned m = 0; m < t->nmixes; m++)
			fprintf(out, " %11.2f",
			        shown(result_cell_metric(&t->means[m * t->nsizes + s], metric),
			              metric));
		fprintf(out, "\n");
	}
}

/* Latency tests have the greatest latency beside the mean. */
static void max_table(const struct result_test *t, FILE *out)
{
	char text[32];

	fprintf(out, "Greatest latency in us, of the window (read/write):\n    %10s", "");
	for (unsigned m = 0; m < t->nmixes; m++)
		fprintf(out, " %11s", mix_text(text, sizeof(text), t->read_shares[m]));
	fprintf(out, "\n");
	for (unsigned s = 0; s < t->nsizes; s++) {
		fprintf(out, "    %10s", units_format_size(text, sizeof(text), t->size_bytes[s]));
		for (unsigned m = 0; m < t->nmixes; m++)
			fprintf(out, " %11.2f", t->means[m * t->nsizes + s].max_ns / 1e3);
		fprintf(out, "\n");
	}
}

static void verdict(const struct result_test *t, FILE *out)
{
	char size[32], mix[32];

	if (t->steady)
		fprintf(out, "Steady state: reached in round %u, window rounds %u to %u\n",
		        t->nrounds, t->window_first + 1, t->nrounds);
	else
		fprintf(out, "Steady state: NOT reached in %u of at most %u rounds%s\n", t->nrounds,
		        t->max_rounds, t->partial ? ", as the test was stopped" : "");
	fprintf(out, "    tracked: %s %s; mean %.2f %s, range %.1f %% (limit %.3g), ",
	        units_format_size(size, sizeof(size), t->size_bytes[t->track_size]),
	        mix_text(mix, sizeof(mix), t->read_shares[t->track_mix]), shown(t->mean, t->metric),
	        unit(t->metric), 100 * t->range, 100 * t->range_limit);
	fprintf(out, "slope %.4g per round, excursion %.1f %% (limit %.3g)\n",
	        shown(t->slope, t->metric), 100 * t->excursion, 100 * t->excursion_limit);
}

static void rounds_lines(const struct result_test *t, FILE *out)
{
	fprintf(out, "Rounds (%s of the tracked cell):\n",
	        t->metric == RESULT_LATENCY ? "mean us" : unit(t->metric));
	for (unsigned i = 0; i < t->nrounds; i++)
		fprintf(out, "    %5u %14.2f%s\n", i + 1, shown(t->tracked[i], t->metric),
		        i >= t->window_first ? "  window" : "");
}

static void series_lines(const struct result_test *t, FILE *out)
{
	unsigned step = t->nrounds / SERIES_ROWS + 1;
	char written[32];

	fprintf(out, "    %10s %12s %12s %12s %14s %14s\n", "time s", "written", unit(t->metric),
	        "mean us", "99.999% us", "max us");
	for (unsigned i = 0; i < t->nrounds; i++) {
		const struct cell_figures *f = &t->cells[i];

		if (i % step != 0 && i + 1 != t->nrounds)
			continue;
		fprintf(out, "    %10.2f %12s %12.2f %12.2f %14.2f %14.2f\n", t->end_s[i],
		        units_format_size(written, sizeof(written), (uint64_t)t->written_bytes[i]),
		        shown(t->tracked[i], t->metric), f->mean_ns / 1e3, f->p99999_ns / 1e3,
		        f->max_ns / 1e3);
	}
	if (step > 1)
		fprintf(out, "    (one of %u rounds; CSV and JSON have all)\n", step);
}

static void conditioning(const struct result_test *t, FILE *out)
{
	const struct kv_item *item =
	    t->conditioning != NULL ? kv_find(t->conditioning, "conditioning") : NULL;

	if (item != NULL)
		fprintf(out, "State of the target: %s\n", item->text);
}

void rep_text_tests(const struct result *r, FILE *out)
{
	static const char *const titles[] = {"IOPS", "MB/s", "Mean latency in us"};

	for (unsigned i = 0; i < r->ntests; i++) {
		const struct result_test *t = &r->tests[i];

		fprintf(out, "%s: %s, %u outstanding, %g s per cell%s\n", t->name, t->title, t->oio,
		        t->cell_s, t->partial ? "; PARTIAL" : "");
		conditioning(t, out);
		if (t->series) {
			series_lines(t, out);
		} else {
			verdict(t, out);
			rounds_lines(t, out);
			if (t->nrounds != 0)
				table(t, t->metric, titles[t->metric], out);
			if (t->nrounds != 0 && t->metric == RESULT_LATENCY)
				max_table(t, out);
		}
		fprintf(out, "\n");
	}
}

/* ---- CSV ---- */

static void csv_round(const struct result_test *t, unsigned round, FILE *out)
{
	for (unsigned m = 0; m < t->nmixes; m++) {
		for (unsigned s = 0; s < t->nsizes; s++) {
			const struct cell_figures *f =
			    &t->cells[((size_t)round * t->nmixes + m) * t->nsizes + s];

			fprintf(
			    out,
			    "%s,%u,%s,%s,%.10g,%u,%.4f,%.1f,%.6f,%.6f,%.6f,%.6f,%.6f,%.0f,%llu\n",
			    t->name, round + 1,
			    t->series || round >= t->window_first ? "yes" : "no",
			    m == t->track_mix && s == t->track_size ? "yes" : "no",
			    100 * t->read_shares[m], t->size_bytes[s], f->iops_per_s,
			    f->bytes_per_s, f->mean_ns / 1e6, f->p99_ns / 1e6, f->p99999_ns / 1e6,
			    f->max_ns / 1e6, t->end_s[round], t->written_bytes[round],
			    (unsigned long long)f->errors);
		}
	}
}

int rep_csv_tests(const struct result *r, FILE *out)
{
	fprintf(out, "test,round,in_window,tracked,read_percent,size_bytes,iops,bytes_per_s,"
	             "latency_mean_ms,latency_p99_ms,latency_p99.999_ms,latency_max_ms,"
	             "round_end_s,written_bytes,errors\n");
	for (unsigned i = 0; i < r->ntests; i++) {
		for (unsigned k = 0; k < r->tests[i].nrounds; k++)
			csv_round(&r->tests[i], k, out);
	}
	return figures_flush(out);
}
