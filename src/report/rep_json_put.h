/* SPDX-License-Identifier: MIT */
/* rep_json_put: setters of members, for rep_json_*.c alone, which are made of nothing else. A value
 * that memory did not suffice for is left out. */
#ifndef IOLTP_REPORT_REP_JSON_PUT_H
#define IOLTP_REPORT_REP_JSON_PUT_H

#include <jansson.h>

#include "report/rep_json.h"

static inline void put(json_t *o, const char *key, json_t *value)
{
	json_object_set_new(o, key, value);
}

static inline void put_count(json_t *o, const char *key, uint64_t n)
{
	put(o, key, json_integer((json_int_t)n));
}

/* Null when not finite. */
static inline void put_real(json_t *o, const char *key, double v)
{
	put(o, key, rep_json_real(v));
}

#endif
