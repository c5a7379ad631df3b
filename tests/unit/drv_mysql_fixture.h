/* SPDX-License-Identifier: MIT */
/* A connection to the server at $IOLTP_TEST_MYSQL_SOCKET (user and database sbtest, password
 * "secret"), which tests/db/mysql_driver.sh starts. Without it such tests are skipped. */
#ifndef IOLTP_TESTS_DRV_MYSQL_FIXTURE_H
#define IOLTP_TESTS_DRV_MYSQL_FIXTURE_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sql/driver.h"

struct db {
	struct opt_set *options;
	struct clock clock;
	struct sql_env *env;
	struct sql_conn *conn;
};

#define ARGS(...) ((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

static inline const char *server_socket(void)
{
	return getenv("IOLTP_TEST_MYSQL_SOCKET");
}

/* An environment for the options; *rc and err of its opening. */
static inline void env_open(struct db *db, const char *const *args, int *rc, struct err *err)
{
	*db = (struct db){.options = opt_set_new()};
	*err = ERR_INIT;
	opt_set_add(db->options, "SQL", sql_options);
	opt_set_add(db->options, driver_mysql.options_title, driver_mysql.options);
	for (*rc = 0; *args != NULL && *rc == 0; args++)
		*rc = opt_parse_arg(db->options, *args, err);
	clock_init(&db->clock, CLOCK_KIND_SYSTEM);
	if (*rc == 0)
		*rc = sql_env_open(&db->env, &driver_mysql, db->options, &db->clock, NULL, 42, err);
}

static inline void db_close(struct db *db)
{
	sql_conn_free(db->conn);
	sql_env_close(db->env);
	opt_set_free(db->options);
	*db = (struct db){0};
}

/* Connected, with `args` on top. */
static inline void db_open(struct db *db, const char *const *args)
{
	const char *all[16] = {NULL, "--mysql-password=secret"};
	char where[200];
	struct err err;
	int rc;

	snprintf(where, sizeof(where), "--mysql-socket=%s", server_socket());
	all[0] = where;
	for (int i = 2; *args != NULL; i++)
		all[i] = *args++;
	env_open(db, all, &rc, &err);
	assert_string_equal(err.text, "");
	db->conn = sql_conn_new(db->env, 0, false);
	sql_connect(db->conn);
	assert_string_equal(db->conn->error.text, "");
	assert_true(db->conn->connected);
}

/* Runs a text that must go well; its rows are the caller's, or NULL. */
static inline struct sql_result *rows_of(struct sql_conn *conn, const char *text)
{
	struct sql_result *result;

	sql_query(conn, text, strlen(text), &result);
	assert_string_equal(conn->error.text, "");
	assert_int_equal(conn->error.outcome, SQL_OK);
	return result;
}

static inline void run(struct sql_conn *conn, const char *text)
{
	sql_result_free(rows_of(conn, text));
}

/* Runs a text that must fail. */
static inline void refused(struct sql_conn *conn, const char *text, enum sql_outcome outcome,
                           int code)
{
	struct sql_result *result;

	sql_query(conn, text, strlen(text), &result);
	assert_null(result);
	assert_int_equal(conn->error.outcome, outcome);
	assert_int_equal(conn->error.code, code);
}

/* The first value of the only row; cut to fit. NULL is "(null)". */
static inline const char *value_of(struct sql_conn *conn, const char *text, char *out, size_t room)
{
	struct sql_result *result = rows_of(conn, text);

	assert_non_null(result);
	assert_int_equal(result->nrows, 1);
	assert_true(sql_fetch(result));
	snprintf(out, room, "%s",
	         result->values[0].text != NULL ? result->values[0].text : "(null)");
	assert_false(sql_fetch(result));
	sql_result_free(result);
	return out;
}

static inline void assert_value(struct sql_conn *conn, const char *text, const char *want)
{
	char got[512];

	assert_string_equal(value_of(conn, text, got, sizeof(got)), want);
}

static inline struct sql_stmt *prepared(struct sql_conn *conn, const char *text)
{
	struct sql_stmt *stmt = sql_prepare(conn, text, strlen(text));

	assert_string_equal(conn->error.text, "");
	assert_non_null(stmt);
	return stmt;
}

static inline void executed(struct sql_stmt *stmt)
{
	sql_execute(stmt);
	assert_string_equal(stmt->conn->error.text, "");
	assert_int_equal(stmt->conn->error.outcome, SQL_OK);
}

static inline struct sql_param int_param(int64_t value)
{
	return (struct sql_param){.type = SQL_TYPE_BIGINT, .i = value};
}

/* The bytes stay the caller's. */
static inline struct sql_param text_param(char *text, size_t len)
{
	return (struct sql_param){.type = SQL_TYPE_VARCHAR, .buf = text, .len = len, .room = len};
}

/* For main: true when the tests can run. */
static inline int have_server(void)
{
	if (server_socket() != NULL)
		return 1;
	puts("SKIP: IOLTP_TEST_MYSQL_SOCKET is not set; tests/db/mysql_driver.sh starts a server "
	     "and "
	     "runs this");
	return 0;
}

#endif
