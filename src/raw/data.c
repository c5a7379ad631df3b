/* SPDX-License-Identifier: MIT */
#include "raw/data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * What a compressor spends on a unit beyond the random bytes themselves: the end of a run of
 * literals and a match for the zeros; zlib some 12, lz4 some 4.
 */
#define OVERHEAD_BYTES 9.0

static void fill_unit(struct data *d, uint8_t *unit)
{
	uint32_t whole = d->random_bytes & ~7u;
	uint64_t word;

	for (uint32_t i = 0; i < whole; i += 8) {
		word = rng_u64(&d->rng);
		memcpy(unit + i, &word, 8);
	}
	if (whole != d->random_bytes) {
		word = rng_u64(&d->rng);
		memcpy(unit + whole, &word, d->random_bytes - whole);
	}
	memset(unit + d->random_bytes, 0, DATA_UNIT_BYTES - d->random_bytes);
}

void data_first(struct data *d, void *buf, size_t bytes)
{
	for (size_t at = 0; at + DATA_UNIT_BYTES <= bytes; at += DATA_UNIT_BYTES)
		fill_unit(d, (uint8_t *)buf + at);
}

int data_init(struct data *d, double compress_ratio, double dedupe_ratio, uint64_t seed,
              uint64_t owner)
{
	double random = DATA_UNIT_BYTES / compress_ratio;

	*d = (struct data){.copy_share = 1 - 1 / dedupe_ratio};
	if (compress_ratio > 1)
		random -= OVERHEAD_BYTES;
	/* Less than a key, and blocks that are meant to differ would not. */
	d->random_bytes = random < 8 ? 8 : (uint32_t)random;
	if (d->copy_share > 0) {
		d->copies = malloc((size_t)DATA_COPIES_COUNT * DATA_BLOCK_BYTES);
		if (d->copies == NULL)
			return -ENOMEM;
		rng_init(&d->rng, seed, UINT64_MAX, RNG_STRINGS);
		data_first(d, d->copies, (size_t)DATA_COPIES_COUNT * DATA_BLOCK_BYTES);
	}
	rng_init(&d->rng, seed, owner, RNG_STRINGS);
	return 0;
}

void data_fini(struct data *d)
{
	free(d->copies);
	d->copies = NULL;
}

/*
 * Another content from the one that is there: random bits stay random when a key is added to each
 * word. With both halves of the key non-zero no four bytes stay what they were, so that a
 * compressor which looks back over many blocks finds nothing.
 */
static void change(struct data *d, uint8_t *unit, size_t bytes)
{
	uint64_t key = rng_u64(&d->rng) | 0x0101010101010101ull;
	uint32_t whole = d->random_bytes & ~7u;

	for (; bytes >= DATA_UNIT_BYTES; bytes -= DATA_UNIT_BYTES, unit += DATA_UNIT_BYTES) {
		for (uint32_t i = 0; i < whole; i += 8) {
			uint64_t word;

			memcpy(&word, unit + i, 8);
			word ^= key;
			memcpy(unit + i, &word, 8);
		}
	}
}

static void change_or_copy(struct data *d, uint8_t *block, size_t bytes)
{
	d->owed += d->copy_share;
	if (d->owed < 1) {
		change(d, block, bytes);
		return;
	}
	d->owed--;
	memcpy(block, d->copies + (size_t)d->next_copy * DATA_BLOCK_BYTES, bytes);
	d->next_copy = (d->next_copy + 1) % DATA_COPIES_COUNT;
}

void data_next(struct data *d, void *buf, size_t bytes)
{
	uint8_t *at = buf;

	if (d->copies == NULL) {
		change(d, at, bytes);
		return;
	}
	for (; bytes != 0;) {
		size_t block = bytes < DATA_BLOCK_BYTES ? bytes : DATA_BLOCK_BYTES;

		change_or_copy(d, at, block);
		at += block;
		bytes -= block;
	}
}
