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

/* Takes `json` over. */
static int to_tree(struct tree *t, json_t *json, const char *path, struct err *err)
{
	int rc = convert(t, json, 0);

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

static FILE *open_file(const char *path, struct err *err)
{
	FILE *in = fopen(path, "re");

	if (in == NULL)
		err_usage(err, "%s: cannot be read: %s; name the JSON result of a run", path,
		          strerror(errno));
	return in;
}

int rep_json_read(struct tree *t, const char *path, struct err *err)
{
	FILE *in = open_file(path, err);
	json_error_t error;
	json_t *json;

	*t = (struct tree){0};
	if (in == NULL)
		return -EINVAL;
	json = json_loadf(in, JSON_DECODE_INT_AS_REAL | JSON_REJECT_DUPLICATES, &error);
	fclose(in);
	if (json == NULL)
		return err_usage(
		    err,
		    "%s: line %d: is no whole JSON document: %s; name what --output=FILE wrote",
		    path, error.line, error.text);
	return to_tree(t, json, path, err);
}

int rep_json_read_part(struct tree *t, const char *path, struct err *err)
{
	const size_t flags =
	    JSON_DECODE_INT_AS_REAL | JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK;
	json_t *head, *intervals = json_array(), *interval;
	FILE *in = open_file(path, err);

	*t = (struct tree){0};
	head = in != NULL ? json_loadf(in, flags, NULL) : NULL;
	/* The last line may be cut off: the run ended in the middle of it. */
	while (head != NULL && (interval = json_loadf(in, flags, NULL)) != NULL)
		json_array_append_new(intervals, interval);
	if (in != NULL)
		fclose(in);
	if (head == NULL || json_object_set(head, "intervals", intervals) != 0) {
		json_decref(intervals);
		json_decref(head);
		return err_usage(err,
		                 "%s: does not begin with what a run writes there; name a result, "
		                 "or the .part of a run that did not end",
		                 path);
	}
	json_decref(intervals);
	return to_tree(t, head, path, err);
}

#else

static int without_jansson(struct tree *t, const char *path, struct err *err)
{
	*t = (struct tree){0};
	err_usage(err,
	          "%s: cannot be read: this ioltp was built without jansson; build it with "
	          "libjansson-dev",
	          path);
	return -ENOTSUP;
}

int rep_json_read(struct tree *t, const char *path, struct err *err)
{
	return without_jansson(t, path, err);
}

int rep_json_read_part(struct tree *t, const char *path, struct err *err)
{
	return without_jansson(t, path, err);
}

#endif
