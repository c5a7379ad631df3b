/* SPDX-License-Identifier: MIT */
/*
 * Functions that scripts for MySQL and PostgreSQL call and SQLite has not, for --sqlite-pretend:
 * those that need no knowledge of a statement. NULL in, NULL out, as there.
 */
#include <sqlite3.h>
#include <stdio.h>

#include "base/strbuf.h"
#include "sql/drv_sqlite.h"

/* Longest text that a call makes: a script's mistake must not take all memory. */
#define TEXT_MOST (64 << 20)

static bool any_null(sqlite3_context *context, int n, sqlite3_value **args)
{
	for (int i = 0; i < n; i++) {
		if (sqlite3_value_type(args[i]) == SQLITE_NULL) {
			sqlite3_result_null(context);
			return true;
		}
	}
	return false;
}

/* Gives the text, which was made by strbuf. */
static void give(sqlite3_context *context, struct strbuf *sb)
{
	if (sb->failed || sb->len > TEXT_MOST)
		sqlite3_result_error_toobig(context);
	else
		sqlite3_result_text(context, strbuf_str(sb), (int)sb->len, SQLITE_TRANSIENT);
	strbuf_fini(sb);
}

static void add(struct strbuf *sb, sqlite3_value *value)
{
	const unsigned char *text = sqlite3_value_text(value);

	if (text != NULL)
		strbuf_add(sb, text, (size_t)sqlite3_value_bytes(value));
}

static void f_concat(sqlite3_context *context, int n, sqlite3_value **args)
{
	struct strbuf sb = STRBUF_INIT;

	if (any_null(context, n, args))
		return;
	for (int i = 0; i < n; i++)
		add(&sb, args[i]);
	give(context, &sb);
}

/* PostgreSQL leaves NULLs out. */
static void f_concat_known(sqlite3_context *context, int n, sqlite3_value **args)
{
	struct strbuf sb = STRBUF_INIT;

	for (int i = 0; i < n; i++)
		add(&sb, args[i]);
	give(context, &sb);
}

/* The separator first; NULLs are left out. */
static void f_concat_ws(sqlite3_context *context, int n, sqlite3_value **args)
{
	struct strbuf sb = STRBUF_INIT;
	bool first = true;

	if (n == 0 || any_null(context, 1, args))
		return;
	for (int i = 1; i < n; i++) {
		if (sqlite3_value_type(args[i]) == SQLITE_NULL)
			continue;
		if (!first)
			add(&sb, args[0]);
		first = false;
		add(&sb, args[i]);
	}
	give(context, &sb);
}

static void f_if(sqlite3_context *context, int n, sqlite3_value **args)
{
	(void)n;
	sqlite3_result_value(context, args[sqlite3_value_double(args[0]) != 0 ? 1 : 2]);
}

static void f_repeat(sqlite3_context *context, int n, sqlite3_value **args)
{
	struct strbuf sb = STRBUF_INIT;
	sqlite3_int64 times, bytes;

	if (any_null(context, n, args))
		return;
	times = sqlite3_value_int64(args[1]);
	bytes = sqlite3_value_bytes(args[0]);
	if (bytes != 0 && times > TEXT_MOST / bytes) {
		sqlite3_result_error_toobig(context);
		return;
	}
	for (sqlite3_int64 i = 0; bytes != 0 && i < times; i++)
		add(&sb, args[0]);
	give(context, &sb);
}

/* Bytes of the first `chars` characters of a text in UTF-8; *chars is then how many they are. */
static size_t first_chars(const struct strbuf *text, size_t *chars)
{
	size_t at = 0, n = 0;

	while (at < text->len && n < *chars) {
		do
			at++;
		while (at < text->len && ((unsigned char)text->text[at] & 0xc0) == 0x80);
		n++;
	}
	*chars = n;
	return at;
}

/* `want` characters, of `fill` over and over. */
static void add_fill(struct strbuf *sb, const struct strbuf *fill, size_t want)
{
	while (want != 0 && fill->len != 0 && sb->len <= TEXT_MOST) {
		size_t chars = want;
		size_t bytes = first_chars(fill, &chars);

		strbuf_add(sb, fill->text, bytes);
		want -= chars;
	}
}

static void pad(sqlite3_context *context, int n, sqlite3_value **args, bool left)
{
	struct strbuf text = STRBUF_INIT, fill = STRBUF_INIT, sb = STRBUF_INIT;
	sqlite3_int64 want = sqlite3_value_int64(args[1]);
	size_t chars, bytes;

	if (any_null(context, n, args))
		return;
	if (want > TEXT_MOST) {
		sqlite3_result_error_toobig(context);
		return;
	}
	add(&text, args[0]);
	if (n > 2)
		add(&fill, args[2]);
	else
		strbuf_addc(&fill, ' ');
	chars = want > 0 ? (size_t)want : 0;
	bytes = first_chars(&text, &chars);
	if (!left)
		strbuf_add(&sb, strbuf_str(&text), bytes);
	add_fill(&sb, &fill, want > 0 ? (size_t)want - chars : 0);
	if (left)
		strbuf_add(&sb, strbuf_str(&text), bytes);
	strbuf_fini(&text);
	strbuf_fini(&fill);
	give(context, &sb);
}

static void f_lpad(sqlite3_context *context, int n, sqlite3_value **args)
{
	pad(context, n, args, true);
}

static void f_rpad(sqlite3_context *context, int n, sqlite3_value **args)
{
	pad(context, n, args, false);
}

/* In [0, 1). */
static void f_rand(sqlite3_context *context, int n, sqlite3_value **args)
{
	uint64_t bits;

	(void)n;
	(void)args;
	sqlite3_randomness(sizeof(bits), &bits);
	sqlite3_result_double(context, (double)(bits >> 11) * 0x1p-53);
}

static void f_uuid(sqlite3_context *context, int n, sqlite3_value **args)
{
	unsigned char b[16];
	char text[40];

	(void)n;
	(void)args;
	sqlite3_randomness(sizeof(b), b);
	b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
	b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
	snprintf(text, sizeof(text),
	         "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
	         b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
	         b[15]);
	sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static void f_last_id(sqlite3_context *context, int n, sqlite3_value **args)
{
	(void)n;
	(void)args;
	sqlite3_result_int64(context,
	                     sqlite3_last_insert_rowid(sqlite3_context_db_handle(context)));
}

/* Seconds. */
static void f_sleep(sqlite3_context *context, int n, sqlite3_value **args)
{
	double s = sqlite3_value_double(args[0]);

	(void)n;
	if (s > 0 && s < 86400)
		sqlite3_sleep((int)(s * 1000));
	sqlite3_result_int(context, 0);
}

static void f_version(sqlite3_context *context, int n, sqlite3_value **args)
{
	(void)n;
	(void)args;
	sqlite3_result_text(context, sqlite3_libversion(), -1, SQLITE_STATIC);
}

static void f_database(sqlite3_context *context, int n, sqlite3_value **args)
{
	(void)n;
	(void)args;
	sqlite3_result_text(context, "main", -1, SQLITE_STATIC);
}

static void f_connection_id(sqlite3_context *context, int n, sqlite3_value **args)
{
	const struct sql_conn *conn = sqlite3_user_data(context);

	(void)n;
	(void)args;
	sqlite3_result_int64(context, (sqlite3_int64)conn->owner + 1);
}

static void f_unix_time(sqlite3_context *context, int n, sqlite3_value **args)
{
	sqlite3_int64 ms = 0;

	(void)n;
	(void)args;
	sqlite3_vfs_find(NULL)->xCurrentTimeInt64(sqlite3_vfs_find(NULL), &ms);
	/* Julian days in ms; the Unix epoch is day 2440587.5. */
	sqlite3_result_int64(context, ms / 1000 - 210866760000);
}

enum { MYSQL = 1 << PRETEND_MYSQL, PGSQL = 1 << PRETEND_PGSQL, BOTH = MYSQL | PGSQL };

static const struct function {
	unsigned of;
	const char *name;
	int nargs; /* -1: any number */
	void (*call)(sqlite3_context *context, int n, sqlite3_value **args);
} functions[] = {
    {MYSQL, "concat", -1, f_concat},
    {PGSQL, "concat", -1, f_concat_known},
    {BOTH, "concat_ws", -1, f_concat_ws},
    {MYSQL, "if", 3, f_if},
    {BOTH, "repeat", 2, f_repeat},
    {BOTH, "lpad", 2, f_lpad},
    {BOTH, "lpad", 3, f_lpad},
    {BOTH, "rpad", 2, f_rpad},
    {BOTH, "rpad", 3, f_rpad},
    {MYSQL, "rand", 0, f_rand},
    {MYSQL, "rand", 1, f_rand},
    {PGSQL, "random", 0, f_rand},
    {MYSQL, "uuid", 0, f_uuid},
    {PGSQL, "gen_random_uuid", 0, f_uuid},
    {MYSQL, "last_insert_id", 0, f_last_id},
    {PGSQL, "lastval", 0, f_last_id},
    {MYSQL, "sleep", 1, f_sleep},
    {PGSQL, "pg_sleep", 1, f_sleep},
    {BOTH, "version", 0, f_version},
    {MYSQL, "database", 0, f_database},
    {PGSQL, "current_database", 0, f_database},
    {MYSQL, "connection_id", 0, f_connection_id},
    {PGSQL, "pg_backend_pid", 0, f_connection_id},
    {MYSQL, "unix_timestamp", 0, f_unix_time},
};

int sqlite_add_functions(struct sql_conn *conn)
{
	const unsigned bit = 1u << sqlite_env_of(conn)->pretend;
	struct sqlite_conn *c = conn->impl;
	int rc = SQLITE_OK;

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]) && rc == SQLITE_OK; i++) {
		const struct function *f = &functions[i];

		if ((f->of & bit) != 0)
			rc = sqlite3_create_function_v2(
			    c->db, f->name, f->nargs,
			    SQLITE_UTF8 | (f->nargs != 0 && f->call != f_rand && f->call != f_sleep
			                       ? SQLITE_DETERMINISTIC
			                       : 0),
			    conn, f->call, NULL, NULL, NULL);
	}
	return rc;
}
