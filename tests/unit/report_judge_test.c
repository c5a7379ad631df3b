/* SPDX-License-Identifier: MIT */
/* CSV, and the warnings that follow from the figures. */
#include "report_fixture.h"

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

/* ---- CSV ---- */

static unsigned columns(const char *line)
{
	unsigned n = 1;

	for (; *line != '\0' && *line != '\n'; line++)
		n += *line == ',';
	return n;
}

static void csv(void **state)
{
	struct run_figures f = x->run.total;
	unsigned n;

	(void)state;
	f.end_s = f.elapsed_s = 2;
	f.threads_running = 4;
	x->config.npercentiles = 2;
	x->config.percentiles[1] = 99.9;
	CAPTURE(c, rep_csv_header(&x->r, out));
	assert_has(c.text, ",latency_p95_ms,latency_p99.9_ms,latency_max_ms,oldest_ms\n");
	n = columns(c.text);
	CAPTURE(c, rep_csv_interval(&x->r, &f, out));
	assert_int_equal(columns(c.text), n);
	assert_begins(c.text,
	              "interval,0.000000,2.000000,4,105,100,1,0,4,0,50.0000,300.0000,150.0000,");
	CAPTURE(c, rep_csv_final(&x->r, out));
	assert_int_equal(columns(c.text), n);
	assert_begins(c.text, "total,0.000000,4.000000,");
	f.ok = 0;
	f.oldest_ns = 1500000000;
	CAPTURE(c, rep_csv_interval(&x->r, &f, out));
	assert_has(c.text,
	           ",1500.000000,1500.000000,1500.000000,1500.000000,1500.000000,1500.000000\n");
}

/* ---- judge ---- */

static bool warned(const char *part)
{
	for (unsigned i = 0; i < x->r.warnings.n; i++) {
		if (strstr(x->r.warnings.texts[i], part) != NULL)
			return true;
	}
	return false;
}

static void judge_good_run(void **state)
{
	(void)state;
	x->run.total = (struct run_figures){
	    .end_s = 4, .elapsed_s = 4, .offered = 200, .ok = 200, .sum = &x->sum};
	hist_merge(x->sum.latency, x->types[0].latency);
	hist_merge(x->sum.latency, x->types[1].latency);
	result_judge(&x->r);
	if (x->r.warnings.n != 0)
		fail_msg("%s", x->r.warnings.texts[0]);
}

static void judge_generator(void **state)
{
	(void)state;
	x->run.cpu_share = 0.95;
	x->run.idle_overhead_ns = 400000;
	x->run.clock_cost_ns = 30000;
	x->run.clock_drift_ppm = -500;
	result_judge(&x->r);
	assert_true(warned("generator: its threads used 95 %"));
	assert_true(
	    warned("own time between events is 400.0 us beside a mean latency of 2306.0 us"));
	assert_true(warned("clock: one reading of the clock (tsc) costs 30000 ns"));
	assert_true(warned("-500 ppm"));
	assert_true(warned("events: 1 of 105 failed"));
	assert_true(warned("events: 4 had not ended"));
	x->r.driver = "sqlite";
	result_judge(&x->r);
	assert_true(warned("with SQLite inside them, used 95 %"));
}

static void judge_open_loop(void **state)
{
	(void)state;
	result_judge(&x->r);
	assert_true(warned("open loop: only 95.2 % of 105 events"));
	assert_false(warned("arrivals began"));
	/* 40 arrivals were on time: of 44 there is no p99 yet. */
	for (unsigned i = 0; i < 4; i++)
		hist_record(x->sum.lateness, 900000);
	result_judge(&x->r);
	assert_false(warned("arrivals began"));
	for (unsigned i = 0; i < 60; i++)
		hist_record(x->sum.lateness, 1000);
	result_judge(&x->r);
	assert_true(warned("1 % of the arrivals began 900 us or more"));
}

static void judge_samples(void **state)
{
	(void)state;
	result_judge(&x->r);
	/* 100 events: 5 above p95. */
	assert_true(warned("p95 rests on 5.0 of 100 events above it"));
	assert_true(warned("at least 200 events"));
	x->config.npercentiles = 2;
	x->config.percentiles[0] = 90;
	x->config.percentiles[1] = 100;
	for (unsigned i = 0; i < x->r.warnings.n; i++)
		free(x->r.warnings.texts[i]);
	x->r.warnings.n = 0;
	result_judge(&x->r);
	assert_false(warned("percentile: "));
	hist_reset(x->sum.latency);
	result_judge(&x->r);
	assert_true(warned("no event ended well"));
}

static void judge_database(void **state)
{
	(void)state;
	x->r.durable = false;
	kv_text(&x->r.database, "durability_note", "fsync = off");
	kv_text(&x->r.device, "filesystem", "tmpfs");
	kv_text(&x->r.device, "note", "tmpfs: this is memory");
	x->run.total.offered = 104;
	x->sum.commit_unknown = 2;
	x->run.abandoned = true;
	result_judge(&x->r);
	assert_true(warned("may lose commits: fsync = off"));
	assert_true(warned("it lies on tmpfs, which is memory"));
	assert_true(warned("accounting: 104 events offered are not 100 ok + 1 failed"));
	assert_true(warned("commits: the connection went during 2"));
	assert_true(warned("never came back"));
	x->r.driver = NULL;
	x->r.warnings.n -= 1;
	free(x->r.warnings.texts[x->r.warnings.n]);
	result_judge(&x->r);
	assert_false(warned("tmpfs"));
}

#define CLOSED(name) cmocka_unit_test_setup_teardown(name, setup_closed, teardown)
#define OPEN(name)   cmocka_unit_test_setup_teardown(name, setup_open, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    CLOSED(csv),           CLOSED(judge_good_run), CLOSED(judge_generator),
	    OPEN(judge_open_loop), CLOSED(judge_samples),  CLOSED(judge_database),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
