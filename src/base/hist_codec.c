/* SPDX-License-Identifier: MIT */
/*
 * The V2 format: a header of 40 bytes, then one ZigZag LEB128 word per counter from index 0 up to
 * the last one in use, where a negative word -n stands for n empty counters. All header fields are
 * big-endian. Compressed, that is a zlib stream behind a header of 8 bytes. The text is base64 of
 * either.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/hist_codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#define COOKIE_PLAIN      0x1c849313u /* 0x1c849303 | 0x10: words of up to 9 bytes */
#define COOKIE_COMPRESSED 0x1c849314u /* 0x1c849304 | 0x10 */
#define HEADER_BYTES      40u
#define WORD_BYTES        9u
#define DIGITS            3u
/* The largest layout that is read (3 digits over 63 bits) has 55,296 counters. */
#define PLAIN_BYTES_MAX (HEADER_BYTES + WORD_BYTES * 65536u)

/* ---- bytes ---- */

static void put_be(uint8_t *p, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		p[i] = (uint8_t)(v >> (8 * (bytes - 1 - i)));
}

static uint64_t get_be(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v = v << 8 | p[i];
	return v;
}

/* Seven bits a byte, lowest first; the ninth byte carries the last eight. */
static uint8_t *put_word(uint8_t *p, int64_t value)
{
	uint64_t v = (uint64_t)value << 1 ^ (uint64_t)(value >> 63);

	for (unsigned i = 0; i < WORD_BYTES - 1; i++) {
		if (v < 0x80) {
			*p++ = (uint8_t)v;
			return p;
		}
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

/* Moves `*p` behind the word; false when the bytes end within it. */
static bool get_word(const uint8_t **p, const uint8_t *end, int64_t *value)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < WORD_BYTES; i++) {
		uint8_t byte;

		if (*p == end)
			return false;
		byte = *(*p)++;
		if (i == WORD_BYTES - 1 || byte < 0x80) {
			v |= (uint64_t)byte << (7 * i);
			*value = (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
			return true;
		}
		v |= (uint64_t)(byte & 0x7f) << (7 * i);
	}
	return false;
}

/* ---- base64 ---- */

static void add_base64(struct strbuf *out, const uint8_t *p, size_t n)
{
	static const char digit[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)p[i] << 16;
		char quad[4];

		v |= i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0;
		v |= i + 2 < n ? (uint32_t)p[i + 2] : 0;
		quad[0] = digit[v >> 18];
		quad[1] = digit[v >> 12 & 63];
		quad[2] = i + 1 < n ? digit[v >> 6 & 63] : '=';
		quad[3] = i + 2 < n ? digit[v & 63] : '=';
		strbuf_add(out, quad, sizeof(quad));
	}
}

static int base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+')
		return 62;
	return c == '/' ? 63 : -1;
}

/* Decodes into `bytes` (room for len / 4 * 3); returns how many, or -EINVAL. */
static ssize_t base64_decode(const char *text, size_t len, uint8_t *bytes)
{
	size_t pad = len > 0 && text[len - 1] == '=' ? 1 : 0;
	uint8_t *p = bytes;

	if (len % 4 != 0)
		return -EINVAL;
	if (pad == 1 && text[len - 2] == '=')
		pad = 2;
	for (size_t i = 0; i < len; i += 4) {
		uint32_t v = 0;

		for (size_t k = i; k < i + 4; k++) {
			int d = k >= len - pad ? 0 : base64_value(text[k]);

			if (d < 0)
				return -EINVAL;
			v = v << 6 | (uint32_t)d;
		}
		put_be(p, v, 3);
		p += 3;
	}
	return p - bytes - (ssize_t)pad;
}

/* ---- encode ---- */

/* The counters in words; returns the end. `p` has room for a word per counter. */
static uint8_t *put_counts(uint8_t *p, const struct hist *h)
{
	int64_t empty = 0;

	/* Without a value HdrHistogram writes the first counter all the same. */
	if (h->lo > h->hi)
		return put_word(p, 0);
	for (uint32_t i = 0; i <= h->hi; i++) {
		if (hist_count_at(h, i) == 0) {
			empty++;
			continue;
		}
		/* One empty counter may be a plain 0; -1 would mean the same and HdrHistogram
		 * writes 0. */
		if (empty > 0)
			p = put_word(p, empty == 1 ? 0 : -empty);
		empty = 0;
		p = put_word(p, (int64_t)hist_count_at(h, i));
	}
	return p;
}

static size_t put_plain(uint8_t *plain, const struct hist *h)
{
	const double ratio = 1.0;
	uint64_t ratio_bits;
	uint8_t *end = put_counts(plain + HEADER_BYTES, h);

	memcpy(&ratio_bits, &ratio, sizeof(ratio_bits));
	put_be(plain, COOKIE_PLAIN, 4);
	put_be(plain + 4, (uint64_t)(end - plain) - HEADER_BYTES, 4);
	put_be(plain + 8, 0, 4); /* normalizing index offset */
	put_be(plain + 12, DIGITS, 4);
	put_be(plain + 16, 1, 8); /* lowest discernible value */
	put_be(plain + 24, HIST_MAX_NS, 8);
	put_be(plain + 32, ratio_bits, 8);
	return (size_t)(end - plain);
}

#ifdef HAVE_ZLIB
static int add_compressed(struct strbuf *out, const uint8_t *plain, size_t len)
{
	uLongf room = compressBound(len);
	uint8_t *bytes = malloc(8 + room);

	if (bytes == NULL)
		return -ENOMEM;
	/* The buffer is large enough for any input, so that memory is all that can be missing. */
	if (compress(bytes + 8, &room, plain, len) != Z_OK) {
		free(bytes);
		return -ENOMEM;
	}
	put_be(bytes, COOKIE_COMPRESSED, 4);
	put_be(bytes + 4, room, 4);
	add_base64(out, bytes, 8 + room);
	free(bytes);
	return 0;
}
#else
static int add_compressed(struct strbuf *out, const uint8_t *plain, size_t len)
{
	add_base64(out, plain, len);
	return 0;
}
#endif

int hist_encode(const struct hist *h, struct strbuf *out)
{
	size_t words = h->hi + 1;
	uint8_t *plain = malloc(HEADER_BYTES + WORD_BYTES * words);
	int rc;

	if (plain == NULL)
		return -ENOMEM;
	rc = add_compressed(out, plain, put_plain(plain, h));
	free(plain);
	return rc == 0 && out->failed ? -ENOMEM : rc;
}

/* ---- decode ---- */

/* How the writer laid its counters out. */
struct layout {
	uint32_t sub_bits;  /* log2 of the sub-buckets */
	uint32_t unit_bits; /* log2 of the lowest discernible value */
};

/* The values of a counter: [*low, *low + *width). False when they do not fit into 63 bits. */
static bool counter_range(const struct layout *l, uint64_t index, uint64_t *low, uint64_t *width)
{
	uint64_t half = 1ull << (l->sub_bits - 1);
	uint64_t bucket = index < 2 * half ? 0 : index / half - 1;
	uint64_t sub = index - bucket * half;
	uint64_t shift = bucket + l->unit_bits;

	if (shift + l->sub_bits > 63)
		return false;
	*low = sub << shift;
	*width = 1ull << shift;
	return true;
}

static int add_count(struct hist *h, const struct layout *l, uint64_t index, uint64_t count)
{
	uint64_t low, width, middle;
	uint32_t i;

	if (!counter_range(l, index, &low, &width))
		return -EINVAL;
	middle = low + width / 2;
	i = hist_index(middle);
	*hist_counter(h, i) += count;
	h->sum_ns += middle * count;
	if (low < h->min_ns)
		h->min_ns = low;
	if (low + width - 1 > h->max_ns)
		h->max_ns = low + width - 1;
	if (i < h->lo)
		h->lo = i;
	if (i > h->hi)
		h->hi = i;
	return 0;
}

static int get_counts(struct hist *h, const struct layout *l, const uint8_t *p, const uint8_t *end)
{
	uint64_t index = 0;
	uint64_t total = 0;

	while (p != end) {
		int64_t word;
		int rc;

		if (!get_word(&p, end, &word) || word < -(int64_t)PLAIN_BYTES_MAX)
			return -EINVAL;
		if (word <= 0) {
			index += word < 0 ? (uint64_t)-word : 1;
			if (index > PLAIN_BYTES_MAX)
				return -EINVAL;
			continue;
		}
		if (__builtin_add_overflow(total, (uint64_t)word, &total))
			return -EINVAL;
		rc = add_count(h, l, index++, (uint64_t)word);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int get_layout(const uint8_t *plain, struct layout *l)
{
	/* log2 of the sub-buckets that 0 to 3 digits need: 2 * 10^digits, rounded up. */
	static const uint8_t sub_bits[] = {1, 5, 8, HIST_SUB_BITS};
	uint64_t digits = get_be(plain + 12, 4);
	uint64_t lowest = get_be(plain + 16, 8);
	uint64_t highest = get_be(plain + 24, 8);
	uint64_t ratio_bits = get_be(plain + 32, 8);
	double ratio;

	memcpy(&ratio, &ratio_bits, sizeof(ratio));
	/* Another ratio means that the counters are not nanoseconds; an offset that they are
	 * rotated. */
	if (get_be(plain + 8, 4) != 0 || digits > DIGITS || !(ratio >= 1.0 && ratio <= 1.0))
		return -EINVAL;
	if (lowest < 1 || lowest > INT64_MAX / 2 || highest > INT64_MAX || highest < 2 * lowest)
		return -EINVAL;
	l->sub_bits = sub_bits[digits];
	l->unit_bits = 63 - (uint32_t)__builtin_clzll(lowest);
	return 0;
}

static int get_plain(struct hist *h, const uint8_t *plain, size_t len)
{
	struct layout l;
	struct hist *part;
	int rc;

	if (len < HEADER_BYTES || get_be(plain, 4) != COOKIE_PLAIN ||
	    get_be(plain + 4, 4) != len - HEADER_BYTES)
		return -EINVAL;
	rc = get_layout(plain, &l);
	if (rc != 0)
		return rc;
	/* A damaged text must not leave half of its counts behind. */
	part = hist_new();
	if (part == NULL)
		return -ENOMEM;
	rc = get_counts(part, &l, plain + HEADER_BYTES, plain + len);
	if (rc == 0)
		hist_merge(h, part);
	hist_free(part);
	return rc;
}

#ifdef HAVE_ZLIB
static int get_compressed(struct hist *h, const uint8_t *bytes, size_t len)
{
	uLongf room = PLAIN_BYTES_MAX;
	uint8_t *plain;
	int rc;

	if (get_be(bytes + 4, 4) != len - 8)
		return -EINVAL;
	plain = malloc(room);
	if (plain == NULL)
		return -ENOMEM;
	rc = uncompress(plain, &room, bytes + 8, len - 8);
	if (rc == Z_OK)
		rc = get_plain(h, plain, room);
	else
		rc = rc == Z_MEM_ERROR ? -ENOMEM : -EINVAL;
	free(plain);
	return rc;
}
#else
static int get_compressed(struct hist *h, const uint8_t *bytes, size_t len)
{
	(void)h;
	(void)bytes;
	(void)len;
	return -ENOTSUP;
}
#endif

int hist_decode(struct hist *h, const char *text)
{
	size_t len = strlen(text);
	uint8_t *bytes = malloc(len / 4 * 3 + 1);
	ssize_t n;
	int rc = -EINVAL;

	if (bytes == NULL)
		return -ENOMEM;
	n = base64_decode(text, len, bytes);
	if (n >= 8 && get_be(bytes, 4) == COOKIE_COMPRESSED)
		rc = get_compressed(h, bytes, (size_t)n);
	else if (n >= 8)
		rc = get_plain(h, bytes, (size_t)n);
	free(bytes);
	return rc;
}
