/* SPDX-License-Identifier: MIT */
/* A set of options of every kind, for the tests of opt. */
#ifndef IOLTP_TESTS_UNIT_OPT_FIXTURE_H
#define IOLTP_TESTS_UNIT_OPT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/opt.h"

#define SECRET "hunter2"

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct opt_desc general[] = {
    {"threads", OPT_INT, "1", "1..65536", NULL, "threads", "OS threads that run events", 0, NULL},
    {"num-threads", OPT_INT, NULL, NULL, NULL, NULL, NULL, OPT_OLD, "threads"},
    {"events", OPT_INT, "0", "0..", NULL, "events", "End after so many", 0, NULL},
    {"offset", OPT_INT, NULL, NULL, NULL, NULL, "Any integer", 0, NULL},
    {"below", OPT_INT, "-1", "..-1", NULL, NULL, "Negative", 0, NULL},
    {"time", OPT_TIME, "10", "1s..24h", NULL, NULL, "How long to run", 0, NULL},
    {"delay", OPT_TIME, NULL, NULL, NULL, NULL, "Any time", 0, NULL},
    {"block-size", OPT_SIZE, "4k", "512..1T", NULL, NULL, "Size of one request", 0, NULL},
    {"any-size", OPT_SIZE, NULL, NULL, NULL, NULL, "Any size", 0, NULL},
    {"share", OPT_DOUBLE, "0.5", "(0..1)", NULL, NULL, "Part that is hot", 0, NULL},
    {"half-open", OPT_DOUBLE, "0", "[0..1)", NULL, NULL, "Part from 0 on", 0, NULL},
    {"positive", OPT_DOUBLE, "1", "(0..", NULL, "per s", "Some rate", 0, NULL},
    {"factor", OPT_DOUBLE, NULL, NULL, NULL, NULL, "Any number", 0, NULL},
    {"histogram", OPT_BOOL, "off", NULL, NULL, NULL, "Print the histogram", 0, NULL},
    {"checks", OPT_BOOL, "true", NULL, NULL, NULL, "Check results", 0, NULL},
    OPT_END,
};

static const struct opt_desc database[] = {
    {"db-driver", OPT_ENUM, "sqlite", NULL, "sqlite|mysql|pgsql", NULL, "Database to use", 0, NULL},
    {"mysql-password", OPT_STRING, "sbtest", NULL, NULL, NULL, "Password", OPT_SECRET, NULL},
    {"secret-number", OPT_INT, NULL, "1..9", NULL, NULL, "A PIN", OPT_SECRET, NULL},
    {"secret-list", OPT_LIST, NULL, "1..9", NULL, NULL, "Some PINs", OPT_SECRET, NULL},
    {"secret-choice", OPT_ENUM, NULL, NULL, "a|b", NULL, "A side", OPT_SECRET, NULL},
    {"secret-switch", OPT_BOOL, NULL, NULL, NULL, NULL, "A switch", OPT_SECRET, NULL},
    {"secret-file", OPT_FILE, NULL, NULL, NULL, NULL, "A key", OPT_SECRET, NULL},
    {"host", OPT_STRING, "localhost", NULL, NULL, NULL, "Server", 0, NULL},
    {"server", OPT_STRING, NULL, NULL, NULL, NULL, NULL, 0, "host"},
    {"schema", OPT_STRING, NULL, NULL, NULL, NULL, "Schema", OPT_OLD, NULL},
    {"percentiles", OPT_LIST, "50,95,99.9", "0..100", NULL, "per cent", "Percentiles shown", 0,
     NULL},
    {"tags", OPT_LIST, NULL, NULL, NULL, NULL, "Words for the report", 0, NULL},
    {"init-sql", OPT_LIST, "SELECT 0", NULL, NULL, NULL, "Statement run first", OPT_REPEAT, NULL},
    {"weights", OPT_LIST, NULL, "1..9", NULL, NULL, "Weights", OPT_REPEAT, NULL},
    {"key-file", OPT_FILE, "/nonexistent/default", NULL, NULL, NULL, "Key", 0, NULL},
    OPT_END,
};

static inline int setup(void **state)
{
	struct opt_set *set = opt_set_new();

	assert_non_null(set);
	opt_set_add(set, "General options", general);
	opt_set_add(set, "Database options", database);
	*state = set;
	return 0;
}

static inline int teardown(void **state)
{
	opt_set_free(*state);
	return 0;
}

static inline void accept(struct opt_set *set, const char *arg)
{
	struct err err = ERR_INIT;
	int rc = opt_parse_arg(set, arg, &err);

	if (rc != 0 || err_is_set(&err))
		fail_msg("%s: %d, %s", arg, rc, err.text);
}

static inline void refuse(struct opt_set *set, const char *arg, const char *text)
{
	struct err err = ERR_INIT;

	assert_int_equal(opt_parse_arg(set, arg, &err), -EINVAL);
	assert_int_equal(err.status, EXIT_USAGE);
	assert_string_equal(err.text, text);
}

static inline void nobody_knows(struct opt_set *set, const char *arg)
{
	struct err err = ERR_INIT;

	assert_int_equal(opt_parse_arg(set, arg, &err), -ENOENT);
	assert_false(err_is_set(&err));
}

static inline int declare(struct opt_set *set, struct opt_desc desc, struct err *err)
{
	*err = ERR_INIT;
	return opt_set_declare(set, "Script options", &desc, err);
}

/* opt_each: "name=value", and '!' where given, line by line into a strbuf. */
static inline void see_value(void *ctx, const struct opt_desc *desc, const char *value, bool given)
{
	strbuf_addf(ctx, "%s=%s%s\n", desc->name, value != NULL ? value : "(unset)",
	            given ? "!" : "");
}

/* A new directory that every user can look into; valid until the next call. */
static inline char *make_dir(void)
{
	static char path[64];

	strcpy(path, "/tmp/ioltp-opt-test-XXXXXX");
	assert_non_null(mkdtemp(path));
	assert_int_equal(chmod(path, 0755), 0);
	return path;
}

static inline void write_file(const char *path, const void *bytes, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

#endif
