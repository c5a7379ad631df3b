/* SPDX-License-Identifier: MIT */
/* What the verdict rests on, out of an application's result and its twin's. */
#include <math.h>
#include <string.h>

#include "report/cmp_twin.h"

static bool has_driver(const struct cmp_view *v, const char *name)
{
	const char *driver = tree_text(v->app, "database/driver");

	return driver != NULL && strcmp(driver, name) == 0;
}

bool cmp_is_embedded(const struct cmp_view *v)
{
	return has_driver(v, "sqlite");
}

double cmp_generator_cpu_s(const struct tree *result)
{
	return tree_number(result, "generator/cpu_user_s") +
	       tree_number(result, "generator/cpu_system_s");
}

static double ios_of(const struct tree *result)
{
	return tree_number(result, "totals/reads") + tree_number(result, "totals/writes");
}

bool cmp_by_vfs(const struct cmp_view *v)
{
	const char *source = tree_text(v->capture, "source");

	return source != NULL && strcmp(source, "vfs") == 0;
}

double cmp_app_iops(const struct cmp_view *v)
{
	/* A VFS sees writes into the page cache; what the kernel makes of them is the twin's
	 * model. */
	for (unsigned i = 0; cmp_by_vfs(v) && i < CMP_REPLAYS; i++) {
		if (v->txn[i] != NULL)
			return tree_number(v->app, "totals/tps") * ios_of(v->txn[i]) /
			       tree_number(v->txn[i], "totals/events");
	}
	return (tree_number(v->capture, "io/reads") + tree_number(v->capture, "io/writes")) /
	       v->elapsed_s;
}

/* A replay that did nothing says nothing. */
static double share_of(double application, double replay)
{
	return replay > 0 ? application / replay : NAN;
}

double cmp_reach_txn(const struct cmp_view *v, unsigned replay)
{
	return share_of(tree_number(v->app, "totals/tps"),
	                tree_number(v->txn[replay], "totals/tps"));
}

double cmp_reach_io(const struct cmp_view *v, unsigned replay)
{
	return share_of(cmp_app_iops(v), tree_number(v->io[replay], "totals/iops_per_s"));
}

/* Transactions keep the order of their I/Os, and so say more than I/Os alone. */
static double reach_of(const struct cmp_view *v, unsigned replay)
{
	double txn = cmp_reach_txn(v, replay);

	return isfinite(txn) ? txn : cmp_reach_io(v, replay);
}

/* Both closed loops show what the drive can do: what counts is the better one. */
static double reach_most(const struct cmp_view *v)
{
	double most = reach_of(v, CMP_SATURATION), own = reach_of(v, CMP_CAPABILITY);

	return isnan(most) || isnan(own) ? most : fmin(most, own);
}

static double smaller(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : fmin(a, b);
}

/* Seconds of all transactions together, from their actual begin to their end. */
static double transactions_s(const struct cmp_view *v)
{
	const struct tree *service = cmp_service(v->app);

	return tree_number(service, "mean") * tree_number(service, "count") / 1e9;
}

/* Of the transactions' time, what passes outside of statements: the script computes, or sleeps. 0
 * where that is not known; tries that failed have statements and no transaction. */
static double script_share(const struct cmp_view *v)
{
	const struct tree *statements = tree_at(v->app, "statements");
	double in_statements_s = 0, share;

	for (size_t i = 0; statements != NULL && i < statements->narray; i++) {
		const struct tree *latency = tree_at(&statements->items[i], "latency_ns");

		if (tree_number(latency, "count") > 0)
			in_statements_s +=
			    tree_number(latency, "mean") * tree_number(latency, "count") / 1e9;
	}
	share = 1 - in_statements_s / transactions_s(v);
	return in_statements_s > 0 && share > 0 ? share : 0;
}

static void put_cpu(struct cmp_facts *f, const struct cmp_view *v)
{
	double generator_s = cmp_generator_cpu_s(v->app);
	double server_s = tree_number(v->capture, "server/cpu_s");
	double cpus = tree_number(v->capture, "system/cpus");

	f->generator_cpu = tree_number(v->app, "generator/cpu_share");
	f->cpu_system = tree_number(v->capture, "system/cpu_busy_share");
	f->cpu_allowed = smaller(tree_number(v->app, "host/cpus_usable"),
	                         tree_number(v->app, "host/cgroup_cpus_max"));
	if (f->embedded) {
		f->cpu_own = f->generator_cpu;
		f->cpu_time = generator_s / transactions_s(v);
		return;
	}
	f->cpu_own = (generator_s + server_s) / (v->elapsed_s * cpus);
	f->cpu_time = (generator_s + server_s) / transactions_s(v);
	/* The limits of the generator's control group are not the server's. */
	f->cpu_allowed = cpus;
}

static void put_device(struct cmp_facts *f, const struct cmp_view *v)
{
	const struct tree *per = tree_at(v->capture, "io/per_transaction");
	/* The capture's shares are of response times, in which arrivals wait for a client. */
	double waiting =
	    tree_number(v->app, "latency_ns/mean") / tree_number(cmp_service(v->app), "mean");

	f->reach_own = reach_of(v, CMP_CAPABILITY);
	f->reach_most = reach_most(v);
	f->device_ios =
	    tree_number(per, "reads") + tree_number(per, "writes") + tree_number(per, "flushes");
	f->device_time = fmin(1, tree_number(v->capture, "commit/device_share") * waiting);
	f->flush_time = fmin(1, tree_number(v->capture, "commit/flush_share") * waiting);
	if (isnan(tree_number(v->capture, "commit/device_share")))
		f->device_time = f->flush_time = NAN;
	f->device_busy = tree_number(v->capture, "device_stat/busy_share");
}

void cmp_facts(struct cmp_facts *f, const struct cmp_view *v)
{
	const char *loop = tree_text(v->app, "totals/loop");
	double own_ns = tree_number(v->app, "generator/own_time_per_event_ns");
	const struct tree *service = cmp_service(v->app);
	double offered = tree_number(v->app, "totals/offered"), between, event_ns;

	*f = (struct cmp_facts){0};
	f->open_loop = loop != NULL && strcmp(loop, "open") == 0;
	f->embedded = cmp_is_embedded(v);
	f->modelled = has_driver(v, "null");
	f->has_capture = v->capture != NULL;
	f->clients = tree_number(v->app, "totals/threads");
	f->achieved = offered > 0 ? tree_number(v->app, "totals/ok") / offered : NAN;
	f->service_mean_ns = tree_number(service, "count") > 0 ? tree_number(service, "mean") : NAN;
	f->lateness_p99_ns = cmp_percentile_ns(tree_at(v->app, "generator/lateness_ns"), "99");
	event_ns = own_ns + f->service_mean_ns;
	f->generator_time = (own_ns + script_share(v) * f->service_mean_ns) / event_ns;
	/* What is neither in events nor the generator's own are think times. */
	between = 1 - tree_number(v->app, "totals/fairness/time_avg_s") / v->elapsed_s;
	f->idle = f->open_loop ? NAN : fmax(0, between - own_ns / event_ns);
	f->lock_time = f->embedded
	                   ? tree_number(v->app, "totals/lock_wait_ns") / 1e9 / transactions_s(v)
	                   : NAN;
	put_device(f, v);
	put_cpu(f, v);
}

/* ---- warnings ---- */

static void own_warnings(struct cmp_twin *t, const struct tree *document, const char *name)
{
	const struct tree *w = tree_at(document, "warnings");

	for (size_t i = 0; w != NULL && i < w->narray; i++) {
		const char *text = w->items[i].text;

		/* Rare percentiles and what is modelled are of no weight here. */
		if (text != NULL && strncmp(text, "percentile:", 11) != 0 &&
		    strncmp(text, "profile:", 8) != 0)
			cmp_texts_add(&t->warnings, "%s: %s", name, text);
	}
}

/* What limits a replay makes its figures those of the generator. */
static void replay_warnings(struct cmp_twin *t, const struct tree *replay, const char *name)
{
	own_warnings(t, replay, name);
	if (tree_bool(replay, "phases/partial"))
		cmp_texts_add(&t->warnings, "%s: was cut short", name);
}

/* Both must have been on one drive. */
static void same_drive(struct cmp_twin *t, const struct tree *app, const struct tree *replay)
{
	static const char *const keys[] = {"drive", "model", "serial", "firmware"};
	char path[32];

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *a, *b;

		snprintf(path, sizeof(path), "device/%s", keys[i]);
		a = tree_text(app, path);
		b = tree_text(replay, path);
		if (a != NULL && b != NULL && strcmp(a, b) != 0)
			cmp_texts_add(&t->warnings,
			              "drives: %s %s against %s: the replay was on another one",
			              keys[i], a, b);
	}
}

void cmp_twin_warnings(struct cmp_twin *t, const struct cmp_view *v,
                       const struct cmp_doc *synthetic)
{
	const struct tree *missing = tree_at(v->capture, "unavailable");
	const char *of = tree_text(&synthetic->tree, "app");
	double dropped = tree_number(v->capture, "dropped");

	if (synthetic->kind == CMP_RAW)
		cmp_texts_add(&t->warnings,
		              "synthetic: a raw run of profile %s, whose mix need not be the "
		              "application's; 'ioltp twin' makes one that is",
		              tree_text(&synthetic->tree, "raw/profile"));
	if (v->capture == NULL)
		cmp_texts_add(&t->warnings, "%s", CMP_NO_CAPTURE);
	for (size_t i = 0; missing != NULL && i < missing->narray; i++) {
		if (missing->items[i].text != NULL)
			cmp_texts_add(&t->warnings, "capture: %s", missing->items[i].text);
	}
	if (tree_bool(v->capture, "cut"))
		cmp_texts_add(&t->warnings, "capture: it came to --capture-limit before the run's "
		                            "end; what came after is missing");
	if (dropped > 0)
		cmp_texts_add(&t->warnings, "capture: %.0f events were dropped and are missing",
		              dropped);
	if (of != NULL && strcmp(basename(of), basename(t->app)) != 0)
		cmp_texts_add(&t->warnings, "twin: was made of %s", of);
	replay_warnings(t, v->app, "application");
	if (synthetic->kind == CMP_TWIN) {
		own_warnings(t, &synthetic->tree, "twin");
		if (tree_bool(&synthetic->tree, "partial"))
			cmp_texts_add(&t->warnings, "twin: not all of its replays were made");
	}
	for (unsigned i = 0; i < CMP_REPLAYS; i++) {
		replay_warnings(t, v->txn[i], t->columns[1 + i]);
		replay_warnings(t, v->io[i], t->columns[1 + i]);
		same_drive(t, v->app, v->txn[i]);
		same_drive(t, v->app, v->io[i]);
	}
}
