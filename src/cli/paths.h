/* SPDX-License-Identifier: MIT */
/* paths: whether what is to be written is something that is needed. */
#ifndef IOLTP_CLI_PATHS_H
#define IOLTP_CLI_PATHS_H

#include <stdbool.h>

#include "base/err.h"

/* Whether both name one file, by whatever names; files that are not there yet by directory and
 * name. NULL is no file. Any thread. */
bool paths_same(const char *a, const char *b);
/* Whether `path` can be written as a new or other file, found out before the work that ends with
 * it. 0, or -EINVAL with `err`; `option` is the option that named it. Writes nothing. */
int paths_check_output(const char *option, const char *path, struct err *err);

#endif
