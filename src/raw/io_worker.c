/* SPDX-License-Identifier: MIT */
#include "raw/io_worker.h"

#include <errno.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

/* Longest sleep with nothing in flight: the end of the run may be moved forward meanwhile. */
#define SLICE_NS 50000000u

static int alloc_slots(struct io_worker *w, uint32_t largest_bytes)
{
	uint64_t slot_bytes = (largest_bytes + 4095ull) / 4096 * 4096;
	void *map;

	w->slots = calloc(w->depth, sizeof(*w->slots));
	w->since_ns = calloc(w->depth, sizeof(*w->since_ns));
	w->done = calloc(w->depth, sizeof(*w->done));
	w->queued = calloc(w->depth, sizeof(*w->queued));
	if (w->slots == NULL || w->since_ns == NULL || w->done == NULL || w->queued == NULL)
		return -ENOMEM;
	w->engine.config.slot_bytes = slot_bytes != 0 ? slot_bytes : 4096;
	w->buffers_bytes = w->engine.config.slot_bytes * w->depth;
	map = mmap(NULL, w->buffers_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	           0);
	if (map == MAP_FAILED)
		return -ENOMEM;
	w->buffers = map;
	/* Fewer pages to look up and to pin. Advice only. */
	(void)madvise(map, w->buffers_bytes, MADV_HUGEPAGE);
	return 0;
}

static void set_engine(struct io_worker *w, const struct run *run)
{
	struct engine_config *c = &w->engine.config;

	w->engine.ops = w->plan->engine;
	c->target = w->plan->target;
	c->clock = w->clock;
	c->depth = w->depth;
	c->buffers = w->buffers;
	c->iopoll = w->plan->iopoll;
	c->sqpoll = w->plan->sqpoll;
	c->latency = w->plan->null_latency;
	c->seed = run->config.seed;
	c->owner = w->client->id;
}

int io_worker_init(struct io_worker *w, const struct io_plan *plan, struct worker *worker,
                   unsigned depth, uint32_t largest_bytes, struct err *err)
{
	const struct raw_profile *p = plan->profile;
	struct client *c = worker->clients;

	*w = (struct io_worker){
	    .plan = plan, .client = c, .tally = c->tally, .clock = c->clock, .depth = depth};
	if (alloc_slots(w, largest_bytes) != 0 ||
	    data_init(&w->data, p->compress_ratio > 1 ? p->compress_ratio : 1,
	              p->dedupe_ratio > 1 ? p->dedupe_ratio : 1, c->run->config.seed, c->id) != 0)
		return err_run(err,
		               "raw: out of memory for %u buffers of %u bytes; use a smaller --oio "
		               "or --bs",
		               depth, largest_bytes);
	if (!profile_reads_only(p))
		data_first(&w->data, w->buffers, w->buffers_bytes);
	set_engine(w, c->run);
	return w->engine.ops->open(&w->engine, err);
}

void io_worker_fini(struct io_worker *w)
{
	if (w->engine.ops != NULL)
		w->engine.ops->close(&w->engine);
	data_fini(&w->data);
	if (w->buffers != NULL)
		munmap(w->buffers, w->buffers_bytes);
	if (w->tally != NULL)
		w->tally->nslots = 0;
	free(w->slots);
	free(w->since_ns);
	free(w->done);
	free(w->queued);
}

enum tally_class io_class(uint8_t op)
{
	switch ((enum io_op)op) {
	case IO_READ:
		return TALLY_READ;
	case IO_WRITE:
	case IO_APPEND:
	case IO_WRITE_FUA:
		return TALLY_WRITE;
	case IO_FLUSH:
		break;
	}
	return TALLY_OTHER;
}

uint16_t io_statement(struct io_worker *w, const char *label, enum tally_class class)
{
	static const char *const words[] = {"read", "write", "flush"};
	char text[TALLY_LABEL_MAX];

	snprintf(text, sizeof(text), "%s%s%s", label, label[0] != '\0' ? " " : "", words[class]);
	return (uint16_t)tally_stmt_index(w->tally, text, strlen(text), class);
}

/* Where a wait for `due_ns` must end so that the rest can be watched; 0: do not sleep at all. */
static uint64_t wake_ns(const struct io_worker *w, uint64_t now_ns, uint64_t due_ns)
{
	uint64_t slack_ns = w->clock->slack_ns;

	if (due_ns == UINT64_MAX)
		return w->inflight != 0 ? UINT64_MAX : now_ns + SLICE_NS;
	if (due_ns <= now_ns + slack_ns)
		return 0;
	if (w->inflight == 0 && due_ns > now_ns + SLICE_NS)
		return now_ns + SLICE_NS;
	return due_ns - slack_ns;
}

int io_submit(struct io_worker *w, uint64_t now_ns, uint64_t due_ns, struct err *err)
{
	uint64_t until_ns = wake_ns(w, now_ns, due_ns != 0 ? due_ns : UINT64_MAX);
	int rc;

	if (w->nqueued != 0) {
		uint64_t now = clock_now_ns(w->clock);

		for (unsigned i = 0; i < w->nqueued; i++) {
			uint32_t slot = w->queued[i];

			w->slots[slot].begun_ns = now;
			if (w->slots[slot].stamps)
				HIST_STORE(&w->since_ns[slot], now);
		}
		w->nqueued = 0;
	}
	rc = w->engine.ops->submit(&w->engine, until_ns);
	return rc == 0 ? 0
	               : err_run(err, "raw: engine %s failed: %s", w->plan->engine->name,
	                         strerror(-rc));
}

int io_outcome(const struct io_worker *w, struct err *err)
{
	if (!err_is_set(&w->broken))
		return 0;
	*err = w->broken;
	return -EIO;
}

/* The block layer says "no space" or "nothing there" of a drive that was pulled out: it has no size
 * any more. */
static bool went_away(const struct raw_target *t, int code)
{
	uint64_t size_bytes;

	if (code == ENODEV || code == ENXIO || code == ENOMEDIUM || code == EBADF)
		return true;
	return t != NULL && t->is_device && !t->is_nvme_generic &&
	       ioctl(t->fd, BLKGETSIZE64, &size_bytes) == 0 && size_bytes == 0;
}

void io_failed(struct io_worker *w, const struct io_slot *io, int32_t result)
{
	static const char *const words[] = {"read", "write", "flush"};
	const char *what = words[io_class(io->request.op)];
	int code = result < 0 ? -result : EIO;
	const char *name = strerrorname_np(code);
	char text[160];

	if (result < 0)
		snprintf(text, sizeof(text), "%s of %u bytes at %llu: %s", what, io->request.bytes,
		         (unsigned long long)io->request.offset_bytes, strerror(code));
	else
		snprintf(text, sizeof(text), "short %s: %d of %u bytes at %llu", what, result,
		         io->request.bytes, (unsigned long long)io->request.offset_bytes);
	TALLY_ADD(w->tally->errors, 1);
	TALLY_ADD(w->tally->stmts[io->stmt]->errors, 1);
	tally_error_add(w->tally, code, name != NULL ? name : "", text);
	if (went_away(w->plan->target, code))
		err_run(&w->broken, "%s: %s; the target went away, look at the kernel's log",
		        w->plan->target != NULL ? w->plan->target->path : "target", text);
}
