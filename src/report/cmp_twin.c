/* SPDX-License-Identifier: MIT */
/* An application run beside its synthetic twin: the table. cmp_facts.c has what the verdict needs.
 */
#include "report/cmp_twin.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An open loop of a raw result is the pace; a closed one with at most so many times the
 * application's outstanding I/Os (rounded up) is its capability, with more it is the saturation. */
#define OIO_LIKE 1.25

static const char *const replay_names[CMP_REPLAYS] = {"pace", "capability", "saturation"};

/* ---- replays ---- */

static void take_replay(struct cmp_view *v, const struct tree *replay)
{
	const char *name = tree_text(replay, "name"), *unit = tree_text(replay, "unit");

	for (unsigned i = 0; i < CMP_REPLAYS; i++) {
		if (strcmp(name, replay_names[i]) != 0)
			continue;
		if (strcmp(unit, "transaction") == 0)
			v->txn[i] = tree_at(replay, "result");
		else
			v->io[i] = tree_at(replay, "result");
		v->oio[i] = tree_number(replay, "oio");
	}
}

/* A raw result stands in for the replay that it is most like. */
static void take_raw(struct cmp_view *v, const struct tree *raw)
{
	const char *loop = tree_text(raw, "totals/loop");
	double oio = tree_number(raw, "raw/oio"), own = v->outstanding;
	unsigned i = CMP_CAPABILITY;

	if (loop != NULL && strcmp(loop, "open") == 0)
		i = CMP_PACE;
	else if (oio > OIO_LIKE * ceil(fmax(own, 1)))
		i = CMP_SATURATION;
	v->oio[i] = oio;
	if (tree_number(raw, "raw/transactions") > 0)
		v->txn[i] = raw;
	else
		v->io[i] = raw;
}

void cmp_view(struct cmp_view *v, const struct cmp_doc *app, const struct cmp_doc *synthetic)
{
	const struct tree *replays = tree_at(&synthetic->tree, "replays");

	*v = (struct cmp_view){.app = &app->tree, .oio = {NAN, NAN, NAN}};
	v->capture = tree_at(v->app, "capture");
	v->events = tree_number(v->app, "totals/events");
	v->elapsed_s = tree_number(v->app, "totals/elapsed_s");
	v->outstanding = tree_number(v->capture, "io/outstanding_mean");
	if (synthetic->kind == CMP_RAW)
		take_raw(v, &synthetic->tree);
	for (size_t i = 0; replays != NULL && i < replays->narray; i++)
		take_replay(v, &replays->items[i]);
}

/* ---- rows ---- */

struct table {
	struct cmp_twin *t;
	const struct cmp_view *v;
	const char *section;
	struct cmp_row spare; /* takes what memory does not suffice for */
};

static struct cmp_row *add_row(struct table *b, enum cmp_unit unit, const char *key,
                               const char *label)
{
	struct cmp_twin *t = b->t;
	struct cmp_row *row;

	if (t->nrows == t->room) {
		size_t room = t->room != 0 ? 2 * t->room : 32;
		struct cmp_row *rows = realloc(t->rows, room * sizeof(*rows));

		if (rows == NULL) {
			t->failed = true;
			return &b->spare;
		}
		t->rows = rows;
		t->room = room;
	}
	row = &t->rows[t->nrows++];
	*row = (struct cmp_row){.section = b->section, .unit = unit};
	snprintf(row->key, sizeof(row->key), "%s", key);
	snprintf(row->label, sizeof(row->label), "%s", label);
	for (unsigned i = 0; i < CMP_COLUMNS_MAX; i++)
		row->cells[i] = NAN;
	return row;
}

static void note(struct cmp_row *row, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void note(struct cmp_row *row, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(row->note, sizeof(row->note), fmt, args);
	va_end(args);
}

/* Why the application's column is empty in rows about the drive. */
static void note_capture(const struct table *b, struct cmp_row *row)
{
	if (b->v->capture == NULL)
		note(row, "%s", CMP_NO_CAPTURE);
}

static const struct tree *any(const struct cmp_view *v, unsigned i)
{
	return v->io[i] != NULL ? v->io[i] : v->txn[i];
}

/* Replays' column of `path`, from those of transactions or from either. */
static void fill(const struct table *b, struct cmp_row *row, const char *path, bool txn_only)
{
	for (unsigned i = 0; i < CMP_REPLAYS; i++)
		row->cells[1 + i] = tree_number(txn_only ? b->v->txn[i] : any(b->v, i), path);
}

static void transactions(struct table *b)
{
	static const char *const shown[] = {"50", "95", "99", "99.9"};
	struct cmp_row *row;
	char key[64], label[64];

	b->section = "transactions";
	row = add_row(b, CMP_PER_S, "tps", "transactions per s");
	row->cells[0] = tree_number(b->v->app, "totals/tps");
	fill(b, row, "totals/tps", true);
	row = add_row(b, CMP_NS, "latency_mean_ns", "response time, mean");
	row->cells[0] = tree_number(b->v->app, "latency_ns/mean");
	fill(b, row, "latency_ns/mean", true);
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		snprintf(key, sizeof(key), "latency_p%s_ns", shown[i]);
		snprintf(label, sizeof(label), "response time, p%s", shown[i]);
		row = add_row(b, CMP_NS, key, label);
		row->cells[0] = cmp_percentile_ns(tree_at(b->v->app, "latency_ns"), shown[i]);
		for (unsigned j = 0; j < CMP_REPLAYS; j++)
			row->cells[1 + j] =
			    cmp_percentile_ns(tree_at(b->v->txn[j], "latency_ns"), shown[i]);
	}
}

/* A count of a replay by its transactions. */
static double per_transaction(const struct tree *replay, double count)
{
	return count / tree_number(replay, "totals/events");
}

static void per_transaction_rows(struct table *b)
{
	static const struct {
		const char *key, *label, *capture, *total;
		enum cmp_unit unit;
	} rows[] = {
	    {"reads", "drive reads", "reads", "totals/reads", CMP_COUNT},
	    {"writes", "drive writes", "writes", "totals/writes", CMP_COUNT},
	    {"flushes", "drive flushes", "flushes", "totals/other", CMP_COUNT},
	    {"read_bytes", "read", "read_bytes", "totals/read_bytes_per_s", CMP_BYTES},
	    {"written_bytes", "written", "written_bytes", "totals/write_bytes_per_s", CMP_BYTES},
	};
	const struct tree *per = tree_at(b->v->capture, "io/per_transaction");

	b->section = "drive per transaction";
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cmp_row *row = add_row(b, rows[i].unit, rows[i].key, rows[i].label);

		row->cells[0] = tree_number(per, rows[i].capture);
		if (cmp_by_vfs(b->v) && strncmp(rows[i].key, "writ", 4) == 0)
			note(row, "application: as SQLite wrote, before the page cache joins them");
		note_capture(b, row);
		for (unsigned j = 0; j < CMP_REPLAYS; j++) {
			const struct tree *r = b->v->txn[j];
			double count = tree_number(r, rows[i].total);

			if (rows[i].unit == CMP_BYTES)
				count *= tree_number(r, "totals/elapsed_s");
			row->cells[1 + j] = per_transaction(r, count);
		}
	}
}

/* ---- write amplification ---- */

/* A row of sysbench's table is two 4-byte integers, CHAR(120) and CHAR(60), and a changed one is
 * written as a whole. */
#define SBTEST_ROW_BYTES 188.0

/* Bytes of the rows that the run wrote; NAN with a note where that is unknown. */
static double row_bytes(const struct cmp_view *v, struct cmp_row *row)
{
	const struct tree *statements = tree_at(v->app, "statements");
	double rows = 0;

	for (size_t i = 0; statements != NULL && i < statements->narray; i++) {
		const struct tree *s = &statements->items[i];
		const char *class = tree_text(s, "class"), *text = tree_text(s, "statement");

		/* What is deleted writes no row. */
		if (class == NULL || text == NULL || strcmp(class, "write") != 0 ||
		    strncasecmp(text, "DELETE", 6) == 0)
			continue;
		if (strstr(text, " sbtest") == NULL) {
			note(row, "row bytes are not known for this workload's tables");
			return NAN;
		}
		rows += tree_number(s, "rows");
	}
	if (!(rows > 0)) {
		note(row, "no row was written");
		return NAN;
	}
	note(row, "drive bytes written / %.0f rows of %.0f B", rows, SBTEST_ROW_BYTES);
	return rows * SBTEST_ROW_BYTES;
}

static void amplification(struct table *b)
{
	struct cmp_row *row;
	double database, drive;

	b->section = "write amplification";
	row = add_row(b, CMP_FACTOR, "amplification_database", "of the database");
	database = tree_number(b->v->capture, "io/written_bytes") / row_bytes(b->v, row);
	row->cells[0] = database;
	note_capture(b, row);
	row = add_row(b, CMP_FACTOR, "amplification_drive", "of the drive itself");
	drive = tree_number(b->v->app, "counters/media_write_amplification");
	row->cells[0] = drive;
	fill(b, row, "counters/media_write_amplification", false);
	for (unsigned i = 0; i < CMP_REPLAYS && isnan(drive); i++)
		drive = row->cells[1 + i];
	note(row, "%s",
	     isnan(drive) ? "its log of written media (OCP) is not known"
	                  : "media bytes / bytes written, by the drive's OCP log");
	row = add_row(b, CMP_FACTOR, "amplification_product", "of both");
	row->cells[0] = database * drive;
	if (isnan(database * drive))
		note(row, "needs both factors");
	else if (isnan(tree_number(b->v->app, "counters/media_write_amplification")))
		note(row, "with the drive's factor under the replay");
}

/* ---- the drive ---- */

/* Latencies of a kind of I/O in a replay: of streams, or over all steps of transactions. */
static const struct tree *kind_of(const struct cmp_view *v, unsigned i, const char *kind)
{
	const struct tree *found = NULL;
	char each[32];

	if (v->io[i] != NULL)
		found = cmp_find(v->io[i], "statements", "statement", kind);
	snprintf(each, sizeof(each), "each %s", kind);
	if (found == NULL && v->txn[i] != NULL)
		found = cmp_find(v->txn[i], "statements", "statement", each);
	return tree_at(found, "latency_ns");
}

static void device_latency(struct table *b)
{
	static const char *const kinds[] = {"read", "write", "flush"};
	static const char *const shown[] = {"mean", "50", "99"};
	char key[64], label[64];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		for (size_t j = 0; j < sizeof(shown) / sizeof(shown[0]); j++) {
			const char *p = j == 0 ? "" : "p";
			const struct tree *l;
			struct cmp_row *row;

			snprintf(key, sizeof(key), "%s_%s%s_ns", kinds[i], p, shown[j]);
			snprintf(label, sizeof(label), "%s, %s%s", kinds[i], p, shown[j]);
			row = add_row(b, CMP_NS, key, label);
			snprintf(key, sizeof(key), "io/%s_latency_ns", kinds[i]);
			l = tree_at(b->v->capture, key);
			row->cells[0] = j == 0 && tree_number(l, "count") > 0
			                    ? tree_number(l, "mean")
			                    : cmp_percentile_ns(l, shown[j]);
			note_capture(b, row);
			for (unsigned k = 0; k < CMP_REPLAYS; k++) {
				l = kind_of(b->v, k, kinds[i]);
				row->cells[1 + k] = j == 0 && tree_number(l, "count") > 0
				                        ? tree_number(l, "mean")
				                        : cmp_percentile_ns(l, shown[j]);
			}
		}
	}
}

static void drive(struct table *b)
{
	const struct tree *c = b->v->capture;
	double reached = NAN;
	struct cmp_row *row;

	for (unsigned i = 0; i < CMP_REPLAYS && isnan(reached); i++)
		reached = cmp_reach_txn(b->v, i);
	b->section = "drive";
	row = add_row(b, CMP_PER_S, "iops_per_s", "reads and writes per s");
	row->cells[0] = cmp_app_iops(b->v);
	fill(b, row, "totals/iops_per_s", false);
	if (cmp_by_vfs(b->v))
		note(row, "application: %s",
		     isfinite(reached) ? "its TPS by the I/Os of the twin's transaction"
		                       : "as SQLite wrote, before the page cache joins them");
	note_capture(b, row);
	row = add_row(b, CMP_COUNT, "outstanding_mean", "outstanding I/Os, mean");
	row->cells[0] = tree_number(c, "io/outstanding_mean");
	for (unsigned i = 0; i < CMP_REPLAYS; i++)
		row->cells[1 + i] = b->v->oio[i];
	note(row, "%s", c != NULL ? "replays: as set" : CMP_NO_CAPTURE);
	row = add_row(b, CMP_COUNT, "outstanding_p99", "outstanding I/Os, p99");
	row->cells[0] = tree_number(c, "io/outstanding_p99");
	note_capture(b, row);
	device_latency(b);
	row = add_row(b, CMP_COUNT, "flushes_total", "flushes in all");
	row->cells[0] = tree_number(c, "io/flushes");
	fill(b, row, "totals/other", false);
	note_capture(b, row);
	row = add_row(b, CMP_SHARE, "flush_share", "transactions' time in flushes");
	row->cells[0] = tree_number(c, "commit/flush_share");
	note(row, "%s",
	     c == NULL              ? CMP_NO_CAPTURE
	     : isnan(row->cells[0]) ? "I/Os cannot be told apart by transaction"
	                            : "");
	row = add_row(b, CMP_SHARE, "device_share", "transactions' time in any I/O");
	row->cells[0] = tree_number(c, "commit/device_share");
	note(row, "%s", b->t->rows[b->t->nrows - 2].note);
}

static void reach(struct table *b)
{
	struct cmp_row *row;

	b->section = "share of the drive's capability that the application reached";
	row = add_row(b, CMP_SHARE, "reach_transactions", "in transactions per s");
	for (unsigned i = 0; i < CMP_REPLAYS; i++)
		row->cells[1 + i] = cmp_reach_txn(b->v, i);
	row = add_row(b, CMP_SHARE, "reach_ios", "in reads and writes per s");
	for (unsigned i = 0; i < CMP_REPLAYS; i++)
		row->cells[1 + i] = cmp_reach_io(b->v, i);
	note_capture(b, row);
}

/* ---- processors and temperature ---- */

static void processors(struct table *b)
{
	const struct cmp_view *v = b->v;
	struct cmp_row *row;

	b->section = "CPU";
	row = add_row(b, CMP_NS, "cpu_generator_ns", "per transaction, generator");
	row->cells[0] = cmp_generator_cpu_s(v->app) / v->events * 1e9;
	for (unsigned i = 0; i < CMP_REPLAYS; i++)
		row->cells[1 + i] =
		    per_transaction(v->txn[i], cmp_generator_cpu_s(v->txn[i])) * 1e9;
	if (cmp_is_embedded(v))
		note(row, "with the database inside it");
	row = add_row(b, CMP_NS, "cpu_server_ns", "per transaction, server");
	row->cells[0] = tree_number(v->capture, "server/cpu_s") / v->events * 1e9;
	note_capture(b, row);
	if (cmp_is_embedded(v))
		note(row, "there is no server");
	row = add_row(b, CMP_NS, "cpu_system_ns", "per transaction, whole machine");
	row->cells[0] = tree_number(v->capture, "system/cpu_busy_share") *
	                tree_number(v->capture, "system/cpus") * v->elapsed_s / v->events * 1e9;
	note_capture(b, row);
	row = add_row(b, CMP_SHARE, "cpu_busy_share", "machine busy");
	row->cells[0] = tree_number(v->capture, "system/cpu_busy_share");
	note_capture(b, row);
}

static void temperature(struct table *b)
{
	struct cmp_row *row;

	b->section = "temperature";
	row = add_row(b, CMP_CELSIUS, "temperature_c", "drive, at the end");
	row->cells[0] = tree_number(b->v->app, "counters/temperature_after_c");
	fill(b, row, "counters/temperature_after_c", false);
	note(row, "%s", isnan(row->cells[0]) ? "application: the drive tells none" : "");
	row = add_row(b, CMP_COUNT, "throttle_events", "throttled");
	row->cells[0] = tree_number(b->v->app, "counters/throttle_events");
	fill(b, row, "counters/throttle_events", false);
	note(row, "%s", isnan(row->cells[0]) ? "application: the drive does not count it" : "");
}

/* ---- the mix ---- */

static int by_count(const void *a, const void *b)
{
	const struct cmp_mix *x = a, *y = b;

	return (y->count > x->count) - (y->count < x->count);
}

static void put_mix(struct cmp_twin *t, const struct tree *matrix)
{
	double count = 0, bytes = 0;

	if (matrix == NULL || matrix->narray == 0)
		return;
	t->mix = calloc(matrix->narray, sizeof(*t->mix));
	if (t->mix == NULL) {
		t->failed = true;
		return;
	}
	for (size_t i = 0; i < matrix->narray; i++) {
		const struct tree *cell = &matrix->items[i];
		const char *op = tree_text(cell, "op");
		struct cmp_mix *m = &t->mix[t->nmix++];

		snprintf(m->op, sizeof(m->op), "%s", op != NULL ? op : "?");
		m->size_bytes = tree_number(cell, "size_bytes");
		m->sequential = tree_bool(cell, "sequential");
		m->count = fmax(0, tree_number(cell, "count"));
		m->bytes = fmax(0, tree_number(cell, "bytes"));
		count += m->count;
		bytes += m->bytes;
	}
	for (size_t i = 0; i < t->nmix; i++) {
		t->mix[i].count_share = count > 0 ? t->mix[i].count / count : NAN;
		t->mix[i].bytes_share = bytes > 0 ? t->mix[i].bytes / bytes : NAN;
	}
	qsort(t->mix, t->nmix, sizeof(*t->mix), by_count);
}

/* ---- the whole ---- */

int cmp_twin(struct cmp_twin *t, const struct cmp_doc *app, const struct cmp_doc *synthetic,
             struct err *err)
{
	static const char *const columns[] = {"application", "at its pace", "capability",
	                                      "saturation"};
	struct cmp_view v;
	struct table b = {.t = t, .v = &v};

	*t = (struct cmp_twin){.app = app->path, .synthetic = synthetic->path, .ncolumns = 4};
	if (app->part || synthetic->part)
		return err_usage(err,
		                 "%s: is of a run that did not end, without totals; name a whole "
		                 "result",
		                 app->part ? app->path : synthetic->path);
	memcpy(t->columns, columns, sizeof(columns));
	cmp_view(&v, app, synthetic);
	transactions(&b);
	reach(&b);
	per_transaction_rows(&b);
	amplification(&b);
	drive(&b);
	processors(&b);
	temperature(&b);
	put_mix(t, tree_at(v.capture, "io/matrix"));
	cmp_facts(&t->facts, &v);
	cmp_judge(&t->facts, &t->verdict);
	cmp_twin_warnings(t, &v, synthetic);
	if (!t->failed && !t->warnings.failed)
		return 0;
	err_run(err, "compare: out of memory");
	return -ENOMEM;
}

void cmp_twin_fini(struct cmp_twin *t)
{
	free(t->rows);
	free(t->mix);
	cmp_texts_fini(&t->warnings);
	*t = (struct cmp_twin){0};
}
