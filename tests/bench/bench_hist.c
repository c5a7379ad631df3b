/* SPDX-License-Identifier: MIT */
/* bench_hist: what measuring costs: ns per recorded value and per clock read. Goal: 10 ns a record.
 */
#include <stdint.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/hist.h"
#include "base/rng.h"

#define VALUES 65536u
#define ROUNDS 10u
#define LOOPS  100u

/* The best of some rounds: the others shared the machine. */
static double record_cost_ns(const struct clock *c, const uint64_t *values, struct hist *h)
{
	uint64_t best_ns = UINT64_MAX;

	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t begin_ns = clock_now_ns(c);
		uint64_t took_ns;

		for (unsigned k = 0; k < LOOPS; k++)
			for (unsigned i = 0; i < VALUES; i++)
				hist_record(h, values[i]);
		took_ns = clock_now_ns(c) - begin_ns;
		if (took_ns < best_ns)
			best_ns = took_ns;
	}
	return (double)best_ns / (VALUES * LOOPS);
}

int main(void)
{
	static uint64_t values[VALUES];
	struct hist *h = hist_new();
	struct clock system, tsc;
	struct rng r;

	if (h == NULL)
		return 1;
	clock_init(&system, CLOCK_KIND_SYSTEM);
	clock_init(&tsc, CLOCK_KIND_TSC);
	rng_init(&r, 1, 0, RNG_KEYS);
	for (unsigned i = 0; i < VALUES; i++)
		values[i] = 250000;
	printf("hist_record, one value:     %6.2f ns\n", record_cost_ns(&tsc, values, h));
	for (unsigned i = 0; i < VALUES; i++)
		values[i] = (uint64_t)rng_exponential(&r, 250000);
	printf("hist_record, exponential:   %6.2f ns\n", record_cost_ns(&tsc, values, h));
	for (unsigned i = 0; i < VALUES; i++)
		values[i] = rng_u64(&r) >> (18 + i % 46);
	printf("hist_record, every counter: %6.2f ns\n", record_cost_ns(&tsc, values, h));
	printf("clock read, %s:         %6.2f ns\n", clock_kind_name(&system),
	       clock_read_cost_ns(&system));
	printf("clock read, %s:            %6.2f ns\n", clock_kind_name(&tsc),
	       clock_read_cost_ns(&tsc));
	printf("clock_sleep_until spins for the last %llu ns\n", (unsigned long long)tsc.slack_ns);
	hist_free(h);
	return 0;
}
