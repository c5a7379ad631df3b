/* SPDX-License-Identifier: MIT */
/* rep_facts: lists of facts that are no run's result, such as what a drive is. */
#ifndef IOLTP_REPORT_REP_FACTS_H
#define IOLTP_REPORT_REP_FACTS_H

#include <stdio.h>

#include "base/err.h"
#include "base/kv.h"

/* "key: value" lines, the values below each other. */
void rep_facts_text(const struct kv *kv, FILE *out);
/*
 * One JSON object: "schema", the facts of `head` (may be NULL), and `array`, which holds an object
 * of facts for each of `items`. 0, or -EIO with `err`; built without jansson: -EINVAL with `err`.
 */
int rep_facts_json(const char *schema, const struct kv *head, const char *array,
                   const struct kv *items, unsigned n, FILE *out, struct err *err);

#endif
