/* SPDX-License-Identifier: MIT */
#include "report/rep_json_twin.h"

#include <errno.h>
#include <string.h>

#ifdef HAVE_JANSSON

#include <jansson.h>

#include "report/rep_json.h"

/* New value, or NULL when memory ran out or the result cannot be read (`err`). */
static json_t *replay_object(const struct twin_replay *r, struct err *err)
{
	json_error_t error;
	json_t *result = json_load_file(r->result, 0, &error);

	if (result == NULL) {
		err_run(err, "%s: the result of a replay cannot be read back: %s", r->result,
		        error.text);
		return NULL;
	}
	return json_pack("{s:s, s:s, s:i, s:o, s:o}", "name", r->name, "unit", r->unit, "oio",
	                 (int)r->oio, "rate_per_s",
	                 r->rate_per_s > 0 ? json_real(r->rate_per_s) : json_null(), "result",
	                 result);
}

static json_t *document(const struct twin_document *d, struct err *err)
{
	json_t *replays = json_array(), *warnings = json_array();
	bool failed = replays == NULL || warnings == NULL;

	for (unsigned i = 0; i < d->nreplays && !failed; i++)
		failed = json_array_append_new(replays, replay_object(&d->replays[i], err)) != 0;
	for (unsigned i = 0; i < d->nwarnings && !failed; i++)
		failed = json_array_append_new(warnings, rep_json_text(d->warnings[i])) != 0;
	if (failed) {
		json_decref(replays);
		json_decref(warnings);
		return NULL;
	}
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o}", "schema", TWIN_SCHEMA,
	                 "version", rep_json_text(d->version), "app", rep_json_text(d->app),
	                 "trace", rep_json_text(d->trace), "profile", rep_json_text(d->profile),
	                 "target", rep_json_text(d->target), "partial", (int)d->partial, "replays",
	                 replays, "warnings", warnings);
}

int rep_json_twin(const struct twin_document *d, const char *path, struct err *err)
{
	json_t *json = document(d, err);
	int rc = json != NULL ? rep_json_replace(json, path) : -ENOMEM;

	json_decref(json);
	if (rc != 0)
		err_run(err, "%s: cannot be written: %s; choose another --output", path,
		        strerror(-rc));
	return rc;
}

#else

int rep_json_twin(const struct twin_document *d, const char *path, struct err *err)
{
	(void)d;
	err_usage(err,
	          "%s: cannot be written: this ioltp was built without jansson; build it with "
	          "libjansson-dev",
	          path);
	return -ENOTSUP;
}

#endif
