/* SPDX-License-Identifier: MIT */
/* figures: what all reports derive from the same counters, so that text, CSV and JSON cannot
 * disagree. */
#ifndef IOLTP_REPORT_FIGURES_H
#define IOLTP_REPORT_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "report/result.h"

/* The percentiles of our own tables, ascending. */
#define FIGURES_PERCENTILES_MAX (RUN_PERCENTILES_MAX + 8u)

/* Latency figures of one histogram. All 0 when nothing was recorded. */
struct figures_latency {
	uint64_t count;
	uint64_t min_ns, max_ns;
	double mean_ns, stddev_ns;
	double sum_ms;
};

/* n per second of the stretch; 0 when the stretch has no length. */
double figures_rate(uint64_t n, const struct run_figures *f);
/* Statements of all classes; 0 without a sum. */
uint64_t figures_queries(const struct run_figures *f);
/* True when events were in flight and none ended: latency is then the age of the oldest. */
bool figures_stalled(const struct run_figures *f);
/* Of a histogram that does not move; NULL counts as empty. */
void figures_latency(struct figures_latency *l, const struct hist *h);
/* Response time of a stretch: as above, or, in a stalled one, the age of the oldest event with
 * count 0. */
void figures_response(struct figures_latency *l, const struct run_figures *f);
/* Percentile of the response time of a stretch, by the same rule. */
uint64_t figures_percentile_ns(const struct run_figures *f, double percentile);
/* The percentiles asked for and the fixed ones of JSON, ascending, without doubles. Returns how
 * many. */
unsigned figures_percentiles(const struct run_config *config, double out[FIGURES_PERCENTILES_MAX]);
/* A finite number: NaN and infinities, which no figure should be, become 0. */
double figures_finite(double v);
/* The sum of the run's total, or NULL when there is none. */
const struct tally_sum *figures_sum(const struct result *r);
/* "time", "events", "script", "signal", "error". */
const char *figures_end_name(enum run_end end);
/* "read", "write", "other". */
const char *figures_class_name(enum tally_class class);
/* True for a raw run. */
bool figures_is_raw(const struct result *r);
/* I/Os: reads and writes, flushes not; their bytes. 0 without a sum. */
uint64_t figures_ios(const struct run_figures *f);
uint64_t figures_bytes(const struct run_figures *f);
/* Clients of target number i: they are dealt out in turn. */
unsigned figures_target_clients(const struct result *r, unsigned i);
/* True when arrivals follow a schedule. */
bool figures_open_loop(const struct result *r);

/*
 * Copies `text` to buf, at most `columns` characters (not bytes; "..." at a cut), with control
 * bytes as blanks and bytes that are no UTF-8 as
 * '?'. buf has room for 4 * columns + 1 bytes. Returns buf.
 */
char *figures_label(char *buf, const char *text, unsigned columns);

/* Flushes `out` and tells about every write error so far: 0 or -errno. */
int figures_flush(FILE *out);

#endif
