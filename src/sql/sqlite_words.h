/* SPDX-License-Identifier: MIT */
/* sqlite_words: reading statement text word by word. For sqlite_rewrite*.c. */
#ifndef IOLTP_SQL_SQLITE_WORDS_H
#define IOLTP_SQL_SQLITE_WORDS_H

#include <string.h>
#include <strings.h>

#include "sql/stmt_scan.h"

/* A piece of text; quotes and comments are passed as SQLite has them. */
struct words {
	const char *text;
	size_t len, at;
};

/* Behind blanks and comments. */
static inline size_t words_blank(const struct words *w, size_t at)
{
	while (at < w->len) {
		size_t end = at;

		if (scan_is_blank(w->text[at]))
			end = at + 1;
		else if (w->text[at] == '-' || w->text[at] == '/')
			end = scan_skip(w->text, w->len, at, DIALECT_SQLITE);
		if (end == at)
			break;
		at = end;
	}
	return at;
}

/* Behind the word at `at`, or `at`. */
static inline size_t words_end(const struct words *w, size_t at)
{
	while (at < w->len && scan_is_word(w->text[at]))
		at++;
	return at;
}

/*
 * Takes the keywords, separated by one blank, if they come next; `at` then stands behind the last.
 * Nothing is taken otherwise.
 */
static inline bool words_take(struct words *w, const char *keywords)
{
	size_t at = w->at;

	while (*keywords != '\0') {
		const char *stop = strchr(keywords, ' ');
		const size_t len = stop != NULL ? (size_t)(stop - keywords) : strlen(keywords);
		const size_t begin = words_blank(w, at), end = words_end(w, begin);

		if (end - begin != len || strncasecmp(w->text + begin, keywords, len) != 0)
			return false;
		at = end;
		keywords += len + (stop != NULL ? 1 : 0);
	}
	w->at = at;
	return true;
}

/* Takes one byte that is no word, if it comes next. */
static inline bool words_take_char(struct words *w, char c)
{
	const size_t at = words_blank(w, w->at);

	if (at >= w->len || w->text[at] != c)
		return false;
	w->at = at + 1;
	return true;
}

/* Takes a name, quoted or not, with its schema. False: none comes. */
static inline bool words_take_name(struct words *w, const char **name, size_t *name_len)
{
	const size_t begin = words_blank(w, w->at);
	size_t at = begin;

	for (;;) {
		size_t end = words_end(w, at);

		if (end == at && at < w->len &&
		    (w->text[at] == '"' || w->text[at] == '`' || w->text[at] == '['))
			end = scan_skip(w->text, w->len, at, DIALECT_SQLITE);
		if (end == at)
			break;
		at = end;
		if (at >= w->len || w->text[at] != '.')
			break;
		at++;
	}
	*name = w->text + begin;
	*name_len = at - begin;
	w->at = at;
	return at > begin;
}

/* Takes "( ... )" if it comes next; the inside is given without its parentheses. */
static inline bool words_take_group(struct words *w, const char **inside, size_t *inside_len)
{
	size_t at = words_blank(w, w->at), begin;
	unsigned depth = 1;

	if (at >= w->len || w->text[at] != '(')
		return false;
	begin = ++at;
	while (at < w->len) {
		const size_t end = scan_skip(w->text, w->len, at, DIALECT_SQLITE);

		if (end != at) {
			at = end;
			continue;
		}
		if (w->text[at] == '(')
			depth++;
		else if (w->text[at] == ')' && --depth == 0)
			break;
		at++;
	}
	if (at >= w->len)
		return false;
	*inside = w->text + begin;
	*inside_len = at - begin;
	w->at = at + 1;
	return true;
}

#endif
