/* SPDX-License-Identifier: MIT */
/* Values of JSON that come from elsewhere: texts of any bytes, numbers that may be none, facts and
 * options. */
#include "report/rep_json.h"

#ifdef HAVE_JANSSON

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/figures.h"

json_t *rep_json_text(const char *text)
{
	json_t *value;
	size_t len;
	char *clean;

	if (text == NULL)
		return json_null();
	value = json_string(text);
	if (value != NULL)
		return value;
	/* Not UTF-8: a database's or a script's bytes. */
	len = strlen(text);
	clean = malloc(4 * len + 1);
	if (clean == NULL)
		return NULL;
	value = json_string(figures_label(clean, text, (unsigned)len));
	free(clean);
	return value;
}

json_t *rep_json_real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

json_t *rep_json_facts(const struct kv *kv)
{
	json_t *o = json_object();

	for (unsigned i = 0; i < kv->n; i++) {
		const struct kv_item *item = &kv->items[i];
		json_t *value = NULL;

		switch (item->type) {
		case KV_TEXT:
			value = rep_json_text(item->text);
			break;
		case KV_INT:
			value = json_integer(item->i);
			break;
		case KV_DOUBLE:
			value = rep_json_real(item->d);
			break;
		case KV_BOOL:
			value = json_boolean(item->i != 0);
			break;
		}
		json_object_set_new(o, item->key, value);
	}
	return o;
}

struct option_sink {
	const struct opt_set *set;
	json_t *object;
};

static json_t *list_value(const struct opt_set *set, const struct opt_desc *desc)
{
	const char *const *items = NULL;
	unsigned n = opt_list(set, desc->name, &items);
	json_t *a = json_array();

	for (unsigned i = 0; i < n; i++)
		json_array_append_new(a, (desc->flags & OPT_SECRET) != 0 ? json_string("***")
		                                                         : rep_json_text(items[i]));
	return a;
}

/* `value` is the text in force, "***" for a secret. */
static json_t *option_value(const struct opt_set *set, const struct opt_desc *desc,
                            const char *value)
{
	if (desc->type == OPT_LIST)
		return list_value(set, desc);
	if (value == NULL)
		return json_null();
	if ((desc->flags & OPT_SECRET) != 0)
		return json_string("***");
	switch (desc->type) {
	case OPT_BOOL:
		return json_boolean(opt_bool(set, desc->name));
	case OPT_INT:
		return json_integer(opt_int(set, desc->name));
	case OPT_SIZE:
		return json_integer((json_int_t)opt_size_bytes(set, desc->name));
	case OPT_TIME:
		return rep_json_real((double)opt_time_ns(set, desc->name) / 1e9);
	case OPT_DOUBLE:
		return rep_json_real(opt_double(set, desc->name));
	case OPT_STRING:
	case OPT_ENUM:
	case OPT_FILE:
	case OPT_LIST:
		break;
	}
	return rep_json_text(value);
}

static void add_option(void *ctx, const struct opt_desc *desc, const char *value, bool given)
{
	struct option_sink *sink = ctx;
	const char *shown = opt_shown(desc->name);
	char key[128];

	(void)given;
	/* What a script has declared under a name of ours. */
	snprintf(key, sizeof(key), "%s%s", shown != desc->name ? "script." : "", shown);
	json_object_set_new(sink->object, key, option_value(sink->set, desc, value));
}

json_t *rep_json_options(const struct opt_set *set)
{
	struct option_sink sink = {set, json_object()};

	if (set != NULL && sink.object != NULL)
		opt_each(set, add_option, &sink);
	return sink.object;
}

#else

typedef int rep_json_facts_needs_jansson;

#endif
