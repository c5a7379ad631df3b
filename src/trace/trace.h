/* SPDX-License-Identifier: MIT */
/*
 * trace: what an application asked of its drive, one record per I/O, and one per transaction beside
 * them. Written while a run goes on (recorder.h) by those who see the I/Os: the SQLite VFS shim
 * (vfs.h) or the kernel's block tracepoints (block.h); read back as a whole by the twin.
 *
 * The file: struct trace_head, then room for TRACE_FILES_MAX struct trace_file, then events, those
 * of one thread in the order in which they ended. All in the byte order of the machine; a reader
 * refuses another one's.
 */
#ifndef IOLTP_TRACE_TRACE_H
#define IOLTP_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define TRACE_FILES_MAX 64u
#define TRACE_TYPES_MAX 64u

enum trace_op {
	TRACE_READ,
	TRACE_WRITE,
	TRACE_FLUSH, /* fsync of a file, flush of a device */
	TRACE_DISCARD,
	TRACE_TXN, /* no I/O: a transaction of the application, from its start to its end */
	TRACE_OPS
};

enum trace_flags {
	TRACE_FUA = 1,
	TRACE_SYNC = 2,    /* somebody waits for it (REQ_SYNC) */
	TRACE_META = 4,    /* metadata of the file system */
	TRACE_AHEAD = 8,   /* read ahead of need */
	TRACE_CACHED = 16, /* a read that the page cache served: the drive saw nothing of it */
	TRACE_FAILED = 32,
	TRACE_DATASYNC = 64, /* a flush without metadata (fdatasync) */
};

/* One I/O or transaction. Times are of the monotonic clock. */
struct trace_event {
	uint64_t begin_ns; /* TXN: the intended start */
	uint64_t latency_ns;
	uint64_t offset_bytes; /* in the file, or on the whole device; FLUSH, TXN: 0 */
	uint32_t size_bytes;
	uint32_t owner; /* client of the run; block: the process that issued it */
	uint16_t file;  /* index into the table of files */
	uint8_t op;     /* enum trace_op */
	uint8_t flags;  /* enum trace_flags */
	uint16_t depth; /* outstanding on the same device when it began, itself included */
	uint16_t type;  /* TXN: index of the transaction type */
};

enum trace_kind {
	TRACE_KIND_DEVICE, /* all of a block device: offsets are those of the drive */
	TRACE_KIND_DATA,   /* a database file */
	TRACE_KIND_LOG,    /* written in sequence: write-ahead log or rollback journal */
	TRACE_KIND_TEMPORARY
};

struct trace_file {
	char path[240];       /* of the file or the device node */
	uint64_t size_bytes;  /* at the end of the capture */
	uint32_t kind;        /* enum trace_kind */
	uint32_t block_bytes; /* the smallest I/O of the device, or the page of the file's cache */
};

enum trace_source { TRACE_SOURCE_VFS, TRACE_SOURCE_BLOCK };

struct trace_head {
	char magic[8];             /* "ioltptr1" */
	uint32_t byte_order;       /* 0x01020304 */
	uint32_t source;           /* enum trace_source */
	uint64_t begin_ns, end_ns; /* of the measured window */
	uint64_t events;           /* in the file */
	uint64_t dropped;          /* seen by the source and not written: they are missing here */
	uint32_t nfiles, ntypes;
	char types[TRACE_TYPES_MAX][64]; /* names of transaction types */
};

/* A whole trace in memory. */
struct trace {
	struct trace_head head;
	struct trace_file *files;   /* nfiles */
	struct trace_event *events; /* nevents, by begin_ns; those that began in the window */
	size_t nevents;
	char *path; /* where it was read, for messages; NULL: made in memory */
};

/*
 * Reads a trace. 0; -EINVAL with `err`: no trace, cut off, or of another byte order; -EIO, -ENOENT,
 * -ENOMEM with `err`. A file that was not finished (the run was killed) is read as far as it goes:
 * head.end_ns is then the last event's end. trace_fini in either case.
 */
int trace_load(struct trace *t, const char *path, struct err *err);
void trace_fini(struct trace *t);

#endif
