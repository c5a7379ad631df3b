/* SPDX-License-Identifier: MIT */
/*
 * clock: monotonic time in ns since the clock was made ("now"). Three kinds:
 * - CLOCK_KIND_TSC: the CPU's invariant time stamp counter, calibrated against CLOCK_MONOTONIC
 *   (10 ns a read instead of 25); used only when the CPU calls it invariant, the kernel does not
 *   contradict, and two calibrations and all allowed CPUs agree;
 * - CLOCK_KIND_SYSTEM: clock_gettime(CLOCK_MONOTONIC);
 * - CLOCK_KIND_FAKE: tests set the time.
 *
 * Each thread sees a clock that never goes back. A time that another CPU took may be some ten ns
 * ahead of this one's: differences between threads must be able to be slightly negative.
 */
#ifndef IOLTP_BASE_CLOCK_H
#define IOLTP_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum clock_kind { CLOCK_KIND_SYSTEM, CLOCK_KIND_TSC, CLOCK_KIND_FAKE };

struct clock {
	enum clock_kind kind;
	uint32_t shift;        /* TSC: ns = (ticks - base_ticks) * mult >> shift, in 128 bits */
	uint64_t mult;         /* TSC */
	uint64_t base_ticks;   /* TSC at zero */
	uint64_t base_mono_ns; /* CLOCK_MONOTONIC at zero */
	uint64_t slack_ns;     /* clock_sleep_until spins for the last so many ns */
	uint64_t fake_ns;      /* FAKE: what now returns; any thread may set it, relaxed atomics */
};

/*
 * kind: SYSTEM, TSC (falls back to SYSTEM when the TSC cannot be trusted; see c->kind after) or
 * FAKE. Takes about 25 ms for TSC (its zero is the beginning of that) and 2 ms for SYSTEM. Lowers
 * the calling thread's timer slack to 1 us: threads it starts later inherit that and wake on time.
 * For TSC the calling thread visits each CPU of its mask and returns to it.
 */
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

/* CLOCK_MONOTONIC itself, for times off the measured path that no run's clock is at hand for. Any
 * thread. */
uint64_t clock_mono_ns(void);

/*
 * Sleeps until now >= when_ns; wakes early by a measured slack and spins the rest, so that arrivals
 * are on time; returns the time at return. `stop` (may be NULL) ends the wait early when it becomes
 * non-zero (checked at least every 50 ms). Any thread. A FAKE clock is watched until another thread
 * moves it.
 */
uint64_t clock_sleep_until(const struct clock *c, uint64_t when_ns, const volatile int *stop);

/* Cost of one read in ns, measured over 100,000 reads (0 for FAKE). */
double clock_read_cost_ns(const struct clock *c);
/*
 * How far this clock has moved against CLOCK_MONOTONIC since it was made, in parts per million
 * (0 for SYSTEM, FAKE).
 */
double clock_drift_ppm(const struct clock *c);
/* "tsc", "system", "fake". */
const char *clock_kind_name(const struct clock *c);

#endif
