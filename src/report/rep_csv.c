/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "report/figures.h"

/*
 * One layout for intervals and the total: a reader tells them by the first column. Rates are per
 * second of the row's own stretch; latencies in ms with the digits of whole ns.
 */
int rep_csv_header(const struct result *r, FILE *out)
{
	fprintf(out, "row,begin_s,end_s,threads,offered,ok,failed,skipped,unfinished,queue_length,"
	             "tps,qps,reads_per_s,writes_per_s,other_per_s,errors_per_s,reconnects_per_s,"
	             "latency_mean_ms,latency_min_ms");
	for (unsigned i = 0; i < r->config->npercentiles; i++)
		fprintf(out, ",latency_p%.10g_ms", r->config->percentiles[i]);
	fprintf(out, ",latency_max_ms,oldest_ms");
	if (figures_is_raw(r))
		fprintf(out, ",iops,read_bytes_per_s,write_bytes_per_s,service_mean_ms,saturated");
	fprintf(out, "\n");
	return figures_flush(out);
}

/* Columns of raw runs; `point` NULL: no point of a curve. */
static void raw_cells(const struct run_figures *f, const struct tally_sum *s,
                      const struct result_point *point, FILE *out)
{
	struct figures_latency service;

	figures_latency(&service, s->service != NULL ? s->service : s->latency);
	fprintf(out, ",%.4f,%.1f,%.1f,%.6f,%s", figures_rate(figures_ios(f), f),
	        figures_rate(s->bytes[TALLY_READ], f), figures_rate(s->bytes[TALLY_WRITE], f),
	        service.mean_ns / 1e6,
	        point == NULL      ? ""
	        : point->saturated ? "yes"
	                           : "no");
}

static int row(const struct result *r, const char *name, const struct run_figures *f,
               const struct result_point *point, FILE *out)
{
	static const struct tally_sum none;
	const struct tally_sum *s = f->sum != NULL ? f->sum : &none;
	struct figures_latency l;

	figures_response(&l, f);
	fprintf(out, "%s,%.6f,%.6f,%u,%llu,%llu,%llu,%llu,%llu,%llu", name,
	        figures_finite(f->begin_s), figures_finite(f->end_s), f->threads_running,
	        (unsigned long long)f->offered, (unsigned long long)f->ok,
	        (unsigned long long)f->failed, (unsigned long long)f->skipped,
	        (unsigned long long)f->unfinished, (unsigned long long)f->queue_length);
	fprintf(out, ",%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.6f,%.6f", figures_rate(f->ok, f),
	        figures_rate(figures_queries(f), f), figures_rate(s->classes[TALLY_READ], f),
	        figures_rate(s->classes[TALLY_WRITE], f), figures_rate(s->classes[TALLY_OTHER], f),
	        figures_rate(s->errors, f), figures_rate(s->reconnects, f), l.mean_ns / 1e6,
	        (double)l.min_ns / 1e6);
	for (unsigned i = 0; i < r->config->npercentiles; i++)
		fprintf(out, ",%.6f",
		        (double)figures_percentile_ns(f, r->config->percentiles[i]) / 1e6);
	fprintf(out, ",%.6f,%.6f", (double)l.max_ns / 1e6, (double)f->oldest_ns / 1e6);
	if (figures_is_raw(r))
		raw_cells(f, s, point, out);
	fprintf(out, "\n");
	return figures_flush(out);
}

int rep_csv_interval(const struct result *r, const struct run_figures *f, FILE *out)
{
	return row(r, "interval", f, NULL, out);
}

int rep_csv_final(const struct result *r, FILE *out)
{
	static const struct run_figures none;

	return row(r, "total", r->run != NULL ? &r->run->total : &none, NULL, out);
}

int rep_csv_point(const struct result *r, const struct result_point *p, FILE *out)
{
	char name[40];

	snprintf(name, sizeof(name), "point %.10g", p->per_cent);
	return row(r, name, &p->run.total, p, out);
}
