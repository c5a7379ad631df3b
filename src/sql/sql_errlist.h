/* SPDX-License-Identifier: MIT */
/* sql_errlist: a set of errors, named by the engine's number, by SQLSTATE or as "all". Read by any
 * thread once filled. */
#ifndef IOLTP_SQL_ERRLIST_H
#define IOLTP_SQL_ERRLIST_H

#include <stdbool.h>

struct sql_errlist; /* opaque */

struct sql_errlist *sql_errlist_new(void); /* NULL: out of memory */
void sql_errlist_free(struct sql_errlist *list);
/* Adds "1213", "40001" (matches as number and as SQLSTATE) or "all". 0, -EINVAL when it is none of
 * these, -ENOMEM. */
int sql_errlist_add(struct sql_errlist *list, const char *item);
/* A NULL list is empty; `state` may be NULL. */
bool sql_errlist_has(const struct sql_errlist *list, int code, const char *state);

#endif
