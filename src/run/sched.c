/* SPDX-License-Identifier: MIT */
#include "run/sched.h"

void sched_init(struct sched *s, enum sched_process process, double rate_per_s, uint64_t seed,
                uint64_t origin_ns)
{
	*s = (struct sched){.process = process, .origin_ns = origin_ns, .limit = UINT64_MAX};
	atomic_flag_clear(&s->busy);
	if (process != SCHED_CLOSED)
		s->gap_ns = 1e9 / rate_per_s;
	rng_init(&s->rng, seed, 0, RNG_ARRIVALS);
}

static uint64_t draw(struct sched *s)
{
	if (s->process == SCHED_FIXED) {
		/* From the count, not by adding gaps: rounding must not add up over hours. */
		s->offset_ns = (double)s->drawn * s->gap_ns;
	} else {
		s->offset_ns += rng_exponential(&s->rng, s->gap_ns);
	}
	s->drawn++;
	return s->origin_ns + (uint64_t)s->offset_ns;
}

uint64_t sched_next(struct sched *s)
{
	uint64_t when = UINT64_MAX;

	/* A spin lock: the draw takes a few ns, and a sleeping lock would cost more than it. */
	while (atomic_flag_test_and_set_explicit(&s->busy, memory_order_acquire))
		;
	if (s->drawn < s->limit)
		when = draw(s);
	atomic_flag_clear_explicit(&s->busy, memory_order_release);
	return when;
}

uint64_t sched_count_until(struct sched *s, uint64_t until_ns)
{
	/* The last arrival drawn may lie beyond: it is not counted until its time comes. */
	while (s->drawn < s->limit &&
	       (s->drawn == 0 || s->origin_ns + (uint64_t)s->offset_ns < until_ns))
		draw(s);
	if (s->drawn != 0 && s->origin_ns + (uint64_t)s->offset_ns >= until_ns)
		return s->drawn - 1;
	return s->drawn;
}
