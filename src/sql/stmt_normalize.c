/* SPDX-License-Identifier: MIT */
/*
 * One pass over the text, output written as it goes. Where dialects differ there is no asking: a
 * backslash escapes, '#' starts a comment after a blank, and "..." is a literal unless it stands
 * where a name must.
 */
#include "sql/stmt_text.h"

#include <string.h>

#include "sql/stmt_scan.h"

enum { READ_MAX_BYTES = 2048 };

struct normal {
	const char *text;
	size_t len; /* bytes of text that are read */
	size_t at;
	char *out;
	size_t used, room; /* room excludes the NUL */
	bool blank;        /* a blank is due before the next token */
	bool cut;          /* the text goes on beyond len */
	/* The parenthesis last opened, while nothing but marks and commas stands in it. */
	bool list;
	bool list_of_one;      /* stands behind IN or VALUES: also a single mark is a list */
	unsigned marks;        /* in it; those beyond the first are not written yet */
	bool comma;            /* the last of its tokens was a comma, not written yet */
	size_t list_start;     /* offset in out of its '(' */
	size_t word, word_len; /* last word in out, when it was the last token */
	unsigned depth;
	bool values; /* the next group closed at values_depth is the first row of VALUES */
	unsigned values_depth;
};

static void emit(struct normal *n, const char *bytes, size_t len)
{
	if (n->blank && n->used > 0 && n->used < n->room)
		n->out[n->used++] = ' ';
	n->blank = false;
	if (len > n->room - n->used)
		len = n->room - n->used;
	memcpy(n->out + n->used, bytes, len);
	n->used += len;
}

/* Something else than marks stands in the list: what was held back is written. */
static void list_ends(struct normal *n)
{
	const bool blank = n->blank;

	if (!n->list)
		return;
	n->list = false;
	n->blank = false;
	for (unsigned i = 1; i < n->marks; i++)
		emit(n, ", ?", 3);
	if (n->comma)
		emit(n, ",", 1);
	n->comma = false;
	n->blank = blank;
}

static bool last_word_is(const struct normal *n, const char *keyword)
{
	return n->word_len != 0 && scan_word_is(n->out + n->word, n->word_len, keyword);
}

static bool last_word_in(const struct normal *n, const char *const *keywords)
{
	if (n->word_len == 0)
		return false;
	for (; *keywords != NULL; keywords++)
		if (scan_word_is(n->out + n->word, n->word_len, *keywords))
			return true;
	return false;
}

static void mark(struct normal *n)
{
	n->comma = false;
	if (n->list && n->marks++ > 0) {
		n->blank = false;
		return;
	}
	emit(n, "?", 1);
	n->word_len = 0;
}

/* A sign right before a number is part of it where a binary operator could not stand. */
static bool sign_is_unary(const struct normal *n)
{
	static const char *const before[] = {
	    "SELECT", "WHERE", "AND",  "OR",  "BETWEEN", "THEN", "ELSE",      "WHEN",     "LIMIT",
	    "OFFSET", "LIKE",  "CASE", "NOT", "SET",     "BY",   "RETURNING", "DISTINCT", NULL};

	if (n->word_len != 0)
		return last_word_in(n, before);
	return n->used == 0 || n->comma || strchr("(,=<>+-*/%|&", n->out[n->used - 1]) != NULL;
}

static bool number_follows(const struct normal *n, size_t at)
{
	return at < n->len &&
	       (scan_is_digit(n->text[at]) ||
	        (n->text[at] == '.' && at + 1 < n->len && scan_is_digit(n->text[at + 1])));
}

static void number(struct normal *n)
{
	size_t at = n->at;

	while (at < n->len) {
		const char c = n->text[at];

		if (scan_is_word(c) || c == '.')
			at++;
		else if ((c == '-' || c == '+') && (n->text[at - 1] | 0x20) == 'e' &&
		         scan_is_digit(n->text[n->at]) && number_follows(n, at + 1))
			at++; /* 1e-5 */
		else
			break;
	}
	n->at = at;
	mark(n);
}

/* "..." is a name next to a dot and behind words that a table follows. */
static bool quoted_is_name(const struct normal *n, size_t end)
{
	static const char *const before[] = {"FROM",  "INTO",   "UPDATE", "JOIN",
	                                     "TABLE", "EXISTS", "ON",     NULL};

	if (end < n->len && n->text[end] == '.')
		return true;
	if (n->used > 0 && n->out[n->used - 1] == '.' && !n->blank)
		return true;
	return last_word_in(n, before);
}

static void quoted(struct normal *n, char quote)
{
	const size_t end = scan_quoted(n->text, n->len, n->at + 1, quote, quote != '`');

	if (quote == '`' || (quote == '"' && quoted_is_name(n, end))) {
		list_ends(n);
		emit(n, n->text + n->at, end - n->at);
		n->word_len = 0;
	} else {
		/* x'00', N'a', E'a': the letter belongs to the literal. */
		if (n->word_len == 1 && !n->blank &&
		    strchr("xXnNeEbB", n->out[n->used - 1]) != NULL) {
			n->used--;
			n->blank = n->used > 0 && n->out[n->used - 1] == ' ';
			n->used -= n->blank ? 1 : 0;
		}
		mark(n);
	}
	n->at = end;
}

/* How much of a table's name to keep: tables that differ by a number at the end are alike. */
static size_t table_stem(const char *name, size_t len)
{
	size_t stem = len;

	while (stem > 0 && scan_is_digit(name[stem - 1]))
		stem--;
	return stem > 0 ? stem : len;
}

static void word(struct normal *n)
{
	static const char *const before[] = {"FROM", "INTO", "UPDATE", "JOIN", "TABLE", NULL};
	const char *text = n->text;
	char *out = n->out;
	size_t at = n->at, used, stop;

	if (n->list)
		list_ends(n);
	if (n->blank && n->used > 0 && n->used < n->room)
		out[n->used++] = ' ';
	n->blank = false;
	used = n->used;
	/* Copied while it is looked for: words are short. */
	stop = n->len - at <= n->room - used ? n->len : at + (n->room - used);
	while (at < stop && scan_is_word(text[at]))
		out[used++] = text[at++];
	if (scan_is_digit(text[at - 1]) && last_word_in(n, before)) {
		const size_t stem = table_stem(out + n->used, used - n->used);

		if (stem < used - n->used) {
			used = n->used + stem;
			out[used++] = '#';
		}
	}
	n->word = n->used;
	n->word_len = used - n->used;
	n->used = used;
	n->at = at;
	if (n->word_len == 6 && last_word_is(n, "VALUES")) {
		n->values = true;
		n->values_depth = n->depth;
	}
}

/* Behind the blanks and comments at `at`. */
static size_t pass_blanks(const struct normal *n, size_t at)
{
	while (at < n->len) {
		const char c = n->text[at];
		size_t end = at;

		if ((scan_class[(unsigned char)c] & (SCAN_BLANK | SCAN_BREAK)) == 0)
			break;
		if (scan_is_blank(c)) {
			at++;
			continue;
		}
		if (c == '/' || (c == '-' && !number_follows(n, at + 2)))
			end = scan_skip(n->text, n->len, at, DIALECT_SQLITE);
		else if (c == '#' && (at == 0 || scan_is_blank(n->text[at - 1])))
			end = scan_skip(n->text, n->len, at, DIALECT_MYSQL);
		if (end == at)
			break;
		at = end;
	}
	return at;
}

/* Behind the group that opens at `at`, strings in it respected. */
static size_t pass_group(const struct normal *n, size_t at)
{
	unsigned depth = 0;

	while (at < n->len) {
		const char c = n->text[at];

		if (c == '\'' || c == '"') {
			at = scan_quoted(n->text, n->len, at + 1, c, true);
			continue;
		}
		at++;
		if (c == '(')
			depth++;
		else if (c == ')' && --depth == 0)
			break;
	}
	return at;
}

/* Behind the first row of VALUES: passes ", (..)" as often as it comes. */
static void drop_rows(struct normal *n)
{
	for (;;) {
		size_t at = pass_blanks(n, n->at);

		if (at >= n->len || n->text[at] != ',')
			return;
		at = pass_blanks(n, at + 1);
		if (at < n->len && n->text[at] != '(')
			return;
		n->at = pass_group(n, at);
	}
}

static void open_group(struct normal *n)
{
	list_ends(n);
	n->list_of_one = last_word_is(n, "IN") || last_word_is(n, "VALUES");
	emit(n, "(", 1);
	n->list = true;
	n->marks = 0;
	n->list_start = n->used - (n->used > 0 ? 1 : 0);
	n->word_len = 0;
	n->depth++;
	n->at++;
}

static void fold_list(struct normal *n)
{
	n->used = n->list_start;
	n->blank = false;
	n->comma = false;
	n->list = false;
	emit(n, "(...", 4);
}

static void close_group(struct normal *n)
{
	if (n->list && (n->marks > 1 || (n->marks == 1 && n->list_of_one)))
		fold_list(n);
	list_ends(n);
	emit(n, ")", 1);
	n->word_len = 0;
	n->at++;
	if (n->depth > 0)
		n->depth--;
	if (n->values && n->depth == n->values_depth) {
		n->values = false;
		drop_rows(n);
	}
}

static void other(struct normal *n, char c)
{
	if (c == ',' && n->list && n->marks > 0) {
		n->at++; /* written with the marks, if at all */
		n->comma = true;
		n->blank = false;
		return;
	}
	if ((c == '-' || c == '+') && number_follows(n, n->at + 1) && sign_is_unary(n)) {
		n->at++;
		number(n);
		return;
	}
	list_ends(n);
	emit(n, &c, 1);
	n->word_len = 0;
	n->at++;
}

static void token(struct normal *n)
{
	const char c = n->text[n->at];

	if ((scan_class[(unsigned char)c] & (SCAN_WORD | SCAN_DIGIT)) == SCAN_WORD) {
		word(n);
	} else if (c == '?') {
		n->at++;
		while (n->at < n->len && scan_is_digit(n->text[n->at]))
			n->at++;
		mark(n);
	} else if (scan_is_digit(c) || (c == '.' && number_follows(n, n->at) && n->word_len == 0)) {
		number(n);
	} else if (c == '\'' || c == '"' || c == '`') {
		quoted(n, c);
	} else if (c == '(') {
		open_group(n);
	} else if (c == ')') {
		close_group(n);
	} else {
		other(n, c);
	}
}

size_t stmt_normalize(const char *text, size_t len, char *out, size_t room)
{
	struct normal n = {.text = text, .len = len, .out = out, .room = room - 1};

	if (room == 0)
		return 0;
	if (len > READ_MAX_BYTES) {
		n.len = READ_MAX_BYTES;
		n.cut = true;
	}
	for (;;) {
		if (n.at + 1 < n.len && text[n.at] == ' ' && scan_is_word(text[n.at + 1])) {
			n.blank = true; /* the usual case of the next one */
			n.at++;
		} else if (n.at < n.len && (scan_class[(unsigned char)text[n.at]] &
		                            (SCAN_BLANK | SCAN_BREAK)) != 0) {
			const size_t at = pass_blanks(&n, n.at);

			n.blank = n.blank || at != n.at;
			n.at = at;
		}
		if (n.at >= n.len || n.used >= n.room)
			break;
		token(&n);
	}
	if (n.list && n.cut && n.marks > 0 && n.used < n.room) {
		fold_list(&n); /* how far the reading came depends on the literals */
		emit(&n, ")", 1);
	}
	list_ends(&n);
	while (n.used > 0 && (out[n.used - 1] == ';' || out[n.used - 1] == ' '))
		n.used--;
	out[n.used] = '\0';
	return n.used;
}
