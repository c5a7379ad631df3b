/* SPDX-License-Identifier: MIT */
/* The application beside its replays, in a table. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hist_codec.h"
#include "cli/twin.h"

#define COLUMNS_MAX (TWIN_REPLAYS_MAX + 1)

static const double percentiles[] = {50, 90, 95, 99, 99.9};
#define PERCENTILES (sizeof(percentiles) / sizeof(percentiles[0]))

/* NAN: not known. */
struct column {
	char title[24];
	double per_s, mean_ns, at_ns[PERCENTILES];
	double oio, rate_per_s;
};

static void no_figures(struct column *c)
{
	c->per_s = c->mean_ns = c->oio = c->rate_per_s = NAN;
	for (size_t i = 0; i < PERCENTILES; i++)
		c->at_ns[i] = NAN;
}

/* The document's histogram knows all percentiles; without it there are those that were asked for.
 */
static void take_percentiles(struct column *c, const struct tree *doc)
{
	const char *text = tree_text(doc, "histograms/latency_ns");
	const struct tree *told = tree_at(doc, "latency_ns/percentiles");
	struct hist *h = hist_new();
	char key[16];

	if (h != NULL && text != NULL && hist_decode(h, text) == 0 &&
	    tree_number(doc, "latency_ns/count") > 0)
		for (size_t i = 0; i < PERCENTILES; i++)
			c->at_ns[i] = (double)hist_percentile_ns(h, percentiles[i]);
	else
		for (size_t i = 0; i < PERCENTILES; i++) {
			snprintf(key, sizeof(key), "%g", percentiles[i]);
			c->at_ns[i] = tree_number(told, key);
		}
	hist_free(h);
}

static void take_document(struct column *c, const char *title, const struct tree *doc)
{
	no_figures(c);
	snprintf(c->title, sizeof(c->title), "%s", title);
	c->per_s = tree_number(doc, "totals/tps");
	c->mean_ns = tree_number(doc, "latency_ns/mean");
	take_percentiles(c, doc);
}

/* What the capture saw of the application's own I/Os. */
static void take_capture(struct column *c, const struct twin *t)
{
	const struct tree *reads = tree_at(&t->app, "capture/io/read_latency_ns");
	const struct tree *writes = tree_at(&t->app, "capture/io/write_latency_ns");
	double nreads = tree_number(reads, "count"), nwrites = tree_number(writes, "count");
	const struct tree *more = !(nwrites > nreads) ? reads : writes;
	char key[32];

	no_figures(c);
	snprintf(c->title, sizeof(c->title), "application");
	if (t->shape->elapsed_s > 0)
		c->per_s = (double)(t->shape->reads + t->shape->writes) / t->shape->elapsed_s;
	c->oio = t->shape->outstanding_mean;
	/* Latencies of files are those of the page cache, and of no drive. */
	if (t->shape->source != TRACE_SOURCE_BLOCK)
		return;
	if (nreads > 0 && nwrites > 0)
		c->mean_ns =
		    (nreads * tree_number(reads, "mean") + nwrites * tree_number(writes, "mean")) /
		    (nreads + nwrites);
	else
		c->mean_ns = tree_number(more, "mean");
	/* Percentiles of two kinds do not add up. */
	if (nreads > 0 && nwrites > 0)
		return;
	for (size_t i = 0; i < PERCENTILES; i++) {
		snprintf(key, sizeof(key), "percentiles/%g", percentiles[i]);
		c->at_ns[i] = tree_number(more, key);
	}
}

static void put_number(FILE *out, double v, int digits)
{
	if (isfinite(v))
		fprintf(out, " %14.*f", digits, v);
	else
		fprintf(out, " %14s", "-");
}

static void put_table(FILE *out, const char *head, const char *rate, const char *outstanding,
                      const struct column *columns, unsigned n)
{
	fprintf(out, "%-22s", head);
	for (unsigned i = 0; i < n; i++)
		fprintf(out, " %14s", columns[i].title);
	fprintf(out, "\n  %-20s", rate);
	for (unsigned i = 0; i < n; i++)
		put_number(out, columns[i].per_s, 1);
	fprintf(out, "\n  %-20s", outstanding);
	for (unsigned i = 0; i < n; i++)
		put_number(out, columns[i].oio, i == 0 ? 1 : 0);
	fprintf(out, "\n  %-20s", "mean, us");
	for (unsigned i = 0; i < n; i++)
		put_number(out, columns[i].mean_ns / 1e3, 1);
	for (size_t k = 0; k < PERCENTILES; k++) {
		char row[24];

		snprintf(row, sizeof(row), "p%g, us", percentiles[k]);
		fprintf(out, "\n  %-20s", row);
		for (unsigned i = 0; i < n; i++)
			put_number(out, columns[i].at_ns[k] / 1e3, 1);
	}
	fprintf(out, "\n\n");
}

static void put_unit(const struct twin *t, const char *unit, FILE *out)
{
	struct column columns[COLUMNS_MAX];
	bool transactions = strcmp(unit, "transaction") == 0;
	unsigned n = 1;

	if (transactions)
		take_document(&columns[0], "application", &t->app);
	else
		take_capture(&columns[0], t);
	if (transactions)
		columns[0].oio = t->shape->clients;
	for (unsigned i = 0; i < t->ndone; i++) {
		if (strcmp(t->done[i].unit, unit) != 0)
			continue;
		take_document(&columns[n], t->done[i].name, &t->results[i]);
		columns[n++].oio = t->done[i].oio;
	}
	if (n == 1)
		return;
	put_table(out, transactions ? "Transactions" : "I/Os of the drive", "per s",
	          transactions ? "clients" : "outstanding", columns, n);
}

static void put_shape(const struct twin *t, FILE *out)
{
	const struct distilled *d = t->shape;
	double n = (double)d->transactions;

	fprintf(out, "Shape:     %u streams of %llu reads, %llu writes, %llu flushes in %.3f s\n",
	        d->nstreams, (unsigned long long)d->reads, (unsigned long long)d->writes,
	        (unsigned long long)d->flushes, d->elapsed_s);
	if (d->transactions != 0)
		fprintf(
		    out,
		    "           per transaction: %.2f reads (%.1f KiB), %.2f writes (%.1f KiB), "
		    "%.2f flushes\n",
		    (double)d->reads / n, (double)d->read_bytes / n / 1024, (double)d->writes / n,
		    (double)d->written_bytes / n / 1024, (double)d->flushes / n);
	if (d->source == TRACE_SOURCE_VFS)
		fprintf(out, "           modelled from I/Os of files: what the file system writes "
		             "for itself is not in it\n");
	fprintf(out, "Profile:   %s\n", t->profile_path);
}

int twin_report(const struct twin *t, FILE *out)
{
	put_shape(t, out);
	if (t->target != NULL && t->ndone != 0)
		fprintf(out, "Target:    %s, %llu bytes%s\n", t->target,
		        (unsigned long long)t->target_bytes,
		        t->made && !opt_bool(t->options, "keep")
		            ? ", made for the replays and removed"
		            : "");
	if (t->ndone != 0)
		fprintf(out, "\n");
	put_unit(t, "transaction", out);
	put_unit(t, "io", out);
	if (t->partial && t->ndone != 0)
		fprintf(out, "Partial: the replays were stopped before their end\n");
	fflush(out);
	return ferror(out) ? -EIO : 0;
}
