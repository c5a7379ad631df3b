/* SPDX-License-Identifier: MIT */
/* Plans from scenario files: the shipped tests hold the specification's cells, and what is wrong is
 * named. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/datadir.h"
#include "scenario/plan.h"
#include "scenario/reader.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct plan plan;

static void load_shipped(const char *name)
{
	struct err err = ERR_INIT;
	char file[4200], *dir;
	struct tree t;

	assert_int_equal(data_dir(&dir, "scenarios", &err), 0);
	snprintf(file, sizeof(file), "%s/%s.lua", dir, name);
	free(dir);
	if (reader_load(&t, file, &err) != 0 || plan_from_tree(&plan, &t, file, &err) != 0)
		fail_msg("%s", err.text);
	tree_fini(&t);
	assert_string_equal(plan.name, name);
}

static void check_cells(const struct plan_stage *s, const double *mixes, unsigned nmixes,
                        const uint64_t *sizes, unsigned nsizes)
{
	assert_int_equal(s->rounds.nmixes, nmixes);
	assert_int_equal(s->rounds.nsizes, nsizes);
	for (unsigned i = 0; i < nmixes; i++)
		assert_true(s->rounds.read_shares[i] == mixes[i]);
	for (unsigned i = 0; i < nsizes; i++)
		assert_int_equal(s->rounds.size_bytes[i], sizes[i]);
	assert_true(s->rounds.read_shares[s->rounds.track_mix] == 0);
	assert_int_equal(s->rounds.cell_ns, 60000000000);
	assert_int_equal(s->rounds.window, 5);
	assert_int_equal(s->rounds.max_rounds, 25);
	assert_true(s->rounds.range == 0.20 && s->rounds.excursion == 0.10);
}

static void test_shipped(void **state)
{
	static const double seven[] = {1, .95, .65, .5, .35, .05, 0}, three[] = {1, .65, 0},
	                    two[] = {1, 0}, writes[] = {0};
	static const uint64_t eight[] = {1 << 20, 131072, 65536, 32768, 16384, 8192, 4096, 512};
	static const uint64_t big[] = {131072, 1 << 20};

	(void)state;
	load_shipped("pts_iops");
	assert_int_equal(plan.nstages, 3);
	assert_int_equal(plan.stages[0].kind, PLAN_PURGE);
	assert_int_equal(plan.stages[1].kind, PLAN_PRECONDITION);
	assert_string_equal(plan.stages[1].amount, "2x,128k");
	check_cells(&plan.stages[2], seven, 7, eight, 8);
	assert_int_equal(eight[plan.stages[2].rounds.track_size], 4096);
	load_shipped("pts_latency");
	check_cells(&plan.stages[2], three, 3, eight + 5, 3);
	assert_int_equal(plan.stages[2].rounds.oio, 1);
	assert_int_equal(plan.stages[2].rounds.metric, PLAN_LATENCY);
	assert_int_equal(plan.stages[2].rounds.track_size, 1);
	load_shipped("pts_throughput");
	assert_int_equal(plan.nstages, 6);
	for (unsigned i = 0; i < 2; i++) {
		check_cells(&plan.stages[3 * i + 2], two, 2, big + i, 1);
		assert_true(plan.stages[3 * i + 2].rounds.sequential);
	}
	load_shipped("pts_write_saturation");
	assert_int_equal(plan.nstages, 2);
	assert_int_equal(plan.stages[1].kind, PLAN_SERIES);
	check_cells(&plan.stages[1], writes, 1, eight + 6, 1);
	assert_true(plan.stages[1].rounds.limit_capacities == 4);
	assert_int_equal(plan.stages[1].rounds.limit_ns, 86400000000000);
}

#define ROUNDS                                                                                     \
	"stage = 'rounds', name = 'r', title = 'R', metric = 'iops', oio = 1, mixes = { 100, 0 "   \
	"}, "                                                                                      \
	"sizes = { '4k' }"

static void test_errors(void **state)
{
	static const struct {
		const char *stages, *message;
	} cases[] = {
	    {"", "x.lua: stages: is empty; give at least 1"},
	    {"{ stage = 'purge' }", "x.lua: no stage measures anything; add one of \"rounds\""},
	    {"{}", "x.lua: stages[1]: has no 'stage'; add it"},
	    {"7", "x.lua: stages[1]: is a number; give a table"},
	    {"{ stage = 'purges' }",
	     "x.lua: stages[1].stage: is \"purges\"; give purge, precondition, "
	     "rounds or series"},
	    {"{ stage = 'purge', amount = 1 }",
	     "x.lua: stages[1]: unknown key 'amount'; there are stage"},
	    {"{ stage = 'precondition' }", "x.lua: stages[1]: has no 'amount'; add it"},
	    {"{ " ROUNDS " }",
	     "x.lua: stages[1].track_mix: is none of the mixes; name the one to track"},
	    {"{ " ROUNDS ", track_mix = 50 }",
	     "x.lua: stages[1].track_mix: is none of the mixes; name the one to track"},
	    {"{ " ROUNDS ", track_mix = 0, track_size = '8k' }", NULL},
	    {"{ " ROUNDS ", track_mix = 0, limit_time = '1h' }",
	     "x.lua: stages[1]: limits belong to a series; drop them"},
	    {"{ " ROUNDS ", track_mix = 0, window = 30 }",
	     "x.lua: stages[1].window: is longer than max_rounds; shorten it"},
	    {"{ " ROUNDS ", track_mix = 0 }, { " ROUNDS ", track_mix = 0 }",
	     "x.lua: stages[2].name: there are two 'r'; rename one"},
	};
	char path[] = "/tmp/ioltp-plan.XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = ERR_INIT;
		FILE *f = fopen(path, "w");
		struct tree t;
		int rc;

		assert_non_null(f);
		fprintf(f, "return { title = 'T', stages = { %s } }", cases[i].stages);
		assert_int_equal(fclose(f), 0);
		assert_int_equal(reader_load(&t, path, &err), 0);
		rc = plan_from_tree(&plan, &t, "x.lua", &err);
		tree_fini(&t);
		if (rc != -EINVAL ||
		    (cases[i].message != NULL && strcmp(err.text, cases[i].message) != 0))
			fail_msg("%s: %d '%s'", cases[i].stages, rc, err.text);
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_shipped),
	    cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
