/* SPDX-License-Identifier: MIT */
#ifndef IOLTP_RAW_COUNTERS_PRIV_H
#define IOLTP_RAW_COUNTERS_PRIV_H

#include "raw/counters.h"

/* /sys/.../stat, of 11 (old kernels), 15 or 17 numbers. False: not that. */
bool counters_parse_stat(struct counters_block *b, const char *text);

#endif
