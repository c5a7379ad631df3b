/* SPDX-License-Identifier: MIT */
/*
 * Hot places: chunks of equal size are put into bands of equal heat, each chunk keeping its place.
 * A band takes in what chance alone may have made differ, so that an even load has one band.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/distil_priv.h"

struct chunk {
	uint32_t heat;
	uint32_t place;
};

static int colder(const void *a, const void *b)
{
	const struct chunk *x = a, *y = b;

	if (x->heat != y->heat)
		return x->heat < y->heat ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* The most that a chunk may have had whose like had no more than `least`, by `sigmas` standard
 * deviations of a Poisson count to either side. */
static double reach(double least, double sigmas)
{
	double root = (sigmas + sqrt(sigmas * sigmas + 4 * least)) / 2;

	return root * root + sigmas * root;
}

/* Numbers the bands from the coldest up. Returns how many there are. */
static unsigned number_bands(const struct chunk *chunks, unsigned n, double sigmas,
                             unsigned *band_of)
{
	unsigned bands = 0;
	double limit = -1;

	for (unsigned i = 0; i < n; i++) {
		if (chunks[i].heat > limit) {
			limit = reach(chunks[i].heat, sigmas);
			bands++;
		}
		band_of[i] = bands - 1;
	}
	return bands;
}

void distil_bands(struct distil_stream *s, const uint32_t *heat, unsigned nchunks)
{
	struct chunk chunks[DISTIL_CHUNKS_MAX];
	unsigned band_of[DISTIL_CHUNKS_MAX], n;
	double total = 0, sigmas = 4;

	s->nbands = s->nchunks = 0;
	for (unsigned i = 0; i < nchunks; i++) {
		chunks[i] = (struct chunk){heat[i], i};
		total += heat[i];
	}
	if (nchunks < 2 || total <= 0)
		return;
	qsort(chunks, nchunks, sizeof(chunks[0]), colder);
	while ((n = number_bands(chunks, nchunks, sigmas, band_of)) > DISTIL_BANDS_MAX)
		sigmas *= 1.5;
	if (n == 1)
		return;
	s->nbands = n;
	s->nchunks = nchunks;
	memset(s->bands, 0, sizeof(s->bands));
	for (unsigned i = 0; i < nchunks; i++) {
		unsigned band = n - 1 - band_of[i];

		s->map[chunks[i].place] = (uint8_t)band;
		s->bands[band].io_share += chunks[i].heat / total;
		s->bands[band].span_share += 1.0 / nchunks;
	}
}
