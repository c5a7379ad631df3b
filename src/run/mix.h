/* SPDX-License-Identifier: MIT */
/* mix: transaction types of a workload, how one is chosen, and the waits around it. Read-only while
 * the run goes on. */
#ifndef IOLTP_RUN_MIX_H
#define IOLTP_RUN_MIX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/rng.h"

#define MIX_TYPES_MAX 64u

enum delay_kind { DELAY_NONE, DELAY_FIXED, DELAY_EXPONENTIAL, DELAY_UNIFORM };

/* A keying or think time. */
struct delay {
	enum delay_kind kind;
	double mean_s;     /* FIXED: the time; EXPONENTIAL: the mean, cut at cut_means */
	double lo_s, hi_s; /* UNIFORM */
	double cut_means;  /* EXPONENTIAL: 0 means 10 */
};

struct mix_type {
	char name[64];
	double weight;       /* share = weight / sum of weights */
	unsigned cards;      /* in the deck, when the mix uses one */
	struct delay keying; /* before the event begins */
	struct delay think;  /* after it ended */
};

struct mix {
	struct mix_type types[MIX_TYPES_MAX];
	unsigned ntypes;                  /* at least 1 in a run */
	double cumulative[MIX_TYPES_MAX]; /* by mix_seal */
	bool deck; /* shuffled decks instead of weights: exact shares per client */
	unsigned ncards;
	bool waits; /* any type has keying or think time */
};

/* A client's place in its deck. */
struct mix_deck {
	uint8_t *cards; /* ncards; owned */
	unsigned next;
};

/* Appends a type. -EINVAL with `err`: too many types, a name that exists, weight negative or not
 * finite. */
int mix_add(struct mix *m, const struct mix_type *type, struct err *err);
/* Checks sums and prepares the choice. -EINVAL with `err`: no type, all weights zero. */
int mix_seal(struct mix *m, struct err *err);
/* The next type's index. `deck` belongs to the client. */
unsigned mix_pick(const struct mix *m, struct mix_deck *deck, struct rng *rng);
int mix_deck_init(struct mix_deck *deck, const struct mix *m);
void mix_deck_fini(struct mix_deck *deck);
/* A time to wait. */
uint64_t delay_draw_ns(const struct delay *d, struct rng *rng);

#endif
