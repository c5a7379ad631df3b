/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define NS_PER_S        1000000000ull
#define CALIBRATE_NS    9000000ull /* each of the two calibrations */
#define CALIBRATE_TRIES 3u
#define AGREE_PPM       5.0 /* what the two may differ by, beyond what their readings leave open */
#define CPU_OFFSET_NS   1000.0 /* the same between CPUs */
#define TICK_SHIFT      56u /* ticks of up to 256 ns; the product fits into 128 bits for any ticks */
#define SLICE_NS        50000000ull /* longest sleep between two looks at `stop` */
#define SLACK_MIN_NS    10000ull
#define SLACK_MAX_NS    200000ull
#define FAKE_POLL_NS    100000ull

uint64_t clock_mono_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static void sleep_ns(uint64_t ns)
{
	struct timespec t = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};

	/* A signal may end it early: all callers look at the clock again. */
	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

static inline void spin_pause(void)
{
#if defined(__x86_64__)
	_mm_pause();
#endif
}

uint64_t clock_now_system_ns(const struct clock *c)
{
	if (c->kind == CLOCK_KIND_FAKE)
		return __atomic_load_n(&c->fake_ns, __ATOMIC_RELAXED);
	return clock_mono_ns() - c->base_mono_ns;
}

/* ---- may the TSC be trusted? ---- */

static bool cpu_says_invariant(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & 1u << 8) != 0;
#else
	return false;
#endif
}

/* The first line of a file that begins with `start`, without the newline; false when there is none.
 */
static bool read_line(const char *path, const char *start, char **line)
{
	FILE *f = fopen(path, "re");
	size_t room = 0;
	bool found = false;

	*line = NULL;
	if (f == NULL)
		return false;
	while (!found && getline(line, &room, f) >= 0)
		found = strncmp(*line, start, strlen(start)) == 0;
	fclose(f);
	if (found)
		(*line)[strcspn(*line, "\n")] = '\0';
	return found;
}

static bool has_word(const char *line, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = strstr(line, word); p != NULL; p = strstr(p + 1, word))
		if ((p == line || p[-1] == ' ') && (p[len] == ' ' || p[len] == '\0'))
			return true;
	return false;
}

/* The kernel's view of the CPU; a system that does not tell does not contradict. */
static bool flags_contradict(void)
{
	char *line;
	bool bad = false;

	if (read_line("/proc/cpuinfo", "flags", &line))
		bad = !has_word(line, "constant_tsc") || !has_word(line, "nonstop_tsc");
	free(line);
	return bad;
}

/* A kernel that fell back to one of these has found the TSC unstable. */
static bool clocksource_contradicts(void)
{
	static const char *const fallbacks[] = {"hpet", "acpi_pm", "pit", "jiffies",
	                                        "refined-jiffies"};
	char *line;
	bool bad = false;

	if (read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", "",
	              &line))
		for (size_t i = 0; i < sizeof(fallbacks) / sizeof(fallbacks[0]); i++)
			bad = bad || strcmp(line, fallbacks[i]) == 0;
	free(line);
	return bad;
}

/* ---- calibration ---- */

/* Both clocks at one moment: mono_ns is right within +- half of width_ns. */
struct reading {
	uint64_t ticks;
	uint64_t mono_ns;
	uint64_t width_ns;
};

static struct reading read_both(void)
{
	struct reading best = {0, 0, UINT64_MAX};

	/* The tightest of several: an interrupt between the reads makes a pair useless. */
	for (unsigned i = 0; i < 50; i++) {
		uint64_t before_ns = clock_mono_ns();
		uint64_t ticks = clock_ticks();
		uint64_t width_ns = clock_mono_ns() - before_ns;

		if (width_ns < best.width_ns)
			best = (struct reading){ticks, before_ns + width_ns / 2, width_ns};
	}
	return best;
}

/* ns per tick; 0 when the readings make no sense. */
static double ns_per_tick(const struct reading *from, const struct reading *to)
{
	if (to->ticks <= from->ticks || to->mono_ns <= from->mono_ns)
		return 0;
	return (double)(to->mono_ns - from->mono_ns) / (double)(to->ticks - from->ticks);
}

/* Half the widths of both readings, in ppm of the time between them. */
static double doubt_ppm(const struct reading *from, const struct reading *to)
{
	return (double)(from->width_ns + to->width_ns) / 2 * 1e6 /
	       (double)(to->mono_ns - from->mono_ns);
}

/* Two calibrations in a row must agree; their whole span then gives the rate. Sets mult, shift and
 * both bases. */
static bool calibrate(struct clock *c)
{
	struct reading r[3];
	double first, second, rate, apart_ppm;

	for (unsigned i = 0; i < 3; i++) {
		if (i > 0)
			sleep_ns(CALIBRATE_NS);
		r[i] = read_both();
	}
	first = ns_per_tick(&r[0], &r[1]);
	second = ns_per_tick(&r[1], &r[2]);
	rate = ns_per_tick(&r[0], &r[2]);
	if (first <= 0 || second <= 0 || rate <= 0 || rate >= 1ull << (64 - TICK_SHIFT))
		return false;
	apart_ppm = fabs(first - second) / rate * 1e6;
	if (apart_ppm > AGREE_PPM + doubt_ppm(&r[0], &r[1]) + doubt_ppm(&r[1], &r[2]))
		return false;
	c->shift = TICK_SHIFT;
	c->mult = (uint64_t)ldexp(rate, TICK_SHIFT);
	c->base_ticks = r[0].ticks;
	c->base_mono_ns = r[0].mono_ns;
	return true;
}

/* On the CPU it runs on: the counter is not behind *last_ticks, and is where CLOCK_MONOTONIC says
 * it should be. */
static bool cpu_agrees(const struct clock *c, uint64_t *last_ticks)
{
	uint64_t ticks = clock_ticks();
	struct reading now = read_both();
	double elapsed_ns = (double)(now.mono_ns - c->base_mono_ns);
	double counted_ns =
	    ldexp((double)(now.ticks - c->base_ticks) * (double)c->mult, -(int)c->shift);

	if (ticks < *last_ticks || now.ticks < ticks)
		return false;
	*last_ticks = now.ticks;
	return fabs(counted_ns - elapsed_ns) <=
	       CPU_OFFSET_NS + (double)now.width_ns + elapsed_ns * AGREE_PPM * 1e-6;
}

/* Visits each CPU of the thread's mask twice, so that each is both before and after the others. */
static bool cpus_agree(const struct clock *c)
{
	const size_t cpus = 8192; /* as many as the kernel can be built for */
	const size_t bytes = CPU_ALLOC_SIZE(cpus);
	cpu_set_t *mask = CPU_ALLOC(cpus);
	cpu_set_t *one = CPU_ALLOC(cpus);
	uint64_t last_ticks = 0;
	bool agree = mask != NULL && one != NULL && sched_getaffinity(0, bytes, mask) == 0;

	for (size_t i = 0; agree && i < 2 * cpus; i++) {
		size_t cpu = i % cpus;

		if (!CPU_ISSET_S(cpu, bytes, mask))
			continue;
		CPU_ZERO_S(bytes, one);
		CPU_SET_S(cpu, bytes, one);
		/* A CPU that went offline or out of the cgroup meanwhile will not run us either. */
		if (sched_setaffinity(0, bytes, one) == 0)
			agree = cpu_agrees(c, &last_ticks);
	}
	if (mask != NULL)
		sched_setaffinity(0, bytes, mask);
	CPU_FREE(one);
	CPU_FREE(mask);
	return agree;
}

static bool tsc_init(struct clock *c)
{
	if (!cpu_says_invariant() || flags_contradict() || clocksource_contradicts())
		return false;
	/* A busy or paused virtual machine can spoil one attempt. */
	for (unsigned i = 0; i < CALIBRATE_TRIES; i++)
		if (calibrate(c) && cpus_agree(c))
			return true;
	return false;
}

/* ---- waiting ---- */

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Twice the middle one of some short sleeps' lateness. */
static uint64_t measure_slack_ns(void)
{
	const uint64_t asked_ns = 50000;
	uint64_t late_ns[9];
	const size_t n = sizeof(late_ns) / sizeof(late_ns[0]);
	uint64_t slack_ns;

	for (size_t i = 0; i < n; i++) {
		uint64_t begin_ns = clock_mono_ns();
		uint64_t slept_ns;

		sleep_ns(asked_ns);
		slept_ns = clock_mono_ns() - begin_ns;
		late_ns[i] = slept_ns > asked_ns ? slept_ns - asked_ns : 0;
	}
	qsort(late_ns, n, sizeof(late_ns[0]), compare_u64);
	slack_ns = 2 * late_ns[n / 2];
	if (slack_ns < SLACK_MIN_NS)
		return SLACK_MIN_NS;
	return slack_ns > SLACK_MAX_NS ? SLACK_MAX_NS : slack_ns;
}

void clock_init(struct clock *c, enum clock_kind kind)
{
	*c = (struct clock){.kind = kind};
	if (kind == CLOCK_KIND_FAKE)
		return;
	/* The default lets the kernel wake us 50 us late. Failing costs only punctuality. */
	(void)prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
	if (kind == CLOCK_KIND_TSC && !tsc_init(c))
		*c = (struct clock){.kind = CLOCK_KIND_SYSTEM};
	if (c->kind == CLOCK_KIND_SYSTEM)
		c->base_mono_ns = clock_mono_ns();
	c->slack_ns = measure_slack_ns();
}

static bool stopped(const volatile int *stop)
{
	return stop != NULL && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0;
}

uint64_t clock_sleep_until(const struct clock *c, uint64_t when_ns, const volatile int *stop)
{
	uint64_t now_ns = clock_now_ns(c);

	while (now_ns < when_ns && !stopped(stop)) {
		uint64_t left_ns = when_ns - now_ns;

		if (c->kind == CLOCK_KIND_FAKE) {
			sleep_ns(FAKE_POLL_NS);
		} else if (left_ns > c->slack_ns) {
			left_ns -= c->slack_ns;
			sleep_ns(left_ns < SLICE_NS ? left_ns : SLICE_NS);
		} else {
			spin_pause();
		}
		now_ns = clock_now_ns(c);
	}
	return now_ns;
}

/* ---- what it is worth ---- */

double clock_read_cost_ns(const struct clock *c)
{
	const unsigned rounds = 10;
	const unsigned reads = 10000;
	uint64_t best_ns = UINT64_MAX;

	if (c->kind == CLOCK_KIND_FAKE)
		return 0;
	/* The best round: the others were interrupted. */
	for (unsigned k = 0; k < rounds; k++) {
		uint64_t begin_ns = clock_mono_ns();
		uint64_t took_ns;

		for (unsigned i = 0; i < reads; i++) {
			uint64_t now_ns = clock_now_ns(c);

			__asm__ volatile("" : : "r"(now_ns));
		}
		took_ns = clock_mono_ns() - begin_ns;
		if (took_ns < best_ns)
			best_ns = took_ns;
	}
	return (double)best_ns / reads;
}

double clock_drift_ppm(const struct clock *c)
{
	uint64_t before_ns, now_ns, after_ns;
	double elapsed_ns;

	if (c->kind != CLOCK_KIND_TSC)
		return 0;
	before_ns = clock_mono_ns();
	now_ns = clock_now_ns(c);
	after_ns = clock_mono_ns();
	elapsed_ns = (double)(before_ns - c->base_mono_ns) + (double)(after_ns - before_ns) / 2;
	return elapsed_ns > 0 ? ((double)now_ns - elapsed_ns) / elapsed_ns * 1e6 : 0;
}

const char *clock_kind_name(const struct clock *c)
{
	static const char *const names[] = {"system", "tsc", "fake"};

	return names[c->kind];
}
