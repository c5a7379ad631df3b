/* SPDX-License-Identifier: MIT */
/*
 * clock: monotonic time in ns since the clock was made ("now"). Three kinds:
 *   CLOCK_KIND_TSC     the CPU's invariant time stamp counter, calibrated against CLOCK_MONOTONIC
 * (10 ns a read instead of 25); used only when the kernel and the CPU call it invariant and two
 * calibrations agree; CLOCK_KIND_SYSTEM  clock_gettime(CLOCK_MONOTONIC); CLOCK_KIND_FAKE    tests
 * set the time.
 */
#ifndef IOLTP_BASE_CLOCK_H
#define IOLTP_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum clock_kind { CLOCK_KIND_SYSTEM, CLOCK_KIND_TSC, CLOCK_KIND_FAKE };

struct clock {
	enum clock_kind kind;
	uint32_t
	    shift; /* TSC: ns = (ticks - base_ticks) * mult >> shift, in 128 bits where needed */
	uint64_t mult;         /* TSC */
	uint64_t base_ticks;   /* TSC at zero */
	uint64_t base_mono_ns; /* CLOCK_MONOTONIC at zero */
	uint64_t fake_ns; /* FAKE: what now returns; any thread may set it with relaxed atomics */
};

/* kind: SYSTEM, TSC (falls back to SYSTEM when the TSC cannot be trusted; see c->kind after) or
 * FAKE. Takes about 20 ms for TSC. */
void clock_init(struct clock *c, enum clock_kind kind);

uint64_t clock_now_system_ns(const struct clock *c);

#if defined(__x86_64__)
#include <x86intrin.h>
static inline uint64_t clock_ticks(void)
{
	return __rdtsc();
}
#else
static inline uint64_t clock_ticks(void)
{
	return 0;
}
#endif

/* ns since clock_init. Any thread. */
static inline uint64_t clock_now_ns(const struct clock *c)
{
	if (__builtin_expect(c->kind == CLOCK_KIND_TSC, 1))
		return (uint64_t)(((unsigned __int128)(clock_ticks() - c->base_ticks) * c->mult) >>
		                  c->shift);
	return clock_now_system_ns(c);
}

/*
 * Sleeps until now >= when_ns; wakes early by a measured slack and spins the rest, so that arrivals
 * are on time; returns the time at return. `stop` (may be NULL) ends the wait early when it becomes
 * non-zero (checked at least every 50 ms).
 */
uint64_t clock_sleep_until(const struct clock *c, uint64_t when_ns, const volatile int *stop);

/* Cost of one read in ns, measured over 100,000 reads (0 for FAKE). */
double clock_read_cost_ns(const struct clock *c);
/* How far this clock has moved against CLOCK_MONOTONIC since it was made, in parts per million (0
 * for SYSTEM, FAKE). */
double clock_drift_ppm(const struct clock *c);
/* "tsc", "system", "fake". */
const char *clock_kind_name(const struct clock *c);

#endif
