/* SPDX-License-Identifier: MIT */
/*
 * rep_json_read: JSON documents as trees: results and twins of earlier runs. Objects are tables
 * with names, arrays tables without, null is an item of kind TREE_NIL (a document that knows a key
 * and has no value for it). Numbers are doubles: integers above 2^53 lose their last digits, and no
 * document of ours relies on those. Any thread.
 */
#ifndef IOLTP_REPORT_REP_JSON_READ_H
#define IOLTP_REPORT_REP_JSON_READ_H

#include "base/err.h"
#include "base/tree.h"

/*
 * Reads the document of a file; `t` is the caller's (tree_fini), empty after an error. -EINVAL with
 * `err` (file, line, cause): it cannot be read, is no JSON, or is cut off. -ENOTSUP with `err`:
 * built without jansson. -ENOMEM with `err`.
 */
int rep_json_read(struct tree *t, const char *path, struct err *err);

/*
 * Reads the FILE.part of a run that is under way or did not end as if it were a document: the head,
 * with the intervals, as far as they were written whole, as its "intervals". Returns as above.
 */
int rep_json_read_part(struct tree *t, const char *path, struct err *err);

#endif
