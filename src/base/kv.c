/* SPDX-License-Identifier: MIT */
#include "base/kv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void kv_fini(struct kv *kv)
{
	for (unsigned i = 0; i < kv->n; i++) {
		free(kv->items[i].key);
		free(kv->items[i].text);
	}
	free(kv->items);
	*kv = KV_INIT;
}

const struct kv_item *kv_find(const struct kv *kv, const char *key)
{
	for (unsigned i = 0; i < kv->n; i++) {
		if (strcmp(kv->items[i].key, key) == 0)
			return &kv->items[i];
	}
	return NULL;
}

static struct kv_item *append(struct kv *kv, const char *key)
{
	if (kv->n == kv->room) {
		unsigned room = kv->room != 0 ? kv->room * 2 : 16;
		struct kv_item *items = realloc(kv->items, room * sizeof(*items));

		if (items == NULL)
			return NULL;
		kv->items = items;
		kv->room = room;
	}
	kv->items[kv->n] = (struct kv_item){.key = strdup(key)};
	if (kv->items[kv->n].key == NULL)
		return NULL;
	return &kv->items[kv->n++];
}

static void put(struct kv *kv, const char *key, struct kv_item value, const char *text)
{
	struct kv_item *item = (struct kv_item *)kv_find(kv, key);
	char *copy = strdup(text);

	if (item == NULL)
		item = append(kv, key);
	if (item == NULL || copy == NULL) {
		free(copy);
		kv->failed = true;
		return;
	}
	free(item->text);
	item->text = copy;
	item->type = value.type;
	item->i = value.i;
	item->d = value.d;
}

void kv_text(struct kv *kv, const char *key, const char *value)
{
	if (value != NULL)
		put(kv, key, (struct kv_item){.type = KV_TEXT}, value);
}

void kv_int(struct kv *kv, const char *key, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	put(kv, key, (struct kv_item){.type = KV_INT, .i = value}, text);
}

void kv_double(struct kv *kv, const char *key, double value)
{
	char text[48];

	snprintf(text, sizeof(text), "%.6g", value);
	put(kv, key, (struct kv_item){.type = KV_DOUBLE, .d = value}, text);
}

void kv_bool(struct kv *kv, const char *key, bool value)
{
	put(kv, key, (struct kv_item){.type = KV_BOOL, .i = value}, value ? "on" : "off");
}
