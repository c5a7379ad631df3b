/* SPDX-License-Identifier: MIT */
#include "base/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void tree_fini(struct tree *t)
{
	for (size_t i = 0; i < t->nitems; i++)
		tree_fini(&t->items[i]);
	free(t->items);
	free(t->text);
	free(t->key);
	*t = (struct tree){0};
}

static const struct tree *item(const struct tree *t, const char *key, size_t len)
{
	for (size_t i = t->narray; t->kind == TREE_TABLE && i < t->nitems; i++) {
		if (strncmp(t->items[i].key, key, len) == 0 && t->items[i].key[len] == '\0')
			return &t->items[i];
	}
	return NULL;
}

const struct tree *tree_get(const struct tree *t, const char *key)
{
	return item(t, key, strlen(key));
}

const struct tree *tree_at(const struct tree *t, const char *path)
{
	while (t != NULL && *path != '\0') {
		size_t len = strcspn(path, "/");

		t = item(t, path, len);
		path += len + (path[len] == '/');
	}
	return t != NULL && t->kind != TREE_NIL ? t : NULL;
}

double tree_number(const struct tree *t, const char *path)
{
	t = tree_at(t, path);
	if (t != NULL && t->kind == TREE_NUMBER)
		return t->number;
	return t != NULL && t->kind == TREE_BOOL ? (double)t->b : NAN;
}

const char *tree_text(const struct tree *t, const char *path)
{
	t = tree_at(t, path);
	return t != NULL && t->kind == TREE_TEXT ? t->text : NULL;
}

bool tree_bool(const struct tree *t, const char *path)
{
	t = tree_at(t, path);
	return t != NULL && t->kind == TREE_BOOL && t->b;
}
