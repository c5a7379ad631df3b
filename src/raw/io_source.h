/* SPDX-License-Identifier: MIT */
/*
 * io_source: streams that share slots and arrivals: those of a run, one with outstanding I/Os of
 * its own, or one in the background with a rate of its own.
 */
#ifndef IOLTP_RAW_IO_SOURCE_H
#define IOLTP_RAW_IO_SOURCE_H

#include "raw/io_worker.h"

struct io_source {
	struct access *access;
	struct sched *arrivals; /* NULL: closed loop */
	struct sched own;       /* in the background: what arrivals points to */
	uint64_t next_ns;       /* drawn and not begun; 0: none */
	bool waited;            /* a slot stood ready before that time */
	bool background;        /* its I/Os are no events of the run */
	double owed;            /* in the background by transactions: I/Os that are to be begun */
	bool over;
	unsigned nslots, nfree;
	uint32_t *free; /* owned */
	uint16_t stmts[PROFILE_STREAMS_MAX][TALLY_CLASSES];
};

/*
 * Draws from the n streams of `index`, with the slots [first_slot, first_slot + nslots); `owner`
 * is what its slots say. 0 or -ENOMEM.
 */
int io_source_init(struct io_source *s, struct io_worker *w, const uint8_t *index, unsigned n,
                   unsigned first_slot, unsigned nslots, uint32_t owner);
void io_source_fini(struct io_source *s);
/* Begins what is due and has a free slot. */
void io_source_fill(struct io_source *s, struct io_worker *w, uint64_t now_ns);
/* When it has to be filled next; UINT64_MAX: when a slot gets free, or never. */
uint64_t io_source_due_ns(const struct io_source *s, const struct io_worker *w);
/* Counts an I/O and frees its slot. */
void io_source_done(struct io_source *s, struct io_worker *w, const struct engine_done *done,
                    uint64_t now_ns);

/* Slots of the streams in the background that fall to a worker. */
unsigned io_background_slots(const struct io_plan *plan, unsigned worker);
/* Makes their sources, with slots from first_slot on and owners from `first_owner` on. Returns how
 * many, or -ENOMEM; those made so far must be ended in either case. */
int io_background_init(struct io_source *sources, struct io_worker *w, unsigned first_slot,
                       uint32_t first_owner);

/* Their schedules begin with the run. Others are left alone. */
void io_background_start(struct io_source *sources, unsigned n, const struct io_worker *w);
/* A transaction ended: what it leaves to the background is owed. */
void io_background_owe(struct io_source *sources, unsigned n, const struct io_worker *w);
/* True when the drive cannot keep up with what is owed: no transaction should begin, as databases
 * stall when they cannot write their dirty pages. */
bool io_background_behind(const struct io_source *sources, unsigned n);

#endif
