/* SPDX-License-Identifier: MIT */
/*
 * db: throw-away database servers of installed binaries, each with a data directory of its own
 * below one directory, DIR. What was made there, and which processes were started, is written in
 * the marker file DIR/ioltp-db.json before it is done: a server that is not in it is never touched.
 *
 *   DIR/ioltp-db.json   the marker
 *   DIR/password        of the user sbtest, readable by its owner alone
 *   DIR/1/              instance 1: data/ tmp/ run/ are the server's; settings and log are ours
 *
 * A process counts as started here when its number and its start time are those of the marker, in
 * the same boot of the machine. One thread at a time; two processes exclude each other by a lock.
 */
#ifndef IOLTP_DB_DB_H
#define IOLTP_DB_DB_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"

#define DB_INSTANCES_MAX 64u
#define DB_USER          "sbtest" /* the user and the database that runs use */
#define DB_SOCKET_MAX    108u     /* sun_path, with its NUL */
#define DB_DIR_MAX       3500u    /* longest DIR: what is below it still fits PATH_MAX */

struct db_engine;

struct db_instance {
	unsigned number;            /* from 1; its directory is DIR/number */
	unsigned port;              /* TCP, on 127.0.0.1 */
	unsigned pid;               /* 0: not started, or stopped by us */
	uint64_t start_ticks;       /* of the process, since boot */
	bool made;                  /* its data directory was completed once */
	char socket[DB_SOCKET_MAX]; /* path of the Unix socket */
};

struct db {
	char dir[PATH_MAX]; /* absolute */
	const struct db_engine *engine;
	char version[160]; /* as the server tells it */
	char user[64];     /* who the servers run as */
	char boot_id[64];
	uint64_t memory_bytes; /* of all instances */
	char **settings;       /* "key=value" of the user */
	unsigned nsettings;
	bool made_dir;                  /* DIR did not exist before */
	char socket_dir[DB_SOCKET_MAX]; /* where DIR is too long for sockets: made for them; else
	                                   empty */
	struct db_instance *instances;
	unsigned n;
	int lock_fd; /* of DIR; -1: none */
};

/* What a start is asked for; 0 and NULL: not given. */
struct db_request {
	const char *dir;
	const char *engine;    /* "mariadb", "postgres" */
	unsigned instances;    /* default 1 */
	uint64_t memory_bytes; /* of all; default: half of the machine's */
	const char *const *settings;
	unsigned nsettings;
	const char *bindir;
	const char *user;
	unsigned port; /* of the first instance; default: free ones */
	uint64_t timeout_ns;
	const struct log *log;
	const volatile sig_atomic_t *signal; /* asks to end */
};

/* DB_SILENT: the process is there, but does not answer. */
enum db_state { DB_STOPPED, DB_RUNNING, DB_SILENT, DB_DEAD };

/*
 * Makes and starts what is not running. 0, or -errno with `err`; then what this start made and
 * started is gone again. `db` is to be freed by db_fini in either case.
 */
int db_start(const struct db_request *q, struct db *db, struct err *err);

/* Reads the marker of DIR. `lock`: no other process may change it until db_fini. 0, or -errno with
 * `err`; db_fini in either case. */
int db_open(struct db *db, const char *dir, bool lock, struct err *err);
void db_fini(struct db *db);

/* Asks the process and the server; up to 2 s. */
enum db_state db_state(const struct db *db, unsigned i);
const char *db_state_name(enum db_state state);

/*
 * Ends the servers that were started, in order, or by force after `timeout_ns`. `purge`: at once,
 * and deletes what was made in DIR. 0, or -errno with `err`.
 */
int db_stop(struct db *db, bool purge, uint64_t timeout_ns, const struct log *log, struct err *err);

const char *db_engine_name(const struct db *db);
/* Into PATH_MAX bytes. */
void db_data_path(const struct db *db, unsigned i, char path[PATH_MAX]);
void db_log_path(const struct db *db, unsigned i, char path[PATH_MAX]);
void db_password_path(const struct db *db, char path[PATH_MAX]);

#endif
