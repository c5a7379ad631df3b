/* SPDX-License-Identifier: MIT */
/*
 * trace_file: the form of a trace in its file: head, room for TRACE_FILES_MAX files, events. Head
 * and files are written again as they change.
 */
#ifndef IOLTP_TRACE_TRACE_FILE_H
#define IOLTP_TRACE_TRACE_FILE_H

#include "trace/trace.h"

#define TRACE_MAGIC      "ioltptr1"
#define TRACE_BYTE_ORDER 0x01020304u
/* head.events of a trace that is still being written, or whose writer was killed. */
#define TRACE_UNFINISHED UINT64_MAX
#define TRACE_EVENTS_AT  (sizeof(struct trace_head) + TRACE_FILES_MAX * sizeof(struct trace_file))

/* Head and all TRACE_FILES_MAX files. 0 or -errno. */
int trace_write_head(int fd, const struct trace_head *h, const struct trace_file *files);
/* Events number first and following. 0 or -errno: some may be there then. */
int trace_write_events(int fd, const struct trace_event *events, size_t n, uint64_t first);

#endif
