/* SPDX-License-Identifier: MIT */
/* stmt_scan: the steps that readers of statement text share. For stmt_*.c and sqlite_rewrite.c. */
#ifndef IOLTP_SQL_STMT_SCAN_H
#define IOLTP_SQL_STMT_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "sql/stmt_text.h"

enum { SCAN_WORD = 1, SCAN_DIGIT = 2, SCAN_BLANK = 4, SCAN_BREAK = 8 };

/* By byte, as this is done for every byte of every statement text. */
static const unsigned char scan_class[256] = {
    ['a' ... 'z'] = SCAN_WORD,
    ['A' ... 'Z'] = SCAN_WORD,
    ['0' ... '9'] = SCAN_WORD | SCAN_DIGIT,
    ['_'] = SCAN_WORD,
    ['$'] = SCAN_WORD,
    [0x80 ... 0xFF] = SCAN_WORD,
    [' '] = SCAN_BLANK,
    ['\t' ... '\r'] = SCAN_BLANK,
    ['-'] = SCAN_BREAK, /* may start a comment */
    ['/'] = SCAN_BREAK,
    ['#'] = SCAN_BREAK,
};

static inline bool scan_is_digit(char c)
{
	return (scan_class[(unsigned char)c] & SCAN_DIGIT) != 0;
}

/* Bytes of identifiers and keywords; all of UTF-8 beyond ASCII counts. */
static inline bool scan_is_word(char c)
{
	return (scan_class[(unsigned char)c] & SCAN_WORD) != 0;
}

static inline bool scan_is_blank(char c)
{
	return (scan_class[(unsigned char)c] & SCAN_BLANK) != 0;
}

/* Behind the closing `quote` of what opened before `at`; a doubled quote is part of it. len when it
 * never closes. */
size_t scan_quoted(const char *text, size_t len, size_t at, char quote, bool backslash);

/* Behind the quoted text or comment that starts at `at` < len, or `at` when none does. */
size_t scan_skip(const char *text, size_t len, size_t at, enum sql_dialect dialect);

/* Compares a word with a keyword, any case. */
bool scan_word_is(const char *word, size_t len, const char *keyword);

#endif
