/* SPDX-License-Identifier: MIT */
/*
 * hist_dump: histograms of several shapes, each as its counts and as its encoded text, for another
 * implementation to decode and compare (tests/hdr). For each one it prints
 *	histogram NAME TOTAL
 *	count VALUE COUNT	lowest value of a counter in use, and its count; ascending
 *	text BASE64
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hist.h"
#include "base/hist_codec.h"
#include "base/rng.h"

static void fill_empty(struct hist *h)
{
	(void)h;
}

static void fill_zero(struct hist *h)
{
	hist_record(h, 0);
}

static void fill_one(struct hist *h)
{
	hist_record(h, 123456789);
}

/* Around the ends of sub-buckets and buckets. */
static void fill_edges(struct hist *h)
{
	for (unsigned bits = 0; bits < 46; bits++)
		for (int64_t d = -1; d <= 1; d++)
			hist_record(h, (uint64_t)((1ll << bits) + d));
}

static void fill_huge(struct hist *h)
{
	hist_record(h, 3600000000000ull);
	hist_record(h, HIST_MAX_NS - 1);
	hist_record(h, HIST_MAX_NS);
	hist_record(h, HIST_MAX_NS + 1);
	hist_record(h, UINT64_MAX);
}

/* Single empty counters and pairs of them between those in use. */
static void fill_holes(struct hist *h)
{
	for (uint64_t v = 1; v < 2000; v += 2 + v % 3)
		hist_record(h, v);
}

static void fill_every_counter(struct hist *h)
{
	for (uint32_t i = 0; i <= hist_index(HIST_MAX_NS); i++)
		for (uint32_t k = 0; k <= i % 3; k++)
			hist_record(h, hist_value_at(i));
}

/* Counts of 1, 2, 4 ... 2^62: words of all lengths. */
static void fill_large_counts(struct hist *h)
{
	struct hist *copy = hist_new();

	if (copy == NULL)
		exit(1);
	for (unsigned i = 0; i < 63; i++) {
		hist_reset(copy);
		hist_merge(copy, h);
		hist_merge(h, copy);
		hist_record(h, i * 1000);
	}
	hist_free(copy);
}

static void fill_million(struct hist *h)
{
	struct rng r;

	rng_init(&r, 1, 0, RNG_KEYS);
	for (unsigned i = 0; i < 1000000; i++)
		hist_record(h, (uint64_t)(1000 * pow(1 - rng_double(&r), -1.5)));
}

static const struct {
	const char *name;
	void (*fill)(struct hist *h);
} shapes[] = {
    {"empty", fill_empty},
    {"zero", fill_zero},
    {"one", fill_one},
    {"edges", fill_edges},
    {"huge", fill_huge},
    {"holes", fill_holes},
    {"every-counter", fill_every_counter},
    {"large-counts", fill_large_counts},
    {"million", fill_million},
};

static void print_count(void *ctx, uint64_t value_ns, uint64_t width_ns, uint64_t count)
{
	(void)ctx;
	(void)width_ns;
	printf("count %" PRIu64 " %" PRIu64 "\n", value_ns, count);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct strbuf text = STRBUF_INIT;
		struct hist *h = hist_new();

		if (h == NULL)
			return 1;
		shapes[i].fill(h);
		if (hist_encode(h, &text) != 0)
			return 1;
		printf("histogram %s %" PRIu64 "\n", shapes[i].name, hist_count(h));
		hist_each(h, print_count, NULL);
		printf("text %s\n", strbuf_str(&text));
		strbuf_fini(&text);
		hist_free(h);
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
