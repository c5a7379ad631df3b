/* SPDX-License-Identifier: MIT */
/* Comparisons as text for a terminal and as Markdown. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "report/cmp_report.h"
#include "report/figures.h"

char *cmp_format(char *buf, size_t room, enum cmp_unit unit, double value)
{
	if (!isfinite(value)) {
		snprintf(buf, room, "-");
		return buf;
	}
	switch (unit) {
	case CMP_PER_S:
		snprintf(buf, room, fabs(value) < 1000 ? "%.2f" : "%.0f", value);
		break;
	case CMP_NS:
		if (fabs(value) < 1e3)
			snprintf(buf, room, "%.0f ns", value);
		else if (fabs(value) < 1e6)
			snprintf(buf, room, "%.2f us", value / 1e3);
		else if (fabs(value) < 1e9)
			snprintf(buf, room, "%.3f ms", value / 1e6);
		else
			snprintf(buf, room, "%.3f s", value / 1e9);
		break;
	case CMP_BYTES:
		snprintf(buf, room, "%.2f KB", value / 1e3);
		break;
	case CMP_BYTES_PER_S:
		snprintf(buf, room, "%.2f MB/s", value / 1e6);
		break;
	case CMP_COUNT:
		snprintf(buf, room, value == floor(value) ? "%.0f" : "%.2f", value);
		break;
	case CMP_SHARE:
		snprintf(buf, room, "%.1f %%", 100 * value);
		break;
	case CMP_FACTOR:
		snprintf(buf, room, "%.2f", value);
		break;
	case CMP_CELSIUS:
		snprintf(buf, room, "%.0f C", value);
		break;
	}
	return buf;
}

/* ---- both forms ---- */

#define TEXT_WIDTH 92u /* behind four blanks */

/* A table whose cells are texts: aligned columns, or Markdown's bars. */
struct form {
	FILE *out;
	bool markdown;
};

static void heading(const struct form *f, const char *text)
{
	fprintf(f->out, f->markdown ? "\n## %s\n\n" : "\n%s\n", text);
}

static void list_texts(const struct form *f, const char *title, const struct cmp_texts *t)
{
	if (t->n == 0)
		return;
	heading(f, title);
	for (size_t i = 0; i < t->n; i++)
		fprintf(f->out, f->markdown ? "- %s\n" : "    %s\n", t->texts[i]);
}

static void table_head(const struct form *f, int width, const char *first,
                       const char *const *columns, unsigned n, const char *last)
{
	if (f->markdown) {
		fprintf(f->out, "| %s |", first);
		for (unsigned i = 0; i < n; i++)
			fprintf(f->out, " %s |", columns[i]);
		fprintf(f->out, " %s |\n|---|", last);
		for (unsigned i = 0; i < n; i++)
			fprintf(f->out, "---:|");
		fprintf(f->out, "---|\n");
		return;
	}
	fprintf(f->out, "    %-*s", width, first);
	for (unsigned i = 0; i < n; i++)
		fprintf(f->out, " %13s", columns[i]);
	fprintf(f->out, "%s%s\n", last[0] != '\0' ? "  " : "", last);
}

static void cell(const struct form *f, const char *text)
{
	fprintf(f->out, f->markdown ? " %s |" : " %13s", text);
}

/* Words in lines of a terminal's width; Markdown breaks lines itself. */
static void paragraph(const struct form *f, const char *text)
{
	size_t column = TEXT_WIDTH;
	bool first = true;

	if (f->markdown) {
		fprintf(f->out, "%s\n", text);
		return;
	}
	while (*text != '\0') {
		size_t len = strcspn(text, " ");
		bool fresh = column + 1 + len > TEXT_WIDTH;

		if (fresh)
			fputs(first ? "    " : "\n    ", f->out);
		else
			fputc(' ', f->out);
		first = false;
		column = fresh ? len : column + 1 + len;
		fprintf(f->out, "%.*s", (int)len, text);
		text += len;
		text += strspn(text, " ");
	}
	fputc('\n', f->out);
}

/* ---- APP against SYNTHETIC ---- */

/* A row that says no more than the warnings below do. */
static bool is_empty(const struct cmp_row *r)
{
	for (unsigned i = 0; i < CMP_COLUMNS_MAX; i++) {
		if (isfinite(r->cells[i]))
			return false;
	}
	return r->note[0] == '\0' || strcmp(r->note, CMP_NO_CAPTURE) == 0;
}

static void twin_rows(const struct form *f, const struct cmp_twin *t)
{
	const char *section = "";
	char buf[48];

	for (size_t i = 0; i < t->nrows; i++) {
		const struct cmp_row *r = &t->rows[i];

		if (is_empty(r))
			continue;
		if (strcmp(section, r->section) != 0) {
			section = r->section;
			if (f->markdown)
				fprintf(f->out, "| **%s** | | | | | |\n", section);
			else
				fprintf(f->out, "  %s\n", section);
		}
		fprintf(f->out, f->markdown ? "| %s |" : "    %-32s", r->label);
		for (unsigned j = 0; j < t->ncolumns; j++)
			cell(f, cmp_format(buf, sizeof(buf), r->unit, r->cells[j]));
		if (f->markdown)
			fprintf(f->out, " %s |\n", r->note);
		else
			fprintf(f->out, "%s%s\n", r->note[0] != '\0' ? "  " : "", r->note);
	}
}

/* Kinds of less than this share of the I/Os and of the bytes are one line together. */
#define MIX_SHARE_LOW 0.01

static void mix_line(const struct form *f, const char *label, const struct cmp_mix *m)
{
	char buf[48];

	fprintf(f->out, f->markdown ? "| %s |" : "    %-32s", label);
	cell(f, cmp_format(buf, sizeof(buf), CMP_COUNT, m->count));
	cell(f, cmp_format(buf, sizeof(buf), CMP_SHARE, m->count_share));
	cell(f, cmp_format(buf, sizeof(buf), CMP_FACTOR, m->bytes / 1e3));
	cell(f, cmp_format(buf, sizeof(buf), CMP_SHARE, m->bytes_share));
	fprintf(f->out, f->markdown ? " |\n" : "\n");
}

static void twin_mix(const struct form *f, const struct cmp_twin *t)
{
	static const char *const columns[] = {"I/Os", "of all", "KB", "of all"};
	struct cmp_mix rest = {0};
	unsigned nrest = 0;
	char buf[48], label[64];

	if (t->nmix == 0)
		return;
	heading(f, "What the application asked of the drive");
	table_head(f, 32, "size, direction, order", columns, 4, "");
	for (size_t i = 0; i < t->nmix; i++) {
		const struct cmp_mix *m = &t->mix[i];

		if (m->count_share < MIX_SHARE_LOW && m->bytes_share < MIX_SHARE_LOW) {
			nrest++;
			rest.count += m->count;
			rest.bytes += m->bytes;
			rest.count_share += m->count_share;
			rest.bytes_share += m->bytes_share;
			continue;
		}
		/* Flushes have neither size nor place. */
		if (m->size_bytes > 0)
			snprintf(label, sizeof(label), "%s %s %s",
			         units_format_size(buf, sizeof(buf), (uint64_t)m->size_bytes),
			         m->op, m->sequential ? "sequential" : "random");
		else
			snprintf(label, sizeof(label), "%s", m->op);
		mix_line(f, label, m);
	}
	if (nrest == 0)
		return;
	snprintf(label, sizeof(label), "%u kinds below 1 %% each", nrest);
	mix_line(f, label, &rest);
}

static void twin_verdict(const struct form *f, const struct cmp_twin *t)
{
	const struct cmp_verdict *v = &t->verdict;
	static const char *const columns[] = {"value", "limit"};
	char buf[48];

	heading(f, "Verdict");
	paragraph(f, v->words);
	if (v->nfigures > 0) {
		heading(f, "Figures behind it");
		table_head(f, 60, "figure", columns, 2, "speaks for");
	}
	for (unsigned i = 0; i < v->nfigures; i++) {
		const struct cmp_figure *g = &v->figures[i];

		fprintf(f->out, f->markdown ? "| %s |" : "    %-60s", g->label);
		cell(f, cmp_format(buf, sizeof(buf), CMP_SHARE, g->value));
		cell(f, cmp_format(buf, sizeof(buf), CMP_SHARE, g->limit));
		fprintf(f->out, f->markdown ? " %s |\n" : "  %s\n",
		        g->value >= g->limit ? cmp_cause_name(g->cause) : "");
	}
	if (v->nmissing > 0)
		heading(f, v->first == CMP_CAUSE_NONE ? "Missing for a verdict" : "Not known");
	for (unsigned i = 0; i < v->nmissing; i++)
		fprintf(f->out, f->markdown ? "- %s\n" : "    %s\n", v->missing[i]);
}

static int write_twin(const struct cmp_twin *t, FILE *out, bool markdown)
{
	struct form f = {out, markdown};

	fprintf(out, markdown ? "# %s against %s\n\n" : "%s against %s\n\n", t->app, t->synthetic);
	table_head(&f, 32, "", t->columns, t->ncolumns, "");
	twin_rows(&f, t);
	twin_mix(&f, t);
	twin_verdict(&f, t);
	list_texts(&f, "Warnings", &t->warnings);
	return figures_flush(out);
}

int cmp_twin_text(const struct cmp_twin *t, FILE *out)
{
	return write_twin(t, out, false);
}

int cmp_twin_markdown(const struct cmp_twin *t, FILE *out)
{
	return write_twin(t, out, true);
}

/* ---- BASE against NEW ---- */

static void interval_text(char *buf, size_t room, const struct cmp_difference *d)
{
	if (!d->known || !isfinite(d->relative))
		snprintf(buf, room, "-");
	else
		snprintf(buf, room, "%+.2f..%+.2f %%", 100 * d->relative_low,
		         100 * d->relative_high);
}

static void like_rows(const struct form *f, const struct cmp_pair *p)
{
	char buf[64];

	for (unsigned i = 0; i < p->nmetrics; i++) {
		const struct cmp_metric *m = &p->metrics[i];

		fprintf(f->out, f->markdown ? "| %s |" : "    %-20s", m->label);
		cell(f, cmp_format(buf, sizeof(buf), m->unit, m->base.value));
		cell(f, cmp_format(buf, sizeof(buf), m->unit, m->new.value));
		snprintf(buf, sizeof(buf), "%+.2f %%", 100 * m->difference.relative);
		cell(f, isfinite(m->difference.relative) ? buf : "-");
		interval_text(buf, sizeof(buf), &m->difference);
		fprintf(f->out, f->markdown ? " %s |" : " %20s", buf);
		fprintf(f->out, f->markdown ? " %s%s%s |\n" : "  %s%s%s\n",
		        cmp_conclusion_name(m->conclusion), m->note[0] != '\0' ? ": " : "",
		        m->note);
	}
}

static void write_pair(const struct form *f, const struct cmp_like *l, const struct cmp_pair *p)
{
	fprintf(f->out, f->markdown ? "# %s against %s\n\n" : "%s against %s\n\n", p->new->label,
	        l->base);
	if (f->markdown)
		fprintf(f->out,
		        "| | base | new | change | %.0f %% interval | |\n"
		        "|---|---:|---:|---:|---:|---|\n",
		        100 * CMP_CONFIDENCE);
	else
		fprintf(f->out, "    %-20s %13s %13s %13s %17.0f %%\n", "", "base", "new", "change",
		        100 * CMP_CONFIDENCE);
	like_rows(f, p);
	if (p->repeats)
		fprintf(f->out, "\n%sErrors are over %zu and %zu repeats.\n",
		        f->markdown ? "" : "    ", p->base->n, p->new->n);
	else
		fprintf(f->out,
		        "\n%sErrors are over the intervals of two runs: what differs from run to "
		        "run is not in them; repeats tell.\n",
		        f->markdown ? "" : "    ");
	list_texts(f, "Unlike in", &p->unlike);
	list_texts(f, "Warnings", &p->warnings);
}

static int write_like(const struct cmp_like *l, FILE *out, bool markdown)
{
	struct form f = {out, markdown};

	for (size_t i = 0; i < l->npairs; i++) {
		fprintf(out, "%s", i > 0 ? "\n" : "");
		write_pair(&f, l, &l->pairs[i]);
	}
	if (isfinite(l->fail_above))
		fprintf(out, "\n%s\n",
		        l->regressed ? "Worse by more than --fail-above allows."
		                     : "Nothing is worse by more than --fail-above allows.");
	return figures_flush(out);
}

int cmp_like_text(const struct cmp_like *l, FILE *out)
{
	return write_like(l, out, false);
}

int cmp_like_markdown(const struct cmp_like *l, FILE *out)
{
	return write_like(l, out, true);
}
