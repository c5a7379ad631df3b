/* SPDX-License-Identifier: MIT */
/* What the run asked of its drive. */
#include "report/rep_json.h"

#ifdef HAVE_JANSSON

#include "report/figures.h"
#include "report/rep_json_put.h"

static json_t *per_transaction(const struct captured_io *io)
{
	double n = (double)io->transactions;
	json_t *o;

	if (io->transactions == 0)
		return json_null();
	o = json_object();
	put_real(o, "reads", (double)io->counts[CAPTURED_READ] / n);
	put_real(o, "writes", (double)io->counts[CAPTURED_WRITE] / n);
	put_real(o, "flushes", (double)io->counts[CAPTURED_FLUSH] / n);
	put_real(o, "read_bytes", (double)io->bytes[CAPTURED_READ] / n);
	put_real(o, "written_bytes", (double)io->bytes[CAPTURED_WRITE] / n);
	return o;
}

static json_t *matrix(const struct captured_io *io)
{
	static const char *const names[CAPTURED_OPS] = {"read", "write", "flush", "discard"};
	json_t *a = json_array();

	for (unsigned i = 0; i < io->ncells; i++) {
		const struct captured_cell *c = &io->cells[i];
		json_t *o = json_object();

		put(o, "op", json_string(names[c->op]));
		put_count(o, "size_bytes", c->size_bytes);
		put(o, "sequential", json_boolean(c->sequential));
		put_count(o, "count", c->count);
		put_count(o, "bytes", c->bytes);
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *ios(const struct result *r, const struct captured_io *io)
{
	json_t *o;

	if (io == NULL)
		return json_null();
	o = json_object();
	put_count(o, "reads", io->counts[CAPTURED_READ]);
	put_count(o, "cached_reads", io->cached_reads);
	put_count(o, "writes", io->counts[CAPTURED_WRITE]);
	put_count(o, "flushes", io->counts[CAPTURED_FLUSH]);
	put_count(o, "fua_writes", io->fua_writes);
	put_count(o, "discards", io->counts[CAPTURED_DISCARD]);
	put_count(o, "failed", io->failed);
	put_count(o, "read_bytes", io->bytes[CAPTURED_READ]);
	put_count(o, "written_bytes", io->bytes[CAPTURED_WRITE]);
	put_count(o, "discard_bytes", io->bytes[CAPTURED_DISCARD]);
	put_count(o, "transactions", io->transactions);
	put(o, "per_transaction", per_transaction(io));
	put_real(o, "outstanding_mean", io->outstanding_mean);
	put_count(o, "outstanding_p99", io->outstanding_p99);
	put(o, "read_latency_ns", rep_json_latency(r, io->latency[CAPTURED_READ]));
	put(o, "write_latency_ns", rep_json_latency(r, io->latency[CAPTURED_WRITE]));
	put(o, "flush_latency_ns", rep_json_latency(r, io->latency[CAPTURED_FLUSH]));
	put(o, "matrix", matrix(io));
	put(o, "matrix_rounded", json_boolean(io->rounded));
	return o;
}

static json_t *commit(const struct captured_io *io)
{
	bool known = io != NULL && io->has_commit;
	json_t *o = json_object();

	put(o, "flush_share", known ? rep_json_real(io->flush_share) : json_null());
	put(o, "device_share", known ? rep_json_real(io->device_share) : json_null());
	return o;
}

static void put_process(json_t *o, const struct captured_process *p, bool calls)
{
	put_real(o, "cpu_s", p->cpu_s);
	put(o, "read_bytes", p->has_io ? json_integer((json_int_t)p->read_bytes) : json_null());
	put(o, "written_bytes",
	    p->has_io ? json_integer((json_int_t)p->written_bytes) : json_null());
	if (!calls)
		return;
	put(o, "rchar", p->has_io ? json_integer((json_int_t)p->rchar) : json_null());
	put(o, "wchar", p->has_io ? json_integer((json_int_t)p->wchar) : json_null());
}

static json_t *server(const struct captured_process *p)
{
	json_t *o;

	if (p == NULL)
		return json_null();
	o = json_object();
	put_count(o, "processes", p->processes);
	put_process(o, p, false);
	return o;
}

static json_t *device_stat(const struct captured_device *d)
{
	json_t *o;

	if (d == NULL)
		return json_null();
	o = json_object();
	put_real(o, "elapsed_s", d->elapsed_s);
	put_count(o, "reads", d->reads);
	put_count(o, "writes", d->writes);
	put(o, "flushes", d->has_flushes ? json_integer((json_int_t)d->flushes) : json_null());
	put_count(o, "discards", d->discards);
	put_count(o, "read_bytes", d->read_bytes);
	put_count(o, "written_bytes", d->written_bytes);
	put_count(o, "discard_bytes", d->discard_bytes);
	put_real(o, "busy_share", d->busy_share);
	put(o, "flush_ms", d->has_flushes ? json_integer((json_int_t)d->flush_ms) : json_null());
	put_real(o, "queue_mean", d->queue_mean);
	return o;
}

static json_t *texts(char *const *list, unsigned n)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < n; i++)
		json_array_append_new(a, rep_json_text(list[i]));
	return a;
}

json_t *rep_json_capture(const struct result *r)
{
	const struct result_capture *c = r->capture;
	json_t *o = json_object(), *system = json_object(), *process = json_object();

	put(o, "source", json_string(c->source));
	put(o, "file", rep_json_text(c->file));
	put(o, "device", rep_json_text(c->device));
	put(o, "target", rep_json_text(c->target));
	put_count(o, "target_bytes", c->target_bytes);
	put_real(o, "elapsed_s", c->elapsed_s);
	put_count(o, "events", c->events);
	put_count(o, "dropped", c->dropped);
	put(o, "cut", json_boolean(c->cut));
	put(o, "unavailable", texts(c->unavailable, c->nunavailable));
	put(o, "io", ios(r, c->io));
	put(o, "commit", commit(c->io));
	put_count(system, "cpus", c->system.cpus);
	put_real(system, "cpu_busy_share", c->system.busy_share);
	put_real(system, "cpu_iowait_share", c->system.iowait_share);
	put(o, "system", system);
	put_process(process, &c->process, true);
	put(o, "process", process);
	put(o, "server", server(c->server));
	put(o, "device_stat", device_stat(c->device_stat));
	return o;
}

#else

typedef int rep_json_capture_needs_jansson;

#endif
