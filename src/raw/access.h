/* SPDX-License-Identifier: MIT */
/*
 * access: which I/O comes next: stream, direction, size and address. Shares are exact (deck.h).
 * What streams share between workers - how far each has come in sequence - is in struct
 * access_space; the rest belongs to one worker.
 */
#ifndef IOLTP_RAW_ACCESS_H
#define IOLTP_RAW_ACCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/dist.h"
#include "raw/deck.h"
#include "raw/profile.h"

/* The part of the target that a stream uses. */
struct access_region {
	uint64_t offset_bytes, span_bytes;
	/* Bytes passed in sequence so far, from the region's start, per direction (0: reads). */
	_Alignas(64) _Atomic uint64_t next[2];
	_Atomic uint64_t lap[2]; /* IO_STRIDED: where the lap began */
};

struct access_space {
	const struct raw_profile *profile;
	uint32_t lba_bytes;
	unsigned nregions; /* one per stream */
	struct access_region *regions;
};

/*
 * Lays the streams out on a target. The profile (checked by profile_check) must outlive it.
 * -ENOMEM, or -EINVAL with `err` for an extent that holds not even one I/O.
 */
int access_space_init(struct access_space *s, const struct raw_profile *p, uint64_t target_bytes,
                      uint32_t lba_bytes, struct err *err);
void access_space_fini(struct access_space *s);

struct io_request {
	uint64_t offset_bytes;
	uint32_t bytes; /* 0: a flush */
	uint8_t op;     /* enum io_op */
	uint8_t stream;
};

/* Sizes of one stream and direction, or of a step of a transaction. */
struct access_sizes {
	struct deck deck;
	uint32_t bytes[PROFILE_SIZES_MAX];
	uint64_t positions[PROFILE_SIZES_MAX]; /* addresses for that size in the region */
	uint32_t align[PROFILE_SIZES_MAX];
	struct dist_zipf zipf[PROFILE_SIZES_MAX]; /* IO_ZIPFIAN */
	uint64_t factor[PROFILE_SIZES_MAX];       /* scatters ranks; 0: not known yet */
};

struct access_stream {
	const struct io_stream *profile;
	struct access_region *region;
	struct deck direction; /* 0: read */
	struct deck random[2]; /* by direction; 0: random */
	struct deck bands;
	uint16_t chunks[PROFILE_CHUNKS_MAX];         /* by band, those of one band together */
	uint16_t first_chunk[PROFILE_BANDS_MAX + 1]; /* by band: index of its first in `chunks` */
	struct access_sizes sizes[2];
	struct dist_params zipf;
	double writes; /* since the last flush; less what it came late */
};

/* One worker's. */
struct access {
	const struct access_space *space;
	struct rng keys, choices;
	unsigned nstreams;
	uint8_t index[PROFILE_STREAMS_MAX]; /* of the streams that are drawn from, by weight */
	struct deck pick;
	unsigned held; /* stream whose flush came before the I/O that was due, + 1; 0: none */
	struct access_stream *streams; /* all of the profile's */
};

/*
 * For one worker (`owner`), drawing from the n streams of `index`. NULL: out of memory. Two with
 * equal seed and owner draw the same.
 */
struct access *access_new(const struct access_space *s, const uint8_t *index, unsigned n,
                          uint64_t seed, uint64_t owner);
void access_free(struct access *a);

/* The next I/O by weight; a flush when one is due. */
void access_next(struct access *a, struct io_request *io);

/* Prepares sizes for I/Os in a stream's region; the caller's storage. */
void access_sizes_init(struct access_sizes *z, const struct access_space *s, unsigned stream,
                       const struct io_sizes *sizes);
/* Fills `io` for a step of a transaction: bytes and address; APPEND goes round the region. */
void access_step(struct access *a, struct access_sizes *z, unsigned stream, enum io_op op,
                 struct io_request *io);

/* An extent in bytes; a share is cut to whole LBAs, and to whole 4 KiB where the target is of
 * those. */
uint64_t access_extent_bytes(const struct io_extent *e, uint64_t target_bytes, uint32_t lba_bytes);

#endif
