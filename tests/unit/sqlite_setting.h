/* SPDX-License-Identifier: MIT */
/* A database of the SQLite driver in a directory of its own, for its tests. */
#ifndef IOLTP_TESTS_SQLITE_SETTING_H
#define IOLTP_TESTS_SQLITE_SETTING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "sql/driver.h"

#define ARGS(...) ((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

struct setting {
	char directory[64];
	char path[96];
	struct opt_set *options;
	struct clock clock;
	struct sql_env *env;
	struct sql_conn *conn;
	struct err err;
};

static inline void make_directory(struct setting *s)
{
	memset(s, 0, sizeof(*s));
	strcpy(s->directory, "/tmp/ioltp-sqlite-XXXXXX");
	assert_non_null(mkdtemp(s->directory));
	snprintf(s->path, sizeof(s->path), "%s/test.db", s->directory);
}

/* Opens the environment only; what sql_env_open returned. */
static inline int open_env(struct setting *s, const char *const *args)
{
	char path[128];

	s->options = opt_set_new();
	opt_set_add(s->options, "SQL", sql_options);
	opt_set_add(s->options, driver_sqlite.options_title, driver_sqlite.options);
	snprintf(path, sizeof(path), "--sqlite-path=%s", s->path);
	assert_int_equal(opt_parse_arg(s->options, path, &s->err), 0);
	for (; *args != NULL; args++)
		assert_int_equal(opt_parse_arg(s->options, *args, &s->err), 0);
	clock_init(&s->clock, CLOCK_KIND_SYSTEM);
	return sql_env_open(&s->env, &driver_sqlite, s->options, &s->clock, NULL, 7, &s->err);
}

static inline void close_env(struct setting *s)
{
	sql_conn_free(s->conn);
	sql_env_close(s->env);
	opt_set_free(s->options);
	s->conn = NULL;
	s->env = NULL;
	s->options = NULL;
}

static inline void remove_directory(struct setting *s)
{
	static const char *const names[] = {"test.db", "test.db-wal", "test.db-shm",
	                                    "test.db-journal"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/%s", s->directory, names[i]);
		unlink(path);
	}
	rmdir(s->directory);
}

static inline void set_up(struct setting *s, const char *const *args)
{
	make_directory(s);
	if (open_env(s, args) != 0)
		fail_msg("%s", s->err.text);
	s->conn = sql_conn_new(s->env, 0, false);
	sql_connect(s->conn);
	if (s->conn->error.outcome != SQL_OK)
		fail_msg("%s", s->conn->error.text);
}

static inline void tear_down(struct setting *s)
{
	close_env(s);
	remove_directory(s);
}

/* Runs a text that must go well and drops its rows. */
static inline void run_sql(struct sql_conn *conn, const char *text)
{
	struct sql_result *result;

	sql_query(conn, text, strlen(text), &result);
	if (conn->error.outcome != SQL_OK)
		fail_msg("%s: %s", text, conn->error.text);
	sql_result_free(result);
}

static inline enum sql_outcome try_sql(struct sql_conn *conn, const char *text)
{
	struct sql_result *result;

	sql_query(conn, text, strlen(text), &result);
	sql_result_free(result);
	return conn->error.outcome;
}

/* The first value of the first row; "(none)" without rows, "(null)" for NULL. Static: until the
 * next call of this thread. */
static inline const char *ask_sql(struct sql_conn *conn, const char *text)
{
	static _Thread_local char answer[256];
	struct sql_result *result;

	sql_query(conn, text, strlen(text), &result);
	if (conn->error.outcome != SQL_OK)
		fail_msg("%s: %s", text, conn->error.text);
	snprintf(answer, sizeof(answer), "(none)");
	if (result != NULL && sql_fetch(result))
		snprintf(answer, sizeof(answer), "%s",
		         result->values[0].text != NULL ? result->values[0].text : "(null)");
	sql_result_free(result);
	return answer;
}

/* True when another connection can begin to write at once. */
static inline bool others_can_write(struct setting *s)
{
	sqlite3 *db;
	int rc;

	assert_int_equal(sqlite3_open(s->path, &db), SQLITE_OK);
	rc = sqlite3_exec(db, "BEGIN IMMEDIATE; ROLLBACK", NULL, NULL, NULL);
	sqlite3_close(db);
	assert_true(rc == SQLITE_OK || rc == SQLITE_BUSY);
	return rc == SQLITE_OK;
}

#endif
