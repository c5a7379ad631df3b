/* SPDX-License-Identifier: MIT */
/* stmt_scan: the steps that readers of statement text share. For stmt_*.c and sqlite_rewrite.c. */
#ifndef IOLTP_SQL_STMT_SCAN_H
#define IOLTP_SQL_STMT_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "sql/stmt_text.h"

static inline bool scan_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Bytes of identifiers and keywords; all of UTF-8 beyond ASCII counts. */
static inline bool scan_is_word(char c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || scan_is_digit(c) || c == '_' ||
	       c == '$' || (c & 0x80) != 0;
}

static inline bool scan_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Behind the closing `quote` of what opened before `at`; a doubled quote is part of it. len when it
 * never closes. */
size_t scan_quoted(const char *text, size_t len, size_t at, char quote, bool backslash);

/* Behind the quoted text or comment that starts at `at` < len, or `at` when none does. */
size_t scan_skip(const char *text, size_t len, size_t at, enum sql_dialect dialect);

/* Compares a word with a keyword, any case. */
bool scan_word_is(const char *word, size_t len, const char *keyword);

#endif
