/* SPDX-License-Identifier: MIT */
/* NVMe commands straight to the driver, through /dev/ngXnY: no block layer, no scheduler. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "raw/engine.h"

#ifdef HAVE_LIBURING

#include <linux/nvme_ioctl.h>

#include "raw/eng_uring_ring.h"

enum { NVME_FLUSH = 0, NVME_WRITE = 1, NVME_READ = 2 };

#define NVME_FUA (1u << 30)

static int cmd_open(struct engine *e, struct err *err)
{
	struct uring_wishes wishes = {
	    .depth = e->config.depth,
	    .iopoll = e->config.iopoll,
	    .sqpoll = e->config.sqpoll,
	    .commands = true,
	    .fd = e->config.target->fd,
	    .buffers = e->config.buffers,
	    .buffers_bytes = e->config.slot_bytes * e->config.depth,
	};

	return uring_open(e, &wishes, err);
}

static void cmd_queue(struct engine *e, unsigned slot, const struct io_request *io)
{
	struct uring *u = e->impl;
	const struct raw_target *t = e->config.target;
	struct io_uring_sqe *sqe = uring_sqe(u);
	struct nvme_uring_cmd *cmd = (struct nvme_uring_cmd *)sqe->cmd;
	uint64_t lba = io->offset_bytes / t->lba_bytes;

	memset(sqe, 0, 2 * sizeof(*sqe));
	sqe->opcode = IORING_OP_URING_CMD;
	sqe->flags = u->sqe_flags;
	sqe->fd = u->fd;
	sqe->cmd_op = NVME_URING_CMD_IO;
	sqe->user_data = slot;
	cmd->nsid = t->nsid;
	if (io->op == IO_FLUSH) {
		cmd->opcode = NVME_FLUSH;
		return;
	}
	if (u->fixed_buffers)
		sqe->uring_cmd_flags = IORING_URING_CMD_FIXED;
	cmd->opcode = io->op == IO_READ ? NVME_READ : NVME_WRITE;
	cmd->addr = (uintptr_t)engine_buffer(e, slot);
	cmd->data_len = io->bytes;
	cmd->cdw10 = (uint32_t)lba;
	cmd->cdw11 = (uint32_t)(lba >> 32);
	cmd->cdw12 = io->bytes / t->lba_bytes - 1;
	if (io->op == IO_WRITE_FUA)
		cmd->cdw12 |= NVME_FUA;
}

static int cmd_submit(struct engine *e, uint64_t until_ns)
{
	uint64_t now = 0;

	if (until_ns != 0 && until_ns != UINT64_MAX)
		now = clock_now_ns(e->config.clock);
	return uring_enter(e->impl, until_ns, now);
}

/* A status of the drive as the kernel's block layer would tell it. */
static int32_t status_errno(int status)
{
	switch (status & 0x7ff) {
	case 0x80: /* beyond the end */
	case 0x02: /* a field that the drive refuses */
		return -EINVAL;
	case 0x81: /* capacity exceeded */
		return -ENOSPC;
	case 0x82: /* namespace not ready */
		return -EAGAIN;
	case 0x281: /* unrecovered read error */
	case 0x282: /* guard check */
	case 0x283:
	case 0x284:
	case 0x287: /* never written */
		return -ENODATA;
	case 0x0b: /* no such namespace */
		return -ENODEV;
	case 0x120: /* namespace write protected */
	case 0x286: /* access denied */
		return -EPERM;
	default:
		return -EIO;
	}
}

/* The command says nothing of how many bytes it moved: all of them, or it failed. */
static unsigned cmd_reap(struct engine *e, struct engine_done *done, unsigned max)
{
	struct uring *u = e->impl;
	unsigned head = *u->ring.cq.khead;
	unsigned n = uring_ready(u, head);

	if (n > max)
		n = max;
	for (unsigned i = 0; i < n; i++, head++) {
		const struct io_uring_cqe *cqe = &u->ring.cq.cqes[(head & u->cq_mask) << 1];

		done[i].slot = (uint32_t)cqe->user_data;
		done[i].result = cqe->res > 0 ? status_errno(cqe->res) : cqe->res;
		if (cqe->res == 0)
			done[i].result = ENGINE_ALL_BYTES;
	}
	uring_consumed(u, head, n);
	return n;
}

static void cmd_describe(const struct engine *e, struct strbuf *text)
{
	strbuf_adds(text, "NVMe commands, ");
	uring_describe(e->impl, text);
}

static int cmd_check(const struct engine_config *c, struct err *err)
{
	if (!c->target->is_nvme_generic)
		return err_usage(err,
		                 "%s: --engine=uring_cmd needs an NVMe generic device "
		                 "(/dev/ngXnY); use --engine=uring",
		                 c->target->path);
	return 0;
}

const struct engine_ops engine_uring_cmd = {
    .name = "uring_cmd",
    .help = "NVMe commands through io_uring, to /dev/ngXnY",
    .open = cmd_open,
    .close = uring_close,
    .queue = cmd_queue,
    .submit = cmd_submit,
    .reap = cmd_reap,
    .describe = cmd_describe,
    .check = cmd_check,
};

#else

typedef int eng_uring_cmd_needs_liburing;

#endif
