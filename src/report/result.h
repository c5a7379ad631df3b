/* SPDX-License-Identifier: MIT */
/*
 * result: everything that a report of one run is made from. Filled by the command line layer,
 * written by rep_*.
 */
#ifndef IOLTP_REPORT_RESULT_H
#define IOLTP_REPORT_RESULT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/kv.h"
#include "base/opt.h"
#include "run/captured.h"
#include "run/cells.h"
#include "run/run.h"

#define RESULT_SCHEMA "ioltp-result-1"

/* One warning: what, and what to do. */
struct result_warnings {
	char **texts;
	unsigned n;
};

/* What the run asked of its drive, recorded while it went on (--capture). */
struct result_capture {
	const char *source; /* "vfs", "block" or "counters" */
	const char *file;   /* of the trace; NULL: none was written */
	const char *device; /* the drive, as the kernel names it; NULL: not known */
	const char *target; /* database file, data directory, or target of a raw run; NULL alike */
	uint64_t target_bytes;
	double elapsed_s;         /* of the window that the I/Os are of */
	uint64_t events, dropped; /* in the trace, and missing there */
	bool cut;                 /* the trace ends before the run did */
	char *const *unavailable; /* what could not be had, and what to do about it */
	unsigned nunavailable;
	const struct captured_io *io; /* NULL: no trace */
	struct captured_system system;
	struct captured_process process;
	const struct captured_process *server;     /* NULL: none of this machine */
	const struct captured_device *device_stat; /* NULL: not known */
};

struct result {
	const char *version;  /* of ioltp */
	const char *kind;     /* "sql" or "raw" */
	const char *workload; /* "oltp_read_write", a path, "a@70,b@30" */
	char *command_line;   /* secrets removed; owned */
	const struct opt_set *options;
	const struct run_config *config;
	const struct mix *mix;
	unsigned
	    lua_states;     /* that the clients share; 0: each has its own, or there is no script */
	const char *driver; /* "sqlite"; NULL: the script used no database */
	bool compat_1_1;    /* wording of the 1.1 reports */
	bool debug_histogram; /* --histogram: print it in the text report */
	bool show_serial;     /* device serial in clear instead of hashed */
	struct kv host, device, database;
	struct kv raw; /* raw runs: profile, engine and what is in force, outstanding I/Os ... */
	struct kv counters; /* of the drive: what the run did to it */
	bool durable; /* a commit survives a power cut, as far as the settings say; true when there
	                 is no database */
	struct result_warnings warnings;
	const struct result_capture *capture; /* NULL: off */
	const struct run_result *run;         /* NULL until the run is over */
	char **targets; /* names of run->targets, `ntargets`; NULL: there is one, or none; owned */
	unsigned ntargets;
	const struct result_point *points; /* raw runs with a curve */
	unsigned npoints;
	const struct result_test *tests; /* tests of many cells; `run` is then of the last one's
	                                    tracked cell */
	unsigned ntests;
};

/* One load of a curve. */
struct result_point {
	double per_cent;   /* of the maximum */
	double rate_per_s; /* asked for */
	bool saturated;    /* less was done than offered */
	struct run_result run;
};

enum result_metric { RESULT_IOPS, RESULT_THROUGHPUT, RESULT_LATENCY };

/* A test of cells (mixes x sizes) that ran round after round until one was steady; or a series of
 * one cell. */
struct result_test {
	const char *name, *title;
	bool series, sequential;
	enum result_metric metric; /* of the tracked cell and of the table */
	unsigned oio;
	double cell_s;
	unsigned nmixes, nsizes;
	const double *read_shares;
	const uint32_t *size_bytes;
	unsigned track_mix, track_size; /* indexes */
	unsigned nrounds;
	const struct cell_figures *cells; /* nrounds * nmixes * nsizes: by round, mix, size */
	const struct cell_figures *means; /* nmixes * nsizes: over the window's rounds */
	const double *tracked, *end_s, *written_bytes; /* by round; the last two from the start */
	/* the verdict, of the last `window` rounds */
	bool steady, partial;
	unsigned window_first, window; /* index; rounds */
	double mean, min, max, slope;  /* of the tracked value; slope per round */
	double range, excursion;       /* shares of the mean */
	double range_limit, excursion_limit;
	unsigned max_rounds;
	const struct kv *conditioning; /* what was done to the target before */
};

void result_init(struct result *r);
void result_fini(struct result *r);
/* Adds a warning once. */
void result_warn(struct result *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The command line with the values of secret options as "***". NULL: out of memory. */
char *result_command_line(int argc, char *const *argv, const struct opt_set *set);

/* ---- facts_*.c: host and device, from /proc and /sys; what cannot be read is left out ---- */

/*
 * cpu_model, cpus, cpus_usable, memory_bytes, cgroup_cpus_max, cgroup_memory_max_bytes, kernel,
 * governor, clocksource, os, virtualization ("none" on metal), container. The host's name is not
 * told.
 */
void facts_host(struct kv *host);
/*
 * The drive under a path (when it does not exist, under the nearest directory above it): path,
 * filesystem, mount_point, mount_options, free_bytes (none of the four for a block device), device
 * (as the kernel names it), major_minor, and through partitions, dm, md and loop to the drive:
 * layers ("dm-0 (vg-data) on sda2 on sda"), drive, drives (when several lie below; the facts are
 * the first one's), model, firmware, serial (hashed unless `show_serial`), capacity_bytes,
 * logical_block_bytes, physical_block_bytes, rotational, scheduler, write_cache, queue_depth,
 * link_speed, link_width, link_speed_max, numa_node. note: why this is no local drive (tmpfs,
 * overlay, network).
 */
void facts_device(struct kv *device, const char *path, bool show_serial);

/* ---- judge.c: warnings that follow from the figures ---- */

/* Generator limits (CPU share, lateness of arrivals, clock), open loop that was not reached,
 * skipped and unfinished work, few samples for a percentile, relaxed durability, tmpfs. */
void result_judge(struct result *r);

/* A metric as it is printed. */
double result_cell_metric(const struct cell_figures *f, enum result_metric metric);

/* ---- the writers; all return 0 or -errno (a full disk shows), and none closes `out` ---- */

/* Text in sysbench's form. Interval and checkpoint lines as they come, then the final report and
 * our own lines. */
int rep_text_interval(const struct result *r, const struct run_figures *f, FILE *out);
int rep_text_checkpoint(const struct result *r, const struct run_figures *f, FILE *out);
/* Only the part that sysbench has (a script's report_default calls it for cumulative statistics).
 */
int rep_text_cumulative(const struct result *r, const struct run_figures *f, FILE *out);
int rep_text_final(const struct result *r, FILE *out);
/* A line of the table of a curve; the heading goes before the first. */
int rep_text_curve_head(const struct result *r, FILE *out);
int rep_text_point(const struct result *r, const struct result_point *p, FILE *out);
/* Only our own lines, for runs whose script prints its own cumulative report. */
int rep_text_details(const struct result *r, FILE *out);

/* CSV: a header line, a row per interval, and at the end a row "total". */
int rep_csv_header(const struct result *r, FILE *out);
int rep_csv_interval(const struct result *r, const struct run_figures *f, FILE *out);
int rep_csv_final(const struct result *r, FILE *out);
/* A row "point 10" for a load of 10 % of the maximum. */
int rep_csv_point(const struct result *r, const struct result_point *p, FILE *out);

/*
 * The JSON document. Intervals are kept in the stream as they come and appended, a line each, to
 * PATH.part, so that a crash leaves them readable; the finished document replaces PATH in one step
 * and PATH.part is removed. PATH NULL: kept in memory only.
 */
struct rep_json;
/*
 * Opens PATH.part for writing at once, so that a bad path fails before the run. -errno with `err`.
 * Built without jansson: -ENOTSUP with `err`. A PATH that is a device or a pipe is written into at
 * the end; a symbolic link is followed.
 */
int rep_json_open(struct rep_json **j, const char *path, struct err *err);
/* 0 or -errno: the interval may then be missing in PATH.part, and is in the document all the same
 * (unless -ENOMEM). */
int rep_json_interval(struct rep_json *j, const struct result *r, const struct run_figures *f);
/*
 * Writes the document to `out` (may be NULL) and to PATH (if any). 0 or -errno with `err`, which
 * names the file; PATH is then as it was before the run and PATH.part stays.
 */
int rep_json_final(struct rep_json *j, const struct result *r, FILE *out, struct err *err);
/* NULL is fine. Without rep_json_final before, PATH.part stays unless no interval was written. */
void rep_json_close(struct rep_json *j);

#endif
