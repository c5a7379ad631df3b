/* SPDX-License-Identifier: MIT */
#include "sql/sqlite_rewrite.h"

#include <string.h>
#include <strings.h>

#include "sql/sqlite_words.h"
#include "sql/stmt_scan.h"

enum { MYSQL = 1 << PRETEND_MYSQL, PGSQL = 1 << PRETEND_PGSQL, BOTH = MYSQL | PGSQL };

/* ---- statements that mean nothing here ---- */

static bool means_nothing(enum sqlite_pretend pretend, struct words w)
{
	static const struct {
		unsigned of;
		const char *words;
	} nothing[] = {
	    {BOTH, "SET"},
	    {BOTH, "ANALYZE"},
	    {BOTH, "LOCK"},
	    {MYSQL, "UNLOCK TABLES"},
	    {MYSQL, "FLUSH"},
	    {MYSQL, "OPTIMIZE"},
	    {MYSQL, "USE"},
	    {BOTH, "CREATE DATABASE"},
	    {BOTH, "CREATE SCHEMA"},
	    {PGSQL, "CREATE EXTENSION"},
	    {PGSQL, "CREATE SEQUENCE"},
	    {PGSQL, "DROP SEQUENCE"},
	    {PGSQL, "ALTER SEQUENCE"},
	    {PGSQL, "VACUUM"}, /* of a table; all of SQLite's would be rewritten */
	    {PGSQL, "CHECKPOINT"},
	    {PGSQL, "COMMENT ON"},
	};

	for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++)
		if ((nothing[i].of & 1u << pretend) != 0 && words_take(&w, nothing[i].words))
			return true;
	return false;
}

/* ---- the first pass: quotes, comments and phrases ---- */

struct pass {
	struct words w;
	enum sqlite_pretend pretend;
	struct strbuf *out;
	bool changed;
	bool upsert;      /* behind ON DUPLICATE KEY UPDATE */
	bool zero_counts; /* a row that begins with 0 asks for the next number */
	unsigned depth;   /* of parentheses */
};

/* What stands between quotes, as a literal. `backslash`: C-like escapes. */
static void add_literal(struct strbuf *out, const char *text, size_t len, char quote,
                        bool backslash)
{
	static const char escapes[] = "n\nt\tr\rb\b";

	strbuf_addc(out, '\'');
	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (c == '\\' && backslash && i + 1 < len) {
			const char *known = strchr(escapes, text[++i]);

			c = text[i];
			if (known != NULL && (known - escapes) % 2 == 0 && c != '\0')
				c = known[1];
			else if (c == '%' || c == '_') /* kept for LIKE */
				strbuf_addc(out, '\\');
		} else if (c == quote && i + 1 < len && text[i + 1] == quote) {
			i++;
		}
		if (c == '\'')
			strbuf_addc(out, '\'');
		strbuf_addc(out, c);
	}
	strbuf_addc(out, '\'');
}

/* The string whose opening quote stands at `at`. False: it never closes, and SQLite shall say so.
 */
static bool add_string(struct pass *p, size_t at, bool backslash)
{
	const char *text = p->w.text;
	const char quote = text[at];
	const size_t end = scan_quoted(text, p->w.len, at + 1, quote, backslash);

	if (end - at < 2 || text[end - 1] != quote)
		return false;
	if (at == p->w.at && quote == '\'' &&
	    (!backslash || memchr(text + at, '\\', end - at) == NULL)) {
		strbuf_add(p->out, text + at, end - at);
	} else {
		p->changed = true;
		add_literal(p->out, text + at + 1, end - at - 2, quote, backslash);
	}
	p->w.at = end;
	return true;
}

static bool pass_string(struct pass *p, char c)
{
	const bool mysql = p->pretend == PRETEND_MYSQL;
	const size_t at = p->w.at;

	if (c == '\'' || (c == '"' && mysql))
		return add_string(p, at, mysql);
	/* E'..' of PostgreSQL; at the start of a word, as the pass goes word by word */
	if ((c == 'e' || c == 'E') && !mysql && at + 1 < p->w.len && p->w.text[at + 1] == '\'')
		return add_string(p, at + 1, true);
	return false;
}

static bool pass_dollar(struct pass *p, char c)
{
	const char *text = p->w.text;
	const size_t at = p->w.at;
	size_t end, tag_len;

	if (c != '$' || p->pretend != PRETEND_PGSQL)
		return false;
	end = scan_skip(text, p->w.len, at, DIALECT_PGSQL);
	if (end == at)
		return false;
	tag_len =
	    (size_t)((const char *)memchr(text + at + 1, '$', end - at - 1) - (text + at)) + 1;
	if (end - at < 2 * tag_len || memcmp(text + end - tag_len, text + at, tag_len) != 0)
		return false; /* never closed */
	p->changed = true;
	add_literal(p->out, text + at + tag_len, end - at - 2 * tag_len, '\0', false);
	p->w.at = end;
	return true;
}

static bool pass_comment(struct pass *p, char c)
{
	const enum sql_dialect dialect =
	    p->pretend == PRETEND_MYSQL ? DIALECT_MYSQL : DIALECT_PGSQL;
	size_t end;

	if (c == '#' || c == '-')
		end = scan_skip(p->w.text, p->w.len, p->w.at, dialect);
	else if (c == '/') /* a versioned comment goes, too: it holds what only MySQL knows */
		end = scan_skip(p->w.text, p->w.len, p->w.at,
		                dialect == DIALECT_MYSQL ? DIALECT_SQLITE : dialect);
	else
		return false;
	if (end == p->w.at)
		return false;
	p->changed = true;
	strbuf_addc(p->out, ' ');
	p->w.at = end;
	return true;
}

/* x::type: SQLite's values have their own types. */
static bool pass_cast(struct pass *p, char c)
{
	struct words w = p->w;
	const char *inside;
	size_t len, end;

	if (c != ':' || p->pretend != PRETEND_PGSQL || w.at + 1 >= w.len || w.text[w.at + 1] != ':')
		return false;
	w.at = words_blank(&w, w.at + 2);
	end = words_end(&w, w.at);
	if (end == w.at)
		return false;
	w.at = end;
	words_take(&w, "PRECISION");
	words_take(&w, "VARYING");
	words_take_group(&w, &inside, &len);
	p->w.at = w.at;
	p->changed = true;
	return true;
}

static bool pass_phrase(struct pass *p)
{
	static const struct {
		unsigned of;
		const char *words;
		bool group; /* with "( ... )" behind, which goes, too */
		const char *instead;
	} phrases[] = {
	    {BOTH, "FOR UPDATE SKIP LOCKED", false, ""},
	    {BOTH, "FOR UPDATE NOWAIT", false, ""},
	    {BOTH, "FOR UPDATE", false, ""},
	    {PGSQL, "FOR NO KEY UPDATE", false, ""},
	    {BOTH, "FOR SHARE", false, ""},
	    {PGSQL, "FOR KEY SHARE", false, ""},
	    {MYSQL, "LOCK IN SHARE MODE", false, ""},
	    {MYSQL, "FORCE INDEX", true, ""},
	    {MYSQL, "FORCE KEY", true, ""},
	    {MYSQL, "USE INDEX", true, ""},
	    {MYSQL, "USE KEY", true, ""},
	    {MYSQL, "IGNORE INDEX", true, ""},
	    {MYSQL, "IGNORE KEY", true, ""},
	    {MYSQL, "INSERT IGNORE", false, "INSERT OR IGNORE"},
	    {MYSQL, "SQL_NO_CACHE", false, ""},
	    {MYSQL, "FROM DUAL", false, ""},
	    {BOTH, "NOW", true, "CURRENT_TIMESTAMP"},
	    {MYSQL, "ON DUPLICATE KEY UPDATE", false, "ON CONFLICT DO UPDATE SET"},
	    {PGSQL, "DEFAULT NEXTVAL", true, ""},
	    {PGSQL, "NEXTVAL", true, "NULL"}, /* a row identifier that SQLite then chooses */
	};
	const char *inside;
	size_t len;

	for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++) {
		struct words w = p->w;

		/* Most words are none of these: the first letter tells. */
		if ((phrases[i].words[0] | 0x20) != (w.text[w.at] | 0x20))
			continue;
		if ((phrases[i].of & 1u << p->pretend) == 0 || !words_take(&w, phrases[i].words) ||
		    (phrases[i].group && !words_take_group(&w, &inside, &len)))
			continue;
		if (strncmp(phrases[i].words, "ON DUP", 6) == 0)
			p->upsert = true;
		strbuf_adds(p->out, phrases[i].instead);
		p->w.at = w.at;
		p->changed = true;
		return true;
	}
	return false;
}

/* VALUES(a) behind ON DUPLICATE KEY UPDATE is what was to be inserted. */
static bool pass_upsert_value(struct pass *p)
{
	struct words w = p->w;
	const char *inside;
	size_t len;

	if (!p->upsert || !words_take(&w, "VALUES") || !words_take_group(&w, &inside, &len))
		return false;
	strbuf_adds(p->out, "excluded.");
	strbuf_add(p->out, inside, len);
	p->w.at = w.at;
	return true;
}

/*
 * INSERT INTO t (id, ...): scripts for MySQL give 0 for a column that numbers itself. The table is
 * not known here; the first column being called id is taken for it.
 */
static bool counts_from_zero(struct words w)
{
	const char *name, *columns, *first;
	size_t len, columns_len, first_len;
	struct words list;

	if (!words_take(&w, "INSERT"))
		return false;
	words_take(&w, "IGNORE");
	if (!words_take(&w, "INTO") || !words_take_name(&w, &name, &len) ||
	    !words_take_group(&w, &columns, &columns_len))
		return false;
	list = (struct words){.text = columns, .len = columns_len};
	return words_take_name(&list, &first, &first_len) &&
	       (scan_word_is(first, first_len, "id") || scan_word_is(first, first_len, "`id`"));
}

static bool pass_zero(struct pass *p, char c)
{
	struct words w = p->w;

	if (c != '(' || !p->zero_counts || p->depth != 0)
		return false;
	w.at++;
	if (!words_take(&w, "0") || !words_take_char(&w, ','))
		return false;
	strbuf_adds(p->out, "(NULL,");
	p->depth++;
	p->w.at = w.at;
	p->changed = true;
	return true;
}

static void first_pass(struct pass *p)
{
	p->zero_counts = p->pretend == PRETEND_MYSQL && counts_from_zero(p->w);
	while (p->w.at < p->w.len) {
		const char c = p->w.text[p->w.at];
		size_t end;

		if (pass_string(p, c) || pass_dollar(p, c) || pass_comment(p, c) ||
		    pass_cast(p, c) || pass_zero(p, c))
			continue;
		if (c == '`' || c == '"') { /* a name */
			end = scan_quoted(p->w.text, p->w.len, p->w.at + 1, c, false);
		} else if (scan_is_word(c)) {
			if (pass_phrase(p) || pass_upsert_value(p))
				continue;
			end = words_end(&p->w, p->w.at);
		} else {
			end = p->w.at + 1;
			p->depth += c == '(';
			p->depth -= c == ')' && p->depth > 0;
		}
		strbuf_add(p->out, p->w.text + p->w.at, end - p->w.at);
		p->w.at = end;
	}
}

/* ---- the second pass: definitions ---- */

/* Columns of an index, without the lengths of prefixes: "c(10)" is "c". */
static void add_columns(struct strbuf *out, const char *columns, size_t len)
{
	unsigned depth = 0;

	strbuf_addc(out, '(');
	for (size_t i = 0; i < len; i++) {
		if (columns[i] == '(')
			depth++;
		if (depth == 0)
			strbuf_addc(out, columns[i]);
		if (columns[i] == ')' && depth > 0)
			depth--;
	}
	strbuf_addc(out, ')');
}

/* CREATE [UNIQUE] INDEX: method, storage and build options go. */
static bool index_pass(struct words w, struct strbuf *out)
{
	const char *name, *table, *columns;
	size_t name_len, table_len, columns_len, method_len;
	bool unique, if_not_exists;

	if (!words_take(&w, "CREATE"))
		return false;
	unique = words_take(&w, "UNIQUE");
	if (!words_take(&w, "INDEX"))
		return false;
	words_take(&w, "CONCURRENTLY");
	if_not_exists = words_take(&w, "IF NOT EXISTS");
	if (!words_take_name(&w, &name, &name_len))
		return false;
	if (words_take(&w, "USING"))
		words_take_name(&w, &columns, &method_len);
	if (!words_take(&w, "ON"))
		return false;
	words_take(&w, "ONLY");
	if (!words_take_name(&w, &table, &table_len))
		return false;
	if (words_take(&w, "USING"))
		words_take_name(&w, &columns, &method_len);
	if (!words_take_group(&w, &columns, &columns_len))
		return false;
	strbuf_adds(out, unique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ");
	strbuf_adds(out, if_not_exists ? "IF NOT EXISTS " : "");
	strbuf_add(out, name, name_len);
	strbuf_adds(out, " ON ");
	strbuf_add(out, table, table_len);
	add_columns(out, columns, columns_len);
	return true;
}

/* ALTER TABLE t ADD INDEX name (columns). Foreign keys are not enforced by SQLite as it comes: not
 * added. */
static enum sqlite_rewritten alter_pass(struct words w, struct strbuf *out)
{
	const char *table, *name = "", *columns;
	size_t table_len, name_len = 0, columns_len;
	bool unique;

	words_take(&w, "ALTER TABLE");
	words_take(&w, "ONLY");
	if (!words_take_name(&w, &table, &table_len))
		return REWRITE_SAME;
	if (words_take(&w, "DISABLE KEYS") || words_take(&w, "ENABLE KEYS"))
		return REWRITE_NOTHING;
	if (!words_take(&w, "ADD"))
		return REWRITE_SAME;
	if (words_take(&w, "CONSTRAINT"))
		words_take_name(&w, &name, &name_len);
	if (words_take(&w, "FOREIGN KEY"))
		return REWRITE_NOTHING;
	unique = words_take(&w, "UNIQUE");
	if (!words_take(&w, "INDEX") && !words_take(&w, "KEY") && !unique)
		return REWRITE_SAME;
	if (name_len == 0)
		words_take_name(&w, &name, &name_len);
	if (!words_take_group(&w, &columns, &columns_len))
		return REWRITE_SAME;
	strbuf_adds(out, unique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ");
	if (name_len == 0) {
		strbuf_add(out, table, table_len);
		strbuf_adds(out, "_key");
	}
	strbuf_add(out, name, name_len);
	strbuf_adds(out, " ON ");
	strbuf_add(out, table, table_len);
	add_columns(out, columns, columns_len);
	return REWRITE_TEXT;
}

/* DROP TABLE t CASCADE, DROP INDEX i ON t, TRUNCATE t. */
static bool drop_pass(struct words w, struct strbuf *out)
{
	const bool truncate = words_take(&w, "TRUNCATE");
	const char *name;
	size_t len;

	if (truncate) {
		words_take(&w, "TABLE");
		strbuf_adds(out, "DELETE FROM ");
	} else if (words_take(&w, "DROP TABLE")) {
		strbuf_adds(out, "DROP TABLE ");
	} else if (words_take(&w, "DROP INDEX")) {
		words_take(&w, "CONCURRENTLY");
		strbuf_adds(out, "DROP INDEX ");
	} else {
		return false;
	}
	if (!truncate && words_take(&w, "IF EXISTS"))
		strbuf_adds(out, "IF EXISTS ");
	if (!words_take_name(&w, &name, &len))
		return false;
	strbuf_add(out, name, len);
	/* A list of tables, or another statement behind: left alone. */
	return memchr(w.text + w.at, ',', w.len - w.at) == NULL &&
	       memchr(w.text + w.at, ';', w.len - w.at) == NULL;
}

static bool is_create_table(struct words w)
{
	if (!words_take(&w, "CREATE"))
		return false;
	while (words_take(&w, "TEMPORARY") || words_take(&w, "TEMP") ||
	       words_take(&w, "UNLOGGED") || words_take(&w, "GLOBAL") || words_take(&w, "LOCAL"))
		;
	return words_take(&w, "TABLE");
}

/* From `first` (which may be the text itself) into a fresh buffer that replaces out's. */
static enum sqlite_rewritten second_pass(struct words w, enum sqlite_rewritten so_far,
                                         struct strbuf *out)
{
	struct strbuf second = STRBUF_INIT;
	enum sqlite_rewritten done = REWRITE_SAME;
	struct words peek = w;

	if (is_create_table(w)) {
		sqlite_rewrite_table(w.text, w.len, &second);
		done = REWRITE_TEXT;
	} else if (words_take(&peek, "ALTER TABLE")) {
		done = alter_pass(w, &second);
	} else if (words_take(&peek, "CREATE")) {
		done = index_pass(w, &second) ? REWRITE_TEXT : REWRITE_SAME;
	} else if (words_take(&peek, "DROP") || words_take(&peek, "TRUNCATE")) {
		done = drop_pass(w, &second) ? REWRITE_TEXT : REWRITE_SAME;
	}
	if (done == REWRITE_TEXT && so_far == REWRITE_SAME && second.len == w.len &&
	    memcmp(strbuf_str(&second), w.text, w.len) == 0)
		done = REWRITE_SAME;
	if (done == REWRITE_TEXT) {
		strbuf_fini(out);
		*out = second;
		return REWRITE_TEXT;
	}
	strbuf_fini(&second);
	return done == REWRITE_NOTHING ? REWRITE_NOTHING : so_far;
}

static bool asks_for_tables(struct words w)
{
	return words_take(&w, "SHOW TABLES") && words_blank(&w, w.at) == w.len;
}

enum sqlite_rewritten sqlite_rewrite(enum sqlite_pretend pretend, const char *text, size_t len,
                                     struct strbuf *out)
{
	struct pass p = {.w = {.text = text, .len = len}, .pretend = pretend, .out = out};
	size_t start;

	if (pretend == PRETEND_NONE)
		return REWRITE_SAME;
	strbuf_reset(out);
	if (means_nothing(pretend, p.w))
		return REWRITE_NOTHING;
	if (pretend == PRETEND_MYSQL && asks_for_tables(p.w)) {
		strbuf_adds(out, "SELECT name FROM sqlite_master WHERE type = 'table' AND "
		                 "name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name");
		return REWRITE_TEXT;
	}
	first_pass(&p);
	if (!p.changed)
		strbuf_reset(out);
	start = p.changed ? words_blank(&(struct words){.text = out->text, .len = out->len}, 0) : 0;
	if (p.changed && start == out->len)
		return REWRITE_NOTHING; /* nothing but a comment */
	return second_pass(
	    (struct words){.text = p.changed ? out->text : text, .len = p.changed ? out->len : len},
	    p.changed ? REWRITE_TEXT : REWRITE_SAME, out);
}
