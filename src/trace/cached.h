/* SPDX-License-Identifier: MIT */
/* cached: whether the page cache holds a piece of a file, asked without reading it. */
#ifndef IOLTP_TRACE_CACHED_H
#define IOLTP_TRACE_CACHED_H

#include <stdbool.h>
#include <stdint.h>

enum cached_way {
	CACHED_UNKNOWN, /* cannot be told */
	CACHED_STAT,    /* cachestat(2), which looks and touches nothing */
	CACHED_NOWAIT,  /* a read of one byte that must not wait */
};

/* The way for the file of this descriptor; UNKNOWN too on file systems that are memory, where the
 * question has no meaning. `why` (may be NULL) is then set to a text. */
enum cached_way cached_way_of(int fd, const char **why);
/* True when all of it is there. */
bool cached_is(enum cached_way way, int fd, uint64_t offset_bytes, uint64_t size_bytes);

#endif
