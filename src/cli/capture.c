/* SPDX-License-Identifier: MIT */
#include "cli/capture.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "cli/capture_where.h"
#include "cli/paths.h"
#include "cli/targets.h"
#include "raw/counters.h"
#include "sql/driver.h"
#include "trace/block.h"
#include "trace/summary.h"
#include "trace/system.h"
#include "trace/vfs.h"

/* Kept in memory while the run goes on, where writing a trace would disturb the drive. */
#define HOLD_BYTES (256ull << 20)

#define UNAVAILABLE_MAX 16u

const struct opt_desc capture_options[] = {
    {.name = "capture",
     .type = OPT_ENUM,
     .def = "off",
     .choices = "off|auto|vfs|block|counters",
     .help = "record what the run asks of its drive: block is each request to the drive (root), "
             "vfs each read, write and flush of SQLite, counters only what the kernel counts; auto "
             "is the first of these that can be had"},
    {.name = "capture-file",
     .type = OPT_STRING,
     .help = "where the trace goes; else beside --output with .trace added, or ioltp.trace"},
    {.name = "capture-limit",
     .type = OPT_SIZE,
     .def = "1G",
     .help = "the trace grows no further than this; an event has 40 bytes"},
    {.name = "device",
     .type = OPT_STRING,
     .help = "drive to capture, in the place of the one that the database is found to lie on"},
    OPT_END,
};

enum way { WAY_VFS, WAY_BLOCK, WAY_COUNTERS };

struct capture {
	struct capture_subject s;
	enum way way;
	bool automatic; /* other ways are tried when one fails */
	bool late;      /* the drive is known when the server has told where its data is */
	char file[PATH_MAX];
	char target[PATH_MAX]; /* "": not known */
	struct drive_node drive;
	bool has_drive;
	struct recorder *recorder; /* NULL: counters only */
	struct vfs *vfs;
	struct block *block;
	struct run *run;   /* while it goes on */
	uint64_t begin_ns; /* of the window, monotonic; 0: not yet known */
	struct run_probe probe;
	struct system_subject subject;
	struct system_look before, after;
	struct counters drive_before; /* of a run on a database: a raw run takes its own */
	bool looked, finished;
	char *unavailable[UNAVAILABLE_MAX];
	unsigned nunavailable;
	struct trace trace;
	struct captured_io io;
	struct captured_process server;
	struct captured_device device_stat;
	struct result_capture result;
};

static const char *const way_names[] = {"vfs", "block", "counters"};

/* ---- what cannot be had ---- */

static void __attribute__((format(printf, 2, 3))) not_had(struct capture *c, const char *fmt, ...)
{
	va_list args;
	char *text;

	if (c->nunavailable == UNAVAILABLE_MAX)
		return;
	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) >= 0)
		c->unavailable[c->nunavailable++] = text;
	va_end(args);
}

/* ---- the way ---- */

static bool is_sqlite(const struct capture *c)
{
	return c->s.driver != NULL && strcmp(c->s.driver, "sqlite") == 0;
}

static bool is_server(const struct capture *c)
{
	return c->s.driver != NULL &&
	       (strcmp(c->s.driver, "mysql") == 0 || strcmp(c->s.driver, "pgsql") == 0);
}

/* True: block tracepoints can be had, or will be tried when the server has told where it is. */
static bool can_block(struct capture *c, const char *no_drive, char *why, size_t room)
{
	unsigned major, minor;

	if (!block_possible(why, room))
		return false;
	if (c->has_drive)
		return block_traceable(&c->drive, &major, &minor, why, room);
	if (c->late)
		return true;
	snprintf(why, room, "%s", no_drive);
	return false;
}

static int no_trace(const char *why, struct err *err)
{
	return err_usage(err,
	                 "--twin: needs a record of each I/O, which cannot be had: %s; run without "
	                 "--twin, or as root on a drive",
	                 why);
}

static int choose(struct capture *c, const char *no_drive, struct err *err)
{
	const char *asked = opt_str(c->s.options, "capture");
	char why[512];

	c->automatic = strcmp(asked, "auto") == 0;
	c->way = WAY_COUNTERS;
	if (strcmp(asked, "vfs") == 0) {
		c->way = WAY_VFS;
		if (is_sqlite(c))
			return 0;
		return err_usage(err, "--capture=vfs: only SQLite's I/O can be seen so; use "
		                      "--capture=block as root, or counters");
	}
	if (strcmp(asked, "counters") == 0)
		return c->s.needs_trace ? no_trace("--capture=counters has none", err) : 0;
	if (can_block(c, no_drive, why, sizeof(why))) {
		c->way = WAY_BLOCK;
		return 0;
	}
	if (!c->automatic)
		return err_usage(err, "--capture=block: %s", why);
	not_had(c, "block tracepoints: %s", why);
	if (is_sqlite(c))
		c->way = WAY_VFS;
	else if (c->s.needs_trace)
		return no_trace(why, err);
	return 0;
}

/* ---- the file ---- */

static void name_file(struct capture *c)
{
	const char *file = opt_str(c->s.options, "capture-file");
	const char *output = opt_str(c->s.options, "output");

	if (file != NULL)
		snprintf(c->file, sizeof(c->file), "%s", file);
	else if (output != NULL)
		snprintf(c->file, sizeof(c->file), "%s.trace", output);
	else
		snprintf(c->file, sizeof(c->file), "ioltp.trace");
}

/* Names that others write during the run, whether their files are there now or not. */
static int check_file(const struct capture *c, struct err *err)
{
	static const char *const of_sqlite[] = {"", "-wal", "-shm", "-journal"};
	static const char *const of_output[] = {"", ".part", ".new"};
	const char *output = opt_str(c->s.options, "output");
	char path[PATH_MAX + 16];

	for (unsigned i = 0; is_sqlite(c) && c->target[0] != '\0' && i < 4; i++) {
		snprintf(path, sizeof(path), "%s%s", c->target, of_sqlite[i]);
		if (paths_same(c->file, path))
			return err_usage(err,
			                 "--capture-file=%s: refused: it is %s, a file of the "
			                 "database; choose another path",
			                 c->file, path);
	}
	for (unsigned i = 0; output != NULL && i < 3; i++) {
		snprintf(path, sizeof(path), "%s%s", output, of_output[i]);
		if (paths_same(c->file, path))
			return err_usage(err,
			                 "--capture-file=%s: refused: the result is written there; "
			                 "choose another path",
			                 c->file);
	}
	return 0;
}

static int open_recorder(struct capture *c, struct err *err)
{
	/* Where the server's data lies is not known yet: it may be there. */
	bool near = c->late || !c->has_drive || capture_same_drive(c->file, &c->drive);
	struct recorder_config config = {
	    .path = c->file,
	    .source = c->way == WAY_VFS ? TRACE_SOURCE_VFS : TRACE_SOURCE_BLOCK,
	    .limit_bytes = opt_size_bytes(c->s.options, "capture-limit"),
	    .hold_bytes = near ? HOLD_BYTES : 0,
	};
	char real[PATH_MAX];
	int rc = recorder_new(&c->recorder, &config, err);

	if (rc == 0 && realpath(c->file, real) != NULL)
		snprintf(c->file, sizeof(c->file), "%s", real);
	return rc;
}

static int open_vfs(struct capture *c, struct err *err)
{
	int rc;

	if (opt_str(c->s.options, "sqlite-vfs") != NULL)
		return err_usage(err,
		                 "--sqlite-vfs: cannot be given with --capture=vfs, which has its "
		                 "own; drop one");
	driver_sqlite_configure();
	rc = vfs_new(&c->vfs, c->recorder, c->s.clock, err);
	if (rc == 0)
		rc = opt_assign(c->s.options, "sqlite-vfs", VFS_NAME, err);
	return rc;
}

static int open_block(struct capture *c, struct err *err)
{
	const struct block_config config = {
	    .drive = &c->drive, .recorder = c->recorder, .clock = c->s.clock};
	char path[PATH_MAX];
	uint64_t sectors = 0, lba = 512;
	unsigned file;
	int rc = block_new(&c->block, &config, err);

	if (rc != 0)
		return rc;
	snprintf(path, sizeof(path), "/dev/%s", c->drive.name);
	sysfs_number("", &sectors, "%s/size", c->drive.dir);
	sysfs_number("", &lba, "%s/queue/logical_block_size", c->drive.dir);
	file = recorder_file(c->recorder, path, TRACE_KIND_DEVICE, (uint32_t)lba);
	recorder_file_size(c->recorder, file, sectors * 512);
	return 0;
}

static void take_counters(const struct capture *c, struct counters *counters)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/dev/%s", c->drive.name);
	counters_take(path, counters);
}

static void know_drive(struct capture *c)
{
	c->has_drive = true;
	c->subject.device_dir = c->drive.dir;
	if (c->s.driver != NULL)
		take_counters(c, &c->drive_before);
}

/* ---- the run ---- */

static uint64_t mono(const struct capture *c, uint64_t run_ns)
{
	return run_ns + c->s.clock->base_mono_ns;
}

static void on_ended(void *ctx, const struct run_event *e)
{
	struct recorder_lane *lane = recorder_attached();
	struct capture *c = ctx;
	struct trace_event t = {
	    .op = TRACE_TXN,
	    .begin_ns = mono(c, e->intended_ns),
	    .latency_ns = e->end_ns > e->intended_ns ? e->end_ns - e->intended_ns : 0,
	    .owner = e->owner,
	    .type = (uint16_t)(e->type < TRACE_TYPES_MAX ? e->type : TRACE_TYPES_MAX - 1),
	    .flags = e->failed ? TRACE_FAILED : 0,
	};

	if (lane != NULL)
		recorder_put(lane, &t);
}

static void on_planned(void *ctx, uint64_t begin_ns, uint64_t end_ns)
{
	struct capture *c = ctx;

	(void)end_ns;
	c->begin_ns = mono(c, begin_ns);
	if (c->recorder != NULL)
		recorder_window(c->recorder, c->begin_ns);
}

static void on_window(void *ctx, bool open)
{
	struct capture *c = ctx;

	system_look(open ? &c->before : &c->after, &c->subject);
	c->looked = !open;
}

static int on_worker(void *ctx, unsigned worker, struct err *err)
{
	struct capture *c = ctx;

	if (c->recorder == NULL || recorder_attach(c->recorder, worker) == 0)
		return 0;
	return err_run(err, "capture: out of memory for client %u; use fewer --threads", worker);
}

void capture_attach(struct capture *c, struct run *run)
{
	if (c == NULL)
		return;
	c->run = run;
	c->probe = (struct run_probe){c, on_worker, on_ended, on_planned, on_window};
	run->probe = &c->probe;
	for (unsigned i = 0; c->recorder != NULL && i < run->mix->ntypes; i++)
		recorder_type(c->recorder, run->mix->types[i].name);
}

static void add_server(void *ctx, const char *data_dir)
{
	struct system_subject *s = ctx;

	s->nservers += system_find_servers(data_dir, s->servers + s->nservers,
	                                   SYSTEM_SERVERS_MAX - s->nservers);
}

/* The server's processes, and the drive below its data unless --device said it. */
static void find_server(struct capture *c, const char *data_dir, char *why, size_t room)
{
	struct err err = ERR_INIT;
	bool found = c->has_drive;

	/* Of all servers, where we know them; else of the one that told its facts. */
	targets_each(c->s.options, add_server, &c->subject);
	if (c->subject.nservers == 0)
		add_server(&c->subject, data_dir);
	if (opt_str(c->s.options, "targets") == NULL &&
	    capture_several_servers(c->s.options, c->s.driver))
		not_had(c, "the processes of other servers than the first; --targets tells of all");
	if (c->subject.nservers == 0) {
		snprintf(why, room,
		         "no process of the server with data in %.200s is seen here; run as root, "
		         "or name its drive with --device",
		         data_dir);
		return;
	}
	if (realpath(data_dir, c->target) == NULL)
		snprintf(c->target, sizeof(c->target), "%s", data_dir);
	if (!found)
		capture_drive(&c->drive, c->s.options, data_dir, &found, why, room, &err);
	if (found)
		know_drive(c);
}

void capture_started(struct capture *c, const struct kv *database)
{
	struct err err = ERR_INIT;
	char why[512] = "";
	const char *dir;
	int rc;

	if (c == NULL || !is_server(c))
		return;
	dir = capture_data_dir(c->s.options, c->s.driver, database, why, sizeof(why));
	if (dir != NULL)
		find_server(c, dir, why, sizeof(why));
	if (c->subject.nservers == 0)
		not_had(c, "the server's processes: %s", why);
	if (!c->late || c->way != WAY_BLOCK)
		return;
	rc = c->has_drive ? open_block(c, &err) : err_usage(&err, "--capture=block: %s", why);
	if (rc == 0)
		return;
	if (c->s.needs_trace && c->automatic) {
		struct err cause = err;

		err = ERR_INIT;
		no_trace(cause.text, &err);
	}
	if (c->s.needs_trace || !c->automatic) {
		run_stop(c->run, RUN_END_ERROR, &err);
		return;
	}
	not_had(c, "%s", err.text);
	c->way = WAY_COUNTERS;
}

/* ---- before and after ---- */

static int open_all(struct capture *c, struct err *err)
{
	char why[512] = "";
	bool found;
	int rc;

	c->late = is_server(c) && opt_str(c->s.options, "device") == NULL;
	rc = capture_drive(&c->drive, c->s.options, c->s.path, &found, why, sizeof(why), err);
	if (rc != 0)
		return rc;
	if (found)
		know_drive(c);
	if (c->s.path != NULL && realpath(c->s.path, c->target) == NULL)
		snprintf(c->target, sizeof(c->target), "%s", c->s.path);
	rc = choose(c, why, err);
	if (rc != 0)
		return rc;
	if (!c->has_drive && !c->late)
		not_had(c, "counters of the drive: %s", why);
	if (c->way == WAY_COUNTERS)
		return 0;
	name_file(c);
	rc = check_file(c, err);
	if (rc == 0)
		rc = open_recorder(c, err);
	if (rc == 0 && c->way == WAY_VFS)
		rc = open_vfs(c, err);
	if (rc == 0 && c->way == WAY_BLOCK && !c->late)
		rc = open_block(c, err);
	return rc;
}

int capture_new(struct capture **out, const struct capture_subject *s, struct err *err)
{
	struct capture *c;
	int rc;

	*out = NULL;
	block_remove_stale();
	if (strcmp(opt_str(s->options, "capture"), "off") == 0)
		return 0;
	c = calloc(1, sizeof(*c));
	if (c == NULL)
		return err_run(err, "capture: out of memory");
	c->s = *s;
	rc = open_all(c, err);
	if (rc != 0) {
		capture_free(c);
		return rc;
	}
	*out = c;
	return 0;
}

static void stop_sources(struct capture *c)
{
	if (c->vfs != NULL) {
		vfs_sizes(c->vfs);
		if (vfs_blind(c->vfs) != NULL)
			not_had(c, "whether the page cache served a read: %s", vfs_blind(c->vfs));
		if (vfs_mapped_bytes(c->vfs) != 0)
			not_had(c, "reads through the memory map: only --sqlite-mmap-size=0 shows "
			           "them");
	}
	if (c->block != NULL)
		block_finish(c->block);
}

static void warn(const struct capture *c, const struct recorder_report *report, struct result *r)
{
	if (report->write_errno != 0)
		result_warn(r,
		            "capture: %s could not be written further: %s; what came afterwards is "
		            "missing in it and in the figures",
		            c->file, strerror(report->write_errno));
	else if (report->limited)
		result_warn(r,
		            "capture: %s reached --capture-limit; what came afterwards is missing "
		            "in it and in the figures; raise it or take a shorter --time",
		            c->file);
	else if (report->dropped != 0)
		result_warn(r,
		            "capture: %llu events are missing beside %llu: figures of I/O are too "
		            "low by as much",
		            (unsigned long long)report->dropped,
		            (unsigned long long)report->events);
}

static void summarise(struct capture *c, const struct recorder_report *report, struct result *r)
{
	struct err err = ERR_INIT;

	c->result.file = c->file;
	c->result.events = report->events;
	c->result.dropped = report->dropped;
	c->result.cut = report->write_errno != 0 || report->limited;
	warn(c, report, r);
	if (trace_load(&c->trace, c->file, &err) != 0) {
		result_warn(r, "capture: %s", err.text);
		return;
	}
	c->result.events = c->trace.nevents;
	c->result.elapsed_s = (double)(c->trace.head.end_ns - c->trace.head.begin_ns) / 1e9;
	if (summary_make(&c->io, &c->trace) == 0)
		c->result.io = &c->io;
	else
		result_warn(r, "capture: out of memory for figures of the trace");
	trace_fini(&c->trace);
}

static void differences(struct capture *c, struct kv *drive)
{
	struct result_capture *r = &c->result;
	struct counters after;

	if (c->has_drive && c->s.driver != NULL) {
		take_counters(c, &after);
		counters_diff(&c->drive_before, &after, drive);
	}
	if (!c->looked)
		return;
	if (r->elapsed_s <= 0)
		r->elapsed_s = (double)(c->after.at_ns - c->before.at_ns) / 1e9;
	system_diff(&c->before, &c->after, &r->system);
	system_diff_process(&c->before.own, &c->after.own, &r->process);
	if (c->subject.nservers != 0) {
		system_diff_process(&c->before.server, &c->after.server, &c->server);
		r->server = &c->server;
		if (!c->server.has_io)
			not_had(c, "the server's I/O: /proc/PID/io is for its own user and root");
	}
	if (system_diff_device(&c->before, &c->after, &c->device_stat))
		r->device_stat = &c->device_stat;
	else if (c->has_drive)
		not_had(c, "counters of the drive: /sys has none for %s", c->drive.name);
}

void capture_finish(struct capture *c, const struct run_result *run, struct result *result)
{
	struct recorder_report report;
	uint64_t end_ns;

	if (c == NULL)
		return;
	c->finished = true;
	stop_sources(c);
	if (c->recorder != NULL) {
		end_ns = c->begin_ns + (uint64_t)(run->total.end_s * 1e9);
		recorder_finish(c->recorder, end_ns, &report);
		/* Only transactions, where the tracepoints could not be had after all. */
		if (c->way == WAY_COUNTERS)
			unlink(c->file);
		else
			summarise(c, &report, result);
	}
	differences(c, &result->counters);
	c->result.source = way_names[c->way];
	c->result.device = c->has_drive ? c->drive.name : NULL;
	c->result.target = c->target[0] != '\0' ? c->target : NULL;
	if (c->target[0] != '\0')
		c->result.target_bytes = capture_bytes(c->target);
	c->result.unavailable = c->unavailable;
	c->result.nunavailable = c->nunavailable;
	result->capture = &c->result;
}

void capture_free(struct capture *c)
{
	struct recorder_report report;

	if (c == NULL)
		return;
	/* Without a run: nothing of it stays. */
	if (!c->finished && c->block != NULL)
		block_finish(c->block);
	if (!c->finished && c->recorder != NULL) {
		recorder_finish(c->recorder, 0, &report);
		unlink(c->file);
	}
	vfs_free(c->vfs);
	block_free(c->block);
	recorder_free(c->recorder);
	summary_fini(&c->io);
	for (unsigned i = 0; i < c->nunavailable; i++)
		free(c->unavailable[i]);
	free(c);
}
