/* SPDX-License-Identifier: MIT */
/* near: which known name a mistyped one was meant to be. Case, and '-' or '_', do not matter. */
#ifndef IOLTP_BASE_NEAR_H
#define IOLTP_BASE_NEAR_H

#include <stddef.h>

#define NEAR_NAME_LEN 64u /* longer names have no nearest one */

/* Insertions, deletions, replacements and swaps of neighbours that lead from a to b; both at most
 * NEAR_NAME_LEN long. */
unsigned near_distance(const char *a, size_t a_len, const char *b, size_t b_len);
/* How many of them still are near, for a name of that length. */
unsigned near_limit(size_t len);
/* The nearest of n names, or NULL when none is near. */
const char *near_name(const char *name, const char *const *known, size_t n);

#endif
