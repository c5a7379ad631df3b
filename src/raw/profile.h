/* SPDX-License-Identifier: MIT */
/*
 * profile: what a raw run asks of its target: streams of I/O with exact shares, or I/O
 * transactions, chains of steps that mimic one application transaction. Made from options, or from
 * a Lua table (profile_from_tree); read-only while the run goes on.
 */
#ifndef IOLTP_RAW_PROFILE_H
#define IOLTP_RAW_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/tree.h"
#include "run/mix.h"

#define PROFILE_STREAMS_MAX 32u
#define PROFILE_TXNS_MAX    32u
#define PROFILE_STEPS_MAX   64u
#define PROFILE_SIZES_MAX   32u
#define PROFILE_BANDS_MAX   16u
#define PROFILE_CHUNKS_MAX  1024u
#define PROFILE_COUNTS_MAX  16u

/* Sizes with shares; one size has n 1. */
struct io_sizes {
	unsigned n;
	uint32_t bytes[PROFILE_SIZES_MAX];
	double share[PROFILE_SIZES_MAX]; /* sums to 1 */
};

/* A number of times: fixed (lo = hi), uniform in [lo, hi], or, with n != 0, one of `times` by exact
 * shares; lo and hi are then the least and the most of them. */
struct io_count {
	uint32_t lo, hi;
	unsigned n;
	uint32_t times[PROFILE_COUNTS_MAX];
	double share[PROFILE_COUNTS_MAX]; /* sums to 1 */
};

/* An extent of the target, absolute or as a share of it. */
struct io_extent {
	bool is_share;
	uint64_t bytes; /* !is_share */
	double share;   /* is_share: 0..1 */
};

enum io_pattern { IO_RANDOM, IO_SEQUENTIAL, IO_STRIDED, IO_ZIPFIAN, IO_BANDS };

/* A part of the span with its share of accesses; bands lie one after another and fill the span, or
 * lie where the stream's map says. */
struct io_band {
	double span_share, io_share;
};

struct io_stream {
	char name[64];
	double weight;     /* share of I/Os = weight / sum of weights, kept exactly */
	double read_share; /* 0..1 */
	struct io_sizes read_sizes, write_sizes;
	enum io_pattern pattern;
	double random_read_share,
	    random_write_share;        /* IO_RANDOM: the rest is sequential; 1: all random */
	struct io_extent offset, span; /* span bytes 0: to the end */
	uint32_t align_bytes;          /* 0: the I/O's own size for random, LBA at least */
	uint64_t stride_bytes;         /* IO_STRIDED */
	double zipf_exponent;
	unsigned nbands;
	struct io_band bands[PROFILE_BANDS_MAX];
	unsigned nchunks;                /* equal parts of the span; 0: bands lie in order */
	uint8_t map[PROFILE_CHUNKS_MAX]; /* by chunk: its band */
	double flush_every; /* a flush after every so many writes, on average; 0: none */
	bool fua;
	struct delay think; /* after each I/O of a slot */
	unsigned oio;       /* outstanding of this stream alone; 0: shares the profile's */
	double rate_per_s;  /* of this stream alone, for background streams beside transactions; 0:
	                       by weight */
	double per_transaction; /* I/Os in the background for each transaction that ended, which
	                           nobody waits for; 0: none. Without transactions: by weight */
};

enum io_op { IO_READ, IO_WRITE, IO_APPEND, IO_FLUSH, IO_WRITE_FUA };

struct io_step {
	char name[64];
	enum io_op op;
	struct io_count count; /* I/Os of this step */
	bool parallel;         /* all of the step at once; else one after another */
	bool with_next;        /* starts together with the next step */
	struct io_sizes sizes;
	unsigned region; /* index of the stream whose addresses it uses (APPEND: a log region,
	                    written round) */
	bool group;      /* IO_FLUSH: one flush serves all clients waiting for it (group commit) */
};

struct io_txn {
	char name[64];
	double weight;
	unsigned nsteps;
	struct io_step steps[PROFILE_STEPS_MAX];
	struct delay keying, think;
};

/* What was measured of the application that a profile was distilled from; 0: not known. */
struct io_measured {
	double tps, iops_per_s, outstanding;
};

struct raw_profile {
	char name[64];
	char title[256];
	char modelled[512];    /* non-empty: no public definition; says what it was modelled from;
	                          printed with every result */
	unsigned oio;          /* outstanding I/Os, or clients of transactions */
	double compress_ratio; /* 1: incompressible; 2: data shrinks to a half */
	double dedupe_ratio;   /* 1: all blocks differ; 2: half of the blocks are copies */
	unsigned nstreams;
	struct io_stream streams[PROFILE_STREAMS_MAX];
	unsigned ntxns; /* > 0: the streams without a rate are regions only; those with a rate run
	                   in the background */
	struct io_txn txns[PROFILE_TXNS_MAX];
	struct io_measured measured;
};

/* From a Lua table; every key is known and in range, or -EINVAL with `err` naming file, key and
 * what is allowed. */
int profile_from_tree(struct raw_profile *p, const struct tree *tree, const char *file,
                      struct err *err);
/* Checks what a target's size and LBA decide: spans, sizes, alignment. -EINVAL with `err`. */
int profile_check(const struct raw_profile *p, uint64_t target_bytes, uint32_t lba_bytes,
                  struct err *err);
/* True when a stream runs beside the transactions. */
static inline bool profile_in_background(const struct raw_profile *p, const struct io_stream *s)
{
	return s->rate_per_s > 0 || (p->ntxns != 0 && s->per_transaction > 0);
}

/*
 * Makes a plain mix of it: streams by weight, no transactions, nothing in the background; as many
 * outstanding as were measured, where that is known.
 */
void profile_drop_transactions(struct raw_profile *p);
/* True when it only reads. */
bool profile_reads_only(const struct raw_profile *p);
/* "4k", "4k/40,8k/60" into sizes. -EINVAL with `err`: garbage, zero, shares that do not add up to
 * 100. */
int io_sizes_parse(struct io_sizes *s, const char *text, const char *option, struct err *err);

#endif
