/* SPDX-License-Identifier: MIT */
/* Connecting, and every wait for the server. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "sql/drv_pgsql.h"

/* ---- waiting ---- */

/* What the TLS library has read but libpq has not, poll does not see. Reading twice empties the
 * record at hand; should more ever be left, it is looked for after this time. */
enum { TLS_SLICE_MS = 10 };

/* When a wait that begins now must be over; 0: never. */
static uint64_t deadline_ns(const struct sql_conn *conn, uint64_t timeout_ns)
{
	return timeout_ns != 0 ? clock_now_ns(conn->env->clock) + timeout_ns : 0;
}

/* False: the time is over. */
static bool wait_socket(struct sql_conn *conn, short events, uint64_t until_ns)
{
	const struct pgsql_conn *pc = conn->impl;
	const int slice_ms = pc->tls ? TLS_SLICE_MS : INT_MAX;
	struct pollfd fd = {.fd = PQsocket(pc->pg), .events = events};

	for (;;) {
		int wait_ms = pc->tls ? slice_ms : -1, n;

		if (until_ns != 0) {
			const uint64_t now = clock_now_ns(conn->env->clock);
			const uint64_t left_ms =
			    now < until_ns ? (until_ns - now) / 1000000u + 1 : 0;

			wait_ms = left_ms < (uint64_t)slice_ms ? (int)left_ms : slice_ms;
		}
		n = poll(&fd, 1, wait_ms);
		/* What else poll may fail with, the next call on the socket will tell. */
		if (n > 0 || (n < 0 && errno != EINTR))
			return true;
		if (n == 0 && wait_ms != slice_ms)
			return false;
		if (n == 0 && pc->tls)
			return true;
	}
}

static void timed_out(struct sql_conn *conn)
{
	const struct pgsql_env *pe = conn->env->impl;

	sql_error_set(conn, SQL_LOST, 0, "08006",
	              "no answer from the server for %g s (--pgsql-statement-timeout)",
	              (double)pe->statement_timeout_ns / 1e9);
}

/* A connection that broke makes a result too, which says why. */
static bool consume(struct sql_conn *conn)
{
	struct pgsql_conn *pc = conn->impl;
	int read = PQconsumeInput(pc->pg);

	/* The rest of a TLS record, see TLS_SLICE_MS. */
	if (read && pc->tls && PQisBusy(pc->pg))
		read = PQconsumeInput(pc->pg);
	if (read || PQstatus(pc->pg) == CONNECTION_BAD)
		return true;
	pgsql_call_failed(conn, "reading from the server");
	return false;
}

bool pgsql_wait(struct sql_conn *conn)
{
	struct pgsql_conn *pc = conn->impl;
	const struct pgsql_env *pe = conn->env->impl;
	const uint64_t until_ns = deadline_ns(conn, pe->statement_timeout_ns);

	do {
		const int unsent = PQflush(pc->pg);

		if (!wait_socket(conn, unsent > 0 ? POLLIN | POLLOUT : POLLIN, until_ns)) {
			timed_out(conn);
			return false;
		}
		if (!consume(conn))
			return false;
	} while (PQisBusy(pc->pg));
	return true;
}

bool pgsql_wait_input(struct sql_conn *conn)
{
	const struct pgsql_env *pe = conn->env->impl;

	if (wait_socket(conn, POLLIN, deadline_ns(conn, pe->statement_timeout_ns)))
		return consume(conn);
	timed_out(conn);
	return false;
}

bool pgsql_flush(struct sql_conn *conn)
{
	struct pgsql_conn *pc = conn->impl;
	const struct pgsql_env *pe = conn->env->impl;
	const uint64_t until_ns = deadline_ns(conn, pe->statement_timeout_ns);

	for (;;) {
		const int unsent = PQflush(pc->pg);

		if (unsent == 0)
			return true;
		if (unsent < 0) {
			pgsql_call_failed(conn, "writing to the server");
			return false;
		}
		if (!wait_socket(conn, POLLIN | POLLOUT, until_ns)) {
			timed_out(conn);
			return false;
		}
		/* The server may be waiting for us to read before it reads on. */
		if (!PQconsumeInput(pc->pg)) {
			pgsql_call_failed(conn, "reading from the server");
			return false;
		}
	}
}

/* ---- connecting ---- */

static void count_notice(void *arg, const PGresult *result)
{
	struct sql_conn *conn = arg;
	const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);

	if (severity != NULL && strcmp(severity, "WARNING") == 0)
		conn->warnings++;
	if (conn->env->debug)
		log_notice(conn->env->log, "db: client %u: %s: %s", conn->owner,
		           severity != NULL ? severity : "NOTICE",
		           PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
}

/* A connection that has begun, or NULL: out of memory. */
static PGconn *start(struct sql_conn *conn)
{
	const struct pgsql_env *pe = conn->env->impl;
	const char *words[16], *values[16];
	unsigned n = 0;
	const struct {
		const char *word, *value;
	} all[] = {
	    {"service", pe->service},
	    {"host", pe->nhosts != 0 ? pe->hosts[conn->target % pe->nhosts] : NULL},
	    {"port", pe->nports != 0 ? pe->ports[conn->target % pe->nports] : NULL},
	    {"user", pe->user},
	    {"password", pe->password},
	    {"dbname", pe->db},
	    {"sslmode", pe->sslmode},
	    {"sslrootcert", pe->sslrootcert},
	    {"sslcert", pe->sslcert},
	    {"sslkey", pe->sslkey},
	    {"options", pe->server_options},
	    {"fallback_application_name", "ioltp"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (all[i].value == NULL)
			continue;
		words[n] = all[i].word;
		values[n++] = all[i].value;
	}
	words[n] = NULL;
	values[n] = NULL;
	return PQconnectStartParams(words, values, 0);
}

/* Takes a begun connection to its end, good or bad. False: the time is over. */
static bool complete(struct sql_conn *conn)
{
	const struct pgsql_env *pe = conn->env->impl;
	struct pgsql_conn *pc = conn->impl;
	const uint64_t until_ns = deadline_ns(conn, pe->connect_timeout_ns);
	PostgresPollingStatusType wants = PGRES_POLLING_WRITING;

	/* Then the SQLSTATE is a part of the words, and of nothing else. */
	PQsetErrorVerbosity(pc->pg, PQERRORS_VERBOSE);
	while (wants != PGRES_POLLING_OK && wants != PGRES_POLLING_FAILED) {
		if (!wait_socket(conn, wants == PGRES_POLLING_READING ? POLLIN : POLLOUT, until_ns))
			return false;
		wants = PQconnectPoll(pc->pg);
	}
	PQsetErrorVerbosity(pc->pg, PQERRORS_DEFAULT);
	return true;
}

enum sql_call pgsql_connect(struct sql_conn *conn)
{
	const struct pgsql_env *pe = conn->env->impl;
	struct pgsql_conn *pc = calloc(1, sizeof(*pc));
	char words[64];

	conn->impl = pc;
	if (pc != NULL)
		pc->pg = start(conn);
	if (pc == NULL || pc->pg == NULL) {
		sql_error_set(conn, SQL_FATAL, ENOMEM, NULL, "out of memory for a connection");
		return CALL_DONE;
	}
	if (PQstatus(pc->pg) != CONNECTION_BAD && !complete(conn)) {
		snprintf(words, sizeof(words), "no answer for %g s",
		         (double)pe->connect_timeout_ns / 1e9);
		pgsql_connect_failed(conn, words);
		return CALL_DONE;
	}
	if (PQstatus(pc->pg) != CONNECTION_OK) {
		pgsql_connect_failed(conn, PQerrorMessage(pc->pg));
		return CALL_DONE;
	}
	pc->tls = PQsslInUse(pc->pg) != 0;
	PQsetNoticeReceiver(pc->pg, count_notice, conn);
	if (PQsetnonblocking(pc->pg, 1) != 0)
		pgsql_call_failed(conn, "setting up the connection");
	return CALL_DONE;
}

void pgsql_disconnect(struct sql_conn *conn)
{
	struct pgsql_conn *pc = conn->impl;

	if (pc == NULL)
		return;
	pgsql_drop_more(pc);
	/* Non-blocking: its good-bye does not wait for a server that hangs. */
	PQfinish(pc->pg);
	pgsql_bulk_fini(&pc->bulk);
	strbuf_fini(&pc->garbage);
	free(pc->more);
	free(pc);
	conn->impl = NULL;
}

bool pgsql_in_transaction(struct sql_conn *conn)
{
	const struct pgsql_conn *pc = conn->impl;

	/* Unknown is a connection that is bad: nothing is open on it any more. */
	switch (PQtransactionStatus(pc->pg)) {
	case PQTRANS_ACTIVE:
	case PQTRANS_INTRANS:
	case PQTRANS_INERROR:
		return true;
	case PQTRANS_IDLE:
	case PQTRANS_UNKNOWN:
	default:
		return false;
	}
}
