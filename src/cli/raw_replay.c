/* SPDX-License-Identifier: MIT */
#include "cli/raw_replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "trace/distil.h"

#define PAGE_BYTES 4096u

static void take(struct raw_replay *r, const struct distil_io *from)
{
	struct io_timed *io = &r->ios[r->schedule.n++];

	*io = (struct io_timed){
	    .at_ns = from->at_ns, .offset_bytes = from->offset_bytes, .bytes = from->bytes};
	io->op = from->op == TRACE_FLUSH  ? IO_FLUSH
	         : from->op == TRACE_READ ? IO_READ
	         : from->fua              ? IO_WRITE_FUA
	                                  : IO_WRITE;
	if (io->bytes > r->schedule.largest_bytes)
		r->schedule.largest_bytes = io->bytes;
	r->schedule.length_ns = io->at_ns;
}

int raw_replay_load(struct raw_replay *r, struct raw_profile *p, const char *path, unsigned oio,
                    struct err *err)
{
	struct distil_io *ios = NULL;
	struct trace t;
	size_t n;
	int rc;

	*r = (struct raw_replay){.scale = 1};
	rc = trace_load(&t, path, err);
	if (rc == 0)
		rc = distil_ios(&ios, &n, &r->span_bytes, &t, err);
	if (rc == 0 && n == 0)
		rc = err_usage(err, "%s: no I/O reached the drive; there is nothing to replay",
		               path);
	if (rc == 0) {
		r->ios = calloc(n, sizeof(*r->ios));
		if (r->ios == NULL)
			rc = err_run(err, "%s: out of memory for %zu I/Os", path, n);
	}
	for (size_t i = 0; rc == 0 && i < n; i++)
		take(r, &ios[i]);
	r->schedule.ios = r->ios;
	if (rc == 0)
		io_replay_profile(p, &r->schedule, "trace", oio);
	free(ios);
	trace_fini(&t);
	return rc;
}

int raw_replay_fit(struct raw_replay *r, uint64_t target_bytes, uint32_t lba_bytes,
                   const struct log *log, struct err *err)
{
	char had[32], got[32];

	if (r->schedule.largest_bytes > target_bytes)
		return err_usage(
		    err,
		    "--replay-trace: an I/O of %u bytes is larger than the target; take "
		    "a larger one",
		    r->schedule.largest_bytes);
	if (target_bytes < r->span_bytes) {
		r->scale = (double)target_bytes / (double)r->span_bytes;
		log_warn(log,
		         "the trace used %s and the target has %s: all addresses are scaled down "
		         "to it",
		         units_format_size(had, sizeof(had), r->span_bytes),
		         units_format_size(got, sizeof(got), target_bytes));
	}
	for (size_t i = 0; i < r->schedule.n; i++) {
		struct io_timed *io = &r->ios[i];
		uint32_t unit = io->offset_bytes % PAGE_BYTES == 0 ? PAGE_BYTES : lba_bytes;

		if (io->bytes % lba_bytes != 0 || io->offset_bytes % lba_bytes != 0)
			return err_usage(err,
			                 "--replay-trace: an I/O of %u bytes at %llu does not fit "
			                 "the target's blocks of %u bytes; take another target",
			                 io->bytes, (unsigned long long)io->offset_bytes,
			                 lba_bytes);
		if (r->scale >= 1)
			continue;
		io->offset_bytes = (uint64_t)((double)io->offset_bytes * r->scale);
		if (io->offset_bytes > target_bytes - io->bytes)
			io->offset_bytes = target_bytes - io->bytes;
		io->offset_bytes -= io->offset_bytes % unit;
	}
	return 0;
}

void raw_replay_facts(const struct raw_replay *r, struct kv *kv)
{
	const struct io_schedule *s = &r->schedule;
	double length_s = (double)s->length_ns / 1e9;
	double error_s = (double)s->report.last_begun_ns / 1e9 - length_s;

	kv_int(kv, "replay_ios", (int64_t)s->n);
	kv_int(kv, "replay_begun", (int64_t)s->report.begun);
	kv_double(kv, "replay_length_s", length_s);
	kv_double(kv, "replay_address_scale", r->scale);
	kv_int(kv, "replay_late", (int64_t)s->report.late);
	kv_double(kv, "replay_late_max_s", (double)s->report.late_max_ns / 1e9);
	if (s->report.begun == s->n && length_s > 0)
		kv_double(kv, "replay_end_error", error_s / length_s);
}

void raw_replay_fini(struct raw_replay *r)
{
	free(r->ios);
	r->ios = NULL;
}
