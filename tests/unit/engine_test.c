/* SPDX-License-Identifier: MIT */
/* Every engine against the contract: data arrives where it was sent, errors come back as errors. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "raw/engine.h"
#include "raw/timers.h"

#define DEPTH      16u
#define SLOT_BYTES 8192u
#define FILE_BYTES (1u << 20)

struct bench {
	char path[64];
	struct raw_target target;
	struct clock clock;
	struct engine engine;
	struct err err;
};

static void bench_open(struct bench *b, const struct engine_ops *ops, unsigned depth, int flags)
{
	memset(b, 0, sizeof(*b));
	snprintf(b->path, sizeof(b->path), "/tmp/ioltp-engine.XXXXXX");
	b->target.fd = mkstemp(b->path);
	assert_true(b->target.fd >= 0);
	assert_int_equal(ftruncate(b->target.fd, FILE_BYTES), 0);
	if (flags != O_RDWR) {
		close(b->target.fd);
		b->target.fd = open(b->path, flags);
	}
	clock_init(&b->clock, CLOCK_KIND_SYSTEM);
	b->engine.ops = ops;
	b->engine.config = (struct engine_config){
	    .target = &b->target, .clock = &b->clock, .depth = depth, .slot_bytes = SLOT_BYTES};
	b->engine.config.buffers = mmap(NULL, (size_t)depth * SLOT_BYTES, PROT_READ | PROT_WRITE,
	                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(ops->open(&b->engine, &b->err), 0);
}

static void bench_close(struct bench *b)
{
	b->engine.ops->close(&b->engine);
	munmap(b->engine.config.buffers, (size_t)b->engine.config.depth * SLOT_BYTES);
	close(b->target.fd);
	unlink(b->path);
}

/* Waits for n I/Os; results by slot. */
static void finish(struct bench *b, unsigned n, int32_t *results)
{
	struct engine_done done[DEPTH];

	while (n != 0) {
		unsigned got;

		assert_int_equal(b->engine.ops->submit(&b->engine, UINT64_MAX), 0);
		while ((got = b->engine.ops->reap(&b->engine, done, 3)) != 0) {
			assert_true(got <= n);
			for (unsigned i = 0; i < got; i++)
				results[done[i].slot] = done[i].result;
			n -= got;
		}
	}
}

static int32_t one(struct bench *b, struct io_request io)
{
	int32_t results[DEPTH] = {0};

	b->engine.ops->queue(&b->engine, 0, &io);
	finish(b, 1, results);
	return results[0];
}

static const struct engine_ops *const real[] = {
#ifdef HAVE_LIBURING
    &engine_uring,
#endif
    &engine_sync,
};

#define NREAL (sizeof(real) / sizeof(real[0]))

static void test_contracts(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	for (unsigned i = 0; engine_all()[i] != NULL; i++) {
		assert_true(engine_valid(engine_all()[i]));
		assert_ptr_equal(engine_find(engine_all()[i]->name, &err), engine_all()[i]);
	}
	assert_null(engine_find("spdk", &err));
	assert_int_equal(err.status, EXIT_USAGE);
	assert_non_null(strstr(err.text, "sync"));
}

static void test_data_arrives(void **state)
{
	(void)state;
	for (unsigned e = 0; e < NREAL; e++) {
		int32_t results[DEPTH];
		uint8_t *all = malloc(FILE_BYTES);
		struct bench b;

		bench_open(&b, real[e], DEPTH, O_RDWR);
		for (unsigned i = 0; i < DEPTH; i++) {
			struct io_request io = {(uint64_t)i * SLOT_BYTES, SLOT_BYTES,
			                        i % 2 != 0 ? IO_WRITE : IO_WRITE_FUA, 0};

			memset(engine_buffer(&b.engine, i), (int)('a' + i), SLOT_BYTES);
			b.engine.ops->queue(&b.engine, i, &io);
		}
		finish(&b, DEPTH, results);
		for (unsigned i = 0; i < DEPTH; i++)
			assert_int_equal(results[i], SLOT_BYTES);
		assert_int_equal(one(&b, (struct io_request){.op = IO_FLUSH}), 0);
		assert_int_equal(pread(b.target.fd, all, FILE_BYTES, 0), FILE_BYTES);
		for (unsigned i = 0; i < DEPTH * SLOT_BYTES; i++)
			assert_int_equal(all[i], 'a' + i / SLOT_BYTES);
		/* Back, in another order and another size. */
		for (unsigned i = 0; i < DEPTH; i++) {
			struct io_request io = {(uint64_t)(DEPTH - 1 - i) * SLOT_BYTES + 4096, 4096,
			                        IO_READ, 0};

			b.engine.ops->queue(&b.engine, i, &io);
		}
		finish(&b, DEPTH, results);
		for (unsigned i = 0; i < DEPTH; i++) {
			assert_int_equal(results[i], 4096);
			assert_int_equal(engine_buffer(&b.engine, i)[4095], 'a' + DEPTH - 1 - i);
		}
		bench_close(&b);
		free(all);
	}
}

static void test_errors_come_back(void **state)
{
	(void)state;
	for (unsigned e = 0; e < NREAL; e++) {
		for (unsigned depth = 1; depth <= DEPTH; depth += DEPTH - 1) {
			struct bench b;

			bench_open(&b, real[e], depth, O_RDONLY);
			assert_int_equal(one(&b, (struct io_request){0, 4096, IO_WRITE, 0}),
			                 -EBADF);
			/* Short at the end, nothing beyond it. */
			assert_int_equal(
			    one(&b, (struct io_request){FILE_BYTES - 512, 4096, IO_READ, 0}), 512);
			assert_int_equal(one(&b, (struct io_request){FILE_BYTES, 4096, IO_READ, 0}),
			                 0);
			assert_int_equal(one(&b, (struct io_request){0, 4096, IO_READ, 0}), 4096);
			bench_close(&b);
		}
	}
}

/* A wait without anything in flight ends at its time, not before and not never. */
static void test_waits(void **state)
{
	(void)state;
	for (unsigned e = 0; engine_all()[e] != NULL; e++) {
		struct engine_done done;
		uint64_t until_ns;
		struct bench b;

		if (strcmp(engine_all()[e]->name, "uring_cmd") == 0)
			continue;
		bench_open(&b, engine_all()[e], 4, O_RDWR);
		until_ns = clock_now_ns(&b.clock) + 20000000;
		while (clock_now_ns(&b.clock) < until_ns) {
			assert_int_equal(b.engine.ops->submit(&b.engine, until_ns), 0);
			assert_int_equal(b.engine.ops->reap(&b.engine, &done, 1), 0);
		}
		assert_int_equal(b.engine.ops->submit(&b.engine, 0), 0);
		bench_close(&b);
	}
}

/* A ring goes round many times its size. */
static void test_many(void **state)
{
	(void)state;
	for (unsigned e = 0; engine_all()[e] != NULL; e++) {
		unsigned total = 0, queued = 0;
		struct bench b;

		if (strcmp(engine_all()[e]->name, "uring_cmd") == 0)
			continue;
		bench_open(&b, engine_all()[e], 5, O_RDWR);
		for (; queued < 5; queued++)
			b.engine.ops->queue(&b.engine, queued,
			                    &(struct io_request){0, 512, IO_READ, 0});
		while (total < 3000) {
			struct engine_done done[5];
			unsigned n;

			assert_int_equal(b.engine.ops->submit(&b.engine, UINT64_MAX), 0);
			n = b.engine.ops->reap(&b.engine, done, 5);
			for (unsigned i = 0; i < n; i++) {
				assert_true(done[i].slot < 5);
				assert_int_equal(done[i].result, 512);
				total++;
				if (queued++ < 3000)
					b.engine.ops->queue(
					    &b.engine, done[i].slot,
					    &(struct io_request){512ull * (total % 2000), 512,
					                         IO_READ, 0});
			}
		}
		assert_int_equal(total, 3000);
		bench_close(&b);
	}
}

/* The modelled delay: nothing is done before its time, and the shorter come first. */
static void test_null_delays(void **state)
{
	struct engine_done done[4];
	uint64_t began_ns;
	struct bench b;
	unsigned n = 0;

	(void)state;
	bench_open(&b, &engine_null, 4, O_RDWR);
	b.engine.config.latency =
	    (struct delay){.kind = DELAY_UNIFORM, .lo_s = 0.005, .hi_s = 0.02};
	began_ns = clock_now_ns(&b.clock);
	for (unsigned i = 0; i < 4; i++)
		b.engine.ops->queue(&b.engine, i, &(struct io_request){0, 512, IO_READ, 0});
	assert_int_equal(b.engine.ops->submit(&b.engine, 0), 0);
	while (n < 4) {
		unsigned got = b.engine.ops->reap(&b.engine, done, 4);

		if (got != 0)
			assert_true(clock_now_ns(&b.clock) - began_ns >= 5000000);
		n += got;
		assert_int_equal(b.engine.ops->submit(&b.engine, UINT64_MAX), 0);
		if (n == 4)
			break;
	}
	bench_close(&b);
}

static void test_describe(void **state)
{
	(void)state;
	for (unsigned e = 0; e < NREAL; e++) {
		struct strbuf text = STRBUF_INIT;
		struct bench b;

		bench_open(&b, real[e], DEPTH, O_RDWR);
		real[e]->describe(&b.engine, &text);
		assert_true(text.len > 5);
		strbuf_fini(&text);
		bench_close(&b);
	}
}

static void test_checks(void **state)
{
	struct raw_target block = {.path = "/dev/x"};
	struct raw_target generic = {.path = "/dev/ng0n1", .is_nvme_generic = true};

	(void)state;
	for (unsigned i = 0; engine_all()[i] != NULL; i++) {
		const struct engine_ops *ops = engine_all()[i];
		bool commands = strcmp(ops->name, "uring_cmd") == 0;
		struct engine_config c = {.target = &block};
		struct err err = ERR_INIT;

		if (ops->check == NULL)
			continue;
		assert_int_equal(ops->check(&c, &err), commands ? -EINVAL : 0);
		err = ERR_INIT;
		c.target = &generic;
		assert_int_equal(ops->check(&c, &err), commands ? 0 : -EINVAL);
	}
}

/* ---- timers ---- */

static void test_timers(void **state)
{
	struct timers t;
	struct rng r;
	uint64_t last = 0;
	uint32_t id;

	(void)state;
	rng_init(&r, 1, 0, RNG_KEYS);
	assert_int_equal(timers_init(&t, 1000), 0);
	assert_true(timers_next_ns(&t) == UINT64_MAX);
	for (uint32_t i = 0; i < 1000; i++)
		timers_add(&t, 1 + rng_below(&r, 500), i);
	assert_false(timers_take(&t, 0, &id));
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t next = timers_next_ns(&t);

		assert_true(next >= last);
		assert_false(timers_take(&t, next - 1, &id));
		assert_true(timers_take(&t, next, &id));
		last = next;
	}
	assert_false(timers_take(&t, UINT64_MAX, &id));
	timers_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_contracts),
	    cmocka_unit_test(test_data_arrives),
	    cmocka_unit_test(test_errors_come_back),
	    cmocka_unit_test(test_waits),
	    cmocka_unit_test(test_many),
	    cmocka_unit_test(test_null_delays),
	    cmocka_unit_test(test_describe),
	    cmocka_unit_test(test_checks),
	    cmocka_unit_test(test_timers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
