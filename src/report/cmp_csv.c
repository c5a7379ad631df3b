/* SPDX-License-Identifier: MIT */
/* Comparisons as CSV: a header line, a row per figure, plain numbers; what is unknown is empty. */
#include <math.h>
#include <string.h>

#include "report/cmp_report.h"
#include "report/figures.h"

static void number(FILE *out, double value)
{
	if (isfinite(value))
		fprintf(out, ",%.10g", value);
	else
		fputc(',', out);
}

/* A field in quotes, those inside doubled. */
static void text(FILE *out, const char *value)
{
	fputc('"', out);
	for (; *value != '\0'; value++) {
		if (*value == '"')
			fputc('"', out);
		fputc(*value, out);
	}
	fputc('"', out);
}

int cmp_twin_csv(const struct cmp_twin *t, FILE *out)
{
	fprintf(out, "section,figure,application,pace,capability,saturation,note\n");
	for (size_t i = 0; i < t->nrows; i++) {
		const struct cmp_row *r = &t->rows[i];

		text(out, r->section);
		fprintf(out, ",%s", r->key);
		for (unsigned j = 0; j < t->ncolumns; j++)
			number(out, r->cells[j]);
		fputc(',', out);
		text(out, r->note);
		fputc('\n', out);
	}
	for (size_t i = 0; i < t->nmix; i++) {
		const struct cmp_mix *m = &t->mix[i];

		fprintf(out, "\"mix\",%s_%s_%.0f,%.10g,,,,\"\"\n", m->op,
		        m->sequential ? "sequential" : "random", m->size_bytes, m->count);
	}
	for (unsigned i = 0; i < t->verdict.nfigures; i++)
		fprintf(out, "\"verdict\",%s,%.10g,,,,\"limit %.10g for %s\"\n",
		        t->verdict.figures[i].key, t->verdict.figures[i].value,
		        t->verdict.figures[i].limit, cmp_cause_name(t->verdict.figures[i].cause));
	fprintf(out, "\"verdict\",%s,,,,,", cmp_cause_name(t->verdict.first));
	text(out, t->verdict.words);
	fputc('\n', out);
	return figures_flush(out);
}

static void metric(const struct cmp_like *l, const struct cmp_pair *p, const struct cmp_metric *m,
                   FILE *out)
{
	const struct cmp_difference *d = &m->difference;

	text(out, l->base);
	fputc(',', out);
	text(out, p->new->label);
	fprintf(out, ",%s", m->key);
	number(out, m->base.value);
	number(out, m->new.value);
	number(out, d->absolute);
	number(out, d->absolute_low);
	number(out, d->absolute_high);
	number(out, d->relative);
	number(out, d->relative_low);
	number(out, d->relative_high);
	fprintf(out, ",%zu,%zu,%s,%s,", m->base.n, m->new.n, p->repeats ? "repeats" : "intervals",
	        cmp_conclusion_name(m->conclusion));
	text(out, m->note);
	fputc('\n', out);
}

int cmp_like_csv(const struct cmp_like *l, FILE *out)
{
	fprintf(out, "base,new,figure,base_value,new_value,difference,difference_low,"
	             "difference_high,relative,relative_low,relative_high,base_n,new_n,errors_over,"
	             "conclusion,note\n");
	for (size_t i = 0; i < l->npairs; i++) {
		for (unsigned j = 0; j < l->pairs[i].nmetrics; j++)
			metric(l, &l->pairs[i], &l->pairs[i].metrics[j], out);
	}
	return figures_flush(out);
}
