/* SPDX-License-Identifier: MIT */
/* distil_priv: between the parts of the distiller. */
#ifndef IOLTP_TRACE_DISTIL_PRIV_H
#define IOLTP_TRACE_DISTIL_PRIV_H

#include "trace/distil.h"

#define LOAD_NO_STREAM UINT8_MAX

/* One I/O of the drive. */
struct load_io {
	uint64_t begin_ns, end_ns;
	uint64_t offset_bytes; /* laid out: of all files together */
	uint32_t size_bytes;
	uint32_t owner;
	uint32_t run;   /* of I/Os in sequence */
	uint16_t depth; /* 0: not known */
	uint8_t file;
	uint8_t op;      /* enum trace_op */
	uint8_t flags;   /* enum trace_flags */
	uint8_t stream;  /* LOAD_NO_STREAM: a flush */
	bool sequential; /* by itself: the file is a log */
	bool no_client;  /* the kernel's own */
	bool in_transaction;
};

struct load_file {
	uint64_t base_bytes, span_bytes; /* its place in the addresses */
	bool log;
	char name[40];
};

/* What reached the drive, by begin_ns. */
struct load {
	struct load_io *ios;
	size_t n, room;
	uint64_t span_bytes;
	unsigned nfiles;
	struct load_file files[TRACE_FILES_MAX];
	uint64_t cached_reads, failed;
};

/* distil_load.c: 0 or -ENOMEM; load_fini in either case. */
int load_make(struct load *l, const struct trace *t);
int load_add(struct load *l, const struct load_io *io);
void load_fini(struct load *l);
/* distil_cache.c: I/Os of files become those of the drive. */
int load_from_files(struct load *l, const struct trace *t);

/* distil_runs.c: finds I/Os in sequence; sets `run` and `sequential` of each. `nruns` gets how many
 * runs there are. 0 or -ENOMEM. */
int distil_runs(struct load *l, uint32_t *nruns);

/* distil_stream.c: streams of all I/Os; sets `stream` of each. 0 or -ENOMEM. */
int distil_streams(struct distilled *d, struct load *l, uint32_t nruns);
/* distil_bands.c: hot places of a random stream. 0 or -ENOMEM. */
void distil_bands(struct distil_stream *s, const uint32_t *heat, unsigned nchunks);

/* Sizes as they are added up; more than fit are merged, their mean kept. */
struct size_count {
	uint32_t bytes;
	uint64_t n;
};
struct size_counts {
	struct size_count *items; /* by bytes */
	size_t n, room;
};
int size_counts_add(struct size_counts *c, uint32_t bytes);
void size_counts_settle(const struct size_counts *c, struct distil_sizes *sizes);

/* distil_txn.c: what transactions do. 0 or -ENOMEM. */
int distil_txns(struct distilled *d, struct load *l, const struct trace *t);
/* distil_count.c: of how often each of `n` transactions did something: the `seen` that did, each
 * with its number (sorted here); the others did not. */
void distil_count_settle(struct distil_count *c, uint32_t *times, size_t seen, uint64_t n);
/* A mean alone: its two nearest whole numbers. */
void distil_count_mean(struct distil_count *c, double mean);

#endif
