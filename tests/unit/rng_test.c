/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "chi2.h"

#define assert_fits(p) assert_true((p) > CHI2_P_MIN)

/* The first outputs from the state 1, 2, 3, 4, as the authors' code gives them. */
static void test_known_sequence(void **state)
{
	static const uint64_t want[] = {41943041ull,
	                                58720359ull,
	                                3588806011781223ull,
	                                3591011842654386ull,
	                                9228616714210784205ull,
	                                9973669472204895162ull,
	                                14011001112246962877ull,
	                                12406186145184390807ull,
	                                15849039046786891736ull,
	                                10450023813501588000ull};
	struct rng r = {{1, 2, 3, 4}};

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		assert_int_equal(rng_u64(&r), want[i]);
}

static void test_same_stream_again(void **state)
{
	struct rng a, b;

	(void)state;
	rng_init(&a, 42, 7, RNG_KEYS);
	rng_init(&b, 42, 7, RNG_KEYS);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(rng_u64(&a), rng_u64(&b));
}

struct stream {
	uint64_t seed, owner;
	enum rng_use use;
};

/* Neither the numbers nor their bits may have anything in common. */
static void check_unrelated(struct stream x, struct stream y)
{
	const unsigned n = 50000;
	struct rng a, b;
	double sum = 0;
	double bits = 0;

	rng_init(&a, x.seed, x.owner, x.use);
	rng_init(&b, y.seed, y.owner, y.use);
	for (unsigned i = 0; i < n; i++) {
		uint64_t u = rng_u64(&a);
		uint64_t v = rng_u64(&b);

		sum += ((double)u * 0x1p-64 - 0.5) * ((double)v * 0x1p-64 - 0.5);
		bits += __builtin_popcountll(u ^ v);
	}
	/* Standard deviations: (1/12) sqrt(n) of the sum, 4 sqrt(n) of the bits. Five of them. */
	assert_true(fabs(sum) < 5.0 / 12 * sqrt(n));
	assert_true(fabs(bits - 32.0 * n) < 5 * 4 * sqrt(n));
}

static void test_streams_unrelated(void **state)
{
	static const struct stream s[] = {
	    {0, 0, RNG_KEYS},          {1, 0, RNG_KEYS},          {2, 0, RNG_KEYS},
	    {0, 1, RNG_KEYS},          {0, 2, RNG_KEYS},          {1, 1, RNG_KEYS},
	    {0, 0, RNG_STRINGS},       {0, 0, RNG_MIX},           {0, 1, RNG_STRINGS},
	    {1, 0, RNG_STRINGS},       {1ull << 63, 0, RNG_KEYS}, {0, 1ull << 63, RNG_KEYS},
	    {UINT64_MAX, 0, RNG_KEYS}, {0, UINT64_MAX, RNG_KEYS}, {0, 0, RNG_SCRIPT},
	};
	const unsigned n = sizeof(s) / sizeof(s[0]);

	(void)state;
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = i + 1; k < n; k++)
			check_unrelated(s[i], s[k]);
}

/* The first number of consecutive owners is as random as consecutive numbers of one stream. */
static void test_owners_spread(void **state)
{
	uint64_t high[256] = {0};
	uint64_t low[256] = {0};
	uint64_t step[256] = {0};
	uint64_t last = 0;

	(void)state;
	for (uint64_t owner = 0; owner < 100000; owner++) {
		struct rng r;
		uint64_t u;

		rng_init(&r, 1, owner, RNG_ROWS);
		u = rng_u64(&r);
		high[u >> 56]++;
		low[u & 255]++;
		step[(u - last) >> 56]++;
		last = u;
	}
	assert_fits(chi2_fit_even(high, 256));
	assert_fits(chi2_fit_even(low, 256));
	assert_fits(chi2_fit_even(step, 256));
}

static void test_double(void **state)
{
	uint64_t seen[1000] = {0};
	struct rng r;

	(void)state;
	rng_init(&r, 3, 0, RNG_KEYS);
	for (unsigned i = 0; i < 300000; i++) {
		double u = rng_double(&r);

		assert_true(u >= 0 && u < 1);
		seen[(unsigned)(u * 1000)]++;
	}
	assert_fits(chi2_fit_even(seen, 1000));
}

static void test_below(void **state)
{
	/* The last one shows the bias of a modulo: a third of its values would come twice as often.
	 */
	static const uint64_t ns[] = {1, 2, 3, 10, 1000, 1ull << 40, 3ull << 62};
	struct rng r;

	(void)state;
	rng_init(&r, 4, 0, RNG_KEYS);
	for (size_t k = 0; k < sizeof(ns) / sizeof(ns[0]); k++) {
		uint64_t seen[1000] = {0};
		unsigned bins = ns[k] < 1000 ? (unsigned)ns[k] : 1000;

		for (unsigned i = 0; i < 200000; i++) {
			uint64_t v = rng_below(&r, ns[k]);

			assert_true(v < ns[k]);
			seen[(unsigned)((unsigned __int128)v * bins / ns[k])]++;
		}
		if (bins > 1)
			assert_fits(chi2_fit_even(seen, bins));
	}
}

static void test_below_full_range(void **state)
{
	uint64_t seen[256] = {0};
	struct rng r;

	(void)state;
	rng_init(&r, 5, 0, RNG_KEYS);
	for (unsigned i = 0; i < 100000; i++)
		seen[rng_below(&r, 0) >> 56]++;
	assert_fits(chi2_fit_even(seen, 256));
}

static void test_exponential(void **state)
{
	const double mean = 250;
	uint64_t seen[200] = {0};
	struct rng r;

	(void)state;
	rng_init(&r, 6, 0, RNG_THINK);
	for (unsigned i = 0; i < 200000; i++) {
		double v = rng_exponential(&r, mean);

		assert_true(v >= 0 && isfinite(v));
		/* The distribution function makes it uniform. */
		seen[(unsigned)(-expm1(-v / mean) * 200)]++;
		assert_false(signbit(rng_exponential(&r, 0)));
	}
	assert_fits(chi2_fit_even(seen, 200));
}

/* All lengths: what stands for itself stays, the rest is of its kind, nothing else is written. */
static void test_template_shape(void **state)
{
	static const char pattern[] = "##-@@ #@x@#abc@@@@@@####\t@#?#";
	char fmt[100];
	struct rng r;

	(void)state;
	rng_init(&r, 7, 0, RNG_STRINGS);
	for (size_t i = 0; i < sizeof(fmt); i++)
		fmt[i] = pattern[i % (sizeof(pattern) - 1)];
	for (size_t len = 0; len <= sizeof(fmt); len++) {
		char out[sizeof(fmt) + 32];
		/* Its own memory, so that a sanitizer sees a read behind the end. */
		char *exact = malloc(len + 1);

		assert_non_null(exact);
		memcpy(exact, fmt, len);
		exact = realloc(exact, len != 0 ? len : 1);
		memset(out, '!', sizeof(out));
		rng_template(&r, exact, out + 16, len);
		free(exact);
		for (size_t i = 0; i < len; i++) {
			char c = out[16 + i];

			if (fmt[i] == '#')
				assert_in_range(c, '0', '9');
			else if (fmt[i] == '@')
				assert_in_range(c, 'a', 'z');
			else
				assert_int_equal(c, fmt[i]);
		}
		for (size_t i = 0; i < 16; i++)
			assert_true(out[i] == '!' && out[16 + len + i] == '!');
	}
}

/* Each character, and each pair of neighbours, is even over its choices. */
static void check_template_even(const char *fmt, unsigned rounds)
{
	static uint64_t single[64][26];
	static uint64_t pair[64][26 * 26];
	const size_t len = strlen(fmt);
	char out[64];
	struct rng r;

	memset(single, 0, sizeof(single));
	memset(pair, 0, sizeof(pair));
	rng_init(&r, 8, 0, RNG_STRINGS);
	for (unsigned k = 0; k < rounds; k++) {
		unsigned before = 0;

		rng_template(&r, fmt, out, len);
		for (size_t i = 0; i < len; i++) {
			unsigned n = fmt[i] == '#' ? 10 : 26;
			unsigned v = (unsigned)(out[i] - (fmt[i] == '#' ? '0' : 'a'));

			single[i][v]++;
			if (i > 0)
				pair[i][before * n + v]++;
			before = v;
		}
	}
	for (size_t i = 0; i < len; i++) {
		unsigned n = fmt[i] == '#' ? 10 : 26;
		unsigned m = i > 0 && fmt[i - 1] == '#' ? 10 : 26;

		assert_fits(chi2_fit_even(single[i], n));
		if (i > 0)
			assert_fits(chi2_fit_even(pair[i], n * m));
	}
}

static void test_template_even(void **state)
{
	(void)state;
	check_template_even("####################", 100000);
	check_template_even("@@@@@@@@@@@@@@@@@@@@", 100000);
	check_template_even("#@##@@#@#@@@###@@#@#", 100000);
	check_template_even("###", 100000);
}

/*
 * Two characters come from 16 bits, of which some must be thrown away for evenness: too few show
 * only in many draws (1 of 655 for digits, 1 of 97 for letters).
 */
static void check_template_exact(char kind, char base, unsigned n, unsigned rounds)
{
	static uint64_t pair[26 * 26];
	char fmt[128];
	char out[128];
	struct rng r;

	memset(pair, 0, sizeof(pair));
	memset(fmt, kind, sizeof(fmt));
	rng_init(&r, 10, 0, RNG_STRINGS);
	for (unsigned k = 0; k < rounds; k++) {
		rng_template(&r, fmt, out, sizeof(out));
		for (size_t i = 0; i < sizeof(out); i += 2)
			pair[(unsigned)(out[i] - base) * n + (unsigned)(out[i + 1] - base)]++;
	}
	assert_fits(chi2_fit_even(pair, n * n));
}

static void test_template_exact(void **state)
{
	(void)state;
	check_template_exact('#', '0', 10, 3000000);
	check_template_exact('@', 'a', 26, 1000000);
}

/* Two characters of different rounds and places have nothing in common either. */
static void test_template_rounds(void **state)
{
	uint64_t seen[100] = {0};
	char last = '0';
	char out[16];
	struct rng r;

	(void)state;
	rng_init(&r, 9, 0, RNG_STRINGS);
	for (unsigned k = 0; k < 100000; k++) {
		rng_template(&r, "################", out, 16);
		seen[(out[0] - '0') * 10 + (last - '0')]++;
		last = out[15];
	}
	assert_fits(chi2_fit_even(seen, 100));
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* 2^20 numbers k = i * stride: a function that is no bijection would repeat itself some 128 times.
 */
static void check_distinct(uint64_t seed, uint32_t stride)
{
	const uint32_t n = 1u << 20;
	uint32_t *values = malloc(n * sizeof(values[0]));
	uint64_t top[256] = {0};

	assert_non_null(values);
	for (uint32_t i = 0; i < n; i++) {
		values[i] = rng_permute32(seed, i * stride);
		top[values[i] >> 24]++;
	}
	qsort(values, n, sizeof(values[0]), compare_u32);
	for (uint32_t i = 1; i < n; i++)
		assert_true(values[i - 1] != values[i]);
	/* Drawn without replacement, so that it is evener than chance, never less even. */
	assert_fits(chi2_fit_even(top, 256));
	free(values);
}

static void test_permute_distinct(void **state)
{
	static const uint64_t seeds[] = {0, 1, 12345678901234567ull, UINT64_MAX};
	static const uint32_t strides[] = {1, 1u << 12, 4095, 0x9e3779b1u};

	(void)state;
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		for (size_t k = 0; k < sizeof(strides) / sizeof(strides[0]); k++)
			check_distinct(seeds[i], strides[k]);
}

/* Inputs that differ in one bit never meet, and differ in half of the output's bits. */
static void test_permute_avalanche(void **state)
{
	const unsigned n = 20000;

	(void)state;
	for (unsigned bit = 0; bit < 32; bit++) {
		double flipped = 0;

		for (uint32_t k = 0; k < n; k++) {
			uint32_t x = rng_permute32(99, k * 2654435761u);
			uint32_t y = rng_permute32(99, k * 2654435761u ^ 1u << bit);

			assert_true(x != y);
			flipped += __builtin_popcount(x ^ y);
		}
		assert_true(fabs(flipped / n - 16) < 0.5);
	}
}

static void test_permute_seeds_differ(void **state)
{
	unsigned equal = 0;

	(void)state;
	for (uint32_t k = 0; k < 100000; k++)
		equal += rng_permute32(1, k) == rng_permute32(2, k);
	assert_true(equal < 5);
}

/* Of ranges small and large, each number once, and in an order that chance could have made. */
static void test_permute_below_is_whole(void **state)
{
	static const uint64_t sizes[] = {1, 2, 3, 10, 255, 256, 257, 1000, 65537};
	static bool seen[65537];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t n = sizes[i], fixed = 0, rising = 0, last = 0;

		memset(seen, 0, sizeof(seen));
		for (uint64_t k = 0; k < n; k++) {
			uint64_t v = rng_permute_below(42, k, n);

			assert_true(v < n && !seen[v]);
			seen[v] = true;
			fixed += v == k;
			rising += v > last;
			last = v;
		}
		if (n < 1000)
			continue;
		assert_true(fixed < 10);
		assert_true(fabs((double)rising / (double)n - 0.5) < 0.06);
	}
	for (uint64_t k = 0; k < 1000; k++)
		assert_true(rng_permute_below(7, k, 1ull << 32) < 1ull << 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_known_sequence),
	    cmocka_unit_test(test_same_stream_again),
	    cmocka_unit_test(test_streams_unrelated),
	    cmocka_unit_test(test_owners_spread),
	    cmocka_unit_test(test_double),
	    cmocka_unit_test(test_below),
	    cmocka_unit_test(test_below_full_range),
	    cmocka_unit_test(test_exponential),
	    cmocka_unit_test(test_template_shape),
	    cmocka_unit_test(test_template_even),
	    cmocka_unit_test(test_template_exact),
	    cmocka_unit_test(test_template_rounds),
	    cmocka_unit_test(test_permute_distinct),
	    cmocka_unit_test(test_permute_avalanche),
	    cmocka_unit_test(test_permute_seeds_differ),
	    cmocka_unit_test(test_permute_below_is_whole),
	};

	return cmocka_run_group_tests_name("rng", tests, NULL, NULL);
}
