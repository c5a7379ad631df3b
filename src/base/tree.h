/* SPDX-License-Identifier: MIT */
/* tree: nested values as a Lua table or a JSON document holds them; read-only once made. */
#ifndef IOLTP_BASE_TREE_H
#define IOLTP_BASE_TREE_H

#include <stdbool.h>
#include <stddef.h>

enum tree_kind { TREE_NIL, TREE_BOOL, TREE_NUMBER, TREE_TEXT, TREE_TABLE };

struct tree {
	enum tree_kind kind;
	bool b;
	double number;
	char *text; /* owned */
	char *key;  /* its name in the table around it; NULL: an element of the array part */
	struct tree
	    *items; /* TREE_TABLE: array elements first, in order, then named ones by name; owned */
	size_t nitems;
	size_t narray;
};

void tree_fini(struct tree *t);
/* Named item, or NULL. */
const struct tree *tree_get(const struct tree *t, const char *key);

/*
 * Values of documents, by paths with '/' between keys ("latency_ns/percentiles/99.9"; "" is `t`
 * itself). `t` NULL is fine in all of these.
 */
/* What is there; NULL: nothing, or nil. */
const struct tree *tree_at(const struct tree *t, const char *path);
/* NAN where there is no number; booleans are 0 and 1. */
double tree_number(const struct tree *t, const char *path);
/* NULL where there is no text. */
const char *tree_text(const struct tree *t, const char *path);
/* false where there is none. */
bool tree_bool(const struct tree *t, const char *path);

#endif
