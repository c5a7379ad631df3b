/* SPDX-License-Identifier: MIT */
#include "report/rep_json_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_JANSSON

#include <jansson.h>

#define DEPTH_MAX 64u /* ours are under 16 deep; the limit keeps the recursion short */

static int convert(struct tree *t, json_t *json, unsigned depth);

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct tree *)a)->key, ((const struct tree *)b)->key);
}

static int convert_array(struct tree *t, json_t *json, unsigned depth)
{
	size_t n = json_array_size(json);

	t->items = calloc(n != 0 ? n : 1, sizeof(*t->items));
	if (t->items == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		int rc = convert(&t->items[t->nitems++], json_array_get(json, i), depth);

		if (rc != 0)
			return rc;
	}
	t->narray = n;
	return 0;
}

static int convert_object(struct tree *t, json_t *json, unsigned depth)
{
	size_t n = json_object_size(json);
	void *at;

	t->items = calloc(n != 0 ? n : 1, sizeof(*t->items));
	if (t->items == NULL)
		return -ENOMEM;
	for (at = json_object_iter(json); at != NULL; at = json_object_iter_next(json, at)) {
		struct tree *item = &t->items[t->nitems++];
		int rc;

		item->key = strdup(json_object_iter_key(at));
		if (item->key == NULL)
			return -ENOMEM;
		rc = convert(item, json_object_iter_value(at), depth);
		if (rc != 0)
			return rc;
	}
	qsort(t->items, t->nitems, sizeof(*t->items), by_key);
	return 0;
}

static int convert(struct tree *t, json_t *json, unsigned depth)
{
	if (depth == DEPTH_MAX)
		return -E2BIG;
	switch (json_typeof(json)) {
	case JSON_OBJECT:
		t->kind = TREE_TABLE;
		return convert_object(t, json, depth + 1);
	case JSON_ARRAY:
		t->kind = TREE_TABLE;
		return convert_array(t, json, depth + 1);
	case JSON_STRING:
		t->kind = TREE_TEXT;
		t->text = strdup(json_string_value(json));
		return t->text != NULL ? 0 : -ENOMEM;
	case JSON_INTEGER:
	case JSON_REAL:
		t->kind = TREE_NUMBER;
		t->number = json_number_value(json);
		return 0;
	case JSON_TRUE:
	case JSON_FALSE:
		t->kind = TREE_BOOL;
		t->b = json_is_true(json);
		return 0;
	case JSON_NULL:
		break;
	}
	t->kind = TREE_NIL;
	return 0;
}

int rep_json_read(struct tree *t, const char *path, struct err *err)
{
	json_error_t error;
	json_t *json;
	FILE *in;
	int rc;

	*t = (struct tree){0};
	in = fopen(path, "re");
	if (in == NULL)
		return err_usage(err, "%s: cannot be read: %s; name the JSON result of a run", path,
		                 strerror(errno));
	json = json_loadf(in, JSON_DECODE_INT_AS_REAL | JSON_REJECT_DUPLICATES, &error);
	fclose(in);
	if (json == NULL)
		return err_usage(
		    err,
		    "%s: line %d: is no whole JSON document: %s; name what --output=FILE wrote",
		    path, error.line, error.text);
	rc = convert(t, json, 0);
	json_decref(json);
	if (rc == 0)
		return 0;
	tree_fini(t);
	if (rc == -E2BIG)
		return err_usage(err, "%s: is nested too deeply to be a result; name another",
		                 path);
	err_run(err, "%s: out of memory", path);
	return rc;
}

#else

int rep_json_read(struct tree *t, const char *path, struct err *err)
{
	*t = (struct tree){0};
	err_usage(err,
	          "%s: cannot be read: this ioltp was built without jansson; build it with "
	          "libjansson-dev",
	          path);
	return -ENOTSUP;
}

#endif
