/* SPDX-License-Identifier: MIT */
/* rep_json: between the stream (rep_json.c) and the parts of the document (rep_json_doc.c,
 * rep_json_facts.c). */
#ifndef IOLTP_REPORT_REP_JSON_H
#define IOLTP_REPORT_REP_JSON_H

#include "report/result.h"

/* jansson's type, named here without its header. All functions return a new value, NULL when memory
 * ran out. */
struct json_t;

/* The document. `intervals` is an array that it shares. */
struct json_t *rep_json_document(const struct result *r, struct json_t *intervals);
/* One element of "intervals". */
struct json_t *rep_json_interval_object(const struct result *r, const struct run_figures *f);
/* What is known before the first interval: "schema", "tool", "options", "host", "device",
 * "database". */
struct json_t *rep_json_head(const struct result *r);

/* A latency as docs/result-schema.md has it; `h` may be NULL. */
struct json_t *rep_json_latency(const struct result *r, const struct hist *h);
/* "capture"; r->capture is set. */
struct json_t *rep_json_capture(const struct result *r);

/* 15 digits give back each decimal number as it was typed. */
#define REP_JSON_FLAGS JSON_REAL_PRECISION(15)

/* rep_json_file.c; 0 or -errno. */
/* A device or pipe, which must be written into: a rename would put a file in its place. */
bool rep_json_special(const char *path);
int rep_json_dump(const struct json_t *document, FILE *out);
/* PATH.new, flushed to the drive, takes the place of PATH in one step; a symbolic link stays one.
 * After a failure PATH is as it was. What is special is written into. */
int rep_json_replace(const struct json_t *document, const char *path);

struct json_t *rep_json_text(const char *text); /* any bytes; NULL is null */
struct json_t *rep_json_real(double v);         /* null when not finite */
struct json_t *rep_json_facts(const struct kv *kv);
struct json_t *rep_json_options(const struct opt_set *set);

#endif
