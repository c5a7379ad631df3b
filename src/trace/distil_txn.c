/* SPDX-License-Identifier: MIT */
/*
 * What a transaction asks of the drive. Where I/Os carry the client that issued them, its steps are
 * found in them: an epoch ends with each flush, and within an epoch each stream, and the flush, is
 * a step. Where they do not (a server's threads do the I/O for all), the steps are made from
 * totals.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/distil_priv.h"

#define EPOCHS      6u /* of one transaction; what comes later counts to the last */
#define KINDS       (DISTIL_STREAMS_MAX + 1) /* streams, and the flush */
#define KIND_FLUSH  DISTIL_STREAMS_MAX
#define MEANT_SHARE 0.0005 /* of the transactions: what happens more seldom is no habit */

/* ---- transactions and their I/Os, by client and time ---- */

struct span {
	uint64_t begin_ns, end_ns;
	uint32_t owner;
	uint16_t type;
};

static int by_owner_and_end(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns < y->end_ns ? -1 : 1;
	return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

struct order {
	uint32_t owner;
	uint32_t io;
};

/* I/Os are by time, and so are their numbers. */
static int by_owner_and_number(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	return (x->io > y->io) - (x->io < y->io);
}

/* All transactions; `n` gets how many. A transaction begins when its client's last has ended,
 * though it may have been meant to begin before. NULL: none, or out of memory (*rc). */
static struct span *take_spans(const struct trace *t, size_t *n, int *rc)
{
	struct span *spans;
	size_t count = 0;

	*n = 0;
	*rc = 0;
	for (size_t i = 0; i < t->nevents; i++)
		count += t->events[i].op == TRACE_TXN;
	if (count == 0)
		return NULL;
	spans = malloc(count * sizeof(*spans));
	if (spans == NULL) {
		*rc = -ENOMEM;
		return NULL;
	}
	for (size_t i = 0; i < t->nevents; i++) {
		const struct trace_event *e = &t->events[i];
		unsigned type = e->type < t->head.ntypes ? e->type : 0;

		if (e->op != TRACE_TXN)
			continue;
		spans[(*n)++] =
		    (struct span){e->begin_ns, e->begin_ns + e->latency_ns, e->owner,
		                  (uint16_t)(type < DISTIL_TXNS_MAX ? type : DISTIL_TXNS_MAX - 1)};
	}
	qsort(spans, count, sizeof(*spans), by_owner_and_end);
	for (size_t i = 1; i < count; i++) {
		if (spans[i].owner == spans[i - 1].owner && spans[i].begin_ns < spans[i - 1].end_ns)
			spans[i].begin_ns = spans[i - 1].end_ns;
	}
	return spans;
}

static unsigned count_clients(const struct span *spans, size_t n)
{
	unsigned clients = n != 0;

	for (size_t i = 1; i < n; i++)
		clients += spans[i].owner != spans[i - 1].owner;
	return clients;
}

/* ---- steps as they are added up ---- */

struct tally_step {
	uint32_t *times; /* of each transaction that took it; owned */
	size_t seen, room;
	uint32_t now;             /* of the transaction at hand */
	uint64_t last_end_ns;     /* of its last I/O there */
	uint64_t pairs, overlaps; /* of I/Os one after another: begun before the last's end */
	double rank;              /* sum of places in their transactions, 0..1 */
	uint64_t ios;
	struct size_counts sizes;
};

struct tally_txn {
	uint64_t n;
	struct tally_step steps[EPOCHS * KINDS];
};

static void tallies_free(struct tally_txn *types)
{
	for (unsigned i = 0; types != NULL && i < DISTIL_TXNS_MAX; i++) {
		for (unsigned k = 0; k < EPOCHS * KINDS; k++) {
			free(types[i].steps[k].times);
			free(types[i].steps[k].sizes.items);
		}
	}
	free(types);
}

static int step_add(struct tally_step *s, const struct load_io *io, double rank)
{
	if (s->now != 0) {
		s->pairs++;
		s->overlaps += io->begin_ns < s->last_end_ns;
	}
	s->now++;
	s->ios++;
	s->rank += rank;
	if (io->end_ns > s->last_end_ns || s->now == 1)
		s->last_end_ns = io->end_ns;
	return io->op != TRACE_FLUSH ? size_counts_add(&s->sizes, io->size_bytes) : 0;
}

static int step_close(struct tally_step *s)
{
	if (s->seen == s->room) {
		size_t room = s->room != 0 ? 2 * s->room : 64;
		uint32_t *times = realloc(s->times, room * sizeof(*times));

		if (times == NULL)
			return -ENOMEM;
		s->times = times;
		s->room = room;
	}
	s->times[s->seen++] = s->now;
	s->now = 0;
	return 0;
}

/* One transaction with its n I/Os. */
static int take_txn(struct tally_txn *txn, struct load *l, const struct order *ios, size_t n)
{
	unsigned epoch = 0;
	int rc = 0;

	txn->n++;
	for (size_t i = 0; i < n && rc == 0; i++) {
		struct load_io *io = &l->ios[ios[i].io];
		unsigned kind = io->op == TRACE_FLUSH ? KIND_FLUSH : io->stream;

		io->in_transaction = true;
		rc = step_add(&txn->steps[epoch * KINDS + kind], io, (double)i / (double)n);
		if (io->op == TRACE_FLUSH && epoch + 1 < EPOCHS)
			epoch++;
	}
	for (unsigned i = 0; i < EPOCHS * KINDS && rc == 0; i++) {
		if (txn->steps[i].now != 0)
			rc = step_close(&txn->steps[i]);
	}
	return rc;
}

/* I/Os by client, and its transactions beside them. */
static int take_all(struct tally_txn *types, struct load *l, const struct span *spans,
                    size_t nspans)
{
	struct order *order = malloc((l->n + 1) * sizeof(*order));
	size_t at = 0, norder = 0;
	int rc = 0;

	if (order == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < l->n; i++) {
		if (!l->ios[i].no_client)
			order[norder++] = (struct order){l->ios[i].owner, (uint32_t)i};
	}
	qsort(order, norder, sizeof(*order), by_owner_and_number);
	for (size_t i = 0; i < nspans && rc == 0; i++) {
		const struct span *s = &spans[i];
		bool first = i == 0 || spans[i - 1].owner != s->owner;
		bool last = i + 1 == nspans || spans[i + 1].owner != s->owner;
		size_t from;

		while (at < norder && order[at].owner < s->owner)
			at++;
		/* A client's I/Os before its first transaction and after its last belong to ones
		 * that the window cut: not to the background. */
		for (; at < norder && order[at].owner == s->owner &&
		       l->ios[order[at].io].begin_ns < s->begin_ns;
		     at++)
			l->ios[order[at].io].in_transaction = first;
		from = at;
		while (at < norder && order[at].owner == s->owner &&
		       l->ios[order[at].io].begin_ns <= s->end_ns)
			at++;
		rc = take_txn(&types[s->type], l, order + from, at - from);
		for (; last && at < norder && order[at].owner == s->owner; at++)
			l->ios[order[at].io].in_transaction = true;
	}
	free(order);
	return rc;
}

/* ---- steps as they are told ---- */

struct found {
	const struct tally_step *step;
	unsigned epoch, kind;
	double rank; /* on average */
};

static int by_order(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->epoch != y->epoch)
		return x->epoch < y->epoch ? -1 : 1;
	/* The flush ends its epoch. */
	if ((x->kind == KIND_FLUSH) != (y->kind == KIND_FLUSH))
		return x->kind == KIND_FLUSH ? 1 : -1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

static enum distil_op op_of(const struct distil_stream *s)
{
	if (!s->write)
		return DISTIL_READ;
	if (s->fua)
		return DISTIL_WRITE_FUA;
	return s->sequential ? DISTIL_APPEND : DISTIL_WRITE;
}

static void tell_step(struct distilled *d, struct distil_txn *txn, const struct found *f,
                      uint64_t n)
{
	struct distil_step *step = &txn->steps[txn->nsteps++];

	*step = (struct distil_step){.op = DISTIL_FLUSH};
	distil_count_settle(&step->count, f->step->times, f->step->seen, n);
	if (f->kind == KIND_FLUSH)
		return;
	step->op = op_of(&d->streams[f->kind]);
	step->stream = f->kind;
	step->parallel = 2 * f->step->overlaps > f->step->pairs;
	size_counts_settle(&f->step->sizes, &step->sizes);
	d->streams[f->kind].foreground = true;
}

static int by_ios(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return (x->step->ios < y->step->ios) - (x->step->ios > y->step->ios);
}

static void tell_txn(struct distilled *d, const struct tally_txn *tally, const char *name)
{
	struct distil_txn *txn = &d->txns[d->ntxns];
	struct found found[EPOCHS * KINDS];
	unsigned n = 0;

	*txn = (struct distil_txn){.n = tally->n};
	snprintf(txn->name, sizeof(txn->name), "%.63s", name);
	for (unsigned i = 0; i < EPOCHS * KINDS; i++) {
		const struct tally_step *step = &tally->steps[i];

		if (step->seen != 0)
			found[n++] = (struct found){step, i / KINDS, i % KINDS,
			                            step->rank / (double)step->ios};
	}
	/* The rarest have no room. */
	qsort(found, n, sizeof(*found), by_ios);
	n = n < DISTIL_STEPS_MAX ? n : DISTIL_STEPS_MAX;
	qsort(found, n, sizeof(*found), by_order);
	for (unsigned i = 0; i < n; i++)
		tell_step(d, txn, &found[i], tally->n);
	d->ntxns++;
}

/* ---- from totals ---- */

/* Writes that somebody waits for: in sequence (a log), or durable by themselves. */
static bool is_waited_for(const struct distil_stream *s)
{
	if (!s->write || s->fua)
		return true;
	return s->sequential && 2 * s->synced >= s->ios;
}

static void mean_step(struct distilled *d, struct distil_txn *txn, unsigned stream, bool parallel)
{
	struct distil_stream *s = &d->streams[stream];
	struct distil_step *step;

	if (txn->nsteps + 1 == DISTIL_STEPS_MAX)
		return;
	step = &txn->steps[txn->nsteps++];
	*step = (struct distil_step){
	    .op = op_of(s), .stream = stream, .parallel = parallel, .sizes = s->sizes};
	distil_count_mean(&step->count, (double)s->ios / (double)d->transactions);
	s->foreground = true;
}

/* Whether the readers of a server have several reads in flight each. */
static bool reads_together(const struct load *l)
{
	uint64_t pairs = 0, overlaps = 0;

	for (size_t i = 1; i < l->n; i++) {
		const struct load_io *a = &l->ios[i - 1], *b = &l->ios[i];

		if (a->op != TRACE_READ || b->op != TRACE_READ || a->owner != b->owner)
			continue;
		pairs++;
		overlaps += b->begin_ns < a->end_ns;
	}
	return 2 * overlaps > pairs;
}

static void from_totals(struct distilled *d, const struct load *l, const struct trace *t)
{
	struct distil_txn *txn = &d->txns[d->ntxns++];
	double flushes = (double)d->flushes / (double)d->transactions;
	bool together = reads_together(l);

	*txn = (struct distil_txn){.n = d->transactions};
	snprintf(txn->name, sizeof(txn->name), "%.63s",
	         t->head.ntypes == 1 ? t->head.types[0] : "transaction");
	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < d->nstreams; i++) {
			if ((d->streams[i].write ? 1u : 0u) == pass &&
			    is_waited_for(&d->streams[i]))
				mean_step(d, txn, i, pass == 0 && together);
		}
	}
	for (unsigned i = 0; i < d->nstreams; i++) {
		if (!is_waited_for(&d->streams[i]))
			d->streams[i].per_transaction =
			    (double)d->streams[i].ios / (double)d->transactions;
	}
	if (d->flushes == 0)
		return;
	txn->steps[txn->nsteps] = (struct distil_step){.op = DISTIL_FLUSH};
	/* Fewer flushes than commits of several clients: one serves those that wait. */
	if (d->clients > 1 && flushes < 1) {
		txn->steps[txn->nsteps].group = true;
		flushes = 1;
	}
	distil_count_mean(&txn->steps[txn->nsteps++].count, flushes);
}

/* ---- both ---- */

static void find_background(struct distilled *d, const struct load *l)
{
	uint64_t loose[DISTIL_STREAMS_MAX] = {0};

	for (size_t i = 0; i < l->n; i++) {
		if (!l->ios[i].in_transaction && l->ios[i].stream != LOAD_NO_STREAM)
			loose[l->ios[i].stream]++;
	}
	for (unsigned i = 0; i < d->nstreams; i++) {
		struct distil_stream *s = &d->streams[i];
		double each = (double)loose[i] / (double)d->transactions;

		if (!s->foreground || each > MEANT_SHARE)
			s->per_transaction = each;
	}
}

static int from_clients(struct distilled *d, struct load *l, const struct trace *t,
                        const struct span *spans, size_t nspans)
{
	struct tally_txn *types = calloc(DISTIL_TXNS_MAX, sizeof(*types));
	int rc = types != NULL ? take_all(types, l, spans, nspans) : -ENOMEM;

	for (unsigned i = 0; i < DISTIL_TXNS_MAX && rc == 0; i++) {
		if (types[i].n != 0)
			tell_txn(d, &types[i],
			         i < t->head.ntypes ? t->head.types[i] : "transaction");
	}
	if (rc == 0)
		find_background(d, l);
	tallies_free(types);
	return rc;
}

/* A profile's transactions do something each: types that asked nothing of the drive leave. */
static void drop_empty(struct distilled *d)
{
	unsigned n = 0;

	for (unsigned i = 0; i < d->ntxns; i++) {
		if (d->txns[i].nsteps != 0)
			d->txns[n++] = d->txns[i];
	}
	d->ntxns = n;
}

int distil_txns(struct distilled *d, struct load *l, const struct trace *t)
{
	size_t nspans;
	int rc;
	struct span *spans = take_spans(t, &nspans, &rc);

	d->transactions = nspans;
	d->clients = count_clients(spans, nspans);
	if (rc != 0 || nspans == 0)
		return rc;
	if (t->head.source == TRACE_SOURCE_VFS)
		rc = from_clients(d, l, t, spans, nspans);
	else
		from_totals(d, l, t);
	free(spans);
	drop_empty(d);
	return rc;
}
