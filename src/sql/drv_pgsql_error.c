/* SPDX-License-Identifier: MIT */
/* What the server, or libpq, said: as an outcome, in one line. */
#include <ctype.h>
#include <string.h>

#include "sql/drv_pgsql.h"

enum { STATE_LEN = 5, WORDS_MAX = 400 };

static bool is_lost_state(const char *state)
{
	/* 57P01..57P03: the server shuts down, crashed or starts. */
	return strncmp(state, "08", 2) == 0 || strcmp(state, "57P01") == 0 ||
	       strcmp(state, "57P02") == 0 || strcmp(state, "57P03") == 0;
}

/* The server ended the session between statements, or broke off the one that it says this to: then
 * it did not commit. (A crash, 57P02, may come at any time.) */
static bool is_undone_state(const char *state)
{
	return strcmp(state, "57P01") == 0 || strcmp(state, "57P05") == 0;
}

static enum sql_outcome outcome_of(const PGconn *pg, const PGresult *result, const char *state)
{
	const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);

	if (PQstatus(pg) == CONNECTION_BAD || is_lost_state(state))
		return SQL_LOST;
	/* The server ends the session after these. */
	if (severity != NULL && (strcmp(severity, "FATAL") == 0 || strcmp(severity, "PANIC") == 0))
		return SQL_LOST;
	/* An earlier statement failed and the script went on: only a rollback helps. */
	return strcmp(state, "25P02") == 0 ? SQL_RETRY : SQL_FATAL;
}

/* The first line of libpq's words, or of the last attempt that they tell of. */
static const char *first_line(const char *words, char *line, size_t room)
{
	size_t len = strcspn(words, "\n");

	if (len >= room)
		len = room - 1;
	memcpy(line, words, len);
	line[len] = '\0';
	return line;
}

static bool is_stale(const PGresult *result)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *function = PQresultErrorField(result, PG_DIAG_SOURCE_FUNCTION);

	/* "cached plan must not change result type", which has no state of its own and may be said
	 * in any language. */
	return state != NULL && strcmp(state, "0A000") == 0 && function != NULL &&
	       strcmp(function, "RevalidateCachedQuery") == 0;
}

void pgsql_failed(struct sql_conn *conn, const PGresult *result)
{
	struct pgsql_conn *pc = conn->impl;
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *words = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	const char *detail = PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL);
	char line[WORDS_MAX];

	if (conn->error.outcome != SQL_OK)
		return;
	pc->stale = is_stale(result);
	if (state == NULL)
		state = PQstatus(pc->pg) == CONNECTION_BAD ? "08006" : "HY000";
	if (words == NULL)
		words = first_line(PQresultErrorMessage(result), line, sizeof(line));
	sql_error_set(conn, outcome_of(pc->pg, result, state), 0, state, "%s%s%s%s",
	              words[0] != '\0' ? words : "the server gave no reason",
	              detail != NULL ? " (" : "", detail != NULL ? detail : "",
	              detail != NULL ? ")" : "");
	conn->undone = is_undone_state(state);
}

void pgsql_call_failed(struct sql_conn *conn, const char *what)
{
	const struct pgsql_conn *pc = conn->impl;
	const bool lost = PQstatus(pc->pg) == CONNECTION_BAD;
	char line[WORDS_MAX];

	if (conn->error.outcome != SQL_OK)
		return;
	sql_error_set(conn, lost ? SQL_LOST : SQL_FATAL, 0, lost ? "08006" : "HY000", "%s: %s",
	              what, first_line(PQerrorMessage(pc->pg), line, sizeof(line)));
}

/* ---- connecting ---- */

/* Behind the severity, in verbose words: "FATAL:  28P01: ...". NULL: there is none. */
static const char *find_state(const char *words)
{
	for (const char *at = strchr(words, ':'); at != NULL; at = strchr(at + 1, ':')) {
		const char *state = at + 1 + strspn(at + 1, " ");
		size_t n = 0;

		while (isupper((unsigned char)state[n]) || isdigit((unsigned char)state[n]))
			n++;
		if (n == STATE_LEN && state[n] == ':' && state[n + 1] == ' ')
			return state;
	}
	return NULL;
}

/* The words about the last attempt: the ones before were made over another address, or without
 * TLS. */
static const char *last_attempt(const char *words)
{
	const char *last = words;

	for (const char *at = words; (at = strstr(at, "connection to server")) != NULL; at++)
		if (at == words || at[-1] == '\n')
			last = at;
	return last;
}

/* What to do after a failure that the server explained. */
static const char *step_of_state(const char *state)
{
	if (strcmp(state, "28P01") == 0)
		return "check --pgsql-user and the password (--pgsql-password-file, $PGPASSWORD or "
		       "~/.pgpass)";
	if (strncmp(state, "28", 2) == 0)
		return "check --pgsql-user and --pgsql-sslmode, or allow this in pg_hba.conf of "
		       "the "
		       "server";
	if (strcmp(state, "3D000") == 0)
		return "create it, or name another with --pgsql-db";
	if (strcmp(state, "42501") == 0)
		return "grant CONNECT on the database to the user";
	if (strcmp(state, "53300") == 0)
		return "use fewer --threads, or raise max_connections of the server";
	if (is_lost_state(state))
		return "try again when the server accepts connections";
	return "see the log of the server";
}

static const char *step_of_words(const char *words)
{
	if (strstr(words, "service") != NULL)
		return "check --pgsql-service and ~/.pg_service.conf";
	if (strstr(words, "certificate") != NULL || strstr(words, "SSL") != NULL)
		return "check --pgsql-sslmode, --pgsql-sslrootcert, --pgsql-sslcert and "
		       "--pgsql-sslkey";
	if (strstr(words, "password") != NULL)
		return "give the password by --pgsql-password-file, $PGPASSWORD or ~/.pgpass";
	return "start the server, or say by --pgsql-host and --pgsql-port where it is";
}

void pgsql_connect_failed(struct sql_conn *conn, const char *words)
{
	const struct pgsql_conn *pc = conn->impl;
	const char *host = PQhost(pc->pg), *port = PQport(pc->pg);
	char line[WORDS_MAX], state[STATE_LEN + 1] = "08001";
	const char *cause, *found;
	enum sql_outcome outcome = SQL_LOST;

	cause = first_line(last_attempt(words), line, sizeof(line));
	if (strstr(cause, " failed: ") != NULL)
		cause = strstr(cause, " failed: ") + 9;
	found = find_state(cause);
	if (found != NULL) {
		memcpy(state, found, STATE_LEN);
		cause = found + STATE_LEN + 2;
	}
	/* Trying again would not help. */
	if (strncmp(state, "28", 2) == 0 || strcmp(state, "3D000") == 0 ||
	    strcmp(state, "42501") == 0)
		outcome = SQL_FATAL;
	sql_error_set(conn, outcome, 0, state, "PostgreSQL at %s:%s: %s; %s",
	              host != NULL && host[0] != '\0' ? host : "(no host)",
	              port != NULL && port[0] != '\0' ? port : "5432", cause,
	              found != NULL ? step_of_state(state) : step_of_words(cause));
}
