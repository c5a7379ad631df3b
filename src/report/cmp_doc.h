/* SPDX-License-Identifier: MIT */
/*
 * cmp_doc: documents of earlier runs, as `ioltp compare` is given them, and what base/tree.h does
 * not know of looking into one. Any thread.
 */
#ifndef IOLTP_REPORT_CMP_DOC_H
#define IOLTP_REPORT_CMP_DOC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/tree.h"

#define CMP_TWIN_SCHEMA "ioltp-twin-1"

enum cmp_kind { CMP_SQL, CMP_RAW, CMP_TWIN };

struct cmp_doc {
	char *path; /* owned */
	struct tree tree;
	enum cmp_kind kind;
	bool part; /* a FILE.part: facts and intervals of a run that did not end, no totals */
};

/*
 * Reads a result, a twin's document, or the FILE.part of a run that did not end. -EINVAL with
 * `err`: unreadable, no JSON, cut off, of another schema; -ENOMEM, -ENOTSUP with `err`.
 * cmp_doc_fini in either case.
 */
int cmp_doc_load(struct cmp_doc *d, const char *path, struct err *err);
void cmp_doc_fini(struct cmp_doc *d);
/* "SQL result", "raw result", "twin" */
const char *cmp_kind_name(enum cmp_kind kind);

/* The element of the array at `path` whose `key` is the text `value`; NULL: none. */
const struct tree *cmp_find(const struct tree *t, const char *path, const char *key,
                            const char *value);
/* A percentile ("99.9") of an object of latencies; NAN without samples. */
double cmp_percentile_ns(const struct tree *latency, const char *percentile);
/* The event's own time: the service time in the open loop, else the response time. */
const struct tree *cmp_service(const struct tree *t);

#endif
