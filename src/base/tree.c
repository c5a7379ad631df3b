/* SPDX-License-Identifier: MIT */
#include "base/tree.h"

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

const struct tree *tree_get(const struct tree *t, const char *key)
{
	if (t->kind != TREE_TABLE)
		return NULL;
	for (size_t i = t->narray; i < t->nitems; i++) {
		if (strcmp(t->items[i].key, key) == 0)
			return &t->items[i];
	}
	return NULL;
}
