/* SPDX-License-Identifier: MIT */
#ifdef HAVE_LIBURING

#include "raw/eng_uring_ring.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/sysfs.h"

/* Newer than liburing 2.3's header. */
#ifndef IORING_SETUP_NO_SQARRAY
#define IORING_SETUP_NO_SQARRAY (1u << 16)
#endif

#define BUFFER_BYTES_MAX (1ull << 30) /* of one registered buffer */

static const struct {
	unsigned flag;
	const char *name;
} names[] = {
    {IORING_SETUP_SINGLE_ISSUER, "SINGLE_ISSUER"},
    {IORING_SETUP_DEFER_TASKRUN, "DEFER_TASKRUN"},
    {IORING_SETUP_COOP_TASKRUN, "COOP_TASKRUN"},
    {IORING_SETUP_NO_SQARRAY, "NO_SQARRAY"},
    {IORING_SETUP_IOPOLL, "IOPOLL"},
    {IORING_SETUP_SQPOLL, "SQPOLL"},
};

#define NNAMES (sizeof(names) / sizeof(names[0]))

static void note_dropped(struct uring *u, const char *what)
{
	size_t len = strlen(u->dropped);

	snprintf(u->dropped + len, sizeof(u->dropped) - len, "%s%s", len != 0 ? ", " : "", what);
}

static void note_dropped_flags(struct uring *u, unsigned flags)
{
	for (size_t i = 0; i < NNAMES; i++) {
		if ((flags & names[i].flag) != 0)
			note_dropped(u, names[i].name);
	}
}

static int setup_once(struct uring *u, const struct uring_wishes *w, unsigned flags)
{
	struct io_uring_params p = {.flags = flags | IORING_SETUP_CLAMP | IORING_SETUP_SUBMIT_ALL};
	int fd, rc;

	if ((flags & IORING_SETUP_SQPOLL) != 0)
		p.sq_thread_idle = 1000;
	fd = io_uring_setup(w->depth, &p);
	if (fd < 0)
		return fd;
	if (p.sq_entries < w->depth) {
		close(fd);
		return -E2BIG;
	}
	rc = io_uring_queue_mmap(fd, &p, &u->ring);
	if (rc != 0) {
		close(fd);
		u->ring.ring_fd = -1;
		return rc;
	}
	if ((flags & IORING_SETUP_NO_SQARRAY) == 0) {
		for (unsigned i = 0; i < p.sq_entries; i++)
			u->ring.sq.array[i] = i;
	}
	u->setup = flags;
	u->sq_mask = p.sq_entries - 1;
	u->cq_mask = p.cq_entries - 1;
	return 0;
}

/*
 * What a kernel does not know it answers with EINVAL and not with which: the wishes go one after
 * another, those first that newer kernels brought (and DEFER_TASKRUN before SINGLE_ISSUER, without
 * which it is refused).
 */
static int setup(struct uring *u, const struct uring_wishes *w)
{
	static const unsigned droppable[] = {
	    IORING_SETUP_NO_SQARRAY,   IORING_SETUP_DEFER_TASKRUN, IORING_SETUP_SINGLE_ISSUER,
	    IORING_SETUP_COOP_TASKRUN, IORING_SETUP_IOPOLL,        IORING_SETUP_SQPOLL,
	};
	unsigned flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_NO_SQARRAY;
	int rc;

	if (w->commands)
		flags |= IORING_SETUP_SQE128 | IORING_SETUP_CQE32;
	/* Task work is a matter of threads that enter the kernel, and SQPOLL's do not. */
	if (w->sqpoll)
		flags |= IORING_SETUP_SQPOLL;
	else
		flags |= IORING_SETUP_COOP_TASKRUN | IORING_SETUP_DEFER_TASKRUN;
	if (w->iopoll)
		flags |= IORING_SETUP_IOPOLL;
	rc = setup_once(u, w, flags);
	for (size_t i = 0; rc == -EINVAL && i < sizeof(droppable) / sizeof(droppable[0]); i++) {
		if ((flags & droppable[i]) == 0)
			continue;
		flags &= ~droppable[i];
		note_dropped_flags(u, droppable[i]);
		rc = setup_once(u, w, flags);
	}
	return rc;
}

static void register_all(struct uring *u, const struct uring_wishes *w)
{
	struct iovec area = {w->buffers, w->buffers_bytes};

	u->read_op = IORING_OP_READ;
	u->write_op = IORING_OP_WRITE;
	if (w->buffers_bytes <= BUFFER_BYTES_MAX &&
	    io_uring_register_buffers(&u->ring, &area, 1) == 0) {
		u->fixed_buffers = true;
		u->read_op = IORING_OP_READ_FIXED;
		u->write_op = IORING_OP_WRITE_FIXED;
	} else {
		note_dropped(u, "registered buffers");
	}
	u->fd = w->fd;
	if (io_uring_register_files(&u->ring, &w->fd, 1) == 0) {
		u->fd = 0;
		u->sqe_flags = IOSQE_FIXED_FILE;
	} else {
		note_dropped(u, "registered file");
	}
	u->enter_fd = u->ring.ring_fd;
	if (io_uring_register_ring_fd(&u->ring) == 1) {
		u->enter_fd = u->ring.enter_ring_fd;
		u->enter_flags = IORING_ENTER_REGISTERED_RING;
	} else {
		note_dropped(u, "registered ring");
	}
}

static int init(struct uring *u, const struct uring_wishes *w, struct err *err)
{
	int rc;

	*u = (struct uring){.ring = {.ring_fd = -1}};
	rc = setup(u, w);
	if (rc == -E2BIG)
		return err_usage(err,
		                 "io_uring: the kernel allows fewer than %u I/Os in a ring; lower "
		                 "--oio or raise --workers",
		                 w->depth);
	if (rc == -ENOSYS || rc == -EPERM || rc == -EACCES)
		return err_usage(err,
		                 "io_uring: not allowed here: %s; use --engine=sync, or allow it "
		                 "(sysctl kernel.io_uring_disabled)",
		                 strerror(-rc));
	if (rc != 0)
		return err_run(err, "io_uring: cannot be set up: %s; use --engine=sync",
		               strerror(-rc));
	u->sqe_shift = w->commands ? 1 : 0;
	u->cqe_shift = w->commands ? 1 : 0;
	register_all(u, w);
	return 0;
}

static void fini(struct uring *u)
{
	if (u->ring.ring_fd >= 0) {
		if ((u->sqe_flags & IOSQE_FIXED_FILE) != 0)
			io_uring_unregister_files(&u->ring);
		io_uring_queue_exit(&u->ring);
	}
	u->ring.ring_fd = -1;
}

/* ---- polling ---- */

/* Does the driver have queues to poll? Where nobody tells: perhaps. */
static bool queues_poll(const struct raw_target *t)
{
	unsigned of_major = major((dev_t)t->dev), of_minor = minor((dev_t)t->dev);
	char dir[PATH_MAX], disk[PATH_MAX];
	uint64_t polls;

	if (t->is_nvme_generic ? !sysfs_generic_sibling("", of_major, of_minor, dir)
	                       : !sysfs_block_dir("", of_major, of_minor, dir))
		return true;
	sysfs_disk_dir("", dir, disk);
	return !sysfs_number("", &polls, "%s/queue/io_poll", disk) || polls != 0;
}

/* One read tells: what cannot be polled refuses each I/O, not the ring. */
static bool reads_polled(struct engine *e)
{
	const struct io_request io = {.op = IO_READ, .bytes = e->config.target->lba_bytes};
	struct engine_done done = {.result = -EINVAL};
	uint8_t *kept = malloc(io.bytes);
	int rc = 0;

	if (kept == NULL)
		return false;
	memcpy(kept, e->config.buffers, io.bytes);
	e->ops->queue(e, 0, &io);
	while (rc == 0 && e->ops->reap(e, &done, 1) == 0)
		rc = e->ops->submit(e, UINT64_MAX);
	memcpy(e->config.buffers, kept, io.bytes);
	free(kept);
	return rc == 0 && done.result != -EOPNOTSUPP && done.result != -EINVAL;
}

int uring_open(struct engine *e, const struct uring_wishes *wishes, struct err *err)
{
	struct uring_wishes w = *wishes;
	struct uring *u = calloc(1, sizeof(*u));
	const char *why_not = NULL;
	int rc;

	e->impl = u;
	if (u == NULL)
		return err_run(err, "io_uring: out of memory; use a smaller --oio");
	if (w.iopoll && !queues_poll(e->config.target)) {
		why_not = "IOPOLL (the drive has no queues to poll)";
		w.iopoll = false;
	}
	rc = init(u, &w, err);
	if (rc == 0 && (u->setup & IORING_SETUP_IOPOLL) != 0 && !reads_polled(e)) {
		why_not = "IOPOLL (the target cannot be polled)";
		w.iopoll = false;
		fini(u);
		rc = init(u, &w, err);
	}
	if (why_not != NULL)
		note_dropped(u, why_not);
	return rc;
}

void uring_close(struct engine *e)
{
	struct uring *u = e->impl;

	if (u != NULL)
		fini(u);
	free(u);
	e->impl = NULL;
}

/* ---- in the run ---- */

static int enter(struct uring *u, unsigned least, uint64_t until_ns, uint64_t now_ns)
{
	struct __kernel_timespec ts;
	struct io_uring_getevents_arg arg = {.ts = (uintptr_t)&ts};
	unsigned flags = u->enter_flags | IORING_ENTER_GETEVENTS;
	uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;

	if (least == 0 || until_ns == UINT64_MAX)
		return io_uring_enter2((unsigned)u->enter_fd, u->queued, least, flags, NULL, 0);
	ts.tv_sec = (long long)(left_ns / 1000000000u);
	ts.tv_nsec = (long long)(left_ns % 1000000000u);
	return io_uring_enter2((unsigned)u->enter_fd, u->queued, least,
	                       flags | IORING_ENTER_EXT_ARG, (void *)&arg, sizeof(arg));
}

/* The kernel's thread submits; only a wait, or its sleep, needs a system call. */
static int enter_polled(struct uring *u, uint64_t until_ns, uint64_t now_ns)
{
	bool ready = uring_ready(u, *u->ring.cq.khead) != 0;

	u->inflight += u->queued;
	u->queued = 0;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if ((__atomic_load_n(u->ring.sq.kflags, __ATOMIC_RELAXED) & IORING_SQ_NEED_WAKEUP) != 0)
		io_uring_enter2((unsigned)u->enter_fd, 0, 0,
		                u->enter_flags | IORING_ENTER_SQ_WAKEUP, NULL, 0);
	if (until_ns == 0 || ready)
		return 0;
	return enter(u, 1, until_ns, now_ns);
}

int uring_enter(struct uring *u, uint64_t until_ns, uint64_t now_ns)
{
	/* A ring that polls does so without a limit of time: it looks once. */
	bool limited = until_ns != UINT64_MAX && (u->setup & IORING_SETUP_IOPOLL) != 0;
	unsigned least = until_ns != 0 && !limited ? 1 : 0;
	int rc;

	__atomic_store_n(u->ring.sq.ktail, u->tail, __ATOMIC_RELEASE);
	if ((u->setup & IORING_SETUP_SQPOLL) != 0) {
		rc = enter_polled(u, until_ns, now_ns);
	} else {
		if (u->queued == 0 && least == 0 && u->inflight == 0)
			return 0;
		rc = enter(u, least, until_ns, now_ns);
		if (rc > 0) {
			u->queued -= (unsigned)rc;
			u->inflight += (unsigned)rc;
		}
	}
	/* What was not taken stays queued: there is something to reap first. */
	if (rc >= 0 || rc == -ETIME || rc == -EINTR || rc == -EAGAIN || rc == -EBUSY)
		return 0;
	return rc;
}

void uring_describe(const struct uring *u, struct strbuf *text)
{
	const char *separator = "";

	for (size_t i = 0; i < NNAMES; i++) {
		if ((u->setup & names[i].flag) == 0)
			continue;
		strbuf_addf(text, "%s%s", separator, names[i].name);
		separator = ", ";
	}
	if (u->fixed_buffers) {
		strbuf_addf(text, "%sregistered buffers", separator);
		separator = ", ";
	}
	if (u->sqe_flags != 0) {
		strbuf_addf(text, "%sregistered file", separator);
		separator = ", ";
	}
	if (u->enter_flags != 0)
		strbuf_addf(text, "%sregistered ring", separator);
	if (u->dropped[0] != '\0')
		strbuf_addf(text, "; not in force: %s", u->dropped);
}

#else

typedef int eng_uring_ring_needs_liburing;

#endif
