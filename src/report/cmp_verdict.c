/* SPDX-License-Identifier: MIT */
#include "report/cmp_verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- limits, with their reasons; docs/compare.md repeats them ---- */

/* Of what the drive gives: replays repeat within some 10 %, and the last tenth costs more latency
 * than it brings, so that from here on there is nothing worth having left. */
#define REACH_HIGH 0.8
/* Of the transactions' time: more than all else together. */
#define TIME_MOST 0.5
/* Of the transactions' time in I/Os: too little for the drive to be what they wait for. */
#define DEVICE_TIME_NONE 0.1
/* Shares of time that add up to this explain the transactions; then the largest one leads even
 * without being more than half. */
#define TIME_EXPLAINED 0.75
/* Of CPUs: the scheduler leaves some per cent unused however many threads wait. */
#define CPU_BUSY 0.9
/* Of a client's time on a CPU: the remainder is waking up and a page cache that writes. */
#define CPU_CLIENT 0.8
/* Part of the CPU's use that must be the run's own, for the limit not to be a neighbour's. */
#define CPU_OWN_PART 0.5
/* Below these, a resource is idle enough to be left out of the question. */
#define REACH_IDLE 0.5
#define CPU_IDLE   0.7
#define BUSY_IDLE  0.5
/* Fewer drive I/Os than that per transaction: a cached read now and then, no demand on a drive. */
#define IOS_NONE 0.01
/* Done of what was offered; the same limit as in the run's own warnings. */
#define ACHIEVED_ALL 0.99
/* Of the clients' time that passes between events. */
#define IDLE_MOST 0.5
/* Lateness over mean service time, and the least that matters; as in the run's own warnings. */
#define LATE_SHARE  0.1
#define LATE_NS_MIN 50000.0
/* This near to its limit, a cause is named second. */
#define NEAR 0.8

/* Comparisons in which the unknown (NAN) is false. */
static bool at_least(double value, double limit)
{
	return value >= limit;
}

static bool below(double value, double limit)
{
	return value < limit;
}

const char *cmp_cause_name(enum cmp_cause cause)
{
	static const char *const names[] = {
	    [CMP_CAUSE_NONE] = "cannot tell", [CMP_CAUSE_OFFERED] = "offered load",
	    [CMP_CAUSE_DEVICE] = "device",    [CMP_CAUSE_CPU] = "cpu",
	    [CMP_CAUSE_LOCK] = "lock",        [CMP_CAUSE_GENERATOR] = "generator",
	};

	return names[cause];
}

/* ---- figures ---- */

static bool embedded_or_none(const struct cmp_facts *f)
{
	return f->embedded || f->modelled;
}

/* Asked for nothing: what a replay of nothing reaches says nothing. */
static bool asks_drive(const struct cmp_facts *f)
{
	return !below(f->device_ios, IOS_NONE);
}

static double late_share(const struct cmp_facts *f)
{
	if (!f->open_loop || !(f->service_mean_ns > 0))
		return NAN;
	return below(f->lateness_p99_ns, LATE_NS_MIN) ? 0 : f->lateness_p99_ns / f->service_mean_ns;
}

static void figure(struct cmp_verdict *v, enum cmp_cause cause, const char *key, const char *label,
                   double value, double limit)
{
	if (isfinite(value) && v->nfigures < CMP_FIGURES_MAX)
		v->figures[v->nfigures++] = (struct cmp_figure){key, label, cause, value, limit};
}

static void put_figures(const struct cmp_facts *f, struct cmp_verdict *v)
{
	bool asks = asks_drive(f);

	if (f->open_loop)
		figure(v, CMP_CAUSE_OFFERED, "achieved", "done of what was offered", f->achieved,
		       ACHIEVED_ALL);
	else
		figure(v, CMP_CAUSE_OFFERED, "idle", "clients' time between events", f->idle,
		       IDLE_MOST);
	figure(v, CMP_CAUSE_DEVICE, "reach_own",
	       "reached of the drive at the same mix and concurrency", asks ? f->reach_own : NAN,
	       REACH_HIGH);
	figure(v, CMP_CAUSE_DEVICE, "reach_most", "reached of the drive at the same mix, saturated",
	       asks ? f->reach_most : NAN, REACH_HIGH);
	figure(v, CMP_CAUSE_DEVICE, "device_time", "transactions' time in I/Os", f->device_time,
	       TIME_MOST);
	figure(v, CMP_CAUSE_LOCK, "lock_time", "transactions' time waiting for locks", f->lock_time,
	       TIME_MOST);
	figure(v, CMP_CAUSE_CPU, "cpu_time", "transactions' time on a CPU",
	       f->modelled ? NAN : f->cpu_time, CPU_CLIENT);
	figure(v, CMP_CAUSE_CPU, "cpu_own", "CPUs that the run may use: used by it",
	       f->modelled ? NAN : f->cpu_own, CPU_BUSY);
	/* Without a database, whoever uses the CPUs keeps them from the generator. */
	figure(v, f->modelled ? CMP_CAUSE_GENERATOR : CMP_CAUSE_CPU, "cpu_system",
	       "all CPUs of the machine: busy", f->cpu_system, CPU_BUSY);
	figure(v, CMP_CAUSE_GENERATOR, "generator_cpu",
	       "CPUs that the generator may use: used by it", f->embedded ? NAN : f->generator_cpu,
	       CPU_BUSY);
	figure(v, CMP_CAUSE_GENERATOR, "generator_time",
	       "generator's own time of each event's, the script's included", f->generator_time,
	       TIME_MOST);
	figure(v, CMP_CAUSE_GENERATOR, "late_share",
	       "lateness of the generator (p99) to the mean service time", late_share(f),
	       LATE_SHARE);
}

static const struct cmp_figure *find(const struct cmp_verdict *v, const char *key)
{
	for (unsigned i = 0; i < v->nfigures; i++) {
		if (strcmp(v->figures[i].key, key) == 0)
			return &v->figures[i];
	}
	return NULL;
}

static bool holds(const struct cmp_verdict *v, const char *key)
{
	const struct cmp_figure *g = find(v, key);

	return g != NULL && g->value >= g->limit;
}

/* How near a cause's nearest figure comes to its limit: 1 is there. */
static double nearness(const struct cmp_verdict *v, enum cmp_cause cause)
{
	double most = 0;

	for (unsigned i = 0; i < v->nfigures; i++) {
		if (v->figures[i].cause == cause)
			most = fmax(most, v->figures[i].value / v->figures[i].limit);
	}
	return most;
}

/* ---- the rule ---- */

static enum cmp_cause generator_limit(const struct cmp_facts *f, const struct cmp_verdict *v)
{
	/* Arrivals that began late though a client waited, and were not made up for. */
	if (holds(v, "late_share") && below(f->achieved, ACHIEVED_ALL))
		return CMP_CAUSE_GENERATOR;
	if (holds(v, "generator_cpu") || holds(v, "generator_time"))
		return CMP_CAUSE_GENERATOR;
	if (f->modelled && holds(v, "cpu_system"))
		return CMP_CAUSE_GENERATOR;
	return CMP_CAUSE_NONE;
}

/* Transactions that hardly wait for the drive are not limited by it. A replay that gives no more
 * than they did was then limited by its own CPUs, as in memory. */
static bool waits_for_drive(const struct cmp_facts *f)
{
	return !below(f->device_time, DEVICE_TIME_NONE);
}

/* Resources of which all is used: they limit, whatever else the clients wait for. */
static enum cmp_cause used_up(const struct cmp_facts *f, const struct cmp_verdict *v)
{
	bool drive = holds(v, "reach_most") && waits_for_drive(f);
	bool cpu =
	    holds(v, "cpu_own") || (holds(v, "cpu_system") && at_least(f->cpu_own, CPU_OWN_PART));

	if (drive && cpu)
		return fmax(f->cpu_own, f->cpu_system) / CPU_BUSY > f->reach_most / REACH_HIGH
		           ? CMP_CAUSE_CPU
		           : CMP_CAUSE_DEVICE;
	if (drive)
		return CMP_CAUSE_DEVICE;
	return cpu ? CMP_CAUSE_CPU : CMP_CAUSE_NONE;
}

/* Where transactions spend their time, while there is room in every resource. */
static enum cmp_cause waited_for(const struct cmp_facts *f, const struct cmp_verdict *v)
{
	if (holds(v, "lock_time"))
		return CMP_CAUSE_LOCK;
	if (holds(v, "device_time") || (holds(v, "reach_own") && waits_for_drive(f)))
		return CMP_CAUSE_DEVICE;
	if (holds(v, "cpu_time") || holds(v, "cpu_system"))
		return CMP_CAUSE_CPU;
	return CMP_CAUSE_NONE;
}

/* The largest of the shares of time, where they explain most of it. */
static enum cmp_cause largest_share(const struct cmp_facts *f)
{
	double cpu = fmin(f->cpu_time, 1);

	/* The unknown makes the sum unknown. */
	if (!at_least(f->device_time + f->lock_time + f->cpu_time, TIME_EXPLAINED))
		return CMP_CAUSE_NONE;
	if (f->lock_time >= f->device_time && f->lock_time >= cpu)
		return CMP_CAUSE_LOCK;
	return f->device_time >= cpu ? CMP_CAUSE_DEVICE : CMP_CAUSE_CPU;
}

/* Neither drive nor CPU is busy and clients stand in each other's way: a server's locks, which it
 * does not tell us of. One client alone has nobody to wait for. */
static enum cmp_cause by_exclusion(const struct cmp_facts *f)
{
	bool drive_idle = !asks_drive(f) || below(f->reach_own, REACH_IDLE) ||
	                  (!at_least(f->reach_own, REACH_IDLE) && below(f->device_busy, BUSY_IDLE));

	if (embedded_or_none(f) || !at_least(f->clients, 2))
		return CMP_CAUSE_NONE;
	if (!drive_idle || !below(f->cpu_system, CPU_IDLE) || !below(f->cpu_time, TIME_MOST))
		return CMP_CAUSE_NONE;
	return CMP_CAUSE_LOCK;
}

static enum cmp_cause first_cause(const struct cmp_facts *f, const struct cmp_verdict *v)
{
	enum cmp_cause cause;

	if (f->open_loop && at_least(f->achieved, ACHIEVED_ALL))
		return CMP_CAUSE_OFFERED;
	if (holds(v, "idle"))
		return CMP_CAUSE_OFFERED;
	cause = generator_limit(f, v);
	/* Without a database there is nothing else to find. */
	if (cause != CMP_CAUSE_NONE || f->modelled)
		return cause;
	cause = used_up(f, v);
	if (cause == CMP_CAUSE_NONE)
		cause = waited_for(f, v);
	if (cause == CMP_CAUSE_NONE)
		cause = largest_share(f);
	if (cause == CMP_CAUSE_NONE)
		cause = by_exclusion(f);
	return cause;
}

static enum cmp_cause second_cause(const struct cmp_facts *f, const struct cmp_verdict *v)
{
	static const enum cmp_cause causes[] = {CMP_CAUSE_DEVICE, CMP_CAUSE_CPU, CMP_CAUSE_LOCK,
	                                        CMP_CAUSE_GENERATOR};
	enum cmp_cause best = CMP_CAUSE_NONE;
	double most = NEAR;

	for (unsigned i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		double near = causes[i] != v->first ? nearness(v, causes[i]) : 0;

		if (causes[i] == CMP_CAUSE_DEVICE && !waits_for_drive(f))
			continue;
		if (near >= most) {
			most = near;
			best = causes[i];
		}
	}
	return best;
}

/* ---- what is missing ---- */

static void miss(struct cmp_verdict *v, const char *text)
{
	if (v->nmissing < CMP_MISSING_MAX)
		v->missing[v->nmissing++] = text;
}

static void put_missing(const struct cmp_facts *f, struct cmp_verdict *v)
{
	if (f->modelled) {
		miss(v, "a database: the null driver answers after a modelled delay, and no drive "
		        "is asked; run on a real --db-driver");
		return;
	}
	if (!f->has_capture)
		miss(v, "what the application asked of the drive; capture: none; run with "
		        "--capture");
	if (asks_drive(f) && isnan(f->reach_own))
		miss(v, "what the drive gives at the same mix and concurrency; replay with "
		        "'ioltp twin'");
	if (asks_drive(f) && isnan(f->reach_most))
		miss(v, "what the drive gives at saturation; replay with 'ioltp twin'");
	if (isnan(f->device_time) && f->has_capture)
		miss(v, "how much of the transactions' time is device time; only a capture by the "
		        "SQLite VFS knows");
	if (isnan(f->cpu_system))
		miss(v, "how busy the machine's CPUs were; run with --capture");
	if (!embedded_or_none(f) && isnan(f->cpu_own))
		miss(v, "the server's CPU time; run on its machine with --capture");
	if (isnan(f->lock_time))
		miss(v, "lock waits; this database's own views show them");
}

/* ---- words ---- */

struct words {
	char *text;
	size_t room, len;
};

static void say(struct words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct words *w, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(w->text + w->len, w->room - w->len, fmt, args);
	va_end(args);
	if (n > 0)
		w->len += (size_t)n < w->room - w->len ? (size_t)n : w->room - w->len - 1;
}

/* " (text 94 %)" for a known share. */
static void say_share(struct words *w, const char *before, double share, const char *after)
{
	if (isfinite(share))
		say(w, "%s%.0f %%%s", before, 100 * share, after);
}

static void say_device(struct words *w, const struct cmp_facts *f)
{
	say(w, "Device-bound: the drive is the limit.");
	say_share(w, " The application reached ", f->reach_own,
	          " of what the drive gives at the same mix and concurrency");
	say_share(w, isfinite(f->reach_own) ? ", and " : " The application reached ", f->reach_most,
	          isfinite(f->reach_own) ? " of what it gives at saturation"
	                                 : " of what the drive gives at saturation");
	if (isfinite(f->reach_own) || isfinite(f->reach_most))
		say(w, ".");
	say_share(w, " Transactions spend ", f->device_time, " of their time in I/Os");
	if (isfinite(f->device_time))
		say_share(w, ", ", f->flush_time, " in flushes");
	if (isfinite(f->device_time))
		say(w, ".");
	if (at_least(f->reach_most, REACH_HIGH))
		say(w, " It has no more to give to this mix.");
	else if (below(f->reach_most, REACH_IDLE))
		say(w,
		    " They wait for its latency, not for its throughput: with more I/Os "
		    "outstanding it does %.1f times as much, so more clients may use it better.",
		    1 / f->reach_most);
}

static void say_cpu(struct words *w, const struct cmp_facts *f)
{
	say(w, "CPU-bound: the processors are the limit, not the drive.");
	if (at_least(f->cpu_own, CPU_BUSY))
		say(w,
		    " The run used %.0f %% of the %.3g CPUs that it may use (limits of control "
		    "groups included).",
		    100 * f->cpu_own, f->cpu_allowed);
	else if (at_least(f->cpu_system, CPU_BUSY) && below(f->cpu_own, CPU_OWN_PART))
		say(w,
		    " %.0f %% of the machine's CPU time was used, and only %.0f %% by this run: "
		    "something else uses it.",
		    100 * f->cpu_system, 100 * f->cpu_own);
	else
		say_share(w, " CPUs of the machine busy: ", f->cpu_system, ".");
	if (at_least(f->cpu_time, CPU_CLIENT))
		say(w,
		    " A client's transaction is on a CPU for %.0f %% of its time: each is as "
		    "fast as one CPU, and more clients would help until the CPUs are busy.",
		    100 * fmin(f->cpu_time, 1));
	if (!asks_drive(f))
		say(w, " The drive was asked for nothing.");
	else
		say_share(w, " The drive reached ", f->reach_own,
		          " of what it gives at the same mix and concurrency.");
}

/* I/Os' share of the time in which transactions do not wait for locks. */
static double held_for_drive(const struct cmp_facts *f)
{
	double share = f->device_time / (1 - f->lock_time);

	return below(f->lock_time, 1) && isfinite(share) ? fmin(1, share) : NAN;
}

static void say_lock(struct words *w, const struct cmp_facts *f)
{
	say(w, "Lock-bound: transactions wait for each other.");
	if (isfinite(f->lock_time)) {
		say(w, " They spend %.0f %% of their time waiting for locks", 100 * f->lock_time);
		say_share(w, ", ", f->device_time, " in I/Os");
		say_share(w, ", ", f->cpu_time, " on a CPU");
		say(w, ".");
	} else {
		say(w,
		    " This follows by exclusion: %.0f clients, and neither the CPUs (%.0f %% "
		    "busy) nor the drive are busy; locks and latches of the server are likely, "
		    "the network between is possible.",
		    f->clients, 100 * f->cpu_system);
	}
	if (at_least(held_for_drive(f), TIME_MOST))
		say(w,
		    " Who holds the lock waits for the drive: I/Os are %.0f %% of the time outside "
		    "of lock waits. A drive of lower latency helps as much as less contention; one "
		    "of more throughput does not.",
		    100 * held_for_drive(f));
}

static void say_generator(struct words *w, const struct cmp_facts *f, const struct cmp_verdict *v)
{
	say(w, "Generator-bound: the load generator is the limit, so these figures are its own and "
	       "not the database's or the drive's.");
	if (holds(v, "generator_cpu"))
		say(w, " Its threads used %.0f %% of the CPUs that they may use.",
		    100 * f->generator_cpu);
	else if (f->modelled && holds(v, "cpu_system"))
		say(w,
		    " The machine's CPUs were %.0f %% busy, and there is no database that could "
		    "use them.",
		    100 * f->cpu_system);
	if (holds(v, "generator_time"))
		say(w,
		    " %.0f %% of each client's time is its own: the script's, between statements.",
		    100 * f->generator_time);
	if (holds(v, "late_share"))
		say(w,
		    " 1 %% of the arrivals began %.3g ms or more late though a client stood "
		    "ready.",
		    f->lateness_p99_ns / 1e6);
	say(w, " Give it more CPUs, or run it on another machine.");
}

static void say_offered(struct words *w, const struct cmp_facts *f, const struct cmp_verdict *v)
{
	say(w, "The offered load was the limit: ");
	if (f->open_loop)
		say(w,
		    "%.1f %% of what was offered was done in time, so nothing else limited the "
		    "rate.",
		    100 * f->achieved);
	else
		say(w, "clients think for %.0f %% of their time.", 100 * f->idle);
	if (asks_drive(f))
		say_share(w, " It is ", f->reach_most,
		          " of what the drive gives to this mix at saturation.");
	if (holds(v, "late_share"))
		say(w,
		    " The generator began arrivals late (p99 %.3g ms), which is in the "
		    "latencies.",
		    f->lateness_p99_ns / 1e6);
}

static void put_words(const struct cmp_facts *f, struct cmp_verdict *v)
{
	struct words w = {v->words, sizeof(v->words), 0};

	switch (v->first) {
	case CMP_CAUSE_DEVICE:
		say_device(&w, f);
		break;
	case CMP_CAUSE_CPU:
		say_cpu(&w, f);
		break;
	case CMP_CAUSE_LOCK:
		say_lock(&w, f);
		break;
	case CMP_CAUSE_GENERATOR:
		say_generator(&w, f, v);
		break;
	case CMP_CAUSE_OFFERED:
		say_offered(&w, f, v);
		break;
	case CMP_CAUSE_NONE:
		say(&w, "Cannot tell: no figure that is known reaches its limit.");
		break;
	}
	if (v->second != CMP_CAUSE_NONE)
		say(&w, " Second: %s, %s.", cmp_cause_name(v->second),
		    nearness(v, v->second) >= 1 ? "which is at a limit too"
		                                : "which is near a limit");
}

void cmp_judge(const struct cmp_facts *f, struct cmp_verdict *v)
{
	*v = (struct cmp_verdict){0};
	put_figures(f, v);
	v->first = first_cause(f, v);
	v->second = second_cause(f, v);
	put_missing(f, v);
	put_words(f, v);
}
