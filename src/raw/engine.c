/* SPDX-License-Identifier: MIT */
#include "raw/engine.h"

#include <string.h>

static const struct engine_ops *const engines[] = {
#ifdef HAVE_LIBURING
    &engine_uring, &engine_uring_cmd,
#endif
    &engine_sync,  &engine_null,      NULL,
};

const struct engine_ops *const *engine_all(void)
{
	return engines;
}

const struct engine_ops *engine_find(const char *name, struct err *err)
{
	struct strbuf names = STRBUF_INIT;

	for (unsigned i = 0; engines[i] != NULL; i++) {
		if (strcmp(engines[i]->name, name) == 0)
			return engines[i];
	}
	for (unsigned i = 0; engines[i] != NULL; i++)
		strbuf_addf(&names, "%s%s", i != 0 ? ", " : "", engines[i]->name);
	err_usage(err, "--engine=%s: no such engine in this ioltp; use one of %s", name,
	          strbuf_str(&names));
	strbuf_fini(&names);
	return NULL;
}

bool engine_valid(const struct engine_ops *ops)
{
	return ops->name != NULL && ops->help != NULL && ops->open != NULL && ops->close != NULL &&
	       ops->queue != NULL && ops->submit != NULL && ops->reap != NULL &&
	       ops->describe != NULL;
}
