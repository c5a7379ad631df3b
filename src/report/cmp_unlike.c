/* SPDX-License-Identifier: MIT */
/* In what two documents are unlike each other: whatever one compares, the rest should be alike. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/cmp_doc.h"
#include "report/cmp_report.h"

/* ---- lists of texts ---- */

void cmp_texts_add(struct cmp_texts *t, const char *fmt, ...)
{
	char **texts, *text = NULL;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0) {
		t->failed = true;
		return;
	}
	for (size_t i = 0; i < t->n; i++) {
		if (strcmp(t->texts[i], text) == 0) {
			free(text);
			return;
		}
	}
	texts = realloc(t->texts, (t->n + 1) * sizeof(*texts));
	if (texts == NULL) {
		free(text);
		t->failed = true;
		return;
	}
	t->texts = texts;
	t->texts[t->n++] = text;
}

void cmp_texts_fini(struct cmp_texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->texts[i]);
	free(t->texts);
	*t = (struct cmp_texts){0};
}

/* ---- differences of facts ---- */

/* Where to look: an object, and the keys in it that say nothing about the measurement, between
 * blanks. NULL: all its keys matter. */
static const struct {
	const char *object, *heading, *ignored;
} places[] = {
    {"tool", "ioltp", " command_line name kind "},
    {"options", "option",
     " output format histogram verbosity debug help help-man version config-file test validate "
     "show-serial percentile report-interval report-checkpoints rand-seed destroy-data "
     "capture-file sqlite-path db-hash "},
    {"database", "database",
     " path file_size_bytes wal_size_bytes data_directory compile_options uptime_s "},
    {"device", "drive", " path free_bytes "},
    {"host", "host", " "},
    {"raw", "raw", " target unwritten_share "},
};

static bool is_ignored(const char *list, const char *key)
{
	const char *at = list;
	size_t len = strlen(key);

	while ((at = strstr(at, key)) != NULL) {
		if (at > list && at[-1] == ' ' && at[len] == ' ')
			return true;
		at += len;
	}
	return false;
}

static void print_value(FILE *out, const struct tree *t)
{
	if (t == NULL || t->kind == TREE_NIL) {
		fputs("nothing", out);
	} else if (t->kind == TREE_NUMBER) {
		fprintf(out, "%.15g", t->number);
	} else if (t->kind == TREE_BOOL) {
		fputs(t->b ? "true" : "false", out);
	} else if (t->kind == TREE_TEXT) {
		fputs(t->text, out);
	} else {
		for (size_t i = 0; i < t->narray; i++) {
			fputs(i > 0 ? "," : "", out);
			print_value(out, &t->items[i]);
		}
	}
}

/* Heap text; NULL: out of memory. */
static char *value_text(const struct tree *t)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (out == NULL)
		return NULL;
	print_value(out, t);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static void compare_value(struct cmp_texts *t, const char *heading, const char *key,
                          const struct tree *base, const struct tree *new)
{
	char *a = value_text(base), *b = value_text(new);

	if (a == NULL || b == NULL)
		t->failed = true;
	else if (strcmp(a, b) != 0)
		cmp_texts_add(t, "%s: %s: %.80s against %.80s", heading, key, a, b);
	free(a);
	free(b);
}

static void compare_object(struct cmp_texts *t, size_t place, const struct tree *base,
                           const struct tree *new)
{
	const char *ignored = places[place].ignored, *heading = places[place].heading;

	for (size_t i = base != NULL ? base->narray : 0; base != NULL && i < base->nitems; i++) {
		const char *key = base->items[i].key;

		if (!is_ignored(ignored, key))
			compare_value(t, heading, key, &base->items[i], tree_at(new, key));
	}
	for (size_t i = new != NULL ? new->narray : 0; new != NULL &&i < new->nitems; i++) {
		const char *key = new->items[i].key;

		/* An option that is of a later version alone, at its default of nothing. */
		if (!is_ignored(ignored, key) && (base == NULL || tree_get(base, key) == NULL) &&
		    new->items[i].kind != TREE_NIL)
			compare_value(t, heading, key, NULL, &new->items[i]);
	}
}

/* Seeds are unlike by intent when nobody gave one: chance is then part of both. */
static void compare_seeds(struct cmp_texts *t, const struct tree *base, const struct tree *new)
{
	const char *a = tree_text(base, "generator/seed"), *b = tree_text(new, "generator/seed");
	bool given =
	    tree_bool(base, "generator/seed_given") || tree_bool(new, "generator/seed_given");

	if (given && a != NULL && b != NULL && strcmp(a, b) != 0)
		cmp_texts_add(t, "seed: %s against %s", a, b);
}

/* Where there is nothing in common, one line says so. */
static bool are_apart(struct cmp_texts *t, size_t place, const struct tree *base,
                      const struct tree *new)
{
	const char *a = tree_text(base, "driver"), *b = tree_text(new, "driver");
	bool base_empty = base == NULL || base->nitems == 0;
	bool new_empty = new == NULL || new->nitems == 0;

	if (a != NULL && b != NULL && strcmp(a, b) != 0)
		cmp_texts_add(t, "%s: driver: %s against %s", places[place].heading, a, b);
	else if (base_empty != new_empty)
		cmp_texts_add(t, "%s: nothing is known of it in %s", places[place].heading,
		              base_empty ? "base" : "new");
	else
		return base_empty;
	return true;
}

void cmp_unlike(struct cmp_texts *t, const struct cmp_doc *base, const struct cmp_doc *new)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const struct tree *a = tree_at(&base->tree, places[i].object);
		const struct tree *b = tree_at(&new->tree, places[i].object);

		if (!are_apart(t, i, a, b))
			compare_object(t, i, a, b);
	}
	compare_seeds(t, &base->tree, &new->tree);
}
