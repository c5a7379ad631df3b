/* SPDX-License-Identifier: MIT */
/* block_match: pieces, requests at one place, requeues, merges, flushes without a place, losses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "trace/block_match.h"

static struct trace_event seen[128];
static unsigned nseen;

static void note(void *ctx, const struct trace_event *e)
{
	(void)ctx;
	seen[nseen++ % 128] = *e;
}

static struct block_match *make(void)
{
	struct block_match *m = block_match_new(note, NULL);

	assert_non_null(m);
	nseen = 0;
	return m;
}

static void feed(struct block_match *m, enum block_step step, uint64_t at_ns, const char *letters,
                 uint64_t sector, uint32_t size_bytes)
{
	struct block_record r = {.step = (uint8_t)step,
	                         .at_ns = at_ns,
	                         .sector = sector,
	                         .size_bytes = size_bytes,
	                         .pid = 77};

	assert_true(block_match_letters(&r, letters, strlen(letters)));
	block_match_feed(m, &r);
}

static void letters(void **state)
{
	static const struct {
		const char *text;
		bool known;
		enum trace_op op;
		unsigned flags;
	} cases[] = {
	    {"R", true, TRACE_READ, 0},
	    {"RA", true, TRACE_READ, TRACE_AHEAD},
	    {"RSM", true, TRACE_READ, TRACE_SYNC | TRACE_META},
	    {"W", true, TRACE_WRITE, 0},
	    {"WS", true, TRACE_WRITE, TRACE_SYNC},
	    {"WFS", true, TRACE_WRITE, TRACE_FUA | TRACE_SYNC},
	    {"FWFSM", true, TRACE_WRITE, TRACE_FUA | TRACE_SYNC | TRACE_META},
	    {"FF", true, TRACE_FLUSH, 0},
	    {"D", true, TRACE_DISCARD, 0},
	    {"DE", true, TRACE_DISCARD, 0},
	    {"N", false, TRACE_READ, 0},
	    {"F", false, TRACE_READ, 0},
	    {"", false, TRACE_READ, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct block_record r = {0};

		assert_int_equal(block_match_letters(&r, cases[i].text, 10), cases[i].known);
		if (!cases[i].known)
			continue;
		assert_int_equal(r.op, cases[i].op);
		assert_int_equal(r.flags, cases[i].flags);
	}
	/* As many letters as the field has room for, without an end. */
	{
		struct block_record r = {0};

		assert_true(block_match_letters(&r, "WSMF", 2));
		assert_int_equal(r.flags, TRACE_SYNC);
	}
}

static void plain(void **state)
{
	struct block_match *m = make();

	(void)state;
	feed(m, BLOCK_ISSUED, 100, "RS", 8, 4096);
	feed(m, BLOCK_ISSUED, 110, "WFS", 80, 8192);
	assert_int_equal(block_match_open(m, 105), 1);
	assert_int_equal(block_match_open(m, 111), 2);
	feed(m, BLOCK_COMPLETED, 150, "WFS", 80, 8192);
	feed(m, BLOCK_COMPLETED, 160, "RS", 8, 4096);
	/* Issued before anybody looked. */
	feed(m, BLOCK_COMPLETED, 170, "W", 800, 4096);
	assert_int_equal(nseen, 2);
	assert_int_equal(seen[0].op, TRACE_WRITE);
	assert_int_equal(seen[0].flags, TRACE_FUA | TRACE_SYNC);
	assert_int_equal(seen[0].begin_ns, 110);
	assert_int_equal(seen[0].latency_ns, 40);
	assert_int_equal(seen[0].offset_bytes, 80 * 512);
	assert_int_equal(seen[0].size_bytes, 8192);
	assert_int_equal(seen[0].depth, 2);
	assert_int_equal(seen[0].owner, 77);
	assert_int_equal(seen[1].latency_ns, 60);
	assert_int_equal(seen[1].depth, 1);
	assert_int_equal(block_match_open(m, UINT64_MAX), 0);
	block_match_free(m);
}

/* A request that ends in pieces is one I/O, that failed when a piece did. */
static void pieces(void **state)
{
	struct block_match *m = make();
	struct block_record r = {.step = BLOCK_COMPLETED,
	                         .at_ns = 20,
	                         .sector = 1000,
	                         .size_bytes = 4096,
	                         .op = TRACE_WRITE,
	                         .failed = true};

	(void)state;
	feed(m, BLOCK_ISSUED, 10, "W", 1000, 12288);
	block_match_feed(m, &r);
	assert_int_equal(nseen, 0);
	feed(m, BLOCK_COMPLETED, 30, "W", 1008, 8192);
	assert_int_equal(nseen, 1);
	assert_int_equal(seen[0].size_bytes, 12288);
	assert_int_equal(seen[0].offset_bytes, 512000);
	assert_int_equal(seen[0].latency_ns, 20);
	assert_int_equal(seen[0].flags, TRACE_FAILED);
	block_match_free(m);
}

static void one_place(void **state)
{
	struct block_match *m = make();

	(void)state;
	feed(m, BLOCK_ISSUED, 10, "R", 64, 4096);
	feed(m, BLOCK_ISSUED, 20, "R", 64, 4096);
	feed(m, BLOCK_ISSUED, 30, "W", 64, 4096);
	feed(m, BLOCK_ISSUED, 40, "R", 64, 8192);
	feed(m, BLOCK_COMPLETED, 50, "R", 64, 8192);
	feed(m, BLOCK_COMPLETED, 60, "R", 64, 4096);
	feed(m, BLOCK_COMPLETED, 70, "W", 64, 4096);
	feed(m, BLOCK_COMPLETED, 80, "R", 64, 4096);
	assert_int_equal(nseen, 4);
	assert_int_equal(seen[0].begin_ns, 40); /* by its size */
	assert_int_equal(seen[1].begin_ns, 10); /* the oldest */
	assert_int_equal(seen[2].begin_ns, 30); /* by its kind */
	assert_int_equal(seen[3].begin_ns, 20);
	block_match_free(m);
}

/* Put back, then issued again together with its neighbour. */
static void requeued(void **state)
{
	struct block_match *m = make();

	(void)state;
	feed(m, BLOCK_ISSUED, 10, "W", 8, 4096);
	feed(m, BLOCK_REQUEUED, 15, "W", 8, 4096);
	assert_int_equal(block_match_open(m, UINT64_MAX), 0);
	feed(m, BLOCK_ISSUED, 30, "W", 8, 8192);
	feed(m, BLOCK_COMPLETED, 50, "W", 8, 8192);
	assert_int_equal(nseen, 1);
	assert_int_equal(seen[0].begin_ns, 30);
	assert_int_equal(seen[0].size_bytes, 8192);
	assert_int_equal(seen[0].depth, 1);
	block_match_free(m);
}

/* The kernel tells one sector at the issue of a flush and another at its end. */
static void flushes(void **state)
{
	struct block_match *m = make();

	(void)state;
	feed(m, BLOCK_ISSUED, 10, "FF", 0, 0);
	feed(m, BLOCK_ISSUED, 12, "FF", 0, 0);
	feed(m, BLOCK_COMPLETED, 30, "FF", UINT64_MAX, 0);
	feed(m, BLOCK_COMPLETED, 35, "FF", UINT64_MAX, 0);
	assert_int_equal(nseen, 2);
	assert_int_equal(seen[0].op, TRACE_FLUSH);
	assert_int_equal(seen[0].begin_ns, 10);
	assert_int_equal(seen[1].begin_ns, 12);
	assert_int_equal(seen[0].offset_bytes, 0);
	block_match_free(m);
}

static void losses(void **state)
{
	struct block_match *m = make();

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		feed(m, BLOCK_ISSUED, 10 + i, "R", 8 * i, 4096);
	assert_int_equal(block_match_forget(m), 10);
	feed(m, BLOCK_COMPLETED, 40, "R", 8, 4096);
	assert_int_equal(nseen, 0);
	feed(m, BLOCK_ISSUED, 50, "R", 8, 4096);
	feed(m, BLOCK_COMPLETED, 60, "R", 8, 4096);
	assert_int_equal(nseen, 1);
	assert_int_equal(seen[0].depth, 1);
	/* Ends that never come do not fill it for ever. */
	for (unsigned i = 0; i < 200000; i++)
		feed(m, BLOCK_ISSUED, 100 + i, "W", 8ull * i, 4096);
	feed(m, BLOCK_COMPLETED, 300000, "W", 8ull * 199999, 4096);
	assert_int_equal(nseen, 2);
	block_match_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(letters),   cmocka_unit_test(plain),    cmocka_unit_test(pieces),
	    cmocka_unit_test(one_place), cmocka_unit_test(requeued), cmocka_unit_test(flushes),
	    cmocka_unit_test(losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
