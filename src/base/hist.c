/* SPDX-License-Identifier: MIT */
#include "base/hist.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

struct hist *hist_new(void)
{
	void *map = mmap(NULL, sizeof(struct hist), PROT_READ | PROT_WRITE,
	                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct hist *h = map;

	if (map == MAP_FAILED)
		return NULL;
	/* A huge page would make hundreds of mostly empty histograms cost 2 MiB each. Advice only.
	 */
	(void)madvise(map, sizeof(struct hist), MADV_NOHUGEPAGE);
	hist_reset(h);
	return h;
}

void hist_free(struct hist *h)
{
	if (h != NULL)
		munmap(h, sizeof(*h));
}

void hist_reset(struct hist *h)
{
	/* Only what was used: clearing everything would touch every page of every histogram. */
	if (h->groups != 0) {
		memset(h->slots, 0, sizeof(h->slots));
		memset(&h->cells[HIST_GROUP], 0,
		       (size_t)h->groups * HIST_GROUP * sizeof(h->cells[0]));
		h->groups = 0;
	}
	h->min_ns = UINT64_MAX;
	h->max_ns = 0;
	h->sum_ns = 0;
	h->lo = UINT32_MAX;
	h->hi = 0;
}

uint32_t hist_use_group(struct hist *h, uint32_t group)
{
	uint32_t slot = ++h->groups;

	/* A reader that sees it finds zeros there, or what was counted since. */
	HIST_STORE(&h->slots[group], (uint16_t)slot);
	return slot;
}

/* From `index` on, up to `hi`, the next counter whose group is in use; beyond `hi`: none is. */
static uint32_t next_in_use(const struct hist *h, uint32_t index, uint32_t hi)
{
	while (index <= hi && HIST_LOAD(&h->slots[index / HIST_GROUP]) == 0)
		index = (index / HIST_GROUP + 1) * HIST_GROUP;
	return index;
}

/* Over all counters that may be other than 0, ascending; `i` is a uint32_t. */
#define EACH_COUNTER(h, i, lo, hi)                                                                 \
	for ((i) = next_in_use((h), (lo), (hi)); (i) <= (hi); (i) = next_in_use((h), (i) + 1, (hi)))

/* How far the values of a counter are shifted right to become its sub-bucket. */
static uint32_t shift_at(uint32_t index)
{
	return index < HIST_SUB_COUNT ? 0 : index / HIST_HALF - 1;
}

uint64_t hist_value_at(uint32_t index)
{
	uint32_t shift = shift_at(index);

	return (uint64_t)(index - shift * HIST_HALF) << shift;
}

uint64_t hist_width_at(uint32_t index)
{
	return 1ull << shift_at(index);
}

/* The last counter also holds all that is longer than HIST_MAX_NS. */
static uint64_t highest_at(uint32_t index)
{
	if (index == hist_index(HIST_MAX_NS))
		return UINT64_MAX;
	return hist_value_at(index) + hist_width_at(index) - 1;
}

static uint64_t clamp(uint64_t v, uint64_t low, uint64_t high)
{
	if (v < low)
		return low;
	return v > high ? high : v;
}

/* Widens what `to` says about its range by the counters [first, last] and the extremes that were
 * seen. */
static void widen(struct hist *to, uint32_t first, uint32_t last, uint64_t min_ns, uint64_t max_ns)
{
	/*
	 * The owner writes a counter before the extremes: a reader may see a counter whose value
	 * min and max do not cover yet, and must not let percentiles fall outside of them.
	 */
	if (min_ns > highest_at(first))
		min_ns = hist_value_at(first);
	if (max_ns < hist_value_at(last))
		max_ns = hist_value_at(last) + hist_width_at(last) - 1;
	if (min_ns < to->min_ns)
		to->min_ns = min_ns;
	if (max_ns > to->max_ns)
		to->max_ns = max_ns;
	if (first < to->lo)
		to->lo = first;
	if (last > to->hi)
		to->hi = last;
}

void hist_merge(struct hist *to, const struct hist *from)
{
	uint32_t lo = HIST_LOAD(&from->lo);
	uint32_t hi = HIST_LOAD(&from->hi);
	uint32_t first = UINT32_MAX;
	uint32_t last = 0;
	uint32_t i;

	EACH_COUNTER (from, i, lo, hi) {
		uint64_t n = hist_count_at(from, i);

		if (n == 0)
			continue;
		*hist_counter(to, i) += n;
		if (first == UINT32_MAX)
			first = i;
		last = i;
	}
	if (first == UINT32_MAX)
		return;
	to->sum_ns += HIST_LOAD(&from->sum_ns);
	widen(to, first, last, HIST_LOAD(&from->min_ns), HIST_LOAD(&from->max_ns));
}

void hist_diff(struct hist *to, const struct hist *now, const struct hist *before)
{
	uint32_t first = UINT32_MAX;
	uint32_t last = 0;
	uint32_t i;

	hist_reset(to);
	EACH_COUNTER (now, i, now->lo, now->hi) {
		uint64_t n = hist_count_at(now, i) - hist_count_at(before, i);

		if (n == 0)
			continue;
		*hist_counter(to, i) = n;
		if (first == UINT32_MAX)
			first = i;
		last = i;
	}
	if (first == UINT32_MAX)
		return;
	to->sum_ns = now->sum_ns - before->sum_ns;
	to->lo = first;
	to->hi = last;
	to->min_ns = clamp(hist_value_at(first), now->min_ns, now->max_ns);
	to->max_ns = clamp(highest_at(last), now->min_ns, now->max_ns);
}

uint64_t hist_count(const struct hist *h)
{
	uint64_t total = 0;
	uint32_t i;

	EACH_COUNTER (h, i, h->lo, h->hi)
		total += hist_count_at(h, i);
	return total;
}

double hist_mean_ns(const struct hist *h)
{
	uint64_t count = hist_count(h);
	double mean;

	if (count == 0)
		return 0;
	mean = (double)h->sum_ns / (double)count;
	/* A copy of a moving histogram may have summed a value that it did not count yet. */
	if (mean < (double)h->min_ns)
		return (double)h->min_ns;
	return mean > (double)h->max_ns ? (double)h->max_ns : mean;
}

/* What stands for all values of a counter: its middle, within what was recorded. */
static uint64_t middle_at(const struct hist *h, uint32_t index)
{
	return clamp(hist_value_at(index) + hist_width_at(index) / 2, h->min_ns, h->max_ns);
}

double hist_stddev_ns(const struct hist *h)
{
	double count = 0;
	double mean = 0;
	double squares = 0;
	uint32_t i;

	/* Welford's update: differences from a running mean lose nothing when the spread is small.
	 */
	EACH_COUNTER (h, i, h->lo, h->hi) {
		double n = (double)hist_count_at(h, i);
		double value, delta;

		if (n == 0)
			continue;
		value = (double)middle_at(h, i);
		delta = value - mean;
		count += n;
		mean += delta * n / count;
		squares += delta * (value - mean) * n;
	}
	return count > 0 ? sqrt(squares / count) : 0;
}

/* Which recorded value, counted from 1 in ascending order, stands at a percentile. */
static uint64_t rank_of(double percentile, uint64_t count)
{
	double x = percentile * (double)count / 100;
	double rank;

	/* 99.9 % of 1000 is the 999th, although 99.9 is a little more than that in binary. */
	rank = ceil(x - x * 0x1p-51);
	if (!(rank >= 1))
		return 1;
	return rank >= (double)count ? count : (uint64_t)rank;
}

void hist_percentiles_ns(const struct hist *h, const double *percentiles, unsigned n,
                         uint64_t *out_ns)
{
	uint64_t count = hist_count(h);
	uint64_t seen = 0;
	uint32_t i = h->lo;

	for (unsigned k = 0; k < n; k++) {
		uint64_t rank = rank_of(percentiles[k], count);

		if (count == 0) {
			out_ns[k] = 0;
			continue;
		}
		while (seen + hist_count_at(h, i) < rank)
			seen += hist_count_at(h, i++);
		if (percentiles[k] >= 100)
			out_ns[k] = h->max_ns;
		else
			out_ns[k] = percentiles[k] > 0 ? middle_at(h, i) : h->min_ns;
	}
}

uint64_t hist_percentile_ns(const struct hist *h, double percentile)
{
	uint64_t value_ns;

	hist_percentiles_ns(h, &percentile, 1, &value_ns);
	return value_ns;
}

void hist_each(const struct hist *h,
               void (*fn)(void *ctx, uint64_t value_ns, uint64_t width_ns, uint64_t count),
               void *ctx)
{
	uint32_t i;

	EACH_COUNTER (h, i, h->lo, h->hi)
		if (hist_count_at(h, i) != 0)
			fn(ctx, hist_value_at(i), hist_width_at(i), hist_count_at(h, i));
}
