/* SPDX-License-Identifier: MIT */
/* PostgreSQL. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "db/db_priv.h"

#define MIB 1048576u

static const char *const patterns[] = {"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin",
                                       "/usr/lib/postgresql*/bin", NULL};
static const char *const servers[] = {"postgres", NULL};
static const char *const installers[] = {"initdb", NULL};

static int find(struct db_programs *p, const char *bindir, struct err *err)
{
	char dir[PATH_MAX];
	const char *path = getenv("PATH");

	if (bindir != NULL)
		snprintf(dir, sizeof(dir), "%s", bindir);
	else if (!db_find_versioned(patterns, "initdb", dir))
		snprintf(dir, sizeof(dir), "%s:/usr/local/pgsql/bin", path != NULL ? path : "");
	if (db_find_program(dir, servers, p->server) &&
	    db_find_program(dir, installers, p->install))
		return 0;
	if (bindir != NULL)
		return err_usage(err,
		                 "--bindir=%s: there is no postgres and initdb; name the folder of "
		                 "the server's programs",
		                 bindir);
	return err_usage(err, "postgres: no postgres and initdb were found; install the package "
	                      "postgresql, or name its folder by --bindir");
}

static void socket_path(const struct db_instance *in, const char *dir, struct strbuf *path)
{
	strbuf_addf(path, "%s/.s.PGSQL.%u", dir, in->port);
}

static void setting(const char *key, const char *value, struct strbuf *out)
{
	strbuf_addf(out, "%s = '", key);
	for (; *value != '\0'; value++) {
		if (*value == '\'' || *value == '\\')
			strbuf_addc(out, *value);
		strbuf_addc(out, *value);
	}
	strbuf_adds(out, "'\n");
}

static void settings(const struct db *db, const struct db_instance *in, struct strbuf *out)
{
	uint64_t share_mib = db->memory_bytes / db->n / MIB;
	uint64_t wal_mib = share_mib < 1024 ? 1024 : share_mib > 16384 ? 16384 : share_mib;
	char dir[PATH_MAX];

	snprintf(dir, sizeof(dir), "%s", in->socket);
	*strrchr(dir, '/') = '\0';
	strbuf_addf(out, "hba_file = '%s/%u/access'\n", db->dir, in->number);
	setting("listen_addresses", "127.0.0.1", out);
	strbuf_addf(out, "port = %u\n", in->port);
	setting("unix_socket_directories", dir, out);
	strbuf_adds(out, "fsync = on\nsynchronous_commit = on\nfull_page_writes = on\n"
	                 "wal_level = replica\nmax_wal_senders = 0\n");
	strbuf_addf(out, "shared_buffers = %lluMB\neffective_cache_size = %lluMB\n",
	            (unsigned long long)share_mib * 2 / 5, (unsigned long long)share_mib);
	strbuf_addf(out, "maintenance_work_mem = %lluMB\n",
	            (unsigned long long)(share_mib / 16 < 16 ? 16 : share_mib / 16));
	strbuf_addf(out, "max_wal_size = %lluMB\nmin_wal_size = 80MB\n",
	            (unsigned long long)wal_mib);
	strbuf_adds(out, "checkpoint_timeout = 15min\ncheckpoint_completion_target = 0.9\n"
	                 "max_connections = 1000\nmax_locks_per_transaction = 128\n"
	                 "random_page_cost = 1.1\neffective_io_concurrency = 200\n"
	                 "lc_messages = 'C'\npassword_encryption = 'scram-sha-256'\n");
}

/* In the form of a server alone with its data directory: a statement a line. */
static void init_sql(const char *password, struct strbuf *out)
{
	strbuf_addf(out, "ALTER ROLE postgres PASSWORD '%s';\n", password);
	strbuf_addf(out, "CREATE ROLE " DB_USER " LOGIN PASSWORD '%s';\n", password);
	strbuf_adds(out, "GRANT pg_monitor TO " DB_USER ";\n"
	                 "CREATE DATABASE " DB_USER " OWNER " DB_USER ";\n");
}

static bool install(const struct db *db, const struct db_instance *in, const struct db_programs *p,
                    unsigned step, struct db_command *c)
{
	if (step == 0) {
		db_arg(c, "%s", p->install);
		db_arg(c, "--pgdata=%s/%u/data", db->dir, in->number);
		db_arg(c, "--username=postgres");
		/* Who may come in is said by our own file, `access`. */
		db_arg(c, "--auth=reject");
		db_arg(c, "--encoding=UTF8");
		db_arg(c, "--no-locale");
	} else if (step == 1) {
		db_arg(c, "%s", p->server);
		db_arg(c, "--single");
		db_arg(c, "-D");
		db_arg(c, "%s/%u/data", db->dir, in->number);
		db_arg(c, "-c");
		db_arg(c, "config_file=%s/%u/settings", db->dir, in->number);
		db_arg(c, "postgres");
		db_path(c->input, "%s/%u/init.sql", db->dir, in->number);
	}
	return step < 2;
}

static void start(const struct db *db, const struct db_instance *in, const struct db_programs *p,
                  struct db_command *c)
{
	db_arg(c, "%s", p->server);
	db_arg(c, "-D");
	db_arg(c, "%s/%u/data", db->dir, in->number);
	db_arg(c, "-c");
	db_arg(c, "config_file=%s/%u/settings", db->dir, in->number);
}

/* A client speaks first. 'R' asks for the password: the server takes connections. 'E' with SQLSTATE
 * 57P03 is a server that still starts or already ends; with another one it does answer. */
static bool greeting(int fd)
{
	static const char hello[] = "\0\0\0\0"
	                            "\0\3\0\0"
	                            "user\0" DB_USER "\0database\0" DB_USER "\0";
	char message[sizeof(hello)], answer[1024];
	ssize_t n;

	memcpy(message, hello, sizeof(hello));
	message[3] = (char)sizeof(hello);
	if (send(fd, message, sizeof(message), MSG_NOSIGNAL) != (ssize_t)sizeof(message))
		return false;
	n = recv(fd, answer, sizeof(answer), 0);
	if (n <= 0)
		return false;
	return answer[0] == 'R' ||
	       (answer[0] == 'E' && memmem(answer, (size_t)n, "57P03", 5) == NULL);
}

/* The first line of postmaster.pid, which a server leaves behind only when it was killed. */
static pid_t user_of(const char *data)
{
	char path[PATH_MAX], comm[64], name[32] = "";
	FILE *in = NULL;
	int pid = 0;

	if (db_path(path, "%s/postmaster.pid", data) == 0)
		in = fopen(path, "re");
	if (in == NULL)
		return 0;
	if (fscanf(in, "%d", &pid) != 1 || pid <= 1)
		pid = 0;
	fclose(in);
	if (pid == 0 || db_start_ticks(pid) == 0)
		return 0;
	/* After a restart of the machine the number may be anybody's. */
	snprintf(comm, sizeof(comm), "/proc/%d/comm", pid);
	in = fopen(comm, "re");
	if (in == NULL)
		return pid;
	if (fscanf(in, "%31s", name) != 1)
		name[0] = '\0';
	fclose(in);
	return strncmp(name, "postgres", 8) == 0 || strncmp(name, "postmaster", 10) == 0 ? pid : 0;
}

static const char *const ours[] = {"data_directory",
                                   "config_file",
                                   "hba_file",
                                   "ident_file",
                                   "listen_addresses",
                                   "port",
                                   "unix_socket_directories",
                                   "external_pid_file",
                                   "logging_collector",
                                   "log_destination",
                                   NULL};

static const struct db_durability durability[] = {
    {"fsync", "on|1|true|yes"},
    {"synchronous_commit", "on|1|true|yes|local|remote_write|remote_apply"},
    {"full_page_writes", "on|1|true|yes"},
    {NULL, NULL},
};

const struct db_engine db_postgres = {
    .name = "postgres",
    .account = "postgres",
    .package = "postgresql",
    .memory_least = 64 * MIB,
    .signal_stop = SIGINT,
    .signal_quick = SIGQUIT,
    .ours = ours,
    .durability = durability,
    .find = find,
    .socket = socket_path,
    .settings = settings,
    .setting = setting,
    .init_sql = init_sql,
    .install = install,
    .access = "local all all scram-sha-256\nhost all all 127.0.0.1/32 scram-sha-256\n",
    .start = start,
    .greeting = greeting,
    .user_of = user_of,
};
