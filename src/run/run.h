/* SPDX-License-Identifier: MIT */
/*
 * run: phases, threads, clients, and the clock of one measurement.
 *
 *   set-up    every worker starts and initialises (ops->worker_init); nothing is measured
 *   warm-up   [start, measure): events run, nothing is counted
 *   measure   [measure, end): an event counts when its intended start lies in here
 *   drain     from end until the last event in flight has ended, at most drain_ns; what is left is
 * "unfinished"
 *
 * How an event's loop looks is the workload's business (ops->worker_run); it asks this module for
 * each event (client.h).
 */
#ifndef IOLTP_RUN_RUN_H
#define IOLTP_RUN_RUN_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/hist.h"
#include "base/log.h"
#include "base/opt.h"
#include "run/mix.h"
#include "run/sched.h"
#include "run/tally.h"

struct client;
struct worker;
struct run;

/* --threads, for runs whose threads are the user's number. */
extern const struct opt_desc run_thread_options[];
/* Options that describe a run: --events --time --warmup-time --forced-shutdown
 * --drain-time --rate --rate-process
 * --report-interval --report-checkpoints --rand-seed --thread-init-timeout --thread-stack-size
 * --cpu-pin --percentile and the old names. */
extern const struct opt_desc run_options[];

#define RUN_PERCENTILES_MAX 32u
#define RUN_CHECKPOINTS_MAX 256u
#define RUN_NEVER           UINT64_MAX

struct run_config {
	unsigned threads;
	uint64_t events;  /* 0: no limit; shared out evenly: client i runs events/threads, the first
	                     ones one more */
	uint64_t time_ns; /* length of the measured window; RUN_NEVER: no limit */
	uint64_t warmup_ns;
	uint64_t drain_ns; /* RUN_NEVER: wait for ever */
	bool drain_forced; /* drain_ns was asked for by --forced-shutdown: reaching it is not a
	                      failure */
	uint64_t init_timeout_ns;
	uint64_t stack_bytes; /* of each worker thread */
	double rate_per_s;    /* 0: closed loop */
	enum sched_process process;
	uint64_t interval_ns;                         /* 0: none */
	uint64_t checkpoints_ns[RUN_CHECKPOINTS_MAX]; /* ascending */
	unsigned ncheckpoints;
	double percentiles[RUN_PERCENTILES_MAX]; /* ascending; empty: none */
	unsigned npercentiles;
	double percentile_first; /* the first one given: the one of interval lines */
	uint64_t seed;           /* never 0: a seed of 0 was replaced by the time */
	bool seed_given;
	bool pin; /* worker i on CPU i */
};

/* From options. -EINVAL with `err`. */
int run_config_from(struct run_config *c, const struct opt_set *set, struct err *err);

/* What supplies the work. */
struct run_ops {
	/* In the worker's thread, before the start; prepares w->clients. Non-zero with `err`: the
	 * run does not start. */
	int (*worker_init)(void *ctx, struct worker *w, struct err *err);
	/* Runs all clients of the worker until client_next says that it is over. Non-zero with
	 * `err`: the run ends early and has failed. */
	int (*worker_run)(void *ctx, struct worker *w, struct err *err);
	/* In the worker's thread, after the run or a failed init. */
	void (*worker_done)(void *ctx, struct worker *w);
	/* Main thread, at the end: how many targets the clients were spread over; client i worked
	 * on target i modulo that number. NULL, 0 or 1: no figures per target. */
	unsigned (*targets)(void *ctx);
};

/* How even the clients were: events, and time within events. */
struct run_fairness {
	double events_avg, events_stddev, time_avg_s, time_stddev_s;
};

/* Figures of a stretch of the run: an interval, since the last checkpoint, or all of it. */
struct run_figures {
	double begin_s, end_s; /* from the start of the measured window */
	double elapsed_s;      /* what rates are divided by: end_s - begin_s */
	unsigned threads_running;
	bool tail;  /* the stretch from the last full interval to the end */
	bool whole; /* as long as an interval is meant to be, the last one included */
	uint64_t offered, ok, failed, skipped,
	    unfinished;        /* offered = the sum of the others; in an interval, in flight work is
	                          `unfinished` only at the end, so offered is what was begun or came due */
	uint64_t queue_length; /* open loop: arrivals due and not begun */
	uint64_t
	    oldest_ns; /* age, from its intended start, of the oldest event in flight; 0: none */
	struct run_fairness fairness; /* of checkpoints and totals; zero in intervals */
	const struct tally_sum *sum;
};

enum run_end { RUN_END_TIME, RUN_END_EVENTS, RUN_END_SCRIPT, RUN_END_SIGNAL, RUN_END_ERROR };

struct run_phases {
	uint64_t setup_ns, warmup_ns, measure_ns, drain_ns; /* lengths */
	int64_t wall_start_s; /* Unix time of the start of the measured window */
};

/* Everything measured; freed by run_result_fini. */
struct run_result {
	struct run_figures total; /* the whole measured window */
	struct tally_sum *sum;    /* what total.sum points to; NULL: the run did not start */
	struct run_figures last;  /* since the last checkpoint; without one the same as total */
	struct tally_sum *last_sum;
	struct tally_sum **targets; /* sums of the clients of each target, which add up to `sum`;
	                               ntargets, NULL when there is one */
	unsigned ntargets;
	struct run_phases phases;
	enum run_end end;
	int signal;     /* RUN_END_SIGNAL */
	bool partial;   /* ended before its time or events */
	bool abandoned; /* workers hang in an event: the process must end without joining them */
	struct err err; /* RUN_END_ERROR: the first */
	/* the generator's own cost */
	double cpu_user_s, cpu_system_s; /* of the workers, over measure and drain */
	double cpu_share;                /* of the CPUs that we may use, 0..1 */
	uint64_t ctx_switches;
	uint64_t max_rss_bytes;
	double clock_cost_ns, clock_drift_ppm;
	const char *clock_kind;
	double idle_overhead_ns; /* per event: time between events that is ours, closed loop without
	                            waits */
};

/* Who hears of intervals and checkpoints. Called from the ticker's (main) thread. */
struct run_sink {
	void *ctx;
	void (*interval)(void *ctx, const struct run_figures *f);
	void (*checkpoint)(void *ctx, const struct run_figures *f);
	void (*started)(void *ctx); /* all threads are ready; may be NULL */
};

/* One event that counted, at its end. */
struct run_event {
	unsigned owner; /* client; in raw runs, where a worker has many, still one number each */
	unsigned type;  /* index in the mix */
	bool failed;    /* not EVENT_OK */
	uint64_t intended_ns, end_ns; /* of the run's clock */
};

/* Who hears of single events and of the measured window: a capture. */
struct run_probe {
	void *ctx;
	/* From each worker's thread, before the worker is initialised. Non-zero with `err`: the run
	 * does not start. */
	int (*worker)(void *ctx, unsigned worker, struct err *err);
	/* From the thread of the event's worker, in its measured loop: must not block. */
	void (*ended)(void *ctx, const struct run_event *e);
	/* From the main thread, before the first event: when the measured window will open, and
	 * when it will close (RUN_NEVER: at the last event). */
	void (*planned)(void *ctx, uint64_t begin_ns, uint64_t end_ns);
	/* From the main thread: the window opens, and closes. Each at most once; only what opened
	 * closes. */
	void (*window)(void *ctx, bool open);
};

struct run {
	struct run_config config;
	const struct clock *clock;
	const struct log *log;
	const struct run_ops *ops;
	void *ops_ctx;
	const struct run_sink *sink;         /* may be NULL */
	const struct run_probe *probe;       /* may be NULL */
	const struct mix *mix;               /* sealed */
	const volatile sig_atomic_t *signal; /* number of a signal that asks to end, 0 none */
	/* ---- */
	volatile int stop;             /* workers end at the next event */
	uint64_t start_ns, measure_ns; /* set before the workers pass the barrier */
	_Atomic uint64_t end_ns;       /* moved forward in time only by an early end */
	struct sched arrivals;
	struct worker *workers;
	struct client *clients;
	struct tally **tallies; /* of the clients */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned ready, running; /* under lock */
	bool go, init_failed;    /* under lock */
	struct err err;          /* under lock: the first */
	enum run_end end;        /* under lock */
};

/* Runs to the end. 0, or -errno with result->err set; the result is filled as far as it came in
 * either case. */
int run_execute(struct run *run, struct run_result *result);
void run_result_fini(struct run_result *result);

/* Ends the run early: the first reason stays. Any thread. `err` may be NULL. */
void run_stop(struct run *run, enum run_end why, const struct err *err);

#endif
