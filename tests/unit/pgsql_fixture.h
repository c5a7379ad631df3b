/* SPDX-License-Identifier: MIT */
/* What the tests of the PostgreSQL driver share: connections with given options to the server of
 * $IOLTP_TEST_PGSQL (options, with blanks between), and short forms of calls. */
#ifndef IOLTP_TESTS_UNIT_PGSQL_FIXTURE_H
#define IOLTP_TESTS_UNIT_PGSQL_FIXTURE_H

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sql/driver.h"

struct setting {
	struct opt_set *options;
	struct clock clock;
	struct sql_env *env;
	struct sql_conn *conn;
	char answer[4096]; /* of the last ask */
};

/* Says so; the test then ends with 77. */
static inline bool no_server(void)
{
	if (getenv("IOLTP_TEST_PGSQL") != NULL)
		return false;
	puts("SKIP: IOLTP_TEST_PGSQL is not set; tests/db/pgsql_driver.sh starts a server and runs "
	     "this");
	return true;
}

#define ARGS(...) ((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

/* 0 or the usage error of opening the driver. */
static inline int open_env(struct setting *s, const char *const *args, struct err *err)
{
	const char *server = getenv("IOLTP_TEST_PGSQL");
	char *copy = strdup(server != NULL ? server : ""), *rest = copy, *word;

	memset(s, 0, sizeof(*s));
	s->options = opt_set_new();
	opt_set_add(s->options, "SQL", sql_options);
	opt_set_add(s->options, driver_pgsql.options_title, driver_pgsql.options);
	while ((word = strsep(&rest, " ")) != NULL)
		if (word[0] != '\0')
			assert_int_equal(opt_parse_arg(s->options, word, err), 0);
	for (; *args != NULL; args++)
		assert_int_equal(opt_parse_arg(s->options, *args, err), 0);
	free(copy);
	clock_init(&s->clock, CLOCK_KIND_SYSTEM);
	return sql_env_open(&s->env, &driver_pgsql, s->options, &s->clock, NULL, 42, err);
}

static inline void set_up(struct setting *s, const char *const *args)
{
	struct err err = ERR_INIT;

	if (open_env(s, args, &err) != 0)
		fail_msg("%s", err.text);
	s->conn = sql_conn_new(s->env, 0, false);
	sql_connect(s->conn);
	if (!s->conn->connected)
		fail_msg("%s", s->conn->error.text);
}

static inline void tear_down(struct setting *s)
{
	sql_conn_free(s->conn);
	sql_env_close(s->env);
	opt_set_free(s->options);
}

/* The outcome of a text; rows are dropped. */
static inline enum sql_outcome outcome_of(struct sql_conn *conn, const char *text)
{
	struct sql_result *result;

	sql_query(conn, text, strlen(text), &result);
	sql_result_free(result);
	return conn->error.outcome;
}

#define assert_outcome(conn, wanted)                                                               \
	do {                                                                                       \
		if ((conn)->error.outcome != (wanted))                                             \
			fail_msg("outcome %d instead of %d: %s: %s", (conn)->error.outcome,        \
			         wanted, (conn)->error.state, (conn)->error.text);                 \
	} while (0)

#define assert_state(conn, outcome, wanted_state)                                                  \
	do {                                                                                       \
		assert_outcome(conn, outcome);                                                     \
		assert_string_equal((conn)->error.state, wanted_state);                            \
	} while (0)

static inline void run(struct setting *s, const char *text)
{
	outcome_of(s->conn, text);
	assert_outcome(s->conn, SQL_OK);
}

/* All rows as text: fields with '|' between, rows with a newline between, NULL as ~. */
static inline const char *show(struct setting *s, struct sql_result *result)
{
	size_t len = 0;

	s->answer[0] = '\0';
	for (unsigned row = 0; sql_fetch(result); row++)
		for (unsigned i = 0; i < result->nfields; i++)
			len += (size_t)snprintf(
			    s->answer + len, sizeof(s->answer) - len, "%s%s",
			    i > 0     ? "|"
			    : row > 0 ? "\n"
			              : "",
			    result->values[i].text != NULL ? result->values[i].text : "~");
	return s->answer;
}

static inline const char *ask(struct setting *s, const char *text)
{
	struct sql_result *result;

	sql_query(s->conn, text, strlen(text), &result);
	assert_outcome(s->conn, SQL_OK);
	assert_non_null(result);
	show(s, result);
	sql_result_free(result);
	return s->answer;
}

static inline struct sql_stmt *prepared(struct setting *s, const char *text)
{
	struct sql_stmt *stmt = sql_prepare(s->conn, text, strlen(text));

	assert_outcome(s->conn, SQL_OK);
	assert_non_null(stmt);
	return stmt;
}

/* Binds n parameters of an array; false: refused. */
static inline bool bind(struct sql_stmt *stmt, struct sql_param *params, unsigned n)
{
	struct sql_param *list[16];

	for (unsigned i = 0; i < n; i++)
		list[i] = &params[i];
	return sql_bind(stmt, list, n) == 0;
}

static inline struct sql_param int_param(int type, int64_t value)
{
	return (struct sql_param){.type = type, .i = value};
}

static inline struct sql_param double_param(int type, double value)
{
	return (struct sql_param){.type = type, .d = value};
}

/* As the script side lays it out, but for a NUL behind it that may not be there. */
static inline struct sql_param text_param(int type, const char *text)
{
	return (struct sql_param){.type = type,
	                          .buf = (char *)(uintptr_t)text,
	                          .len = strlen(text),
	                          .room = strlen(text)};
}

static inline const char *execute(struct setting *s, struct sql_stmt *stmt)
{
	sql_execute(stmt);
	assert_outcome(s->conn, SQL_OK);
	if (!stmt->has_rows)
		return "";
	return show(s, stmt->result);
}

#endif
