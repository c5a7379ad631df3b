/* SPDX-License-Identifier: MIT */
/*
 * io_uring. The ring is set up and entered here and not by liburing's helpers, which add a function
 * call or two to each I/O and, in 2.3, do not know a ring without the index array.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "raw/engine.h"

#ifdef HAVE_LIBURING

#include <liburing.h>

#include "raw/eng_uring_ring.h"

static int open_ring(struct engine *e, struct err *err)
{
	struct uring_wishes wishes = {
	    .depth = e->config.depth,
	    .iopoll = e->config.iopoll,
	    .sqpoll = e->config.sqpoll,
	    .fd = e->config.target->fd,
	    .buffers = e->config.buffers,
	    .buffers_bytes = e->config.slot_bytes * e->config.depth,
	};

	return uring_open(e, &wishes, err);
}

static void ring_queue(struct engine *e, unsigned slot, const struct io_request *io)
{
	struct uring *u = e->impl;
	struct io_uring_sqe *sqe = uring_sqe(u);

	sqe->fd = u->fd;
	sqe->flags = u->sqe_flags;
	sqe->ioprio = 0;
	sqe->rw_flags = 0;
	sqe->user_data = slot;
	sqe->personality = 0;
	sqe->file_index = 0;
	sqe->addr3 = 0;
	sqe->__pad2[0] = 0;
	if (io->op == IO_FLUSH) {
		sqe->opcode = IORING_OP_FSYNC;
		sqe->fsync_flags = IORING_FSYNC_DATASYNC;
		sqe->off = sqe->addr = 0;
		sqe->len = 0;
		sqe->buf_index = 0;
		return;
	}
	sqe->opcode = io->op == IO_READ ? u->read_op : u->write_op;
	sqe->off = io->offset_bytes;
	sqe->addr = (uintptr_t)engine_buffer(e, slot);
	sqe->len = io->bytes;
	sqe->buf_index = 0;
	if (io->op == IO_WRITE_FUA)
		sqe->rw_flags = RWF_DSYNC;
}

static int ring_submit(struct engine *e, uint64_t until_ns)
{
	uint64_t now = 0;

	if (until_ns != 0 && until_ns != UINT64_MAX)
		now = clock_now_ns(e->config.clock);
	return uring_enter(e->impl, until_ns, now);
}

static unsigned ring_reap(struct engine *e, struct engine_done *done, unsigned max)
{
	struct uring *u = e->impl;
	unsigned head = *u->ring.cq.khead;
	unsigned n = uring_ready(u, head);

	if (n > max)
		n = max;
	for (unsigned i = 0; i < n; i++, head++) {
		const struct io_uring_cqe *cqe = &u->ring.cq.cqes[head & u->cq_mask];

		done[i].slot = (uint32_t)cqe->user_data;
		done[i].result = cqe->res;
	}
	uring_consumed(u, head, n);
	return n;
}

static void ring_describe(const struct engine *e, struct strbuf *text)
{
	uring_describe(e->impl, text);
}

static int ring_check(const struct engine_config *c, struct err *err)
{
	if (c->target->is_nvme_generic)
		return err_usage(err, "%s: takes commands only; use --engine=uring_cmd",
		                 c->target->path);
	if (c->iopoll && c->flushes)
		return err_usage(err, "--iopoll: io_uring polls for no flushes, and this run has "
		                      "some; leave one of them out");
	return 0;
}

const struct engine_ops engine_uring = {
    .name = "uring",
    .help = "io_uring",
    .open = open_ring,
    .close = uring_close,
    .queue = ring_queue,
    .submit = ring_submit,
    .reap = ring_reap,
    .describe = ring_describe,
    .check = ring_check,
};

#else

typedef int eng_uring_needs_liburing;

#endif
