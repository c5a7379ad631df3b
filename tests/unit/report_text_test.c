/* SPDX-License-Identifier: MIT */
#include "report_fixture.h"

#include <errno.h>
#include <math.h>

#include "report/figures.h"
#include "report/rep_text.h"

static struct fixture *x;
static struct captured c;

static int setup_closed(void **state)
{
	(void)state;
	x = fixture_new(false);
	return 0;
}

static int setup_open(void **state)
{
	(void)state;
	x = fixture_new(true);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fixture_free(x);
	free(c.text);
	c.text = NULL;
	return 0;
}

/* ---- sysbench's part ---- */

static struct run_figures interval(double end_s)
{
	struct run_figures f = x->run.total;

	f.begin_s = end_s - 2;
	f.end_s = end_s;
	f.elapsed_s = 2;
	f.threads_running = 4;
	return f;
}

static void interval_sql(void **state)
{
	struct run_figures f = interval(12);

	(void)state;
	CAPTURE(c, rep_text_interval(&x->r, &f, out));
	assert_string_equal(
	    c.text, "[ 12s ] thds: 4 tps: 50.00 qps: 300.00 (r/w/o: 150.00/50.00/100.00) lat "
	            "(ms,95%): 6.40 err/s: 2.00 reconn/s: 0.50\n");
}

static void interval_without_database(void **state)
{
	struct run_figures f = interval(12);

	(void)state;
	x->r.driver = NULL;
	CAPTURE(c, rep_text_interval(&x->r, &f, out));
	assert_string_equal(c.text, "[ 12s ] thds: 4 eps: 50.00 lat (ms,95%): 6.40\n");
}

/* The comma of the second line is there with a database only: so it is in sysbench 1.0.20. */
static void interval_open_loop(void **state)
{
	struct run_figures f = interval(12);

	(void)state;
	f.queue_length = 7;
	x->sum.inflight = 3;
	CAPTURE(c, rep_text_interval(&x->r, &f, out));
	assert_has(c.text, "reconn/s: 0.50\n[ 12s ] queue length: 7, concurrency: 3\n");
	x->r.driver = NULL;
	CAPTURE(c, rep_text_interval(&x->r, &f, out));
	assert_string_equal(c.text, "[ 12s ] thds: 4 eps: 50.00 lat (ms,95%): 6.40\n"
	                            "[ 12s ] queue length: 7 concurrency: 3\n");
}

static void interval_percentiles(void **state)
{
	struct run_figures f = interval(12);

	(void)state;
	x->config.percentile_first = 99.9;
	CAPTURE(c, rep_text_interval(&x->r, &f, out));
	assert_has(c.text, " lat (ms,99.9%): 6.90 ");
	x->config.npercentiles = 0;
	CAPTURE(c, rep_text_interval(&x->r, &f, out));
	assert_has(c.text, " lat (ms,0%): 0.00 ");
	x->config.interval_ns = 500000000;
	f.end_s = 12.5;
	CAPTURE(c, rep_text_interval(&x->r, &f, out));
	assert_has(c.text, "[ 12.500s ] thds");
}

/* Nothing ended: the latency is the age of what is in flight, with or without percentiles. */
static void interval_stalled(void **state)
{
	struct run_figures f = interval(12);

	(void)state;
	x->sum = (struct tally_sum){.latency = x->sum.latency, .types = x->types, .ntypes = 0};
	hist_reset(x->sum.latency);
	f.ok = 0;
	f.oldest_ns = 2345678901;
	CAPTURE(c, rep_text_interval(&x->r, &f, out));
	assert_has(c.text, " tps: 0.00 ");
	assert_has(c.text, " lat (ms,95%): 2345.68 ");
	x->config.npercentiles = 0;
	CAPTURE(c, rep_text_interval(&x->r, &f, out));
	assert_has(c.text, " lat (ms,0%): 2345.68 ");
	f.oldest_ns = 0;
	CAPTURE(c, rep_text_interval(&x->r, &f, out));
	assert_has(c.text, " lat (ms,0%): 0.00 ");
}

/* The rest after the last full interval is a line only when it is one itself. */
static void interval_tail(void **state)
{
	struct run_figures f = interval(12.01);

	(void)state;
	f.tail = true;
	f.elapsed_s = 0.01;
	CAPTURE(c, rep_text_interval(&x->r, &f, out));
	assert_string_equal(c.text, "");
	f.whole = true;
	CAPTURE(c, rep_text_interval(&x->r, &f, out));
	assert_has(c.text, "[ 12s ] thds: 4 ");
}

static void interval_without_time(void **state)
{
	struct run_figures f = interval(1);

	(void)state;
	f.elapsed_s = 0;
	f.sum = NULL;
	CAPTURE(c, rep_text_interval(&x->r, &f, out));
	assert_has(c.text,
	           " tps: 0.00 qps: 0.00 (r/w/o: 0.00/0.00/0.00) lat (ms,95%): 0.00 err/s: 0.00");
}

/* Printed by sysbench 1.0.20 for a script without a database; the figures below are made to fit. */
static void cumulative_as_sysbench_plain(void **state)
{
	struct run_figures f = {.end_s = 2.0098, .elapsed_s = 2.0098, .ok = 101, .sum = &x->sum};
	struct hist *h = x->sum.latency;

	(void)state;
	hist_reset(h);
	hist_record(h, 10240000);
	for (unsigned i = 0; i < 94; i++)
		hist_record(h, 14000000);
	for (unsigned i = 0; i < 5; i++)
		hist_record(h, 29192000);
	hist_record(h, 40190000);
	h->sum_ns = 1494050000;
	f.fairness = (struct run_fairness){.events_avg = 101, .time_avg_s = 1.494};
	x->r.driver = NULL;
	CAPTURE(c, rep_text_cumulative(&x->r, &f, out));
	assert_string_equal(c.text, "\n"
	                            "General statistics:\n"
	                            "    total time:                          2.0098s\n"
	                            "    total number of events:              101\n"
	                            "\n"
	                            "Latency (ms):\n"
	                            "         min:                                   10.24\n"
	                            "         avg:                                   14.79\n"
	                            "         max:                                   40.19\n"
	                            "         95th percentile:                       29.19\n"
	                            "         sum:                                 1494.05\n"
	                            "\n"
	                            "Threads fairness:\n"
	                            "    events (avg/stddev):           101.0000/0.00\n"
	                            "    execution time (avg/stddev):   1.4940/0.00\n"
	                            "\n");
}

static const char sql_statistics[] =
    "SQL statistics:\n"
    "    queries performed:\n"
    "        read:                            300\n"
    "        write:                           100\n"
    "        other:                           200\n"
    "        total:                           600\n"
    "    transactions:                        100    (25.00 per sec.)\n"
    "    queries:                             600    (150.00 per sec.)\n"
    "    ignored errors:                      4      (1.00 per sec.)\n"
    "    reconnects:                          1      (0.25 per sec.)\n"
    "\n";

static const char latency_and_fairness[] = "\n"
                                           "Latency (ms):\n"
                                           "         min:                                    1.00\n"
                                           "         avg:                                    2.31\n"
                                           "         max:                                    6.90\n"
                                           "         95th percentile:                        6.40\n"
                                           "         sum:                                  230.60\n"
                                           "\n"
                                           "Threads fairness:\n"
                                           "    events (avg/stddev):           25.0000/1.50\n"
                                           "    execution time (avg/stddev):   3.9000/0.01\n"
                                           "\n";

static void cumulative_sql(void **state)
{
	char expected[2048];

	(void)state;
	CAPTURE(c, rep_text_cumulative(&x->r, &x->run.total, out));
	snprintf(expected, sizeof(expected), "%s%s%s", sql_statistics,
	         "General statistics:\n"
	         "    total time:                          4.0000s\n"
	         "    total number of events:              100\n",
	         latency_and_fairness);
	assert_string_equal(c.text, expected);
}

static void cumulative_sql_1_1(void **state)
{
	char expected[2048];

	(void)state;
	x->r.compat_1_1 = true;
	CAPTURE(c, rep_text_cumulative(&x->r, &x->run.total, out));
	snprintf(expected, sizeof(expected), "%s%s%s", sql_statistics,
	         "Throughput:\n"
	         "    events/s (eps):                      25.0000\n"
	         "    time elapsed:                        4.0000s\n"
	         "    total number of events:              100\n",
	         latency_and_fairness);
	assert_string_equal(c.text, expected);
}

/* The label is as wide as sysbench makes it for one, two and three digits. */
static void cumulative_percentiles(void **state)
{
	static const struct {
		double p;
		const char *line;
	} cases[] = {
	    {5, "\n          5th percentile:                        1.04\n"},
	    {100, "\n        100th percentile:                        6.90\n"},
	    {99.9, "\n       99.9th percentile:                        6.90\n"},
	};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		x->config.percentile_first = cases[i].p;
		CAPTURE(c, rep_text_cumulative(&x->r, &x->run.total, out));
		assert_has(c.text, cases[i].line);
	}
	x->config.npercentiles = 0;
	CAPTURE(c, rep_text_cumulative(&x->r, &x->run.total, out));
	assert_has(c.text, "\n         percentile stats:               disabled\n");
}

static void checkpoint(void **state)
{
	struct run_figures f = interval(12);

	(void)state;
	x->r.run = NULL; /* not over */
	CAPTURE(c, rep_text_checkpoint(&x->r, &f, out));
	assert_begins(c.text, "[ 12s ] Checkpoint report:\nSQL statistics:\n");
	assert_has(c.text, "    events (avg/stddev):           25.0000/1.50\n");
	x->r.driver = NULL;
	CAPTURE(c, rep_text_checkpoint(&x->r, &f, out));
	assert_begins(c.text, "[ 12s ] Checkpoint report:\n\nGeneral statistics:\n");
}

static void histogram(void **state)
{
	struct hist *h = x->sum.latency;

	(void)state;
	hist_reset(h);
	for (unsigned i = 0; i < 163; i++)
		hist_record(h, 10240000);
	for (unsigned i = 0; i < 32; i++)
		hist_record(h, 20480000);
	hist_record(h, 0);
	CAPTURE(c, rep_text_histogram(&x->r, out));
	assert_string_equal(c.text, "Latency histogram (values are in milliseconds)\n"
	                            "       value  ------------- distribution ------------- count\n"
	                            "       0.000 |                                         1\n"
	                            "      10.244 |**************************************** 163\n"
	                            "      20.488 |********                                 32\n"
	                            " \n");
	x->r.debug_histogram = true;
	CAPTURE(c, rep_text_final(&x->r, out));
	assert_has(c.text, " \nSQL statistics:\n");
	hist_reset(h);
	CAPTURE(c, rep_text_histogram(&x->r, out));
	assert_has(c.text, "count\n \n");
}

/* Each count of the histogram is in exactly one line, from 0 ns to the largest value. */
static void histogram_counts(void **state)
{
	unsigned long long n = 0, count;
	uint64_t v = 1;
	char *line, *save = NULL;

	(void)state;
	hist_reset(x->sum.latency);
	hist_record(x->sum.latency, 0);
	for (unsigned i = 0; i < 2000 && v < UINT64_MAX / 2; i++, v += v / 37 + 1)
		hist_record(x->sum.latency, v);
	CAPTURE(c, rep_text_histogram(&x->r, out));
	for (line = strtok_r(c.text, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		char *bar = strchr(line, '|');

		if (bar != NULL && sscanf(bar + 41, "%llu", &count) == 1)
			n += count;
	}
	assert_int_equal(n, hist_count(x->sum.latency));
}

/* ---- our part ---- */

static void details_closed(void **state)
{
	(void)state;
	CAPTURE(c, rep_text_details(&x->r, out));
	assert_has(
	    c.text,
	    "Transactions, response time (ms):\n"
	    "    transaction                   count       per s      mean       p50       p95 "
	    "      p99     p99.9        max   failed  retries\n"
	    "    transfer                         80       20.00     1.395     1.390     1.750 "
	    "    1.790     1.790      1.790        1        3\n");
	assert_has(c.text, "\n    audit                            20        5.00 ");
	assert_has(c.text, "\n    (all)                           100       25.00 ");
	assert_has(c.text, "    read         300       75.00 ");
	assert_has(
	    c.text,
	    "        900       0  SELECT c FROM sbtest WHERE id=? AND pad LIKE ? AND k BETW...\n");
	assert_has(c.text, "        100       4  UPDATE sbtest SET k=k+1 WHERE id=?\n");
	assert_has(c.text, "             4     1213 40001  Deadlock found; try again\n");
	assert_has(c.text,
	           "offered 105 = ok 100 + failed 1 + skipped 0 + unfinished 4; retries 3\n");
	assert_has(c.text, "Seed:      18446744073709551557\n");
	assert_has(c.text, "Generator: CPU 0.50 s user + 0.25 s system, 10.0 % of what it may use");
	assert_has(c.text, "clock tsc, 12 ns a reading");
	assert_has_not(c.text, "service");
	assert_has_not(c.text, "partial");
	assert_has_not(c.text, "Warnings");
	/* Words that scripts look for belong to the part above. */
	assert_has_not(c.text, "percentile:");
	assert_has_not(c.text, "transactions:");
	assert_has_not(c.text, "avg:");
}

/* The statement that took most of the time comes first; a long list is cut. */
static void details_statements(void **state)
{
	static struct tally_stmt many[50];

	(void)state;
	CAPTURE(c, rep_text_details(&x->r, out));
	assert_true(strstr(c.text, "SELECT c FROM") < strstr(c.text, "UPDATE sbtest"));
	x->stmts[1].latency->sum_ns = UINT64_MAX / 2;
	CAPTURE(c, rep_text_details(&x->r, out));
	assert_true(strstr(c.text, "SELECT c FROM") > strstr(c.text, "UPDATE sbtest"));
	for (unsigned i = 0; i < 50; i++)
		snprintf(many[i].label, sizeof(many[i].label), "DO %u", i);
	many[49].latency = x->stmts[0].latency;
	x->sum.stmts = many;
	x->sum.nstmts = 50;
	CAPTURE(c, rep_text_details(&x->r, out));
	assert_has(c.text, "DO 49\n");
	assert_has(c.text, "    and 10 more, all in the JSON result\n");
}

static void details_targets(void **state)
{
	struct tally_sum *sums[2];

	(void)state;
	CAPTURE(c, rep_text_details(&x->r, out));
	assert_has_not(c.text, "Targets");
	fixture_targets(x, sums);
	x->config.threads = 5;
	result_judge(&x->r);
	CAPTURE(c, rep_text_details(&x->r, out));
	assert_has(c.text, "\nTargets (response time in ms):\n");
	assert_has(c.text, "\n          3        100       25.00     2.306 ");
	assert_has(c.text, "        1        4         1  db1:3306\n          2        100 ");
	assert_has(c.text, "  /run/two.sock\n\n");
	assert_has(c.text, "targets: 5 clients are not even over 2 targets");
	x->config.threads = 1;
	result_judge(&x->r);
	CAPTURE(c, rep_text_details(&x->r, out));
	assert_has(c.text, "targets: 1 of 2 had no client");
}

static void details_open(void **state)
{
	(void)state;
	CAPTURE(c, rep_text_details(&x->r, out));
	assert_has(c.text, "Transactions, response time from the intended start (ms):\n");
	assert_has(c.text, "Transactions, service time from the actual start (ms):\n");
	assert_has(c.text, "\n    transfer                         80       20.00     0.539 ");
	assert_has(c.text, "offered 105 = ok 100 + failed 1 + skipped 3 + unfinished 1");
	assert_has(c.text, "arrivals late by p99 ");
}

static void details_more_percentiles(void **state)
{
	(void)state;
	x->config.npercentiles = 3;
	x->config.percentiles[0] = 50;
	x->config.percentiles[1] = 95;
	x->config.percentiles[2] = 99.99;
	CAPTURE(c, rep_text_final(&x->r, out));
	assert_has(c.text, "\n         95th percentile:                        6.40\n");
	assert_has(c.text, "\n    p50                             1.4");
	assert_has(c.text, "\n    p99.99                          6.900        2.5");
}

static void details_partial(void **state)
{
	(void)state;
	x->run.partial = true;
	x->run.end = RUN_END_SIGNAL;
	x->run.signal = 2;
	x->run.phases.measure_ns = 3200000000u;
	CAPTURE(c, rep_text_details(&x->r, out));
	assert_begins(c.text, "partial: stopped by SIGINT after 3.2 s of 10 s\n\n");
	x->run.end = RUN_END_ERROR;
	err_run(&x->run.err, "bank.lua:3: no such table; run prepare\nstack traceback");
	x->config.events = 500;
	CAPTURE(c, rep_text_details(&x->r, out));
	assert_begins(c.text, "partial: ended by an error after 3.2 s of 10 s or 500 events: "
	                      "bank.lua:3: no such table; run prepare\n\n");
	x->run.phases.measure_ns = 0;
	x->config.warmup_ns = 5;
	x->run.end = RUN_END_SIGNAL;
	CAPTURE(c, rep_text_details(&x->r, out));
	assert_begins(c.text, "partial: stopped by SIGINT during warm-up\n");
}

static void details_facts(void **state)
{
	(void)state;
	kv_text(&x->r.database, "engine", "mariadb");
	kv_text(&x->r.database, "version", "10.11.6");
	kv_text(&x->r.database, "innodb_flush_log_at_trx_commit", "2");
	kv_text(&x->r.database, "durability_note", "flushed once a second");
	x->r.durable = false;
	kv_text(&x->r.device, "drive", "nvme0n1");
	kv_text(&x->r.device, "model", "Acme 990");
	kv_int(&x->r.device, "capacity_bytes", 2199023255552);
	kv_text(&x->r.device, "link_speed", "16.0 GT/s PCIe");
	kv_text(&x->r.device, "link_width", "4");
	kv_text(&x->r.device, "filesystem", "ext4");
	kv_text(&x->r.device, "mount_point", "/data");
	result_warn(&x->r, "first %d", 1);
	result_warn(&x->r, "second");
	result_warn(&x->r, "first 1");
	CAPTURE(c, rep_text_details(&x->r, out));
	assert_has(c.text,
	           "Database:  mariadb 10.11.6, a power cut may lose commits (flushed once a "
	           "second)\n           innodb_flush_log_at_trx_commit 2\n");
	assert_has(c.text,
	           "Device:    nvme0n1 Acme 990, 2 TiB, link 16.0 GT/s PCIe x4; ext4 on /data\n");
	assert_has(c.text, "\nWarnings:\n    first 1\n    second\n");
	assert_int_equal(x->r.warnings.n, 2);
}

static void nothing_measured(void **state)
{
	(void)state;
	x->r.run = NULL;
	CAPTURE(c, rep_text_final(&x->r, out));
	assert_has(c.text, "    total number of events:              0\n");
	assert_has_not(c.text, "nan");
}

static void full_disk(void **state)
{
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	assert_int_equal(rep_text_final(&x->r, full), -ENOSPC);
	fclose(full);
	full = fopen("/dev/full", "w");
	assert_int_equal(rep_csv_header(&x->r, full), -ENOSPC);
	fclose(full);
}

/* ---- labels and percentiles ---- */

static void labels(void **state)
{
	char buf[64];

	(void)state;
	assert_string_equal(figures_label(buf, "abc", 3), "abc");
	assert_string_equal(figures_label(buf, "abcdef", 5), "ab...");
	assert_string_equal(figures_label(buf, "a\tb\nc\x7f", 8), "a b c ");
	assert_string_equal(figures_label(buf, "a\xff\xc3(\xe2\x82\xac", 8), "a?\?(\xe2\x82\xac");
	/* Cut between characters, not within. */
	assert_string_equal(
	    figures_label(buf, "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac", 4),
	    "\xe2\x82\xac...");
	assert_string_equal(figures_label(buf, "\xed\xa0\x80", 8), "???");
	assert_string_equal(figures_label(buf, "\xe2\x82", 8), "??");
	assert_string_equal(figures_label(buf, "", 8), "");
}

static void percentile_union(void **state)
{
	double p[FIGURES_PERCENTILES_MAX];

	(void)state;
	x->config.npercentiles = 3;
	x->config.percentiles[0] = 25;
	x->config.percentiles[1] = 95;
	x->config.percentiles[2] = 100;
	assert_int_equal(figures_percentiles(&x->config, p), 8);
	assert_true(p[0] == 25 && p[1] == 50 && p[3] == 95 && p[4] == 99 && p[7] == 100);
}

#define CLOSED(name) cmocka_unit_test_setup_teardown(name, setup_closed, teardown)
#define OPEN(name)   cmocka_unit_test_setup_teardown(name, setup_open, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    CLOSED(interval_sql),
	    CLOSED(interval_without_database),
	    OPEN(interval_open_loop),
	    CLOSED(interval_percentiles),
	    CLOSED(interval_stalled),
	    CLOSED(interval_tail),
	    CLOSED(interval_without_time),
	    CLOSED(cumulative_as_sysbench_plain),
	    CLOSED(cumulative_sql),
	    CLOSED(cumulative_sql_1_1),
	    CLOSED(cumulative_percentiles),
	    CLOSED(checkpoint),
	    CLOSED(histogram),
	    CLOSED(histogram_counts),
	    CLOSED(details_closed),
	    CLOSED(details_statements),
	    CLOSED(details_targets),
	    OPEN(details_open),
	    OPEN(details_more_percentiles),
	    CLOSED(details_partial),
	    CLOSED(details_facts),
	    CLOSED(nothing_measured),
	    CLOSED(full_disk),
	    CLOSED(labels),
	    CLOSED(percentile_union),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
