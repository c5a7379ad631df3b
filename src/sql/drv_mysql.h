/* SPDX-License-Identifier: MIT */
/* drv_mysql: what the files of the MySQL and MariaDB driver share. Nobody else includes this. */
#ifndef IOLTP_SQL_DRV_MYSQL_H
#define IOLTP_SQL_DRV_MYSQL_H

#include "sql/driver.h"
#include "sql/drv_mysql_compat.h"

#define MYDRV_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Where clients connect to; a connection uses its target modulo their number. */
struct mydrv_target {
	const char *host;   /* NULL: the library's default */
	unsigned port;      /* 0: the library's default */
	const char *socket; /* NULL: none was named */
};

/* Values of option files; owned strings, NULL where the files say nothing. */
struct mydrv_file {
	char *user, *password, *database, *host, *port, *socket;
	char *ssl_ca, *ssl_cert, *ssl_key, *ssl_cipher;
};

/* What all connections share; read-only once open, but for the marked. */
struct mydrv_env {
	const char *user, *password, *db;
	const char *ssl_key, *ssl_cert, *ssl_ca, *ssl_cipher;
	const char *compression; /* NULL: off */
	enum mydrv_tls tls;
	unsigned connect_timeout_s, read_timeout_s; /* 0: none */
	bool dry_run, trace;
	int no_infile; /* atomic: LOAD DATA LOCAL is off or was refused */
	struct mydrv_target *targets;
	unsigned ntargets;
	struct mydrv_file file;
	char *password_text; /* of --mysql-password-file; owned */
};

struct mydrv_load;  /* rows for LOAD DATA, drv_mysql_bulk.c */
struct mydrv_array; /* rows for array binding, drv_mysql_array.c */
struct mydrv_reads; /* how answers are waited for, drv_mysql_read.c */

struct mydrv_conn {
	MYSQL *mysql;              /* NULL: dry run */
	struct mydrv_stmt *source; /* the statement whose further results wait; NULL: a text's */
	bool asked_infile;         /* the server was asked whether it takes LOAD DATA LOCAL */
	struct mydrv_load *load;   /* between bulk_begin and bulk_end */
	struct mydrv_array *array;
	struct mydrv_reads *reads; /* NULL: the library's way */
};

/* A column of a prepared statement's rows. */
struct mydrv_column {
	char *buf;
	unsigned long room, len;
	mydrv_flag is_null, cut;
};

struct mydrv_stmt {
	MYSQL_STMT *handle; /* NULL: dry run */
	struct mydrv_conn *conn;
	struct sql_result *result; /* of the last execution; its rows are in the handle */
	/* parameters */
	MYSQL_BIND *binds;
	const struct sql_param **params; /* as bound; NULL: not yet */
	int *types;                      /* theirs at that time */
	unsigned long *lens;             /* of texts */
	unsigned nparams;
	/* columns; made when rows are first fetched */
	unsigned ncolumns;
	MYSQL_BIND *outs;
	struct mydrv_column *columns;
	bool outs_bound;
};

/* impl of a result is a MYSQL_RES, or a statement whose handle holds the rows: then its lowest bit
 * is set. An emulated statement's result is of the first kind too, so `embedded` does not tell. */
static inline struct mydrv_stmt *mydrv_result_stmt(const struct sql_result *result)
{
	const uintptr_t impl = (uintptr_t)result->impl;

	return (impl & 1) != 0 ? (struct mydrv_stmt *)(impl - 1) : NULL;
}

extern const struct opt_desc mydrv_options[];

static inline const struct mydrv_env *mydrv_env(const struct sql_conn *conn)
{
	return conn->env->impl;
}

/* --mysql-debug: a line per call of the client library. */
void mydrv_trace(struct sql_conn *conn, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define MYDRV_TRACE(conn, ...)                                                                     \
	do {                                                                                       \
		if (MYDRV_UNLIKELY(mydrv_env(conn)->trace))                                        \
			mydrv_trace((conn), __VA_ARGS__);                                          \
	} while (0)

/* ---- drv_mysql_options.c, drv_mysql_file.c ---- */
int mydrv_open(struct sql_env *env, struct err *err);
void mydrv_close(struct sql_env *env);
unsigned mydrv_targets(const struct sql_env *env, unsigned i, struct strbuf *name);
/* Reads [client] and [ioltp] of `path`, or of ~/.my.cnf when NULL (which need not exist). 0, or
 * -errno with `err`. */
int mydrv_file_read(struct mydrv_file *file, const char *path, const struct log *log,
                    struct err *err);
void mydrv_file_fini(struct mydrv_file *file);

/* ---- drv_mysql_conn.c ---- */
enum sql_call mydrv_connect(struct sql_conn *conn);
void mydrv_disconnect(struct sql_conn *conn);
bool mydrv_in_transaction(struct sql_conn *conn);
void mydrv_quote(struct sql_conn *conn, const char *text, size_t len, struct strbuf *out);

/* ---- drv_mysql_read.c ---- */

/* Makes a new connection wait in one system call; timeout_s 0: for ever. */
void mydrv_reads_tune(struct mydrv_conn *mc, unsigned timeout_s);
/* After mysql_close. */
void mydrv_reads_free(struct mydrv_conn *mc);

/* ---- drv_mysql_error.c ---- */

/* Sets conn->error from the library's. */
void mydrv_failed(struct sql_conn *conn);
void mydrv_stmt_failed(struct sql_conn *conn, MYSQL_STMT *handle);
/* The same with what to do about it, for connects. */
void mydrv_connect_failed(struct sql_conn *conn, const struct mydrv_target *target, unsigned code,
                          const char *state, const char *text);
void mydrv_no_memory(struct sql_conn *conn, const char *what);

/* ---- drv_mysql_query.c ---- */
enum sql_call mydrv_query(struct sql_conn *conn, const char *text, size_t len,
                          struct sql_result **result);
enum sql_call mydrv_next_result(struct sql_conn *conn, struct sql_result **result);
bool mydrv_fetch(struct sql_result *result);
void mydrv_result_free(struct sql_result *result);
/* Reads results that nobody asked for, so that the next statement can be sent. False: one of them
 * was an error, which is in conn->error. */
bool mydrv_drain(struct sql_conn *conn);
/* Runs a text of the driver's own, without rows. False: conn->error tells why. */
bool mydrv_run(struct sql_conn *conn, const char *text);

/* ---- drv_mysql_stmt.c, drv_mysql_fetch.c ---- */
enum sql_call mydrv_prepare(struct sql_stmt *stmt);
enum sql_call mydrv_execute(struct sql_stmt *stmt);
void mydrv_stmt_close(struct sql_stmt *stmt);
/* The next of a statement's rows, all read from the server, into `values` of ms->ncolumns. False:
 * no more, or out of memory. */
bool mydrv_stmt_fetch(struct mydrv_stmt *ms, struct sql_value *values);
/* Fits the columns to what the statement now gives. False: out of memory. */
bool mydrv_stmt_columns(struct mydrv_stmt *ms, unsigned ncolumns);
void mydrv_stmt_columns_free(struct mydrv_stmt *ms);

/* ---- drv_mysql_bulk.c, drv_mysql_array.c ---- */
enum sql_call mydrv_bulk_begin(struct sql_conn *conn, const struct bulk_table *table);
enum sql_call mydrv_bulk_row(struct sql_conn *conn, const struct bulk_value *values);
enum sql_call mydrv_bulk_end(struct sql_conn *conn, bool commit);
/* Frees what a load has gathered. */
void mydrv_bulk_drop(struct mydrv_conn *mc);
/* Makes the library ask us, and never the file system, for a local file. */
void mydrv_infile_handler(struct mydrv_conn *mc);
bool mydrv_array_begin(struct sql_conn *conn, const struct bulk_table *table);
bool mydrv_array_row(struct sql_conn *conn, const struct bulk_value *values);
bool mydrv_array_flush(struct sql_conn *conn);
void mydrv_array_drop(struct mydrv_conn *mc);
/* "`a`": a name as an identifier. */
void mydrv_add_name(struct strbuf *out, const char *name);

/* ---- drv_mysql_facts.c ---- */
void mydrv_facts(struct sql_conn *conn, struct kv *facts, bool *durable);

#endif
