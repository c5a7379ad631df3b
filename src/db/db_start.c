/* SPDX-License-Identifier: MIT */
/* What has to be settled before servers are started: directory, marker, programs, user, ports. */
#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"
#include "db/db_priv.h"

#define MEMORY_UNIT    1048576u
#define PORT_FIRST     20000u
#define PORT_COUNT     12000u /* below the range that the kernel hands out */
#define PORT_TRIES_MAX 2000u

/* ---- the directory ---- */

/* Only a new filesystem's own folder may be there. */
static int check_empty(const char *path, struct err *err)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int rc = 0;

	if (dir == NULL)
		return err_usage(err, "--dir=%s: %s; name another", path, strerror(errno));
	while (rc == 0 && (entry = readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    strcmp(entry->d_name, "lost+found") != 0)
			rc = err_usage(err,
			               "--dir=%s: is not empty (%s) and was not made by 'ioltp db "
			               "start'; name an empty or new directory",
			               path, entry->d_name);
	}
	closedir(dir);
	return rc;
}

static int enter_dir(struct db *db, const char *path, struct err *err)
{
	/* Servers and their shells read it from files of their own grammar. */
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	                            "/._-+@%:=~";

	if (mkdir(path, 0755) == 0)
		db->made_dir = true;
	else if (errno != EEXIST)
		return err_usage(err, "--dir=%s: cannot be made: %s; name another", path,
		                 strerror(errno));
	if (realpath(path, db->dir) == NULL)
		return err_usage(err, "--dir=%s: %s; name another", path, strerror(errno));
	if (strlen(db->dir) > DB_DIR_MAX)
		return err_usage(err, "--dir: the path is longer than %u bytes; name a shorter one",
		                 DB_DIR_MAX);
	if (db->dir[strspn(db->dir, plain)] != '\0')
		return err_usage(err,
		                 "--dir=%s: has a character ('%c') that settings files of servers "
		                 "cannot hold; name another",
		                 db->dir, db->dir[strspn(db->dir, plain)]);
	return db_lock(db, err);
}

static bool marker_is_there(const struct db *db)
{
	char path[PATH_MAX];
	struct stat st;

	db_marker_path(db, path);
	return lstat(path, &st) == 0;
}

/* ---- what was asked for ---- */

static int set_memory(struct db *db, const struct db_request *q, struct err *err)
{
	uint64_t machine = db_machine_memory();
	char has[32], wants[32], least[32], each[32];

	if (q->memory_bytes != 0)
		db->memory_bytes = q->memory_bytes;
	else if (db->memory_bytes == 0)
		db->memory_bytes = machine / 2 / MEMORY_UNIT * MEMORY_UNIT;
	units_format_size(has, sizeof(has), machine);
	units_format_size(wants, sizeof(wants), db->memory_bytes);
	units_format_size(least, sizeof(least), db->engine->memory_least);
	units_format_size(each, sizeof(each), db->memory_bytes / db->n);
	if (db->memory_bytes / db->n < db->engine->memory_least)
		return err_usage(err,
		                 "--memory: %s for %u instances is %s each; give each %s or more",
		                 wants, db->n, each, least);
	if (db->memory_bytes > machine)
		return err_usage(err, "--memory: %s is more than this machine's %s; give less",
		                 wants, has);
	return 0;
}

static int set_settings(struct db *db, const struct db_request *q, struct err *err)
{
	int rc = db_settings_check(db->engine, q->settings, q->nsettings, err);

	if (rc != 0 || q->nsettings == 0)
		return rc;
	for (unsigned i = 0; i < db->nsettings; i++)
		free(db->settings[i]);
	free(db->settings);
	db->nsettings = 0;
	db->settings = calloc(q->nsettings, sizeof(*db->settings));
	for (unsigned i = 0; db->settings != NULL && i < q->nsettings; i++) {
		db->settings[i] = strdup(q->settings[i]);
		if (db->settings[i] == NULL)
			return err_run(err, "db: out of memory");
		db->nsettings++;
	}
	return db->settings != NULL ? 0 : err_run(err, "db: out of memory");
}

static const char *default_user(const struct db_engine *e)
{
	const struct passwd *pw;

	if (geteuid() == 0)
		return getpwnam(e->account) != NULL ? e->account : "nobody";
	pw = getpwuid(geteuid());
	return pw != NULL ? pw->pw_name : "nobody";
}

static int new_db(struct db *db, const struct db_request *q, struct err *err)
{
	int rc = check_empty(db->dir, err);

	if (rc != 0)
		return rc;
	if (q->engine == NULL)
		return err_usage(err, "--engine: was not given; say --engine=mariadb or postgres");
	db->engine = db_engine_find(q->engine);
	if (db->engine == NULL)
		return err_usage(err, "--engine=%s: is none; say mariadb or postgres", q->engine);
	db->n = q->instances != 0 ? q->instances : 1;
	db->instances = calloc(db->n, sizeof(*db->instances));
	if (db->instances == NULL)
		return err_run(err, "db: out of memory");
	for (unsigned i = 0; i < db->n; i++)
		db->instances[i].number = i + 1;
	snprintf(db->user, sizeof(db->user), "%s",
	         q->user != NULL ? q->user : default_user(db->engine));
	return 0;
}

static int known_db(struct db *db, const struct db_request *q, struct err *err)
{
	int rc = db_marker_read(db, err);

	if (rc != 0)
		return rc;
	if (q->engine != NULL && strcmp(q->engine, db->engine->name) != 0)
		return err_usage(err,
		                 "--engine=%s: there are servers of %s in %s; purge them by 'ioltp "
		                 "db stop --purge', or name another directory",
		                 q->engine, db->engine->name, db->dir);
	if (q->instances != 0 && q->instances != db->n)
		return err_usage(err,
		                 "--instances=%u: there are %u in %s; leave it out, or purge them "
		                 "by 'ioltp db stop --purge'",
		                 q->instances, db->n, db->dir);
	if (q->user != NULL && strcmp(q->user, db->user) != 0)
		return err_usage(err, "--user=%s: the servers in %s are of %s; leave it out",
		                 q->user, db->dir, db->user);
	rc = db_check_users(db, err);
	for (unsigned i = 0; i < db->n; i++) {
		if (!db_alive(db, &db->instances[i]))
			db->instances[i].pid = 0;
	}
	/* Numbers of processes of an earlier boot are nobody's now. */
	db_boot_id(db->boot_id);
	return rc;
}

/* ---- ports and sockets ---- */

static bool port_taken(const struct db *db, unsigned port)
{
	for (unsigned i = 0; i < db->n; i++) {
		if (db->instances[i].port == port)
			return true;
	}
	return !db_port_free(port);
}

static unsigned find_port(const struct db *db)
{
	unsigned start = 0;

	if (getrandom(&start, sizeof(start), 0) != (ssize_t)sizeof(start))
		start = (unsigned)getpid();
	for (unsigned i = 0; i < PORT_TRIES_MAX; i++) {
		unsigned port = PORT_FIRST + (start + i) % PORT_COUNT;

		if (!port_taken(db, port))
			return port;
	}
	return 0;
}

static int set_port(struct db *db, const struct db_request *q, unsigned i, struct err *err)
{
	struct db_instance *in = &db->instances[i];

	if (q->port != 0) {
		in->port = q->port + i;
		if (in->port > 65535 || !db_port_free(in->port))
			return err_usage(err,
			                 "--port=%u: port %u of instance %u is taken or too high; "
			                 "leave it out to get free ones",
			                 q->port, in->port, in->number);
		return 0;
	}
	if (in->port != 0 && db_port_free(in->port))
		return 0;
	in->port = find_port(db);
	return in->port != 0
	           ? 0
	           : err_run(err, "instance %u: no free TCP port was found; give --port=N",
	                     in->number);
}

static int set_socket(struct db *db, unsigned i, const struct db_account *a, struct err *err)
{
	struct db_instance *in = &db->instances[i];
	struct strbuf path = STRBUF_INIT;
	char dir[PATH_MAX];
	int rc = 0;

	db_path(dir, "%s/%u/run", db->dir, in->number);
	db->engine->socket(in, dir, &path);
	if (path.len >= DB_SOCKET_MAX) {
		if (db->socket_dir[0] == '\0') {
			snprintf(db->socket_dir, DB_SOCKET_MAX, "/tmp/ioltp-db.XXXXXX");
			if (mkdtemp(db->socket_dir) == NULL)
				db->socket_dir[0] = '\0';
			else
				rc = chmod(db->socket_dir, 0755);
		}
		db_path(dir, "%s/%u", db->socket_dir, in->number);
		if (rc == 0)
			rc = db->socket_dir[0] != '\0' ? db_make_dir(dir, 0755, a) : -EIO;
		strbuf_reset(&path);
		db->engine->socket(in, dir, &path);
	}
	if (rc != 0 || path.failed)
		err_run(err,
		        "%s: the path is too long for sockets, and /tmp cannot hold them; use a "
		        "shorter --dir",
		        db->dir);
	else
		snprintf(in->socket, sizeof(in->socket), "%s", strbuf_str(&path));
	strbuf_fini(&path);
	return err_is_set(err) ? -EIO : 0;
}

/* ---- the start ---- */

static void set_version(struct db *db, const struct db_programs *p, const struct db_account *a)
{
	struct db_command *c = calloc(1, sizeof(*c));
	char line[sizeof(db->version)];

	if (c == NULL)
		return;
	db_arg(c, "%s", p->server);
	db_arg(c, "--version");
	if (db_first_line(c, a, line, sizeof(line)) == 0) {
		/* The path of the program goes before its name. */
		const char *word_end = line + strcspn(line, " ");
		const char *slash = memrchr(line, '/', (size_t)(word_end - line));
		const char *name = slash != NULL ? slash + 1 : line;

		memmove(db->version, name, strlen(name) + 1);
	}
	free(c);
}

static int write_password(const struct db *db, struct err *err)
{
	char path[PATH_MAX], password[34];
	int rc = db_password(password);

	db_password_path(db, path);
	if (rc == 0) {
		password[32] = '\n';
		password[33] = '\0';
		rc = db_write_file(path, password, 0600, (uid_t)-1, (gid_t)-1);
	}
	explicit_bzero(password, sizeof(password));
	return rc != 0
	           ? err_run(err, "%s: %s; use a directory that can be written, with space left",
	                     path, strerror(-rc))
	           : 0;
}

static int settle(struct db *db, const struct db_request *q, struct db_programs *p,
                  struct db_account *a, struct err *err)
{
	int rc = set_memory(db, q, err);

	if (rc == 0)
		rc = set_settings(db, q, err);
	if (rc == 0)
		rc = db->engine->find(p, q->bindir, err);
	if (rc == 0)
		rc = db_account_of(a, db->user, err);
	if (rc == 0 && !db_may_enter(a, db->dir))
		rc = err_usage(err,
		               "--dir=%s: the user %s, as whom the servers run, may not enter it; "
		               "name another, or another --user",
		               db->dir, db->user);
	for (unsigned i = 0; rc == 0 && i < db->n; i++) {
		if (db_alive(db, &db->instances[i]))
			continue;
		rc = set_port(db, q, i, err);
		if (rc == 0)
			rc = set_socket(db, i, a, err);
	}
	return rc;
}

/* What a start that failed has put into a directory that had no marker. */
static void undo(const struct db *db, bool marked)
{
	char path[PATH_MAX];

	if (marked) {
		db_marker_path(db, path);
		unlink(path);
		db_password_path(db, path);
		unlink(path);
	}
	if (db->socket_dir[0] != '\0')
		db_remove_tree(db->socket_dir);
	if (db->made_dir && db->dir[0] != '\0')
		rmdir(db->dir);
}

static int start_locked(struct db *db, const struct db_request *q, bool known, bool *marked,
                        struct err *err)
{
	struct db_programs p = {0};
	struct db_account a;
	int rc = known ? known_db(db, q, err) : new_db(db, q, err);

	if (rc == 0)
		rc = settle(db, q, &p, &a, err);
	if (rc != 0)
		return rc;
	set_version(db, &p, &a);
	db_settings_judge(db, q->log);
	*marked = true;
	if (!known)
		rc = write_password(db, err);
	if (rc == 0)
		rc = db_marker_write(db, err);
	if (rc == 0)
		rc = db_launch(db, q, &p, &a, err);
	return rc;
}

/* A start that failed has changed nothing: the marker says again what was set before. */
static void restore(struct db *db, struct db *before)
{
	struct err ignored = ERR_INIT;
	char **settings = db->settings;
	unsigned n = db->nsettings;

	db->settings = before->settings;
	db->nsettings = before->nsettings;
	db->memory_bytes = before->memory_bytes;
	before->settings = settings;
	before->nsettings = n;
	db_marker_write(db, &ignored);
}

int db_start(const struct db_request *q, struct db *db, struct err *err)
{
	struct db before = {.lock_fd = -1};
	bool known = false, marked = false;
	int rc;

	*db = (struct db){.lock_fd = -1};
	db_boot_id(db->boot_id);
	rc = enter_dir(db, q->dir, err);
	if (rc == 0) {
		known = marker_is_there(db);
		memcpy(before.dir, db->dir, sizeof(before.dir));
		if (known)
			rc = db_marker_read(&before, err);
		if (rc == 0)
			rc = start_locked(db, q, known, &marked, err);
	}
	if (rc != 0 && !known)
		undo(db, marked);
	else if (rc != 0 && marked)
		restore(db, &before);
	db_fini(&before);
	return rc;
}
