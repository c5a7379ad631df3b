/* SPDX-License-Identifier: MIT */
/* Warnings that follow from the figures: what a reader must know before believing a number, and
 * what to do about it. */
#include <math.h>
#include <string.h>

#include "base/opt.h"
#include "base/units.h"
#include "report/figures.h"

#define CPU_SHARE_HIGH       0.9   /* of the CPUs that the workers may use */
#define OWN_TIME_HIGH        0.1   /* generator's share of an event's time */
#define CLOCK_SHARE_HIGH     0.01  /* of a mean latency, by one reading */
#define CLOCK_DRIFT_PPM      100.0 /* 0.01 %: beyond the error of the histograms' counters */
#define LATENESS_SHARE_HIGH  0.1   /* of the mean service time */
#define LATENESS_NS_MIN      50000 /* below that no database is measured wrongly */
#define LATENESS_SAMPLES_MIN 100   /* fewer have no p99 */
#define ACHIEVED_LOW         0.99  /* of what the open loop offered */
#define SAMPLES_BEYOND_MIN   10.0  /* samples above a percentile for it to mean something */

static bool is_embedded(const struct result *r)
{
	return r->driver != NULL && strcmp(r->driver, "sqlite") == 0;
}

static void judge_cpu(struct result *r)
{
	const struct run_result *run = r->run;
	double share = figures_finite(run->cpu_share);
	double mean_ns = 0;

	if (share > CPU_SHARE_HIGH && is_embedded(r))
		result_warn(r,
		            "CPU: the threads, with SQLite inside them, used %.0f %% of the CPUs "
		            "that they may use: "
		            "the CPUs are the limit, not the drive; use more CPUs or a larger "
		            "database to see the drive",
		            100 * share);
	else if (share > CPU_SHARE_HIGH)
		result_warn(
		    r,
		    "generator: its threads used %.0f %% of the CPUs that they may use, so the "
		    "figures may be its "
		    "limit and not the database's; give it more CPUs or run it on another machine",
		    100 * share);
	if (run->total.sum != NULL && run->total.sum->latency != NULL)
		mean_ns = hist_mean_ns(run->total.sum->latency);
	if (mean_ns <= 0)
		return;
	if (run->idle_overhead_ns > OWN_TIME_HIGH * (mean_ns + run->idle_overhead_ns))
		result_warn(r,
		            "generator: its own time between events is %.1f us beside a mean "
		            "latency of %.1f us, which lowers "
		            "the rate of each thread; use more --threads, or read the latencies "
		            "rather than the rate",
		            run->idle_overhead_ns / 1e3, mean_ns / 1e3);
	if (run->clock_cost_ns > CLOCK_SHARE_HIGH * mean_ns)
		result_warn(r,
		            "clock: one reading of the clock (%s) costs %.0f ns, %.1f %% of the "
		            "mean latency; check "
		            "that the kernel's clock source is tsc",
		            run->clock_kind != NULL ? run->clock_kind : "unknown",
		            run->clock_cost_ns, 100 * run->clock_cost_ns / mean_ns);
	if (fabs(run->clock_drift_ppm) > CLOCK_DRIFT_PPM)
		result_warn(r,
		            "clock: it moved by %.0f ppm against the kernel's, times are wrong by "
		            "that much; check the "
		            "machine's time stamp counter and time synchronisation",
		            run->clock_drift_ppm);
}

static void judge_open_loop(struct result *r)
{
	const struct run_figures *f = &r->run->total;
	const struct tally_sum *s = f->sum;
	char late[32], mean[32];
	uint64_t late_ns;
	double mean_ns;

	if (!figures_open_loop(r) || s == NULL)
		return;
	if (f->offered > 0 && (double)f->ok < ACHIEVED_LOW * (double)f->offered)
		result_warn(r,
		            "open loop: only %.1f %% of %llu events offered were done (%llu "
		            "failed, %llu skipped, %llu "
		            "unfinished): the latencies are those of an overload and grow with the "
		            "run's length; lower "
		            "--rate or use more %s",
		            100 * (double)f->ok / (double)f->offered,
		            (unsigned long long)f->offered, (unsigned long long)f->failed,
		            (unsigned long long)f->skipped, (unsigned long long)f->unfinished,
		            figures_is_raw(r) ? "--oio" : "--threads");
	if (s->lateness == NULL || hist_count(s->lateness) < LATENESS_SAMPLES_MIN ||
	    s->service == NULL)
		return;
	late_ns = hist_percentile_ns(s->lateness, 99);
	mean_ns = hist_mean_ns(s->service);
	if (late_ns > LATENESS_NS_MIN && (double)late_ns > LATENESS_SHARE_HIGH * mean_ns)
		result_warn(r,
		            "generator: 1 %% of the arrivals began %s or more after their time "
		            "though a thread was waiting "
		            "for them, beside a mean service time of %s; give it idle CPUs "
		            "(--cpu-pin, fewer --threads)",
		            units_format_time(late, sizeof(late), late_ns),
		            units_format_time(mean, sizeof(mean), (uint64_t)llround(mean_ns)));
}

static void judge_work(struct result *r)
{
	const struct run_figures *f = &r->run->total;

	if (f->offered != f->ok + f->failed + f->skipped + f->unfinished)
		result_warn(r,
		            "accounting: %llu events offered are not %llu ok + %llu failed + %llu "
		            "skipped + %llu "
		            "unfinished; this is a fault of ioltp, please report it",
		            (unsigned long long)f->offered, (unsigned long long)f->ok,
		            (unsigned long long)f->failed, (unsigned long long)f->skipped,
		            (unsigned long long)f->unfinished);
	if (f->failed > 0)
		result_warn(r,
		            "events: %llu of %llu failed and are in no latency figure; the errors "
		            "are listed by code",
		            (unsigned long long)f->failed, (unsigned long long)f->offered);
	if (f->unfinished > 0)
		result_warn(r,
		            "events: %llu had not ended when the run was over and are in no "
		            "latency figure; allow more "
		            "time with --drain-time",
		            (unsigned long long)f->unfinished);
	if (r->run->abandoned)
		result_warn(r,
		            "threads: some never came back from their last event; look at %s log",
		            figures_is_raw(r) ? "the kernel's" : "the database server's");
	if (f->sum != NULL && f->sum->commit_unknown > 0)
		result_warn(r,
		            "commits: the connection went during %llu of them, nobody knows "
		            "whether they were done; check "
		            "the data before using it again",
		            (unsigned long long)f->sum->commit_unknown);
}

/* The highest of the percentiles asked for that rests on too few samples, as it needs the most. */
static void judge_samples(struct result *r)
{
	const struct run_config *c = r->config;
	const struct run_figures *f = &r->run->total;
	uint64_t n = f->sum != NULL && f->sum->latency != NULL ? hist_count(f->sum->latency) : 0;

	if (n == 0) {
		result_warn(
		    r, "latency: no event ended well in the measured window, so there is none; "
		       "use a longer --time");
		return;
	}
	/* The default columns of raw runs leave out what rests on nothing. */
	if (figures_is_raw(r) && (r->options == NULL || !opt_given(r->options, "percentile")))
		return;
	for (unsigned i = c->npercentiles; i-- > 0;) {
		/* A share of 100 % is the maximum, which is what it is. Rounded, as 1 - 0.99 is
		 * less than 0.01. */
		double beyond = round((100 - c->percentiles[i]) * 1e9) / 1e11;

		if (beyond <= 0 || (double)n * beyond >= SAMPLES_BEYOND_MIN)
			continue;
		result_warn(r,
		            "percentile: p%.10g rests on %.1f of %llu events above it, which is "
		            "chance; it needs at "
		            "least %.0f events, so use a longer --time",
		            c->percentiles[i], (double)n * beyond, (unsigned long long)n,
		            ceil(SAMPLES_BEYOND_MIN / beyond));
		return;
	}
}

static void judge_database(struct result *r)
{
	const struct kv_item *note = kv_find(&r->database, "durability_note");
	const struct kv_item *fs = kv_find(&r->device, "filesystem");
	const struct kv_item *where = kv_find(&r->device, "note");

	if (r->driver == NULL)
		return;
	if (!r->durable)
		result_warn(r,
		            "durability: a power cut may lose commits%s%s; do not compare with "
		            "runs that flush at commit",
		            note != NULL ? ": " : "", note != NULL ? note->text : "");
	if (fs != NULL && (strcmp(fs->text, "tmpfs") == 0 || strcmp(fs->text, "ramfs") == 0))
		result_warn(r,
		            "database: it lies on %s, which is memory: no drive was measured; put "
		            "it on the drive under "
		            "test",
		            fs->text);
	else if (where != NULL && (fs == NULL || strcmp(fs->text, "zfs") != 0))
		result_warn(
		    r, "database: it lies on %s; to measure a drive, put it on a file system there",
		    where->text);
}

/* Whether a drive was measured, and the one that was meant. */
static void judge_target(struct result *r)
{
	const struct kv_item *fs = kv_find(&r->device, "filesystem");
	const struct kv_item *why = kv_find(&r->raw, "not_direct");
	const struct kv_item *modelled = kv_find(&r->raw, "modelled");
	const struct kv_item *sparse = kv_find(&r->raw, "unwritten_share");
	const struct kv_item *groups = kv_find(&r->raw, "commit_groups");

	if (!figures_is_raw(r))
		return;
	if (fs != NULL && (strcmp(fs->text, "tmpfs") == 0 || strcmp(fs->text, "ramfs") == 0))
		result_warn(r,
		            "target: it lies on %s, which is memory: no drive was measured; name a "
		            "drive, or a file on it",
		            fs->text);
	if (why != NULL)
		result_warn(
		    r,
		    "target: not opened with O_DIRECT (%s), so that the page cache answers; "
		    "name a device, or a file on another file system",
		    why->text);
	if (sparse != NULL && sparse->d > 0)
		result_warn(r,
		            "target: %.0f %% of the file were never written, and reading those "
		            "parts touches no drive; write all of it first (--rw=write)",
		            100 * sparse->d);
	if (groups != NULL && groups->i > 1)
		result_warn(r,
		            "group commit: each of the %lld workers flushes for its own clients "
		            "alone, so that one flush serves fewer of them; leave --workers out "
		            "for one group of all",
		            (long long)groups->i);
	if (modelled != NULL)
		result_warn(r, "profile: modelled, no definition of it is public: %s",
		            modelled->text);
}

static void judge_targets(struct result *r)
{
	unsigned n = r->run->ntargets, clients = r->config->threads;

	if (clients < n)
		result_warn(r,
		            "targets: %u of %u had no client; use at least as many --threads as "
		            "targets",
		            n - clients, n);
	else if (n != 0 && clients % n != 0)
		result_warn(r,
		            "targets: %u clients are not even over %u targets; use a multiple of "
		            "%u as --threads",
		            clients, n, n);
}

void result_judge(struct result *r)
{
	if (r->run != NULL) {
		judge_work(r);
		judge_open_loop(r);
		judge_samples(r);
		judge_cpu(r);
		judge_targets(r);
	}
	judge_database(r);
	judge_target(r);
}
