/* SPDX-License-Identifier: MIT */
/*
 * reader: Lua table files (profiles, scenarios) as trees. The code of a file runs in an environment
 * that has math, table, ipairs, pairs, next, select, type, tonumber, tostring, error, assert and of
 * string what is no pattern (byte, char, format, len, lower, rep, reverse, sub, upper) only: it
 * reaches no file, process or C library. Instructions, memory and the size of the result are
 * limited. Any thread.
 */
#ifndef IOLTP_SCENARIO_READER_H
#define IOLTP_SCENARIO_READER_H

#include "base/err.h"
#include "base/tree.h"

/*
 * Reads a file that returns a table. -EINVAL with `err` (file, line, cause). The tree is the
 * caller's, empty after an error.
 */
int reader_load(struct tree *t, const char *path, struct err *err);
/*
 * A table as Lua text that reader_load reads back to the same tree (for distilled profiles): names
 * in order, `comment` (may be NULL) as lines of comment before it. The file is replaced in one
 * step. 0; -EINVAL with `err`: a tree that Lua cannot hold (no table, a number that is not finite);
 * -EIO with `err`: it cannot be written.
 */
int reader_save(const struct tree *t, const char *path, const char *comment, struct err *err);

#endif
