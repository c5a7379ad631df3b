/* SPDX-License-Identifier: MIT */
/* reader: Lua table files (profiles, scenarios) as trees. The code of a file runs in an empty
 * environment with math, string, table, ipairs, pairs, tonumber, tostring and arithmetic only,
 * limited in instructions and memory. */
#ifndef IOLTP_SCENARIO_READER_H
#define IOLTP_SCENARIO_READER_H

#include "base/err.h"
#include "base/tree.h"

/* Reads a file that returns a table. -EINVAL with `err` (file, line, cause). The tree is the
 * caller's. */
int reader_load(struct tree *t, const char *path, struct err *err);
/* A table as Lua text that reader_load reads back to the same tree (for distilled profiles). 0 or
 * -errno. */
int reader_save(const struct tree *t, const char *path, const char *comment, struct err *err);

#endif
