/* SPDX-License-Identifier: MIT */
/* What was distilled as the table of a raw profile (docs/profiles.md). */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "trace/distil.h"

#define MAP_ROW 64u /* letters in a line */

/* Remembers that memory ran out; what is added then goes nowhere. */
struct maker {
	bool failed;
	struct tree spare;
};

static struct tree *add(struct maker *m, struct tree *table, const char *key)
{
	struct tree *items = realloc(table->items, (table->nitems + 1) * sizeof(*items));
	struct tree *item;

	if (items == NULL)
		goto failed;
	table->items = items;
	item = &items[table->nitems];
	*item = (struct tree){0};
	if (key != NULL) {
		item->key = strdup(key);
		if (item->key == NULL)
			goto failed;
	} else {
		table->narray++;
	}
	table->nitems++;
	return item;
failed:
	m->failed = true;
	tree_fini(&m->spare);
	return &m->spare;
}

static struct tree *add_table(struct maker *m, struct tree *table, const char *key)
{
	struct tree *item = add(m, table, key);

	item->kind = TREE_TABLE;
	return item;
}

static void add_number(struct maker *m, struct tree *table, const char *key, double number)
{
	struct tree *item = add(m, table, key);

	item->kind = TREE_NUMBER;
	item->number = isfinite(number) ? number : 0;
}

static void add_true(struct maker *m, struct tree *table, const char *key, bool b)
{
	struct tree *item;

	if (!b)
		return;
	item = add(m, table, key);
	item->kind = TREE_BOOL;
	item->b = true;
}

static void add_text(struct maker *m, struct tree *table, const char *key, const char *text)
{
	struct tree *item = add(m, table, key);

	item->kind = TREE_TEXT;
	item->text = strdup(text);
	m->failed = m->failed || item->text == NULL;
}

/* ---- values ---- */

static void put_size(struct strbuf *sb, uint64_t bytes)
{
	if (bytes % 1024 == 0)
		strbuf_addf(sb, "%lluk", (unsigned long long)bytes / 1024);
	else
		strbuf_addf(sb, "%llu", (unsigned long long)bytes);
}

static void add_sizes(struct maker *m, struct tree *table, const struct distil_sizes *sizes)
{
	struct strbuf sb = STRBUF_INIT;

	for (unsigned i = 0; i < sizes->n; i++) {
		if (i != 0)
			strbuf_addc(&sb, ',');
		put_size(&sb, sizes->bytes[i]);
		if (sizes->n > 1)
			strbuf_addf(&sb, "/%.10g", 100 * sizes->share[i]);
	}
	m->failed = m->failed || sb.failed;
	add_text(m, table, "bs", strbuf_str(&sb));
	strbuf_fini(&sb);
}

static void add_count(struct maker *m, struct tree *table, const struct distil_count *c)
{
	struct strbuf sb = STRBUF_INIT;

	if (c->n == 1) {
		if (c->times[0] != 1)
			add_number(m, table, "count", c->times[0]);
		return;
	}
	for (unsigned i = 0; i < c->n; i++)
		strbuf_addf(&sb, "%s%u/%.10g", i != 0 ? "," : "", c->times[i], 100 * c->share[i]);
	m->failed = m->failed || sb.failed;
	add_text(m, table, "count", strbuf_str(&sb));
	strbuf_fini(&sb);
}

static void add_share(struct maker *m, struct tree *table, const char *key, uint64_t part,
                      uint64_t whole)
{
	char text[40];

	snprintf(text, sizeof(text), "%.15g%%", 100 * (double)part / (double)whole);
	add_text(m, table, key, text);
}

/* ---- streams ---- */

static void add_bands(struct maker *m, struct tree *table, const struct distil_stream *s)
{
	char row[MAP_ROW + 1];
	struct tree *list;

	if (s->nbands == 0)
		return;
	list = add_table(m, table, "bands");
	for (unsigned i = 0; i < s->nbands; i++) {
		struct tree *band = add_table(m, list, NULL);

		add_number(m, band, "io", 100 * s->bands[i].io_share);
		add_number(m, band, "span", 100 * s->bands[i].span_share);
	}
	list = add_table(m, table, "map");
	for (unsigned i = 0; i < s->nchunks; i += MAP_ROW) {
		unsigned n = s->nchunks - i < MAP_ROW ? s->nchunks - i : MAP_ROW;

		for (unsigned k = 0; k < n; k++)
			row[k] = (char)('a' + s->map[i + k]);
		row[n] = '\0';
		add_text(m, list, NULL, row);
	}
}

static void add_stream(struct maker *m, struct tree *list, const struct distilled *d,
                       const struct distil_stream *s)
{
	struct tree *t = add_table(m, list, NULL);

	add_text(m, t, "name", s->name);
	add_number(m, t, "weight", (double)s->ios);
	add_text(m, t, "rw",
	         s->write ? (s->sequential ? "write" : "randwrite")
	                  : (s->sequential ? "read" : "randread"));
	add_sizes(m, t, &s->sizes);
	if (s->offset_bytes != 0)
		add_share(m, t, "offset", s->offset_bytes, d->span_bytes);
	if (s->offset_bytes + s->span_bytes < d->span_bytes)
		add_share(m, t, "span", s->span_bytes, d->span_bytes);
	if (s->align_bytes != 0)
		add_number(m, t, "align", s->align_bytes);
	add_true(m, t, "fua", s->fua);
	if (s->flushes != 0)
		add_number(m, t, "flush_every", (double)s->ios / (double)s->flushes);
	if (d->ntxns != 0 && s->per_transaction > 0)
		add_number(m, t, "per_transaction", s->per_transaction);
	add_bands(m, t, s);
}

/* ---- transactions ---- */

static void add_step(struct maker *m, struct tree *list, const struct distilled *d,
                     const struct distil_step *s)
{
	static const char *const ops[] = {"read", "write", "append", "flush", "write-fua"};
	struct tree *t = add_table(m, list, NULL);

	add_text(m, t, "op", ops[s->op]);
	if (s->op != DISTIL_FLUSH) {
		add_text(m, t, "region", d->streams[s->stream].name);
		add_sizes(m, t, &s->sizes);
	}
	add_count(m, t, &s->count);
	add_true(m, t, "parallel", s->parallel);
	add_true(m, t, "group", s->group);
}

static void add_txns(struct maker *m, struct tree *tree, const struct distilled *d)
{
	struct tree *list;

	if (d->ntxns == 0)
		return;
	list = add_table(m, tree, "transactions");
	for (unsigned i = 0; i < d->ntxns; i++) {
		struct tree *t = add_table(m, list, NULL), *steps;

		add_text(m, t, "name", d->txns[i].name);
		add_number(m, t, "weight", (double)d->txns[i].n);
		steps = add_table(m, t, "steps");
		for (unsigned k = 0; k < d->txns[i].nsteps; k++)
			add_step(m, steps, d, &d->txns[i].steps[k]);
	}
}

/* ---- what was measured ---- */

static void add_arrivals(struct maker *m, struct tree *measured, const struct distilled *d)
{
	struct tree *t = add_table(m, measured, "arrival");
	char key[32];

	add_number(m, t, "cv", d->arrival_cv);
	for (unsigned i = 0; i < DISTIL_PERCENTILES_MAX; i++) {
		snprintf(key, sizeof(key), "p%g_ns", distil_percentiles[i]);
		add_number(m, t, key, (double)d->arrival_ns[i]);
	}
}

/* "1/76.04,2/3.1,3-4/12,...,64-/2": per cent of I/Os. */
static void add_outstanding(struct maker *m, struct tree *measured, const struct distilled *d)
{
	struct strbuf sb = STRBUF_INIT;

	add_number(m, measured, "outstanding", d->outstanding_mean);
	add_number(m, measured, "outstanding_p99", d->outstanding_p99);
	for (unsigned lo = 1, hi = 1; lo < DISTIL_DEPTHS_MAX; lo = hi + 1, hi *= 2) {
		double share = 0;

		for (unsigned i = lo; i <= hi && i < DISTIL_DEPTHS_MAX - 1; i++)
			share += d->depth_share[i];
		if (share <= 0)
			continue;
		strbuf_addf(&sb, "%s%u", sb.len != 0 ? "," : "", lo);
		if (hi > lo)
			strbuf_addf(&sb, "-%u",
			            hi < DISTIL_DEPTHS_MAX - 1 ? hi : DISTIL_DEPTHS_MAX - 2);
		strbuf_addf(&sb, "/%.4g", 100 * share);
	}
	if (d->depth_share[DISTIL_DEPTHS_MAX - 1] > 0)
		strbuf_addf(&sb, "%s%u-/%.4g", sb.len != 0 ? "," : "", DISTIL_DEPTHS_MAX - 1,
		            100 * d->depth_share[DISTIL_DEPTHS_MAX - 1]);
	m->failed = m->failed || sb.failed;
	add_text(m, measured, "outstanding_shares", strbuf_str(&sb));
	strbuf_fini(&sb);
}

static void add_measured(struct maker *m, struct tree *tree, const struct distilled *d)
{
	struct tree *t = add_table(m, tree, "measured"), *each;
	double s = d->elapsed_s > 0 ? d->elapsed_s : 1, n = (double)d->transactions;

	add_text(m, t, "source",
	         d->source == TRACE_SOURCE_VFS ? "files, by a model of the page cache"
	                                       : "block device");
	add_number(m, t, "elapsed_s", d->elapsed_s);
	add_number(m, t, "events", (double)d->events);
	add_number(m, t, "dropped", (double)d->dropped);
	add_number(m, t, "span_bytes", (double)d->span_bytes);
	add_number(m, t, "iops_per_s", (double)(d->reads + d->writes) / s);
	add_number(m, t, "reads", (double)d->reads);
	add_number(m, t, "cached_reads", (double)d->cached_reads);
	add_number(m, t, "writes", (double)d->writes);
	add_number(m, t, "fua_writes", (double)d->fuas);
	add_number(m, t, "flushes", (double)d->flushes);
	add_number(m, t, "folded", (double)d->folded);
	add_number(m, t, "loose_flushes", (double)d->loose_flushes);
	add_outstanding(m, t, d);
	add_arrivals(m, t, d);
	if (d->transactions == 0)
		return;
	add_number(m, t, "tps", n / s);
	add_number(m, t, "clients", d->clients);
	each = add_table(m, t, "per_transaction");
	add_number(m, each, "reads", (double)d->reads / n);
	add_number(m, each, "writes", (double)d->writes / n);
	add_number(m, each, "flushes", (double)d->flushes / n);
	add_number(m, each, "read_bytes", (double)d->read_bytes / n);
	add_number(m, each, "written_bytes", (double)d->written_bytes / n);
}

int distilled_tree(const struct distilled *d, const char *title, struct tree *tree, struct err *err)
{
	struct maker m = {0};
	unsigned oio = d->ntxns != 0 ? d->clients : (unsigned)lround(d->outstanding_mean);
	struct tree *streams;

	*tree = (struct tree){.kind = TREE_TABLE};
	add_text(&m, tree, "title", title);
	add_number(&m, tree, "oio", oio != 0 ? oio : 1);
	streams = add_table(&m, tree, "streams");
	for (unsigned i = 0; i < d->nstreams; i++)
		add_stream(&m, streams, d, &d->streams[i]);
	add_txns(&m, tree, d);
	add_measured(&m, tree, d);
	tree_fini(&m.spare);
	if (!m.failed)
		return 0;
	err_run(err, "profile: out of memory");
	return -ENOMEM;
}
