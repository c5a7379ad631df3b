/* SPDX-License-Identifier: MIT */
/*
 * sqlite_rewrite: statement text written for MySQL or PostgreSQL as SQLite reads it. For scripts
 * that know only those; it knows what benchmark scripts use, not their whole language. What it does
 * not know stays, and SQLite says what is wrong.
 */
#ifndef IOLTP_SQL_SQLITE_REWRITE_H
#define IOLTP_SQL_SQLITE_REWRITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

enum sqlite_pretend { PRETEND_NONE, PRETEND_MYSQL, PRETEND_PGSQL };

enum sqlite_rewritten {
	REWRITE_SAME,   /* use the text as it is */
	REWRITE_TEXT,   /* use `out`; may be several statements */
	REWRITE_NOTHING /* a statement without a meaning for SQLite: do nothing, successfully */
};

/* `out` is emptied first; check out->failed. PRETEND_NONE is always REWRITE_SAME. */
enum sqlite_rewritten sqlite_rewrite(enum sqlite_pretend pretend, const char *text, size_t len,
                                     struct strbuf *out);

/* sqlite_rewrite_table.c: a CREATE TABLE without comments and foreign quotes, appended to `out`. */
void sqlite_rewrite_table(const char *text, size_t len, struct strbuf *out);

#endif
