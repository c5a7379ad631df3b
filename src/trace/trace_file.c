/* SPDX-License-Identifier: MIT */
#include "trace/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* No file or drive is larger. It bounds the memory that what is made of the addresses takes. */
#define ADDRESS_MAX_BYTES (1ull << 46)

/* ---- reading ---- */

/* Bytes read, fewer at the end of the file; -errno. */
static ssize_t read_all(int fd, void *buf, size_t len, uint64_t at)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = pread(fd, (char *)buf + got, len - got, (off_t)(at + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

static int check_head(const struct trace_head *h, const char *path, struct err *err)
{
	if (memcmp(h->magic, TRACE_MAGIC, sizeof(h->magic)) != 0)
		return err_usage(err,
		                 "%s: this is no trace of ioltp; name the file that --capture-file "
		                 "wrote",
		                 path);
	if (h->byte_order != TRACE_BYTE_ORDER)
		return err_usage(err, "%s: made on a machine of another byte order; read it there",
		                 path);
	if (h->nfiles > TRACE_FILES_MAX || h->ntypes > TRACE_TYPES_MAX ||
	    h->source > TRACE_SOURCE_BLOCK)
		return err_usage(err, "%s: its head is damaged; capture again", path);
	return 0;
}

/* A transaction goes before the I/O that it begins with. */
static int by_begin(const void *a, const void *b)
{
	const struct trace_event *x = a, *y = b;

	if (x->begin_ns != y->begin_ns)
		return x->begin_ns > y->begin_ns ? 1 : -1;
	return (y->op == TRACE_TXN) - (x->op == TRACE_TXN);
}

/* Whether all indexes lead somewhere. */
static bool sound(const struct trace *t, const struct trace_event *e)
{
	if (e->op >= TRACE_OPS)
		return false;
	if (e->op == TRACE_TXN)
		return e->type < t->head.ntypes;
	return e->file < t->head.nfiles && e->offset_bytes <= ADDRESS_MAX_BYTES &&
	       e->latency_ns <= INT64_MAX && e->begin_ns <= INT64_MAX;
}

/* Leaves those that began in the window, by their beginnings. 0, or -EINVAL at a damaged one. */
static int settle(struct trace *t, size_t n, bool finished, const char *path, struct err *err)
{
	uint64_t last_ns = 0;

	t->nevents = 0;
	for (size_t i = 0; i < n; i++) {
		const struct trace_event *e = &t->events[i];
		uint64_t end_ns = e->begin_ns + e->latency_ns;

		if (!sound(t, e))
			return err_usage(err, "%s: event %zu is damaged; capture again", path, i);
		if (e->begin_ns < t->head.begin_ns || (finished && e->begin_ns >= t->head.end_ns))
			continue;
		last_ns = end_ns > last_ns ? end_ns : last_ns;
		t->events[t->nevents++] = *e;
	}
	if (!finished)
		t->head.end_ns = last_ns > t->head.begin_ns ? last_ns : t->head.begin_ns;
	if (t->nevents != 0)
		qsort(t->events, t->nevents, sizeof(*t->events), by_begin);
	return 0;
}

static int load_events(struct trace *t, int fd, uint64_t size_bytes, const char *path,
                       struct err *err)
{
	uint64_t room = (size_bytes - TRACE_EVENTS_AT) / sizeof(*t->events);
	bool finished = t->head.events != TRACE_UNFINISHED;
	uint64_t n = finished ? t->head.events : room;
	ssize_t got;

	if (n > room)
		return err_usage(err, "%s: cut off: %llu of %llu events are there; copy it again",
		                 path, (unsigned long long)room, (unsigned long long)n);
	t->events = malloc(n != 0 ? n * sizeof(*t->events) : 1);
	if (t->events == NULL) {
		err_run(err, "%s: out of memory for %llu events", path, (unsigned long long)n);
		return -ENOMEM;
	}
	got = read_all(fd, t->events, n * sizeof(*t->events), TRACE_EVENTS_AT);
	if (got < 0)
		return err_run(err, "%s: cannot be read: %s", path, strerror((int)-got));
	if ((size_t)got != n * sizeof(*t->events))
		return err_usage(err, "%s: cut off while it was read; read it again", path);
	return settle(t, n, finished, path, err);
}

static int load_head(struct trace *t, int fd, const char *path, struct err *err)
{
	ssize_t got = read_all(fd, &t->head, sizeof(t->head), 0);
	size_t table = sizeof(*t->files) * TRACE_FILES_MAX;
	int rc;

	if (got < 0)
		return err_run(err, "%s: cannot be read: %s", path, strerror((int)-got));
	if ((size_t)got != sizeof(t->head))
		return err_usage(err,
		                 "%s: too short for a trace of ioltp; name the file that "
		                 "--capture-file wrote",
		                 path);
	rc = check_head(&t->head, path, err);
	if (rc != 0)
		return rc;
	t->files = malloc(table);
	if (t->files == NULL) {
		err_run(err, "%s: out of memory", path);
		return -ENOMEM;
	}
	got = read_all(fd, t->files, table, sizeof(t->head));
	if (got < 0)
		return err_run(err, "%s: cannot be read: %s", path, strerror((int)-got));
	if ((size_t)got != table)
		return err_usage(err, "%s: cut off in its head; copy it again", path);
	for (unsigned i = 0; i < TRACE_FILES_MAX; i++)
		t->files[i].path[sizeof(t->files[i].path) - 1] = '\0';
	for (unsigned i = 0; i < TRACE_TYPES_MAX; i++)
		t->head.types[i][sizeof(t->head.types[i]) - 1] = '\0';
	return 0;
}

int trace_load(struct trace *t, const char *path, struct err *err)
{
	struct stat st;
	int fd, rc;

	*t = (struct trace){.path = strdup(path)};
	/* A pipe must not wait for its writer. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		rc = -errno;
		err_usage(err, "%s: cannot be opened: %s; name a trace", path, strerror(errno));
		return rc;
	}
	rc = load_head(t, fd, path, err);
	if (rc == 0 && fstat(fd, &st) != 0)
		rc = err_run(err, "%s: %s", path, strerror(errno));
	if (rc == 0)
		rc = load_events(t, fd, (uint64_t)st.st_size, path, err);
	close(fd);
	return rc;
}

void trace_fini(struct trace *t)
{
	free(t->files);
	free(t->events);
	free(t->path);
	*t = (struct trace){0};
}

/* ---- writing ---- */

static int write_all(int fd, const void *buf, size_t len, uint64_t at)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pwrite(fd, (const char *)buf + done, len - done, (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	return 0;
}

int trace_write_head(int fd, const struct trace_head *h, const struct trace_file *files)
{
	int rc = write_all(fd, h, sizeof(*h), 0);

	return rc == 0 ? write_all(fd, files, TRACE_FILES_MAX * sizeof(*files), sizeof(*h)) : rc;
}

int trace_write_events(int fd, const struct trace_event *events, size_t n, uint64_t first)
{
	return write_all(fd, events, n * sizeof(*events),
	                 TRACE_EVENTS_AT + first * sizeof(*events));
}
