/* SPDX-License-Identifier: MIT */
#include "sql/drv_sqlite.h"

#include <sqlite3.h>
#include <string.h>

#include "base/units.h"
#include "sql/sql_errlist.h"

/* --sqlite-ignore-errors names SQLite's codes with and without what is in their upper bytes. */
static enum sql_outcome outcome_of(const struct sql_conn *conn, int code)
{
	const struct sql_errlist *retryable = conn->env->retryable;

	return sql_errlist_has(retryable, code, NULL) ||
	               sql_errlist_has(retryable, code & 0xff, NULL)
	           ? SQL_RETRY
	           : SQL_FATAL;
}

static const char *state_of(int code, const char *message)
{
	switch (code & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return "40001";
	case SQLITE_CONSTRAINT:
		return "23000";
	case SQLITE_FULL:
		return "53100";
	case SQLITE_NOMEM:
		return "53200";
	case SQLITE_READONLY:
		return "25006";
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		return "58030";
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return "XX001";
	case SQLITE_ERROR:
		if (strstr(message, "no such table") != NULL)
			return "42S02";
		return strstr(message, "syntax error") != NULL ? "42000" : NULL;
	default:
		return NULL;
	}
}

static void fail_busy(struct sql_conn *conn, int code)
{
	const struct sqlite_conn *c = conn->impl;
	const struct sqlite_env *env = sqlite_env_of(conn);
	char waited[32];

	units_format_time(waited, sizeof(waited), c->waited_ns);
	/* In WAL the turn keeps this process's writers apart; with a rollback journal readers count
	 * too. */
	sql_error_set(conn, outcome_of(conn, code), code, "40001",
	              "%s is locked by another %sprogram (waited %s); close it or raise "
	              "--sqlite-busy-timeout",
	              env->path, strcmp(env->journal_mode, "wal") == 0 ? "" : "connection or ",
	              waited);
}

/* Failures of the file or the filesystem: named with what to do. NULL: not one of these. */
static const char *file_advice(int code)
{
	switch (code & 0xff) {
	case SQLITE_FULL:
		return "free space on that filesystem or choose another --sqlite-path";
	case SQLITE_IOERR:
		return "look at the kernel log for that drive and at the free space of that "
		       "filesystem";
	case SQLITE_CORRUPT:
		return "the file is damaged; delete it and run `prepare` again";
	case SQLITE_NOTADB:
		return "choose another --sqlite-path or move that file away";
	case SQLITE_READONLY:
		return "make the file and its directory writable or choose another --sqlite-path";
	case SQLITE_CANTOPEN:
		return "check that its directory exists and is writable, and `ulimit -n`";
	default:
		return NULL;
	}
}

static void fail_file(struct sql_conn *conn, int code, const char *message, const char *advice)
{
	const struct sqlite_conn *c = conn->impl;
	const int system = c->db != NULL ? sqlite3_system_errno(c->db) : 0;
	const bool shows_errno =
	    system != 0 && ((code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN);

	sql_error_set(conn, outcome_of(conn, code), code, state_of(code, message),
	              "%s: %s%s%s%s; %s", sqlite_env_of(conn)->path, message,
	              shows_errno ? " (" : "", shows_errno ? strerror(system) : "",
	              shows_errno ? ")" : "", advice);
}

void sqlite_fail(struct sql_conn *conn, int rc)
{
	const struct sqlite_conn *c = conn->impl;
	const int extended = c->db != NULL ? sqlite3_extended_errcode(c->db) : rc;
	const int code = (extended & 0xff) == (rc & 0xff) ? extended : rc;
	const char *message = c->db != NULL ? sqlite3_errmsg(c->db) : sqlite3_errstr(rc);
	const char *advice = file_advice(code);

	if (code == SQLITE_BUSY_SNAPSHOT) {
		sqlite_fail_snapshot(conn);
	} else if ((code & 0xff) == SQLITE_BUSY) {
		fail_busy(conn, code);
	} else if (advice != NULL) {
		fail_file(conn, code, message, advice);
	} else if (strncmp(message, "no such table", 13) == 0) {
		sql_error_set(conn, outcome_of(conn, code), code, "42S02",
		              "%s in %s; run `prepare` first?", message, sqlite_env_of(conn)->path);
	} else {
		sql_error_set(conn, outcome_of(conn, code), code, state_of(code, message), "%s",
		              message);
	}
}

void sqlite_fail_turn(struct sql_conn *conn)
{
	const struct sqlite_conn *c = conn->impl;
	char waited[32];

	units_format_time(waited, sizeof(waited), c->waited_ns);
	sql_error_set(
	    conn, outcome_of(conn, SQLITE_BUSY), SQLITE_BUSY, "40001",
	    "%s: other connections of this run were writing (waited %s for the turn); use fewer "
	    "threads, shorter transactions or raise --sqlite-busy-timeout",
	    sqlite_env_of(conn)->path, waited);
}

void sqlite_fail_snapshot(struct sql_conn *conn)
{
	sql_error_set(
	    conn, outcome_of(conn, SQLITE_BUSY_SNAPSHOT), SQLITE_BUSY_SNAPSHOT, "40001",
	    "%s: this transaction read before it wrote, and another wrote meanwhile; run it again, "
	    "or begin it IMMEDIATE",
	    sqlite_env_of(conn)->path);
}
