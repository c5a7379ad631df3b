/* SPDX-License-Identifier: MIT */
#include "trace/block_match.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS   65536u /* requests in flight; no drive takes more */
#define BUCKETS 4096u  /* few are in flight at a time: small enough for the cache */
#define NONE    UINT32_MAX

struct request {
	uint64_t begin_ns;
	uint64_t sector;      /* of the request */
	uint64_t next_sector; /* of what is not completed yet: its key */
	uint32_t size_bytes, left_bytes;
	uint32_t pid;
	uint32_t next; /* in the bucket, or free */
	uint16_t depth;
	uint8_t op, flags;
};

struct block_match {
	void (*emit)(void *ctx, const struct trace_event *e);
	void *ctx;
	unsigned nopen;
	uint32_t free;
	uint32_t buckets[BUCKETS];
	struct request slots[SLOTS];
};

bool block_match_letters(struct block_record *r, const char *letters, size_t room)
{
	size_t i = 0, n = strnlen(letters, room);
	bool first_f = n != 0 && letters[0] == 'F';

	r->flags = 0;
	/* An F ahead of the operation: flush before it. "FF" is a flush alone. */
	if (first_f)
		i++;
	if (i >= n)
		return false;
	switch (letters[i]) {
	case 'R':
		r->op = TRACE_READ;
		break;
	case 'W':
		r->op = TRACE_WRITE;
		break;
	case 'D':
		r->op = TRACE_DISCARD;
		break;
	case 'F':
		r->op = TRACE_FLUSH;
		break;
	default:
		return false;
	}
	for (i++; i < n; i++) {
		switch (letters[i]) {
		case 'F':
			r->flags |= TRACE_FUA;
			break;
		case 'A':
			r->flags |= TRACE_AHEAD;
			break;
		case 'S':
			r->flags |= TRACE_SYNC;
			break;
		case 'M':
			r->flags |= TRACE_META;
			break;
		default:
			break;
		}
	}
	return true;
}

static void clear(struct block_match *m)
{
	for (uint32_t i = 0; i < BUCKETS; i++)
		m->buckets[i] = NONE;
	for (uint32_t i = 0; i < SLOTS; i++)
		m->slots[i].next = i + 1 < SLOTS ? i + 1 : NONE;
	m->free = 0;
	m->nopen = 0;
}

struct block_match *block_match_new(void (*emit)(void *ctx, const struct trace_event *e), void *ctx)
{
	struct block_match *m = malloc(sizeof(*m));

	if (m == NULL)
		return NULL;
	m->emit = emit;
	m->ctx = ctx;
	clear(m);
	return m;
}

void block_match_free(struct block_match *m)
{
	free(m);
}

/* A flush has no place: the kernel shows one at its issue and another at its end. */
static uint64_t place_of(const struct block_record *r)
{
	return r->op == TRACE_FLUSH ? 0 : r->sector;
}

static uint32_t *bucket_of(struct block_match *m, uint64_t sector, uint8_t op)
{
	uint64_t h = (sector * TRACE_OPS + op) * 0x9e3779b97f4a7c15u;

	return &m->buckets[h >> 52];
}

/* The oldest request in its bucket that fits; a link to it, so that it can be taken out. */
static uint32_t *find(struct block_match *m, const struct block_record *r)
{
	uint32_t *best = NULL;
	uint64_t place = place_of(r);

	for (uint32_t *at = bucket_of(m, place, r->op); *at != NONE; at = &m->slots[*at].next) {
		const struct request *q = &m->slots[*at];

		if (q->op != r->op || q->next_sector != place ||
		    (r->op != TRACE_FLUSH && q->left_bytes < r->size_bytes))
			continue;
		/* Of several at one place the one of the very size, then the oldest (last). */
		if (best == NULL || q->left_bytes == r->size_bytes ||
		    m->slots[*best].left_bytes != r->size_bytes)
			best = at;
	}
	return best;
}

static void link_in(struct block_match *m, uint32_t slot)
{
	struct request *q = &m->slots[slot];
	uint32_t *bucket = bucket_of(m, q->next_sector, q->op);

	q->next = *bucket;
	*bucket = slot;
}

static void issued(struct block_match *m, const struct block_record *r)
{
	uint32_t slot = m->free;
	struct request *q;

	/* More than can be in flight: the ends of most were never told. */
	if (slot == NONE) {
		clear(m);
		slot = m->free;
	}
	q = &m->slots[slot];
	m->free = q->next;
	m->nopen++;
	*q = (struct request){.begin_ns = r->at_ns,
	                      .sector = place_of(r),
	                      .next_sector = place_of(r),
	                      .size_bytes = r->size_bytes,
	                      .left_bytes = r->size_bytes,
	                      .pid = r->pid,
	                      .depth = (uint16_t)(m->nopen < UINT16_MAX ? m->nopen : UINT16_MAX),
	                      .op = r->op,
	                      .flags = r->flags};
	link_in(m, slot);
}

static void release(struct block_match *m, uint32_t slot)
{
	m->slots[slot].next = m->free;
	m->free = slot;
	m->nopen--;
}

static void completed(struct block_match *m, const struct block_record *r, uint32_t slot)
{
	struct request *q = &m->slots[slot];
	struct trace_event e;

	if (q->op != TRACE_FLUSH && r->size_bytes < q->left_bytes) {
		q->left_bytes -= r->size_bytes;
		q->next_sector += r->size_bytes / 512;
		q->flags |= r->failed ? TRACE_FAILED : 0;
		link_in(m, slot);
		return;
	}
	e = (struct trace_event){.begin_ns = q->begin_ns,
	                         .latency_ns = r->at_ns > q->begin_ns ? r->at_ns - q->begin_ns : 0,
	                         .offset_bytes = q->sector * 512,
	                         .size_bytes = q->size_bytes,
	                         .owner = q->pid,
	                         .op = q->op,
	                         .flags = (uint8_t)(q->flags | (r->failed ? TRACE_FAILED : 0)),
	                         .depth = q->depth};
	release(m, slot);
	m->emit(m->ctx, &e);
}

void block_match_feed(struct block_match *m, const struct block_record *r)
{
	uint32_t *at, slot;

	if (r->step == BLOCK_ISSUED) {
		issued(m, r);
		return;
	}
	at = find(m, r);
	/* Issued before the capture began. */
	if (at == NULL)
		return;
	slot = *at;
	*at = m->slots[slot].next;
	/* Put back: it begins anew when it is issued again, maybe merged with others. */
	if (r->step == BLOCK_REQUEUED)
		release(m, slot);
	else
		completed(m, r, slot);
}

unsigned block_match_forget(struct block_match *m)
{
	unsigned n = m->nopen;

	clear(m);
	return n;
}

unsigned block_match_open(const struct block_match *m, uint64_t before_ns)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < BUCKETS && m->nopen != 0; i++) {
		for (uint32_t at = m->buckets[i]; at != NONE; at = m->slots[at].next)
			n += m->slots[at].begin_ns < before_ns;
	}
	return n;
}
