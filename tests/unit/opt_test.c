/* SPDX-License-Identifier: MIT */
#include "opt_fixture.h"

static void test_defaults(void **state)
{
	struct opt_set *set = *state;
	const char *const *items;

	assert_int_equal(opt_int(set, "threads"), 1);
	assert_int_equal(opt_int(set, "offset"), 0);
	assert_true(opt_time_ns(set, "time") == 10000000000);
	assert_true(opt_time_ns(set, "delay") == 0);
	assert_true(opt_size_bytes(set, "block-size") == 4096);
	assert_true(opt_size_bytes(set, "any-size") == 0);
	assert_true(opt_double(set, "share") == 0.5);
	assert_true(opt_double(set, "factor") == 0);
	assert_false(opt_bool(set, "histogram"));
	assert_true(opt_bool(set, "checks"));
	assert_string_equal(opt_str(set, "db-driver"), "sqlite");
	assert_string_equal(opt_str(set, "mysql-password"), "sbtest");
	assert_string_equal(opt_str(set, "key-file"), "/nonexistent/default");
	assert_null(opt_str(set, "schema"));
	assert_int_equal(opt_list(set, "percentiles", &items), 3);
	assert_string_equal(items[0], "50");
	assert_string_equal(items[2], "99.9");
	assert_int_equal(opt_list(set, "tags", NULL), 0);
	assert_false(opt_given(set, "threads"));
	assert_false(opt_given(set, "nothing"));
}

static void test_values(void **state)
{
	struct opt_set *set = *state;

	accept(set, "--threads=8");
	accept(set, "--threads=16");
	assert_int_equal(opt_int(set, "threads"), 16);
	assert_true(opt_given(set, "threads"));
	accept(set, "--offset=-0x10");
	assert_int_equal(opt_int(set, "offset"), -16);
	accept(set, "--offset=-9223372036854775808");
	assert_true(opt_int(set, "offset") == INT64_MIN);
	accept(set, "--any_size=18446744073709551615");
	assert_true(opt_size_bytes(set, "any-size") == UINT64_MAX);
	accept(set, "--delay=1h30m");
	assert_true(opt_time_ns(set, "delay") == 5400000000000);
	accept(set, "--factor=-1e3");
	assert_true(opt_double(set, "factor") == -1000);
	accept(set, "--host=");
	assert_string_equal(opt_str(set, "host"), "");
	accept(set, "--host=a=b");
	assert_string_equal(opt_str(set, "host"), "a=b");
	accept(set, "--db_driver=pgsql");
	assert_string_equal(opt_str(set, "db_driver"), "pgsql");
	accept(set, "--key-file=/dev/null");
	assert_string_equal(opt_str(set, "key-file"), "/dev/null");
}

static void test_bool(void **state)
{
	struct opt_set *set = *state;

	accept(set, "--histogram");
	assert_true(opt_bool(set, "histogram"));
	accept(set, "--histogram=NO");
	assert_false(opt_bool(set, "histogram"));
	accept(set, "--histogram=1");
	assert_true(opt_bool(set, "histogram"));
	accept(set, "--no-histogram");
	assert_false(opt_bool(set, "histogram"));
	assert_true(opt_given(set, "histogram"));
	accept(set, "--no_checks");
	assert_false(opt_bool(set, "checks"));
	refuse(set, "--histogram=maybe", "--histogram=maybe: must be on or off");
	refuse(set, "--histogram=", "--histogram=: must be on or off");
	refuse(set, "--no-histogram=on",
	       "--no-histogram: takes no value; use --histogram=on or --histogram=off");
	nobody_knows(set, "--no-threads");
	nobody_knows(set, "--no-");
	assert_false(opt_bool(set, "histogram"));
}

static void test_ranges(void **state)
{
	static const char *const good[] = {
	    "--threads=1",        "--threads=65536", "--events=0",       "--below=-1",
	    "--time=1",           "--time=24h",      "--block-size=512", "--block-size=1T",
	    "--share=0.0001",     "--share=0.9999",  "--half-open=0",    "--positive=1e-9",
	    "--percentiles=0,100"};
	struct opt_set *set = *state;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		accept(set, good[i]);
	refuse(set, "--threads=0", "--threads=0: must be 1..65536 (threads)");
	refuse(set, "--threads=65537", "--threads=65537: must be 1..65536 (threads)");
	refuse(set, "--threads=99999999999999999999",
	       "--threads=99999999999999999999: must be 1..65536 (threads)");
	refuse(set, "--events=-1", "--events=-1: must be at least 0 (events)");
	refuse(set, "--below=0", "--below=0: must be at most -1");
	refuse(set, "--time=999999999ns", "--time=999999999ns: must be 1s..24h");
	refuse(set, "--time=24h1ns", "--time=24h1ns: must be 1s..24h");
	refuse(set, "--block-size=511", "--block-size=511: must be 512..1T");
	refuse(set, "--block-size=1099511627777", "--block-size=1099511627777: must be 512..1T");
	refuse(set, "--share=0", "--share=0: must be between 0 and 1, ends excluded");
	refuse(set, "--share=1", "--share=1: must be between 0 and 1, ends excluded");
	refuse(set, "--half-open=1", "--half-open=1: must be at least 0, below 1");
	refuse(set, "--half-open=-0.1", "--half-open=-0.1: must be at least 0, below 1");
	refuse(set, "--positive=0", "--positive=0: must be above 0 (per s)");
	/* What was refused changes nothing. */
	assert_int_equal(opt_int(set, "threads"), 65536);
	assert_true(opt_time_ns(set, "time") == 86400000000000);
}

static void test_wrong_kind(void **state)
{
	struct opt_set *set = *state;

	refuse(set, "--threads=4x", "--threads=4x: must be a whole number, 1..65536 (threads)");
	refuse(set, "--threads=", "--threads=: must be a whole number, 1..65536 (threads)");
	refuse(set, "--offset=1.5", "--offset=1.5: must be a whole number");
	refuse(set, "--offset=9223372036854775808",
	       "--offset=9223372036854775808: must be -9223372036854775808..9223372036854775807");
	refuse(set, "--any-size=-1", "--any-size=-1: must be a size such as 4096, 64k or 1.5G");
	refuse(set, "--any-size=16384P", "--any-size=16384P: must be 0..16383P");
	refuse(set, "--delay=1d", "--delay=1d: must be a time such as 10, 500ms or 1h30m");
	refuse(set, "--factor=inf", "--factor=inf: must be a number");
	refuse(set, "--db-driver=oracle",
	       "--db-driver=oracle: must be one of sqlite, mysql, pgsql");
	refuse(set, "--db-driver=my", "--db-driver=my: must be one of sqlite, mysql, pgsql");
	refuse(set, "--db-driver=sqlite|mysql",
	       "--db-driver=sqlite|mysql: must be one of sqlite, mysql, pgsql");
	refuse(set, "--db-driver=", "--db-driver=: must be one of sqlite, mysql, pgsql");
	refuse(set, "--offset=1\n2\033[31m", "--offset=1?2?[31m: must be a whole number");
}

static void test_switch(void **state)
{
	static const struct opt_desc table[] = {{.name = "tls",
	                                         .type = OPT_ENUM,
	                                         .def = "off",
	                                         .choices = "off|on|verify-ca",
	                                         .flags = OPT_SWITCH},
	                                        OPT_END};
	static const char *const same[][2] = {
	    {"--tls", "on"},      {"--no-tls", "off"},
	    {"--tls=TRUE", "on"}, {"--tls=0", "off"},
	    {"--tls=On", "on"},   {"--tls=verify-ca", "verify-ca"},
	    {"--tls=no", "off"},  {"--tls=VERIFY_CA", "verify-ca"},
	};
	struct opt_set *set = *state;

	opt_set_add(set, "Switches", table);
	assert_string_equal(opt_str(set, "tls"), "off");
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		accept(set, same[i][0]);
		assert_string_equal(opt_str(set, "tls"), same[i][1]);
	}
	refuse(set, "--tls=2", "--tls=2: must be one of off, on, verify-ca");
	refuse(set, "--tls=", "--tls=: must be one of off, on, verify-ca");
	refuse(set, "--no-tls=on", "--no-tls: takes no value; use --tls=on or --tls=off");
}

static void test_needs_value(void **state)
{
	struct opt_set *set = *state;

	refuse(
	    set, "--threads",
	    "--threads: needs a value, as in --threads=VALUE; a whole number, 1..65536 (threads)");
	refuse(set, "--host", "--host: needs a value, as in --host=VALUE; a text");
	refuse(set, "--db-driver",
	       "--db-driver: needs a value, as in --db-driver=VALUE; one of sqlite, mysql, pgsql");
	nobody_knows(set, "--threadss=1");
	nobody_knows(set, "--thread=1");
	nobody_knows(set, "--");
	nobody_knows(set, "--=1");
	nobody_knows(set, "-threads=1");
	nobody_knows(set, "threads=1");
	nobody_knows(set, "");
}

static void test_assign(void **state)
{
	struct opt_set *set = *state;
	struct err err = ERR_INIT;

	assert_int_equal(opt_assign(set, "block_size", "8k", &err), 0);
	assert_true(opt_size_bytes(set, "block-size") == 8192);
	assert_int_equal(opt_assign(set, "histogram", NULL, &err), 0);
	assert_true(opt_bool(set, "histogram"));
	assert_int_equal(opt_assign(set, "nothing", "1", &err), -ENOENT);
	assert_false(err_is_set(&err));
	assert_int_equal(opt_assign(set, "threads", NULL, &err), -EINVAL);
	assert_int_equal(err.status, EXIT_USAGE);
	assert_int_equal(opt_assign(set, "threads", "0", NULL), -EINVAL);
}

static void test_lists(void **state)
{
	struct opt_set *set = *state;
	const char *const *items;

	accept(set, "--tags=a, b c ,,d");
	assert_int_equal(opt_list(set, "tags", &items), 4);
	assert_string_equal(items[0], "a");
	assert_string_equal(items[1], "b c");
	assert_string_equal(items[2], "");
	assert_string_equal(items[3], "d");
	accept(set, "--tags=x,");
	assert_int_equal(opt_list(set, "tags", &items), 2);
	assert_string_equal(items[1], "");
	accept(set, "--tags=");
	assert_int_equal(opt_list(set, "tags", NULL), 0);
	accept(set, "--percentiles=99");
	assert_int_equal(opt_list(set, "percentiles", &items), 1);
	refuse(set, "--percentiles=50,101",
	       "--percentiles=50,101: element 101 must be 0..100 (per cent)");
	refuse(set, "--percentiles=50,x",
	       "--percentiles=50,x: element x must be a number, 0..100 (per cent)");
	refuse(set, "--percentiles=50,",
	       "--percentiles=50,: element \"\" must be a number, 0..100 (per cent)");
	assert_int_equal(opt_list(set, "percentiles", NULL), 1);
}

static void test_repeat(void **state)
{
	struct opt_set *set = *state;
	const char *const *items;

	assert_int_equal(opt_list(set, "init-sql", &items), 1);
	assert_string_equal(items[0], "SELECT 0");
	/* The first use replaces the default, the next ones add to it. */
	accept(set, "--init-sql=SELECT 1, 2");
	accept(set, "--init-sql= SET x = 1,");
	assert_int_equal(opt_list(set, "init-sql", &items), 2);
	assert_string_equal(items[0], "SELECT 1, 2");
	assert_string_equal(items[1], " SET x = 1,");
	accept(set, "--init-sql=");
	assert_int_equal(opt_list(set, "init-sql", NULL), 0);
	accept(set, "--init-sql=SELECT 3");
	assert_int_equal(opt_list(set, "init-sql", NULL), 1);
	accept(set, "--weights=3");
	refuse(set, "--weights=1,2", "--weights=1,2: element 1,2 must be a number, 1..9");
	refuse(set, "--weights=10", "--weights=10: element 10 must be 1..9");
	assert_int_equal(opt_list(set, "weights", NULL), 1);
}

static int collect(void *ctx, const char *item)
{
	struct strbuf *sb = ctx;

	strbuf_addf(sb, "<%s>", item);
	return strcmp(item, "stop") == 0 ? 42 : 0;
}

static void test_split(void **state)
{
	static const struct {
		const char *text, *seen;
		int rc;
	} cases[] = {
	    {"", "", 0},
	    {"a", "<a>", 0},
	    {"a,b,c", "<a><b><c>", 0},
	    {" a ,\tb", "<a><b>", 0},
	    {",", "<><>", 0},
	    {"a,stop,b", "<a><stop>", 42},
	    {"stop,", "<stop>", 42},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct strbuf sb = STRBUF_INIT;

		assert_int_equal(opt_split(cases[i].text, collect, &sb), cases[i].rc);
		assert_string_equal(strbuf_str(&sb), cases[i].seen);
		strbuf_fini(&sb);
	}
}

static void test_alias(void **state)
{
	struct opt_set *set = *state;

	accept(set, "--num_threads=7");
	assert_int_equal(opt_int(set, "threads"), 7);
	assert_int_equal(opt_int(set, "num-threads"), 7);
	assert_true(opt_given(set, "threads"));
	assert_true(opt_given(set, "num-threads"));
	assert_string_equal(opt_find(set, "num_threads")->name, "threads");
	/* The user reads the name that the user wrote. */
	refuse(set, "--num-threads=0", "--num-threads=0: must be 1..65536 (threads)");
	accept(set, "--server=db1");
	assert_string_equal(opt_str(set, "host"), "db1");
}

static void test_find(void **state)
{
	struct opt_set *set = *state;

	assert_ptr_equal(opt_find(set, "block_size"), opt_find(set, "block-size"));
	assert_string_equal(opt_find(set, "block_size")->name, "block-size");
	assert_null(opt_find(set, "block"));
	assert_null(opt_find(set, "block-sizes"));
	assert_null(opt_find(set, ""));
	assert_null(opt_find(set, "Threads"));
}

static void test_file_value(void **state)
{
	struct opt_set *set = *state;
	const char *dir = make_dir();
	char path[128], arg[160], text[256];
	bool root = geteuid() == 0;

	snprintf(path, sizeof(path), "%s/secret", dir);
	snprintf(arg, sizeof(arg), "--key-file=%s", path);
	snprintf(text, sizeof(text), "%s: must be a readable file: No such file or directory", arg);
	refuse(set, arg, text);
	write_file(path, "x", 1);
	accept(set, arg);
	assert_int_equal(chmod(path, 0), 0);
	/* Nobody refuses root; as somebody else this test sees what users see. */
	if (root)
		assert_int_equal(seteuid(65534), 0);
	snprintf(text, sizeof(text), "%s: must be a readable file: Permission denied", arg);
	refuse(set, arg, text);
	if (root)
		assert_int_equal(seteuid(0), 0);
	snprintf(arg, sizeof(arg), "--key-file=%s", dir);
	snprintf(text, sizeof(text), "%s: must be a readable file: Is a directory", arg);
	refuse(set, arg, text);
	refuse(set, "--key-file=", "--key-file=: must be a readable file");
	assert_string_equal(opt_str(set, "key-file"), path);
	unlink(path);
	rmdir(dir);
}

static void test_each(void **state)
{
	struct opt_set *set = *state;
	struct strbuf seen = STRBUF_INIT;
	const char *threads, *host;

	accept(set, "--num-threads=3");
	accept(set, "--checks=No");
	accept(set, "--block-size=64K");
	accept(set, "--init-sql=A");
	accept(set, "--init-sql=B,C");
	opt_each(set, see_value, &seen);
	threads = strstr(strbuf_str(&seen), "threads=3!\n");
	host = strstr(strbuf_str(&seen), "host=localhost\n");
	assert_ptr_equal(threads, strbuf_str(&seen));
	assert_true(threads < host);
	assert_null(strstr(strbuf_str(&seen), "num-threads"));
	assert_null(strstr(strbuf_str(&seen), "server="));
	assert_non_null(strstr(strbuf_str(&seen), "offset=(unset)\n"));
	assert_non_null(strstr(strbuf_str(&seen), "checks=off!\n"));
	assert_non_null(strstr(strbuf_str(&seen), "block-size=64K!\n"));
	assert_non_null(strstr(strbuf_str(&seen), "init-sql=A,B,C!\n"));
	assert_non_null(strstr(strbuf_str(&seen), "schema=(unset)\n"));
	strbuf_fini(&seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_defaults),   TEST(test_values),     TEST(test_bool),        TEST(test_ranges),
	    TEST(test_wrong_kind), TEST(test_switch),     TEST(test_needs_value), TEST(test_assign),
	    TEST(test_lists),      TEST(test_repeat),     TEST(test_split),       TEST(test_alias),
	    TEST(test_find),       TEST(test_file_value), TEST(test_each),
	};

	return cmocka_run_group_tests_name("opt", tests, NULL, NULL);
}
