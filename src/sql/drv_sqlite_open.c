/* SPDX-License-Identifier: MIT */
/* Options of the SQLite driver, and what can be checked before the first connection. */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sql/drv_sqlite.h"

const struct opt_desc sqlite_options[] = {
    {.name = "sqlite-path",
     .type = OPT_STRING,
     .def = "ioltp.db",
     .help = "database file; its directory must be on the drive under test"},
    {.name = "sqlite-pragma",
     .type = OPT_LIST,
     .flags = OPT_REPEAT,
     .help = "NAME=VALUE, applied to each connection and read back; may be repeated"},
    {.name = "sqlite-synchronous",
     .type = OPT_ENUM,
     .def = "full",
     .choices = "full|normal|off|extra",
     .help = "when commits are flushed to the drive; full is what servers do by default"},
    {.name = "sqlite-journal-mode",
     .type = OPT_ENUM,
     .def = "wal",
     .choices = "wal|delete|truncate|persist|memory|off",
     .help = "kind of journal"},
    {.name = "sqlite-cache-size",
     .type = OPT_SIZE,
     .help = "page cache of each connection; SQLite's own default is about 2 MiB"},
    {.name = "sqlite-mmap-size",
     .type = OPT_SIZE,
     .help = "bytes of the file that are read through a memory map"},
    {.name = "sqlite-vfs",
     .type = OPT_STRING,
     .help = "name of the VFS (SQLite's layer to the system) that connections use"},
    {.name = "sqlite-begin",
     .type = OPT_ENUM,
     .def = "auto",
     .choices = "auto|deferred|immediate|exclusive",
     .help = "what a plain BEGIN is: auto is immediate, and deferred for transaction types that "
             "were seen to "
             "write nothing"},
    {.name = "sqlite-busy-timeout",
     .type = OPT_TIME,
     .def = "5s",
     .help = "how long a statement waits for locks"},
    {.name = "sqlite-ignore-errors",
     .type = OPT_LIST,
     .def = "5,6",
     .help = "errors after which a transaction is run again: SQLite's numbers, or `all`; 5 (busy) "
             "and 6 "
             "(locked) include their extended codes"},
    {.name = "sqlite-pretend",
     .type = OPT_ENUM,
     .choices = "mysql|pgsql",
     .help = "tell scripts that this is that engine, and rewrite what SQLite does not read, for "
             "scripts that "
             "know only those"},
    OPT_END};

/* ---- the file ---- */

static int check_directory(const char *path, struct err *err)
{
	char *directory = strdup(path), *slash;
	struct stat st;
	int rc = 0;

	if (directory == NULL)
		return err_run(err, "out of memory");
	slash = strrchr(directory, '/');
	slash[slash == directory ? 1 : 0] = '\0';
	if (stat(directory, &st) != 0)
		rc = err_usage(
		    err, "--sqlite-path=%s: directory %s: %s; create it or choose another path",
		    path, directory, strerror(errno));
	else if (!S_ISDIR(st.st_mode))
		rc = err_usage(err, "--sqlite-path=%s: %s is no directory; choose another path",
		               path, directory);
	else if (access(directory, W_OK | X_OK) != 0)
		rc = err_usage(
		    err,
		    "--sqlite-path=%s: directory %s cannot be written: %s; SQLite keeps its "
		    "journal beside the file: change its permissions or choose another path",
		    path, directory, strerror(errno));
	free(directory);
	return rc;
}

static int check_header(const char *path, struct err *err)
{
	static const char magic[16] = "SQLite format 3";
	char header[sizeof(magic)];
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n;

	if (fd < 0)
		return err_usage(err, "--sqlite-path=%s: %s; choose another path", path,
		                 strerror(errno));
	n = read(fd, header, sizeof(header));
	close(fd);
	if (n == 0 || (n == sizeof(header) && memcmp(header, magic, sizeof(magic)) == 0))
		return 0;
	return err_usage(
	    err,
	    "--sqlite-path=%s: the file is not an SQLite database; choose another path or move "
	    "that file away",
	    path);
}

static int check_path(const char *path, struct err *err)
{
	struct stat st;

	if (check_directory(path, err) != 0)
		return -EINVAL;
	if (stat(path, &st) != 0) {
		if (errno == ENOENT)
			return 0; /* SQLite creates it */
		return err_usage(err, "--sqlite-path=%s: %s; choose another path", path,
		                 strerror(errno));
	}
	if (!S_ISREG(st.st_mode))
		return err_usage(
		    err, "--sqlite-path=%s: this is no regular file; choose another path", path);
	if (access(path, R_OK | W_OK) != 0)
		return err_usage(
		    err, "--sqlite-path=%s: %s; change its permissions or choose another path",
		    path, strerror(errno));
	return check_header(path, err);
}

/* A path that SQLite takes for nothing but a path: not as a URI, not as ":memory:". */
static char *plain_path(const char *path)
{
	const size_t len = strlen(path);
	char *plain = malloc(len + 3);

	if (plain == NULL)
		return NULL;
	strcpy(plain, path[0] == '/' || path[0] == '.' ? "" : "./");
	strcat(plain, path);
	return plain;
}

/* ---- opening ---- */

static enum begin_mode begin_mode_of(const char *name)
{
	switch (name[0]) {
	case 'd':
		return BEGIN_DEFERRED;
	case 'i':
		return BEGIN_IMMEDIATE;
	case 'e':
		return BEGIN_EXCLUSIVE;
	default:
		return BEGIN_AUTO;
	}
}

static int check_pragmas(const struct opt_set *options, struct err *err)
{
	const char *const *pragmas;
	const unsigned n = opt_list(options, "sqlite-pragma", &pragmas);

	for (unsigned i = 0; i < n; i++) {
		const size_t name_len = strspn(pragmas[i], "abcdefghijklmnopqrstuvwxyz"
		                                           "ABCDEFGHIJKLMNOPQRSTUVWXYZ_.");

		if (name_len == 0 || pragmas[i][name_len] != '=' ||
		    pragmas[i][name_len + 1] == '\0' || strchr(pragmas[i], ';') != NULL)
			return err_usage(err, "--sqlite-pragma=%s: not NAME=VALUE", pragmas[i]);
		if (strncasecmp(pragmas[i], "busy_timeout=", 13) == 0)
			return err_usage(err,
			                 "--sqlite-pragma=%s: use --sqlite-busy-timeout instead",
			                 pragmas[i]);
	}
	return 0;
}

static int read_options(struct sql_env *env, struct sqlite_env *e, struct err *err)
{
	const char *path = opt_str(env->options, "sqlite-path");
	const char *pretend = opt_str(env->options, "sqlite-pretend");

	if (path == NULL || path[0] == '\0')
		return err_usage(err, "--sqlite-path: the path is empty; give a file");
	if (strcmp(path, ":memory:") == 0)
		return err_usage(
		    err, "--sqlite-path=:memory:: a database in memory belongs to one connection; "
		         "use a file, in /dev/shm if need be");
	e->path = plain_path(path);
	if (e->path == NULL)
		return err_run(err, "out of memory");
	e->journal_mode = opt_str(env->options, "sqlite-journal-mode");
	e->synchronous = opt_str(env->options, "sqlite-synchronous");
	e->begin = begin_mode_of(opt_str(env->options, "sqlite-begin"));
	e->busy_timeout_ns = opt_time_ns(env->options, "sqlite-busy-timeout");
	if (pretend != NULL && strcmp(pretend, "mysql") == 0)
		e->pretend = PRETEND_MYSQL;
	else if (pretend != NULL && strcmp(pretend, "pgsql") == 0)
		e->pretend = PRETEND_PGSQL;
	if (check_pragmas(env->options, err) != 0)
		return -EINVAL;
	return check_path(e->path, err);
}

void driver_sqlite_configure(void)
{
	/* Connections are never shared between threads, and nobody asks how much memory SQLite
	 * uses: no locks for either. Refused once SQLite is in use, which does no harm. */
	sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

int sqlite_open(struct sql_env *env, struct err *err)
{
	struct sqlite_env *e = calloc(1, sizeof(*e));
	int rc;

	if (e == NULL)
		return err_run(err, "out of memory");
	rc = read_options(env, e, err);
	if (rc != 0) {
		free(e->path);
		free(e);
		return rc;
	}
	driver_sqlite_configure();
	rc = sqlite3_initialize();
	if (rc != SQLITE_OK) {
		free(e->path);
		free(e);
		return err_run(err, "SQLite %s does not start: %s", sqlite3_libversion(),
		               sqlite3_errstr(rc));
	}
	if (opt_str(env->options, "sqlite-vfs") != NULL &&
	    sqlite3_vfs_find(opt_str(env->options, "sqlite-vfs")) == NULL) {
		free(e->path);
		free(e);
		return err_usage(err,
		                 "--sqlite-vfs=%s: SQLite has no VFS of that name; leave it out",
		                 opt_str(env->options, "sqlite-vfs"));
	}
	sqlite_turn_init(&e->turn);
	pthread_mutex_init(&e->connecting, NULL);
	if (e->pretend == PRETEND_MYSQL)
		env->dialect = DIALECT_MYSQL;
	else if (e->pretend == PRETEND_PGSQL)
		env->dialect = DIALECT_PGSQL;
	env->impl = e;
	return 0;
}

void sqlite_close(struct sql_env *env)
{
	struct sqlite_env *e = env->impl;

	sqlite_turn_fini(&e->turn);
	pthread_mutex_destroy(&e->connecting);
	free(e->path);
	free(e);
}

const char *sqlite_script_name(struct sql_env *env)
{
	switch (((const struct sqlite_env *)env->impl)->pretend) {
	case PRETEND_MYSQL:
		return "mysql";
	case PRETEND_PGSQL:
		return "pgsql";
	case PRETEND_NONE:
	default:
		return NULL;
	}
}
