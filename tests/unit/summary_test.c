/* SPDX-License-Identifier: MIT */
/* summary: figures of traces made by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/summary.h"

static struct trace_event events[2000];
static struct trace trace;
static struct captured_io io;

static void begin(enum trace_source source)
{
	trace = (struct trace){
	    .head = {.source = source, .begin_ns = 0, .end_ns = 1000, .nfiles = 2, .ntypes = 1},
	    .events = events};
}

static struct trace_event *add(enum trace_op op, uint64_t begin_ns, uint64_t latency_ns)
{
	struct trace_event *e = &events[trace.nevents++];

	*e = (struct trace_event){
	    .op = (uint8_t)op, .begin_ns = begin_ns, .latency_ns = latency_ns, .depth = 1};
	return e;
}

static struct trace_event *add_io(enum trace_op op, uint64_t begin_ns, uint64_t latency_ns,
                                  uint16_t file, uint64_t offset_bytes, uint32_t size_bytes)
{
	struct trace_event *e = add(op, begin_ns, latency_ns);

	e->file = file;
	e->offset_bytes = offset_bytes;
	e->size_bytes = size_bytes;
	return e;
}

static const struct captured_cell *cell(enum captured_op op, uint32_t size_bytes, bool sequential)
{
	for (unsigned i = 0; i < io.ncells; i++) {
		const struct captured_cell *c = &io.cells[i];

		if (c->op == op && c->size_bytes == size_bytes && c->sequential == sequential)
			return c;
	}
	return NULL;
}

static void counts(void **state)
{
	(void)state;
	begin(TRACE_SOURCE_BLOCK);
	add_io(TRACE_READ, 10, 100, 0, 4096, 4096);
	add_io(TRACE_READ, 20, 300, 0, 8192, 4096)->depth = 2;
	add_io(TRACE_READ, 30, 5, 0, 12288, 4096)->flags = TRACE_CACHED;
	add_io(TRACE_WRITE, 40, 50, 0, 8192, 8192)->flags = TRACE_FUA;
	add_io(TRACE_WRITE, 45, 50, 1, 16384, 8192)->flags = TRACE_FAILED;
	add_io(TRACE_FLUSH, 60, 500, 0, 0, 0);
	add_io(TRACE_DISCARD, 70, 0, 0, 0, 65536);
	assert_int_equal(summary_make(&io, &trace), 0);
	assert_int_equal(io.counts[CAPTURED_READ], 2);
	assert_int_equal(io.bytes[CAPTURED_READ], 8192);
	assert_int_equal(io.cached_reads, 1);
	assert_int_equal(io.counts[CAPTURED_WRITE], 2);
	assert_int_equal(io.fua_writes, 1);
	assert_int_equal(io.failed, 1);
	assert_int_equal(io.counts[CAPTURED_FLUSH], 1);
	assert_int_equal(io.bytes[CAPTURED_DISCARD], 65536);
	assert_int_equal(hist_count(io.latency[CAPTURED_READ]), 2);
	assert_int_equal(io.latency[CAPTURED_READ]->max_ns, 300);
	assert_true(fabs(io.outstanding_mean - 1.0) < 1e-9); /* 1000 ns of latency in 1000 ns */
	assert_int_equal(io.outstanding_p99, 2);
	assert_false(io.has_commit);
	/* The second read goes on where the first ended; the write at that place does not. */
	assert_int_equal(cell(CAPTURED_READ, 4096, false)->count, 1);
	assert_int_equal(cell(CAPTURED_READ, 4096, true)->count, 1);
	assert_int_equal(cell(CAPTURED_WRITE, 8192, false)->count, 2);
	assert_null(cell(CAPTURED_WRITE, 8192, true));
	summary_fini(&io);
}

/* 30 sequential streams side by side are seen as such. */
static void streams(void **state)
{
	(void)state;
	begin(TRACE_SOURCE_BLOCK);
	for (unsigned i = 0; i < 10; i++) {
		for (unsigned s = 0; s < 30; s++)
			add_io(TRACE_READ, trace.nevents, 1, 0, (s + 1ull) * 1000000 + i * 4096,
			       4096);
	}
	assert_int_equal(summary_make(&io, &trace), 0);
	assert_int_equal(cell(CAPTURED_READ, 4096, false)->count, 30);
	assert_int_equal(cell(CAPTURED_READ, 4096, true)->count, 270);
	summary_fini(&io);
}

static void many_sizes(void **state)
{
	uint64_t sum = 0;

	(void)state;
	begin(TRACE_SOURCE_VFS);
	for (unsigned i = 0; i < 1000; i++)
		add_io(TRACE_WRITE, i, 1, 0, 1000000ull * (i + 1), i + 1);
	assert_int_equal(summary_make(&io, &trace), 0);
	assert_true(io.rounded);
	assert_int_equal(io.ncells, 11); /* 1, 2, 4 ... 1024 */
	for (unsigned i = 0; i < io.ncells; i++) {
		assert_int_equal(io.cells[i].size_bytes, 1u << i);
		sum += io.cells[i].count;
	}
	assert_int_equal(sum, 1000);
	assert_int_equal(cell(CAPTURED_WRITE, 4, false)->bytes, 3 + 4);
	summary_fini(&io);
}

/* Two clients: what lies in a client's transaction counts for its time, cut at its ends. */
static void commit(void **state)
{
	struct trace_event *e;

	(void)state;
	begin(TRACE_SOURCE_VFS);
	add(TRACE_TXN, 0, 100);
	add_io(TRACE_READ, 10, 20, 0, 0, 4096);
	add_io(TRACE_WRITE, 35, 5, 1, 0, 4096); /* into the page cache */
	add(TRACE_TXN, 50, 100)->owner = 1;
	add_io(TRACE_FLUSH, 60, 30, 1, 0, 0);
	add_io(TRACE_READ, 95, 4, 0, 0, 4096)->flags = TRACE_CACHED;
	e = add_io(TRACE_FLUSH, 110, 1000, 1, 0, 0); /* ends long after its transaction */
	e->owner = 1;
	add_io(TRACE_FLUSH, 170, 7, 1, 0, 0); /* between transactions */
	e = add(TRACE_TXN, 180, 200);
	e->flags = TRACE_FAILED;
	add_io(TRACE_FLUSH, 190, 9, 1, 0, 0)->owner = 5; /* nobody's */
	assert_int_equal(summary_make(&io, &trace), 0);
	assert_int_equal(io.transactions, 2);
	assert_true(io.has_commit);
	assert_true(fabs(io.flush_share - (30 + 40) / 400.0) < 1e-9);
	assert_true(fabs(io.device_share - (20 + 30 + 40) / 400.0) < 1e-9);
	summary_fini(&io);
}

static void empty(void **state)
{
	(void)state;
	begin(TRACE_SOURCE_VFS);
	assert_int_equal(summary_make(&io, &trace), 0);
	assert_int_equal(io.ncells, 0);
	assert_int_equal(io.outstanding_p99, 0);
	assert_int_equal(io.transactions, 0);
	assert_false(io.has_commit);
	summary_fini(&io);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(counts), cmocka_unit_test(streams), cmocka_unit_test(many_sizes),
	    cmocka_unit_test(commit), cmocka_unit_test(empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
