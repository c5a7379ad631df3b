/* SPDX-License-Identifier: MIT */
/* kv: an ordered list of named facts ("journal_mode" = "wal"), for reports. Keys are unique: a
 * later value replaces. */
#ifndef IOLTP_BASE_KV_H
#define IOLTP_BASE_KV_H

#include <stdbool.h>
#include <stdint.h>

enum kv_type { KV_TEXT, KV_INT, KV_DOUBLE, KV_BOOL };

struct kv_item {
	char *key; /* lower case with '_', units last */
	enum kv_type type;
	char *text; /* every type has its text form */
	int64_t i;  /* KV_INT, KV_BOOL */
	double d;   /* KV_DOUBLE */
};

struct kv {
	struct kv_item *items;
	unsigned n, room;
	bool failed; /* memory ran out: some facts are missing */
};

#define KV_INIT ((struct kv){0})

void kv_fini(struct kv *kv);
void kv_text(struct kv *kv, const char *key, const char *value); /* NULL value: not added */
void kv_int(struct kv *kv, const char *key, int64_t value);
void kv_double(struct kv *kv, const char *key, double value);
void kv_bool(struct kv *kv, const char *key, bool value);
/* The item, or NULL. */
const struct kv_item *kv_find(const struct kv *kv, const char *key);

#endif
