/* SPDX-License-Identifier: MIT */
/* How servers are, and how they end. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "db/db_priv.h"

#define LOOK_US   20000
#define ANSWER_MS 2000
#define KILLED_US 10000000
#define LINGER_US 5000000

enum db_state db_state(const struct db *db, unsigned i)
{
	const struct db_instance *in = &db->instances[i];

	if (in->pid == 0)
		return DB_STOPPED;
	if (!db_alive(db, in))
		return DB_DEAD;
	return db_answers(db->engine, in->socket, ANSWER_MS) ? DB_RUNNING : DB_SILENT;
}

const char *db_state_name(enum db_state state)
{
	static const char *const names[] = {"stopped", "running", "silent", "dead"};

	return names[state];
}

/* ---- ending ---- */

static unsigned count_alive(const struct db *db, const bool *which)
{
	unsigned n = 0;

	for (unsigned i = 0; i < db->n; i++)
		n += (which == NULL || which[i]) && db_alive(db, &db->instances[i]);
	return n;
}

static void signal_all(const struct db *db, const bool *which, int number)
{
	for (unsigned i = 0; i < db->n; i++) {
		if (which == NULL || which[i])
			db_signal(db, &db->instances[i], number);
	}
}

/* Returns how many are left. */
static unsigned wait_all(const struct db *db, const bool *which, uint64_t timeout_us)
{
	unsigned left;

	for (uint64_t waited = 0; (left = count_alive(db, which)) != 0 && waited < timeout_us;
	     waited += LOOK_US)
		usleep(LOOK_US);
	return left;
}

unsigned db_end(struct db *db, const bool *which, int number, uint64_t timeout_ns)
{
	unsigned left;

	signal_all(db, which, number);
	/* One that was stopped (SIGSTOP) could not hear it. */
	signal_all(db, which, SIGCONT);
	left = wait_all(db, which, timeout_ns / 1000);
	if (left != 0) {
		signal_all(db, which, SIGKILL);
		wait_all(db, which, KILLED_US);
	}
	for (unsigned i = 0; i < db->n; i++) {
		struct db_instance *in = &db->instances[i];

		if ((which == NULL || which[i]) && !db_alive(db, in)) {
			in->pid = 0;
			in->start_ticks = 0;
		}
	}
	return left;
}

/* ---- purging ---- */

/* One that was just killed may hold its files for a moment: its threads end one by one. */
static pid_t lasting_user(const struct db *db, unsigned i)
{
	char data[PATH_MAX];
	pid_t pid;

	db_data_path(db, i, data);
	for (unsigned waited = 0; (pid = db->engine->user_of(data)) != 0 && waited < LINGER_US;
	     waited += LOOK_US)
		usleep(LOOK_US);
	return pid;
}

int db_check_users(const struct db *db, struct err *err)
{
	for (unsigned i = 0; i < db->n; i++) {
		pid_t pid = db_alive(db, &db->instances[i]) ? 0 : lasting_user(db, i);

		if (pid != 0)
			return err_run(err,
			               "%s/%u/data: process %d, which ioltp did not start, uses "
			               "it; end it first",
			               db->dir, db->instances[i].number, (int)pid);
	}
	return 0;
}

static int refuse_remove(const char *path, int rc, struct err *err)
{
	return err_run(err, "%s: could not be deleted: %s; delete it by hand", path, strerror(-rc));
}

static int purge_all(const struct db *db, struct err *err)
{
	char path[PATH_MAX];
	int rc = 0;

	for (unsigned i = 0; i < db->n; i++) {
		db_path(path, "%s/%u", db->dir, db->instances[i].number);
		rc = db_remove_tree(path);
		if (rc != 0)
			return refuse_remove(path, rc, err);
	}
	if (db->socket_dir[0] != '\0')
		db_remove_tree(db->socket_dir);
	db_password_path(db, path);
	if (unlink(path) != 0 && errno != ENOENT)
		return refuse_remove(path, -errno, err);
	db_marker_path(db, path);
	if (unlink(path) != 0 && errno != ENOENT)
		return refuse_remove(path, -errno, err);
	/* A directory that was there before stays; so does one with things of others in it. */
	if (db->made_dir)
		rmdir(db->dir);
	return 0;
}

int db_stop(struct db *db, bool purge, uint64_t timeout_ns, const struct log *log, struct err *err)
{
	int number = purge ? db->engine->signal_quick : db->engine->signal_stop;
	unsigned killed = db_end(db, NULL, number, timeout_ns);
	struct err ignored = ERR_INIT;
	int rc;

	if (killed != 0)
		log_warn(log, "%u of %u servers did not end within %g s and were killed", killed,
		         db->n, (double)timeout_ns / 1e9);
	for (unsigned i = 0; i < db->n; i++) {
		if (db_alive(db, &db->instances[i]))
			return err_run(err,
			               "instance %u: process %u cannot be ended; it waits for its "
			               "drive, or belongs to somebody else: try as root",
			               db->instances[i].number, db->instances[i].pid);
	}
	/* A full disk is a reason to purge, and not one to refuse it. */
	rc = db_marker_write(db, purge ? &ignored : err);
	if (!purge)
		return rc;
	rc = db_check_users(db, err);
	return rc == 0 ? purge_all(db, err) : rc;
}
