/* SPDX-License-Identifier: MIT */
#include "opt_fixture.h"

static char *print(void (*fn)(const struct opt_set *, const char *, FILE *),
                   const struct opt_set *set, const char *title)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	fn(set, title, f);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void print_man(const struct opt_set *set, const char *title, FILE *out)
{
	(void)title;
	opt_print_man(set, out);
}

/* ---- secrets ---- */

static void test_secret_errors(void **state)
{
	static const char *const args[] = {"--secret-number=" SECRET, "--secret-list=1," SECRET,
	                                   "--secret-choice=" SECRET, "--secret-switch=" SECRET,
	                                   "--secret-file=/" SECRET,  "--no-secret-switch=" SECRET};
	struct opt_set *set = *state;

	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		struct err err = ERR_INIT;

		assert_int_equal(opt_parse_arg(set, args[i], &err), -EINVAL);
		assert_true(err_is_set(&err));
		assert_null(strstr(err.text, SECRET));
	}
	refuse(set, "--secret-number=12", "--secret-number=***: must be 1..9");
	refuse(set, "--secret-list=1,12", "--secret-list=***: element *** must be 1..9");
	refuse(set, "--secret-file=/" SECRET,
	       "--secret-file=***: must be a readable file: No such file or directory");
}

static void test_secret_unknown(void **state)
{
	static const char *const args[] = {"--mysql-pasword=" SECRET, "--anything-else=" SECRET,
	                                   "-p" SECRET, "-p=" SECRET, "-password=" SECRET};
	struct opt_set *set = *state;

	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		struct err err = ERR_INIT;

		assert_int_equal(opt_unknown(set, args[i], &err), -EINVAL);
		assert_null(strstr(err.text, SECRET));
	}
}

static void test_secret_output(void **state)
{
	struct opt_set *set = *state;
	struct strbuf seen = STRBUF_INIT;
	char *help, *man;

	accept(set, "--mysql-password=" SECRET);
	assert_string_equal(opt_str(set, "mysql-password"), SECRET);
	opt_each(set, see_value, &seen);
	help = print(opt_print_help, set, NULL);
	man = print(print_man, set, NULL);
	assert_non_null(strstr(strbuf_str(&seen), "mysql-password=***!\n"));
	assert_non_null(strstr(strbuf_str(&seen), "secret-number=(unset)\n"));
	assert_null(strstr(strbuf_str(&seen), SECRET));
	assert_null(strstr(help, SECRET));
	assert_null(strstr(help, "sbtest"));
	assert_null(strstr(man, SECRET));
	assert_null(strstr(man, "sbtest"));
	strbuf_fini(&seen);
	free(help);
	free(man);
}

/* ---- unknown names ---- */

static void test_unknown(void **state)
{
	static const struct {
		const char *arg, *text;
	} cases[] = {
	    {"--thread=4", "--thread: unknown option; did you mean --threads?"},
	    {"--thraeds=4", "--thraeds: unknown option; did you mean --threads?"},
	    {"--Threads=4", "--Threads: unknown option; did you mean --threads?"},
	    {"--block_sise=4", "--block_sise: unknown option; did you mean --block-size?"},
	    {"--blocksize", "--blocksize: unknown option; did you mean --block-size?"},
	    {"--num-thread=1", "--num-thread: unknown option; did you mean --num-threads?"},
	    {"--no-histgram", "--no-histgram: unknown option; did you mean --no-histogram?"},
	    {"--no-thread", "--no-thread: unknown option; did you mean --threads?"},
	    {"-threads=4", "-threads: unknown option; did you mean --threads?"},
	    {"--frobnicate=1", "--frobnicate: unknown option; see --help"},
	    {"--x", "--x: unknown option; see --help"},
	    {"-x", "-x: unknown option; see --help"},
	    {"--", "--: unknown option; see --help"},
	    {"--a\nb=1", "--a?b: unknown option; see --help"},
	};
	struct opt_set *set = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = ERR_INIT;

		assert_int_equal(opt_unknown(set, cases[i].arg, &err), -EINVAL);
		assert_int_equal(err.status, EXIT_USAGE);
		assert_string_equal(err.text, cases[i].text);
	}
}

static void test_nearest_of_several(void **state)
{
	static const struct opt_desc more[] = {
	    {.name = "ssl", .type = OPT_STRING},
	    {.name = "no-tab", .type = OPT_STRING},
	    {.name = "zoom-1", .type = OPT_STRING, .flags = OPT_OLD},
	    {.name = "zoom-2", .type = OPT_STRING},
	    {.name = "zoom-4", .type = OPT_STRING, .flags = OPT_OLD},
	    OPT_END,
	};
	static const struct {
		const char *arg, *text;
	} cases[] = {
	    /* Swapped neighbours are one step, and a short name may be one step off. */
	    {"--sls=x", "--sls: unknown option; did you mean --ssl?"},
	    {"--xsx=x", "--xsx: unknown option; see --help"},
	    /* As near as "no-" and --tags. */
	    {"--no-tag", "--no-tag: unknown option; did you mean --no-tab?"},
	    /* Older names only where no other is as near. */
	    {"--zoom-3", "--zoom-3: unknown option; did you mean --zoom-2?"},
	};

	opt_set_add(*state, "More", more);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = ERR_INIT;

		assert_int_equal(opt_unknown(*state, cases[i].arg, &err), -EINVAL);
		assert_string_equal(err.text, cases[i].text);
	}
}

static void test_long_name(void **state)
{
	struct err err = ERR_INIT;
	char arg[4000];

	memset(arg, 'a', sizeof(arg));
	memcpy(arg, "--", 2);
	arg[sizeof(arg) - 1] = '\0';
	assert_int_equal(opt_unknown(*state, arg, &err), -EINVAL);
	assert_true(strlen(err.text) < 200);
	assert_non_null(strstr(err.text, "...: unknown option; see --help"));
}

/* ---- help and manual ---- */

static void check_lines(const char *text, const char *from)
{
	for (const char *line = text; *line != '\0';) {
		size_t len = strcspn(line, "\n");
		size_t indent = strspn(line, " ");

		if (len > 80)
			fail_msg("%s: a line of %zu columns: %.*s", from, len, (int)len, line);
		assert_true(len == 0 || line[len - 1] != ' ');
		assert_true(indent == 0 || indent == 2 || indent == 30);
		/* Descriptions beside a name begin where the others do. */
		if (indent == 2 && memchr(line + 2, ' ', len - 2) != NULL)
			assert_true(line[29] == ' ' && line[30] != ' ');
		line += len + (line[len] == '\n');
	}
}

static void test_help(void **state)
{
	struct opt_set *set = *state;
	char *help = print(opt_print_help, set, NULL);
	const char *older = strstr(help, "\nOlder names, kept for existing commands:\n");

	check_lines(help, "help");
	assert_ptr_equal(strstr(help, "General options:\n"), help);
	assert_non_null(strstr(help, "\nDatabase options:\n"));
	assert_non_null(
	    strstr(help, "  --threads=INT               OS threads that run events [threads;\n"
	                 "                              range 1..65536; default 1]\n"));
	assert_non_null(
	    strstr(help, "  --histogram[=on|off]        Print the histogram [default off]\n"));
	assert_non_null(strstr(help, "  --checks[=on|off]           Check results [default on]\n"));
	assert_non_null(
	    strstr(help, "  --offset=INT                Any integer [range any; default none]\n"));
	assert_non_null(strstr(help, "[seconds; range 1s..24h;"));
	assert_non_null(strstr(help, "[bytes; range 512..1T;"));
	assert_non_null(strstr(help, "between 0 and 1, ends"));
	assert_non_null(strstr(help, "[one of sqlite, mysql, pgsql;"));
	assert_non_null(
	    strstr(help, "  --init-sql=LIST             Statement run first [may be repeated;\n"
	                 "                              default SELECT 0]\n"));
	assert_non_null(strstr(help, "  --server=TEXT               same as --host\n"));
	assert_non_null(older);
	assert_non_null(strstr(older, "  --num-threads=INT           same as --threads\n"));
	assert_non_null(strstr(older, "  --schema=TEXT "));
	assert_ptr_equal(strstr(help, "--num-threads"), strstr(older, "--num-threads"));
	assert_ptr_equal(strstr(help, "--schema"), strstr(older, "--schema"));
	assert_non_null(strstr(older, "SIZE takes K, M, G, T or P"));
	free(help);
}

static void test_help_title(void **state)
{
	struct opt_set *set = *state;
	struct err err;
	char *help;

	assert_int_equal(
	    declare(set,
	            (struct opt_desc){.name = "an_option_with_a_long_name",
	                              .type = OPT_DOUBLE,
	                              .def = "1",
	                              .help = "Mit \xc3\xa4\xc3\xb6\xc3\xbc, over\nseveral\tlines"},
	            &err),
	    0);
	help = print(opt_print_help, set, "Script options");
	/* Exactly 80 columns, though it is 83 bytes. */
	assert_string_equal(
	    help, "Script options:\n"
	          "  --an-option-with-a-long-name=NUMBER\n"
	          "                              Mit \xc3\xa4\xc3\xb6\xc3\xbc, over several lines "
	          "[range any; default 1]\n");
	free(help);
	help = print(opt_print_help, set, "General options");
	assert_null(strstr(help, "Database"));
	assert_null(strstr(help, "--schema"));
	assert_non_null(strstr(help, "--num-threads"));
	free(help);
	help = print(opt_print_help, set, "No such title");
	assert_string_equal(help, "");
	free(help);
}

/* Every option is in the help and the manual, with its default. */
static void see_documented(void *ctx, const struct opt_desc *desc, const char *value, bool given)
{
	const char *help = ctx;
	char name[80];
	const char *at, *end;

	(void)value;
	(void)given;
	snprintf(name, sizeof(name), "  --%s%s", desc->name,
	         desc->type == OPT_BOOL ? "[=on|off]" : "=");
	at = strstr(help, name);
	assert_non_null(at);
	end = strstr(at + 3, "\n  --");
	assert_non_null(strstr(at, "default "));
	assert_true(end == NULL || strstr(at, "default ") < end);
}

static void test_all_documented(void **state)
{
	char *help = print(opt_print_help, *state, NULL);

	opt_each(*state, see_documented, help);
	free(help);
}

static void test_man(void **state)
{
	struct opt_set *set = *state;
	struct err err;
	char *man;

	assert_int_equal(declare(set,
	                         (struct opt_desc){
	                             .name = "odd",
	                             .type = OPT_STRING,
	                             .def = "\\fB'x'",
	                             .help = ".TH \"it\" \xe2\x89\xa4 ~^`\n.SH --no-odd read-only"},
	                         &err),
	                 0);
	man = print(print_man, set, NULL);
	assert_ptr_equal(strstr(man, ".SS \"General options\"\n"), man);
	assert_non_null(strstr(man,
	                       ".TP\n\\fB\\-\\-block\\-size\\fR=\\fISIZE\\fR\n"
	                       "\\&Size of one request [bytes; range\\ 512..1T; default\\ 4k]\n"));
	assert_non_null(strstr(man, "\\fB\\-\\-histogram\\fR[=\\fIon\\fR|\\fIoff\\fR]\n"));
	assert_non_null(strstr(
	    man, "\\&.TH \\(dqit\\(dq \\[u2264] \\(ti\\(ha\\(ga .SH \\-\\-no\\-odd read-only "
	         "[default\\ \\efB\\(aqx\\(aq]\n"));
	assert_non_null(strstr(man, ".SS \"Older names, kept for existing commands\"\n"));
	assert_non_null(
	    strstr(man, "\\fB\\-\\-num\\-threads\\fR=\\fIINT\\fR\n\\&same as \\-\\-threads\n"));
	free(man);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_secret_errors), TEST(test_secret_unknown),     TEST(test_secret_output),
	    TEST(test_unknown),       TEST(test_nearest_of_several), TEST(test_long_name),
	    TEST(test_help),          TEST(test_help_title),         TEST(test_all_documented),
	    TEST(test_man),
	};

	return cmocka_run_group_tests_name("opt_help", tests, NULL, NULL);
}
