/* SPDX-License-Identifier: MIT */
#include "report_fixture.h"

#include <errno.h>

#ifdef HAVE_JANSSON

#include <math.h>
#include <signal.h>

#include "base/hist_codec.h"
#include "hist_fixture.h"
#include "report_json_fixture.h"

/* The document as a reader gets it, through PATH. */
static json_t *document(void)
{
	struct err err = ERR_INIT;
	struct rep_json *j;
	json_error_t where;
	json_t *doc;

	assert_int_equal(rep_json_open(&j, path, &err), 0);
	for (unsigned i = 0; i < 3; i++) {
		struct run_figures f = interval(i, i + 1, 30);

		assert_int_equal(rep_json_interval(j, &x->r, &f), 0);
	}
	assert_true(exists(part));
	assert_int_equal(rep_json_final(j, &x->r, NULL, &err), 0);
	rep_json_close(j);
	assert_false(exists(part));
	assert_false(exists(fresh));
	doc = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
	if (doc == NULL)
		fail_msg("%s at line %d", where.text, where.line);
	return doc;
}

/* Against the published schema, where Python has a validator. */
static void validate(void)
{
	const char *srcdir = getenv("srcdir");
	char command[1024];
	int rc;

	if (system("python3 -c 'import jsonschema' 2>/dev/null") != 0) {
		print_message("note: not validated, python3-jsonschema is missing\n");
		return;
	}
	snprintf(command, sizeof(command),
	         "python3 -c 'import json, sys, jsonschema\n"
	         "def bad(name): raise ValueError(name)\n"
	         "s = json.load(open(sys.argv[1]))\n"
	         "d = json.load(open(sys.argv[2]), parse_constant=bad)\n"
	         "v = jsonschema.Draft7Validator(s)\n"
	         "v.check_schema(s)\n"
	         "e = [\"%%s: %%s\" %% (list(x.path), x.message) for x in v.iter_errors(d)]\n"
	         "sys.exit(\"\\n\".join(e) or 0)' %s/docs/result.schema.json %s",
	         srcdir != NULL ? srcdir : ".", path);
	rc = system(command);
	assert_int_equal(rc, 0);
}

/* ---- the document ---- */

static void keys(void **state)
{
	static const char *const expected[] = {
	    "schema", "tool",       "options",    "host",         "device",     "database",
	    "phases", "totals",     "latency_ns", "transactions", "statements", "intervals",
	    "errors", "histograms", "counters",   "generator",    "warnings"};
	unsigned i = 0;
	const char *key;
	json_t *doc, *value;

	(void)state;
	doc = document();
	json_object_foreach(doc, key, value)
	{
		assert_true(i < sizeof(expected) / sizeof(expected[0]));
		assert_string_equal(key, expected[i++]);
	}
	assert_int_equal(i, 17);
	assert_string_equal(json_string_value(at(doc, "schema", NULL)), RESULT_SCHEMA);
	json_decref(doc);
	validate();
}

static void totals(void **state)
{
	json_t *doc, *t, *l;

	(void)state;
	doc = document();
	t = at(doc, "totals", NULL);
	assert_true(json_number_value(at(t, "tps", NULL)) == 25);
	assert_true(json_number_value(at(t, "qps", NULL)) == 150);
	assert_int_equal(json_integer_value(at(t, "offered", NULL)), 105);
	assert_int_equal(json_integer_value(at(t, "ok", NULL)) +
	                     json_integer_value(at(t, "failed", NULL)) +
	                     json_integer_value(at(t, "skipped", NULL)) +
	                     json_integer_value(at(t, "unfinished", NULL)),
	                 105);
	assert_int_equal(json_integer_value(at(t, "retries", NULL)), 3);
	assert_int_equal(json_integer_value(at(t, "reconnects", NULL)), 1);
	assert_null(json_object_get(t, "service_ns"));
	l = at(doc, "latency_ns", NULL);
	assert_int_equal(json_integer_value(at(l, "min", NULL)), 1000000);
	assert_int_equal(json_integer_value(at(l, "max", NULL)), 6900000);
	assert_true(fabs(json_number_value(at(l, "mean", NULL)) - 2306000) < 1);
	assert_int_equal(json_integer_value(at(l, "percentiles", "95")),
	                 hist_percentile_ns(x->sum.latency, 95));
	assert_int_equal(json_integer_value(at(l, "percentiles", "99.9")),
	                 hist_percentile_ns(x->sum.latency, 99.9));
	assert_string_equal(json_string_value(at(doc, "generator", "seed")),
	                    "18446744073709551557");
	json_decref(doc);
}

static void open_loop(void **state)
{
	json_t *doc, *type;

	(void)state;
	doc = document();
	assert_int_equal(json_integer_value(at(at(doc, "totals", "service_ns"), "max", NULL)),
	                 2519000);
	assert_int_equal(json_integer_value(at(at(doc, "generator", "lateness_ns"), "count", NULL)),
	                 40);
	type = json_array_get(at(doc, "transactions", NULL), 0);
	assert_int_equal(json_integer_value(at(type, "service_ns", "min")), 500000);
	assert_string_equal(json_string_value(at(doc, "totals", "loop")), "open");
	json_decref(doc);
	validate();
}

static void tables(void **state)
{
	json_t *doc, *row;

	(void)state;
	doc = document();
	row = json_array_get(at(doc, "transactions", NULL), 1);
	assert_string_equal(json_string_value(at(row, "name", NULL)), "audit");
	assert_true(json_number_value(at(row, "weight", NULL)) == 20);
	assert_int_equal(json_integer_value(at(row, "latency_ns", "min")), 5000000);
	row = json_array_get(at(doc, "statements", NULL), 1);
	assert_string_equal(json_string_value(at(row, "statement", NULL)), x->stmts[1].label);
	assert_string_equal(json_string_value(at(row, "class", NULL)), "write");
	assert_int_equal(json_integer_value(at(row, "errors", NULL)), 4);
	row = json_array_get(at(doc, "errors", NULL), 0);
	assert_int_equal(json_integer_value(at(row, "code", NULL)), 1213);
	assert_string_equal(json_string_value(at(row, "text", NULL)), "Deadlock found;\ntry again");
	json_decref(doc);
}

static void check_histogram(json_t *value, const struct hist *h)
{
	struct hist *back = hist_new();

	assert_non_null(json_string_value(value));
	assert_int_equal(hist_decode(back, json_string_value(value)), 0);
	assert_int_equal(hist_count(back), hist_count(h));
	assert_equal_counts(back, h);
	hist_free(back);
}

static void histograms(void **state)
{
	json_t *doc, *types;

	(void)state;
	doc = document();
	types = at(doc, "histograms", "transactions");
	check_histogram(at(doc, "histograms", "latency_ns"), x->sum.latency);
	check_histogram(at(doc, "histograms", "service_ns"), x->sum.service);
	check_histogram(at(types, "transfer", "latency_ns"), x->types[0].latency);
	check_histogram(at(types, "audit", "service_ns"), x->types[1].service);
	json_decref(doc);
}

static void targets(void **state)
{
	struct tally_sum *sums[2];
	json_t *doc, *t;

	(void)state;
	fixture_targets(x, sums);
	doc = document();
	t = at(doc, "targets", NULL);
	assert_int_equal(json_array_size(t), 2);
	assert_int_equal(json_array_size(at(doc, "histograms", "targets")), 2);
	t = json_array_get(t, 1);
	assert_string_equal(json_string_value(at(t, "name", NULL)), "/run/two.sock");
	assert_int_equal(json_integer_value(at(t, "clients", NULL)), 2);
	assert_int_equal(json_integer_value(at(t, "begun", NULL)), 102);
	assert_int_equal(json_integer_value(at(t, "unfinished", NULL)), 1);
	assert_int_equal(json_integer_value(at(t, "errors", NULL)), 4);
	assert_true(json_number_value(at(t, "tps", NULL)) == 25);
	assert_true(json_number_value(at(t, "qps", NULL)) == 150);
	assert_int_equal(json_integer_value(at(t, "latency_ns", "count")), 100);
	assert_int_equal(json_integer_value(at(t, "service_ns", "count")), 100);
	json_decref(doc);
	validate();
}

static void option_values(void **state)
{
	json_t *doc, *o;
	char *text;

	(void)state;
	doc = document();
	o = at(doc, "options", NULL);
	assert_true(json_is_integer(at(o, "threads", NULL)));
	assert_true(json_number_value(at(o, "time", NULL)) == 10);
	assert_int_equal(json_integer_value(at(o, "table-size", NULL)), 10240);
	assert_true(json_number_value(at(o, "rate", NULL)) == 0.05);
	assert_true(json_is_true(at(o, "histogram", NULL)));
	assert_string_equal(json_string_value(at(o, "db-driver", NULL)), "mysql");
	assert_int_equal(json_array_size(at(o, "mysql-host", NULL)), 2);
	assert_string_equal(json_string_value(at(o, "mysql-password", NULL)), "***");
	assert_true(json_is_null(at(o, "config-file", NULL)));
	assert_null(json_object_get(o, "pw"));
	text = json_dumps(doc, 0);
	assert_has_not(text, SECRET);
	free(text);
	json_decref(doc);
}

static void stalled_interval(void **state)
{
	struct run_figures f = interval(0, 1, 0);
	struct err err = ERR_INIT;
	struct rep_json *j;
	json_t *doc, *row, *l;

	(void)state;
	f.oldest_ns = 1234567890;
	f.tail = true;
	hist_reset(x->sum.latency);
	assert_int_equal(rep_json_open(&j, path, &err), 0);
	assert_int_equal(rep_json_interval(j, &x->r, &f), 0);
	assert_int_equal(rep_json_final(j, &x->r, NULL, &err), 0);
	rep_json_close(j);
	doc = json_load_file(path, 0, NULL);
	row = json_array_get(at(doc, "intervals", NULL), 0);
	assert_true(json_is_true(at(row, "stalled", NULL)));
	assert_true(json_is_true(at(row, "tail", NULL)));
	l = at(row, "latency_ns", NULL);
	assert_int_equal(json_integer_value(at(l, "count", NULL)), 0);
	assert_int_equal(json_integer_value(at(l, "min", NULL)), 1234567890);
	assert_int_equal(json_integer_value(at(l, "max", NULL)), 1234567890);
	assert_int_equal(json_integer_value(at(l, "percentiles", "95")), 1234567890);
	json_decref(doc);
	validate();
}

/* No number that is none, whatever comes in; texts of any bytes. */
static void odd_values(void **state)
{
	json_t *doc;

	(void)state;
	x->run.cpu_share = NAN;
	x->run.clock_drift_ppm = -INFINITY;
	x->run.total.fairness.events_stddev = NAN;
	x->run.total.elapsed_s = 0;
	strcpy(x->stmts[0].label, "SELECT '\xff\xfe' FROM t");
	strcpy(x->errors[0].text, "caf\xc3\xa9 \xc3");
	kv_double(&x->r.host, "load", NAN);
	kv_text(&x->r.device, "model", "\x80");
	result_warn(&x->r, "\"quoted\"\n\x01");
	doc = document();
	assert_true(json_is_null(at(doc, "generator", "cpu_share")));
	assert_true(json_number_value(at(doc, "totals", "tps")) == 0);
	assert_string_equal(json_string_value(at(json_array_get(at(doc, "statements", NULL), 0),
	                                         "statement", NULL)),
	                    "SELECT '?\?' FROM t");
	assert_string_equal(
	    json_string_value(at(json_array_get(at(doc, "errors", NULL), 0), "text", NULL)),
	    "caf\xc3\xa9 ?");
	json_decref(doc);
	validate();
}

static void ends(void **state)
{
	json_t *doc;

	(void)state;
	x->run.partial = true;
	x->run.end = RUN_END_SIGNAL;
	x->run.signal = SIGTERM;
	doc = document();
	assert_string_equal(json_string_value(at(doc, "phases", "signal")), "SIGTERM");
	assert_true(json_is_true(at(doc, "phases", "partial")));
	json_decref(doc);
	validate();
	x->run.end = RUN_END_ERROR;
	err_run(&x->run.err, "t.lua: no table; run prepare");
	doc = document();
	assert_string_equal(json_string_value(at(doc, "phases", "error")),
	                    "t.lua: no table; run prepare");
	assert_true(json_is_null(at(doc, "phases", "signal")));
	json_decref(doc);
	validate();
	x->r.run = NULL;
	x->r.driver = NULL;
	doc = document();
	assert_int_equal(json_array_size(at(doc, "transactions", NULL)), 0);
	assert_true(json_is_null(at(doc, "database", "durable")));
	json_decref(doc);
	validate();
}

static void to_stream_only(void **state)
{
	struct captured c = {0};
	struct rep_json *j;
	json_t *doc;

	(void)state;
	assert_int_equal(rep_json_open(&j, NULL, NULL), 0);
	CAPTURE(c, rep_json_final(j, &x->r, out, NULL));
	rep_json_close(j);
	doc = json_loads(c.text, 0, NULL);
	assert_non_null(doc);
	json_decref(doc);
	free(c.text);
}

static void command_line(void **state)
{
	char *argv[] = {"ioltp",
	                "--mysql-password=" SECRET,
	                "--mysql_password=" SECRET,
	                "--pw=" SECRET,
	                "--my-own-password=" SECRET,
	                "--password-file=/etc/pw",
	                "--x=it's a b",
	                "oltp_read_only",
	                "",
	                "run"};
	char *text = result_command_line(10, argv, options);

	(void)state;
	assert_string_equal(text,
	                    "ioltp --mysql-password=*** --mysql_password=*** --pw=*** "
	                    "--my-own-password=*** --password-file=/etc/pw '--x=it'\\''s a b' "
	                    "oltp_read_only '' run");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    CLOSED(keys),       CLOSED(totals), OPEN(open_loop),        CLOSED(tables),
	    OPEN(histograms),   OPEN(targets),  CLOSED(option_values),  CLOSED(stalled_interval),
	    CLOSED(odd_values), CLOSED(ends),   CLOSED(to_stream_only), CLOSED(command_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void without_jansson(void **state)
{
	struct err err = ERR_INIT;
	struct rep_json *j;

	(void)state;
	assert_int_equal(rep_json_open(&j, NULL, &err), -ENOTSUP);
	assert_null(j);
	assert_int_equal(err.status, EXIT_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(without_jansson)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
