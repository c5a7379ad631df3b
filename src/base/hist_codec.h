/* SPDX-License-Identifier: MIT */
/*
 * hist_codec: a histogram as text that HdrHistogram's tools read: V2 encoding (ZigZag LEB128
 * counts), deflated, base64. Without zlib in the build the plain V2 encoding is written, which they
 * read too.
 */
#ifndef IOLTP_BASE_HIST_CODEC_H
#define IOLTP_BASE_HIST_CODEC_H

#include "base/hist.h"
#include "base/strbuf.h"

/* Appends the base64 text. `h` must not move. Returns 0 or -ENOMEM. */
int hist_encode(const struct hist *h, struct strbuf *out);
/*
 * Reads what hist_encode, or HdrHistogram with the same layout or fewer digits, wrote, adding to
 * `h` (owned by the caller; unchanged on failure). Extremes and sum are then those of the counters:
 * exact to a counter. 0, -EINVAL (not a histogram of ns, damaged), -ENOMEM, -ENOTSUP (compressed,
 * and no zlib in the build).
 */
int hist_decode(struct hist *h, const char *text);

#endif
