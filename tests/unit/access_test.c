/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chi2.h"
#include "raw/access.h"

#define MIB (1ull << 20)

static struct io_stream stream(const char *name, enum io_pattern pattern, uint32_t bytes)
{
	struct io_stream s = {.weight = 1,
	                      .read_share = 1,
	                      .read_sizes = {1, {bytes}, {1}},
	                      .write_sizes = {1, {bytes}, {1}},
	                      .pattern = pattern,
	                      .random_read_share = 1,
	                      .random_write_share = 1};

	snprintf(s.name, sizeof(s.name), "%s", name);
	return s;
}

struct fixture {
	struct raw_profile profile;
	struct access_space space;
	struct access *access;
};

static void open_fixture(struct fixture *f, uint64_t target_bytes)
{
	struct err err = ERR_INIT;
	uint8_t index[PROFILE_STREAMS_MAX];

	for (unsigned i = 0; i < f->profile.nstreams; i++)
		index[i] = (uint8_t)i;
	assert_int_equal(access_space_init(&f->space, &f->profile, target_bytes, 512, &err), 0);
	f->access = access_new(&f->space, index, f->profile.nstreams, 7, 0);
	assert_non_null(f->access);
}

static void close_fixture(struct fixture *f)
{
	access_free(f->access);
	access_space_fini(&f->space);
}

static void one_stream(struct fixture *f, const struct io_stream *s, uint64_t target_bytes)
{
	*f = (struct fixture){.profile = {.nstreams = 1, .oio = 1}};
	f->profile.streams[0] = *s;
	open_fixture(f, target_bytes);
}

/* ---- decks ---- */

static void test_deck_is_exact(void **state)
{
	static const double weights[] = {59.6, 12.3, 0, 28.1};
	uint64_t seen[4] = {0};
	struct deck d;
	struct rng r;

	(void)state;
	rng_init(&r, 1, 0, RNG_MIX);
	deck_init(&d, weights, 4);
	for (unsigned i = 1; i <= 1000000; i++) {
		seen[deck_draw(&d, &r)]++;
		if (i % DECK_CARDS != 0)
			continue;
		for (unsigned k = 0; k < 4; k++)
			assert_true(fabs((double)seen[k] - weights[k] / 100 * i) <= 2);
	}
	assert_int_equal(seen[2], 0);
}

/* The order within a deck is random: what follows an item depends on nothing. */
static void test_deck_is_shuffled(void **state)
{
	uint64_t pairs[4] = {0};
	double expected[4];
	unsigned last, n = 200000;
	struct deck d;
	struct rng r;

	(void)state;
	rng_init(&r, 2, 0, RNG_MIX);
	deck_init_share(&d, 0.5);
	last = deck_draw(&d, &r);
	for (unsigned i = 0; i < n; i++) {
		unsigned next = deck_draw(&d, &r);

		pairs[2 * last + next]++;
		last = next;
	}
	/* Without replacement, like follows like a little less often: 63 of 127. */
	for (unsigned k = 0; k < 4; k++)
		expected[k] = n / 2.0 * (k == 0 || k == 3 ? 63.0 / 127 : 64.0 / 127);
	for (unsigned k = 0; k < 4; k++)
		assert_true(fabs((double)pairs[k] - expected[k]) < 0.01 * expected[k]);
}

static void test_deck_of_one(void **state)
{
	static const double weights[] = {0, 3, 0};
	struct deck d;
	struct rng r;

	(void)state;
	rng_init(&r, 1, 0, RNG_MIX);
	deck_init(&d, weights, 3);
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(deck_draw(&d, &r), 1);
	deck_init_share(&d, 0);
	assert_int_equal(deck_draw(&d, &r), 1);
	deck_init_share(&d, 1);
	assert_int_equal(deck_draw(&d, &r), 0);
}

/* ---- shares ---- */

static void test_four_streams_of_a_million(void **state)
{
	static const double weights[4] = {59.6, 12.3, 20, 8.1};
	struct fixture f = {.profile = {.nstreams = 4}};
	uint64_t seen[4] = {0};
	double expected[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		f.profile.streams[i] = stream("s", IO_RANDOM, 4096);
		f.profile.streams[i].weight = weights[i];
		expected[i] = weights[i] * 1e4;
	}
	open_fixture(&f, 64 * MIB);
	for (unsigned i = 0; i < 1000000; i++) {
		struct io_request io;

		access_next(f.access, &io);
		seen[io.stream]++;
	}
	assert_true(chi2_fit(seen, expected, 4) > CHI2_P_MIN);
	for (unsigned i = 0; i < 4; i++)
		assert_true(fabs((double)seen[i] - expected[i]) < DECK_CARDS);
	close_fixture(&f);
}

static void test_directions_and_sizes(void **state)
{
	struct io_stream s = stream("s", IO_RANDOM, 0);
	uint64_t writes = 0, sizes[2][3] = {{0}};
	struct fixture f;

	(void)state;
	s.read_share = 0.9;
	s.read_sizes = (struct io_sizes){2, {4096, 8192}, {0.4, 0.6}};
	s.write_sizes = (struct io_sizes){3, {512, 1024, 65536}, {0.5, 0.3, 0.2}};
	one_stream(&f, &s, 64 * MIB);
	for (unsigned i = 0; i < 1000000; i++) {
		struct io_request io;
		unsigned d, k = 0;

		access_next(f.access, &io);
		d = io.op == IO_WRITE;
		writes += d;
		while ((d ? s.write_sizes : s.read_sizes).bytes[k] != io.bytes)
			k++;
		sizes[d][k]++;
		assert_int_equal(io.offset_bytes % io.bytes, 0);
		assert_true(io.offset_bytes + io.bytes <= 64 * MIB);
	}
	assert_true(fabs((double)writes - 100000) < DECK_CARDS);
	assert_true(fabs((double)sizes[0][0] - 0.4 * 900000) < 2 * DECK_CARDS);
	assert_true(fabs((double)sizes[1][0] - 0.5 * 100000) < 2 * DECK_CARDS);
	assert_true(fabs((double)sizes[1][2] - 0.2 * 100000) < 2 * DECK_CARDS);
	close_fixture(&f);
}

static void test_flush_every(void **state)
{
	struct io_stream s = stream("s", IO_RANDOM, 4096);
	unsigned writes = 0, flushes = 0;
	struct fixture f;

	(void)state;
	s.read_share = 0.5;
	s.flush_every = 7;
	one_stream(&f, &s, MIB);
	for (unsigned i = 0; i < 10000; i++) {
		struct io_request io;

		access_next(f.access, &io);
		writes += io.op == IO_WRITE;
		if (io.op != IO_FLUSH)
			continue;
		flushes++;
		assert_int_equal(io.bytes, 0);
		assert_int_equal(writes, 7 * flushes);
	}
	assert_true(flushes > 600);
	close_fixture(&f);
}

/* ---- addresses ---- */

static void test_random_is_even_within_the_span(void **state)
{
	struct io_stream s = stream("s", IO_RANDOM, 4096);
	uint64_t bins[64] = {0};
	struct fixture f;

	(void)state;
	s.offset.bytes = 3 * MIB;
	s.span = (struct io_extent){.is_share = true, .share = 0.25};
	one_stream(&f, &s, 64 * MIB);
	for (unsigned i = 0; i < 500000; i++) {
		struct io_request io;

		access_next(f.access, &io);
		assert_true(io.offset_bytes >= 3 * MIB && io.offset_bytes + 4096 <= 19 * MIB);
		assert_int_equal((io.offset_bytes - 3 * MIB) % 4096, 0);
		bins[(io.offset_bytes - 3 * MIB) / (MIB / 4)]++;
	}
	assert_true(chi2_fit_even(bins, 64) > CHI2_P_MIN);
	close_fixture(&f);
}

static void test_alignment(void **state)
{
	struct io_stream s = stream("s", IO_RANDOM, 4096);
	bool unaligned = false;
	struct fixture f;

	(void)state;
	s.align_bytes = 512;
	one_stream(&f, &s, MIB);
	for (unsigned i = 0; i < 1000; i++) {
		struct io_request io;

		access_next(f.access, &io);
		assert_int_equal(io.offset_bytes % 512, 0);
		unaligned = unaligned || io.offset_bytes % 4096 != 0;
		assert_true(io.offset_bytes + 4096 <= MIB);
	}
	assert_true(unaligned);
	close_fixture(&f);
}

/* Two workers share one sequence: together they leave nothing out and do nothing twice. */
static void test_sequence_is_shared(void **state)
{
	struct io_stream s = stream("s", IO_SEQUENTIAL, 65536);
	struct fixture f;
	struct access *other;
	uint8_t index[1] = {0};

	(void)state;
	one_stream(&f, &s, MIB + 4096);
	other = access_new(&f.space, index, 1, 7, 1);
	for (unsigned i = 0; i < 40; i++) {
		struct io_request io;

		access_next(i % 3 == 0 ? other : f.access, &io);
		assert_int_equal(io.offset_bytes, i % 16 * 65536);
	}
	access_free(other);
	close_fixture(&f);
}

static void test_part_in_sequence(void **state)
{
	struct io_stream s = stream("s", IO_RANDOM, 4096);
	unsigned in_sequence = 0;
	uint64_t expected = 0;
	struct fixture f;

	(void)state;
	s.random_read_share = 0.7;
	one_stream(&f, &s, 1024 * MIB);
	for (unsigned i = 0; i < 12800; i++) {
		struct io_request io;

		access_next(f.access, &io);
		if (io.offset_bytes != expected)
			continue;
		in_sequence++;
		expected += 4096;
	}
	assert_in_range(in_sequence, 3838, 3845);
	close_fixture(&f);
}

/* The laps of a stride lie beside each other and together touch every block once. */
static void test_stride_covers_all(void **state)
{
	struct io_stream s = stream("s", IO_STRIDED, 4096);
	uint8_t seen[256] = {0};
	uint64_t last = 0;
	struct fixture f;

	(void)state;
	s.stride_bytes = 32768;
	one_stream(&f, &s, MIB);
	for (unsigned i = 0; i < 256; i++) {
		struct io_request io;

		access_next(f.access, &io);
		if (i % 32 != 0)
			assert_int_equal(io.offset_bytes, last + 32768);
		last = io.offset_bytes;
		seen[io.offset_bytes / 4096]++;
	}
	for (unsigned i = 0; i < 256; i++)
		assert_int_equal(seen[i], 1);
	close_fixture(&f);
}

static int descending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x > y ? -1 : x < y;
}

static void test_zipf(void **state)
{
	enum { N = 1000, DRAWS = 1000000 };
	struct io_stream s = stream("s", IO_ZIPFIAN, 4096);
	static uint64_t seen[N];
	static double expected[N];
	uint64_t hottest = 0;
	double sum = 0;
	struct fixture f;

	(void)state;
	s.zipf_exponent = 0.9;
	one_stream(&f, &s, N * 4096);
	memset(seen, 0, sizeof(seen));
	for (unsigned i = 0; i < DRAWS; i++) {
		struct io_request io;

		access_next(f.access, &io);
		seen[io.offset_bytes / 4096]++;
	}
	for (unsigned i = 0; i < N; i++) {
		sum += pow(i + 1, -0.9);
		hottest = seen[i] > seen[hottest] ? i : hottest;
	}
	for (unsigned i = 0; i < N; i++)
		expected[i] = DRAWS * pow(i + 1, -0.9) / sum;
	/* The next ranks are elsewhere. */
	assert_true(seen[(hottest + 1) % N] < seen[hottest] / 2);
	qsort(seen, N, sizeof(seen[0]), descending);
	for (unsigned i = 0; i < 20; i++)
		assert_true(fabs((double)seen[i] - expected[i]) < 0.02 * expected[i]);
	assert_true(seen[N - 1] > 0);
	close_fixture(&f);
}

static void test_bands(void **state)
{
	struct io_stream s = stream("s", IO_BANDS, 4096);
	uint64_t seen[3] = {0}, inside[10] = {0};
	struct fixture f;

	(void)state;
	s.nbands = 3;
	s.bands[0] = (struct io_band){0.05, 0.5};
	s.bands[1] = (struct io_band){0.15, 0.3};
	s.bands[2] = (struct io_band){0.80, 0.2};
	one_stream(&f, &s, 10000 * 4096);
	for (unsigned i = 0; i < 200000; i++) {
		struct io_request io;
		uint64_t block;

		access_next(f.access, &io);
		block = io.offset_bytes / 4096;
		assert_true(block < 10000);
		seen[block < 500 ? 0 : block < 2000 ? 1 : 2]++;
		if (block >= 2000)
			inside[(block - 2000) / 800]++;
	}
	assert_true(fabs((double)seen[0] - 100000) < DECK_CARDS);
	assert_true(fabs((double)seen[1] - 60000) < DECK_CARDS);
	assert_true(chi2_fit_even(inside, 10) > CHI2_P_MIN);
	close_fixture(&f);
}

/* Hot and cold parts in any order: 90 % of the I/O on the parts a. */
static void test_bands_by_map(void **state)
{
	static const char map[] = "babbbbbabb";
	struct io_stream s = stream("s", IO_BANDS, 4096);
	uint64_t seen[10] = {0}, inside[10] = {0};
	struct fixture f;

	(void)state;
	s.nbands = 2;
	s.bands[0] = (struct io_band){0.2, 0.9};
	s.bands[1] = (struct io_band){0.8, 0.1};
	s.nchunks = 10;
	for (unsigned i = 0; i < 10; i++)
		s.map[i] = (uint8_t)(map[i] - 'a');
	one_stream(&f, &s, 10000 * 4096);
	for (unsigned i = 0; i < 200000; i++) {
		struct io_request io;

		access_next(f.access, &io);
		assert_true(io.offset_bytes / 4096 < 10000);
		seen[io.offset_bytes / 4096000]++;
		if (io.offset_bytes / 4096000 == 7)
			inside[io.offset_bytes / 409600 % 10]++;
	}
	assert_true(fabs((double)(seen[1] + seen[7]) - 180000) < DECK_CARDS);
	assert_true(fabs((double)seen[1] - (double)seen[7]) < 2000);
	for (unsigned i = 0; i < 10; i++)
		assert_true(map[i] == 'a' || fabs((double)seen[i] - 2500) < 300);
	assert_true(chi2_fit_even(inside, 10) > CHI2_P_MIN);
	close_fixture(&f);
}

/* Whole pages come back from shares that were made from them, and none is between two. */
static void test_shares_are_whole_pages(void **state)
{
	const uint64_t target = 123457 * 4096ull;

	(void)state;
	for (uint64_t page = 0; page <= 123457; page += 997) {
		struct io_extent e = {.is_share = true, .share = (double)page / 123457};

		assert_int_equal(access_extent_bytes(&e, target, 512), page * 4096);
	}
	assert_int_equal(
	    access_extent_bytes(&(struct io_extent){.is_share = true, .share = 0.5}, 5 * 4096, 512),
	    2 * 4096);
	assert_int_equal(
	    access_extent_bytes(&(struct io_extent){.is_share = true, .share = 0.5}, 5 * 512, 512),
	    2 * 512);
}

static void test_flush_every_part(void **state)
{
	struct io_stream s = stream("s", IO_RANDOM, 4096);
	unsigned flushes = 0, writes = 0;
	struct fixture f;

	(void)state;
	s.read_share = 0;
	s.write_sizes = s.read_sizes;
	s.flush_every = 2.75;
	one_stream(&f, &s, 10000 * 4096);
	while (writes < 27500) {
		struct io_request io;

		access_next(f.access, &io);
		flushes += io.op == IO_FLUSH;
		writes += io.op == IO_WRITE;
	}
	assert_in_range(flushes, 9998, 10000);
	close_fixture(&f);
}

static void test_append_goes_round(void **state)
{
	struct io_stream s = stream("log", IO_RANDOM, 4096);
	struct io_sizes sizes = {1, {12288}, {1}};
	struct access_sizes z;
	struct fixture f;

	(void)state;
	s.offset.bytes = MIB;
	s.span.bytes = 65536;
	one_stream(&f, &s, 2 * MIB);
	access_sizes_init(&z, &f.space, 0, &sizes);
	for (unsigned i = 0; i < 12; i++) {
		struct io_request io;

		access_step(f.access, &z, 0, IO_APPEND, &io);
		assert_int_equal(io.offset_bytes, MIB + i % 5 * 12288);
		assert_int_equal(io.bytes, 12288);
	}
	close_fixture(&f);
}

static void test_same_seed_same_ios(void **state)
{
	struct io_stream s = stream("s", IO_RANDOM, 4096);
	uint8_t index[1] = {0};
	struct access *again, *other;
	unsigned equal = 0;
	struct fixture f;

	(void)state;
	s.read_share = 0.5;
	one_stream(&f, &s, 1024 * MIB);
	again = access_new(&f.space, index, 1, 7, 0);
	other = access_new(&f.space, index, 1, 7, 1);
	for (unsigned i = 0; i < 1000; i++) {
		struct io_request a, b, c;

		access_next(f.access, &a);
		access_next(again, &b);
		access_next(other, &c);
		assert_int_equal(a.offset_bytes, b.offset_bytes);
		assert_int_equal(a.op, b.op);
		equal += a.offset_bytes == c.offset_bytes;
	}
	assert_true(equal < 5);
	access_free(again);
	access_free(other);
	close_fixture(&f);
}

static void test_extents_beyond_the_target(void **state)
{
	struct fixture f = {.profile = {.nstreams = 1}};
	struct err err = ERR_INIT;
	struct io_stream *s = &f.profile.streams[0];

	(void)state;
	*s = stream("s", IO_RANDOM, 4096);
	s->offset.bytes = MIB;
	assert_int_equal(access_space_init(&f.space, &f.profile, MIB, 512, &err), -EINVAL);
	assert_non_null(strstr(err.text, "beyond the target's end"));
	err = ERR_INIT;
	s->offset.bytes = MIB / 2;
	s->span.bytes = MIB;
	assert_int_equal(access_space_init(&f.space, &f.profile, MIB, 512, &err), -EINVAL);
	err = ERR_INIT;
	s->offset.bytes = 0;
	s->span.bytes = 2048;
	assert_int_equal(access_space_init(&f.space, &f.profile, MIB, 512, &err), -EINVAL);
	assert_non_null(strstr(err.text, "shorter than one I/O"));
	err = ERR_INIT;
	f.profile.nstreams = 0;
	assert_int_equal(access_space_init(&f.space, &f.profile, MIB, 512, &err), -EINVAL);
	assert_int_equal(err.status, EXIT_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_deck_is_exact),
	    cmocka_unit_test(test_deck_is_shuffled),
	    cmocka_unit_test(test_deck_of_one),
	    cmocka_unit_test(test_four_streams_of_a_million),
	    cmocka_unit_test(test_directions_and_sizes),
	    cmocka_unit_test(test_flush_every),
	    cmocka_unit_test(test_random_is_even_within_the_span),
	    cmocka_unit_test(test_alignment),
	    cmocka_unit_test(test_sequence_is_shared),
	    cmocka_unit_test(test_part_in_sequence),
	    cmocka_unit_test(test_stride_covers_all),
	    cmocka_unit_test(test_zipf),
	    cmocka_unit_test(test_bands),
	    cmocka_unit_test(test_bands_by_map),
	    cmocka_unit_test(test_shares_are_whole_pages),
	    cmocka_unit_test(test_flush_every_part),
	    cmocka_unit_test(test_append_goes_round),
	    cmocka_unit_test(test_same_seed_same_ios),
	    cmocka_unit_test(test_extents_beyond_the_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
