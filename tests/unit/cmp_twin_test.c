/* SPDX-License-Identifier: MIT */
/* An application's document beside its twin's: the table, the facts and the verdict. */
#include "cmp_fixture.h"

#ifdef HAVE_JANSSON

#define LATENCY(count, ns)                                                                         \
	"{'count':" #count ",'min':1,'mean':" #ns ",'max':9,'stddev':1,'percentiles':{'50':" #ns   \
	",'95':" #ns ",'99':" #ns ",'99.9':" #ns "}}"

/* 10 s, 1000 transactions of 10 ms by one client of SQLite, which wrote 2000 rows. */
#define APP(capture, totals)                                                                       \
	"{'schema':'ioltp-result-1','tool':{'name':'ioltp','kind':'sql','workload':'w'},"          \
	"'options':{},'host':{'cpus_usable':4,'cgroup_cpus_max':1.5},"                             \
	"'device':{'drive':'vda','model':'x'},'database':{'driver':'sqlite','durable':true},"      \
	"'phases':{'partial':false},'totals':{'elapsed_s':10,'tps':100,'events':1000,'ok':1000,"   \
	"'offered':1000,'threads':1,'loop':'closed','fairness':{'time_avg_s':9.9}," totals         \
	"},'latency_ns':" LATENCY(                                                                 \
	    1000,                                                                                  \
	    10000000) ",'statements':["                                                            \
	              "{'statement':'UPDATE sbtest# SET k=k+?','class':'write','rows':1500},"      \
	              "{'statement':'INSERT INTO sbtest# VALUES "                                  \
	              "(...)','class':'write','rows':500},"                                        \
	              "{'statement':'DELETE FROM sbtest#','class':'write','rows':500},"            \
	              "{'statement':'SELECT c FROM "                                               \
	              "sbtest#','class':'read','rows':9000}],'intervals':[],"                      \
	              "'counters':{},'generator':{'cpu_user_s':0.5,'cpu_system_s':0.5,'cpu_share'" \
	              ":0.066,"                                                                    \
	              "'own_time_per_event_ns':1000}," capture "'warnings':['durability: x']}"

#define CAPTURE                                                                                    \
	"'capture':{'source':'vfs','dropped':3,'unavailable':['block: needs root'],'io':{"         \
	"'reads':2000,'writes':5000,'flushes':1000,'read_bytes':8192000,'written_bytes':37600000," \
	"'per_transaction':{'reads':2,'writes':4,'flushes':1,'read_bytes':8192,"                   \
	"'written_bytes':37600},'outstanding_mean':0.9,'outstanding_p99':1,'read_latency_ns'"      \
	":" LATENCY(2000, 100000) ",'flush_latency_ns':" LATENCY(                                  \
	    1000,                                                                                  \
	    5000000) ",'write_latency_ns':" LATENCY(4000,                                          \
	                                            200000) ",'matrix':["                          \
	                                                    "{'op':'write','size_bytes':4096,'"    \
	                                                    "sequential':true,'count':3000,'"      \
	                                                    "bytes':12288000},"                    \
	                                                    "{'op':'read','size_bytes':4096,'"     \
	                                                    "sequential':false,'count':7000,'"     \
	                                                    "bytes':28672000}]},"                  \
	                                                    "'commit':{'flush_share':0.5,'device_" \
	                                                    "share':0.85},"                        \
	                                                    "'system':{'cpus':4,'cpu_busy_share':" \
	                                                    "0.1},'server':null,"                  \
	                                                    "'device_stat':{'busy_share':0.9}},"

#define NO_LOCKS "'lock_waits':0,'lock_wait_ns':0"

#define RAW(tps, iops, oio, loop, chains, drive)                                                   \
	"{'schema':'ioltp-result-1','tool':{'name':'ioltp','kind':'raw'},'device':{'drive':"       \
	"'" drive "'},'totals':{'elapsed_s':5,'tps':" #tps ",'events':500,'iops_per_s':" #iops     \
	",'reads':1000,'writes':2000,'other':500,'read_bytes_per_s':819200,"                       \
	"'write_bytes_per_s':3760000,'loop':'" loop "'},'latency_ns':" LATENCY(                    \
	    500, 8000000) ",'statements':[{'statement':'each "                                     \
	                  "flush','latency_ns':" LATENCY(                                          \
	                      500, 4000000) "},{'statement':'flush','latency_"                     \
	                                    "ns':" LATENCY(500, 3000000) "}],'"                    \
	                                                                 "intervals'"              \
	                                                                 ":[],"                    \
	                                                                 "'counters'"              \
	                                                                 ":{'"                     \
	                                                                 "temperatur"              \
	                                                                 "e_after_c'"              \
	                                                                 ":41,'"                   \
	                                                                 "media_"                  \
	                                                                 "write_"                  \
	                                                                 "amplificat"              \
	                                                                 "ion':1.5},"              \
	                                                                 "'generator"              \
	                                                                 "':{'cpu_"                \
	                                                                 "user_s':0."              \
	                                                                 "1,'cpu_"                 \
	                                                                 "system_s':"              \
	                                                                 "0.15},'"                 \
	                                                                 "raw':{'"                 \
	                                                                 "oio':" #oio ",'"         \
	                                                                 "transactio"              \
	                                                                 "ns'"                     \
	                                                                 ":" #chains ",'profile'"  \
	                                                                 ":'p'},'"                 \
	                                                                 "warnings':"              \
	                                                                 "['"                      \
	                                                                 "generator:"              \
	                                                                 " its "                   \
	                                                                 "threads', "              \
	                                                                 "'percentil"              \
	                                                                 "e: rare']}"

#define REPLAY(name, unit, oio, raw)                                                               \
	"{'name':'" name "','unit':'" unit "','oio':" #oio ",'rate_per_s':null,'result':" raw "}"

#define TWIN                                                                                       \
	"{'schema':'ioltp-twin-1','app':'/x/app.json','partial':true,'warnings':['cache: "         \
	"small'],'replays':[" REPLAY(                                                              \
	    "pace", "transaction", 1,                                                              \
	    RAW(100, 600, 1, "open", 1,                                                            \
	        "vda")) "," REPLAY("capability", "transaction", 1,                                 \
	                           RAW(110, 660, 1, "closed", 1,                                   \
	                               "vda")) "," REPLAY("capability", "io", 1,                   \
	                                                  RAW(700, 700, 1, "closed", 0,            \
	                                                      "vda")) "," REPLAY("saturation",     \
	                                                                         "transaction",    \
	                                                                         64,               \
	                                                                         RAW(1000, 6000,   \
	                                                                             64, "closed", \
	                                                                             1,            \
	                                                                             "vda")) "]}"

static struct cmp_doc app, synthetic;
static struct cmp_twin t;

static void compare(const char *app_text, const char *synthetic_text)
{
	struct err err = ERR_INIT;

	load_text(&app, "app.json", app_text);
	load_text(&synthetic, "twin.json", synthetic_text);
	if (cmp_twin(&t, &app, &synthetic, &err) != 0)
		fail_msg("%s", err.text);
}

static int teardown(void **state)
{
	(void)state;
	cmp_twin_fini(&t);
	cmp_doc_fini(&app);
	cmp_doc_fini(&synthetic);
	return 0;
}

static const struct cmp_row *row(const char *key)
{
	for (size_t i = 0; i < t.nrows; i++) {
		if (strcmp(t.rows[i].key, key) == 0)
			return &t.rows[i];
	}
	fail_msg("no row %s", key);
	return NULL;
}

static void assert_row(const char *key, double app_value, double pace, double capability,
                       double saturation)
{
	const double want[] = {app_value, pace, capability, saturation};
	const struct cmp_row *r = row(key);

	for (unsigned i = 0; i < 4; i++) {
		if (isnan(want[i]) ? !isnan(r->cells[i])
		                   : !(fabs(r->cells[i] - want[i]) <= 1e-6 * fabs(want[i])))
			fail_msg("%s, column %u: %.10g instead of %.10g", key, i, r->cells[i],
			         want[i]);
	}
}

/* ---- the table ---- */

static void table(void **state)
{
	(void)state;
	compare(APP(CAPTURE, NO_LOCKS), TWIN);
	assert_row("tps", 100, 100, 110, 1000);
	assert_row("latency_p99.9_ns", 1e7, 8e6, 8e6, 8e6);
	assert_row("reach_transactions", NAN, 1, 100.0 / 110, 0.1);
	/* The VFS saw writes that the kernel joins: the twin's transaction has 3000 / 500 I/Os. */
	assert_row("reach_ios", NAN, NAN, 600.0 / 700, NAN);
	assert_row("reads", 2, 2, 2, 2);
	assert_row("writes", 4, 4, 4, 4);
	assert_row("flushes", 1, 1, 1, 1);
	assert_row("read_bytes", 8192, 8192, 8192, 8192);
	assert_row("written_bytes", 37600, 37600, 37600, 37600);
	/* 2000 rows of 188 bytes; what was deleted was not written. */
	assert_row("amplification_database", 100, NAN, NAN, NAN);
	assert_row("amplification_drive", NAN, 1.5, 1.5, 1.5);
	assert_row("amplification_product", 150, NAN, NAN, NAN);
	assert_row("iops_per_s", 600, 600, 700, 6000);
	assert_row("outstanding_mean", 0.9, 1, 1, 64);
	/* Each flush of the chains, or of the streams where those were replayed. */
	assert_row("flush_p99_ns", 5e6, 4e6, 3e6, 4e6);
	assert_row("flush_share", 0.5, NAN, NAN, NAN);
	assert_row("cpu_generator_ns", 1e6, 0.5e6, 0.5e6, 0.5e6);
	/* 10 % of 4 CPUs for 10 s by 1000 transactions. */
	assert_row("cpu_system_ns", 4e6, NAN, NAN, NAN);
	assert_row("temperature_c", NAN, 41, 41, 41);
	assert_int_equal(t.nmix, 2);
	assert_string_equal(t.mix[0].op, "read");
	assert_near(t.mix[0].count_share, 0.7, 1e-9);
	assert_near(t.mix[1].bytes_share, 0.3, 1e-9);
}

static void facts(void **state)
{
	const struct cmp_facts *f = &t.facts;

	(void)state;
	compare(APP(CAPTURE, "'lock_waits':5,'lock_wait_ns':500000000"), TWIN);
	assert_true(f->embedded && !f->open_loop && !f->modelled && f->has_capture);
	assert_near(f->reach_own, 100.0 / 110, 1e-9);
	assert_near(f->reach_most, 0.1, 1e-9);
	assert_near(f->device_ios, 7, 1e-9);
	assert_near(f->device_time, 0.85, 1e-9);
	assert_near(f->lock_time, 0.05, 1e-9);
	assert_near(f->cpu_time, 0.1, 1e-9);
	assert_near(f->cpu_own, 0.066, 1e-9);
	assert_near(f->cpu_allowed, 1.5, 1e-9);
	assert_near(f->idle, 0.01 - 1000 / 10001000.0, 1e-9);
	assert_int_equal(t.verdict.first, CMP_CAUSE_DEVICE);
	assert_true(has_text(&t.warnings, "block: needs root"));
	assert_true(has_text(&t.warnings, "3 events were dropped"));
	assert_true(has_text(&t.warnings, "capability: generator: its threads"));
	assert_true(has_text(&t.warnings, "twin: cache: small"));
	assert_true(has_text(&t.warnings, "not all of its replays"));
	assert_false(has_text(&t.warnings, "percentile: rare"));
	assert_false(has_text(&t.warnings, "another one"));
	assert_false(has_text(&t.warnings, "was made of"));
}

/* An open loop's response times hold waits for a client: shares are of the service times. */
static void open_loop(void **state)
{
	(void)state;
	compare(APP(CAPTURE, NO_LOCKS ",'service_ns':" LATENCY(1000, 9000000)), TWIN);
	assert_near(t.facts.device_time, 0.85 * 10 / 9, 1e-9);
	assert_near(t.facts.flush_time, 0.5 * 10 / 9, 1e-9);
	assert_near(t.facts.service_mean_ns, 9e6, 1e-3);
}

/* A saturation that fell short of the capability is no limit of the drive. */
static void saturation_below(void **state)
{
	(void)state;
	compare(APP(CAPTURE, NO_LOCKS),
	        "{'schema':'ioltp-twin-1','app':'/x/other.json','replays':[" REPLAY(
	            "capability", "transaction", 1,
	            RAW(400, 2400, 1, "closed", 1,
	                "vdb")) "," REPLAY("saturation", "transaction", 64,
	                                   RAW(101, 600, 64, "closed", 1, "vda")) "]}");
	assert_near(t.facts.reach_most, 0.25, 1e-9);
	assert_true(has_text(&t.warnings, "drive vda against vdb"));
	assert_true(has_text(&t.warnings, "was made of /x/other.json"));
}

/* ---- less than all ---- */

static void no_capture(void **state)
{
	(void)state;
	compare(APP("", NO_LOCKS), TWIN);
	assert_row("tps", 100, 100, 110, 1000);
	assert_row("reads", NAN, 2, 2, 2);
	assert_string_equal(row("reads")->note, "capture: none; run with --capture");
	assert_true(has_text(&t.warnings, "capture: none; run with --capture"));
	/* What transactions reach is known all the same. */
	assert_int_equal(t.verdict.first, CMP_CAUSE_DEVICE);
	assert_int_equal(t.nmix, 0);
}

/* A raw result takes the column that its load is like. */
static void raw_result(void **state)
{
	(void)state;
	compare(APP(CAPTURE, NO_LOCKS), RAW(660, 660, 1, "closed", 0, "vda"));
	/* Without its model, what the VFS saw has to do. */
	assert_row("iops_per_s", 700, NAN, 660, NAN);
	assert_row("tps", 100, NAN, NAN, NAN);
	assert_near(t.facts.reach_own, 700.0 / 660, 1e-9);
	assert_true(isnan(t.facts.reach_most));
	assert_true(has_text(&t.warnings, "raw run of profile p"));
	teardown(state);
	compare(APP(CAPTURE, NO_LOCKS), RAW(660, 660, 2, "closed", 0, "vda"));
	assert_row("iops_per_s", 700, NAN, NAN, 660);
	teardown(state);
	compare(APP(CAPTURE, NO_LOCKS), RAW(100, 660, 8, "open", 1, "vda"));
	assert_row("tps", 100, 100, NAN, NAN);
	assert_true(isnan(t.facts.reach_own));
}

/* ---- writers ---- */

static char *written(int (*write)(const struct cmp_twin *t, FILE *out))
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(write(&t, out), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void writers(void **state)
{
	char *text;

	(void)state;
	compare(APP(CAPTURE, NO_LOCKS), TWIN);
	text = written(cmp_twin_text);
	assert_non_null(strstr(text, "\n    Device-bound: "));
	assert_non_null(strstr(text, "4 KiB read random"));
	/* A row of which nothing is known has no place in the text. */
	assert_null(strstr(text, "per transaction, server              -             -"));
	free(text);
	text = written(cmp_twin_csv);
	assert_non_null(strstr(text, "\"transactions\",tps,100,100,110,1000,\"\"\n"));
	assert_non_null(strstr(text, "\"verdict\",device_time,0.85,,,,\"limit 0.5 for device\"\n"));
	free(text);
	text = written(cmp_twin_markdown);
	assert_non_null(
	    strstr(text, "| transactions per s | 100.00 | 100.00 | 110.00 | 1000 |  |\n"));
	free(text);
	text = written(cmp_twin_json);
	assert_non_null(strstr(text, "\"cause\": \"device\""));
	free(text);
}

#endif

int main(void)
{
#ifdef HAVE_JANSSON
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(table, teardown),
	    cmocka_unit_test_teardown(facts, teardown),
	    cmocka_unit_test_teardown(open_loop, teardown),
	    cmocka_unit_test_teardown(saturation_below, teardown),
	    cmocka_unit_test_teardown(no_capture, teardown),
	    cmocka_unit_test_teardown(raw_result, teardown),
	    cmocka_unit_test_teardown(writers, teardown),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
#else
	return 77;
#endif
}
