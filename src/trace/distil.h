/* SPDX-License-Identifier: MIT */
/*
 * distil: what a trace says of the application's I/O, in few figures: streams with their shares,
 * sizes, order and hot places; how often flushes come; arrivals and outstanding I/Os; and what one
 * transaction asks of the drive, step by step. distilled_tree makes a raw profile of it.
 *
 * Traces of files (SQLite's VFS) are turned into I/Os of the drive by a model of the page cache:
 * reads that it served are left out, what is written goes out in whole pages when its file is
 * flushed, or by itself after 30 seconds. What the file system writes for itself is not seen there.
 *
 * One thread at a time for each struct.
 */
#ifndef IOLTP_TRACE_DISTIL_H
#define IOLTP_TRACE_DISTIL_H

#include "base/tree.h"
#include "trace/trace.h"

/* Within those of a raw profile. */
#define DISTIL_STREAMS_MAX     24u
#define DISTIL_SIZES_MAX       32u
#define DISTIL_BANDS_MAX       16u
#define DISTIL_CHUNKS_MAX      1024u
#define DISTIL_STEPS_MAX       48u
#define DISTIL_COUNTS_MAX      16u
#define DISTIL_TXNS_MAX        32u
#define DISTIL_DEPTHS_MAX      64u
#define DISTIL_PERCENTILES_MAX 7u

struct distil_sizes {
	unsigned n;
	uint32_t bytes[DISTIL_SIZES_MAX];
	double share[DISTIL_SIZES_MAX]; /* sums to 1 */
};

/* I/Os of one direction, order and durability in one part of the addresses. */
struct distil_stream {
	char name[64];
	bool write, fua, sequential;
	bool foreground;                   /* transactions wait for some of it */
	uint64_t ios;                      /* its weight */
	uint64_t synced;                   /* of them marked as waited for */
	uint64_t flushes;                  /* of the device that follow its writes */
	uint64_t offset_bytes, span_bytes; /* in the addresses of struct distilled */
	uint32_t align_bytes;              /* 0: I/Os begin at multiples of their size */
	struct distil_sizes sizes;
	unsigned nbands; /* 0: all places are alike */
	struct {
		double span_share, io_share;
	} bands[DISTIL_BANDS_MAX]; /* hottest first */
	unsigned nchunks;
	uint8_t map[DISTIL_CHUNKS_MAX]; /* by chunk: its band */
	double per_transaction;         /* I/Os that no transaction waits for */
};

/* How many times, with shares. */
struct distil_count {
	unsigned n;
	uint32_t times[DISTIL_COUNTS_MAX];
	double share[DISTIL_COUNTS_MAX]; /* sums to 1 */
	double mean;
};

enum distil_op { DISTIL_READ, DISTIL_WRITE, DISTIL_APPEND, DISTIL_FLUSH, DISTIL_WRITE_FUA };

struct distil_step {
	enum distil_op op;
	unsigned stream;
	bool parallel, group;
	struct distil_count count;
	struct distil_sizes sizes;
};

struct distil_txn {
	char name[64];
	uint64_t n; /* its weight */
	unsigned nsteps;
	struct distil_step steps[DISTIL_STEPS_MAX];
};

struct distilled {
	enum trace_source source;
	double elapsed_s;
	uint64_t events, dropped;     /* of the trace */
	uint64_t span_bytes;          /* of the addresses: files one after another, holes cut out */
	uint64_t reads, writes, fuas; /* of the drive */
	uint64_t flushes, read_bytes, written_bytes;
	uint64_t cached_reads, failed;
	uint64_t folded;         /* I/Os that were counted to another stream for want of room */
	uint64_t loose_flushes;  /* that no write came before: not in the profile */
	uint64_t transactions;   /* 0: none was seen */
	unsigned clients;        /* that ran them */
	double outstanding_mean; /* over the time in which anything was outstanding */
	unsigned outstanding_p99;
	double depth_share[DISTIL_DEPTHS_MAX]; /* of I/Os that began with so many outstanding; the
	                                          last: so many or more */
	double arrival_cv; /* of times between I/Os: standard deviation / mean */
	uint64_t arrival_ns[DISTIL_PERCENTILES_MAX]; /* percentiles of those times */
	unsigned nstreams;
	struct distil_stream streams[DISTIL_STREAMS_MAX];
	unsigned ntxns;
	struct distil_txn txns[DISTIL_TXNS_MAX];
};

/* The percentiles of arrival_ns. */
extern const double distil_percentiles[DISTIL_PERCENTILES_MAX];

/*
 * 0; -EINVAL with `err`: no I/O reached the drive in the window; -ENOMEM with `err`. The struct is
 * large and holds nothing to free: the caller takes it from the heap.
 */
int distil(struct distilled *d, const struct trace *t, struct err *err);

/* The raw profile, for reader_save. 0 or -ENOMEM with `err`; tree_fini in either case. */
int distilled_tree(const struct distilled *d, const char *title, struct tree *tree,
                   struct err *err);

/* An I/O of the drive as it was asked for. */
struct distil_io {
	uint64_t at_ns; /* from the first one's begin */
	uint64_t offset_bytes;
	uint32_t bytes;
	uint8_t op; /* enum trace_op: READ, WRITE, FLUSH */
	bool fua;
};

/*
 * All I/Os of the drive in the order in which they began, with the addresses of struct distilled;
 * *span_bytes gets how far those go. The caller frees *ios. 0; -ENOMEM with `err`.
 */
int distil_ios(struct distil_io **ios, size_t *n, uint64_t *span_bytes, const struct trace *t,
               struct err *err);

#endif
