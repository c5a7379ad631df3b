/* SPDX-License-Identifier: MIT */
#include "base/keys.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "base/strbuf.h"
#include "base/units.h"

#define NAMES_MAX 64u

void keys_where(char place[KEYS_WHERE_LEN], const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(place, KEYS_WHERE_LEN, fmt, args);
	va_end(args);
}

const char *keys_kind(const struct tree *value)
{
	static const char *const kinds[] = {"nothing", "true or false", "a number", "text",
	                                    "a table"};

	return kinds[value->kind];
}

int keys_size(const struct tree *value, uint64_t *bytes)
{
	if (value->kind == TREE_TEXT)
		return units_parse_size(value->text, bytes);
	if (value->kind != TREE_NUMBER || !(value->number >= 0 && value->number < 0x1p63) ||
	    value->number != floor(value->number))
		return -EINVAL;
	*bytes = (uint64_t)value->number;
	return 0;
}

static int read_time(const struct tree *value, uint64_t *time_ns)
{
	if (value->kind == TREE_TEXT)
		return units_parse_time(value->text, time_ns);
	if (value->kind != TREE_NUMBER || !(value->number >= 0 && value->number < 1e9))
		return -EINVAL;
	*time_ns = (uint64_t)llround(value->number * 1e9);
	return 0;
}

static bool in_range(const struct key *k, double x)
{
	return k->lo == 0 && k->hi == 0 ? x >= 0 : x >= k->lo && x <= k->hi;
}

/* Ends a message: what is there and what is wanted. */
static int refuse(const struct key *k, const struct tree *value, const char *where,
                  const char *wanted, struct err *err)
{
	char range[80] = "", is[80];

	if (value->kind == TREE_NUMBER)
		snprintf(is, sizeof(is), "%.15g", value->number);
	else if (value->kind == TREE_TEXT)
		snprintf(is, sizeof(is), "\"%.60s\"", value->text);
	else
		snprintf(is, sizeof(is), "%s", keys_kind(value));
	if (k->type == KEY_PERCENT)
		snprintf(range, sizeof(range), " from 0 to 100");
	else if (k->hi != 0 || k->lo != 0)
		snprintf(range, sizeof(range), " from %.15g to %.15g", k->lo, k->hi);
	else if (k->type == KEY_NUMBER || k->type == KEY_COUNT)
		snprintf(range, sizeof(range), " of 0 or more");
	return err_usage(err, "%s: is %s; give %s%s", where, is, wanted, range);
}

static int store_number(const struct key *k, void *field, const struct tree *value,
                        const char *where, struct err *err)
{
	bool is_count = k->type == KEY_COUNT;
	double x = value->number;

	if (k->type == KEY_PERCENT) {
		if (value->kind != TREE_NUMBER || !(x >= 0 && x <= 100))
			return refuse(k, value, where, "a number of per cent", err);
		*(double *)field = x / 100;
		return 0;
	}
	if (value->kind != TREE_NUMBER || !in_range(k, x) ||
	    (is_count && (x != floor(x) || x > 4294967295.0)))
		return refuse(k, value, where, is_count ? "a whole number" : "a number", err);
	if (is_count)
		*(unsigned *)field = (unsigned)x;
	else
		*(double *)field = x;
	return 0;
}

static int store(const struct key *k, void *field, const struct tree *value, const char *where,
                 struct err *err)
{
	uint64_t amount;

	switch (k->type) {
	case KEY_TEXT:
		if (value->kind != TREE_TEXT || value->text[0] == '\0')
			return refuse(k, value, where, "text", err);
		if (strlen(value->text) >= k->room)
			return err_usage(err, "%s: is longer than %zu bytes; shorten it", where,
			                 k->room - 1);
		memcpy(field, value->text, strlen(value->text) + 1);
		return 0;
	case KEY_BOOL:
		if (value->kind != TREE_BOOL)
			return refuse(k, value, where, "true or false", err);
		*(bool *)field = value->b;
		return 0;
	case KEY_SIZE:
		if (keys_size(value, &amount) != 0 || !in_range(k, (double)amount))
			return refuse(k, value, where, "bytes, or a size as \"4k\",", err);
		*(uint64_t *)field = amount;
		return 0;
	case KEY_TIME:
		if (read_time(value, &amount) != 0 || !in_range(k, (double)amount / 1e9))
			return refuse(k, value, where, "seconds, or a time as \"5ms\",", err);
		*(uint64_t *)field = amount;
		return 0;
	case KEY_PARSED:
		return k->parse(field, value, where, err);
	case KEY_OTHER:
		return 0;
	default:
		return store_number(k, field, value, where, err);
	}
}

static const struct key *find(const struct key *keys, size_t nkeys, const char *name)
{
	for (size_t i = 0; i < nkeys; i++) {
		if (strcmp(keys[i].name, name) == 0)
			return &keys[i];
	}
	return NULL;
}

static int unknown(const char *name, const char *where, const struct key *keys, size_t nkeys,
                   struct err *err)
{
	const char *names[NAMES_MAX], *near;
	struct strbuf all = STRBUF_INIT;
	size_t n = nkeys < NAMES_MAX ? nkeys : NAMES_MAX;

	for (size_t i = 0; i < n; i++) {
		names[i] = keys[i].name;
		strbuf_addf(&all, "%s%s", i == 0 ? "" : ", ", names[i]);
	}
	near = near_name(name, names, n);
	if (near != NULL)
		err_usage(err, "%s: unknown key '%s'; did you mean '%s'?", where, name, near);
	else
		err_usage(err, "%s: unknown key '%s'; there are %s", where, name, strbuf_str(&all));
	strbuf_fini(&all);
	return -EINVAL;
}

int keys_read(void *into, const struct tree *table, const char *where, const struct key *keys,
              size_t nkeys, struct err *err)
{
	char place[KEYS_WHERE_LEN];

	if (table->kind != TREE_TABLE)
		return err_usage(err, "%s: is %s; give a table", where, keys_kind(table));
	if (table->narray != 0)
		return err_usage(err, "%s: has %zu elements without a name; write name = value",
		                 where, table->narray);
	for (size_t i = 0; i < table->nitems; i++) {
		const struct tree *item = &table->items[i];
		const struct key *k = find(keys, nkeys, item->key);
		int rc;

		if (k == NULL)
			return unknown(item->key, where, keys, nkeys, err);
		/* "FILE: a" or, within something, "FILE: streams[1].a". */
		keys_where(place, "%s%s%s", where, strstr(where, ": ") != NULL ? "." : ": ",
		           k->name);
		rc = store(k, (char *)into + k->offset, item, place, err);
		if (rc != 0)
			return rc;
	}
	for (size_t i = 0; i < nkeys; i++) {
		if (keys[i].required && tree_get(table, keys[i].name) == NULL)
			return err_usage(err, "%s: has no '%s'; add it", where, keys[i].name);
	}
	return 0;
}

int keys_choice(const struct tree *value, const char *const *choices, unsigned nchoices,
                const char *where, struct err *err)
{
	struct strbuf all = STRBUF_INIT;

	for (unsigned i = 0; i < nchoices; i++) {
		if (value->kind == TREE_TEXT && strcmp(value->text, choices[i]) == 0) {
			strbuf_fini(&all);
			return (int)i;
		}
		strbuf_addf(&all, "%s%s",
		            i == 0              ? ""
		            : i + 1 == nchoices ? " or "
		                                : ", ",
		            choices[i]);
	}
	if (value->kind == TREE_TEXT)
		err_usage(err, "%s: is \"%.60s\"; give %s", where, value->text, strbuf_str(&all));
	else
		err_usage(err, "%s: is %s; give %s", where, keys_kind(value), strbuf_str(&all));
	strbuf_fini(&all);
	return -EINVAL;
}

int keys_list(const struct tree *value, unsigned lo, unsigned hi, const char *where,
              struct err *err)
{
	size_t n = value != NULL ? value->narray : 0;

	if (value != NULL && (value->kind != TREE_TABLE || value->nitems != value->narray))
		return err_usage(err, "%s: is %s; give a list { {...}, {...} }", where,
		                 value->kind == TREE_TABLE ? "a table with names"
		                                           : keys_kind(value));
	if (n < lo)
		return err_usage(err, "%s: is empty; give at least %u", where, lo);
	if (n > hi)
		return err_usage(err, "%s: has %zu elements; give at most %u", where, n, hi);
	return (int)n;
}
