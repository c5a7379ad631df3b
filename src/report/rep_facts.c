/* SPDX-License-Identifier: MIT */
#include "report/rep_facts.h"

#include <string.h>

#include "report/rep_json.h"

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif

void rep_facts_text(const struct kv *kv, FILE *out)
{
	size_t width = 0;

	for (unsigned i = 0; i < kv->n; i++) {
		if (strlen(kv->items[i].key) > width)
			width = strlen(kv->items[i].key);
	}
	for (unsigned i = 0; i < kv->n; i++)
		fprintf(out, "  %s:%*s %s\n", kv->items[i].key,
		        (int)(width - strlen(kv->items[i].key)), "", kv->items[i].text);
}

#ifdef HAVE_JANSSON

int rep_facts_json(const char *schema, const struct kv *head, const char *array,
                   const struct kv *items, unsigned n, FILE *out, struct err *err)
{
	json_t *o = json_object(), *list = json_array();
	json_t *facts = head != NULL ? rep_json_facts(head) : json_object();
	int rc = 0;

	json_object_set_new(o, "schema", json_string(schema));
	rc |= json_object_update(o, facts);
	for (unsigned i = 0; i < n; i++)
		rc |= json_array_append_new(list, rep_json_facts(&items[i]));
	rc |= json_object_set(o, array, list);
	if (rc != 0)
		rc = err_run(err, "JSON: out of memory");
	else if (json_dumpf(o, out, JSON_INDENT(2)) != 0 || fputc('\n', out) == EOF ||
	         fflush(out) != 0)
		rc = err_run(err, "standard output: cannot be written");
	json_decref(facts);
	json_decref(list);
	json_decref(o);
	return rc;
}

#else

int rep_facts_json(const char *schema, const struct kv *head, const char *array,
                   const struct kv *items, unsigned n, FILE *out, struct err *err)
{
	(void)schema;
	(void)head;
	(void)array;
	(void)items;
	(void)n;
	(void)out;
	return err_usage(
	    err,
	    "--format=json: this build has no jansson; build with libjansson-dev, or use text");
}

#endif
