/* SPDX-License-Identifier: MIT */
/*
 * drv_pgsql: what the files of the PostgreSQL driver share. For drv_pgsql*.c only.
 *
 * Connections are in libpq's non-blocking mode: every wait for the server is in pgsql_wait, so that
 * a server that hangs cannot hold a call for longer than --pgsql-statement-timeout.
 */
#ifndef IOLTP_SQL_DRV_PGSQL_H
#define IOLTP_SQL_DRV_PGSQL_H

#include <libpq-fe.h>

#include "sql/driver.h"

/* Types of parameters and columns, as in the server's pg_type. */
enum pgsql_oid {
	OID_UNKNOWN = 0, /* the server infers it, as for a literal in quotes */
	OID_BOOL = 16,
	OID_INT8 = 20,
	OID_INT2 = 21,
	OID_INT4 = 23,
	OID_TEXT = 25,
	OID_FLOAT4 = 700,
	OID_FLOAT8 = 701,
	OID_BPCHAR = 1042,
	OID_VARCHAR = 1043,
	OID_DATE = 1082,
	OID_TIME = 1083,
	OID_TIMESTAMP = 1114,
};

/* Options, read once. Strings belong to the option set unless said otherwise. NULL: not set, libpq
 * looks into the service, the environment and its defaults. */
struct pgsql_env {
	const char *const *hosts; /* nhosts */
	const char *const *ports; /* nports: one for all, or one for each host */
	unsigned nhosts, nports;
	const char *user, *db, *sslmode, *sslrootcert, *sslcert, *sslkey, *service;
	char *password;                                    /* owned */
	char *server_options;                              /* owned: "-c name=value ..." */
	uint64_t connect_timeout_ns, statement_timeout_ns; /* 0: none */
};

struct pgsql_stmt {
	char name[16];      /* on the server; "" before the first time */
	struct strbuf text; /* with $1, $2, ... */
	enum stmt_txn txn;
	bool writes;   /* may change data, and commits itself outside of a transaction */
	bool prepared; /* under `name`, with the types in `oids` */
	bool simple;   /* no parameters and no rows: sent as text, which is less work */
	/* One block for the arrays, nparams each; NULL without parameters. */
	uint64_t *words;     /* binary values, in network order */
	const char **values; /* NULL: SQL NULL */
	Oid *oids;
	int *lengths, *formats;
	char **copies; /* owned: texts that do not end with a NUL where they must */
};

/* Columns of the table that was last loaded. */
struct pgsql_columns {
	char *table; /* owned; NULL: none */
	Oid *types;  /* owned */
	unsigned n;
	bool binary; /* every type has a binary form here */
};

struct pgsql_bulk {
	bool open;    /* inside COPY */
	bool own_txn; /* begun here: ends with the load */
	bool freeze;
	char *rows;        /* not sent yet; owned, kept from load to load */
	size_t used, room; /* bytes */
	struct pgsql_columns columns;
};

struct pgsql_conn {
	PGconn *pg;
	bool tls;
	unsigned next_name;    /* of statements */
	struct strbuf garbage; /* DEALLOCATE of closed statements, not sent yet */
	unsigned ngarbage;
	PGresult **more; /* results of the last text after the first */
	unsigned nmore, more_at, more_room;
	bool stale; /* the last failure was one that preparing again mends */
	bool pipe_open;
	bool pipe_commit;     /* a COMMIT is among the statements on their way */
	bool pipe_lasts;      /* or a write outside of a transaction */
	bool pipe_txn;        /* behind them a transaction is open */
	unsigned pipe_queued; /* statements on their way */
	struct pgsql_bulk bulk;
};

/* ---- drv_pgsql_open.c ---- */
extern const struct opt_desc pgsql_options[];
int pgsql_open(struct sql_env *env, struct err *err);
void pgsql_close(struct sql_env *env);
unsigned pgsql_targets(const struct sql_env *env, unsigned i, struct strbuf *name);

/* ---- drv_pgsql_conn.c ---- */
enum sql_call pgsql_connect(struct sql_conn *conn);
void pgsql_disconnect(struct sql_conn *conn);
bool pgsql_in_transaction(struct sql_conn *conn);
/* After something was sent, or while PQisBusy: waits until the server's next result is complete.
 * False: SQL_LOST is set. */
bool pgsql_wait(struct sql_conn *conn);
/* Waits for any bytes of the server. False: SQL_LOST is set. */
bool pgsql_wait_input(struct sql_conn *conn);
/* Waits until all is sent. False: SQL_LOST is set. */
bool pgsql_flush(struct sql_conn *conn);

/* ---- drv_pgsql_error.c ---- */
/* The outcome of a failed result into conn->error; an error that is set stays. */
void pgsql_failed(struct sql_conn *conn, const PGresult *result);
/* The outcome of a libpq call that failed without a result. */
void pgsql_call_failed(struct sql_conn *conn, const char *what);
/* Why connecting failed, and what to do about it. */
void pgsql_connect_failed(struct sql_conn *conn, const char *words);

/* ---- drv_pgsql_query.c ---- */
enum sql_call pgsql_query(struct sql_conn *conn, const char *text, size_t len,
                          struct sql_result **result);
enum sql_call pgsql_next_result(struct sql_conn *conn, struct sql_result **result);
bool pgsql_fetch(struct sql_result *result);
void pgsql_result_free(struct sql_result *result);
void pgsql_quote(struct sql_conn *conn, const char *text, size_t len, struct strbuf *out);
/* The next result of what was sent, NULL when there is none left or the connection is lost (then
 * SQL_LOST is set). */
PGresult *pgsql_next(struct sql_conn *conn);
/* Waits for the result of what was just sent; a failure is the outcome. NULL: failed. */
PGresult *pgsql_single(struct sql_conn *conn);
/* Sends a text of our own and waits; NULL: failed. To be cleared by the caller. */
PGresult *pgsql_run(struct sql_conn *conn, const char *text);
/* Forgets results that nobody asked for. */
void pgsql_drop_more(struct pgsql_conn *pc);
/* Sets conn->affected. A COMMIT that the server turned into a rollback is a failure. */
void pgsql_command_done(struct sql_conn *conn, PGresult *result, bool commit);

/* ---- drv_pgsql_stmt.c ---- */
enum sql_call pgsql_prepare(struct sql_stmt *stmt);
enum sql_call pgsql_bind(struct sql_stmt *stmt);
enum sql_call pgsql_execute(struct sql_stmt *stmt);
void pgsql_stmt_close(struct sql_stmt *stmt);
/* After a table was changed under a prepared statement: all are prepared anew when they are next
 * used, and the outcome is SQL_RETRY. */
void pgsql_forget_plans(struct sql_conn *conn);

/* ---- drv_pgsql_pipe.c ---- */
enum sql_call pgsql_pipeline_begin(struct sql_conn *conn);
enum sql_call pgsql_pipeline_end(struct sql_conn *conn);
/* A text as part of the pipeline. */
void pgsql_pipe_text(struct sql_conn *conn, const char *text, size_t len);
/* After a statement was put on its way; `writes`: as of struct pgsql_stmt. */
void pgsql_pipe_sent(struct pgsql_conn *pc, enum stmt_txn txn, bool writes);
/* After the connection was lost. */
void pgsql_pipe_lost(struct sql_conn *conn, bool synced);
/* Collects the results of all that is on its way. False: failed. */
bool pgsql_pipe_collect(struct sql_conn *conn);

/* ---- drv_pgsql_bulk.c ---- */
enum sql_call pgsql_bulk_begin(struct sql_conn *conn, const struct bulk_table *table);
enum sql_call pgsql_bulk_row(struct sql_conn *conn, const struct bulk_value *values);
enum sql_call pgsql_bulk_end(struct sql_conn *conn, bool commit);
void pgsql_bulk_fini(struct pgsql_bulk *bulk);

/* ---- drv_pgsql_facts.c ---- */
void pgsql_facts(struct sql_conn *conn, struct kv *facts, bool *durable);

#endif
