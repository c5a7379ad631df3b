/* SPDX-License-Identifier: MIT */
#include "trace/block_ring.h"

#include <errno.h>
#include <string.h>

#ifdef HAVE_LIBTRACEFS

#include <event-parse.h>
#include <fcntl.h>
#include <kbuffer.h>
#include <stdio.h>
#include <stdlib.h>
#include <tracefs.h>
#include <unistd.h>

/* The kernel keeps events for this long at 100,000 I/Os a second on one CPU: 0.5 s; shared out
 * where there are many CPUs. */
#define BUFFER_KB     8192
#define BUFFER_ALL_KB 131072
/* Of one CPU, read in one go at most. */
#define PAGES_AT_ONCE 8192

/* Where an event has its fields, from its format file. */
struct layout {
	int id;
	int pid, sector, nr_sector, error, rwbs; /* offsets; -1: it has none */
	int rwbs_size;
};

struct ring {
	struct tracefs_instance *instance;
	struct kbuffer *kbuf;
	struct layout events[3]; /* by enum block_step */
	int type;                /* offset of the event's number; it has two bytes */
	void *page;
	size_t page_bytes;
};

static const char *const names[] = {"block_rq_issue", "block_rq_complete", "block_rq_requeue"};

/* ---- formats ---- */

static int offset_of(struct tep_event *event, const char *name, int *size)
{
	const struct tep_format_field *f = tep_find_any_field(event, name);

	if (f == NULL)
		return -1;
	if (size != NULL)
		*size = f->size;
	return f->offset;
}

/* The format alone: tracefs_local_events_system would read all of the kernel's symbols, too. */
static struct tep_event *read_event(struct tep_handle *tep, const char *name)
{
	int size = 0;
	char *text = tracefs_event_file_read(NULL, "block", name, "format", &size);
	struct tep_event *e = NULL;

	if (text != NULL && size > 0 &&
	    tep_parse_event(tep, text, (unsigned long)size, "block") == 0)
		e = tep_find_event_by_name(tep, "block", name);
	free(text);
	return e;
}

static bool read_formats(struct ring *r)
{
	struct tep_handle *tep = tep_alloc();
	bool good = tep != NULL;

	for (unsigned i = 0; good && i < 3; i++) {
		struct tep_event *e = read_event(tep, names[i]);
		struct layout *l = &r->events[i];

		good = e != NULL;
		if (!good)
			break;
		l->id = e->id;
		r->type = offset_of(e, "common_type", NULL);
		l->pid = offset_of(e, "common_pid", NULL);
		l->sector = offset_of(e, "sector", NULL);
		l->nr_sector = offset_of(e, "nr_sector", NULL);
		l->error = offset_of(e, "error", NULL);
		l->rwbs = offset_of(e, "rwbs", &l->rwbs_size);
		good = r->type >= 0 && l->pid >= 0 && l->sector >= 0 && l->nr_sector >= 0 &&
		       l->rwbs >= 0;
	}
	if (tep != NULL)
		tep_free(tep);
	return good;
}

/* ---- the instance ---- */

static int put(struct ring *r, const char *file, const char *text, struct err *err)
{
	if (tracefs_instance_file_write(r->instance, file, text) >= 0)
		return 0;
	err_run(err, "block tracepoints: %s=%s: %s; use --capture=vfs or counters", file, text,
	        strerror(errno));
	return errno != 0 ? -errno : -EIO;
}

static int set_up(struct ring *r, unsigned major, unsigned minor, unsigned ncpus, struct err *err)
{
	char filter[64], size[32], file[64];
	int rc, kb = BUFFER_ALL_KB / (int)ncpus;

	snprintf(size, sizeof(size), "%d", kb > BUFFER_KB ? BUFFER_KB : kb < 512 ? 512 : kb);
	/* As the kernel has device numbers inside. */
	snprintf(filter, sizeof(filter), "dev == %u", major << 20 | minor);
	rc = put(r, "trace_clock", "mono", err);
	if (rc == 0)
		rc = put(r, "buffer_size_kb", size, err);
	for (unsigned i = 0; rc == 0 && i < 3; i++) {
		snprintf(file, sizeof(file), "events/block/%s/filter", names[i]);
		rc = put(r, file, filter, err);
	}
	/* Ends before beginnings: what is seen to begin is seen to end. */
	for (unsigned i = 3; rc == 0 && i-- > 0;) {
		snprintf(file, sizeof(file), "events/block/%s/enable", names[i]);
		rc = put(r, file, "1", err);
	}
	return rc;
}

static int open_cpus(struct block_ring *b, unsigned ncpus, struct err *err)
{
	struct ring *r = b->impl;

	b->cpus = calloc(ncpus, sizeof(*b->cpus));
	if (b->cpus == NULL)
		return err_run(err, "block tracepoints: out of memory");
	for (unsigned i = 0; i < ncpus; i++) {
		char file[64];
		int fd;

		snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", i);
		fd = tracefs_instance_file_open(r->instance, file, O_RDONLY | O_NONBLOCK);
		if (fd < 0 && errno == ENOENT)
			continue; /* no such CPU */
		if (fd < 0)
			return err_run(err, "block tracepoints: %s: %s; raise ulimit -n", file,
			               strerror(errno));
		b->cpus[b->ncpus++].fd = fd;
	}
	return 0;
}

static struct ring *ring_new(void)
{
	struct ring *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	r->page = malloc(r->page_bytes);
	r->kbuf = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST, KBUFFER_ENDIAN_SAME_AS_HOST);
	return r;
}

int block_ring_open(struct block_ring *b, unsigned major, unsigned minor, struct err *err)
{
	struct ring *r = ring_new();
	long ncpus = sysconf(_SC_NPROCESSORS_CONF);
	char name[32];
	int rc;

	*b = (struct block_ring){.impl = r};
	if (r == NULL || r->page == NULL || r->kbuf == NULL) {
		rc = err_run(err, "block tracepoints: out of memory");
		goto close_ring;
	}
	if (!read_formats(r)) {
		rc = err_usage(err, "block tracepoints: this kernel has none; use --capture=vfs or "
		                    "counters");
		goto close_ring;
	}
	snprintf(name, sizeof(name), "ioltp-%d", (int)getpid());
	r->instance = tracefs_instance_create(name);
	if (r->instance == NULL) {
		rc = err_usage(err,
		               "block tracepoints: no tracing instance can be made: %s; use "
		               "--capture=vfs or counters",
		               strerror(errno));
		goto close_ring;
	}
	rc = open_cpus(b, ncpus > 0 ? (unsigned)ncpus : 1, err);
	if (rc == 0)
		rc = set_up(r, major, minor, b->ncpus != 0 ? b->ncpus : 1, err);
	if (rc == 0)
		return 0;
close_ring:
	block_ring_close(b);
	return rc;
}

/* Events that were overwritten before they were read, by one CPU's statistics. */
static uint64_t overrun(struct ring *r, unsigned cpu)
{
	char file[64], *text, *at;
	uint64_t n = 0;

	snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu);
	text = tracefs_instance_file_read(r->instance, file, NULL);
	if (text == NULL)
		return 0;
	at = strstr(text, "overrun:");
	if (at != NULL)
		n = strtoull(at + strlen("overrun:"), NULL, 10);
	at = strstr(text, "dropped events:");
	if (at != NULL)
		n += strtoull(at + strlen("dropped events:"), NULL, 10);
	free(text);
	return n;
}

uint64_t block_ring_close(struct block_ring *b)
{
	struct ring *r = b->impl;
	uint64_t lost = 0;

	if (r == NULL)
		return 0;
	for (unsigned i = 0; r->instance != NULL && i < 3; i++) {
		char file[64];

		snprintf(file, sizeof(file), "events/block/%s/enable", names[i]);
		tracefs_instance_file_write(r->instance, file, "0");
	}
	for (unsigned i = 0; i < b->ncpus; i++) {
		lost += overrun(r, i);
		close(b->cpus[i].fd);
		free(b->cpus[i].records);
	}
	if (r->instance != NULL) {
		tracefs_instance_destroy(r->instance);
		tracefs_instance_free(r->instance);
	}
	if (r->kbuf != NULL)
		kbuffer_free(r->kbuf);
	free(b->cpus);
	free(r->page);
	free(r);
	*b = (struct block_ring){0};
	return lost;
}

/* ---- reading ---- */

static uint32_t u32_at(const char *data, int offset)
{
	uint32_t v;

	memcpy(&v, data + offset, sizeof(v));
	return v;
}

static uint64_t u64_at(const char *data, int offset)
{
	uint64_t v;

	memcpy(&v, data + offset, sizeof(v));
	return v;
}

/* False: none of ours. */
static bool decode(const struct ring *r, const char *data, uint64_t at_ns, struct block_record *out)
{
	const struct layout *l = NULL;
	uint16_t type;

	memcpy(&type, data + r->type, sizeof(type));
	for (unsigned i = 0; i < 3; i++) {
		if (r->events[i].id == type) {
			l = &r->events[i];
			out->step = (uint8_t)i;
		}
	}
	if (l == NULL || !block_match_letters(out, data + l->rwbs, (size_t)l->rwbs_size))
		return false;
	out->at_ns = at_ns;
	out->sector = u64_at(data, l->sector);
	out->size_bytes = u32_at(data, l->nr_sector) * 512;
	out->pid = u32_at(data, l->pid);
	out->failed = l->error >= 0 && u32_at(data, l->error) != 0;
	return true;
}

static bool make_room(struct block_cpu *cpu)
{
	size_t room = cpu->room != 0 ? cpu->room * 2 : 1024;
	struct block_record *records;

	if (cpu->at != 0) {
		memmove(cpu->records, cpu->records + cpu->at,
		        (cpu->n - cpu->at) * sizeof(*cpu->records));
		cpu->n -= cpu->at;
		cpu->at = 0;
	}
	if (cpu->n < cpu->room)
		return true;
	records = realloc(cpu->records, room * sizeof(*records));
	if (records == NULL)
		return false;
	cpu->records = records;
	cpu->room = room;
	return true;
}

static void take_page(struct ring *r, struct block_cpu *cpu)
{
	unsigned long long at_ns;

	if (kbuffer_load_subbuffer(r->kbuf, r->page) != 0)
		return;
	if (kbuffer_missed_events(r->kbuf) != 0)
		cpu->lost = true;
	for (const char *data = kbuffer_read_event(r->kbuf, &at_ns); data != NULL;
	     data = kbuffer_next_event(r->kbuf, &at_ns)) {
		if (cpu->n == cpu->room && !make_room(cpu)) {
			cpu->lost = true;
			return;
		}
		if (decode(r, data, at_ns, &cpu->records[cpu->n]))
			cpu->n++;
	}
}

bool block_ring_read(struct block_ring *b, struct block_cpu *cpu)
{
	struct ring *r = b->impl;

	for (unsigned i = 0; i < PAGES_AT_ONCE; i++) {
		ssize_t n = read(cpu->fd, r->page, r->page_bytes);

		if (n <= 0)
			return true;
		take_page(r, cpu);
	}
	return false;
}

#else

int block_ring_open(struct block_ring *r, unsigned major, unsigned minor, struct err *err)
{
	(void)major;
	(void)minor;
	*r = (struct block_ring){0};
	err_usage(err, "block tracepoints: this ioltp was built without libtracefs; install "
	               "libtracefs-dev and build again");
	return -ENOTSUP;
}

uint64_t block_ring_close(struct block_ring *r)
{
	(void)r;
	return 0;
}

bool block_ring_read(struct block_ring *r, struct block_cpu *cpu)
{
	(void)r;
	(void)cpu;
	return true;
}

#endif
