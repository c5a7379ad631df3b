/* SPDX-License-Identifier: MIT */
/* profiles: raw profiles by name, from the bundled folder, or from a file of the user's. */
#ifndef IOLTP_CLI_PROFILES_H
#define IOLTP_CLI_PROFILES_H

#include <stdio.h>

#include "base/err.h"
#include "base/tree.h"
#include "raw/profile.h"

/*
 * `name` is a path (it has a '/' or ends in ".lua"), or the name of a bundled one, '-' and '_'
 * alike. -EINVAL with `err`, which names the nearest bundled one.
 */
int profiles_load(struct raw_profile *p, const char *name, struct err *err);
/* All bundled ones, a line each: name, title, and "modelled" where it is. 0 or -errno with `err`.
 */
int profiles_list(FILE *out, struct err *err);
/* The bundled scenarios alike. */
int profiles_list_scenarios(FILE *out, struct err *err);

/*
 * The file of a bundled table: FOLDER/NAME.lua of the scenarios (`folder` is "." or "raw"), or the
 * path itself. The caller frees *path. -EINVAL with `err` that calls it a `what`.
 */
int profiles_find(char **path, const char *folder, const char *name, const char *what,
                  struct err *err);

#endif
