/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "opt_fixture.h"

static void test_declare(void **state)
{
	struct opt_set *set = *state;
	char name[] = "table_size", def[] = "10000", help[] = "Rows per table";
	struct err err;

	assert_int_equal(
	    declare(set, (struct opt_desc){.name = name, .type = OPT_INT, .def = def, .help = help},
	            &err),
	    0);
	/* Everything was copied. */
	memset(name, 'x', sizeof(name) - 1);
	memset(def, 'x', sizeof(def) - 1);
	memset(help, 'x', sizeof(help) - 1);
	assert_int_equal(opt_int(set, "table_size"), 10000);
	assert_int_equal(opt_int(set, "table-size"), 10000);
	assert_string_equal(opt_find(set, "table_size")->name, "table-size");
	assert_string_equal(opt_find(set, "table_size")->help, "Rows per table");
	accept(set, "--table_size=5");
	assert_int_equal(opt_int(set, "table-size"), 5);
	accept(set, "--table-size=6");
	assert_int_equal(opt_int(set, "table_size"), 6);
	refuse(set, "--table_size=x", "--table-size=x: must be a whole number");
}

static void test_declare_wrong(void **state)
{
	static const struct {
		struct opt_desc desc;
		int rc;
		const char *text;
	} cases[] = {
	    {{.name = "tables", .type = OPT_INT, .def = "many"},
	     -EINVAL,
	     "default --tables=many: must be a whole number"},
	    {{.name = "tables", .type = OPT_INT, .def = "0", .range = "1.."},
	     -EINVAL,
	     "default --tables=0: must be at least 1"},
	    {{.name = "tables", .type = OPT_INT, .range = "5..1"},
	     -EINVAL,
	     "--tables: its declaration has a malformed type, range or choices"},
	    {{.name = "tables", .type = OPT_ENUM},
	     -EINVAL,
	     "--tables: its declaration has a malformed type, range or choices"},
	    {{.name = "tables", .type = (enum opt_type)99},
	     -EINVAL,
	     "--tables: its declaration has a malformed type, range or choices"},
	    {{.name = "", .type = OPT_INT},
	     -EINVAL,
	     "option \"\": not a name; use letters, digits, '-' and '_'"},
	    {{.name = "a=b", .type = OPT_INT},
	     -EINVAL,
	     "option \"a=b\": not a name; use letters, digits, '-' and '_'"},
	    {{.name = "pin", .type = OPT_INT, .def = SECRET, .flags = OPT_SECRET},
	     -EINVAL,
	     "default --pin=***: must be a whole number"},
	    {{.name = "other", .type = OPT_INT, .alias_of = "host"},
	     -EINVAL,
	     "--other: declared as another name of --host, which is no option of its type"},
	    {{.name = "threads", .type = OPT_DOUBLE, .def = "1"},
	     -EEXIST,
	     "--threads: declared as a number, but it is a whole number already; give it that type "
	     "or "
	     "another name"},
	    {{.name = "server", .type = OPT_STRING, .alias_of = "schema"},
	     -EEXIST,
	     "--server: declared as another name of --schema, but exists already; give it another "
	     "name"},
	};
	struct opt_set *set = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err;

		assert_int_equal(declare(set, cases[i].desc, &err), cases[i].rc);
		assert_int_equal(err.status, EXIT_USAGE);
		assert_string_equal(err.text, cases[i].text);
	}
	assert_null(opt_find(set, "tables"));
	assert_null(opt_find(set, "pin"));
	assert_int_equal(opt_int(set, "threads"), 1);
}

static void test_malformed_ranges(void **state)
{
	static const char *const ranges[] = {"",       "5",    "..",      "a..b", "1..b", "(1..1)",
	                                     "[1..1)", "2..1", "1..2..3", "()",   "(..)", "1..2)x",
	                                     "1 .. 2", ".",    "[",       "1-2"};
	struct opt_set *set = *state;

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		struct err err;
		struct opt_desc desc = {.name = "r", .type = OPT_INT, .range = ranges[i]};

		if (declare(set, desc, &err) != -EINVAL)
			fail_msg("range \"%s\" was not refused", ranges[i]);
	}
}

static void test_redeclare(void **state)
{
	struct opt_set *set = *state;
	struct err err;
	struct opt_desc desc = {
	    .name = "range_size", .type = OPT_INT, .def = "100", .help = "First"};
	const struct opt_desc *found;

	assert_int_equal(declare(set, desc, &err), 0);
	found = opt_find(set, "range-size");
	desc.def = "200";
	desc.help = "Second";
	desc.range = "1..500";
	assert_int_equal(declare(set, desc, &err), 0);
	assert_int_equal(opt_int(set, "range-size"), 200);
	assert_ptr_equal(opt_find(set, "range-size"), found);
	assert_string_equal(found->help, "Second");
	refuse(set, "--range_size=501", "--range-size=501: must be 1..500");
	/* What the user said stays; only the default is new. */
	accept(set, "--range-size=300");
	desc.def = "400";
	assert_int_equal(declare(set, desc, &err), 0);
	assert_int_equal(opt_int(set, "range-size"), 300);
	assert_true(opt_given(set, "range-size"));
	assert_string_equal(found->def, "400");
	/* But it must fit into a range that became narrower. */
	desc.range = "1..250";
	desc.def = "250";
	assert_int_equal(declare(set, desc, &err), -EINVAL);
	assert_string_equal(err.text, "--range-size=300: must be 1..250");
	assert_string_equal(found->range, "1..500");
	assert_int_equal(opt_int(set, "range-size"), 300);
	desc.type = OPT_STRING;
	desc.range = NULL;
	assert_int_equal(declare(set, desc, &err), -EEXIST);
	/* A description may be declared from itself. */
	assert_int_equal(declare(set, *found, &err), 0);
	assert_string_equal(found->def, "400");
}

static void test_redeclare_table(void **state)
{
	struct opt_set *set = *state;
	struct err err;
	struct opt_desc desc = {.name = "threads", .type = OPT_INT, .def = "4", .help = "Mine"};

	/* A script may choose the default of an option of ours, but not take its range away. */
	assert_int_equal(declare(set, desc, &err), 0);
	assert_int_equal(opt_int(set, "threads"), 4);
	assert_string_equal(opt_find(set, "threads")->def, "4");
	assert_string_equal(opt_find(set, "threads")->help, "OS threads that run events");
	refuse(set, "--threads=0", "--threads=0: must be 1..65536 (threads)");
	desc.def = "0";
	assert_int_equal(declare(set, desc, &err), -EINVAL);
	assert_string_equal(err.text, "default --threads=0: must be 1..65536 (threads)");
	assert_int_equal(opt_int(set, "threads"), 4);
	/* By an older name it is the same option. */
	desc.name = "num_threads";
	desc.def = "5";
	assert_int_equal(declare(set, desc, &err), 0);
	assert_int_equal(opt_int(set, "threads"), 5);
	/* A secret stays one. */
	desc = (struct opt_desc){.name = "mysql-password", .type = OPT_STRING, .def = SECRET};
	assert_int_equal(declare(set, desc, &err), 0);
	assert_string_equal(opt_str(set, "mysql-password"), SECRET);
	assert_true((opt_find(set, "mysql-password")->flags & OPT_SECRET) != 0);
	desc = (struct opt_desc){.name = "token", .type = OPT_STRING, .flags = OPT_SECRET};
	assert_int_equal(declare(set, desc, &err), 0);
	desc.flags = 0;
	assert_int_equal(declare(set, desc, &err), 0);
	assert_true((opt_find(set, "token")->flags & OPT_SECRET) != 0);
}

static void test_redeclare_list(void **state)
{
	struct opt_set *set = *state;
	const char *const *items;
	struct err err;
	struct opt_desc desc = {.name = "hooks", .type = OPT_LIST, .def = "1", .flags = OPT_REPEAT};

	assert_int_equal(declare(set, desc, &err), 0);
	accept(set, "--hooks=5");
	accept(set, "--hooks=50");
	desc.range = "1..100";
	assert_int_equal(declare(set, desc, &err), 0);
	assert_int_equal(opt_list(set, "hooks", &items), 2);
	assert_string_equal(items[1], "50");
	desc.range = "1..10";
	assert_int_equal(declare(set, desc, &err), -EINVAL);
	desc.range = NULL;
	desc.flags = 0;
	assert_int_equal(declare(set, desc, &err), -EEXIST);
	desc = (struct opt_desc){.name = "new_host", .type = OPT_STRING, .alias_of = "host"};
	assert_int_equal(declare(set, desc, &err), 0);
	assert_int_equal(declare(set, desc, &err), 0);
	accept(set, "--new-host=h");
	assert_string_equal(opt_str(set, "host"), "h");
}

static void test_many(void **state)
{
	struct opt_set *set = *state;
	const struct opt_desc *first = opt_find(set, "threads");
	char name[32], def[32];
	struct err err;

	for (int i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "option_%d", i);
		snprintf(def, sizeof(def), "%d", i);
		assert_int_equal(
		    declare(set, (struct opt_desc){.name = name, .type = OPT_INT, .def = def},
		            &err),
		    0);
	}
	assert_int_equal(opt_int(set, "option-0"), 0);
	assert_int_equal(opt_int(set, "option-499"), 499);
	assert_ptr_equal(opt_find(set, "threads"), first);
}

/* ---- mistakes in the program ---- */

static const struct opt_desc twice[] = {{.name = "threads", .type = OPT_INT}, OPT_END};
static const struct opt_desc bad_default[] = {{.name = "x", .type = OPT_INT, .def = "y"}, OPT_END};
static const struct opt_desc bad_range[] = {{.name = "x", .type = OPT_INT, .range = "y"}, OPT_END};
static const struct opt_desc bad_name[] = {{.name = "x_y", .type = OPT_INT}, OPT_END};

static void add_twice(struct opt_set *set)
{
	opt_set_add(set, "T", twice);
}
static void add_default(struct opt_set *set)
{
	opt_set_add(set, "T", bad_default);
}
static void add_range(struct opt_set *set)
{
	opt_set_add(set, "T", bad_range);
}
static void add_name(struct opt_set *set)
{
	opt_set_add(set, "T", bad_name);
}
static void get_missing(struct opt_set *set)
{
	opt_int(set, "nothing");
}
static void get_wrong_type(struct opt_set *set)
{
	opt_str(set, "threads");
}

static void test_bugs_abort(void **state)
{
	static void (*const bugs[])(struct opt_set *) = {add_twice, add_default, add_range,
	                                                 add_name,  get_missing, get_wrong_type};

	for (size_t i = 0; i < sizeof(bugs) / sizeof(bugs[0]); i++) {
		pid_t child = fork();
		int status;

		assert_true(child >= 0);
		if (child == 0) {
			const struct rlimit none = {0, 0};

			setrlimit(RLIMIT_CORE, &none);
			signal(SIGABRT, SIG_DFL);
			if (freopen("/dev/null", "w", stderr) != NULL)
				bugs[i](*state);
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_declare),   TEST(test_declare_wrong),   TEST(test_malformed_ranges),
	    TEST(test_redeclare), TEST(test_redeclare_table), TEST(test_redeclare_list),
	    TEST(test_many),      TEST(test_bugs_abort),
	};

	return cmocka_run_group_tests_name("opt_declare", tests, NULL, NULL);
}
