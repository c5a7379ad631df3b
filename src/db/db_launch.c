/* SPDX-License-Identifier: MIT */
/* Instances made and started, several at a time, by one loop that looks at each in turn. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "db/db_priv.h"

#define LOOK_US     20000
#define ANSWER_MS   200
#define END_TIME_NS 30000000000u

enum phase { WAITING, INSTALLING, STARTING, READY };

struct job {
	enum phase phase;
	unsigned step;    /* of the installation */
	pid_t pid;        /* child at work; 0: none */
	int log_fd;       /* -1: none */
	off_t log_from;   /* its length before this start */
	bool fresh;       /* its data directory is made by this start */
	bool ours;        /* its server is started by this start */
	char program[64]; /* what runs, for errors */
};

struct launch {
	struct db *db;
	const struct db_request *q;
	const struct db_programs *p;
	const struct db_account *a;
	struct job *jobs;
	unsigned busy; /* jobs between WAITING and READY */
	struct err *err;
};

/* ---- failures ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* "instance 2: WHAT: last line; see LOG" */
static int failed(struct launch *l, unsigned i, const char *what)
{
	char log[PATH_MAX], kept[PATH_MAX], line[512];

	db_log_path(l->db, i, log);
	db_log_line(log, l->jobs[i].log_from, line, sizeof(line));
	/* The directory of an instance that never was goes, and its log with it. */
	if (l->jobs[i].fresh && db_keep_log(log, kept) == 0)
		return err_run(l->err, "instance %u: %s: %s; see its log, kept as %s",
		               l->db->instances[i].number, what,
		               line[0] != '\0' ? line : "it said nothing", kept);
	return err_run(l->err, "instance %u: %s: %s; see its log %s", l->db->instances[i].number,
	               what, line[0] != '\0' ? line : "it said nothing", log);
}

static int failed_at(struct launch *l, unsigned i, const char *path, int rc)
{
	return err_run(l->err,
	               "instance %u: %s: %s; use a directory that can be written, with "
	               "space left",
	               l->db->instances[i].number, path, strerror(-rc));
}

static int ended(struct launch *l, unsigned i, int status)
{
	char what[512];

	if (WIFSIGNALED(status))
		snprintf(what, sizeof(what), "%s was ended by signal %d", l->jobs[i].program,
		         WTERMSIG(status));
	else
		snprintf(what, sizeof(what), "%s ended with status %d", l->jobs[i].program,
		         WEXITSTATUS(status));
	return failed(l, i, what);
}

/* ---- one instance ---- */

static int write_one(struct launch *l, unsigned i, const char *name, const char *text, bool secret)
{
	const bool give = secret && l->a->change;
	char path[PATH_MAX];
	int rc = db_path(path, "%s/%u/%s", l->db->dir, l->db->instances[i].number, name);

	if (rc == 0)
		rc = db_write_file(path, text, secret ? 0600 : 0644, give ? l->a->uid : (uid_t)-1,
		                   give ? l->a->gid : (gid_t)-1);
	return rc != 0 ? failed_at(l, i, path, rc) : 0;
}

static int read_password(const struct db *db, char password[64])
{
	char path[PATH_MAX];
	FILE *in;
	int rc;

	db_password_path(db, path);
	in = fopen(path, "re");
	rc = in == NULL || fgets(password, 64, in) == NULL ? -EIO : 0;
	if (in != NULL)
		fclose(in);
	if (rc == 0)
		password[strcspn(password, "\r\n")] = '\0';
	return rc;
}

static int write_files(struct launch *l, unsigned i)
{
	const struct db_engine *e = l->db->engine;
	struct strbuf text = STRBUF_INIT;
	char password[64];
	int rc;

	if (read_password(l->db, password) != 0)
		return err_run(l->err,
		               "%s/password: it cannot be read; purge the directory by 'ioltp db "
		               "stop --purge'",
		               l->db->dir);
	db_settings_text(l->db, &l->db->instances[i], &text);
	rc = write_one(l, i, "settings", strbuf_str(&text), false);
	strbuf_reset(&text);
	e->init_sql(password, &text);
	if (rc == 0)
		rc = write_one(l, i, "init.sql", strbuf_str(&text), true);
	if (rc == 0 && e->access != NULL)
		rc = write_one(l, i, "access", e->access, false);
	explicit_bzero(text.text, text.len);
	strbuf_fini(&text);
	return rc;
}

/* DIR/n is ours, so that the server cannot change what we write there; what it writes is below. */
static int make_dirs(struct launch *l, unsigned i)
{
	static const struct {
		const char *name;
		mode_t mode;
		bool theirs;
	} dirs[] = {
	    {"", 0755, false}, {"/data", 0700, true}, {"/tmp", 0700, true}, {"/run", 0755, true}};
	char path[PATH_MAX];
	int rc = 0;

	db_path(path, "%s/%u", l->db->dir, l->db->instances[i].number);
	if (!l->db->instances[i].made) {
		/* What an interrupted start may have left. */
		l->jobs[i].fresh = true;
		rc = db_remove_tree(path);
	}
	for (unsigned k = 0; rc == 0 && k < 4; k++) {
		db_path(path, "%s/%u%s", l->db->dir, l->db->instances[i].number, dirs[k].name);
		rc = db_make_dir(path, dirs[k].mode, dirs[k].theirs ? l->a : NULL);
	}
	return rc != 0 ? failed_at(l, i, path, rc) : 0;
}

static int open_log(struct launch *l, unsigned i)
{
	char path[PATH_MAX];

	db_log_path(l->db, i, path);
	l->jobs[i].log_fd =
	    open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (l->jobs[i].log_fd < 0)
		return failed_at(l, i, path, -errno);
	l->jobs[i].log_from = lseek(l->jobs[i].log_fd, 0, SEEK_END);
	return 0;
}

static int spawn(struct launch *l, unsigned i, const struct db_command *c)
{
	struct job *j = &l->jobs[i];
	int rc;

	snprintf(j->program, sizeof(j->program), "%.63s", base_name(c->texts[0]));
	rc = db_spawn(c, l->a, j->log_fd, &j->pid);
	if (rc != 0)
		return err_run(l->err,
		               "instance %u: %s: could not be started: %s; correct --bindir",
		               l->db->instances[i].number, c->texts[0], strerror(-rc));
	return 0;
}

static int start_server(struct launch *l, unsigned i, struct db_command *c)
{
	struct db_instance *in = &l->db->instances[i];
	struct job *j = &l->jobs[i];
	int rc;

	*c = (struct db_command){0};
	l->db->engine->start(l->db, in, l->p, c);
	rc = spawn(l, i, c);
	if (rc != 0)
		return rc;
	j->phase = STARTING;
	j->ours = true;
	in->pid = (unsigned)j->pid;
	in->start_ticks = db_start_ticks(j->pid);
	return db_marker_write(l->db, l->err);
}

/* The next step of the installation, or the start behind the last. */
static int next_step(struct launch *l, unsigned i)
{
	struct db_command *c = calloc(1, sizeof(*c));
	struct db_instance *in = &l->db->instances[i];
	struct job *j = &l->jobs[i];
	int rc;

	if (c == NULL)
		return err_run(l->err, "db: out of memory");
	if (!in->made && l->db->engine->install(l->db, in, l->p, j->step, c)) {
		j->step++;
		j->phase = INSTALLING;
		rc = spawn(l, i, c);
	} else {
		rc = start_server(l, i, c);
	}
	free(c);
	return rc;
}

static int begin(struct launch *l, unsigned i)
{
	int rc = make_dirs(l, i);

	if (rc == 0)
		rc = open_log(l, i);
	if (rc == 0)
		rc = write_files(l, i);
	if (rc == 0)
		rc = next_step(l, i);
	l->busy += rc == 0;
	return rc;
}

static int become_ready(struct launch *l, unsigned i)
{
	struct job *j = &l->jobs[i];

	j->phase = READY;
	l->busy--;
	l->db->instances[i].made = true;
	close(j->log_fd);
	j->log_fd = -1;
	return db_marker_write(l->db, l->err);
}

static int look(struct launch *l, unsigned i, unsigned limit)
{
	struct job *j = &l->jobs[i];
	int status = 0;

	if (j->phase == READY)
		return 0;
	if (j->phase == WAITING)
		return l->busy < limit ? begin(l, i) : 0;
	if (waitpid(j->pid, &status, WNOHANG) == j->pid) {
		j->pid = 0;
		if (j->phase == INSTALLING && WIFEXITED(status) && WEXITSTATUS(status) == 0)
			return next_step(l, i);
		return ended(l, i, status);
	}
	if (j->phase == STARTING &&
	    db_answers(l->db->engine, l->db->instances[i].socket, ANSWER_MS))
		return become_ready(l, i);
	return 0;
}

/* ---- all of them ---- */

static int too_long(struct launch *l)
{
	char what[128];
	unsigned i = 0;

	while (i + 1 < l->db->n && (l->jobs[i].phase == READY || l->jobs[i].phase == WAITING))
		i++;
	snprintf(what, sizeof(what), "%s is not ready after %g s (--timeout)", l->jobs[i].program,
	         (double)l->q->timeout_ns / 1e9);
	return failed(l, i, what);
}

static int run_jobs(struct launch *l)
{
	const uint64_t until = clock_mono_ns() + l->q->timeout_ns;
	unsigned limit = cpu_available() < 2 ? 2 : cpu_available();
	unsigned ready = 0;
	int rc = 0;

	while (rc == 0 && ready < l->db->n) {
		ready = 0;
		for (unsigned i = 0; rc == 0 && i < l->db->n; i++) {
			rc = look(l, i, limit);
			ready += l->jobs[i].phase == READY;
		}
		if (rc == 0 && l->q->signal != NULL && *l->q->signal != 0)
			rc =
			    err_run(l->err, "start: stopped by signal %d; what was begun is undone",
			            (int)*l->q->signal);
		if (rc == 0 && ready < l->db->n && clock_mono_ns() >= until)
			rc = too_long(l);
		if (rc == 0 && ready < l->db->n)
			usleep(LOOK_US);
	}
	return rc;
}

/* Ends what this start began, and deletes what it made. */
static void undo(struct launch *l)
{
	bool which[DB_INSTANCES_MAX] = {false};
	bool all_fresh = true;
	char path[PATH_MAX];

	for (unsigned i = 0; i < l->db->n; i++) {
		struct job *j = &l->jobs[i];

		if (j->pid != 0 && !j->ours) {
			/* Its helpers are in its session. */
			kill(-j->pid, SIGKILL);
			waitpid(j->pid, NULL, 0);
		}
		which[i] = j->ours;
		all_fresh = all_fresh && (!j->ours || j->fresh);
	}
	db_end(l->db, which, all_fresh ? l->db->engine->signal_quick : l->db->engine->signal_stop,
	       END_TIME_NS);
	for (unsigned i = 0; i < l->db->n; i++) {
		if (l->jobs[i].ours && l->jobs[i].pid != 0)
			waitpid(l->jobs[i].pid, NULL, WNOHANG);
		if (!l->jobs[i].fresh)
			continue;
		db_path(path, "%s/%u", l->db->dir, l->db->instances[i].number);
		db_remove_tree(path);
		l->db->instances[i].made = false;
	}
}

int db_launch(struct db *db, const struct db_request *q, const struct db_programs *p,
              const struct db_account *a, struct err *err)
{
	struct launch l = {.db = db, .q = q, .p = p, .a = a, .err = err};
	int rc;

	l.jobs = calloc(db->n, sizeof(*l.jobs));
	if (l.jobs == NULL)
		return err_run(err, "db: out of memory");
	for (unsigned i = 0; i < db->n; i++)
		l.jobs[i] = (struct job){.phase = db_alive(db, &db->instances[i]) ? READY : WAITING,
		                         .log_fd = -1};
	rc = run_jobs(&l);
	if (rc != 0)
		undo(&l);
	for (unsigned i = 0; i < db->n; i++) {
		if (l.jobs[i].log_fd >= 0)
			close(l.jobs[i].log_fd);
	}
	free(l.jobs);
	return rc;
}
