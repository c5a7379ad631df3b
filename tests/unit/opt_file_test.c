/* SPDX-License-Identifier: MIT */
#include "opt_fixture.h"

/* Loads `text` as a file; with `expected`, it must fail with that text behind "PATH:". */
static void load(struct opt_set *set, const char *text, size_t len, const char *expected)
{
	const char *dir = make_dir();
	struct err err = ERR_INIT;
	char path[128], full[1024];
	int rc;

	snprintf(path, sizeof(path), "%s/x.cnf", dir);
	write_file(path, text, len);
	rc = opt_load_file(set, path, NULL, NULL, &err);
	unlink(path);
	rmdir(dir);
	if (expected == NULL) {
		assert_string_equal(err.text, "");
		assert_int_equal(rc, 0);
		return;
	}
	assert_int_equal(rc, -EINVAL);
	assert_int_equal(err.status, EXIT_USAGE);
	snprintf(full, sizeof(full), "%s:%s", path, expected);
	assert_string_equal(err.text, full);
}

static void test_load(void **state)
{
	static const char text[] = "\xef\xbb\xbf# a comment\n"
	                           "; another\n"
	                           "[client]\n"
	                           "\n"
	                           "  threads  =  4  # as many as cores\n"
	                           "--block_size=8k\r\n"
	                           "histogram\n"
	                           "no-checks\n"
	                           "mysql-password=a#b;c\n"
	                           "host=\"a # b\" # quoted\n"
	                           "tags = 'x', \"y\"\n"
	                           "schema=it's\n"
	                           "init-sql=SELECT 1; SELECT 2\n"
	                           "init-sql=SELECT 'a=b'\n"
	                           "key-file = /dev/null";
	struct opt_set *set = *state;
	const char *const *items;

	load(set, text, sizeof(text) - 1, NULL);
	assert_int_equal(opt_int(set, "threads"), 4);
	assert_true(opt_given(set, "threads"));
	assert_true(opt_size_bytes(set, "block-size") == 8192);
	assert_true(opt_bool(set, "histogram"));
	assert_false(opt_bool(set, "checks"));
	assert_string_equal(opt_str(set, "mysql-password"), "a#b;c");
	assert_string_equal(opt_str(set, "host"), "a # b");
	assert_string_equal(opt_str(set, "schema"), "it's");
	assert_string_equal(opt_str(set, "key-file"), "/dev/null");
	assert_int_equal(opt_list(set, "tags", &items), 2);
	assert_string_equal(items[0], "'x'");
	assert_int_equal(opt_list(set, "init-sql", &items), 2);
	assert_string_equal(items[0], "SELECT 1; SELECT 2");
	assert_string_equal(items[1], "SELECT 'a=b'");
}

static void test_load_precedence(void **state)
{
	static const char first[] = "threads=4\nevents=1\nevents=2\ninit-sql=F\nnum-threads=5\n";
	static const char second[] = "events=3\noffset=9\ninit-sql=G\n";
	struct opt_set *set = *state;
	const char *const *items;

	accept(set, "--threads=3");
	load(set, first, sizeof(first) - 1, NULL);
	load(set, second, sizeof(second) - 1, NULL);
	assert_int_equal(opt_int(set, "threads"), 3); /* the command line came before */
	assert_int_equal(opt_int(set, "events"), 2);  /* last in its file, and the first file */
	assert_int_equal(opt_int(set, "offset"), 9);
	assert_int_equal(opt_list(set, "init-sql", &items), 1);
	assert_string_equal(items[0], "F");
	/* The command line replaces what a file said, lists too. */
	accept(set, "--init-sql=C");
	accept(set, "--events=7");
	assert_int_equal(opt_list(set, "init-sql", &items), 1);
	assert_string_equal(items[0], "C");
	assert_int_equal(opt_int(set, "events"), 7);
}

static void test_load_errors(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
	    {"threads=4\n\nthreads=0\n", "3: --threads=0: must be 1..65536 (threads)"},
	    {"thread=4\n", "1: --thread: unknown option; did you mean --threads?"},
	    {"#\nthreads\n", "2: --threads: needs a value, as in --threads=VALUE; a whole number, "
	                     "1..65536 (threads)"},
	    {"mysql-pass word=" SECRET "\n",
	     "1: a blank inside of an option name; write name=value"},
	    {"threads 4\n", "1: a blank inside of an option name; write name=value"},
	    {"=4\n", "1: no option name; write name=value"},
	    {"--\n", "1: no option name; write name=value"},
	    {"password=" SECRET, "1: --password: unknown option; see --help"},
	    {"secret-number=" SECRET "\n", "1: --secret-number=***: must be a whole number, 1..9"},
	    {"no-histogram=1\n",
	     "1: --no-histogram: takes no value; use --histogram=on or --histogram=off"},
	};
	struct opt_set *set = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		load(set, cases[i].text, strlen(cases[i].text), cases[i].error);
	load(set, "events=1\nho\0st=x\n", 16, "2: a NUL byte; this is not a text file");
	/* Wrong is wrong even where it would not be used. */
	accept(set, "--threads=2");
	load(set, "threads=0\n", 10, "1: --threads=0: must be 1..65536 (threads)");
}

static void test_load_unreadable(void **state)
{
	struct err err = ERR_INIT;

	assert_int_equal(opt_load_file(*state, "/nonexistent/x.cnf", NULL, NULL, &err), -EINVAL);
	assert_int_equal(err.status, EXIT_USAGE);
	assert_string_equal(
	    err.text,
	    "/nonexistent/x.cnf: cannot open this option file: No such file or directory");
	err = ERR_INIT;
	assert_int_equal(opt_load_file(*state, "/tmp", NULL, NULL, &err), -EINVAL);
	assert_string_equal(err.text, "/tmp:1: cannot read on: Is a directory");
}

static int keep_unknown(void *ctx, const char *arg)
{
	strbuf_addf(ctx, "%s\n", arg);
	return strcmp(arg, "--stop") == 0 ? -ENOENT : 0;
}

static void test_load_unknown(void **state)
{
	static const char text[] = "threads=4\ntable_size = 5\nwith-index\n--stop\nevents=3\n";
	struct opt_set *set = *state;
	struct strbuf seen = STRBUF_INIT;
	struct err err = ERR_INIT;
	const char *dir = make_dir();
	char path[128], full[256];

	snprintf(path, sizeof(path), "%s/x.cnf", dir);
	write_file(path, text, sizeof(text) - 1);
	assert_int_equal(opt_load_file(set, path, keep_unknown, &seen, &err), -ENOENT);
	snprintf(full, sizeof(full), "%s:4: this option is not accepted here", path);
	assert_string_equal(err.text, full);
	assert_string_equal(strbuf_str(&seen), "--table_size=5\n--with-index\n--stop\n");
	assert_int_equal(opt_int(set, "threads"), 4);
	assert_int_equal(opt_int(set, "events"), 0);
	strbuf_fini(&seen);
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_load),         TEST(test_load_precedence),
	    TEST(test_load_errors),  TEST(test_load_unreadable),
	    TEST(test_load_unknown),
	};

	return cmocka_run_group_tests_name("opt_file", tests, NULL, NULL);
}
