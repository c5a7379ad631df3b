/* SPDX-License-Identifier: MIT */
/*
 * deck: choices whose shares hold exactly and not only on average: cards are dealt from shuffled
 * decks, and what a deck could not express is carried into the next. After any whole number of
 * decks each item is within one card of its share. One thread each.
 */
#ifndef IOLTP_RAW_DECK_H
#define IOLTP_RAW_DECK_H

#include <stdint.h>

#include "base/rng.h"

#define DECK_CARDS     128u
#define DECK_ITEMS_MAX 32u

struct deck {
	unsigned nitems; /* 1: `only` is always drawn */
	unsigned only;
	unsigned next; /* card to be dealt; DECK_CARDS: a new deck is due */
	uint8_t cards[DECK_CARDS];
	double share[DECK_ITEMS_MAX]; /* sums to 1 */
	double carry[DECK_ITEMS_MAX]; /* cards owed */
};

/* weights: at least one above 0; n in 1..DECK_ITEMS_MAX. */
void deck_init(struct deck *d, const double *weights, unsigned n);
/* Two items: 0 with this share (0..1), else 1. */
void deck_init_share(struct deck *d, double share);
/* Makes and shuffles the next deck. */
void deck_shuffle(struct deck *d, struct rng *rng);

/* Index of the next item. */
static inline unsigned deck_draw(struct deck *d, struct rng *rng)
{
	if (d->nitems == 1)
		return d->only;
	if (d->next == DECK_CARDS)
		deck_shuffle(d, rng);
	return d->cards[d->next++];
}

#endif
