/* SPDX-License-Identifier: MIT */
/*
 * cmp_verdict: what limited an application run, from figures about it and its synthetic twin;
 * docs/compare.md has the rule in words. Pure: any thread.
 */
#ifndef IOLTP_REPORT_CMP_VERDICT_H
#define IOLTP_REPORT_CMP_VERDICT_H

#include <stdbool.h>

enum cmp_cause {
	CMP_CAUSE_NONE, /* cannot tell; as second cause: there is no other near */
	CMP_CAUSE_OFFERED,
	CMP_CAUSE_DEVICE,
	CMP_CAUSE_CPU,
	CMP_CAUSE_LOCK,
	CMP_CAUSE_GENERATOR
};

/* What is known of a run. NAN: unknown. Shares are 0 to 1 unless they say otherwise. */
struct cmp_facts {
	bool open_loop;
	bool embedded; /* the database runs inside the generator's process (SQLite) */
	bool modelled; /* no database: the null driver */
	bool has_capture;
	double clients;
	double achieved; /* ok over offered */
	double idle;     /* closed loop: of the clients' time, between events (think times) */

	double reach_own;  /* application's transactions over the drive's at the identical mix, as
	                      many I/Os outstanding */
	double reach_most; /* the same, at saturation */
	double device_ios; /* I/Os that a transaction asked of the drive; 0: none */
	double device_time, flush_time; /* of the transactions' time */
	double device_busy;             /* of the elapsed time: kernel's view */

	double cpu_own;     /* generator and server, of the CPUs that they may use */
	double cpu_system;  /* all of the machine */
	double cpu_time;    /* CPU time of generator and server over the transactions' time */
	double cpu_allowed; /* CPUs that the run might use; cgroup limits included */

	double lock_time; /* of the transactions' time */

	double generator_cpu;   /* generator alone, of the CPUs that it may use */
	double generator_time;  /* its own time, of an event's and its own together */
	double lateness_p99_ns; /* open loop: how late it began though a client stood ready */
	double service_mean_ns; /* of an event */
};

/* A figure that the verdict rests on. */
struct cmp_figure {
	const char *key, *label; /* for programs; for people */
	enum cmp_cause cause;    /* that it speaks for */
	double value, limit;     /* at or above `limit` it speaks for `cause` */
};

#define CMP_FIGURES_MAX 16u
#define CMP_MISSING_MAX 8u

struct cmp_verdict {
	enum cmp_cause first, second;
	char words[1024];
	struct cmp_figure figures[CMP_FIGURES_MAX]; /* the known ones */
	unsigned nfigures;
	const char *missing[CMP_MISSING_MAX]; /* "what; how to get it" */
	unsigned nmissing;
};

void cmp_judge(const struct cmp_facts *f, struct cmp_verdict *v);
/* "device", "cpu", "lock", "generator", "offered load", "cannot tell" */
const char *cmp_cause_name(enum cmp_cause cause);

#endif
