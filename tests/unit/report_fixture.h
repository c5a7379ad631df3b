/* SPDX-License-Identifier: MIT */
/* A run made by hand, for the tests of reports: two transaction types, statements, an error, open
 * loop if asked for. */
#ifndef IOLTP_TESTS_UNIT_REPORT_FIXTURE_H
#define IOLTP_TESTS_UNIT_REPORT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <stdlib.h>

#include "report/result.h"

struct fixture {
	struct run_config config;
	struct mix mix;
	struct tally_sum sum;
	struct tally_sum_type types[2];
	struct tally_stmt stmts[2];
	struct tally_error errors[1];
	struct run_result run;
	struct result r;
};

/* n values of which the i-th is base + i * step. */
static inline struct hist *fixture_hist(unsigned n, uint64_t base_ns, uint64_t step_ns)
{
	struct hist *h = hist_new();

	assert_non_null(h);
	for (unsigned i = 0; i < n; i++)
		hist_record(h, base_ns + i * step_ns);
	return h;
}

static inline void fixture_types(struct fixture *x, bool open_loop)
{
	struct tally_sum *s = &x->sum;

	snprintf(x->mix.types[0].name, sizeof(x->mix.types[0].name), "transfer");
	snprintf(x->mix.types[1].name, sizeof(x->mix.types[1].name), "audit");
	x->mix.types[0].weight = 80;
	x->mix.types[1].weight = 20;
	x->mix.ntypes = 2;
	x->types[0] = (struct tally_sum_type){.begun = 82, .ok = 80, .failed = 1, .retries = 3};
	x->types[1] = (struct tally_sum_type){.begun = 20, .ok = 20};
	x->types[0].latency = fixture_hist(80, 1000000, 10000);
	x->types[1].latency = fixture_hist(20, 5000000, 100000);
	s->latency = hist_new();
	hist_merge(s->latency, x->types[0].latency);
	hist_merge(s->latency, x->types[1].latency);
	if (open_loop) {
		x->types[0].service = fixture_hist(80, 500000, 1000);
		x->types[1].service = fixture_hist(20, 2500000, 1000);
		s->service = hist_new();
		hist_merge(s->service, x->types[0].service);
		hist_merge(s->service, x->types[1].service);
		s->lateness = fixture_hist(40, 1000, 100);
	}
	s->types = x->types;
	s->ntypes = 2;
}

static inline void fixture_details(struct fixture *x)
{
	struct tally_sum *s = &x->sum;

	snprintf(x->stmts[0].label, sizeof(x->stmts[0].label),
	         "SELECT c FROM sbtest WHERE id=? AND pad LIKE ? AND k BETWEEN ? AND ? ORDER BY c");
	x->stmts[0].class = TALLY_READ;
	x->stmts[0].count = 300;
	x->stmts[0].rows = 900;
	x->stmts[0].latency = fixture_hist(300, 100000, 1000);
	snprintf(x->stmts[1].label, sizeof(x->stmts[1].label),
	         "UPDATE sbtest SET k=k+1 WHERE id=?");
	x->stmts[1].class = TALLY_WRITE;
	x->stmts[1].count = 100;
	x->stmts[1].errors = 4;
	x->stmts[1].rows = 100;
	x->stmts[1].latency = fixture_hist(100, 200000, 1000);
	s->stmts = x->stmts;
	s->nstmts = 2;
	x->errors[0] = (struct tally_error){
	    .code = 1213, .state = "40001", .text = "Deadlock found;\ntry again", .count = 4};
	s->error_list = x->errors;
	s->nerrors = 1;
}

static inline struct fixture *fixture_new(bool open_loop)
{
	struct fixture *x = calloc(1, sizeof(*x));

	assert_non_null(x);
	x->config = (struct run_config){.threads = 4,
	                                .time_ns = 10000000000u,
	                                .interval_ns = 1000000000u,
	                                .percentiles = {95},
	                                .npercentiles = 1,
	                                .percentile_first = 95,
	                                .rate_per_s = open_loop ? 25 : 0,
	                                .process = open_loop ? SCHED_POISSON : SCHED_CLOSED,
	                                .seed = 18446744073709551557u,
	                                .seed_given = true};
	x->sum = (struct tally_sum){.classes = {300, 100, 200},
	                            .begun = 102,
	                            .ok = 100,
	                            .failed = 1,
	                            .retries = 3,
	                            .errors = 4,
	                            .reconnects = 1};
	fixture_types(x, open_loop);
	fixture_details(x);
	x->run = (struct run_result){.total = {.end_s = 4,
	                                       .elapsed_s = 4,
	                                       .offered = 105,
	                                       .ok = 100,
	                                       .failed = 1,
	                                       .skipped = open_loop ? 3 : 0,
	                                       .unfinished = open_loop ? 1 : 4,
	                                       .fairness = {25, 1.5, 3.9, 0.01},
	                                       .sum = &x->sum},
	                             .sum = &x->sum,
	                             .phases = {.setup_ns = 1000,
	                                        .measure_ns = 4000000000u,
	                                        .drain_ns = 5,
	                                        .wall_start_s = 1700000000},
	                             .end = RUN_END_TIME,
	                             .cpu_user_s = 0.5,
	                             .cpu_system_s = 0.25,
	                             .cpu_share = 0.1,
	                             .max_rss_bytes = 10 << 20,
	                             .clock_cost_ns = 12,
	                             .clock_kind = "tsc"};
	x->run.last = x->run.total;
	result_init(&x->r);
	x->r.version = "0.1.0";
	x->r.kind = "sql";
	x->r.workload = "bank.lua";
	x->r.driver = "mysql";
	x->r.config = &x->config;
	x->r.mix = &x->mix;
	x->r.run = &x->run;
	return x;
}

static inline void fixture_free(struct fixture *x)
{
	struct result r = x->r;

	for (unsigned i = 0; i < 2; i++) {
		hist_free(x->types[i].latency);
		hist_free(x->types[i].service);
		hist_free(x->stmts[i].latency);
	}
	hist_free(x->sum.latency);
	hist_free(x->sum.service);
	hist_free(x->sum.lateness);
	result_fini(&r);
	free(x);
}

/* The run's work as two targets', which did half of the clients each; freed by result_fini. */
static inline void fixture_targets(struct fixture *x, struct tally_sum **sums)
{
	sums[0] = sums[1] = &x->sum;
	x->run.targets = sums;
	x->run.ntargets = 2;
	x->r.targets = calloc(2, sizeof(*x->r.targets));
	assert_non_null(x->r.targets);
	x->r.targets[0] = strdup("db1:3306");
	x->r.targets[1] = strdup("/run/two.sock");
	x->r.ntargets = 2;
}

/* What one writer printed; freed by the next call. Use: text_of(x, rep_text_final(&x->r, out)). */
struct captured {
	char *text;
	size_t len;
};

static inline FILE *capture(struct captured *c)
{
	FILE *out;

	free(c->text);
	c->text = NULL;
	out = open_memstream(&c->text, &c->len);
	assert_non_null(out);
	return out;
}

#define CAPTURE(c, call)                                                                           \
	do {                                                                                       \
		FILE *out = capture(&(c));                                                         \
		assert_int_equal(call, 0);                                                         \
		fclose(out);                                                                       \
	} while (0)

#define assert_has(text, part)                                                                     \
	do {                                                                                       \
		if (strstr(text, part) == NULL)                                                    \
			fail_msg("\"%s\" is not in:\n%s", part, text);                             \
	} while (0)

#define assert_begins(text, part)                                                                  \
	do {                                                                                       \
		if (strncmp(text, part, strlen(part)) != 0)                                        \
			fail_msg("not \"%s\" at the start of:\n%s", part, text);                   \
	} while (0)

#define assert_has_not(text, part)                                                                 \
	do {                                                                                       \
		if (strstr(text, part) != NULL)                                                    \
			fail_msg("\"%s\" should not be in:\n%s", part, text);                      \
	} while (0)

#endif
