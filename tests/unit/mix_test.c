/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "run/mix.h"

static void add(struct mix *m, const char *name, double weight, unsigned cards)
{
	struct mix_type t = {.weight = weight, .cards = cards};
	struct err err = ERR_INIT;

	strcpy(t.name, name);
	assert_int_equal(mix_add(m, &t, &err), 0);
}

static void weights_are_shares(void **state)
{
	struct mix m = {0};
	struct mix_deck deck = {0};
	struct err err = ERR_INIT;
	unsigned n[3] = {0};
	struct rng rng;

	(void)state;
	add(&m, "a", 70, 0);
	add(&m, "b", 30, 0);
	add(&m, "never", 0, 0);
	assert_int_equal(mix_seal(&m, &err), 0);
	rng_init(&rng, 1, 0, RNG_MIX);
	for (int i = 0; i < 100000; i++)
		n[mix_pick(&m, &deck, &rng)]++;
	assert_int_equal(n[2], 0);
	/* Four standard deviations. */
	assert_true(fabs(n[0] / 1e5 - 0.7) < 4 * sqrt(0.7 * 0.3 / 1e5));
}

static void decks_are_exact(void **state)
{
	struct mix m = {0};
	struct mix_deck deck;
	struct err err = ERR_INIT;
	unsigned n[2] = {0}, first = 0;
	struct rng rng;

	(void)state;
	add(&m, "a", 0, 10);
	add(&m, "b", 0, 13);
	assert_int_equal(mix_seal(&m, &err), 0);
	assert_int_equal(mix_deck_init(&deck, &m), 0);
	rng_init(&rng, 1, 0, RNG_MIX);
	for (int round = 0; round < 50; round++) {
		for (int i = 0; i < 23; i++) {
			unsigned t = mix_pick(&m, &deck, &rng);

			n[t]++;
			first += i == 0 && t == 0;
		}
		assert_int_equal(n[0], 10 * (round + 1));
		assert_int_equal(n[1], 13 * (round + 1));
	}
	/* Shuffled: not always the same card on top. */
	assert_in_range(first, 5, 45);
	mix_deck_fini(&deck);
}

static void wrong_mixes_are_named(void **state)
{
	struct mix m = {0};
	struct mix_type t = {.name = "x", .weight = NAN};
	struct err err = ERR_INIT;

	(void)state;
	assert_true(mix_seal(&m, &err) < 0);
	assert_non_null(strstr(err.text, "no transaction type"));
	err = ERR_INIT;
	assert_true(mix_add(&m, &t, &err) < 0);
	assert_non_null(strstr(err.text, "'x'"));
	err = ERR_INIT;
	t.weight = 0;
	assert_int_equal(mix_add(&m, &t, &err), 0);
	assert_true(mix_add(&m, &t, &err) < 0);
	assert_non_null(strstr(err.text, "twice"));
	err = ERR_INIT;
	assert_true(mix_seal(&m, &err) < 0);
	assert_non_null(strstr(err.text, "weight above 0"));
}

static void delays_have_their_means(void **state)
{
	const struct delay expo = {.kind = DELAY_EXPONENTIAL, .mean_s = 0.5};
	const struct delay uni = {.kind = DELAY_UNIFORM, .lo_s = 1, .hi_s = 3};
	const struct delay fixed = {.kind = DELAY_FIXED, .mean_s = 0.25};
	double se = 0, su = 0;
	struct rng rng;

	(void)state;
	rng_init(&rng, 3, 0, RNG_THINK);
	for (int i = 0; i < 100000; i++) {
		uint64_t e = delay_draw_ns(&expo, &rng), u = delay_draw_ns(&uni, &rng);

		assert_true(e <= 5000000000u);
		assert_in_range(u, 1000000000u, 3000000000u);
		se += (double)e / 1e9;
		su += (double)u / 1e9;
	}
	assert_true(fabs(se / 1e5 - 0.5) < 0.01);
	assert_true(fabs(su / 1e5 - 2) < 0.01);
	assert_int_equal(delay_draw_ns(&fixed, &rng), 250000000);
	assert_int_equal(delay_draw_ns(&(struct delay){.kind = DELAY_NONE}, &rng), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(weights_are_shares),
	    cmocka_unit_test(decks_are_exact),
	    cmocka_unit_test(wrong_mixes_are_named),
	    cmocka_unit_test(delays_have_their_means),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
