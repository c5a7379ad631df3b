/* SPDX-License-Identifier: MIT */
/* eng_uring_ring: one io_uring instance, for both engines that use one. Its thread alone. */
#ifndef IOLTP_RAW_ENG_URING_RING_H
#define IOLTP_RAW_ENG_URING_RING_H

#include <liburing.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "raw/engine.h"

struct uring_wishes {
	unsigned depth; /* I/Os in flight at most */
	bool iopoll, sqpoll;
	bool commands; /* SQEs of 128 bytes and CQEs of 32, for passthrough */
	int fd;
	void *buffers; /* one area for all slots */
	uint64_t buffers_bytes;
};

struct uring {
	struct io_uring ring; /* mapped pointers; entered by uring_enter alone */
	unsigned setup;       /* IORING_SETUP_* in force */
	unsigned sq_mask, cq_mask;
	unsigned sqe_shift, cqe_shift;
	unsigned tail;     /* of the submission ring, published by uring_enter */
	unsigned queued;   /* filled and not submitted */
	unsigned inflight; /* submitted and not reaped */
	int enter_fd;
	unsigned enter_flags;
	int fd;            /* for SQEs: index or descriptor */
	uint8_t sqe_flags; /* for SQEs */
	uint8_t read_op, write_op;
	bool fixed_buffers;
	char dropped[256]; /* what was wished for and is not in force */
};

/*
 * Sets e->impl, of an engine whose other hooks work on a struct uring. 0; -EINVAL or -EIO with
 * `err`. uring_close in either case.
 */
int uring_open(struct engine *e, const struct uring_wishes *wishes, struct err *err);
void uring_close(struct engine *e);

/* The next SQE; there is always one, as the ring holds `depth`. Its content is old. */
static inline struct io_uring_sqe *uring_sqe(struct uring *u)
{
	u->queued++;
	return &u->ring.sq.sqes[(u->tail++ & u->sq_mask) << u->sqe_shift];
}

/* Submits, and waits as engine_ops.submit says; `now_ns` only for a limited wait. */
int uring_enter(struct uring *u, uint64_t until_ns, uint64_t now_ns);

/* CQEs from `head` on. */
static inline unsigned uring_ready(const struct uring *u, unsigned head)
{
	return __atomic_load_n(u->ring.cq.ktail, __ATOMIC_ACQUIRE) - head;
}

/* n CQEs were read, up to `head`. */
static inline void uring_consumed(struct uring *u, unsigned head, unsigned n)
{
	u->inflight -= n;
	__atomic_store_n(u->ring.cq.khead, head, __ATOMIC_RELEASE);
}

void uring_describe(const struct uring *u, struct strbuf *text);

#endif
