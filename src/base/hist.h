/* SPDX-License-Identifier: MIT */
/*
 * hist: latencies in HdrHistogram's layout: log-linear, lowest discernible 1 ns, highest trackable
 * 24 h, 3 significant digits (2048 sub-buckets), so that a bucket is never wider than 1/1024 of its
 * value.
 *
 * One thread records; any thread may read meanwhile (hist_merge): counters are written with relaxed
 * atomics and only grow, so that a reader sees each recorded value either now or the next time, and
 * the differences between two readings add up to the total. Percentiles of a moving histogram are
 * taken from a merged copy.
 *
 * Counters come into memory in groups, one behind the other, as they are first used: hundreds of
 * clients have a dozen histograms each, whose few values a flat array would spread over a page
 * each.
 */
#ifndef IOLTP_BASE_HIST_H
#define IOLTP_BASE_HIST_H

#include <stdint.h>

/* 24 h. Larger values count in the last bucket; max_ns stays true. */
#define HIST_MAX_NS 86400000000000ull

#define HIST_SUB_BITS  11u                   /* log2 of the sub-bucket count */
#define HIST_SUB_COUNT (1u << HIST_SUB_BITS) /* 2048 */
#define HIST_HALF      (HIST_SUB_COUNT / 2u) /* 1024 */
#define HIST_BUCKETS   37u                   /* 2^(11+36) > 24 h */
#define HIST_COUNTS    ((HIST_BUCKETS + 1u) * HIST_HALF)
#define HIST_GROUP     32u /* counters that come into memory together */

struct hist {
	uint64_t min_ns; /* UINT64_MAX when empty */
	uint64_t max_ns;
	uint64_t sum_ns; /* exact; wraps after 584 years of summed latency */
	uint32_t lo, hi; /* indexes used so far are within [lo, hi]; lo > hi when empty */
	uint32_t groups; /* in use */
	uint16_t slots[HIST_COUNTS / HIST_GROUP]; /* where a group's counters are; 0: not in use */
	uint64_t cells[HIST_COUNTS + HIST_GROUP]; /* counters by slot; those of slot 0 stay 0 */
};

/* Heap (anonymous mapping: pages never touched cost nothing); NULL: out of memory. */
struct hist *hist_new(void);
void hist_free(struct hist *h);
/* Empties it. Storage that is not from hist_new must be zero-filled before its first reset. */
void hist_reset(struct hist *h);

/* Index of a value's counter. */
static inline uint32_t hist_index(uint64_t v)
{
	uint32_t bucket;

	if (v > HIST_MAX_NS)
		v = HIST_MAX_NS;
	bucket = (uint32_t)(64 - __builtin_clzll(v | (HIST_SUB_COUNT - 1))) - HIST_SUB_BITS;
	return bucket * HIST_HALF + (uint32_t)(v >> bucket);
}

/* Lowest value of a counter, and how many values share it. */
uint64_t hist_value_at(uint32_t index);
uint64_t hist_width_at(uint32_t index);

#define HIST_LOAD(p)     __atomic_load_n((p), __ATOMIC_RELAXED)
#define HIST_STORE(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)

/* A counter's value; of a moving histogram, too. */
static inline uint64_t hist_count_at(const struct hist *h, uint32_t index)
{
	uint32_t slot = HIST_LOAD(&h->slots[index / HIST_GROUP]);

	return HIST_LOAD(&h->cells[slot * HIST_GROUP + index % HIST_GROUP]);
}

/* Puts a group in use that is not; its slot. The owning thread only. */
uint32_t hist_use_group(struct hist *h, uint32_t group);

/* Where to count. The owning thread only. */
static inline uint64_t *hist_counter(struct hist *h, uint32_t index)
{
	uint32_t slot = HIST_LOAD(&h->slots[index / HIST_GROUP]);

	if (__builtin_expect(slot == 0, 0))
		slot = hist_use_group(h, index / HIST_GROUP);
	return &h->cells[slot * HIST_GROUP + index % HIST_GROUP];
}

/* Records one value. The owning thread only. */
static inline void hist_record(struct hist *h, uint64_t v)
{
	uint32_t i = hist_index(v);
	uint64_t *counter = hist_counter(h, i);

	HIST_STORE(counter, HIST_LOAD(counter) + 1);
	HIST_STORE(&h->sum_ns, HIST_LOAD(&h->sum_ns) + v);
	/* "<=": empty, the minimum is UINT64_MAX, and a first value of UINT64_MAX must set lo. */
	if (__builtin_expect(v <= HIST_LOAD(&h->min_ns), 0)) {
		HIST_STORE(&h->min_ns, v);
		HIST_STORE(&h->lo, i);
	}
	/* An empty histogram has max 0 and hi 0, which a first value of 0 fits without a store. */
	if (__builtin_expect(v > HIST_LOAD(&h->max_ns), 0)) {
		HIST_STORE(&h->max_ns, v);
		HIST_STORE(&h->hi, i);
	}
}

/* Adds all of `from` (may be moving) to `to` (not moving, or owned by the caller). */
void hist_merge(struct hist *to, const struct hist *from);
/*
 * to = now - before (to is emptied first), for two merged copies of the same growing histograms;
 * min and max are then the bounds of the counters in use, cut to now's.
 */
void hist_diff(struct hist *to, const struct hist *now, const struct hist *before);

/* Readers of a histogram that does not move. */
uint64_t hist_count(const struct hist *h);
double hist_mean_ns(const struct hist *h); /* 0 when empty */
/* Standard deviation, from the middles of the counters. */
double hist_stddev_ns(const struct hist *h);
/*
 * The value at a percentile in [0, 100]: the smallest recorded value such that at least that share
 * is no greater; the middle of its counter (error under 0.05 %), always within [min, max]; 0 when
 * empty. 100 is max exactly.
 */
uint64_t hist_percentile_ns(const struct hist *h, double percentile);
/* Several at once, in one pass; percentiles ascending. */
void hist_percentiles_ns(const struct hist *h, const double *percentiles, unsigned n,
                         uint64_t *out_ns);

/* Calls fn(lowest value, width, count) for each non-empty counter in ascending order. */
void hist_each(const struct hist *h,
               void (*fn)(void *ctx, uint64_t value_ns, uint64_t width_ns, uint64_t count),
               void *ctx);

#endif
