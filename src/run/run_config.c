/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "run/run.h"

/* An event that has not ended this long after the end is given up: a hung server must not hang the
 * benchmark. */
#define DRAIN_DEFAULT "30s"

const struct opt_desc run_thread_options[] = {
    {"threads", OPT_INT, "1", "1..65536", .unit = "threads",
     .help = "Number of clients, each with a thread and connection of its own"},
    {"num-threads", OPT_INT, NULL, "1..65536", .help = "Older name of --threads", .flags = OPT_OLD,
     .alias_of = "threads"},
    OPT_END,
};

const struct opt_desc run_options[] = {
    {"events", OPT_INT, "0", "0..", .unit = "events",
     .help = "Limit for the number of events, shared out evenly over the clients; 0 is no limit"},
    {"time", OPT_TIME, "10", NULL, .help = "Length of the measured window; 0 is no limit"},
    {"warmup-time", OPT_TIME, "0", NULL,
     .help = "Run this long first without counting; the measured window of --time begins after it"},
    {"rate", OPT_DOUBLE, "0", "0..1e9", .unit = "events/s",
     .help = "Open loop: events begin by a schedule at this average rate (fractions are fine), and "
             "latency counts from "
             "the intended start; 0 is the closed loop"},
    {"rate-process", OPT_ENUM, "poisson", .choices = "poisson|fixed",
     .help = "Arrivals of the open loop"},
    {"report-interval", OPT_TIME, "0", NULL,
     .help = "Report intermediate figures this often, 100ms or more; 0 is never"},
    {"report-checkpoints", OPT_LIST, NULL, NULL,
     .help = "Full report, then new counters, at these times after the start of the measured "
             "window (comma list)"},
    {"percentile", OPT_LIST, "95", "0..100",
     .help = "Latency percentiles to report, fractions allowed; interval lines have the first; 0 "
             "is none"},
    {"rand-seed", OPT_INT, "0", NULL,
     .help = "Seed of all random streams; 0 takes one from the time and reports it"},
    {"forced-shutdown", OPT_STRING, "off", NULL,
     .help = "Wait this long after --time for events in flight, then end all the same: a time, N% "
             "of --time, or off"},
    {"drain-time", OPT_TIME, DRAIN_DEFAULT, NULL,
     .help = "Without --forced-shutdown: give up events that have not ended this long after the "
             "end; the run then has "
             "failed; 0 is never"},
    {"thread-init-timeout", OPT_TIME, "30", "1ms..",
     .help = "Longest wait for all threads to be ready"},
    {"thread-stack-size", OPT_SIZE, "256K", "16K..1G", .help = "Stack of each thread"},
    {"cpu-pin", OPT_BOOL, "off", NULL, .help = "Keep each thread on one CPU, in turn"},
    {"max-requests", OPT_INT, NULL, "0..", .help = "Older name of --events", .flags = OPT_OLD,
     .alias_of = "events"},
    {"max-time", OPT_TIME, NULL, NULL, .help = "Older name of --time", .flags = OPT_OLD,
     .alias_of = "time"},
    {"tx-rate", OPT_DOUBLE, NULL, "0..1e9", .help = "Older name of --rate", .flags = OPT_OLD,
     .alias_of = "rate"},
    OPT_END,
};

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static int read_checkpoints(struct run_config *c, const struct opt_set *set, struct err *err)
{
	const char *const *items;
	unsigned n = opt_list(set, "report-checkpoints", &items);

	if (n > RUN_CHECKPOINTS_MAX)
		return err_usage(err, "--report-checkpoints: more than %u; give fewer",
		                 RUN_CHECKPOINTS_MAX);
	for (unsigned i = 0; i < n; i++) {
		uint64_t at;

		if (units_parse_time(items[i], &at) != 0 || at == 0)
			return err_usage(err,
			                 "--report-checkpoints: '%s' is not a time above 0; write "
			                 "for example 10,60",
			                 items[i]);
		c->checkpoints_ns[c->ncheckpoints++] = at;
	}
	qsort(c->checkpoints_ns, c->ncheckpoints, sizeof(c->checkpoints_ns[0]), compare_u64);
	return 0;
}

static int read_percentiles(struct run_config *c, const struct opt_set *set, struct err *err)
{
	const char *const *items;
	unsigned n = opt_list(set, "percentile", &items);

	if (n > RUN_PERCENTILES_MAX)
		return err_usage(err, "--percentile: more than %u; give fewer",
		                 RUN_PERCENTILES_MAX);
	for (unsigned i = 0; i < n; i++) {
		double p;
		bool known = false;

		/* The option table has checked that these are numbers in range. */
		if (units_parse_double(items[i], &p) != 0 || p <= 0)
			continue;
		for (unsigned k = 0; k < c->npercentiles; k++)
			known = known || c->percentiles[k] == p;
		if (known)
			continue;
		if (c->npercentiles == 0)
			c->percentile_first = p;
		c->percentiles[c->npercentiles++] = p;
	}
	qsort(c->percentiles, c->npercentiles, sizeof(c->percentiles[0]), compare_double);
	return 0;
}

/* "off", "on" (5 s), a time, or a share of --time. */
static int read_drain(struct run_config *c, const struct opt_set *set, struct err *err)
{
	const char *text = opt_str(set, "forced-shutdown");
	size_t len = strlen(text);
	uint64_t drain = opt_time_ns(set, "drain-time");
	double share;
	char number[32];

	c->drain_ns = drain != 0 ? drain : RUN_NEVER;
	if (strcmp(text, "off") == 0)
		return 0;
	c->drain_forced = true;
	if (strcmp(text, "on") == 0) {
		c->drain_ns = 5000000000u;
		return 0;
	}
	if (len > 1 && len < sizeof(number) && text[len - 1] == '%') {
		memcpy(number, text, len - 1);
		number[len - 1] = '\0';
		if (units_parse_double(number, &share) == 0 && share >= 0 &&
		    c->time_ns != RUN_NEVER) {
			c->drain_ns = (uint64_t)((double)c->time_ns * share / 100);
			return 0;
		}
	} else if (units_parse_time(text, &c->drain_ns) == 0) {
		return 0;
	}
	return err_usage(
	    err, "--forced-shutdown=%s: must be off, on, a time or N%% of a limited --time", text);
}

static uint64_t seed_from_time(void)
{
	struct timespec ts;
	uint64_t seed;

	clock_gettime(CLOCK_REALTIME, &ts);
	/* Kept to 31 bits, so that it can be typed again and is a whole number in every JSON
	 * reader. */
	seed = ((uint64_t)ts.tv_sec * 1000003u ^ (uint64_t)ts.tv_nsec) & 0x7fffffffu;
	return seed != 0 ? seed : 1;
}

int run_config_from(struct run_config *c, const struct opt_set *set, struct err *err)
{
	uint64_t time_ns = opt_time_ns(set, "time");
	int64_t seed = opt_int(set, "rand-seed");
	int rc;

	*c = (struct run_config){0};
	c->threads = 1;
	if (opt_find(set, "threads") != NULL)
		c->threads = (unsigned)opt_int(set, "threads");
	c->events = (uint64_t)opt_int(set, "events");
	c->time_ns = time_ns != 0 ? time_ns : RUN_NEVER;
	c->warmup_ns = opt_time_ns(set, "warmup-time");
	c->init_timeout_ns = opt_time_ns(set, "thread-init-timeout");
	c->stack_bytes = opt_size_bytes(set, "thread-stack-size");
	c->rate_per_s = opt_double(set, "rate");
	c->process =
	    strcmp(opt_str(set, "rate-process"), "fixed") == 0 ? SCHED_FIXED : SCHED_POISSON;
	c->interval_ns = opt_time_ns(set, "report-interval");
	c->pin = opt_bool(set, "cpu-pin");
	c->seed_given = seed != 0;
	c->seed = seed != 0 ? (uint64_t)seed : seed_from_time();
	if (c->interval_ns != 0 && c->interval_ns < 100000000u)
		return err_usage(err, "--report-interval: must be 0 or 100ms and more");
	rc = read_drain(c, set, err);
	if (rc == 0)
		rc = read_percentiles(c, set, err);
	if (rc == 0)
		rc = read_checkpoints(c, set, err);
	return rc;
}
