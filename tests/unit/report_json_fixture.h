/* SPDX-License-Identifier: MIT */
/* A run with options and a directory for its JSON result. */
#ifndef IOLTP_TESTS_UNIT_REPORT_JSON_FIXTURE_H
#define IOLTP_TESTS_UNIT_REPORT_JSON_FIXTURE_H

#include "report_fixture.h"

#include <errno.h>
#include <unistd.h>

#include <jansson.h>

#define SECRET "hunter2"

static struct fixture *x;
static struct opt_set *options;
static char dir[64], path[128], part[160], fresh[160];

static const struct opt_desc table[] = {
    {"threads", OPT_INT, "1", .help = "Threads"},
    {"time", OPT_TIME, "10", .help = "Time"},
    {"table-size", OPT_SIZE, "10K", .help = "Size"},
    {"rate", OPT_DOUBLE, "0.05", .help = "Rate"},
    {"histogram", OPT_BOOL, "on", .help = "Histogram"},
    {"db-driver", OPT_ENUM, "mysql", .choices = "mysql|pgsql", .help = "Driver"},
    {"mysql-host", OPT_LIST, "a,b", .help = "Hosts"},
    {"mysql-password", OPT_STRING, "", .help = "Password", .flags = OPT_SECRET},
    {"keys", OPT_LIST, NULL, .help = "Keys", .flags = OPT_SECRET},
    {"config-file", OPT_FILE, NULL, .help = "File"},
    {"pw", OPT_STRING, NULL, .help = "Alias", .flags = OPT_OLD, .alias_of = "mysql-password"},
    OPT_END,
};

static int setup_run(bool open_loop)
{
	struct err err = ERR_INIT;

	x = fixture_new(open_loop);
	options = opt_set_new();
	assert_non_null(options);
	opt_set_add(options, "General", table);
	assert_int_equal(opt_assign(options, "mysql-password", SECRET, &err), 0);
	assert_int_equal(opt_assign(options, "keys", SECRET "," SECRET, &err), 0);
	x->r.options = options;
	strcpy(dir, "/tmp/ioltp_json_XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/out.json", dir);
	snprintf(part, sizeof(part), "%s.part", path);
	snprintf(fresh, sizeof(fresh), "%s.new", path);
	return 0;
}

static int setup_closed(void **state)
{
	(void)state;
	return setup_run(false);
}

static inline int setup_open(void **state)
{
	(void)state;
	return setup_run(true);
}

static int teardown(void **state)
{
	(void)state;
	fixture_free(x);
	opt_set_free(options);
	unlink(path);
	unlink(part);
	unlink(fresh);
	return rmdir(dir);
}

static bool exists(const char *file)
{
	return access(file, F_OK) == 0;
}

static struct run_figures interval(double begin_s, double end_s, uint64_t ok)
{
	return (struct run_figures){.begin_s = begin_s,
	                            .end_s = end_s,
	                            .elapsed_s = end_s - begin_s,
	                            .threads_running = 4,
	                            .offered = ok,
	                            .ok = ok,
	                            .sum = &x->sum};
}

static json_t *at(json_t *o, const char *a, const char *b)
{
	json_t *v = json_object_get(o, a);

	if (v != NULL && b != NULL)
		v = json_object_get(v, b);
	if (v == NULL)
		fail_msg("no %s %s", a, b != NULL ? b : "");
	return v;
}

#define CLOSED(name) cmocka_unit_test_setup_teardown(name, setup_closed, teardown)
#define OPEN(name)   cmocka_unit_test_setup_teardown(name, setup_open, teardown)

#endif
