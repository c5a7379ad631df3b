/* SPDX-License-Identifier: MIT */
#include "raw/io_txn.h"

static const struct io_txn *txn_of(const struct io_txn_loop *l, const struct txn_client *c)
{
	return &l->w.plan->profile->txns[c->type];
}

static void make_ready(struct io_txn_loop *l, uint32_t client, unsigned step)
{
	unsigned at = l->ready_head + l->nready++;

	l->ready[at < l->ready_room ? at : at - l->ready_room] =
	    (struct txn_place){client, (uint16_t)step};
}

/* ---- group commit ---- */

static void want_group_flush(struct io_txn_loop *l)
{
	l->group.state = GROUP_WANTED;
	make_ready(l, TXN_GROUP, 0);
}

/* A flush in flight may have begun before this client's writes were done: it waits for the next. */
static void join_group(struct io_txn_loop *l, uint32_t client, unsigned step)
{
	l->group.waiting[l->group.nwaiting++] = (struct txn_place){client, (uint16_t)step};
	if (l->group.state == GROUP_IDLE)
		want_group_flush(l);
}

static void swap_group(struct txn_group *g)
{
	struct txn_place *served = g->served;

	g->served = g->waiting;
	g->nserved = g->nwaiting;
	g->waiting = served;
	g->nwaiting = 0;
	g->state = GROUP_INFLIGHT;
}

/* ---- beginning ---- */

static uint32_t draw_count(struct io_txn_loop *l, struct deck *deck, const struct io_count *n)
{
	if (n->n != 0)
		return n->times[deck_draw(deck, &l->w.client->rng[RNG_SCRIPT])];
	if (n->hi <= n->lo)
		return n->lo;
	return n->lo + (uint32_t)rng_below(&l->w.client->rng[RNG_SCRIPT], n->hi - n->lo + 1ull);
}

static void begin_step(struct io_txn_loop *l, uint32_t client, unsigned i, uint64_t now_ns)
{
	struct txn_client *c = &l->clients[client];
	const struct io_step *step = &txn_of(l, c)->steps[i];
	uint32_t count = draw_count(l, &l->counts[c->type * PROFILE_STEPS_MAX + i], &step->count);

	if (count == 0)
		return;
	c->steps_open++;
	c->steps[i] = (struct txn_step){.begun_ns = now_ns};
	if (step->op == IO_FLUSH && step->group) {
		join_group(l, client, i);
		return;
	}
	c->steps[i].want = step->parallel ? count : 1;
	c->steps[i].later = count - c->steps[i].want;
	make_ready(l, client, i);
}

bool io_txn_stage(struct io_txn_loop *l, uint32_t client, uint64_t now_ns)
{
	struct txn_client *c = &l->clients[client];
	const struct io_txn *txn = txn_of(l, c);

	while (c->steps_open == 0 && c->stage_end < txn->nsteps) {
		bool more = true;

		for (; more && c->stage_end < txn->nsteps; c->stage_end++) {
			begin_step(l, client, c->stage_end, now_ns);
			more = txn->steps[c->stage_end].with_next;
		}
	}
	return c->steps_open != 0;
}

static void issue(struct io_txn_loop *l, uint32_t client, unsigned i, uint64_t now_ns)
{
	uint32_t slot = l->free[--l->nfree];
	struct io_slot *io = &l->w.slots[slot];

	io->owner = client;
	io->part = (uint16_t)i;
	io->stamps = false;
	if (client == TXN_GROUP) {
		io->recording = now_ns >= l->w.client->run->measure_ns;
		io->request = (struct io_request){.op = IO_FLUSH};
	} else {
		struct txn_client *c = &l->clients[client];
		const struct io_step *step = &txn_of(l, c)->steps[i];

		io->recording = c->recording;
		access_step(l->access, &l->sizes[c->type * PROFILE_STEPS_MAX + i], step->region,
		            step->op, &io->request);
		c->steps[i].want--;
		c->steps[i].inflight++;
	}
	io->stmt = l->each[io_class(io->request.op)];
	io_queue(&l->w, slot);
}

void io_txn_issue(struct io_txn_loop *l, uint64_t now_ns)
{
	while (l->nready != 0 && l->nfree != 0) {
		struct txn_place place = l->ready[l->ready_head];
		bool last = true;

		if (place.client == TXN_GROUP)
			swap_group(&l->group);
		else
			last = l->clients[place.client].steps[place.step].want == 1;
		issue(l, place.client, place.step, now_ns);
		if (!last)
			continue;
		l->nready--;
		l->ready_head = l->ready_head + 1 < l->ready_room ? l->ready_head + 1 : 0;
	}
}

/* ---- ending ---- */

/* Counts a step, but not its I/Os: those are counted one by one. */
static void step_done(struct io_txn_loop *l, struct txn_client *c, unsigned i, uint64_t now_ns)
{
	struct tally_stmt *stmt = l->w.tally->stmts[l->stmts[c->type * PROFILE_STEPS_MAX + i]];

	c->steps_open--;
	if (!c->recording)
		return;
	if (c->failed) {
		TALLY_ADD(stmt->errors, 1);
		return;
	}
	TALLY_ADD(stmt->count, 1);
	TALLY_ADD(stmt->bytes, c->steps[i].bytes);
	hist_record(stmt->latency, io_elapsed_ns(now_ns, c->steps[i].begun_ns));
}

/* Goes on after a step; a transaction that failed ends when what it began has ended. */
static void go_on(struct io_txn_loop *l, uint32_t client, uint64_t now_ns,
                  void (*ended)(struct io_txn_loop *l, uint32_t client, uint64_t now_ns))
{
	struct txn_client *c = &l->clients[client];

	if (c->steps_open != 0)
		return;
	if (c->failed || !io_txn_stage(l, client, now_ns))
		ended(l, client, now_ns);
}

static void group_done(struct io_txn_loop *l, bool good, uint64_t now_ns,
                       void (*ended)(struct io_txn_loop *l, uint32_t client, uint64_t now_ns))
{
	struct txn_group *g = &l->group;

	/* Before the clients go on: they may come back for the next flush. */
	g->state = GROUP_IDLE;
	if (g->nwaiting != 0)
		want_group_flush(l);
	for (unsigned i = 0; i < g->nserved; i++) {
		uint32_t client = g->served[i].client;

		l->clients[client].failed = l->clients[client].failed || !good;
		step_done(l, &l->clients[client], g->served[i].step, now_ns);
		go_on(l, client, now_ns, ended);
	}
	g->nserved = 0;
}

void io_txn_done(struct io_txn_loop *l, const struct engine_done *done, uint64_t now_ns,
                 void (*ended)(struct io_txn_loop *l, uint32_t client, uint64_t now_ns))
{
	struct io_slot *io = &l->w.slots[done->slot];
	uint32_t client = io->owner;
	unsigned i = io->part;
	bool good = engine_done_well(done, &io->request);
	struct txn_client *c;
	struct txn_step *step;

	l->w.inflight--;
	l->free[l->nfree++] = done->slot;
	if (!good)
		io_failed(&l->w, io, done->result);
	else if (io->recording)
		io_count(l->w.tally, io->stmt, io_elapsed_ns(now_ns, io->begun_ns),
		         io->request.bytes);
	if (client == TXN_GROUP) {
		group_done(l, good, now_ns, ended);
		return;
	}
	c = &l->clients[client];
	step = &c->steps[i];
	step->inflight--;
	step->bytes += io->request.bytes;
	if (!good) {
		c->failed = true;
		step->later = 0;
	}
	if (step->later != 0 && step->want == 0 && step->inflight == 0) {
		step->later--;
		step->want = 1;
		make_ready(l, client, i);
	}
	if (step->inflight != 0 || step->want != 0)
		return;
	step_done(l, c, i, now_ns);
	go_on(l, client, now_ns, ended);
}
