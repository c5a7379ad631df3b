/* SPDX-License-Identifier: MIT */
/*
 * profile_value: values of a profile's file into fields of struct raw_profile, as `parse` of a
 * struct key (base/keys.h). -EINVAL with `err` that names the place. Any thread.
 */
#ifndef IOLTP_RAW_PROFILE_VALUE_H
#define IOLTP_RAW_PROFILE_VALUE_H

#include "raw/profile.h"

/* struct io_sizes: "8k", a number of bytes, "4k/40,8k/60". */
int profile_value_sizes(void *field, const struct tree *value, const char *where, struct err *err);
/* struct io_extent: "10G", a number of bytes, "25%". */
int profile_value_extent(void *field, const struct tree *value, const char *where, struct err *err);
/* struct delay: "exp:5ms" ... */
int profile_value_delay(void *field, const struct tree *value, const char *where, struct err *err);
/* struct io_count: 4, "2-6", "3/60,4/40". */
int profile_value_count(void *field, const struct tree *value, const char *where, struct err *err);
/* struct io_stream: its bands; its map, a letter for each part of the span. */
int profile_value_bands(void *field, const struct tree *value, const char *where, struct err *err);
int profile_value_map(void *field, const struct tree *value, const char *where, struct err *err);
/* struct io_measured: a table of any facts, of which some are kept. */
int profile_value_measured(void *field, const struct tree *value, const char *where,
                           struct err *err);

/* After the stream was read: do bands and map agree? */
int profile_value_check_map(struct io_stream *s, const char *where, struct err *err);

#endif
