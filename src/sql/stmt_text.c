/* SPDX-License-Identifier: MIT */
#include "sql/stmt_text.h"

#include <string.h>
#include <strings.h>

#include "sql/stmt_scan.h"

size_t scan_quoted(const char *text, size_t len, size_t at, char quote, bool backslash)
{
	/* The usual string has neither escapes nor doubled quotes. */
	const char *close = memchr(text + at, quote, len - at);

	if (close != NULL && (close + 1 == text + len || close[1] != quote) &&
	    (!backslash || memchr(text + at, '\\', (size_t)(close - text) - at) == NULL))
		return (size_t)(close - text) + 1;
	while (at < len) {
		const char c = text[at++];

		if (c == '\\' && backslash) {
			if (at < len)
				at++;
		} else if (c == quote) {
			if (at >= len || text[at] != quote)
				return at;
			at++;
		}
	}
	return len;
}

static size_t scan_line(const char *text, size_t len, size_t at)
{
	const char *end = memchr(text + at, '\n', len - at);

	return end == NULL ? len : (size_t)(end - text) + 1;
}

static size_t scan_block_comment(const char *text, size_t len, size_t at, bool nested)
{
	unsigned depth = 1;

	while (at + 1 < len) {
		if (text[at] == '*' && text[at + 1] == '/') {
			at += 2;
			if (--depth == 0)
				return at;
		} else if (nested && text[at] == '/' && text[at + 1] == '*') {
			at += 2;
			depth++;
		} else {
			at++;
		}
	}
	return len;
}

/* $tag$ .. $tag$; `at` stands on the first '$'. Returns `at` when it opens no quote. */
static size_t scan_dollar(const char *text, size_t len, size_t at)
{
	size_t end = at + 1, tag_len;
	const char *close;

	if (at > 0 && scan_is_word(text[at - 1]))
		return at; /* a '$' inside an identifier */
	if (end < len && scan_is_digit(text[end]))
		return at; /* $1: a parameter of PostgreSQL's own */
	while (end < len && scan_is_word(text[end]) && text[end] != '$')
		end++;
	if (end >= len || text[end] != '$')
		return at;
	tag_len = end + 1 - at;
	close = memmem(text + end + 1, len - end - 1, text + at, tag_len);
	return close == NULL ? len : (size_t)(close - text) + tag_len;
}

static bool is_escape_string(const char *text, size_t at)
{
	return at > 0 && (text[at - 1] == 'E' || text[at - 1] == 'e') &&
	       (at == 1 || !scan_is_word(text[at - 2]));
}

static size_t scan_dash(const char *text, size_t len, size_t at, enum sql_dialect dialect)
{
	if (at + 1 >= len || text[at + 1] != '-')
		return at;
	/* MySQL reads "5--3" as 5 - (-3): its comment needs a blank behind the dashes. */
	if (dialect == DIALECT_MYSQL && at + 2 < len && (unsigned char)text[at + 2] > ' ')
		return at;
	return scan_line(text, len, at);
}

static size_t scan_slash(const char *text, size_t len, size_t at, enum sql_dialect dialect)
{
	if (at + 1 >= len || text[at + 1] != '*')
		return at;
	/* MySQL runs what stands in a versioned comment: only its opening is passed over. */
	if (dialect == DIALECT_MYSQL && at + 2 < len && text[at + 2] == '!')
		return at + 3;
	return scan_block_comment(text, len, at + 2, dialect == DIALECT_PGSQL);
}

size_t scan_skip(const char *text, size_t len, size_t at, enum sql_dialect dialect)
{
	switch (text[at]) {
	case '\'':
		return scan_quoted(text, len, at + 1, '\'',
		                   dialect == DIALECT_MYSQL ||
		                       (dialect == DIALECT_PGSQL && is_escape_string(text, at)));
	case '"':
		return scan_quoted(text, len, at + 1, '"', dialect == DIALECT_MYSQL);
	case '`':
		return dialect == DIALECT_PGSQL ? at : scan_quoted(text, len, at + 1, '`', false);
	case '[':
		return dialect == DIALECT_SQLITE ? scan_quoted(text, len, at + 1, ']', false) : at;
	case '-':
		return scan_dash(text, len, at, dialect);
	case '#':
		return dialect == DIALECT_MYSQL ? scan_line(text, len, at) : at;
	case '/':
		return scan_slash(text, len, at, dialect);
	case '$':
		return dialect == DIALECT_PGSQL ? scan_dollar(text, len, at) : at;
	default:
		return at;
	}
}

bool scan_word_is(const char *word, size_t len, const char *keyword)
{
	return strlen(keyword) == len && strncasecmp(word, keyword, len) == 0;
}

/*
 * Passes blanks, comments of any dialect and opening parentheses; a versioned comment of MySQL is
 * entered. Returns where the first other byte stands.
 */
static size_t skip_lead(const char *text, size_t len, size_t at)
{
	while (at < len) {
		const char c = text[at];

		if (scan_is_blank(c) || c == '(' || c == ';') {
			at++;
		} else if (c == '#') {
			at = scan_line(text, len, at);
		} else if (c == '-' && at + 1 < len && text[at + 1] == '-') {
			at = scan_line(text, len, at);
		} else if (c == '/' && at + 2 < len && text[at + 1] == '*' && text[at + 2] == '!') {
			at += 3;
			while (at < len && scan_is_digit(text[at]))
				at++;
		} else if (c == '/' && at + 1 < len && text[at + 1] == '*') {
			at = scan_block_comment(text, len, at + 2, true);
		} else {
			break;
		}
	}
	return at;
}

/* The next word at or after *at, blanks and comments passed; length 0 when there is none. Moves *at
 * behind it. */
static size_t next_word(const char *text, size_t len, size_t *at, const char **word)
{
	size_t start = skip_lead(text, len, *at), end = start;

	while (end < len && scan_is_word(text[end]))
		end++;
	*word = text + start;
	*at = end;
	return end - start;
}

static const char *const read_words[] = {"SELECT", "VALUES", "TABLE", "SHOW", NULL};
static const char *const write_words[] = {"INSERT", "UPDATE", "DELETE", "REPLACE",
                                          "MERGE",  "COPY",   "LOAD",   NULL};

static bool in_list(const char *word, size_t len, const char *const *list)
{
	for (; *list != NULL; list++)
		if (scan_word_is(word, len, *list))
			return true;
	return false;
}

/*
 * WITH a AS (...) VERB: the verb is the first known one outside parentheses. A writing verb right
 * behind a parenthesis (PostgreSQL's data-modifying WITH) makes it a write all the same.
 */
static enum sql_class class_of_with(const char *text, size_t len, size_t at)
{
	enum sql_class found = SQL_OTHER;
	unsigned depth = 0;
	bool opened = false;

	while (at < len) {
		size_t end = scan_skip(text, len, at, DIALECT_PGSQL);

		if (end != at) {
			at = end;
			continue;
		}
		while (end < len && scan_is_word(text[end]))
			end++;
		if (end == at) {
			if (text[at] == '(')
				depth++;
			else if (text[at] == ')' && depth > 0)
				depth--;
			if (!scan_is_blank(text[at]))
				opened = text[at] == '(';
			at++;
			continue;
		}
		if ((opened || (depth == 0 && found == SQL_OTHER)) &&
		    in_list(text + at, end - at, write_words))
			return SQL_WRITE;
		if (depth == 0 && found == SQL_OTHER && in_list(text + at, end - at, read_words))
			found = SQL_READ;
		opened = false;
		at = end;
	}
	return found;
}

enum sql_class stmt_class(const char *text, size_t len)
{
	size_t at = 0, word_len;
	const char *word;

	word_len = next_word(text, len, &at, &word);
	if (in_list(word, word_len, read_words))
		return SQL_READ;
	if (in_list(word, word_len, write_words))
		return SQL_WRITE;
	if (scan_word_is(word, word_len, "WITH"))
		return class_of_with(text, len, at);
	return SQL_OTHER;
}

bool stmt_is_opaque(const char *text, size_t len)
{
	static const char *const words[] = {"CALL", "EXECUTE", NULL};
	size_t at = 0, word_len;
	const char *word;

	word_len = next_word(text, len, &at, &word);
	return in_list(word, word_len, words);
}

enum stmt_txn stmt_txn(const char *text, size_t len)
{
	size_t at = 0, word_len, next_len;
	const char *word, *next;
	enum stmt_txn what;

	word_len = next_word(text, len, &at, &word);
	/* The common statement is none of these: tell by its first letter. */
	if (word_len < 3 || strchr("BbSsCcEeRrAa", word[0]) == NULL)
		return STMT_PLAIN;
	if (scan_word_is(word, word_len, "BEGIN"))
		return STMT_BEGIN;
	if (scan_word_is(word, word_len, "COMMIT") || scan_word_is(word, word_len, "END"))
		what = STMT_COMMIT;
	else if (scan_word_is(word, word_len, "ROLLBACK") || scan_word_is(word, word_len, "ABORT"))
		what = STMT_ROLLBACK;
	else if (scan_word_is(word, word_len, "START"))
		what = STMT_BEGIN;
	else
		return STMT_PLAIN;

	next_len = next_word(text, len, &at, &next);
	if (what == STMT_BEGIN)
		return scan_word_is(next, next_len, "TRANSACTION") ? STMT_BEGIN : STMT_PLAIN;
	if (scan_word_is(next, next_len, "WORK") || scan_word_is(next, next_len, "TRANSACTION"))
		next_len = next_word(text, len, &at, &next);
	/* To a savepoint, or of a prepared transaction: this one stays as it is. */
	if (scan_word_is(next, next_len, "TO") || scan_word_is(next, next_len, "PREPARED"))
		return STMT_PLAIN;
	return what;
}

/* First words of what is neither read nor write and leaves no data behind. */
static const char *const idle_words[] = {
    "BEGIN",      "START",    "ROLLBACK", "ABORT",      "SET",       "RESET",   "USE",    "EXPLAIN",
    "DESC",       "DESCRIBE", "PREPARE",  "DEALLOCATE", "SAVEPOINT", "RELEASE", "PRAGMA", "FLUSH",
    "CHECKPOINT", "LOCK",     "UNLOCK",   "DISCARD",    "VACUUM",    "ANALYZE", NULL};

/* Does this statement change data, as far as can be told by its words? */
static bool changes_data(const char *text, size_t len)
{
	const enum sql_class class = stmt_class(text, len);
	const char *word;
	size_t at = 0, word_len;

	if (class != SQL_OTHER)
		return class == SQL_WRITE;
	word_len = next_word(text, len, &at, &word);
	return word_len != 0 && !in_list(word, word_len, idle_words);
}

bool stmt_lasts(const char *text, size_t len, enum sql_dialect dialect, bool in_txn)
{
	for (size_t from = 0, at; from < len; from = at + 1) {
		enum stmt_txn what;

		for (at = from; at < len && text[at] != ';';) {
			const size_t end = scan_skip(text, len, at, dialect);

			at = end != at ? end : at + 1;
		}
		what = stmt_txn(text + from, at - from);
		if (what == STMT_COMMIT)
			return true;
		if (what == STMT_PLAIN && !in_txn && changes_data(text + from, at - from))
			return true;
		if (what != STMT_PLAIN)
			in_txn = what == STMT_BEGIN;
	}
	return false;
}

/* Where the next '?' mark at or after `at` stands, or len. */
static size_t next_mark(const char *text, size_t len, size_t at, enum sql_dialect dialect)
{
	while (at < len) {
		const size_t end = scan_skip(text, len, at, dialect);

		if (end != at)
			at = end;
		else if (text[at] == '?')
			return at;
		else
			at++;
	}
	return len;
}

unsigned stmt_count_marks(const char *text, size_t len, enum sql_dialect dialect)
{
	size_t at = next_mark(text, len, 0, dialect);
	unsigned n = 0;

	for (; at < len; at = next_mark(text, len, at + 1, dialect))
		n++;
	return n;
}

void stmt_replace_marks(const char *text, size_t len, enum sql_dialect dialect,
                        void (*mark)(void *ctx, unsigned index, struct strbuf *out), void *ctx,
                        struct strbuf *out)
{
	size_t from = 0, at = next_mark(text, len, 0, dialect);
	unsigned index = 0;

	while (at < len) {
		strbuf_add(out, text + from, at - from);
		mark(ctx, index++, out);
		from = at + 1;
		at = next_mark(text, len, from, dialect);
	}
	strbuf_add(out, text + from, len - from);
}
