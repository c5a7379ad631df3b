/* SPDX-License-Identifier: MIT */
#include "trace/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "trace/trace_file.h"

/* How often lanes are emptied, and how often what was taken is written at least. */
#define ROUND_NS     20000000
#define WRITE_ROUNDS 50u
/* Written at once. */
#define CHUNK_BYTES 1048576u

struct recorder {
	int fd;
	uint64_t limit; /* events; UINT64_MAX: none */
	bool holds;     /* nothing is written before the memory is full */
	struct trace_event *batch;
	size_t batch_room, nbatch; /* events */
	uint64_t written;          /* events in the file */
	uint64_t dropped;          /* what the thread could not write */
	_Atomic uint64_t lost;     /* before they came here */
	bool limited;
	int write_errno;
	_Atomic uint64_t begin_ns; /* of the window; UINT64_MAX: not known yet */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stop;                   /* under lock */
	bool dirty;                  /* under lock: head or files have changed */
	struct trace_head head;      /* under lock */
	struct trace_file *files;    /* under lock: TRACE_FILES_MAX */
	struct recorder_lane *lanes; /* atomic; only grows */
};

/* ---- the thread ---- */

static void fail(struct recorder *r, int rc)
{
	if (r->write_errno == 0)
		r->write_errno = -rc;
}

/* Of the batch that could not be written to its end: those of which all is in the file. */
static uint64_t whole_events(const struct recorder *r)
{
	struct stat st;
	uint64_t n;

	if (fstat(r->fd, &st) != 0 || (uint64_t)st.st_size < TRACE_EVENTS_AT)
		return 0;
	n = ((uint64_t)st.st_size - TRACE_EVENTS_AT) / sizeof(*r->batch);
	return n > r->written ? n - r->written : 0;
}

static void write_batch(struct recorder *r)
{
	uint64_t n = r->nbatch;

	if (r->written + n > r->limit) {
		n = r->limit - r->written;
		r->limited = true;
	}
	if (r->write_errno != 0)
		n = 0;
	if (n != 0) {
		int rc = trace_write_events(r->fd, r->batch, n, r->written);

		if (rc != 0) {
			fail(r, rc);
			n = whole_events(r);
		}
	}
	r->written += n;
	r->dropped += r->nbatch - n;
	r->nbatch = 0;
}

static void write_head(struct recorder *r)
{
	struct trace_head head;
	struct trace_file files[TRACE_FILES_MAX];
	int rc;

	pthread_mutex_lock(&r->lock);
	head = r->head;
	memcpy(files, r->files, sizeof(files));
	r->dirty = false;
	pthread_mutex_unlock(&r->lock);
	rc = trace_write_head(r->fd, &head, files);
	if (rc != 0)
		fail(r, rc);
}

static void empty_lane(struct recorder *r, struct recorder_lane *l, uint64_t begin_ns)
{
	uint64_t put = __atomic_load_n(&l->put, __ATOMIC_ACQUIRE);
	uint64_t at = l->taken;

	for (; at != put; at++) {
		const struct trace_event *e = &l->ring[at & (l->room - 1)];

		if (e->begin_ns < begin_ns)
			continue;
		if (r->nbatch == r->batch_room)
			write_batch(r);
		r->batch[r->nbatch++] = *e;
	}
	__atomic_store_n(&l->taken, at, __ATOMIC_RELEASE);
}

static void empty_lanes(struct recorder *r)
{
	uint64_t begin_ns = r->begin_ns;

	if (begin_ns == UINT64_MAX)
		return;
	for (struct recorder_lane *l = __atomic_load_n(&r->lanes, __ATOMIC_ACQUIRE); l != NULL;
	     l = l->next)
		empty_lane(r, l, begin_ns);
}

/* Sleeps for a round, under the lock. True: the end has come. */
static bool rest(struct recorder *r, bool *dirty)
{
	struct timespec until;
	bool stop;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += ROUND_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&r->lock);
	if (!r->stop)
		pthread_cond_timedwait(&r->wake, &r->lock, &until);
	stop = r->stop;
	*dirty = r->dirty;
	pthread_mutex_unlock(&r->lock);
	return stop;
}

static void *recorder_main(void *arg)
{
	struct recorder *r = arg;
	unsigned rounds = 0;
	bool stop = false, dirty = false;

	while (!stop) {
		stop = rest(r, &dirty);
		empty_lanes(r);
		if (r->holds)
			continue;
		if (dirty)
			write_head(r);
		if (r->nbatch * sizeof(*r->batch) >= CHUNK_BYTES || ++rounds >= WRITE_ROUNDS) {
			write_batch(r);
			rounds = 0;
		}
	}
	return NULL;
}

/* ---- for its users ---- */

/* What is neither new, empty, nor a trace is somebody's: a database, a device. */
static int check_file(const struct recorder *r, const char *path, struct err *err)
{
	char magic[sizeof(r->head.magic)];
	struct stat st;

	if (fstat(r->fd, &st) != 0 || !S_ISREG(st.st_mode))
		return err_usage(
		    err, "--capture-file=%s: this is no regular file; choose another path", path);
	if (st.st_size == 0 || (pread(r->fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	                        memcmp(magic, TRACE_MAGIC, sizeof(magic)) == 0))
		return 0;
	return err_usage(err,
	                 "--capture-file=%s: a file is there that is no trace; remove it or choose "
	                 "another path",
	                 path);
}

static int open_file(struct recorder *r, const char *path, struct err *err)
{
	int rc;

	r->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644);
	if (r->fd < 0)
		return err_usage(err,
		                 "--capture-file=%s: cannot be written: %s; choose another path",
		                 path, strerror(errno));
	rc = check_file(r, path, err);
	if (rc != 0)
		return rc;
	/* Held as long as the file is open: two runs would write over each other's events. */
	if (flock(r->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return err_usage(err,
		                 "--capture-file=%s: another run captures into it; choose another "
		                 "path",
		                 path);
	/* Head and table now: a full disk must not cost them at the end. */
	rc = ftruncate(r->fd, 0) != 0 ? -errno : trace_write_head(r->fd, &r->head, r->files);
	if (rc != 0)
		return err_usage(err,
		                 "--capture-file=%s: cannot be written: %s; choose another path",
		                 path, strerror(-rc));
	return 0;
}

static int start(struct recorder *r, struct err *err)
{
	pthread_condattr_t attr;
	int rc;

	pthread_mutex_init(&r->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&r->wake, &attr);
	pthread_condattr_destroy(&attr);
	rc = pthread_create(&r->thread, NULL, recorder_main, r);
	if (rc == 0)
		return 0;
	pthread_cond_destroy(&r->wake);
	pthread_mutex_destroy(&r->lock);
	err_run(err, "capture: no thread could be started: %s; raise ulimit -u", strerror(rc));
	return -rc;
}

int recorder_new(struct recorder **out, const struct recorder_config *config, struct err *err)
{
	struct recorder *r = calloc(1, sizeof(*r));
	uint64_t room = config->hold_bytes > 2 * CHUNK_BYTES ? config->hold_bytes : 2 * CHUNK_BYTES;
	int rc = -ENOMEM;

	*out = NULL;
	if (r == NULL)
		goto no_memory;
	r->fd = -1;
	r->holds = config->hold_bytes != 0;
	r->limit = config->limit_bytes != 0 ? config->limit_bytes / sizeof(struct trace_event)
	                                    : UINT64_MAX;
	r->begin_ns = UINT64_MAX;
	memcpy(r->head.magic, TRACE_MAGIC, sizeof(r->head.magic));
	r->head.byte_order = TRACE_BYTE_ORDER;
	r->head.source = config->source;
	r->head.events = TRACE_UNFINISHED;
	r->batch_room = room / sizeof(*r->batch);
	r->batch = malloc(r->batch_room * sizeof(*r->batch));
	r->files = calloc(TRACE_FILES_MAX, sizeof(*r->files));
	if (r->batch == NULL || r->files == NULL)
		goto no_memory;
	rc = open_file(r, config->path, err);
	if (rc == 0)
		rc = start(r, err);
	if (rc != 0)
		goto free_all;
	*out = r;
	return 0;
no_memory:
	err_run(err, "capture: out of memory");
free_all:
	if (r != NULL && r->fd >= 0)
		close(r->fd);
	if (r != NULL) {
		free(r->batch);
		free(r->files);
	}
	free(r);
	return rc;
}

struct recorder_lane *recorder_lane(struct recorder *r, uint64_t events)
{
	struct recorder_lane *l = aligned_alloc(_Alignof(struct recorder_lane), sizeof(*l));

	if (l == NULL)
		return NULL;
	memset(l, 0, sizeof(*l));
	l->room = events;
	l->ring = malloc(events * sizeof(*l->ring));
	if (l->ring == NULL) {
		free(l);
		return NULL;
	}
	l->recorder = r;
	pthread_mutex_lock(&r->lock);
	l->next = r->lanes;
	__atomic_store_n(&r->lanes, l, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&r->lock);
	return l;
}

/* Per thread, and not handed through: SQLite calls its VFS without saying for which connection. */
static _Thread_local struct recorder_lane *attached;

int recorder_attach(struct recorder *r, uint32_t owner)
{
	attached = recorder_lane(r, RECORDER_LANE_EVENTS);
	if (attached == NULL)
		return -ENOMEM;
	attached->owner = owner;
	return 0;
}

struct recorder_lane *recorder_attached(void)
{
	return attached;
}

static unsigned find_file(struct recorder *r, const char *path, enum trace_kind kind)
{
	unsigned i;

	for (i = 0; i < r->head.nfiles; i++) {
		const struct trace_file *f = &r->files[i];

		if (f->kind == (uint32_t)kind && strncmp(f->path, path, sizeof(f->path) - 1) == 0)
			break;
	}
	return i;
}

unsigned recorder_file(struct recorder *r, const char *path, enum trace_kind kind,
                       uint32_t block_bytes)
{
	unsigned i;

	pthread_mutex_lock(&r->lock);
	i = find_file(r, path, kind);
	if (i >= TRACE_FILES_MAX - 1) {
		i = TRACE_FILES_MAX - 1;
		path = "(others)";
	}
	if (i >= r->head.nfiles) {
		struct trace_file *f = &r->files[i];

		strncpy(f->path, path, sizeof(f->path) - 1);
		f->kind = kind;
		f->block_bytes = block_bytes;
		r->head.nfiles = i + 1;
		r->dirty = true;
	}
	pthread_mutex_unlock(&r->lock);
	return i;
}

void recorder_file_size(struct recorder *r, unsigned file, uint64_t size_bytes)
{
	pthread_mutex_lock(&r->lock);
	if (r->files[file].size_bytes != size_bytes) {
		r->files[file].size_bytes = size_bytes;
		r->dirty = true;
	}
	pthread_mutex_unlock(&r->lock);
}

void recorder_type(struct recorder *r, const char *name)
{
	pthread_mutex_lock(&r->lock);
	if (r->head.ntypes < TRACE_TYPES_MAX) {
		strncpy(r->head.types[r->head.ntypes], name, sizeof(r->head.types[0]) - 1);
		r->head.ntypes++;
		r->dirty = true;
	}
	pthread_mutex_unlock(&r->lock);
}

void recorder_window(struct recorder *r, uint64_t begin_ns)
{
	pthread_mutex_lock(&r->lock);
	r->head.begin_ns = begin_ns;
	r->dirty = true;
	pthread_mutex_unlock(&r->lock);
	r->begin_ns = begin_ns;
}

void recorder_lost(struct recorder *r, uint64_t n)
{
	atomic_fetch_add(&r->lost, n);
}

void recorder_finish(struct recorder *r, uint64_t end_ns, struct recorder_report *report)
{
	pthread_mutex_lock(&r->lock);
	r->stop = true;
	pthread_cond_signal(&r->wake);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	write_batch(r);
	r->head.end_ns = end_ns > r->head.begin_ns ? end_ns : r->head.begin_ns;
	r->head.events = r->written;
	r->head.dropped = r->dropped + atomic_load(&r->lost);
	for (const struct recorder_lane *l = r->lanes; l != NULL; l = l->next)
		r->head.dropped += HIST_LOAD(&l->dropped);
	write_head(r);
	if (close(r->fd) != 0)
		fail(r, -errno);
	r->fd = -1;
	*report = (struct recorder_report){.events = r->written,
	                                   .dropped = r->head.dropped,
	                                   .limited = r->limited,
	                                   .write_errno = r->write_errno};
}

void recorder_free(struct recorder *r)
{
	if (r == NULL)
		return;
	if (attached != NULL && attached->recorder == r)
		attached = NULL;
	while (r->lanes != NULL) {
		struct recorder_lane *next = r->lanes->next;

		free(r->lanes->ring);
		free(r->lanes);
		r->lanes = next;
	}
	pthread_cond_destroy(&r->wake);
	pthread_mutex_destroy(&r->lock);
	free(r->batch);
	free(r->files);
	free(r);
}
