/* SPDX-License-Identifier: MIT */
/* JSON as the marker needs it: a strict reader of small documents, and texts as JSON writes them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db_priv.h"

/* Deeper than any marker; a bound on the recursion. */
#define DEPTH_MAX 8u

struct reader {
	const char *at;
	unsigned depth;
};

static int value(struct reader *r, struct tree *t);

static void blanks(struct reader *r)
{
	r->at += strspn(r->at, " \t\r\n");
}

static bool take(struct reader *r, char c)
{
	blanks(r);
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

/* \uXXXX of the characters that db_json_text writes so: control characters. */
static int escape(struct reader *r, struct strbuf *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *found;
	unsigned code;
	int used = 0;

	if (*r->at == 'u') {
		if (sscanf(r->at + 1, "%4x%n", &code, &used) != 1 || used != 4 || code == 0 ||
		    code > 0x7f)
			return -EINVAL;
		strbuf_addc(out, (char)code);
		r->at += 5;
		return 0;
	}
	found = *r->at != '\0' ? strchr(from, *r->at) : NULL;
	if (found == NULL)
		return -EINVAL;
	strbuf_addc(out, to[found - from]);
	r->at++;
	return 0;
}

static int text(struct reader *r, char **to)
{
	struct strbuf out = STRBUF_INIT;

	if (!take(r, '"'))
		return -EINVAL;
	while (*r->at != '"') {
		if ((unsigned char)*r->at < 0x20)
			goto refuse;
		if (*r->at != '\\') {
			strbuf_addc(&out, *r->at++);
			continue;
		}
		r->at++;
		if (escape(r, &out) != 0)
			goto refuse;
	}
	r->at++;
	*to = strbuf_take(&out);
	return *to != NULL ? 0 : -ENOMEM;
refuse:
	strbuf_fini(&out);
	return -EINVAL;
}

static struct tree *add_item(struct tree *t)
{
	struct tree *grown = realloc(t->items, (t->nitems + 1) * sizeof(*grown));

	if (grown == NULL)
		return NULL;
	t->items = grown;
	grown[t->nitems] = (struct tree){0};
	return &grown[t->nitems++];
}

/* An array, or an object when `named`; the opening sign was read. */
static int table(struct reader *r, struct tree *t, bool named)
{
	const char end = named ? '}' : ']';

	t->kind = TREE_TABLE;
	if (r->depth++ == DEPTH_MAX)
		return -EINVAL;
	if (!take(r, end)) {
		do {
			struct tree *item = add_item(t);
			int rc = item == NULL ? -ENOMEM : 0;

			if (rc == 0 && named)
				rc = text(r, &item->key);
			if (rc == 0 && named && !take(r, ':'))
				rc = -EINVAL;
			if (rc == 0)
				rc = value(r, item);
			if (rc != 0)
				return rc;
		} while (take(r, ','));
		if (!take(r, end))
			return -EINVAL;
	}
	t->narray = named ? 0 : t->nitems;
	r->depth--;
	return 0;
}

static int word(struct reader *r, struct tree *t)
{
	char *end;

	if (strncmp(r->at, "true", 4) == 0 || strncmp(r->at, "false", 5) == 0) {
		t->kind = TREE_BOOL;
		t->b = *r->at == 't';
		r->at += t->b ? 4 : 5;
		return 0;
	}
	if (*r->at != '-' && (*r->at < '0' || *r->at > '9'))
		return -EINVAL;
	t->kind = TREE_NUMBER;
	t->number = strtod(r->at, &end);
	r->at = end;
	return 0;
}

static int value(struct reader *r, struct tree *t)
{
	blanks(r);
	if (take(r, '{'))
		return table(r, t, true);
	if (take(r, '['))
		return table(r, t, false);
	if (*r->at != '"')
		return word(r, t);
	t->kind = TREE_TEXT;
	return text(r, &t->text);
}

int db_json_parse(const char *source, struct tree *t)
{
	struct reader r = {.at = source};
	int rc;

	*t = (struct tree){0};
	rc = value(&r, t);
	blanks(&r);
	if (rc == 0 && *r.at == '\0')
		return 0;
	tree_fini(t);
	return rc != 0 ? rc : -EINVAL;
}

void db_json_text(struct strbuf *out, const char *source)
{
	strbuf_addc(out, '"');
	for (; *source != '\0'; source++) {
		if (*source == '"' || *source == '\\')
			strbuf_addf(out, "\\%c", *source);
		else if ((unsigned char)*source < 0x20)
			strbuf_addf(out, "\\u%04x", (unsigned)*source);
		else
			strbuf_addc(out, *source);
	}
	strbuf_addc(out, '"');
}
