/* SPDX-License-Identifier: MIT */
/* MariaDB, and MySQL where there is no MariaDB. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "db/db_priv.h"

#define MIB 1048576u

/* Where the programs are installed, beside PATH. */
#define USUAL_DIRS                                                                                 \
	"/usr/sbin:/usr/bin:/usr/libexec:/usr/local/sbin:/usr/local/bin:/usr/local/libexec:"       \
	"/usr/local/mysql/bin:/usr/local/mysql/scripts:/usr/local/mariadb/bin:"                    \
	"/usr/local/mariadb/scripts"

static const char *const servers[] = {"mariadbd", "mysqld", NULL};
static const char *const installers[] = {"mariadb-install-db", "mysql_install_db", NULL};

static int find(struct db_programs *p, const char *bindir, struct err *err)
{
	const char *path = getenv("PATH");
	struct strbuf dirs = STRBUF_INIT;
	bool found;

	if (bindir != NULL) {
		strbuf_addf(&dirs, "%s:%s/../sbin:%s/../libexec:%s/../bin:%s/../scripts", bindir,
		            bindir, bindir, bindir, bindir);
		if (db_path(p->basedir, "%s/..", bindir) != 0)
			p->basedir[0] = '\0';
	} else {
		strbuf_addf(&dirs, "%s:%s", path != NULL ? path : "", USUAL_DIRS);
	}
	found = db_find_program(strbuf_str(&dirs), servers, p->server);
	if (found)
		db_find_program(strbuf_str(&dirs), installers, p->install);
	strbuf_fini(&dirs);
	if (found)
		return 0;
	if (bindir != NULL)
		return err_usage(err,
		                 "--bindir=%s: there is no mariadbd or mysqld; name the folder of "
		                 "the server's programs",
		                 bindir);
	return err_usage(err, "mariadb: no mariadbd or mysqld was found; install the package "
	                      "mariadb-server, or name its folder by --bindir");
}

static void socket_path(const struct db_instance *in, const char *dir, struct strbuf *path)
{
	(void)in;
	strbuf_addf(path, "%s/sock", dir);
}

/* The redo log: as large as what it may have to redo, as long as that is no waste of the drive. */
static uint64_t log_bytes(uint64_t pool_bytes)
{
	const uint64_t least = 96 * MIB, most = 4096ull * MIB;

	return pool_bytes < least ? least : pool_bytes > most ? most : pool_bytes;
}

static void settings(const struct db *db, const struct db_instance *in, struct strbuf *out)
{
	uint64_t share = db->memory_bytes / db->n;
	uint64_t pool = share / 4 * 3 / (8 * MIB) * (8 * MIB);

	strbuf_adds(out, "[mysqld]\n");
	strbuf_addf(out, "datadir = %s/%u/data\n", db->dir, in->number);
	strbuf_addf(out, "tmpdir = %s/%u/tmp\n", db->dir, in->number);
	strbuf_addf(out, "socket = %s\n", in->socket);
	strbuf_addf(out, "pid-file = %s/%u/run/pid\n", db->dir, in->number);
	strbuf_addf(out, "port = %u\nbind-address = 127.0.0.1\nskip-name-resolve\n", in->port);
	/* Each commit is on the drive before it is acknowledged, by one log: no binary log. */
	strbuf_adds(out, "innodb-flush-log-at-trx-commit = 1\nskip-log-bin\nsync-binlog = 1\n"
	                 "innodb-doublewrite = ON\ninnodb-flush-method = O_DIRECT\n");
	strbuf_addf(out, "innodb-buffer-pool-size = %llu\n", (unsigned long long)pool);
	strbuf_addf(out, "innodb-log-file-size = %llu\n", (unsigned long long)log_bytes(pool));
	strbuf_adds(out, "innodb-io-capacity = 2000\ninnodb-io-capacity-max = 20000\n"
	                 "innodb-flush-neighbors = 0\nloose-innodb-buffer-pool-dump-at-shutdown = "
	                 "OFF\nloose-innodb-buffer-pool-load-at-startup = OFF\n");
	strbuf_adds(out, "max-connections = 1000\nmax-prepared-stmt-count = 1000000\n"
	                 "table-open-cache = 4096\nlocal-infile = 1\n"
	                 "character-set-server = utf8mb4\nloose-mysqlx = OFF\n"
	                 "performance-schema = OFF\n");
}

static void setting(const char *key, const char *value, struct strbuf *out)
{
	/* A '#' would begin a comment. */
	const char *quote = strpbrk(value, "# ;") != NULL && strchr(value, '"') == NULL ? "\"" : "";

	strbuf_addf(out, "%s = %s%s%s\n", key, quote, value, quote);
}

static void init_sql(const char *password, struct strbuf *out)
{
	static const char *const hosts[] = {"localhost", "127.0.0.1"};

	strbuf_adds(out, "CREATE DATABASE IF NOT EXISTS " DB_USER ";\n");
	for (unsigned i = 0; i < 2; i++) {
		strbuf_addf(out,
		            "CREATE USER IF NOT EXISTS '" DB_USER "'@'%s' IDENTIFIED BY '%s';\n",
		            hosts[i], password);
		strbuf_addf(out, "GRANT ALL ON " DB_USER ".* TO '" DB_USER "'@'%s';\n", hosts[i]);
		strbuf_addf(out, "GRANT PROCESS, RELOAD ON *.* TO '" DB_USER "'@'%s';\n", hosts[i]);
	}
}

static bool install(const struct db *db, const struct db_instance *in, const struct db_programs *p,
                    unsigned step, struct db_command *c)
{
	if (step > 0)
		return false;
	if (p->install[0] == '\0') {
		/* MySQL installs itself; its root gets a random password. */
		db_arg(c, "%s", p->server);
		db_arg(c, "--defaults-file=%s/%u/settings", db->dir, in->number);
		db_arg(c, "--initialize");
		return true;
	}
	db_arg(c, "%s", p->install);
	db_arg(c, "--defaults-file=%s/%u/settings", db->dir, in->number);
	if (p->basedir[0] != '\0')
		db_arg(c, "--basedir=%s", p->basedir);
	db_arg(c, "--datadir=%s/%u/data", db->dir, in->number);
	db_arg(c, "--skip-test-db");
	db_arg(c, "--auth-root-authentication-method=socket");
	return true;
}

static void start(const struct db *db, const struct db_instance *in, const struct db_programs *p,
                  struct db_command *c)
{
	db_arg(c, "%s", p->server);
	db_arg(c, "--defaults-file=%s/%u/settings", db->dir, in->number);
	if (p->basedir[0] != '\0')
		db_arg(c, "--basedir=%s", p->basedir);
	db_arg(c, "--init-file=%s/%u/init.sql", db->dir, in->number);
}

/* The server speaks first: 3 bytes of length, a number, and 10 (its protocol) or 255 (an error,
 * such as too many connections; it does answer). */
static bool greeting(int fd)
{
	unsigned char head[5];
	size_t used = 0;

	while (used < sizeof(head)) {
		ssize_t n = recv(fd, head + used, sizeof(head) - used, 0);

		if (n <= 0)
			return false;
		used += (size_t)n;
	}
	return head[4] == 10 || head[4] == 255;
}

/* InnoDB holds a lock on its first file while it runs. */
static pid_t user_of(const char *data)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char path[PATH_MAX];
	pid_t pid = 0;
	int fd;

	if (db_path(path, "%s/ibdata1", data) != 0)
		return 0;
	fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
		pid = lock.l_pid;
	close(fd);
	return pid;
}

static const char *const ours[] = {"datadir",         "data",      "tmpdir",        "socket",
                                   "pid_file",        "port",      "user",          "basedir",
                                   "bind_address",    "init_file", "defaults_file", "log_error",
                                   "skip_networking", NULL};

static const struct db_durability durability[] = {
    {"innodb_flush_log_at_trx_commit", "1"},
    {"innodb_doublewrite", "on|1|true|yes"},
    {"innodb_flush_method", "O_DIRECT|fsync|O_DSYNC|normal"},
    {"sync_binlog", "1"},
    {NULL, NULL},
};

const struct db_engine db_mariadb = {
    .name = "mariadb",
    .account = "mysql",
    .package = "mariadb-server",
    .memory_least = 64 * MIB,
    .signal_stop = 15,
    .signal_quick = 9,
    .ours = ours,
    .durability = durability,
    .find = find,
    .socket = socket_path,
    .settings = settings,
    .setting = setting,
    .init_sql = init_sql,
    .install = install,
    .start = start,
    .greeting = greeting,
    .user_of = user_of,
};
