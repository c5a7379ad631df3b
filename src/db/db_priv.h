/* SPDX-License-Identifier: MIT */
/* db_priv: what the files of src/db share. Nobody else includes this. */
#ifndef IOLTP_DB_DB_PRIV_H
#define IOLTP_DB_DB_PRIV_H

#include <sys/types.h>

#include "base/strbuf.h"
#include "base/tree.h"
#include "db/db.h"

#define DB_ARGS_MAX 24u
#define DB_TEXT_MAX (PATH_MAX + 64)

/* Who runs servers. */
struct db_account {
	bool change; /* we are root and become that user */
	uid_t uid;
	gid_t gid;
};

/* Programs that were found. */
struct db_programs {
	char server[PATH_MAX];
	char install[PATH_MAX]; /* empty: the server installs itself */
	char basedir[PATH_MAX]; /* of --bindir; empty: the programs know it */
};

/* A program to run. */
struct db_command {
	char texts[DB_ARGS_MAX][DB_TEXT_MAX];
	unsigned n;
	char input[PATH_MAX]; /* standard input; empty: none */
};

/* A setting that makes commits less than durable. */
struct db_durability {
	const char *key;
	const char *safe; /* "a|b|c", any case */
};

struct db_engine {
	const char *name;
	const char *account;     /* its usual user */
	const char *package;     /* of Debian */
	uint64_t memory_least;   /* of an instance */
	int signal_stop;         /* ends it in order */
	int signal_quick;        /* at once */
	const char *const *ours; /* keys that --set must not have, with '_', NULL-terminated */
	const struct db_durability *durability; /* NULL key ends it */
	int (*find)(struct db_programs *p, const char *bindir, struct err *err);
	void (*socket)(const struct db_instance *in, const char *dir, struct strbuf *path);
	/* The settings file: our own settings, without the user's. */
	void (*settings)(const struct db *db, const struct db_instance *in, struct strbuf *out);
	void (*setting)(const char *key, const char *value, struct strbuf *out);
	const char *access; /* text of the file `access`, for a server that reads who may come in
	                       from one; NULL: none */
	/* Statements that make the user and the database. */
	void (*init_sql)(const char *password, struct strbuf *out);
	/* Step n (from 0) of making the data directory; false: there is no such step. */
	bool (*install)(const struct db *db, const struct db_instance *in,
	                const struct db_programs *p, unsigned step, struct db_command *c);
	void (*start)(const struct db *db, const struct db_instance *in,
	              const struct db_programs *p, struct db_command *c);
	/* True when what the server says first means that it takes connections. */
	bool (*greeting)(int fd);
	/* A process that uses the data directory, 0: none. */
	pid_t (*user_of)(const char *data);
};

extern const struct db_engine db_mariadb, db_postgres;
const struct db_engine *db_engine_find(const char *name);

/* ---- db_find.c ---- */
/* The first of `names` (NULL-terminated) that is a program in a folder of `dirs` ("a:b:c"). */
bool db_find_program(const char *dirs, const char *const *names, char path[PATH_MAX]);
/* The newest of /usr/lib/postgresql/VERSION/bin and its like that has the program. */
bool db_find_versioned(const char *const *patterns, const char *program, char dir[PATH_MAX]);

/* ---- db_files.c ---- */
int db_path(char path[PATH_MAX], const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A file in one step: written beside it, synced, renamed. `uid` -1: ours. 0 or -errno. */
int db_write_file(const char *path, const char *text, mode_t mode, uid_t uid, gid_t gid);
/* A directory of the account; one that is there is taken. 0 or -errno. */
int db_make_dir(const char *path, mode_t mode, const struct db_account *a);
/* Deletes a directory and all in it, without following links or crossing filesystems. 0 or -errno
 * of what stayed. */
int db_remove_tree(const char *path);
/* The line of a log that says most about a failure, of what was written behind the first `from`
 * bytes; "" when there is none. */
void db_log_line(const char *path, off_t from, char *line, size_t room);
/* Copies the end of a file to a new one in the folder for temporary files. 0 or -errno. */
int db_keep_log(const char *path, char kept[PATH_MAX]);
/* 32 hexadecimal digits of the kernel's random numbers. 0 or -errno. */
int db_password(char text[33]);

/* ---- db_json.c ---- */
/* JSON text into a tree. 0 or -EINVAL. */
int db_json_parse(const char *text, struct tree *t);
void db_json_text(struct strbuf *out, const char *text);

/* ---- db_marker.c ---- */
/* 0 or -errno with `err`. */
int db_marker_write(const struct db *db, struct err *err);
int db_marker_read(struct db *db, struct err *err);
void db_marker_path(const struct db *db, char path[PATH_MAX]);
/* Fills the boot's name. */
void db_boot_id(char id[64]);
/* Only one process at a time. 0, or -errno with `err`. */
int db_lock(struct db *db, struct err *err);

/* ---- db_process.c ---- */
int db_account_of(struct db_account *a, const char *name, struct err *err);
/* Starts a program as the account in a session of its own, with `log_fd` as output. 0, or -errno.
 */
int db_spawn(const struct db_command *c, const struct db_account *a, int log_fd, pid_t *pid);
void db_arg(struct db_command *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Start time of a process in ticks since boot; 0: it is not there, or has ended. */
uint64_t db_start_ticks(pid_t pid);
/* The process of the marker is there. */
bool db_alive(const struct db *db, const struct db_instance *in);
/* Sends a signal to it, and to no other that has its number by now. */
void db_signal(const struct db *db, const struct db_instance *in, int number);
/* The first line that a program writes. 0 or -errno. */
int db_first_line(const struct db_command *c, const struct db_account *a, char *line, size_t room);
/* The account may enter the directory. */
bool db_may_enter(const struct db_account *a, const char *dir);

/* ---- db_ping.c ---- */
/* Connects to the socket and reads the server's first words; up to `timeout_ms`. */
bool db_answers(const struct db_engine *e, const char *socket, int timeout_ms);
/* Nobody listens on the port. */
bool db_port_free(unsigned port);

/* ---- db_settings.c ---- */
/* The user's settings: form, and none of ours. 0 or -EINVAL with `err`. */
int db_settings_check(const struct db_engine *e, const char *const *settings, unsigned n,
                      struct err *err);
/* Warns of those that relax durability. */
void db_settings_judge(const struct db *db, const struct log *log);
/* The whole settings file. */
void db_settings_text(const struct db *db, const struct db_instance *in, struct strbuf *out);
/* What the machine has, as far as we may use it. */
uint64_t db_machine_memory(void);

/* ---- db_launch.c ---- */
/* Installs where needed and starts all instances that are not alive, several at a time. 0, or
 * -errno with `err`; then those it started have ended. */
int db_launch(struct db *db, const struct db_request *q, const struct db_programs *p,
              const struct db_account *a, struct err *err);

/* ---- db_stop.c ---- */
/* Signals those in `which` (NULL: all) and waits until they are gone; SIGKILL after the time.
 * Returns how many had to be killed. */
unsigned db_end(struct db *db, const bool *which, int number, uint64_t timeout_ns);
/* A process that uses the data directory of an instance that is not alive: not one of ours. 0, or
 * -errno with `err`. */
int db_check_users(const struct db *db, struct err *err);

#endif
