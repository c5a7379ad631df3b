/* SPDX-License-Identifier: MIT */
#include "run/mix.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int mix_add(struct mix *m, const struct mix_type *type, struct err *err)
{
	if (m->ntypes == MIX_TYPES_MAX)
		return err_usage(err, "mix: more than %u transaction types; join some of them",
		                 MIX_TYPES_MAX);
	for (unsigned i = 0; i < m->ntypes; i++) {
		if (strcmp(m->types[i].name, type->name) == 0)
			return err_usage(
			    err, "mix: transaction type '%s' is there twice; name each once",
			    type->name);
	}
	if (!isfinite(type->weight) || type->weight < 0)
		return err_usage(err, "mix: weight %g of '%s' is not a number of 0 or more",
		                 type->weight, type->name);
	m->types[m->ntypes++] = *type;
	return 0;
}

int mix_seal(struct mix *m, struct err *err)
{
	double sum = 0;

	if (m->ntypes == 0)
		return err_usage(err, "mix: no transaction type; give at least one");
	m->ncards = 0;
	m->waits = false;
	for (unsigned i = 0; i < m->ntypes; i++) {
		sum += m->types[i].weight;
		m->cumulative[i] = sum;
		m->ncards += m->types[i].cards;
		if (m->types[i].keying.kind != DELAY_NONE || m->types[i].think.kind != DELAY_NONE)
			m->waits = true;
	}
	m->deck = m->ncards != 0;
	if (!m->deck && sum <= 0)
		return err_usage(
		    err, "mix: all weights are zero; give at least one type a weight above 0");
	for (unsigned i = 0; i < m->ntypes && !m->deck; i++)
		m->cumulative[i] /= sum;
	return 0;
}

int mix_deck_init(struct mix_deck *deck, const struct mix *m)
{
	unsigned n = 0;

	*deck = (struct mix_deck){0};
	if (!m->deck)
		return 0;
	deck->cards = malloc(m->ncards);
	if (deck->cards == NULL)
		return -ENOMEM;
	for (unsigned i = 0; i < m->ntypes; i++) {
		for (unsigned k = 0; k < m->types[i].cards; k++)
			deck->cards[n++] = (uint8_t)i;
	}
	deck->next = n;
	return 0;
}

void mix_deck_fini(struct mix_deck *deck)
{
	free(deck->cards);
	*deck = (struct mix_deck){0};
}

static unsigned pick_card(const struct mix *m, struct mix_deck *deck, struct rng *rng)
{
	if (deck->next == m->ncards) {
		for (unsigned i = m->ncards - 1; i > 0; i--) {
			unsigned j = (unsigned)rng_below(rng, i + 1);
			uint8_t card = deck->cards[i];

			deck->cards[i] = deck->cards[j];
			deck->cards[j] = card;
		}
		deck->next = 0;
	}
	return deck->cards[deck->next++];
}

unsigned mix_pick(const struct mix *m, struct mix_deck *deck, struct rng *rng)
{
	double u;

	if (m->ntypes == 1)
		return 0;
	if (m->deck)
		return pick_card(m, deck, rng);
	u = rng_double(rng);
	for (unsigned i = 0; i + 1 < m->ntypes; i++) {
		if (u < m->cumulative[i])
			return i;
	}
	/* The last sum may be a little under 1 by rounding; a type of weight 0 at the end must
	 * still not be drawn. */
	for (unsigned i = m->ntypes; i-- > 1;) {
		if (m->types[i].weight > 0)
			return i;
	}
	return 0;
}

uint64_t delay_draw_ns(const struct delay *d, struct rng *rng)
{
	double cut = d->cut_means != 0 ? d->cut_means : 10;
	double s = 0;

	switch (d->kind) {
	case DELAY_NONE:
		return 0;
	case DELAY_FIXED:
		s = d->mean_s;
		break;
	case DELAY_EXPONENTIAL:
		s = fmin(rng_exponential(rng, d->mean_s), cut * d->mean_s);
		break;
	case DELAY_UNIFORM:
		s = d->lo_s + rng_double(rng) * (d->hi_s - d->lo_s);
		break;
	}
	return s > 0 ? (uint64_t)(s * 1e9) : 0;
}
