/* SPDX-License-Identifier: MIT */
/* Numbers with their shares: sizes of I/Os, and how often transactions do something. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/distil_priv.h"

#define BINS 7u /* two numbers each, and one for none at all */

/* ---- sizes ---- */

int size_counts_add(struct size_counts *c, uint32_t bytes)
{
	size_t lo = 0, hi = c->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (c->items[mid].bytes < bytes)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < c->n && c->items[lo].bytes == bytes) {
		c->items[lo].n++;
		return 0;
	}
	if (c->n == c->room) {
		size_t room = c->room != 0 ? 2 * c->room : 16;
		struct size_count *items = realloc(c->items, room * sizeof(*items));

		if (items == NULL)
			return -ENOMEM;
		c->items = items;
		c->room = room;
	}
	memmove(&c->items[lo + 1], &c->items[lo], (c->n - lo) * sizeof(*c->items));
	c->items[lo] = (struct size_count){bytes, 1};
	c->n++;
	return 0;
}

/* Whether an item is among the `keep` most frequent; of equals those of lower size. */
static bool is_frequent(const struct size_counts *c, size_t item, size_t keep)
{
	size_t before = 0;

	for (size_t i = 0; i < c->n; i++)
		before += c->items[i].n > c->items[item].n ||
		          (c->items[i].n == c->items[item].n && i < item);
	return before < keep;
}

void size_counts_settle(const struct size_counts *c, struct distil_sizes *sizes)
{
	size_t keep = c->n <= DISTIL_SIZES_MAX ? c->n : DISTIL_SIZES_MAX - 1;
	double total = 0, rest = 0, rest_bytes = 0;

	*sizes = (struct distil_sizes){0};
	for (size_t i = 0; i < c->n; i++)
		total += (double)c->items[i].n;
	for (size_t i = 0; i < c->n; i++) {
		if (keep < c->n && !is_frequent(c, i, keep)) {
			rest += (double)c->items[i].n;
			rest_bytes += (double)c->items[i].n * c->items[i].bytes;
			continue;
		}
		sizes->bytes[sizes->n] = c->items[i].bytes;
		sizes->share[sizes->n++] = (double)c->items[i].n / total;
	}
	if (rest <= 0)
		return;
	/* Whole blocks of 512 bytes are what every drive takes. */
	sizes->bytes[sizes->n] = (uint32_t)(fmax(1, round(rest_bytes / rest / 512)) * 512);
	sizes->share[sizes->n++] = rest / total;
}

/* ---- how many times ---- */

static int by_times(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void add(struct distil_count *c, uint32_t times, double share)
{
	if (share <= 0)
		return;
	if (c->n != 0 && c->times[c->n - 1] == times) {
		c->share[c->n - 1] += share;
		return;
	}
	c->times[c->n] = times;
	c->share[c->n++] = share;
}

/* The two whole numbers beside a mean, in the shares that make it. */
static void add_mean(struct distil_count *c, double mean, double share)
{
	double low = floor(mean);

	add(c, (uint32_t)low, share * (low + 1 - mean));
	add(c, (uint32_t)low + 1, share * (mean - low));
}

static size_t distinct(const uint32_t *times, size_t seen)
{
	size_t n = seen != 0;

	for (size_t i = 1; i < seen; i++)
		n += times[i] != times[i - 1];
	return n;
}

void distil_count_settle(struct distil_count *c, uint32_t *times, size_t seen, uint64_t n)
{
	double sum = 0, total = (double)n;
	size_t from = 0;

	*c = (struct distil_count){0};
	qsort(times, seen, sizeof(*times), by_times);
	add(c, 0, (total - (double)seen) / total);
	if (distinct(times, seen) + c->n <= DISTIL_COUNTS_MAX) {
		for (size_t i = 0; i < seen; i++)
			add(c, times[i], 1 / total);
	} else {
		for (unsigned bin = 1; bin <= BINS; bin++) {
			size_t end = seen * bin / BINS;
			double part = 0;

			for (size_t i = from; i < end; i++)
				part += times[i];
			add_mean(c, part / (double)(end - from), (double)(end - from) / total);
			from = end;
		}
	}
	for (size_t i = 0; i < seen; i++)
		sum += times[i];
	c->mean = sum / total;
}

void distil_count_mean(struct distil_count *c, double mean)
{
	*c = (struct distil_count){.mean = mean};
	add_mean(c, mean, 1);
}
