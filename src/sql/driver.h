/* SPDX-License-Identifier: MIT */
/*
 * driver: one database engine behind one set of hooks.
 *
 * Callers use the sql_* functions (driver.c); only driver.c calls hooks. This module knows nothing
 * of runs, clients or Lua: who calls it measures it.
 *
 * Calls start, may be pending, and finish. A hook that may wait for the server returns CALL_DONE
 * (its outcome is in conn->error) or, by drivers with CAP_ASYNC on a connection opened with
 * `async`, CALL_PENDING: the caller then waits for the descriptor of sql_wait_fd and calls sql_poll
 * until it is CALL_DONE. On a connection opened without `async` nothing is ever pending. One call
 * at a time per connection; one thread at a time per connection.
 */
#ifndef IOLTP_SQL_DRIVER_H
#define IOLTP_SQL_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/kv.h"
#include "base/log.h"
#include "base/opt.h"
#include "sql/sql_types.h"
#include "sql/stmt_text.h"

struct sql_env;
struct sql_conn;
struct sql_stmt;
struct sql_result;
struct sql_bulk;

enum sql_call { CALL_DONE, CALL_PENDING };

enum driver_caps {
	CAP_ASYNC = 1,        /* CALL_PENDING, poll, wait_fd */
	CAP_PIPELINE = 2,     /* pipeline_begin, pipeline_end */
	CAP_BULK = 4,         /* bulk_begin, bulk_row, bulk_end */
	CAP_MULTI_RESULT = 8, /* next_result */
	CAP_IDENTITY = 16,    /* tables number their rows themselves (AUTO_INCREMENT, SERIAL) */
	CAP_PREPARE = 32,     /* server-side prepared statements */
	CAP_ONE_WRITER = 64,  /* one writing transaction at a time in the whole database */
	CAP_REMOTE = 128,     /* a server does the work: calls wait, and use little CPU here */
};

/* One column of a table that is loaded in bulk. */
struct bulk_table {
	const char *name;           /* unquoted identifier */
	const char *const *columns; /* unquoted */
	unsigned ncolumns;
	bool fresh; /* created empty by this load, in this process: the driver may use what is legal
	               only then */
	bool whole; /* fresh, and this bulk load brings all of its rows */
};

/* One value of a bulk row. */
struct bulk_value {
	enum { BULK_NULL, BULK_INT, BULK_DOUBLE, BULK_TEXT } kind;
	int64_t i;
	double d;
	const char *text; /* BULK_TEXT: len bytes, valid during the call */
	size_t len;
};

/*
 * The hooks. Unless said otherwise: called by the connection's thread; return 0/CALL_DONE with the
 * outcome in conn->error (sql_error_set; SQL_OK left untouched); may block up to the driver's own
 * timeouts.
 */
struct driver_ops {
	const char *name;               /* as in --db-driver: "sqlite" */
	const char *title;              /* one line for --db-driver=help */
	unsigned caps;                  /* enum driver_caps */
	const struct opt_desc *options; /* "--NAME-..." options */
	const char *options_title;

	/* Once per process before the first connection, main thread; reads its options from
	 * env->options into env->impl; checks what can be checked without a server. 0, or -errno
	 * with `err`. */
	int (*open)(struct sql_env *env, struct err *err);
	/* Last; every connection is closed. */
	void (*close)(struct sql_env *env);

	/* The name that scripts are told; NULL: `name`. */
	const char *(*script_name)(struct sql_env *env);

	/* How many servers connections are spread over: conn->target modulo that number is the one
	 * of a connection. Appends the name of number i, "host:port" or a socket's path, to `name`
	 * (may be NULL). NULL: there is one. */
	unsigned (*targets)(const struct sql_env *env, unsigned i, struct strbuf *name);

	/* Connects conn (fresh, or after disconnect). May be pending. disconnect follows a failure.
	 */
	enum sql_call (*connect)(struct sql_conn *conn);
	/* Frees all driver data of the connection. driver.c has called stmt_close and result_free
	 * for what hung on it. conn->impl may be NULL (a connect that failed early). Never fails.
	 */
	void (*disconnect)(struct sql_conn *conn);
	/* True while a transaction is open on the server, as far as the client can know without
	 * asking it. */
	bool (*in_transaction)(struct sql_conn *conn);

	/* Runs one statement text (NUL-terminated at len). A statement with columns sets *result by
	 * sql_result_new; without, *result stays NULL and conn->affected is set. */
	enum sql_call (*query)(struct sql_conn *conn, const char *text, size_t len,
	                       struct sql_result **result);
	/* CAP_PREPARE: prepares stmt->text ('?' marks, stmt->nparams known); sets stmt->impl.
	 * Leaving it NULL without an error means that the engine cannot prepare this one: it is run
	 * as text. */
	enum sql_call (*prepare)(struct sql_stmt *stmt);
	/* CAP_PREPARE, may be NULL: parameters were bound to a statement that is prepared on this
	 * connection. For what depends on their types; it may wait for the server, and is not
	 * called on async connections. */
	enum sql_call (*bind)(struct sql_stmt *stmt);
	/* Runs it with stmt->params (all bound); a statement with columns reshapes and fills
	 * stmt->result (emptied before the call) and sets stmt->has_rows; one without sets
	 * conn->affected. */
	enum sql_call (*execute)(struct sql_stmt *stmt);
	/* Frees stmt->impl. Never fails, never talks to a lost server. */
	void (*stmt_close)(struct sql_stmt *stmt);

	/* Next row into result->values (strings as the engine's text form, NULL a null pointer).
	 * False: no more. Never talks to the server. */
	bool (*fetch)(struct sql_result *result);
	/* Frees result->impl (may be NULL). */
	void (*result_free)(struct sql_result *result);
	/* CAP_MULTI_RESULT: the next result of the last query into *result as query does;
	 * conn->more tells whether there is another. */
	enum sql_call (*next_result)(struct sql_conn *conn, struct sql_result **result);

	/* Appends a literal for a string to `out`, quotes included, as this engine and connection
	 * read it. */
	void (*quote)(struct sql_conn *conn, const char *text, size_t len, struct strbuf *out);

	/* CAP_ASYNC: continue a pending call; the descriptor and the events (POLLIN|POLLOUT) that
	 * it waits for. */
	enum sql_call (*poll)(struct sql_conn *conn);
	int (*wait_fd)(struct sql_conn *conn, short *events);

	/* CAP_PIPELINE: statements between begin and end are sent without waiting; end collects:
	 * the first failure is the outcome. */
	enum sql_call (*pipeline_begin)(struct sql_conn *conn);
	enum sql_call (*pipeline_end)(struct sql_conn *conn);

	/* CAP_BULK: rows of one table, fastest way that the engine has; begin opens a transaction
	 * or stream of its own, end commits it (commit true) or drops it. */
	enum sql_call (*bulk_begin)(struct sql_conn *conn, const struct bulk_table *table);
	enum sql_call (*bulk_row)(struct sql_conn *conn, const struct bulk_value *values);
	enum sql_call (*bulk_end)(struct sql_conn *conn, bool commit);

	/* Facts for the report: engine, version, durability and buffer settings, data_directory,
	 * path; *durable false when a commit may be lost by a power cut (with the reason as fact
	 * "durability_note"). Own statements, not measured. */
	void (*facts)(struct sql_conn *conn, struct kv *facts, bool *durable);
};

/* A driver opened with the options of this process. */
struct sql_env {
	const struct driver_ops *ops;
	const struct opt_set *options;
	const struct clock *clock;
	const struct log *log;
	uint64_t seed;    /* of the run: modelled delays, back-off */
	bool ps_disabled; /* --db-ps-mode=disable: statements are sent as text with literals */
	bool debug;       /* --db-debug */
	bool hash;        /* --db-hash */
	enum sql_dialect
	    dialect; /* how statement text reads; by the driver's name unless its open changes it */
	struct sql_errlist *retryable; /* from --NAME-ignore-errors; NULL: none */
	void *impl;                    /* the driver's */
};

/* A connection. Fields above the line are for callers to read. */
/* What a collector has let go and the connection's owner has yet to close: dropped.c. */
struct sql_dropped {
	struct sql_stmt *stmts;
	struct sql_result *results;
};

struct sql_conn {
	struct sql_env *env;
	unsigned owner;  /* client number: picks a random stream */
	unsigned target; /* which server of a list, modulo their number: the owner's number, unless
	                    changed before connecting */
	bool async;      /* asked for at sql_conn_new */
	bool connected;
	bool more;   /* another result waits (CAP_MULTI_RESULT) */
	bool piping; /* inside a pipeline that is one: a call that went well was only put on its way
	              */
	struct sql_error error; /* outcome of the last call; SQL_OK when it went well */
	uint64_t affected;      /* rows changed by the last statement */
	uint64_t warnings;      /* of the last statement */
	bool
	    undone; /* the driver's, with SQL_LOST: the server did not do the statement, for sure */
	bool alone; /* the last statement stood outside of a transaction; not kept for prepared
	               reads */
	bool more_lasts;   /* among the results that wait is one of a statement that would be
	                      SQL_UNKNOWN */
	unsigned epoch;    /* grows with each connect and disconnect: older statements are prepared
	                      again when next used */
	unsigned txn_hint; /* caller's: number of the transaction type that runs, 0..63; the driver
	                      may learn per type what it does */
	struct { /* what waiting for other writers cost, where the driver knows (SQLite) */
		uint64_t waits, wait_ns, timeouts;
	} lock;
	/* ---- the driver's and driver.c's ---- */
	void *impl;
	struct sql_stmt *stmts;     /* open statements */
	struct sql_result *results; /* results not yet freed */
	struct strbuf *scratch;     /* statement text with literals */
	uint64_t hash; /* of all statements, parameters and bulk rows so far, when --db-hash */
	struct sql_result *spare;   /* freed and kept for the next */
	struct sql_dropped dropped; /* dropped.c: under the caller's lock */
	bool pipe_open,
	    pipe_failed;       /* inside a pipeline; after its first failure nothing more is sent */
	unsigned bulk_columns; /* of the bulk load */
	struct sql_bulk *bulk; /* between bulk_begin and bulk_end of the multi-row INSERT */
	struct {               /* the pending call */
		enum {
			CALL_OF_NONE,
			CALL_OF_CONNECT,
			CALL_OF_PREPARE,
			CALL_OF_EXECUTE,
			CALL_OF_OTHER
		} kind;
		struct sql_stmt *stmt;
		const char *text; /* NULL: none */
		size_t len;
	} call;
};

/* A prepared statement. */
struct sql_stmt {
	struct sql_conn *conn; /* NULL after the connection was freed */
	char *text;            /* as given, '?' marks; owned */
	size_t len;
	enum sql_class class;
	unsigned nparams;              /* '?' marks outside quotes and comments */
	struct sql_param **params;     /* nparams; not owned; NULL entries: not bound */
	bool has_rows;                 /* last execution gave columns: `result` can be fetched */
	struct sql_result *result;     /* reused by each execution */
	unsigned epoch;                /* conn->epoch that it was prepared in; 0: never */
	bool emulated;                 /* run as text with literals */
	bool bound;                    /* all params are set */
	bool watched;                  /* not the short way: emulated, unbound, hashed or logged */
	void *impl;                    /* NULL when emulated or closed */
	unsigned label;                /* caller's: where it is tallied */
	const struct sql_result *told; /* caller's: the result that it knows; an emulated statement
	                                  gets others */
	struct sql_stmt *next, *prev;
	struct sql_conn *home; /* whose it was made for; never changes */
	struct sql_stmt *next_dropped;
};

/* Rows of one statement, all held by the client. */
struct sql_result {
	struct sql_conn
	    *conn; /* NULL once the connection was freed or dropped: then there are no more rows */
	unsigned nfields;
	uint64_t nrows;
	struct sql_value
	    *values;         /* nfields; the row last fetched; valid until the next fetch or free */
	unsigned room;       /* allocated values */
	uint64_t cursor;     /* the driver's; 0 when new or emptied */
	struct rowbuf *rows; /* for drivers that copy rows (rowbuf.h): made on demand, freed and
	                        reset by driver.c */
	void *impl;          /* for drivers whose library holds them */
	bool embedded;       /* belongs to a statement: sql_result_free only empties it */
	struct sql_result *next, *prev;
	struct sql_conn *home; /* whose it was made for; never changes */
	struct sql_result *next_dropped;
};

/* ---- registry ---- */

/* All compiled-in drivers, NULL-terminated; each was validated (hooks against caps) by
 * driver_check_all. */
const struct driver_ops *const *driver_all(void);
/* By name, or NULL. */
const struct driver_ops *driver_find(const char *name);
extern const struct driver_ops driver_null, driver_sqlite;
/* How SQLite is to be set up; for those who use it before the driver was opened, as what they use
 * would be set up otherwise. */
void driver_sqlite_configure(void);
#ifdef HAVE_MYSQL
extern const struct driver_ops driver_mysql;
#endif
#ifdef HAVE_PGSQL
extern const struct driver_ops driver_pgsql;
#endif

/* Checks every driver's table: hooks that its caps promise are there. 0, or -EINVAL with `err`
 * naming driver and hook. Called once by main. */
int driver_check_all(struct err *err);
int driver_check(const struct driver_ops *ops, struct err *err);

/* Options for all engines: --db-driver --db-ps-mode --db-cluster --db-debug --db-hash. */
extern const struct opt_desc sql_options[];

/* The list for --db-driver=help: a name and a title per line. */
void driver_print_all(FILE *out);

/* ---- for callers ---- */

/* Opens a driver. 0 and *env, or -errno with `err`. The options, clock and log must outlive it. */
int sql_env_open(struct sql_env **env, const struct driver_ops *ops, const struct opt_set *options,
                 const struct clock *clock, const struct log *log, uint64_t seed, struct err *err);
void sql_env_close(struct sql_env *env);
/* The driver's name as scripts are told it ("mysql" under --sqlite-pretend=mysql). */
const char *sql_script_name(struct sql_env *env);

/* How many servers connections are spread over, 1 or more; `name` (may be NULL) gets that of number
 * i, nothing from a driver without targets. */
unsigned sql_targets(const struct sql_env *env, unsigned i, struct strbuf *name);

/* A connection object, not connected. NULL: out of memory. */
struct sql_conn *sql_conn_new(struct sql_env *env, unsigned owner, bool async);
/* Disconnects and frees; statements still held by the caller stay valid objects (conn NULL:
 * sql_execute does nothing, sql_bind is -ENOTCONN) that the caller closes; results are empty. */
void sql_conn_free(struct sql_conn *conn);
/* Connects, after a disconnect when connected. */
enum sql_call sql_connect(struct sql_conn *conn);
void sql_disconnect(struct sql_conn *conn);

/*
 * Runs a text. *result: NULL, or rows to be freed by sql_result_free. Not connected: SQL_LOST. A
 * call that loses the connection disconnects; during COMMIT, or a write outside of a transaction,
 * the outcome is SQL_UNKNOWN. The text ends with a NUL at len and must stay while the call is
 * pending.
 */
enum sql_call sql_query(struct sql_conn *conn, const char *text, size_t len,
                        struct sql_result **result);
enum sql_call sql_next_result(struct sql_conn *conn, struct sql_result **result);
/* A statement; NULL with conn->error on failure. The text is copied. On an async connection it is
 * prepared by its first execution, and failures come then. */
struct sql_stmt *sql_prepare(struct sql_conn *conn, const char *text, size_t len);
/* Binds all parameters, none NULL; n must equal nparams (else -EINVAL with conn->error). The params
 * must stay until bound anew, unbound (n 0, params NULL) or closed; their types do not change
 * meanwhile. -EIO with conn->error: the server refused the statement with these types. */
int sql_bind(struct sql_stmt *stmt, struct sql_param *const *params, unsigned n);
enum sql_call sql_execute(struct sql_stmt *stmt);
void sql_stmt_close(struct sql_stmt *stmt); /* frees; NULL is fine; not while its call is pending */
bool sql_fetch(struct sql_result *result);
void sql_result_free(struct sql_result *result); /* NULL is fine */
enum sql_call sql_poll(struct sql_conn *conn);
int sql_wait_fd(struct sql_conn *conn, short *events);
bool sql_in_transaction(struct sql_conn *conn);
/* ROLLBACK if a transaction is open; a failing one disconnects, so that nothing half done can be
 * committed. True when the connection can be used: conn->error is then as before. Waits for the
 * server also on an async connection. */
bool sql_rollback(struct sql_conn *conn);
enum sql_call sql_pipeline_begin(
    struct sql_conn *conn); /* drivers without: nothing happens, statements run one by one */
enum sql_call sql_pipeline_end(struct sql_conn *conn);
/* As the hooks; a driver without CAP_BULK is served by multi-row INSERTs in one transaction. Not on
 * async connections. */
enum sql_call sql_bulk_begin(struct sql_conn *conn, const struct bulk_table *table);
enum sql_call sql_bulk_row(struct sql_conn *conn, const struct bulk_value *values);
enum sql_call sql_bulk_end(struct sql_conn *conn, bool commit);
void sql_facts(struct sql_conn *conn, struct kv *facts, bool *durable);

/*
 * Instead of sql_stmt_close and sql_result_free in a thread that may not use the connection: keeps
 * them for later. NULL is fine. One lock of the caller's covers these and sql_dropped_take; the
 * connection must still be there.
 */
void sql_stmt_drop(struct sql_stmt *stmt);
void sql_result_drop(struct sql_result *result);
/* What was dropped; to be given to sql_dropped_close in the connection's own thread. */
struct sql_dropped sql_dropped_take(struct sql_conn *conn);
void sql_dropped_close(struct sql_dropped dropped);

/* ---- for drivers ---- */

/* Sets conn->error; the text is made one line. SQL_FATAL is turned into SQL_RETRY when the code or
 * state is in env->retryable. state may be NULL (then "HY000"). */
void sql_error_set(struct sql_conn *conn, enum sql_outcome outcome, int code, const char *state,
                   const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* A result with nfields columns on conn's list; NULL: out of memory (error set). */
struct sql_result *sql_result_new(struct sql_conn *conn, unsigned nfields);
/* Makes an embedded result fit nfields columns. 0 or -ENOMEM. */
int sql_result_reshape(struct sql_result *result, unsigned nfields);

#endif
