/* SPDX-License-Identifier: MIT */
/* From the result of a run to the profile of its twin. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/strbuf.h"
#include "cli/twin.h"
#include "report/rep_json_read.h"
#include "scenario/reader.h"

void twin_warn(struct twin *t, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (text == NULL)
		return;
	log_warn(&t->log, "%s", text);
	if (t->nwarnings < TWIN_WARNINGS_MAX)
		t->warnings[t->nwarnings++] = text;
	else
		free(text);
}

/* The trace as the result names it; moved together with the result, it lies beside it. */
static char *find_trace(const struct twin *t, const char *named)
{
	const char *base = strrchr(named, '/'), *slash = strrchr(t->app_path, '/');
	char *beside = NULL;
	struct stat st;

	if (stat(named, &st) == 0 || slash == NULL)
		return strdup(named);
	base = base != NULL ? base + 1 : named;
	if (asprintf(&beside, "%.*s/%s", (int)(slash - t->app_path), t->app_path, base) < 0)
		return NULL;
	if (stat(beside, &st) == 0)
		return beside;
	free(beside);
	return strdup(named);
}

static int settle_trace(struct twin *t, struct err *err)
{
	const char *schema = tree_text(&t->app, "schema");
	const char *source = tree_text(&t->app, "capture/source");
	const char *named = opt_str(t->options, "trace");

	if (schema == NULL || strncmp(schema, "ioltp-result-", 13) != 0)
		return err_usage(err,
		                 "%s: is no result of a run; name what --output=FILE of the run "
		                 "wrote",
		                 t->app_path);
	if (named == NULL && (source == NULL || strcmp(source, "counters") == 0))
		return err_usage(err,
		                 "%s: holds no trace of I/Os%s; run it again with --capture=auto",
		                 t->app_path, source != NULL ? ", only counters were taken" : "");
	if (named == NULL)
		named = tree_text(&t->app, "capture/file");
	if (named == NULL)
		return err_usage(err, "%s: does not name its trace; give it with --trace=FILE",
		                 t->app_path);
	t->trace_path = find_trace(t, named);
	return t->trace_path != NULL ? 0 : err_run(err, "%s: out of memory", t->app_path);
}

int twin_stem(const char *result)
{
	size_t len = strlen(result);

	return (int)(len > 5 && strcmp(result + len - 5, ".json") == 0 ? len - 5 : len);
}

/* NAME.twin.lua beside NAME.json. */
static int settle_profile_path(struct twin *t, struct err *err)
{
	const char *given = opt_str(t->options, "profile-out");

	if (given != NULL)
		t->profile_path = strdup(given);
	else if (asprintf(&t->profile_path, "%.*s.twin.lua", twin_stem(t->app_path), t->app_path) <
	         0)
		t->profile_path = NULL;
	if (t->profile_path == NULL)
		return err_run(err, "%s: out of memory", t->app_path);
	/* What names a bundled profile would not be read as a file. */
	if (strlen(t->profile_path) < 5 ||
	    strcmp(t->profile_path + strlen(t->profile_path) - 4, ".lua") != 0)
		return err_usage(err, "--profile-out=%s: a profile's name ends in .lua; add that",
		                 t->profile_path);
	return 0;
}

/* ---- what to think of it ---- */

static void judge(struct twin *t)
{
	const struct distilled *d = t->shape;
	double seen = (double)d->events + (double)d->dropped;

	if (d->dropped != 0)
		twin_warn(t,
		          "%s: %llu events (%.2g %%) are missing: the twin asks for less than the "
		          "application; capture again with a larger --capture-limit or less load",
		          t->trace_path, (unsigned long long)d->dropped,
		          100 * (double)d->dropped / seen);
	if (d->ntxns == 0 && t->transactions) {
		twin_warn(t,
		          d->transactions == 0
		              ? "%s: no transaction ended in the window: the twin has I/Os alone"
		              : "%s: no transaction asked anything of the drive: the twin has I/Os "
		                "alone",
		          t->trace_path);
		t->transactions = false;
	}
	if (d->reads + d->writes < 100)
		twin_warn(t,
		          "%s: only %llu I/Os reached the drive; run longer for shares that mean "
		          "something",
		          t->trace_path, (unsigned long long)(d->reads + d->writes));
	if (d->loose_flushes != 0)
		twin_warn(t,
		          "%s: %llu flushes belong to no stream of writes: the plain mix leaves "
		          "them out",
		          t->trace_path, (unsigned long long)d->loose_flushes);
	if (d->folded != 0)
		twin_warn(t, "%s: more streams than a profile holds: %llu I/Os count to others",
		          t->trace_path, (unsigned long long)d->folded);
	if (d->failed != 0)
		twin_warn(t, "%s: %llu I/Os of the application failed; see its log", t->trace_path,
		          (unsigned long long)d->failed);
}

static int save_profile(struct twin *t, struct err *err)
{
	const char *workload = tree_text(&t->app, "tool/workload");
	struct strbuf comment = STRBUF_INIT, title = STRBUF_INIT;
	struct tree tree;
	int rc;

	strbuf_addf(&title, "Twin of %s", workload != NULL ? workload : "a run");
	strbuf_addf(&comment,
	            "Distilled by ioltp %s from %s\n"
	            "of %s.\n"
	            "Places are shares of the target. docs/twin.md says how this was made.",
	            t->cli->version, t->trace_path, t->app_path);
	rc = distilled_tree(t->shape, strbuf_str(&title), &tree, err);
	if (rc == 0)
		rc = reader_save(&tree, t->profile_path, strbuf_str(&comment), err);
	tree_fini(&tree);
	strbuf_fini(&title);
	strbuf_fini(&comment);
	return rc;
}

int twin_distil(struct twin *t, const char *result, struct err *err)
{
	int rc = rep_json_read(&t->app, result, err);

	if (rc != 0)
		return rc;
	t->app_path = realpath(result, NULL);
	t->shape = calloc(1, sizeof(*t->shape));
	if (t->app_path == NULL || t->shape == NULL)
		return err_run(err, "%s: out of memory", result);
	rc = settle_trace(t, err);
	if (rc == 0)
		rc = settle_profile_path(t, err);
	if (rc == 0)
		rc = trace_load(&t->trace, t->trace_path, err);
	if (rc == 0)
		rc = twin_check_outputs(t, err);
	if (rc == 0)
		rc = distil(t->shape, &t->trace, err);
	if (rc != 0)
		return rc;
	judge(t);
	return save_profile(t, err);
}
