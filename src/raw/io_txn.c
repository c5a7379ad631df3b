/* SPDX-License-Identifier: MIT */
#include "raw/io_txn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "raw/io_loop.h"

/* Of one worker; with more than these wanted at a time, some wait. */
#define SLOTS_MAX 4096u

/* ---- set-up ---- */

/* The most I/Os, and steps, that one client has at a time. */
static void widest(const struct raw_profile *p, unsigned *ios, unsigned *steps)
{
	*ios = *steps = 1;
	for (unsigned i = 0; i < p->ntxns; i++) {
		uint64_t n = 0;
		unsigned width = 0;

		for (unsigned k = 0; k < p->txns[i].nsteps; k++) {
			const struct io_step *step = &p->txns[i].steps[k];

			n += step->parallel ? step->count.hi : 1;
			width++;
			if (n > SLOTS_MAX)
				n = SLOTS_MAX;
			*ios = n > *ios ? (unsigned)n : *ios;
			*steps = width > *steps ? width : *steps;
			if (!step->with_next)
				n = width = 0;
		}
	}
}

static uint32_t largest_bytes(const struct raw_profile *p)
{
	uint32_t most = 0;

	for (unsigned i = 0; i < p->ntxns; i++) {
		for (unsigned k = 0; k < p->txns[i].nsteps; k++) {
			const struct io_sizes *z = &p->txns[i].steps[k].sizes;

			for (unsigned j = 0; j < z->n; j++)
				most = z->bytes[j] > most ? z->bytes[j] : most;
		}
	}
	for (unsigned i = 0; i < p->nstreams; i++) {
		const struct io_stream *s = &p->streams[i];

		for (unsigned k = 0; profile_in_background(p, s) && k < s->read_sizes.n; k++)
			most = s->read_sizes.bytes[k] > most ? s->read_sizes.bytes[k] : most;
		for (unsigned k = 0; profile_in_background(p, s) && k < s->write_sizes.n; k++)
			most = s->write_sizes.bytes[k] > most ? s->write_sizes.bytes[k] : most;
	}
	return most;
}

static void name_statements(struct io_txn_loop *l)
{
	static const enum tally_class classes[] = {TALLY_READ, TALLY_WRITE, TALLY_OTHER};
	const struct raw_profile *p = l->w.plan->profile;
	char label[TALLY_LABEL_MAX];

	for (unsigned i = 0; i < p->ntxns; i++) {
		for (unsigned k = 0; k < p->txns[i].nsteps; k++) {
			const struct io_step *step = &p->txns[i].steps[k];

			snprintf(label, sizeof(label), "%s: %u %s", p->txns[i].name, k + 1,
			         step->name);
			l->stmts[i * PROFILE_STEPS_MAX + k] = (uint16_t)tally_stmt_index(
			    l->w.tally, label, strlen(label), io_class((uint8_t)step->op));
		}
	}
	for (unsigned i = 0; i < TALLY_CLASSES; i++)
		l->each[i] = io_statement(&l->w, "each", classes[i]);
}

static int alloc_all(struct io_txn_loop *l, unsigned nslots, unsigned width)
{
	const struct raw_profile *p = l->w.plan->profile;
	size_t nsteps = (size_t)p->ntxns * PROFILE_STEPS_MAX;
	unsigned n = l->nclients;

	l->ready_room = n * width + 1;
	l->sizes = calloc(nsteps, sizeof(*l->sizes));
	l->counts = calloc(nsteps, sizeof(*l->counts));
	l->stmts = calloc(nsteps, sizeof(*l->stmts));
	l->clients = calloc(n, sizeof(*l->clients));
	l->steps = calloc((size_t)n * PROFILE_STEPS_MAX, sizeof(*l->steps));
	l->since_ns = calloc(n, sizeof(*l->since_ns));
	l->idle = calloc(n, sizeof(*l->idle));
	l->free = calloc(nslots, sizeof(*l->free));
	l->ready = calloc(l->ready_room, sizeof(*l->ready));
	l->group.waiting = calloc((size_t)n * width, sizeof(*l->group.waiting));
	l->group.served = calloc((size_t)n * width, sizeof(*l->group.served));
	l->access =
	    access_new(&l->w.plan->space, NULL, 0, l->w.client->run->config.seed, l->w.client->id);
	if (l->sizes == NULL || l->counts == NULL || l->stmts == NULL || l->clients == NULL ||
	    l->steps == NULL || l->since_ns == NULL || l->idle == NULL || l->free == NULL ||
	    l->ready == NULL || l->group.waiting == NULL || l->group.served == NULL ||
	    l->access == NULL)
		return -ENOMEM;
	return timers_init(&l->resting, n);
}

static void fill_in(struct io_txn_loop *l, unsigned nslots)
{
	const struct raw_profile *p = l->w.plan->profile;
	double weights[PROFILE_TXNS_MAX];

	for (unsigned i = 0; i < p->ntxns; i++) {
		weights[i] = p->txns[i].weight;
		for (unsigned k = 0; k < p->txns[i].nsteps; k++) {
			const struct io_step *step = &p->txns[i].steps[k];
			unsigned at = i * PROFILE_STEPS_MAX + k;

			access_sizes_init(&l->sizes[at], &l->w.plan->space, step->region,
			                  &step->sizes);
			if (step->count.n != 0)
				deck_init(&l->counts[at], step->count.share, step->count.n);
		}
	}
	deck_init(&l->types, weights, p->ntxns);
	for (unsigned i = 0; i < l->nclients; i++) {
		l->clients[i].steps = &l->steps[(size_t)i * PROFILE_STEPS_MAX];
		l->idle[l->nidle++] = i;
	}
	for (l->nfree = 0; l->nfree < nslots; l->nfree++)
		l->free[l->nfree] = nslots - 1 - l->nfree;
	if (l->w.client->run->config.rate_per_s > 0)
		l->arrivals = &l->w.client->run->arrivals;
	name_statements(l);
	l->w.tally->slots_since_ns = l->since_ns;
	l->w.tally->nslots = l->nclients;
}

int io_txn_init(struct io_txn_loop *l, const struct io_plan *plan, struct worker *worker,
                struct err *err)
{
	unsigned clients = io_share(plan->profile->oio, plan->workers, worker->id);
	unsigned ios, steps, nslots;
	int rc;

	memset(l, 0, sizeof(*l));
	l->nclients = clients != 0 ? clients : 1;
	widest(plan->profile, &ios, &steps);
	nslots = (uint64_t)l->nclients * ios + 1 > SLOTS_MAX ? SLOTS_MAX : l->nclients * ios + 1;
	rc = io_worker_init(&l->w, plan, worker, nslots + io_background_slots(plan, worker->id),
	                    largest_bytes(plan->profile), err);
	if (rc != 0)
		return rc;
	rc = alloc_all(l, nslots, steps);
	if (rc == 0) {
		fill_in(l, nslots);
		rc = io_background_init(l->background, &l->w, nslots, TXN_BACKGROUND);
	}
	if (rc < 0)
		return err_run(err, "raw: out of memory for %u clients; use a smaller --oio",
		               l->nclients);
	l->nbackground = (unsigned)rc;
	return 0;
}

void io_txn_fini(struct io_txn_loop *l)
{
	for (unsigned i = 0; i < l->nbackground; i++)
		io_source_fini(&l->background[i]);
	io_worker_fini(&l->w);
	access_free(l->access);
	timers_fini(&l->resting);
	free(l->sizes);
	free(l->counts);
	free(l->stmts);
	free(l->clients);
	free(l->steps);
	free(l->since_ns);
	free(l->idle);
	free(l->free);
	free(l->ready);
	free(l->group.waiting);
	free(l->group.served);
}

/* ---- transactions ---- */

static void tell_probe(const struct io_txn_loop *l, uint32_t client, uint64_t now_ns)
{
	const struct txn_client *c = &l->clients[client];
	const struct run_probe *probe = l->w.client->run->probe;
	/* Workers' shares of the clients differ by one at most. */
	const struct run_event e = {.owner = client * l->w.plan->workers + l->w.client->id,
	                            .type = c->type,
	                            .failed = c->failed,
	                            .intended_ns = c->intended_ns,
	                            .end_ns = now_ns};

	probe->ended(probe->ctx, &e);
}

/* Ends the client's transaction, then it rests as its type says. */
static void ended(struct io_txn_loop *l, uint32_t client, uint64_t now_ns)
{
	struct txn_client *c = &l->clients[client];
	struct tally_type *type = &l->w.tally->types[c->type];
	const struct delay *think = &l->w.plan->profile->txns[c->type].think;

	HIST_STORE(&l->since_ns[client], 0);
	io_background_owe(l->background, l->nbackground, &l->w);
	if (c->recording && !c->failed) {
		TALLY_ADD(type->ok, 1);
		hist_record(type->latency, io_elapsed_ns(now_ns, c->intended_ns));
		if (type->service != NULL)
			hist_record(type->service, io_elapsed_ns(now_ns, c->begun_ns));
	} else if (c->recording) {
		TALLY_ADD(type->failed, 1);
	}
	if (c->recording) {
		HIST_STORE(&l->w.tally->last_end_ns, now_ns);
		if (l->w.client->run->probe != NULL)
			tell_probe(l, client, now_ns);
	}
	c->type = deck_draw(&l->types, &l->w.client->rng[RNG_MIX]);
	if (l->arrivals == NULL) {
		struct rng *rng = &l->w.client->rng[RNG_THINK];
		const struct delay *keying = &l->w.plan->profile->txns[c->type].keying;
		uint64_t rest_ns = delay_draw_ns(think, rng) + delay_draw_ns(keying, rng);

		if (rest_ns != 0) {
			timers_add(&l->resting, now_ns + rest_ns, client);
			return;
		}
	}
	l->idle[l->nidle++] = client;
}

static void begin(struct io_txn_loop *l, uint64_t intended_ns, uint64_t now_ns)
{
	uint32_t client = l->idle[--l->nidle];
	struct txn_client *c = &l->clients[client];

	c->intended_ns = intended_ns;
	c->begun_ns = now_ns;
	c->recording = intended_ns >= l->w.client->run->measure_ns;
	c->failed = false;
	c->stage_end = 0;
	c->steps_open = 0;
	HIST_STORE(&l->since_ns[client], intended_ns);
	if (c->recording) {
		TALLY_ADD(l->w.tally->types[c->type].begun, 1);
		if (l->w.client->events_left != UINT64_MAX)
			l->w.client->events_left--;
	}
	if (!io_txn_stage(l, client, now_ns))
		ended(l, client, now_ns);
}

static void begin_closed(struct io_txn_loop *l, uint64_t now_ns)
{
	/* A transaction without I/Os would come back at once: each client begins one at most. */
	for (unsigned n = l->nidle; n != 0; n--) {
		if (l->w.client->events_left == 0) {
			l->over = true;
			return;
		}
		begin(l, now_ns, now_ns);
	}
}

static void begin_open(struct io_txn_loop *l, uint64_t now_ns)
{
	while (l->nidle != 0) {
		if (l->next_ns == 0) {
			l->next_ns = sched_next(l->arrivals);
			l->waited = l->next_ns > now_ns;
		}
		/* The limit of events is reached. */
		l->over = l->next_ns == UINT64_MAX;
		if (l->next_ns > now_ns)
			return;
		if (l->waited && l->next_ns >= l->w.client->run->measure_ns)
			hist_record(l->w.tally->lateness, now_ns - l->next_ns);
		begin(l, l->next_ns, now_ns);
		l->next_ns = 0;
	}
}

/* Begins all that is due. Returns when something falls due next; 0: all is over. */
static uint64_t fill(struct io_txn_loop *l, uint64_t now_ns)
{
	uint64_t end_ns = atomic_load_explicit(&l->w.client->run->end_ns, memory_order_relaxed);
	uint64_t due_ns = timers_next_ns(&l->resting);
	bool stalled = io_background_behind(l->background, l->nbackground);

	l->over = l->over || io_over(&l->w, now_ns);
	if (!l->over && !stalled && l->arrivals != NULL)
		begin_open(l, now_ns);
	else if (!l->over && !stalled)
		begin_closed(l, now_ns);
	io_txn_issue(l, now_ns);
	if (l->over)
		return 0;
	/* As in io_source_due_ns: the window is measured to its end. */
	if (l->arrivals != NULL && l->nidle != 0 && !stalled && l->next_ns < due_ns)
		due_ns = l->next_ns;
	/* Whose transaction came to no I/O goes on with the next at once. */
	if (l->arrivals == NULL && l->nidle != 0 && !stalled)
		due_ns = now_ns;
	if (l->arrivals != NULL && end_ns < due_ns)
		due_ns = end_ns;
	for (unsigned i = 0; i < l->nbackground; i++) {
		uint64_t next_ns;

		io_source_fill(&l->background[i], &l->w, now_ns);
		next_ns = io_source_due_ns(&l->background[i], &l->w);
		due_ns = next_ns < due_ns ? next_ns : due_ns;
	}
	return due_ns;
}

static void done(struct io_txn_loop *l, const struct engine_done *d, uint64_t now_ns)
{
	uint32_t owner = l->w.slots[d->slot].owner;

	if (owner >= TXN_BACKGROUND && owner != TXN_GROUP)
		io_source_done(&l->background[owner - TXN_BACKGROUND], &l->w, d, now_ns);
	else
		io_txn_done(l, d, now_ns, ended);
}

int io_txn_run(struct io_txn_loop *l, struct err *err)
{
	struct io_worker *w = &l->w;
	uint64_t now_ns = clock_now_ns(w->clock);
	uint32_t rested;

	for (unsigned i = 0; i < l->nclients; i++)
		l->clients[i].type = deck_draw(&l->types, &w->client->rng[RNG_MIX]);
	io_background_start(l->background, l->nbackground, w);
	for (;;) {
		uint64_t due_ns = fill(l, now_ns);
		unsigned n;

		if (due_ns == 0 && w->inflight == 0)
			break;
		if (io_submit(w, now_ns, due_ns, err) != 0)
			return -EIO;
		now_ns = clock_now_ns(w->clock);
		while ((n = w->engine.ops->reap(&w->engine, w->done, w->depth)) != 0) {
			for (unsigned i = 0; i < n; i++)
				done(l, &w->done[i], now_ns);
		}
		while (timers_take(&l->resting, now_ns, &rested))
			l->idle[l->nidle++] = rested;
	}
	return io_outcome(w, err);
}
