/* SPDX-License-Identifier: MIT */
#include "raw/access.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/gcd.h"

/* Drives have pages of this size whatever their logical block is. */
#define PAGE_BYTES 4096u

enum { READS, WRITES };

/* ---- the streams' regions ---- */

uint64_t access_extent_bytes(const struct io_extent *e, uint64_t target_bytes, uint32_t lba_bytes)
{
	uint64_t bytes;

	if (!e->is_share)
		return e->bytes - e->bytes % lba_bytes;
	/* A share that was made from whole blocks must come back as those. */
	bytes = (uint64_t)floor((double)target_bytes * e->share + 0.5);
	if (bytes > target_bytes)
		bytes = target_bytes;
	if (PAGE_BYTES % lba_bytes == 0 && target_bytes % PAGE_BYTES == 0)
		lba_bytes = PAGE_BYTES;
	return bytes - bytes % lba_bytes;
}

static uint32_t largest(const struct io_sizes *z)
{
	uint32_t most = 0;

	for (unsigned i = 0; i < z->n; i++)
		most = z->bytes[i] > most ? z->bytes[i] : most;
	return most;
}

/* The largest I/O that goes into a stream's region, its own or a transaction's. */
static uint32_t largest_io(const struct raw_profile *p, unsigned stream)
{
	const struct io_stream *s = &p->streams[stream];
	uint32_t most = 0;

	if (s->read_share > 0)
		most = largest(&s->read_sizes);
	if (s->read_share < 1 && largest(&s->write_sizes) > most)
		most = largest(&s->write_sizes);
	if (p->ntxns != 0 && !profile_in_background(p, s))
		most = 0;
	for (unsigned i = 0; i < p->ntxns; i++) {
		for (unsigned k = 0; k < p->txns[i].nsteps; k++) {
			const struct io_step *step = &p->txns[i].steps[k];

			if (step->op != IO_FLUSH && step->region == stream &&
			    largest(&step->sizes) > most)
				most = largest(&step->sizes);
		}
	}
	return most;
}

static int lay_out(struct access_space *s, unsigned i, uint64_t target_bytes, struct err *err)
{
	const struct io_stream *stream = &s->profile->streams[i];
	struct access_region *r = &s->regions[i];
	uint64_t span = access_extent_bytes(&stream->span, target_bytes, s->lba_bytes);

	r->offset_bytes = access_extent_bytes(&stream->offset, target_bytes, s->lba_bytes);
	if (r->offset_bytes >= target_bytes)
		return err_usage(err,
		                 "stream '%s': its offset of %llu bytes is beyond the target's end "
		                 "at %llu; lower it",
		                 stream->name, (unsigned long long)r->offset_bytes,
		                 (unsigned long long)target_bytes);
	if (span == 0 && !stream->span.is_share)
		span = target_bytes - r->offset_bytes;
	if (span > target_bytes - r->offset_bytes)
		return err_usage(
		    err,
		    "stream '%s': offset %llu and span %llu reach beyond the target's end at %llu "
		    "bytes; shorten the span",
		    stream->name, (unsigned long long)r->offset_bytes, (unsigned long long)span,
		    (unsigned long long)target_bytes);
	r->span_bytes = span - span % s->lba_bytes;
	if (r->span_bytes < largest_io(s->profile, i) || r->span_bytes == 0)
		return err_usage(
		    err, "stream '%s': its span of %llu bytes is shorter than one I/O; lengthen it",
		    stream->name, (unsigned long long)r->span_bytes);
	return 0;
}

int access_space_init(struct access_space *s, const struct raw_profile *p, uint64_t target_bytes,
                      uint32_t lba_bytes, struct err *err)
{
	size_t size = p->nstreams * sizeof(struct access_region);

	*s = (struct access_space){.profile = p, .lba_bytes = lba_bytes, .nregions = p->nstreams};
	if (p->nstreams == 0)
		return err_usage(err, "profile '%s': no streams; give it at least one", p->name);
	s->regions = aligned_alloc(_Alignof(struct access_region), size);
	if (s->regions == NULL)
		return err_run(err, "streams: out of memory");
	memset(s->regions, 0, size);
	for (unsigned i = 0; i < p->nstreams; i++) {
		int rc = lay_out(s, i, target_bytes, err);

		if (rc != 0) {
			access_space_fini(s);
			return rc;
		}
	}
	return 0;
}

void access_space_fini(struct access_space *s)
{
	free(s->regions);
	s->regions = NULL;
}

/* ---- one worker's ---- */

void access_sizes_init(struct access_sizes *z, const struct access_space *s, unsigned stream,
                       const struct io_sizes *sizes)
{
	const struct io_stream *profile = &s->profile->streams[stream];
	uint64_t span = s->regions[stream].span_bytes;

	*z = (struct access_sizes){0};
	if (sizes->n == 0)
		return;
	deck_init(&z->deck, sizes->share, sizes->n);
	for (unsigned i = 0; i < sizes->n; i++) {
		z->bytes[i] = sizes->bytes[i];
		z->align[i] = profile->align_bytes != 0 ? profile->align_bytes : sizes->bytes[i];
		if (z->align[i] < s->lba_bytes)
			z->align[i] = s->lba_bytes;
		z->positions[i] = span >= z->bytes[i] ? (span - z->bytes[i]) / z->align[i] + 1 : 1;
	}
}

/* Only IO_RANDOM is a blend. */
static double random_share(const struct io_stream *p, double share)
{
	if (p->pattern == IO_RANDOM)
		return share;
	return p->pattern == IO_SEQUENTIAL ? 0 : 1;
}

static void stream_init(struct access_stream *a, const struct access_space *s, unsigned i)
{
	const struct io_stream *p = &s->profile->streams[i];

	a->profile = p;
	a->region = &s->regions[i];
	deck_init_share(&a->direction, p->read_share);
	deck_init_share(&a->random[READS], random_share(p, p->random_read_share));
	deck_init_share(&a->random[WRITES], random_share(p, p->random_write_share));
	access_sizes_init(&a->sizes[READS], s, i, &p->read_sizes);
	access_sizes_init(&a->sizes[WRITES], s, i, &p->write_sizes);
	a->zipf = (struct dist_params){.type = DIST_ZIPFIAN, .zipf_exp = p->zipf_exponent};
	for (unsigned k = 0, n = 0; k <= p->nbands && p->nchunks != 0; k++) {
		a->first_chunk[k] = (uint16_t)n;
		for (unsigned j = 0; j < p->nchunks; j++) {
			if (p->map[j] == k)
				a->chunks[n++] = (uint16_t)j;
		}
	}
	if (p->pattern == IO_BANDS) {
		double shares[PROFILE_BANDS_MAX];

		for (unsigned k = 0; k < p->nbands; k++)
			shares[k] = p->bands[k].io_share;
		deck_init(&a->bands, shares, p->nbands);
	}
}

struct access *access_new(const struct access_space *s, const uint8_t *index, unsigned n,
                          uint64_t seed, uint64_t owner)
{
	struct access *a = calloc(1, sizeof(*a));
	double weights[PROFILE_STREAMS_MAX];
	double sum = 0;

	if (a == NULL)
		return NULL;
	a->space = s;
	a->nstreams = n;
	rng_init(&a->keys, seed, owner, RNG_KEYS);
	rng_init(&a->choices, seed, owner, RNG_MIX);
	a->streams = calloc(s->nregions, sizeof(*a->streams));
	if (a->streams == NULL) {
		free(a);
		return NULL;
	}
	for (unsigned i = 0; i < s->nregions; i++)
		stream_init(&a->streams[i], s, i);
	for (unsigned i = 0; i < n; i++) {
		a->index[i] = index[i];
		weights[i] = s->profile->streams[index[i]].weight;
		sum += weights[i];
	}
	/* A stream that runs by itself needs no weight. */
	for (unsigned i = 0; i < n && sum <= 0; i++)
		weights[i] = 1;
	if (n != 0)
		deck_init(&a->pick, weights, n);
	return a;
}

void access_free(struct access *a)
{
	if (a != NULL)
		free(a->streams);
	free(a);
}

/* ---- addresses, from the region's start ---- */

/* The next stretch in sequence, for all workers together. At the end it begins again. */
static uint64_t in_sequence(struct access_region *r, unsigned direction, uint32_t bytes)
{
	uint64_t at = atomic_load_explicit(&r->next[direction], memory_order_relaxed);
	uint64_t from;

	do {
		from = at + bytes > r->span_bytes ? 0 : at;
	} while (!atomic_compare_exchange_weak_explicit(
	    &r->next[direction], &at, from + bytes, memory_order_relaxed, memory_order_relaxed));
	return from;
}

/*
 * Every stride one I/O. The next lap lies beside the last, so that the laps together cover the
 * region; when a lap begins beyond the stride it starts over. `next` counts strides, and `lap`
 * needs no more than being near: two workers may disagree for one I/O at a lap's end.
 */
static uint64_t strided(struct access_stream *a, unsigned direction, uint32_t bytes)
{
	struct access_region *r = a->region;
	uint64_t stride = a->profile->stride_bytes;
	uint64_t lap = atomic_load_explicit(&r->lap[direction], memory_order_relaxed);
	uint64_t k = atomic_fetch_add_explicit(&r->next[direction], 1, memory_order_relaxed);
	uint64_t at = lap + k * stride;

	if (at + bytes <= r->span_bytes)
		return at;
	lap = lap + bytes >= stride || lap + 2ull * bytes > r->span_bytes ? 0 : lap + bytes;
	atomic_store_explicit(&r->lap[direction], lap, memory_order_relaxed);
	atomic_store_explicit(&r->next[direction], 1, memory_order_relaxed);
	return lap;
}

/* A number prime to n, of about its size. */
static uint64_t scatter_factor(uint64_t n)
{
	uint64_t factor = 0x9e3779b97f4a7c15ull % n;

	if (n < 5)
		return 1;
	while (factor < 2 || gcd(factor, n) != 1)
		factor++;
	return factor;
}

/*
 * Rank 0 is the most popular. Ranks are scattered over the region, as hot rows are over a table: a
 * multiplication modulo n by a number prime to n is a permutation.
 */
static uint64_t zipfian(struct access *a, struct access_stream *s, struct access_sizes *z,
                        unsigned size)
{
	uint64_t n = z->positions[size];
	uint64_t rank =
	    (uint64_t)dist_zipfian(&a->keys, &s->zipf, &z->zipf[size], 0, (int64_t)(n - 1));

	if (z->factor[size] == 0)
		z->factor[size] = scatter_factor(n);
	return (uint64_t)((unsigned __int128)rank * z->factor[size] % n);
}

/* Anywhere in one of the n positions that are the k-th of `parts` equal parts. */
static uint64_t in_part(struct access *a, uint64_t n, unsigned k, unsigned parts)
{
	uint64_t first = (uint64_t)((unsigned __int128)n * k / parts);
	uint64_t end = (uint64_t)((unsigned __int128)n * (k + 1) / parts);

	return first < end ? first + rng_below(&a->keys, end - first) : first;
}

static uint64_t banded(struct access *a, struct access_stream *s, uint64_t n)
{
	unsigned band = deck_draw(&s->bands, &a->choices);
	double before = 0;
	uint64_t first, end;

	if (s->profile->nchunks != 0) {
		unsigned from = s->first_chunk[band], n_chunks = s->first_chunk[band + 1] - from;
		unsigned chunk = s->chunks[from + rng_below(&a->keys, n_chunks)];

		return in_part(a, n, chunk, s->profile->nchunks);
	}
	for (unsigned i = 0; i < band; i++)
		before += s->profile->bands[i].span_share;
	first = (uint64_t)((double)n * before);
	end = (uint64_t)((double)n * (before + s->profile->bands[band].span_share));
	if (band + 1 == s->profile->nbands || end > n)
		end = n;
	if (first >= end)
		first = end - 1;
	return first + rng_below(&a->keys, end - first);
}

static uint64_t anywhere(struct access *a, struct access_stream *s, struct access_sizes *z,
                         unsigned size)
{
	switch (s->profile->pattern) {
	case IO_ZIPFIAN:
		return zipfian(a, s, z, size);
	case IO_BANDS:
		return banded(a, s, z->positions[size]);
	case IO_RANDOM:
	case IO_SEQUENTIAL:
	case IO_STRIDED:
		break;
	}
	return rng_below(&a->keys, z->positions[size]);
}

static uint64_t place(struct access *a, struct access_stream *s, unsigned direction,
                      struct access_sizes *z, unsigned size)
{
	uint64_t from;

	if (s->profile->pattern == IO_STRIDED)
		from = strided(s, direction, z->bytes[size]);
	else if (deck_draw(&s->random[direction], &a->choices) == 0)
		from = anywhere(a, s, z, size) * z->align[size];
	else
		from = in_sequence(s->region, direction, z->bytes[size]);
	return s->region->offset_bytes + from;
}

void access_next(struct access *a, struct io_request *io)
{
	/* A flush takes no I/O's place: shares are of I/Os. */
	unsigned stream = a->held != 0 ? a->held - 1 : a->index[deck_draw(&a->pick, &a->choices)];
	struct access_stream *s = &a->streams[stream];
	unsigned direction, size;

	io->stream = (uint8_t)stream;
	if (s->profile->flush_every > 0 && s->writes >= s->profile->flush_every) {
		s->writes -= s->profile->flush_every;
		a->held = stream + 1;
		io->op = IO_FLUSH;
		io->offset_bytes = 0;
		io->bytes = 0;
		return;
	}
	a->held = 0;
	direction = deck_draw(&s->direction, &a->choices);
	size = deck_draw(&s->sizes[direction].deck, &a->choices);
	io->bytes = s->sizes[direction].bytes[size];
	io->offset_bytes = place(a, s, direction, &s->sizes[direction], size);
	io->op = IO_READ;
	if (direction == WRITES) {
		io->op = s->profile->fua ? IO_WRITE_FUA : IO_WRITE;
		s->writes++;
	}
}

void access_step(struct access *a, struct access_sizes *z, unsigned stream, enum io_op op,
                 struct io_request *io)
{
	struct access_stream *s = &a->streams[stream];
	unsigned direction = op == IO_READ ? READS : WRITES;
	unsigned size;

	io->stream = (uint8_t)stream;
	io->op = (uint8_t)op;
	io->bytes = 0;
	io->offset_bytes = 0;
	if (op == IO_FLUSH)
		return;
	size = deck_draw(&z->deck, &a->choices);
	io->bytes = z->bytes[size];
	if (op == IO_APPEND)
		io->offset_bytes =
		    s->region->offset_bytes + in_sequence(s->region, WRITES, io->bytes);
	else
		io->offset_bytes = place(a, s, direction, z, size);
}
