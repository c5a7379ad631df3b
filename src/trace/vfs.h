/* SPDX-License-Identifier: MIT */
/*
 * vfs: a VFS of SQLite's that records each read, write and flush of database, log and temporary
 * files, and hands everything on to the default one. Exact and without privilege, on any file
 * system.
 *
 * Not seen: the index of the write-ahead log (shared memory) and reads through a memory map
 * (--sqlite-mmap-size). I/Os of threads that are not attached to a recorder pass unrecorded.
 */
#ifndef IOLTP_TRACE_VFS_H
#define IOLTP_TRACE_VFS_H

#include "base/clock.h"
#include "trace/recorder.h"

/* What connections name (--sqlite-vfs). */
#define VFS_NAME "ioltp-capture"

struct vfs; /* opaque */

/*
 * Registers it. SQLite must be set up (sqlite3_config) before: registering initialises it. The
 * recorder and the clock must outlive it. 0; -ENOMEM, -EIO with `err`.
 */
int vfs_new(struct vfs **v, struct recorder *recorder, const struct clock *clock, struct err *err);
/* Sizes of the files, for the trace. Before recorder_finish. */
void vfs_sizes(struct vfs *v);
/* Why reads that the page cache served are not marked; NULL: they are. */
const char *vfs_blind(const struct vfs *v);
/* Bytes of memory map asked for by a connection: reads through it are not seen; 0: none. */
uint64_t vfs_mapped_bytes(const struct vfs *v);
/*
 * No new connection can use it, and nothing is recorded any more; files that are open still work.
 * Descriptors that it opened stay open: closing one would drop the locks that SQLite has on the
 * same file.
 */
void vfs_free(struct vfs *v);

#endif
