/* SPDX-License-Identifier: MIT */
/* Processes: started to outlive this one, and found again by number and start time. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/db_priv.h"

/* A program that only tells its version. */
#define FIRST_LINE_MS 10000

int db_account_of(struct db_account *a, const char *name, struct err *err)
{
	const struct passwd *pw = getpwnam(name);

	*a = (struct db_account){.change = geteuid() == 0};
	if (pw == NULL)
		return err_usage(err, "--user=%s: there is no such user; name another", name);
	if (!a->change && pw->pw_uid != geteuid())
		return err_usage(err,
		                 "--user=%s: only root can start servers as somebody else; leave "
		                 "it out",
		                 name);
	if (pw->pw_uid == 0)
		return err_usage(
		    err, "--user=%s: servers do not run as root; name an unprivileged user", name);
	a->uid = pw->pw_uid;
	a->gid = pw->pw_gid;
	return 0;
}

static int become(const struct db_account *a)
{
	if (!a->change)
		return 0;
	if (setgroups(1, &a->gid) != 0 || setgid(a->gid) != 0 || setuid(a->uid) != 0)
		return -errno;
	return 0;
}

bool db_may_enter(const struct db_account *a, const char *dir)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0)
		_exit(become(a) == 0 && access(dir, X_OK) == 0 ? 0 : 1);
	if (pid < 0)
		return true;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void db_arg(struct db_command *c, const char *fmt, ...)
{
	va_list ap;

	if (c->n == DB_ARGS_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(c->texts[c->n++], sizeof(c->texts[0]), fmt, ap);
	va_end(ap);
}

/* In the child: everything that it must not inherit is let go. Returns only on failure. */
static int run_child(const struct db_command *c, const struct db_account *a, int log_fd)
{
	/* What the caller's environment holds for these programs (PGDATA, MYSQL_HOME ...) is meant
	 * for others. */
	static char path[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	static char locale[] = "LC_ALL=C", home[] = "HOME=/";
	char libraries[PATH_MAX + 32];
	char *env[] = {path, locale, home, NULL, NULL};
	char *argv[DB_ARGS_MAX + 1];
	struct rlimit files;
	sigset_t none;
	int in;

	for (unsigned i = 0; i < c->n; i++)
		argv[i] = (char *)c->texts[i];
	argv[c->n] = NULL;
	if (getenv("LD_LIBRARY_PATH") != NULL) {
		snprintf(libraries, sizeof(libraries), "LD_LIBRARY_PATH=%s",
		         getenv("LD_LIBRARY_PATH"));
		env[3] = libraries;
	}
	setsid();
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	umask(0077);
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	/* Before the change of user: it is ours, and may hold a password. */
	in = open(c->input[0] != '\0' ? c->input : "/dev/null", O_RDONLY | O_CLOEXEC);
	if (in < 0 || dup2(in, 0) < 0 || dup2(log_fd, 1) < 0 || dup2(log_fd, 2) < 0)
		return -errno;
	if (chdir("/") != 0)
		return -errno;
	if (become(a) != 0)
		return -errno;
	execve(argv[0], argv, env);
	return -errno;
}

int db_spawn(const struct db_command *c, const struct db_account *a, int log_fd, pid_t *pid)
{
	int told[2], rc = 0;
	ssize_t n;

	if (pipe2(told, O_CLOEXEC) != 0)
		return -errno;
	*pid = fork();
	if (*pid == 0) {
		rc = run_child(c, a, log_fd);
		n = write(told[1], &rc, sizeof(rc));
		_exit(n == (ssize_t)sizeof(rc) ? 126 : 127);
	}
	close(told[1]);
	if (*pid < 0) {
		rc = -errno;
		close(told[0]);
		return rc;
	}
	/* Ends without a word when the program has begun. */
	do {
		n = read(told[0], &rc, sizeof(rc));
	} while (n < 0 && errno == EINTR);
	close(told[0]);
	if (n == 0)
		return 0;
	while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
		;
	*pid = 0;
	return n == (ssize_t)sizeof(rc) && rc < 0 ? rc : -EIO;
}

/* ---- found again ---- */

uint64_t db_start_ticks(pid_t pid)
{
	char path[64], text[1024];
	unsigned long long ticks = 0;
	char state = '\0';
	const char *rest;
	size_t n;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	in = fopen(path, "re");
	if (in == NULL)
		return 0;
	n = fread(text, 1, sizeof(text) - 1, in);
	fclose(in);
	text[n] = '\0';
	/* The name in brackets may hold anything, brackets too. */
	rest = strrchr(text, ')');
	if (rest == NULL ||
	    sscanf(rest + 1,
	           " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d "
	           "%llu",
	           &state, &ticks) != 2)
		return 0;
	return state == 'Z' || state == 'X' ? 0 : ticks;
}

static bool same_boot(const struct db *db)
{
	char now[sizeof(db->boot_id)];

	db_boot_id(now);
	return strcmp(now, db->boot_id) == 0;
}

bool db_alive(const struct db *db, const struct db_instance *in)
{
	return in->pid != 0 && in->start_ticks != 0 && same_boot(db) &&
	       db_start_ticks((pid_t)in->pid) == in->start_ticks;
}

void db_signal(const struct db *db, const struct db_instance *in, int number)
{
	int fd;

	if (in->pid == 0)
		return;
	/* The descriptor stays with the process; its number may pass to another at any moment. */
	fd = (int)syscall(SYS_pidfd_open, (pid_t)in->pid, 0);
	if (fd >= 0) {
		if (db_alive(db, in))
			syscall(SYS_pidfd_send_signal, fd, number, NULL, 0);
		close(fd);
	} else if (errno == ENOSYS && db_alive(db, in)) {
		kill((pid_t)in->pid, number);
	}
}

/* ---- what a program says ---- */

static int read_line(int fd, char *line, size_t room)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t used = 0;

	while (used + 1 < room) {
		ssize_t n;

		if (poll(&p, 1, FIRST_LINE_MS) <= 0)
			return -ETIMEDOUT;
		n = read(fd, line + used, room - 1 - used);
		if (n <= 0)
			break;
		used += (size_t)n;
		if (memchr(line, '\n', used) != NULL)
			break;
	}
	line[used] = '\0';
	line[strcspn(line, "\r\n")] = '\0';
	return line[0] != '\0' ? 0 : -EIO;
}

int db_first_line(const struct db_command *c, const struct db_account *a, char *line, size_t room)
{
	int said[2], rc;
	pid_t pid;

	line[0] = '\0';
	if (pipe2(said, O_CLOEXEC) != 0)
		return -errno;
	rc = db_spawn(c, a, said[1], &pid);
	close(said[1]);
	if (rc == 0) {
		rc = read_line(said[0], line, room);
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(said[0]);
	return rc;
}
