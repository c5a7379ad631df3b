/* SPDX-License-Identifier: MIT */
/*
 * rep_json_twin: the document of `ioltp twin`, docs/twin.schema.json: what was distilled from what,
 * and its replays, each with the whole result document of its run.
 */
#ifndef IOLTP_REPORT_REP_JSON_TWIN_H
#define IOLTP_REPORT_REP_JSON_TWIN_H

#include <stdbool.h>

#include "base/err.h"

#define TWIN_SCHEMA "ioltp-twin-1"

struct twin_replay {
	const char *name;   /* pace, capability, saturation, trace */
	const char *unit;   /* io, transaction */
	unsigned oio;       /* outstanding I/Os, or clients */
	double rate_per_s;  /* 0: closed loop */
	const char *result; /* file with the JSON document of its run */
};

struct twin_document {
	const char *version; /* of ioltp */
	const char *app;     /* file of the application's result */
	const char *trace, *profile;
	const char *target; /* NULL: none */
	bool partial;       /* replays are missing, or were cut short */
	const struct twin_replay *replays;
	unsigned nreplays;
	const char *const *warnings;
	unsigned nwarnings;
};

/*
 * Writes it to a file, which is replaced in one step. 0, or -errno with `err` that names the file;
 * -ENOTSUP with `err`: built without jansson.
 */
int rep_json_twin(const struct twin_document *d, const char *path, struct err *err);

#endif
