/* SPDX-License-Identifier: MIT */
#include "raw/profile_value.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/keys.h"
#include "base/opt.h"
#include "base/units.h"
#include "raw/raw_opt.h"

#define COUNT(a)     (sizeof(a) / sizeof((a)[0]))
#define IO_BYTES_MAX (1u << 30)
#define BLOCK_BYTES  512u /* no drive takes less */
#define COUNT_MAX    1000000

/* The parsers of options name the option; here that is the place in the file. */
static int as_option(int rc, struct err *from, struct err *err)
{
	const char *text = from->text;

	if (rc != 0)
		err_usage(err, "%s", strncmp(text, "--", 2) == 0 ? text + 2 : text);
	return rc;
}

int profile_value_sizes(void *field, const struct tree *value, const char *where, struct err *err)
{
	struct io_sizes *sizes = field;
	struct err own = ERR_INIT;
	uint64_t bytes;
	int rc = 0;

	*sizes = (struct io_sizes){0};
	if (value->kind == TREE_TEXT) {
		rc = as_option(io_sizes_parse(sizes, value->text, where, &own), &own, err);
	} else if (keys_size(value, &bytes) == 0 && bytes != 0 && bytes <= IO_BYTES_MAX) {
		sizes->n = 1;
		sizes->bytes[0] = (uint32_t)bytes;
		sizes->share[0] = 1;
	} else {
		return err_usage(err,
		                 "%s: is no size of 1 block to 1 GiB; write \"8k\", or shares as "
		                 "\"4k/40,8k/60\"",
		                 where);
	}
	for (unsigned i = 0; rc == 0 && i < sizes->n; i++) {
		if (sizes->bytes[i] % BLOCK_BYTES != 0)
			return err_usage(err,
			                 "%s: an I/O of %u bytes is no multiple of %u bytes, which "
			                 "every drive wants; change the size",
			                 where, sizes->bytes[i], BLOCK_BYTES);
	}
	return rc;
}

int profile_value_extent(void *field, const struct tree *value, const char *where, struct err *err)
{
	struct io_extent *extent = field;
	struct err own = ERR_INIT;

	*extent = (struct io_extent){0};
	if (value->kind == TREE_TEXT)
		return as_option(raw_extent_parse(extent, value->text, where, &own), &own, err);
	if (keys_size(value, &extent->bytes) == 0)
		return 0;
	return err_usage(err, "%s: is neither a size nor a share; write \"10G\" or \"25%%\"",
	                 where);
}

int profile_value_delay(void *field, const struct tree *value, const char *where, struct err *err)
{
	struct err own = ERR_INIT;

	if (value->kind == TREE_TEXT)
		return as_option(raw_delay_parse(field, value->text, where, &own), &own, err);
	return err_usage(err, "%s: is %s; write \"fixed:5ms\", \"exp:5ms\" or \"uniform:1ms-5ms\"",
	                 where, keys_kind(value));
}

struct counts_parse {
	struct io_count *count;
	double sum;
};

/* "3/60": three times with a share of 60 %. */
static int add_count(void *ctx, const char *item)
{
	struct counts_parse *parse = ctx;
	struct io_count *c = parse->count;
	const char *slash = strchr(item, '/');
	char times[24];
	int64_t n;
	double share;

	if (slash == NULL || (size_t)(slash - item) >= sizeof(times) || c->n == PROFILE_COUNTS_MAX)
		return -EINVAL;
	memcpy(times, item, (size_t)(slash - item));
	times[slash - item] = '\0';
	if (units_parse_int(times, &n) != 0 || n < 0 || n > COUNT_MAX ||
	    units_parse_double(slash + 1, &share) != 0 || share < 0)
		return -EINVAL;
	if (c->n == 0 || (uint32_t)n < c->lo)
		c->lo = (uint32_t)n;
	if (c->n == 0 || (uint32_t)n > c->hi)
		c->hi = (uint32_t)n;
	c->times[c->n] = (uint32_t)n;
	c->share[c->n++] = share / 100;
	parse->sum += share;
	return 0;
}

static bool parse_count_text(struct io_count *count, const char *text)
{
	struct counts_parse parse = {.count = count};
	const char *dash = strchr(text, '-');
	char low[24];
	int64_t lo, hi;

	if (strchr(text, '/') != NULL)
		return opt_split(text, add_count, &parse) == 0 && fabs(parse.sum - 100) <= 1e-6;
	if (dash == NULL || (size_t)(dash - text) >= sizeof(low))
		return false;
	memcpy(low, text, (size_t)(dash - text));
	low[dash - text] = '\0';
	if (units_parse_int(low, &lo) != 0 || units_parse_int(dash + 1, &hi) != 0 || lo < 0 ||
	    lo > hi || hi > COUNT_MAX)
		return false;
	*count = (struct io_count){.lo = (uint32_t)lo, .hi = (uint32_t)hi};
	return true;
}

int profile_value_count(void *field, const struct tree *value, const char *where, struct err *err)
{
	struct io_count *count = field;
	bool good = false;

	*count = (struct io_count){0};
	if (value->kind == TREE_NUMBER && value->number == floor(value->number) &&
	    value->number >= 0 && value->number <= COUNT_MAX) {
		count->lo = count->hi = (uint32_t)value->number;
		good = true;
	} else if (value->kind == TREE_TEXT) {
		good = parse_count_text(count, value->text);
	}
	if (!good || count->hi == 0)
		return err_usage(
		    err,
		    "%s: is no count; write 4, or \"2-6\" for anything from 2 to 6, or counts with "
		    "their shares as \"3/60,4/40\", up to %u that add up to 100",
		    where, PROFILE_COUNTS_MAX);
	return 0;
}

static const struct key band_keys[] = {
    {"io", KEY_PERCENT, .offset = offsetof(struct io_band, io_share), .required = true},
    {"span", KEY_PERCENT, .offset = offsetof(struct io_band, span_share), .required = true},
};

static int check_band_sums(const struct io_stream *s, const char *where, struct err *err)
{
	double io = 0, span = 0;

	for (unsigned i = 0; i < s->nbands; i++) {
		io += s->bands[i].io_share;
		span += s->bands[i].span_share;
		if (s->bands[i].span_share <= 0)
			return err_usage(err, "%s: band %u has a span of 0; give it a share", where,
			                 i + 1);
	}
	if (fabs(io - 1) < 1e-9 && fabs(span - 1) < 1e-9)
		return 0;
	return err_usage(err,
	                 "%s: the shares of I/O add up to %g and those of the span to %g, and not "
	                 "to 100; correct them",
	                 where, 100 * io, 100 * span);
}

/* { { io = 50, span = 5 }, ... }, from the start of the span to its end. */
int profile_value_bands(void *field, const struct tree *value, const char *where, struct err *err)
{
	struct io_stream *s = field;
	char place[KEYS_WHERE_LEN];
	int n = keys_list(value, 1, PROFILE_BANDS_MAX, where, err);

	for (int i = 0; i < n; i++) {
		int rc;

		keys_where(place, "%s[%d]", where, i + 1);
		rc = keys_read(&s->bands[i], &value->items[i], place, band_keys, COUNT(band_keys),
		               err);
		if (rc != 0)
			return rc;
	}
	if (n < 0)
		return n;
	s->nbands = (unsigned)n;
	return check_band_sums(s, where, err);
}

/* ---- where bands lie ---- */

static int add_chunks(struct io_stream *s, const char *letters, const char *where, struct err *err)
{
	for (; *letters != '\0'; letters++) {
		if (*letters < 'a' || *letters >= 'a' + (int)PROFILE_BANDS_MAX)
			return err_usage(err,
			                 "%s: '%c' names no band; write a for the first, b for the "
			                 "second ...",
			                 where, *letters);
		if (s->nchunks == PROFILE_CHUNKS_MAX)
			return err_usage(err, "%s: more than %u parts; write fewer", where,
			                 PROFILE_CHUNKS_MAX);
		s->map[s->nchunks++] = (uint8_t)(*letters - 'a');
	}
	return 0;
}

/* A letter for each of the equal parts of the span, in one text or several. */
int profile_value_map(void *field, const struct tree *value, const char *where, struct err *err)
{
	struct io_stream *s = field;
	char place[KEYS_WHERE_LEN];
	int rc = 0, n;

	s->nchunks = 0;
	if (value->kind == TREE_TEXT)
		return add_chunks(s, value->text, where, err);
	n = keys_list(value, 1, PROFILE_CHUNKS_MAX, where, err);
	for (int i = 0; rc == 0 && i < n; i++) {
		keys_where(place, "%s[%d]", where, i + 1);
		if (value->items[i].kind != TREE_TEXT)
			return err_usage(err, "%s: is %s; write text, a letter for each part",
			                 place, keys_kind(&value->items[i]));
		rc = add_chunks(s, value->items[i].text, place, err);
	}
	return n < 0 ? n : rc;
}

int profile_value_check_map(struct io_stream *s, const char *where, struct err *err)
{
	unsigned chunks[PROFILE_BANDS_MAX] = {0};

	if (s->nchunks == 0)
		return 0;
	for (unsigned i = 0; i < s->nchunks; i++) {
		if (s->map[i] >= s->nbands)
			return err_usage(err, "%s.map: '%c' names no band, there are %u; add it",
			                 where, 'a' + s->map[i], s->nbands);
		chunks[s->map[i]]++;
	}
	for (unsigned i = 0; i < s->nbands; i++) {
		double share = (double)chunks[i] / s->nchunks;

		if (chunks[i] == 0 || fabs(share - s->bands[i].span_share) > 1e-6)
			return err_usage(
			    err,
			    "%s.map: gives band '%c' %g %% of the span, and bands[%u] says %g; "
			    "correct one",
			    where, 'a' + (int)i, 100 * share, i + 1, 100 * s->bands[i].span_share);
		s->bands[i].span_share = share;
	}
	return 0;
}

/* ---- what was measured ---- */

/* Facts for the reader of the file; a few are for the program. */
int profile_value_measured(void *field, const struct tree *value, const char *where,
                           struct err *err)
{
	struct io_measured *m = field;
	const struct {
		const char *name;
		double *number;
	} known[] = {
	    {"tps", &m->tps}, {"iops_per_s", &m->iops_per_s}, {"outstanding", &m->outstanding}};

	if (value->kind != TREE_TABLE)
		return err_usage(err, "%s: is %s; write a table of facts", where, keys_kind(value));
	for (size_t i = 0; i < COUNT(known); i++) {
		const struct tree *item = tree_get(value, known[i].name);

		if (item == NULL)
			continue;
		if (item->kind != TREE_NUMBER || !(item->number >= 0 && item->number < 1e12))
			return err_usage(err, "%s.%s: is no number of 0 or more; correct it", where,
			                 known[i].name);
		*known[i].number = item->number;
	}
	return 0;
}
