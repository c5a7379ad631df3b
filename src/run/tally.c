/* SPDX-License-Identifier: MIT */
#include "run/tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tally_stmt *stmt_new(const char *label, size_t len, enum tally_class class)
{
	struct tally_stmt *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->latency = hist_new();
	if (s->latency == NULL) {
		free(s);
		return NULL;
	}
	if (len >= sizeof(s->label))
		len = sizeof(s->label) - 1;
	memcpy(s->label, label, len);
	s->class = class;
	return s;
}

static int types_new(struct tally *t, bool open_loop)
{
	t->types = calloc(t->ntypes, sizeof(*t->types));
	if (t->types == NULL)
		return -1;
	for (unsigned i = 0; i < t->ntypes; i++) {
		t->types[i].latency = hist_new();
		if (t->types[i].latency == NULL)
			return -1;
		if (!open_loop)
			continue;
		t->types[i].service = hist_new();
		if (t->types[i].service == NULL)
			return -1;
	}
	return 0;
}

struct tally *tally_new(unsigned ntypes, bool open_loop)
{
	static const char others[] = "(other statements)";
	struct tally *t = aligned_alloc(_Alignof(struct tally), sizeof(*t));

	if (t == NULL)
		return NULL;
	memset(t, 0, sizeof(*t));
	t->ntypes = ntypes;
	if (types_new(t, open_loop) != 0)
		goto free_all;
	if (open_loop) {
		t->lateness = hist_new();
		if (t->lateness == NULL)
			goto free_all;
	}
	t->stmts[0] = stmt_new(others, sizeof(others) - 1, TALLY_OTHER);
	if (t->stmts[0] == NULL)
		goto free_all;
	atomic_store(&t->nstmts, 1);
	snprintf(t->error_list[0].text, sizeof(t->error_list[0].text), "(other errors)");
	atomic_store(&t->nerrors, 1);
	return t;
free_all:
	tally_free(t);
	return NULL;
}

void tally_free(struct tally *t)
{
	if (t == NULL)
		return;
	for (unsigned i = 0; t->types != NULL && i < t->ntypes; i++) {
		hist_free(t->types[i].latency);
		hist_free(t->types[i].service);
	}
	free(t->types);
	for (unsigned i = 0; i < atomic_load(&t->nstmts); i++) {
		hist_free(t->stmts[i]->latency);
		free(t->stmts[i]);
	}
	hist_free(t->lateness);
	free(t);
}

unsigned tally_stmt_index(struct tally *t, const char *label, size_t len, enum tally_class class)
{
	unsigned n = atomic_load_explicit(&t->nstmts, memory_order_relaxed);
	size_t cut = len < TALLY_LABEL_MAX ? len : TALLY_LABEL_MAX - 1;

	for (unsigned i = 1; i < n; i++) {
		if (t->stmts[i]->class == class && strncmp(t->stmts[i]->label, label, cut) == 0 &&
		    t->stmts[i]->label[cut] == '\0')
			return i;
	}
	if (n == TALLY_STMTS_MAX)
		return 0;
	t->stmts[n] = stmt_new(label, cut, class);
	if (t->stmts[n] == NULL)
		return 0;
	/* Release: a reader that sees the count sees the entry. */
	atomic_store_explicit(&t->nstmts, n + 1, memory_order_release);
	return n;
}

void tally_error_add(struct tally *t, int code, const char *state, const char *text)
{
	unsigned n = atomic_load_explicit(&t->nerrors, memory_order_relaxed);
	struct tally_error *e;

	for (unsigned i = 1; i < n; i++) {
		e = &t->error_list[i];
		if (e->code == code && strncmp(e->state, state, sizeof(e->state) - 1) == 0) {
			TALLY_ADD(e->count, 1);
			return;
		}
	}
	if (n == TALLY_ERRORS_MAX) {
		TALLY_ADD(t->error_list[0].count, 1);
		return;
	}
	e = &t->error_list[n];
	e->code = code;
	snprintf(e->state, sizeof(e->state), "%s", state);
	snprintf(e->text, sizeof(e->text), "%s", text);
	e->count = 1;
	atomic_store_explicit(&t->nerrors, n + 1, memory_order_release);
}
