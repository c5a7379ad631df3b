/* SPDX-License-Identifier: MIT */
#include "raw/deck.h"

void deck_init(struct deck *d, const double *weights, unsigned n)
{
	double sum = 0;
	unsigned used = 0;

	*d = (struct deck){.nitems = n, .next = DECK_CARDS};
	for (unsigned i = 0; i < n; i++) {
		sum += weights[i];
		if (weights[i] > 0) {
			d->only = i;
			used++;
		}
	}
	for (unsigned i = 0; i < n; i++)
		d->share[i] = weights[i] / sum;
	if (used == 1)
		d->nitems = 1;
}

void deck_init_share(struct deck *d, double share)
{
	const double weights[2] = {share, 1 - share};

	deck_init(d, weights, 2);
}

/* The item that is owed most. */
static unsigned most_owed(const struct deck *d)
{
	unsigned best = d->only;

	for (unsigned i = 0; i < d->nitems; i++) {
		if (d->share[i] > 0 && d->carry[i] > d->carry[best])
			best = i;
	}
	return best;
}

void deck_shuffle(struct deck *d, struct rng *rng)
{
	unsigned n = 0;

	for (unsigned i = 0; i < d->nitems; i++) {
		d->carry[i] += d->share[i] * DECK_CARDS;
		for (; d->carry[i] >= 1 && n < DECK_CARDS; d->carry[i]--)
			d->cards[n++] = (uint8_t)i;
	}
	while (n < DECK_CARDS) {
		unsigned i = most_owed(d);

		d->carry[i]--;
		d->cards[n++] = (uint8_t)i;
	}
	for (unsigned i = DECK_CARDS - 1; i > 0; i--) {
		unsigned j = (unsigned)rng_below(rng, i + 1);
		uint8_t card = d->cards[i];

		d->cards[i] = d->cards[j];
		d->cards[j] = card;
	}
	d->next = 0;
}
