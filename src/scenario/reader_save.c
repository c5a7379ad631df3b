/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "scenario/reader.h"

#define LINE_WIDTH 100u /* columns; a table that fits is written on one line */
#define TAB_WIDTH  8u

static bool is_reserved(const char *word)
{
	static const char *const words[] = {
	    "and",      "break",  "do",   "else", "elseif", "end",   "false", "for",
	    "function", "goto",   "if",   "in",   "local",  "nil",   "not",   "or",
	    "repeat",   "return", "then", "true", "until",  "while",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(word, words[i]) == 0)
			return true;
	}
	return false;
}

static bool is_name(const char *key)
{
	if (!isalpha((unsigned char)key[0]) && key[0] != '_')
		return false;
	for (const char *c = key; *c != '\0'; c++) {
		if (!isalnum((unsigned char)*c) && *c != '_')
			return false;
	}
	return !is_reserved(key);
}

static void put_text(struct strbuf *sb, const char *text)
{
	strbuf_addc(sb, '"');
	for (const char *c = text; *c != '\0'; c++) {
		if (*c == '"' || *c == '\\')
			strbuf_addf(sb, "\\%c", *c);
		else if (*c == '\n')
			strbuf_adds(sb, "\\n");
		else if ((unsigned char)*c < ' ' || *c == 0x7f)
			strbuf_addf(sb, "\\%03u", (unsigned char)*c);
		else
			strbuf_addc(sb, *c);
	}
	strbuf_addc(sb, '"');
}

/* The shortest text that reads back to the same number. */
static void put_number(struct strbuf *sb, double number)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	strbuf_adds(sb, text);
}

static void put_key(struct strbuf *sb, const char *key)
{
	if (key == NULL)
		return;
	if (is_name(key)) {
		strbuf_adds(sb, key);
	} else {
		strbuf_addc(sb, '[');
		put_text(sb, key);
		strbuf_addc(sb, ']');
	}
	strbuf_adds(sb, " = ");
}

static int put_value(struct strbuf *sb, const struct tree *t, unsigned depth);

static int put_items(struct strbuf *sb, const struct tree *t, unsigned depth, bool one_line)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < t->nitems; i++) {
		if (one_line) {
			strbuf_adds(sb, i == 0 ? " " : ", ");
		} else {
			strbuf_addc(sb, '\n');
			for (unsigned k = 0; k <= depth; k++)
				strbuf_addc(sb, '\t');
		}
		put_key(sb, t->items[i].key);
		rc = put_value(sb, &t->items[i], depth + 1);
		if (!one_line)
			strbuf_addc(sb, ',');
	}
	return rc;
}

static bool holds_tables(const struct tree *t)
{
	for (size_t i = 0; i < t->nitems; i++) {
		if (t->items[i].kind == TREE_TABLE)
			return true;
	}
	return false;
}

static int put_table(struct strbuf *sb, const struct tree *t, unsigned depth)
{
	struct strbuf line = STRBUF_INIT;
	bool fits;
	int rc;

	if (!holds_tables(t) && depth != 0) {
		rc = put_items(&line, t, depth, true);
		fits = !line.failed && depth * TAB_WIDTH + line.len + 32 < LINE_WIDTH;
		if (rc != 0 || fits) {
			strbuf_addf(sb, "{%s%s}", strbuf_str(&line), line.len != 0 ? " " : "");
			strbuf_fini(&line);
			return rc;
		}
		strbuf_fini(&line);
	}
	strbuf_addc(sb, '{');
	rc = put_items(sb, t, depth, false);
	strbuf_addc(sb, '\n');
	for (unsigned k = 0; k < depth; k++)
		strbuf_addc(sb, '\t');
	strbuf_addc(sb, '}');
	return rc;
}

static int put_value(struct strbuf *sb, const struct tree *t, unsigned depth)
{
	switch (t->kind) {
	case TREE_BOOL:
		strbuf_adds(sb, t->b ? "true" : "false");
		return 0;
	case TREE_NUMBER:
		put_number(sb, t->number);
		return isfinite(t->number) ? 0 : -EINVAL;
	case TREE_TEXT:
		put_text(sb, t->text);
		return 0;
	case TREE_TABLE:
		return put_table(sb, t, depth);
	default:
		return -EINVAL;
	}
}

static void put_comment(struct strbuf *sb, const char *comment)
{
	while (comment != NULL && *comment != '\0') {
		size_t n = strcspn(comment, "\n");

		strbuf_adds(sb, n != 0 ? "-- " : "--");
		strbuf_add(sb, comment, n);
		strbuf_addc(sb, '\n');
		comment += n + (comment[n] == '\n');
	}
}

/* Whole or not at all. -errno. */
static int write_file(const char *path, const struct strbuf *sb)
{
	char part[4096 + 8];
	FILE *f;
	int rc = 0;

	if ((size_t)snprintf(part, sizeof(part), "%s.part", path) >= sizeof(part))
		return -ENAMETOOLONG;
	f = fopen(part, "we");
	if (f == NULL)
		return -errno;
	if (fwrite(sb->text, 1, sb->len, f) != sb->len || fflush(f) != 0)
		rc = -errno;
	if (fclose(f) != 0 && rc == 0)
		rc = -errno;
	if (rc == 0 && rename(part, path) != 0)
		rc = -errno;
	if (rc != 0)
		unlink(part);
	return rc;
}

int reader_save(const struct tree *t, const char *path, const char *comment, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	int rc;

	if (t->kind != TREE_TABLE)
		return err_usage(err, "%s: what is to be written is not a table", path);
	put_comment(&sb, comment);
	strbuf_adds(&sb, "return ");
	rc = put_table(&sb, t, 0);
	strbuf_addc(&sb, '\n');
	if (rc != 0) {
		rc = err_usage(err,
		               "%s: a number that is not finite, or a value without a kind, "
		               "cannot be written",
		               path);
	} else {
		rc = sb.failed ? -ENOMEM : write_file(path, &sb);
		if (rc != 0)
			rc = err_run(err,
			             "%s: cannot be written: %s; check the folder and its space",
			             path, strerror(-rc));
	}
	strbuf_fini(&sb);
	return rc;
}
