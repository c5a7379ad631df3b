/* SPDX-License-Identifier: MIT */
#include "trace/system.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sysfs.h"

/* ---- one process ---- */

struct process {
	pid_t pid, parent;
	uint64_t ticks, children_ticks; /* of CPU time; of children that have ended */
	char name[32];
	bool marked;
};

static bool read_process(struct process *p, pid_t pid)
{
	unsigned long long user, system;
	long long children_user, children_system;
	char text[1024], *open, *close;
	int parent;

	*p = (struct process){.pid = pid};
	if (sysfs_read("", text, sizeof(text), "/proc/%d/stat", (int)pid) <= 0)
		return false;
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (open == NULL || close == NULL || close < open ||
	    sscanf(close + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %lld %lld",
	           &parent, &user, &system, &children_user, &children_system) != 5)
		return false;
	snprintf(p->name, sizeof(p->name), "%.*s", (int)(close - open - 1), open + 1);
	p->parent = parent;
	p->ticks = user + system;
	p->children_ticks = (uint64_t)(children_user + children_system);
	return true;
}

static uint64_t value_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at != NULL ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* Adds what /proc/PID/io says; it holds what ended children did too. False: no right to read it. */
static bool add_io(struct captured_process *out, const char *who)
{
	char text[512];

	if (sysfs_read("", text, sizeof(text), "/proc/%s/io", who) <= 0)
		return false;
	out->rchar += value_of(text, "rchar: ");
	out->wchar += value_of(text, "wchar: ");
	out->read_bytes += value_of(text, "\nread_bytes: ");
	out->written_bytes += value_of(text, "\nwrite_bytes: ");
	return true;
}

/* ---- all processes ---- */

struct list {
	struct process *all;
	size_t n, room;
};

static void list_processes(struct list *l)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	*l = (struct list){0};
	while (d != NULL && (e = readdir(d)) != NULL) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		if (l->n == l->room) {
			size_t room = l->room != 0 ? 2 * l->room : 256;
			struct process *all = realloc(l->all, room * sizeof(*all));

			if (all == NULL)
				break;
			l->all = all;
			l->room = room;
		}
		if (read_process(&l->all[l->n], (pid_t)atoi(e->d_name)))
			l->n++;
	}
	if (d != NULL)
		closedir(d);
}

static struct process *find(struct list *l, pid_t pid)
{
	for (size_t i = 0; i < l->n; i++) {
		if (l->all[i].pid == pid)
			return &l->all[i];
	}
	return NULL;
}

/* Marks all below those that are marked. */
static void mark_children(struct list *l)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < l->n; i++) {
			struct process *p = &l->all[i];
			const struct process *parent = p->marked ? NULL : find(l, p->parent);

			if (parent == NULL || !parent->marked)
				continue;
			p->marked = true;
			more = true;
		}
	}
}

static void look_at_servers(struct captured_process *out, const struct system_subject *s)
{
	double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
	struct list l;

	list_processes(&l);
	for (unsigned i = 0; i < s->nservers; i++) {
		struct process *p = find(&l, s->servers[i]);

		if (p != NULL)
			p->marked = true;
	}
	mark_children(&l);
	out->has_io = true;
	for (size_t i = 0; i < l.n; i++) {
		const struct process *p = &l.all[i];
		char who[16];

		if (!p->marked)
			continue;
		snprintf(who, sizeof(who), "%d", (int)p->pid);
		out->processes++;
		out->cpu_s += (double)(p->ticks + p->children_ticks) * tick_s;
		out->has_io = add_io(out, who) && out->has_io;
	}
	free(l.all);
}

/* ---- a look ---- */

static void look_at_cpus(struct system_look *l)
{
	unsigned long long v[8] = {0};
	char text[512];

	l->cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	if (sysfs_read("", text, sizeof(text), "/proc/stat") <= 0 ||
	    sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3],
	           &v[4], &v[5], &v[6], &v[7]) < 5)
		return;
	for (unsigned i = 0; i < 8; i++)
		l->cpu_all += v[i];
	/* user nice system IDLE IOWAIT irq softirq steal */
	l->cpu_iowait = v[4];
	l->cpu_busy = l->cpu_all - v[3] - v[4];
}

void system_look(struct system_look *l, const struct system_subject *s)
{
	struct timespec now;

	*l = (struct system_look){0};
	l->at_ns = clock_mono_ns();
	if (s->device_dir != NULL)
		l->has_device = blockstat_read(&l->device, s->device_dir);
	look_at_cpus(l);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	l->own.processes = 1;
	l->own.cpu_s = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
	l->own.has_io = add_io(&l->own, "self");
	if (s->nservers != 0)
		look_at_servers(&l->server, s);
}

/* ---- differences ---- */

void system_diff(const struct system_look *a, const struct system_look *b,
                 struct captured_system *out)
{
	double all = (double)(b->cpu_all - a->cpu_all);

	*out = (struct captured_system){.cpus = b->cpus};
	if (b->cpu_all <= a->cpu_all)
		return;
	out->busy_share = (double)(b->cpu_busy - a->cpu_busy) / all;
	/* The kernel's count of waiting may go down. */
	if (b->cpu_iowait > a->cpu_iowait)
		out->iowait_share = (double)(b->cpu_iowait - a->cpu_iowait) / all;
}

static uint64_t grown(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

void system_diff_process(const struct captured_process *a, const struct captured_process *b,
                         struct captured_process *out)
{
	*out = (struct captured_process){
	    .processes = b->processes,
	    .cpu_s = b->cpu_s > a->cpu_s ? b->cpu_s - a->cpu_s : 0,
	    .read_bytes = grown(a->read_bytes, b->read_bytes),
	    .written_bytes = grown(a->written_bytes, b->written_bytes),
	    .rchar = grown(a->rchar, b->rchar),
	    .wchar = grown(a->wchar, b->wchar),
	    .has_io = a->has_io && b->has_io,
	};
}

bool system_diff_device(const struct system_look *la, const struct system_look *lb,
                        struct captured_device *out)
{
	const struct blockstat *a = &la->device, *b = &lb->device;
	double ms = (double)(lb->at_ns - la->at_ns) / 1e6;

	*out = (struct captured_device){0};
	if (!la->has_device || !lb->has_device || b->reads < a->reads || b->writes < a->writes ||
	    ms <= 0)
		return false;
	*out = (struct captured_device){
	    .elapsed_s = ms / 1e3,
	    .reads = b->reads - a->reads,
	    .writes = b->writes - a->writes,
	    .flushes = b->flushes - a->flushes,
	    .discards = b->discards - a->discards,
	    .read_bytes = (b->read_sectors - a->read_sectors) * 512,
	    .written_bytes = (b->write_sectors - a->write_sectors) * 512,
	    .discard_bytes = (b->discard_sectors - a->discard_sectors) * 512,
	    .busy_share = (double)(b->busy_ms - a->busy_ms) / ms,
	    .queue_mean = (double)(b->queue_ms - a->queue_ms) / ms,
	    .flush_ms = b->flush_ms - a->flush_ms,
	    .has_flushes = a->has_flushes && b->has_flushes,
	};
	if (out->busy_share > 1)
		out->busy_share = 1;
	return true;
}

/* ---- servers ---- */

static bool is_server(const char *name)
{
	static const char *const names[] = {"mariadbd", "mysqld", "postgres", "postmaster"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	}
	return false;
}

static bool works_in(pid_t pid, const char *real_dir)
{
	char link[64], cwd[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/cwd", (int)pid);
	n = readlink(link, cwd, sizeof(cwd) - 1);
	if (n < 0)
		return false;
	cwd[n] = '\0';
	return strcmp(cwd, real_dir) == 0;
}

/* Where others' directories cannot be seen: "postmaster.pid", and "HOST.pid" of MariaDB. */
static unsigned by_pid_file(const char *dir, struct list *l, pid_t *pid)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	unsigned found = 0;

	while (d != NULL && found == 0 && (e = readdir(d)) != NULL) {
		size_t len = strlen(e->d_name);
		const struct process *p;
		uint64_t number;

		if (len < 5 || strcmp(e->d_name + len - 4, ".pid") != 0 ||
		    !sysfs_number("", &number, "%s/%s", dir, e->d_name))
			continue;
		p = find(l, (pid_t)number);
		if (p == NULL || !is_server(p->name))
			continue;
		*pid = p->pid;
		found = 1;
	}
	if (d != NULL)
		closedir(d);
	return found;
}

unsigned system_find_servers(const char *data_dir, pid_t *pids, unsigned room)
{
	char real[PATH_MAX];
	unsigned n = 0;
	struct list l;

	if (realpath(data_dir, real) == NULL)
		return 0;
	list_processes(&l);
	for (size_t i = 0; i < l.n; i++)
		l.all[i].marked = is_server(l.all[i].name) && works_in(l.all[i].pid, real);
	for (size_t i = 0; i < l.n && n < room; i++) {
		const struct process *parent = find(&l, l.all[i].parent);

		if (l.all[i].marked && (parent == NULL || !parent->marked))
			pids[n++] = l.all[i].pid;
	}
	if (n == 0 && room != 0)
		n = by_pid_file(real, &l, pids);
	free(l.all);
	return n;
}
