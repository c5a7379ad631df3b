/* SPDX-License-Identifier: MIT */
#include "report/cmp_doc.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/rep_json_read.h"
#include "report/result.h"

/* ---- looking into a document ---- */

const struct tree *cmp_find(const struct tree *t, const char *path, const char *key,
                            const char *value)
{
	const struct tree *array = tree_at(t, path);

	for (size_t i = 0; array != NULL && i < array->narray; i++) {
		const char *text = tree_text(&array->items[i], key);

		if (text != NULL && strcmp(text, value) == 0)
			return &array->items[i];
	}
	return NULL;
}

double cmp_percentile_ns(const struct tree *latency, const char *percentile)
{
	const struct tree *percentiles = tree_at(latency, "percentiles");

	if (percentiles == NULL || !(tree_number(latency, "count") > 0))
		return NAN;
	return tree_number(percentiles, percentile);
}

const struct tree *cmp_service(const struct tree *t)
{
	const struct tree *service = tree_at(t, "totals/service_ns");

	return service != NULL ? service : tree_at(t, "latency_ns");
}

const char *cmp_kind_name(enum cmp_kind kind)
{
	static const char *const names[] = {
	    [CMP_SQL] = "SQL result", [CMP_RAW] = "raw result", [CMP_TWIN] = "twin"};

	return names[kind];
}

/* ---- loading ---- */

static bool is_part(const char *path)
{
	size_t len = strlen(path);

	return len > 5 && strcmp(path + len - 5, ".part") == 0;
}

static int check_result(struct cmp_doc *d, struct err *err)
{
	const char *kind = tree_text(&d->tree, "tool/kind");

	if (kind != NULL && strcmp(kind, "sql") == 0)
		d->kind = CMP_SQL;
	else if (kind != NULL && strcmp(kind, "raw") == 0)
		d->kind = CMP_RAW;
	else
		return err_usage(err,
		                 "%s: does not say whether it is of an SQL or of a raw run; name a "
		                 "result that 'ioltp ... run' or 'ioltp raw' wrote",
		                 d->path);
	if (tree_at(&d->tree, "intervals") == NULL ||
	    (!d->part && tree_at(&d->tree, "totals") == NULL))
		return err_usage(err, "%s: has no %s; name a whole result", d->path,
		                 d->part ? "interval" : "totals or no intervals");
	return 0;
}

static int check_twin(struct cmp_doc *d, struct err *err)
{
	const struct tree *replays = tree_at(&d->tree, "replays");

	d->kind = CMP_TWIN;
	if (replays == NULL || replays->narray == 0)
		return err_usage(err, "%s: holds no replay; let 'ioltp twin' finish", d->path);
	for (size_t i = 0; i < replays->narray; i++) {
		const struct tree *r = &replays->items[i];

		if (tree_text(r, "name") == NULL || tree_text(r, "unit") == NULL ||
		    tree_at(r, "result/totals") == NULL)
			return err_usage(err,
			                 "%s: replay %zu has no name, unit or result; make it "
			                 "again with 'ioltp twin'",
			                 d->path, i + 1);
	}
	return 0;
}

int cmp_doc_load(struct cmp_doc *d, const char *path, struct err *err)
{
	const char *schema;
	int rc;

	*d = (struct cmp_doc){.path = strdup(path), .part = is_part(path)};
	if (d->path == NULL) {
		err_run(err, "%s: out of memory", path);
		return -ENOMEM;
	}
	rc = d->part ? rep_json_read_part(&d->tree, path, err) : rep_json_read(&d->tree, path, err);
	if (rc != 0)
		return rc;
	schema = tree_text(&d->tree, "schema");
	if (schema != NULL && strcmp(schema, RESULT_SCHEMA) == 0)
		return check_result(d, err);
	if (schema != NULL && strcmp(schema, CMP_TWIN_SCHEMA) == 0)
		return check_twin(d, err);
	if (schema != NULL)
		return err_usage(err,
		                 "%s: is of schema %.60s, and this ioltp reads %s and %s; use the "
		                 "version that wrote it, or run again",
		                 path, schema, RESULT_SCHEMA, CMP_TWIN_SCHEMA);
	return err_usage(err,
	                 "%s: is no result of ioltp (it names no schema); name what --output=FILE "
	                 "wrote",
	                 path);
}

void cmp_doc_fini(struct cmp_doc *d)
{
	tree_fini(&d->tree);
	free(d->path);
	d->path = NULL;
}
