/* SPDX-License-Identifier: MIT */
/*
 * Blocking reads and writes: where io_uring is not allowed, and as the simplest thing to compare
 * with. One I/O at a time is done by the worker itself; more need a pool of threads.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "raw/engine.h"

#define THREADS_MAX 1024u

struct sync_io {
	struct io_request request;
	int32_t result;
};

struct sync_engine {
	struct sync_io *ios; /* by slot */
	uint32_t *staged;    /* queued since the last submit */
	unsigned nstaged;
	uint32_t *done; /* a ring of depth entries */
	unsigned done_head, ndone;
	/* ---- the pool: under lock, with `done` and its counters ---- */
	unsigned nthreads; /* 0: no pool */
	pthread_t *threads;
	pthread_mutex_t lock;
	pthread_cond_t wanted, finished;
	uint32_t *work; /* a ring of depth entries */
	unsigned work_head, nwork;
	bool ending, sync_made;
};

static int32_t perform(const struct engine *e, uint32_t slot)
{
	const struct sync_engine *s = e->impl;
	const struct io_request *io = &s->ios[slot].request;
	int fd = e->config.target->fd;
	struct iovec iov = {engine_buffer(e, slot), io->bytes};
	ssize_t n;

	do {
		switch ((enum io_op)io->op) {
		case IO_READ:
			n = pread(fd, iov.iov_base, io->bytes, (off_t)io->offset_bytes);
			break;
		case IO_FLUSH:
			n = fdatasync(fd);
			break;
		case IO_WRITE_FUA:
			n = pwritev2(fd, &iov, 1, (off_t)io->offset_bytes, RWF_DSYNC);
			break;
		case IO_WRITE:
		case IO_APPEND:
		default:
			n = pwrite(fd, iov.iov_base, io->bytes, (off_t)io->offset_bytes);
			break;
		}
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : (int32_t)n;
}

static void push(const struct engine *e, uint32_t *ring, unsigned head, unsigned *n, uint32_t slot)
{
	unsigned at = head + (*n)++;

	ring[at < e->config.depth ? at : at - e->config.depth] = slot;
}

static uint32_t pop(const struct engine *e, const uint32_t *ring, unsigned *head, unsigned *n)
{
	uint32_t slot = ring[*head];

	*head = *head + 1 < e->config.depth ? *head + 1 : 0;
	(*n)--;
	return slot;
}

/* ---- the pool ---- */

static void *pool_main(void *arg)
{
	struct engine *e = arg;
	struct sync_engine *s = e->impl;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		uint32_t slot;

		while (s->nwork == 0 && !s->ending)
			pthread_cond_wait(&s->wanted, &s->lock);
		if (s->nwork == 0)
			break;
		slot = pop(e, s->work, &s->work_head, &s->nwork);
		pthread_mutex_unlock(&s->lock);
		s->ios[slot].result = perform(e, slot);
		pthread_mutex_lock(&s->lock);
		push(e, s->done, s->done_head, &s->ndone, slot);
		if (s->ndone == 1)
			pthread_cond_signal(&s->finished);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static int start_pool(struct engine *e, struct err *err)
{
	struct sync_engine *s = e->impl;
	unsigned n = e->config.depth < THREADS_MAX ? e->config.depth : THREADS_MAX;
	pthread_condattr_t attr;

	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->wanted, NULL);
	pthread_cond_init(&s->finished, &attr);
	pthread_condattr_destroy(&attr);
	s->sync_made = true;
	s->threads = calloc(n, sizeof(*s->threads));
	s->work = calloc(e->config.depth, sizeof(*s->work));
	if (s->threads == NULL || s->work == NULL)
		return err_run(err, "sync engine: out of memory; use a smaller --oio");
	for (; s->nthreads < n; s->nthreads++) {
		int rc = pthread_create(&s->threads[s->nthreads], NULL, pool_main, e);

		if (rc != 0)
			return err_run(err,
			               "sync engine: thread %u could not be started: %s; use a "
			               "smaller --oio or raise ulimit -u",
			               s->nthreads, strerror(rc));
	}
	return 0;
}

static void wait_finished(struct engine *e, uint64_t until_ns)
{
	struct sync_engine *s = e->impl;
	uint64_t now = clock_now_ns(e->config.clock);
	struct timespec ts;

	if (until_ns == UINT64_MAX) {
		pthread_cond_wait(&s->finished, &s->lock);
		return;
	}
	if (until_ns <= now)
		return;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	ts.tv_sec += (time_t)((until_ns - now) / 1000000000u);
	ts.tv_nsec += (long)((until_ns - now) % 1000000000u);
	if (ts.tv_nsec >= 1000000000) {
		ts.tv_sec++;
		ts.tv_nsec -= 1000000000;
	}
	pthread_cond_timedwait(&s->finished, &s->lock, &ts);
}

/* ---- the hooks ---- */

static void sync_close(struct engine *e)
{
	struct sync_engine *s = e->impl;

	if (s == NULL)
		return;
	if (s->sync_made) {
		pthread_mutex_lock(&s->lock);
		s->ending = true;
		pthread_cond_broadcast(&s->wanted);
		pthread_mutex_unlock(&s->lock);
		for (unsigned i = 0; i < s->nthreads; i++)
			pthread_join(s->threads[i], NULL);
		pthread_cond_destroy(&s->wanted);
		pthread_cond_destroy(&s->finished);
		pthread_mutex_destroy(&s->lock);
	}
	free(s->threads);
	free(s->work);
	free(s->ios);
	free(s->staged);
	free(s->done);
	free(s);
	e->impl = NULL;
}

static int sync_open(struct engine *e, struct err *err)
{
	struct sync_engine *s = calloc(1, sizeof(*s));
	unsigned depth = e->config.depth;

	e->impl = s;
	if (s == NULL)
		return err_run(err, "sync engine: out of memory");
	s->ios = calloc(depth, sizeof(*s->ios));
	s->staged = calloc(depth, sizeof(*s->staged));
	s->done = calloc(depth, sizeof(*s->done));
	if (s->ios == NULL || s->staged == NULL || s->done == NULL)
		return err_run(err, "sync engine: out of memory; use a smaller --oio");
	return depth > 1 ? start_pool(e, err) : 0;
}

static void sync_queue(struct engine *e, unsigned slot, const struct io_request *io)
{
	struct sync_engine *s = e->impl;

	s->ios[slot].request = *io;
	s->staged[s->nstaged++] = slot;
}

static int submit_inline(struct engine *e, uint64_t until_ns)
{
	struct sync_engine *s = e->impl;

	for (unsigned i = 0; i < s->nstaged; i++) {
		s->ios[s->staged[i]].result = perform(e, s->staged[i]);
		push(e, s->done, s->done_head, &s->ndone, s->staged[i]);
	}
	s->nstaged = 0;
	if (s->ndone == 0 && until_ns != 0 && until_ns != UINT64_MAX)
		clock_sleep_until(e->config.clock, until_ns, NULL);
	return 0;
}

static int sync_submit(struct engine *e, uint64_t until_ns)
{
	struct sync_engine *s = e->impl;

	if (s->nthreads == 0)
		return submit_inline(e, until_ns);
	pthread_mutex_lock(&s->lock);
	for (unsigned i = 0; i < s->nstaged; i++) {
		push(e, s->work, s->work_head, &s->nwork, s->staged[i]);
		pthread_cond_signal(&s->wanted);
	}
	s->nstaged = 0;
	if (s->ndone == 0 && until_ns != 0)
		wait_finished(e, until_ns);
	pthread_mutex_unlock(&s->lock);
	return 0;
}

static unsigned sync_reap(struct engine *e, struct engine_done *done, unsigned max)
{
	struct sync_engine *s = e->impl;
	unsigned n = 0;

	if (s->nthreads != 0)
		pthread_mutex_lock(&s->lock);
	for (; s->ndone != 0 && n < max; n++) {
		done[n].slot = pop(e, s->done, &s->done_head, &s->ndone);
		done[n].result = s->ios[done[n].slot].result;
	}
	if (s->nthreads != 0)
		pthread_mutex_unlock(&s->lock);
	return n;
}

static void sync_describe(const struct engine *e, struct strbuf *text)
{
	const struct sync_engine *s = e->impl;

	if (s->nthreads == 0)
		strbuf_adds(text, "pread and pwrite in the worker itself");
	else
		strbuf_addf(text, "pread and pwrite in a pool of %u threads for each worker",
		            s->nthreads);
}

static int sync_check(const struct engine_config *c, struct err *err)
{
	if (c->target->is_nvme_generic)
		return err_usage(err, "%s: takes commands only; use --engine=uring_cmd",
		                 c->target->path);
	if (c->iopoll || c->sqpoll)
		return err_usage(
		    err, "--iopoll, --sqpoll: the sync engine has neither; use --engine=uring");
	return 0;
}

const struct engine_ops engine_sync = {
    .name = "sync",
    .help = "threads that read and write, one I/O each",
    .open = sync_open,
    .close = sync_close,
    .queue = sync_queue,
    .submit = sync_submit,
    .reap = sync_reap,
    .describe = sync_describe,
    .check = sync_check,
};
