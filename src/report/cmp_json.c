/* SPDX-License-Identifier: MIT */
/* Comparisons as JSON; docs/compare.schema.json describes them. */
#include <errno.h>
#include <string.h>

#include "report/cmp_report.h"

#ifdef HAVE_JANSSON

#include <jansson.h>
#include <math.h>

#include "report/cmp_doc.h"
#include "report/figures.h"
#include "report/rep_json.h"

/* 15 digits give back each decimal number as it was typed. */
#define JSON_FLAGS (JSON_REAL_PRECISION(15) | JSON_INDENT(1))

/* Remembers in `failed` what memory did not suffice for. */
struct builder {
	bool failed;
};

static void put(struct builder *b, json_t *o, const char *key, json_t *value)
{
	b->failed |= json_object_set_new(o, key, value) != 0;
}

static void add(struct builder *b, json_t *a, json_t *value)
{
	b->failed |= json_array_append_new(a, value) != 0;
}

static json_t *count(size_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *texts(struct builder *b, const struct cmp_texts *t)
{
	json_t *a = json_array();

	for (size_t i = 0; i < t->n; i++)
		add(b, a, rep_json_text(t->texts[i]));
	return a;
}

static json_t *head(struct builder *b, const char *kind)
{
	json_t *o = json_object();

	put(b, o, "schema", json_string(CMP_SCHEMA));
	put(b, o, "kind", json_string(kind));
	return o;
}

static int finish(struct builder *b, json_t *document, FILE *out)
{
	int rc;

	errno = 0;
	if (b->failed)
		rc = -ENOMEM;
	else if (json_dumpf(document, out, JSON_FLAGS) != 0 || fputc('\n', out) == EOF)
		rc = errno != 0 ? -errno : -EIO;
	else
		rc = figures_flush(out);
	json_decref(document);
	return rc;
}

/* ---- APP against SYNTHETIC ---- */

static json_t *rows(struct builder *b, const struct cmp_twin *t)
{
	static const char *const names[] = {"application", "pace", "capability", "saturation"};
	json_t *a = json_array();

	for (size_t i = 0; i < t->nrows; i++) {
		const struct cmp_row *r = &t->rows[i];
		json_t *o = json_object();

		put(b, o, "section", json_string(r->section));
		put(b, o, "figure", json_string(r->key));
		for (unsigned j = 0; j < t->ncolumns; j++)
			put(b, o, names[j], rep_json_real(r->cells[j]));
		put(b, o, "note", r->note[0] != '\0' ? rep_json_text(r->note) : json_null());
		add(b, a, o);
	}
	return a;
}

static json_t *mix(struct builder *b, const struct cmp_twin *t)
{
	json_t *a = json_array();

	for (size_t i = 0; i < t->nmix; i++) {
		const struct cmp_mix *m = &t->mix[i];
		json_t *o = json_object();

		put(b, o, "op", rep_json_text(m->op));
		put(b, o, "size_bytes", rep_json_real(m->size_bytes));
		put(b, o, "sequential", json_boolean(m->sequential));
		put(b, o, "count", rep_json_real(m->count));
		put(b, o, "bytes", rep_json_real(m->bytes));
		put(b, o, "count_share", rep_json_real(m->count_share));
		put(b, o, "bytes_share", rep_json_real(m->bytes_share));
		add(b, a, o);
	}
	return a;
}

static json_t *cause(enum cmp_cause c, bool second)
{
	return second && c == CMP_CAUSE_NONE ? json_null() : json_string(cmp_cause_name(c));
}

static json_t *verdict(struct builder *b, const struct cmp_verdict *v)
{
	json_t *o = json_object(), *figures = json_array(), *missing = json_array();

	put(b, o, "cause", cause(v->first, false));
	put(b, o, "second", cause(v->second, true));
	put(b, o, "words", rep_json_text(v->words));
	for (unsigned i = 0; i < v->nfigures; i++) {
		const struct cmp_figure *g = &v->figures[i];
		json_t *f = json_object();

		put(b, f, "figure", json_string(g->key));
		put(b, f, "meaning", json_string(g->label));
		put(b, f, "cause", cause(g->cause, false));
		put(b, f, "value", rep_json_real(g->value));
		put(b, f, "limit", rep_json_real(g->limit));
		put(b, f, "holds", json_boolean(g->value >= g->limit));
		add(b, figures, f);
	}
	for (unsigned i = 0; i < v->nmissing; i++)
		add(b, missing, json_string(v->missing[i]));
	put(b, o, "figures", figures);
	put(b, o, "missing", missing);
	return o;
}

int cmp_twin_json(const struct cmp_twin *t, FILE *out)
{
	struct builder b = {false};
	json_t *o = head(&b, "twin");

	put(&b, o, "application", rep_json_text(t->app));
	put(&b, o, "synthetic", rep_json_text(t->synthetic));
	put(&b, o, "rows", rows(&b, t));
	put(&b, o, "mix", mix(&b, t));
	put(&b, o, "verdict", verdict(&b, &t->verdict));
	put(&b, o, "warnings", texts(&b, &t->warnings));
	return finish(&b, o, out);
}

/* ---- BASE against NEW ---- */

static json_t *side(struct builder *b, const struct cmp_side *s)
{
	json_t *a = json_array();

	for (size_t i = 0; i < s->n; i++)
		add(b, a, rep_json_text(s->docs[i].path));
	return a;
}

static json_t *estimate(struct builder *b, const struct cmp_estimate *e)
{
	json_t *o = json_object();

	put(b, o, "value", rep_json_real(e->value));
	put(b, o, "error", rep_json_real(e->error));
	put(b, o, "n", count(e->n));
	return o;
}

static json_t *metric(struct builder *b, const struct cmp_metric *m)
{
	const struct cmp_difference *d = &m->difference;
	json_t *o = json_object();

	put(b, o, "figure", json_string(m->key));
	put(b, o, "more_is_better", json_boolean(m->more_is_better));
	put(b, o, "base", estimate(b, &m->base));
	put(b, o, "new", estimate(b, &m->new));
	put(b, o, "difference", rep_json_real(d->absolute));
	put(b, o, "difference_low", rep_json_real(d->absolute_low));
	put(b, o, "difference_high", rep_json_real(d->absolute_high));
	put(b, o, "relative", rep_json_real(d->relative));
	put(b, o, "relative_low", rep_json_real(d->relative_low));
	put(b, o, "relative_high", rep_json_real(d->relative_high));
	put(b, o, "conclusion", json_string(cmp_conclusion_name(m->conclusion)));
	put(b, o, "note", m->note[0] != '\0' ? rep_json_text(m->note) : json_null());
	return o;
}

static json_t *pair(struct builder *b, const struct cmp_pair *p)
{
	json_t *o = json_object(), *metrics = json_array();

	put(b, o, "new", side(b, p->new));
	put(b, o, "errors_over", json_string(p->repeats ? "repeats" : "intervals"));
	for (unsigned i = 0; i < p->nmetrics; i++)
		add(b, metrics, metric(b, &p->metrics[i]));
	put(b, o, "figures", metrics);
	put(b, o, "unlike", texts(b, &p->unlike));
	put(b, o, "warnings", texts(b, &p->warnings));
	return o;
}

int cmp_like_json(const struct cmp_like *l, FILE *out)
{
	struct builder b = {false};
	json_t *o = head(&b, "runs"), *pairs = json_array();

	put(&b, o, "base", side(&b, l->pairs[0].base));
	put(&b, o, "confidence", json_real(CMP_CONFIDENCE));
	put(&b, o, "resolution", rep_json_real(l->resolution));
	put(&b, o, "fail_above", rep_json_real(l->fail_above));
	put(&b, o, "regressed", json_boolean(l->regressed));
	for (size_t i = 0; i < l->npairs; i++)
		add(&b, pairs, pair(&b, &l->pairs[i]));
	put(&b, o, "comparisons", pairs);
	return finish(&b, o, out);
}

#else

int cmp_twin_json(const struct cmp_twin *t, FILE *out)
{
	(void)t;
	(void)out;
	return -ENOTSUP;
}

int cmp_like_json(const struct cmp_like *l, FILE *out)
{
	(void)l;
	(void)out;
	return -ENOTSUP;
}

#endif
