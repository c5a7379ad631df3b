/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "raw_fixture.h"

#define MIB (1ull << 20)

static const struct delay no_delay = {.kind = DELAY_NONE};

static struct io_step step(const char *name, enum io_op op, uint32_t count, uint32_t bytes,
                           unsigned region)
{
	struct io_step s = {.op = op, .count = {count, count}, .region = region};

	snprintf(s.name, sizeof(s.name), "%s", name);
	if (op != IO_FLUSH)
		s.sizes = (struct io_sizes){1, {bytes}, {1}};
	return s;
}

/* Stream 0: data, stream 1: a log of 64 KiB behind it. */
static void base_profile(struct raw_profile *p, unsigned clients)
{
	*p = (struct raw_profile){.nstreams = 2, .oio = clients, .ntxns = 1};
	for (unsigned i = 0; i < 2; i++) {
		struct io_stream *s = &p->streams[i];

		snprintf(s->name, sizeof(s->name), "%s", i == 0 ? "data" : "log");
		s->read_share = 1;
		s->random_read_share = s->random_write_share = 1;
	}
	p->streams[0].span.bytes = 512 * MIB;
	p->streams[1].offset.bytes = 512 * MIB;
	p->streams[1].span.bytes = 65536;
	snprintf(p->txns[0].name, sizeof(p->txns[0].name), "commit");
	p->txns[0].weight = 1;
}

static void commit_profile(struct raw_profile *p, unsigned clients, bool group)
{
	struct io_txn *t = &p->txns[0];

	base_profile(p, clients);
	t->nsteps = 3;
	t->steps[0] = step("reads", IO_READ, 4, 8192, 0);
	t->steps[1] = step("append", IO_APPEND, 1, 4096, 1);
	t->steps[2] = step("flush", IO_FLUSH, 1, 0, 0);
	t->steps[2].group = group;
}

/* One client: four reads, each after the other's end, then the append, then the flush. */
static void test_steps_in_sequence(void **state)
{
	static const uint8_t want[] = {IO_READ, IO_READ, IO_READ, IO_READ, IO_APPEND, IO_FLUSH};
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	commit_profile(&p, 1, false);
	raw_run(&r, &p, &engine_watch, NULL, 50, no_delay);
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.result.total.ok, 50);
	assert_int_equal(watch.n, 300);
	assert_int_equal(watch.most_inflight, 1);
	for (unsigned i = 0; i < watch.n; i++) {
		const struct io_request *io = &watch.ios[i].request;

		assert_int_equal(io->op, want[i % 6]);
		if (io->op == IO_READ)
			assert_true(io->bytes == 8192 && io->offset_bytes < 512 * MIB);
		if (io->op == IO_APPEND)
			assert_int_equal(io->offset_bytes, 512 * MIB + i / 6 % 16 * 4096);
	}
	assert_int_equal(raw_statement(&r, "commit: 1 reads")->count, 50);
	assert_int_equal(raw_statement(&r, "commit: 1 reads")->bytes, 50 * 4 * 8192);
	assert_int_equal(raw_statement(&r, "commit: 3 flush")->count, 50);
	assert_int_equal(raw_statement(&r, "each read")->count, 200);
	assert_int_equal(r.result.sum->classes[TALLY_READ], 200);
	assert_int_equal(r.result.sum->classes[TALLY_WRITE], 50);
	assert_int_equal(r.result.sum->classes[TALLY_OTHER], 50);
	assert_int_equal(r.result.sum->bytes[TALLY_WRITE], 50 * 4096);
	assert_int_equal(hist_count(r.result.sum->latency), 50);
	raw_run_end(&r);
}

/* Many clients at once: each is in sequence, together they overlap. */
static void test_clients_overlap(void **state)
{
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	commit_profile(&p, 16, false);
	raw_run(&r, &p, &engine_watch, NULL, 400, no_delay);
	assert_int_equal(r.result.total.ok, 400);
	assert_int_equal(watch.n, 2400);
	assert_int_equal(watch.most_inflight, 16);
	assert_int_equal(raw_statement(&r, "each flush")->count, 400);
	raw_run_end(&r);
}

/*
 * Each flush begins after the appends that it serves have ended, and no transaction ends before a
 * flush that began after its append did: no more appends can be unserved than there are clients.
 */
static void test_group_commit(void **state)
{
	unsigned flushes = 0, inflight = 0;
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	commit_profile(&p, 16, true);
	raw_run(&r, &p, &engine_watch, NULL, 800, no_delay);
	assert_int_equal(r.result.total.ok, 800);
	for (unsigned i = 0; i < watch.n; i++) {
		const struct watched_io *io = &watch.ios[i];

		if (io->request.op != IO_FLUSH)
			continue;
		flushes++;
		/* One at a time. */
		assert_true(io->began >= inflight);
		inflight = io->ended;
	}
	assert_true(flushes < 400);
	assert_true(flushes >= 800 / 16);
	assert_int_equal(raw_statement(&r, "commit: 3 flush")->count, 800);
	assert_int_equal(raw_statement(&r, "each flush")->count, flushes);
	raw_run_end(&r);
}

/* With one client in the group, its flush always begins after its append has ended. */
static void test_flush_follows_append(void **state)
{
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	commit_profile(&p, 1, true);
	raw_run(&r, &p, &engine_watch, NULL, 20, no_delay);
	assert_int_equal(watch.n, 120);
	for (unsigned i = 0; i < watch.n; i += 6) {
		assert_int_equal(watch.ios[i + 4].request.op, IO_APPEND);
		assert_int_equal(watch.ios[i + 5].request.op, IO_FLUSH);
		assert_true(watch.ios[i + 5].began >= watch.ios[i + 4].ended);
		if (i + 6 < watch.n)
			assert_true(watch.ios[i + 6].began >= watch.ios[i + 5].ended);
	}
	raw_run_end(&r);
}

/* A client that joins while a flush is in flight must not be served by it. */
static void test_late_joiner_waits_for_the_next(void **state)
{
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	base_profile(&p, 2);
	p.txns[0].nsteps = 2;
	p.txns[0].steps[0] = step("append", IO_APPEND, 1, 4096, 1);
	p.txns[0].steps[1] = step("flush", IO_FLUSH, 1, 0, 0);
	p.txns[0].steps[1].group = true;
	raw_run(&r, &p, &engine_watch, NULL, 200, no_delay);
	assert_int_equal(r.result.total.ok, 200);
	/* Appends of a client: the next begins only after a flush that began after the last ended.
	 */
	for (unsigned i = 0; i + 2 < watch.n; i++) {
		const struct watched_io *append = &watch.ios[i];
		unsigned later = 0;

		if (append->request.op != IO_APPEND)
			continue;
		for (unsigned k = i + 1; k < watch.n && later < 2; k++) {
			if (watch.ios[k].request.op == IO_FLUSH &&
			    watch.ios[k].began >= append->ended)
				break;
			/* The other client may begin one, this one may not. */
			later += watch.ios[k].request.op == IO_APPEND &&
			         watch.ios[k].began >= append->ended;
		}
		assert_true(later < 2);
	}
	raw_run_end(&r);
}

static void test_parallel_steps(void **state)
{
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	base_profile(&p, 1);
	p.txns[0].nsteps = 3;
	p.txns[0].steps[0] = step("reads", IO_READ, 8, 8192, 0);
	p.txns[0].steps[0].parallel = true;
	p.txns[0].steps[1] = step("page", IO_WRITE, 1, 8192, 0);
	p.txns[0].steps[1].with_next = true;
	p.txns[0].steps[2] = step("log", IO_WRITE_FUA, 1, 4096, 1);
	watch.lifo = true;
	raw_run(&r, &p, &engine_watch, NULL, 30, no_delay);
	watch.lifo = false;
	assert_int_equal(r.result.total.ok, 30);
	assert_int_equal(watch.most_inflight, 8);
	for (unsigned i = 0; i < watch.n; i += 10) {
		unsigned reads_ended = 0;

		for (unsigned k = 0; k < 8; k++) {
			assert_int_equal(watch.ios[i + k].request.op, IO_READ);
			assert_int_equal(watch.ios[i + k].began, watch.ios[i].began);
			if (watch.ios[i + k].ended > reads_ended)
				reads_ended = watch.ios[i + k].ended;
		}
		assert_int_equal(watch.ios[i + 8].request.op, IO_WRITE);
		assert_int_equal(watch.ios[i + 9].request.op, IO_WRITE_FUA);
		assert_int_equal(watch.ios[i + 8].began, watch.ios[i + 9].began);
		assert_true(watch.ios[i + 8].began >= reads_ended);
	}
	raw_run_end(&r);
}

static void test_counts_are_drawn(void **state)
{
	unsigned counts[6] = {0}, run = 0;
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	base_profile(&p, 1);
	p.txns[0].nsteps = 2;
	p.txns[0].steps[0] = step("reads", IO_READ, 0, 8192, 0);
	p.txns[0].steps[0].count = (struct io_count){.lo = 0, .hi = 5};
	p.txns[0].steps[1] = step("log", IO_APPEND, 1, 4096, 1);
	raw_run(&r, &p, &engine_watch, NULL, 6000, no_delay);
	for (unsigned i = 0; i < watch.n; i++) {
		if (watch.ios[i].request.op == IO_READ) {
			run++;
			continue;
		}
		assert_true(run <= 5);
		counts[run]++;
		run = 0;
	}
	for (unsigned i = 0; i < 6; i++)
		assert_in_range(counts[i], 850, 1150);
	raw_run_end(&r);
}

static void test_counts_have_exact_shares(void **state)
{
	unsigned counts[41] = {0}, run = 0;
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	base_profile(&p, 1);
	p.txns[0].nsteps = 2;
	p.txns[0].steps[0] = step("reads", IO_READ, 0, 8192, 0);
	p.txns[0].steps[0].count =
	    (struct io_count){.hi = 40, .n = 3, .times = {0, 3, 40}, .share = {0.6, 0.35, 0.05}};
	p.txns[0].steps[1] = step("log", IO_APPEND, 1, 4096, 1);
	raw_run(&r, &p, &engine_watch, NULL, 6000, no_delay);
	for (unsigned i = 0; i < watch.n; i++) {
		if (watch.ios[i].request.op == IO_READ) {
			run++;
			continue;
		}
		assert_in_range(run, 0, 40);
		counts[run]++;
		run = 0;
	}
	assert_in_range(counts[0], 3600 - DECK_CARDS, 3600 + DECK_CARDS);
	assert_in_range(counts[3], 2100 - DECK_CARDS, 2100 + DECK_CARDS);
	assert_int_equal(counts[0] + counts[3] + counts[40], 6000);
	raw_run_end(&r);
}

static void test_types_by_weight(void **state)
{
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	commit_profile(&p, 4, true);
	p.ntxns = 2;
	p.txns[0].weight = 30;
	p.txns[1] = (struct io_txn){.name = "read", .weight = 70, .nsteps = 1};
	p.txns[1].steps[0] = step("read", IO_READ, 1, 4096, 0);
	raw_run(&r, &p, &engine_watch, NULL, 12800, no_delay);
	assert_in_range(r.result.sum->types[0].ok, 3835, 3845);
	assert_in_range(r.result.sum->types[1].ok, 8955, 8965);
	raw_run_end(&r);
}

static int32_t fail_some(const struct watched_io *io, unsigned n)
{
	if (io->request.op == IO_READ && n % 50 == 7)
		return -EIO;
	if (io->request.op == IO_APPEND && n % 31 == 3)
		return 512;
	return (int32_t)io->request.bytes;
}

/* A transaction whose I/O failed does no more, and is counted as failed. */
static void test_failures(void **state)
{
	struct raw_profile p;
	struct raw_run r;
	unsigned appends = 0, eio = 0, short_writes = 0;

	(void)state;
	commit_profile(&p, 8, true);
	watch.result = fail_some;
	raw_run(&r, &p, &engine_watch, NULL, 2000, no_delay);
	watch.result = NULL;
	for (unsigned i = 0; i < watch.n; i++) {
		appends += watch.ios[i].request.op == IO_APPEND;
		eio += watch.ios[i].request.op == IO_READ && i % 50 == 7;
		short_writes += watch.ios[i].request.op == IO_APPEND && i % 31 == 3;
	}
	assert_true(eio > 50 && short_writes > 20);
	assert_int_equal(r.result.total.failed, eio + short_writes);
	assert_int_equal(r.result.total.ok + r.result.total.failed, 2000);
	assert_int_equal(appends, 2000 - eio);
	assert_int_equal(r.result.sum->errors, eio + short_writes);
	assert_int_equal(r.result.sum->error_list[0].code, EIO);
	assert_string_equal(r.result.sum->error_list[0].state, "EIO");
	assert_int_equal(raw_statement(&r, "commit: 1 reads")->errors, eio);
	raw_run_end(&r);
}

static int32_t vanish(const struct watched_io *io, unsigned n)
{
	return n >= 100 ? -ENODEV : (int32_t)io->request.bytes;
}

static void test_target_goes_away(void **state)
{
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	commit_profile(&p, 8, true);
	watch.result = vanish;
	raw_run(&r, &p, &engine_watch, NULL, 100000, no_delay);
	watch.result = NULL;
	assert_true(r.rc != 0);
	assert_int_equal(r.result.end, RUN_END_ERROR);
	assert_non_null(strstr(r.result.err.text, "went away"));
	assert_true(watch.n < 200);
	assert_int_equal(r.result.total.offered,
	                 r.result.total.ok + r.result.total.failed + r.result.total.unfinished);
	raw_run_end(&r);
}

/* Page writes by themselves, beside the transactions and in none of their figures. */
static void test_background(void **state)
{
	struct run_config config = {.time_ns = 500000000u};
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	commit_profile(&p, 2, true);
	p.txns[0].think = (struct delay){.kind = DELAY_FIXED, .mean_s = 0.001};
	p.nstreams = 3;
	p.streams[2] = p.streams[0];
	snprintf(p.streams[2].name, sizeof(p.streams[2].name), "pages");
	p.streams[2].read_share = 0;
	p.streams[2].write_sizes = (struct io_sizes){1, {16384}, {1}};
	p.streams[2].rate_per_s = 2000;
	p.streams[2].oio = 64;
	raw_run(&r, &p, &engine_null, &config, 0, no_delay);
	assert_int_equal(r.rc, 0);
	assert_in_range(raw_statement(&r, "pages write")->count, 700, 1300);
	assert_int_equal(raw_statement(&r, "pages write")->bytes,
	                 16384 * raw_statement(&r, "pages write")->count);
	assert_int_equal(r.result.total.ok, raw_statement(&r, "commit: 2 append")->count);
	raw_run_end(&r);
}

/* Pages that transactions leave to be written follow their number, and nobody waits for them. */
static void test_background_per_transaction(void **state)
{
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	commit_profile(&p, 2, true);
	p.nstreams = 3;
	p.streams[2] = p.streams[0];
	snprintf(p.streams[2].name, sizeof(p.streams[2].name), "pages");
	p.streams[2].read_share = 0;
	p.streams[2].write_sizes = (struct io_sizes){1, {16384}, {1}};
	p.streams[2].per_transaction = 2.5;
	raw_run(&r, &p, &engine_null, NULL, 4000, no_delay);
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.result.total.ok, 4000);
	/* Those of the last transactions may fall behind the end. */
	assert_in_range(raw_statement(&r, "pages write")->count, 9900, 10000);
	raw_run_end(&r);
}

/* Transactions without any I/O do not wait for anything: a slice of sleep for each would take a
 * quarter of an hour, and the test has no such time. */
static void test_transactions_without_io(void **state)
{
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	base_profile(&p, 1);
	p.txns[0].nsteps = 1;
	p.txns[0].steps[0] = step("reads", IO_READ, 0, 8192, 0);
	p.txns[0].steps[0].count =
	    (struct io_count){.hi = 1, .n = 2, .times = {0, 1}, .share = {0.999, 0.001}};
	raw_run(&r, &p, &engine_null, NULL, 20000, no_delay);
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.result.total.ok, 20000);
	raw_run_end(&r);
}

static void test_open_loop(void **state)
{
	struct run_config config = {.rate_per_s = 20000, .process = SCHED_POISSON};
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	commit_profile(&p, 4, true);
	raw_run(&r, &p, &engine_watch, &config, 2000, no_delay);
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.result.total.offered, 2000);
	assert_int_equal(r.result.total.ok, 2000);
	assert_int_equal(hist_count(r.result.sum->service), 2000);
	raw_run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_steps_in_sequence),
	    cmocka_unit_test(test_clients_overlap),
	    cmocka_unit_test(test_group_commit),
	    cmocka_unit_test(test_flush_follows_append),
	    cmocka_unit_test(test_late_joiner_waits_for_the_next),
	    cmocka_unit_test(test_parallel_steps),
	    cmocka_unit_test(test_counts_are_drawn),
	    cmocka_unit_test(test_counts_have_exact_shares),
	    cmocka_unit_test(test_background_per_transaction),
	    cmocka_unit_test(test_transactions_without_io),
	    cmocka_unit_test(test_types_by_weight),
	    cmocka_unit_test(test_failures),
	    cmocka_unit_test(test_target_goes_away),
	    cmocka_unit_test(test_background),
	    cmocka_unit_test(test_open_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
