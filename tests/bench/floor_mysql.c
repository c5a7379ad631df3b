/* SPDX-License-Identifier: MIT */
/*
 * floor_mysql: what the client library itself costs in plain C, as the floor under ioltp's own
 * cost. It runs the prepared statements of oltp_point_select or oltp_read_write on a table that
 * "ioltp oltp_read_write prepare" made, reads all rows into the client and looks at none, as those
 * workloads do. Prints transactions per second, and microseconds of user and system CPU time per
 * transaction. It shares no code with ioltp, so that a fault there cannot hide here.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <mysql.h>

enum statement {
	BEGIN,
	COMMIT,
	POINT,
	SIMPLE_RANGE,
	SUM_RANGE,
	ORDER_RANGE,
	DISTINCT_RANGE,
	INDEX_UPDATE,
	NON_INDEX_UPDATE,
	DELETE,
	INSERT,
	NSTATEMENTS,
};

static const char *const texts[NSTATEMENTS] = {
    [BEGIN] = "BEGIN",
    [COMMIT] = "COMMIT",
    [POINT] = "SELECT c FROM sbtest1 WHERE id=?",
    [SIMPLE_RANGE] = "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ?",
    [SUM_RANGE] = "SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN ? AND ?",
    [ORDER_RANGE] = "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c",
    [DISTINCT_RANGE] = "SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c",
    [INDEX_UPDATE] = "UPDATE sbtest1 SET k=k+1 WHERE id=?",
    [NON_INDEX_UPDATE] = "UPDATE sbtest1 SET c=? WHERE id=?",
    [DELETE] = "DELETE FROM sbtest1 WHERE id=?",
    [INSERT] = "INSERT INTO sbtest1 (id, k, c, pad) VALUES (?, ?, ?, ?)",
};

enum {
	POINT_SELECTS = 10,
	RANGE_ROWS = 100,
	C_GROUPS = 10,
	PAD_GROUPS = 5,
	GROUP_DIGITS = 11,
	C_BYTES = C_GROUPS * (GROUP_DIGITS + 1),
	DEADLOCK = 1213,
};

struct options {
	const char *host, *socket, *user, *password, *db;
	unsigned port, threads;
	bool read_write, special_keys;
	int64_t rows;
	double time_s;
	uint64_t seed, events; /* events of each thread; 0: no limit */
};

/* A thread's connection; parameters are bound once, to these fields. */
struct floor {
	const struct options *options;
	MYSQL *mysql;
	MYSQL_STMT *statements[NSTATEMENTS];
	MYSQL_BIND binds[NSTATEMENTS][4];
	int64_t first, second;
	char c[C_BYTES], pad[C_BYTES];
	unsigned long c_len, pad_len;
	uint64_t random, done, rows_read;
	pthread_t thread;
};

static atomic_bool stop;

static _Noreturn void die(struct floor *f, const char *what, const char *why)
{
	fprintf(stderr, "floor_mysql: %s: %s\n", what, why != NULL ? why : mysql_error(f->mysql));
	exit(1);
}

/* splitmix64 */
static uint64_t next_random(struct floor *f)
{
	uint64_t z = f->random += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* In [0,1). */
static double next_fraction(struct floor *f)
{
	return (double)(next_random(f) >> 11) * 0x1p-53;
}

/* sysbench's "special" with its defaults: 75 % of the keys fall into the middle 1 % of the table.
 */
static int64_t special_key(struct floor *f)
{
	double rows = (double)f->options->rows, sum = 0;
	double r = next_fraction(f) * rows * 100 / (100 - 75);

	if (r >= rows)
		return 1 + (int64_t)(next_fraction(f) * (rows / 100) + rows / 2 - rows / 200);
	for (int i = 0; i < 12; i++)
		sum += next_fraction(f);
	return 1 + (int64_t)(sum / 12 * rows);
}

static int64_t next_key(struct floor *f)
{
	if (f->options->special_keys)
		return special_key(f);
	return 1 + (int64_t)(next_fraction(f) * (double)f->options->rows);
}

/* Groups of eleven digits with dashes between, as columns c and pad have. */
static unsigned long fill_digits(struct floor *f, char *text, int groups)
{
	char *at = text;

	for (int group = 0; group < groups; group++) {
		if (group)
			*at++ = '-';
		for (int i = 0; i < GROUP_DIGITS; i++)
			*at++ = (char)('0' + (int)(next_fraction(f) * 10));
	}
	return (unsigned long)(at - text);
}

/* Runs it and reads its rows into the client. False: a deadlock, to be run again. */
static bool run_statement(struct floor *f, enum statement which)
{
	MYSQL_STMT *statement = f->statements[which];

	if (mysql_stmt_execute(statement) != 0) {
		if (mysql_stmt_errno(statement) == DEADLOCK)
			return false;
		die(f, texts[which], mysql_stmt_error(statement));
	}
	if (which >= POINT && which <= DISTINCT_RANGE) {
		if (mysql_stmt_store_result(statement) != 0)
			die(f, texts[which], mysql_stmt_error(statement));
		f->rows_read += mysql_stmt_num_rows(statement);
	}
	return true;
}

static bool run_point(struct floor *f)
{
	f->first = next_key(f);
	return run_statement(f, POINT);
}

static bool run_writes(struct floor *f)
{
	f->first = next_key(f);
	if (!run_statement(f, INDEX_UPDATE))
		return false;
	f->first = next_key(f);
	f->c_len = fill_digits(f, f->c, C_GROUPS);
	if (!run_statement(f, NON_INDEX_UPDATE))
		return false;
	f->first = next_key(f);
	if (!run_statement(f, DELETE))
		return false;
	f->second = next_key(f);
	f->c_len = fill_digits(f, f->c, C_GROUPS);
	f->pad_len = fill_digits(f, f->pad, PAD_GROUPS);
	return run_statement(f, INSERT);
}

static bool run_read_write(struct floor *f)
{
	run_statement(f, BEGIN);
	for (int i = 0; i < POINT_SELECTS; i++)
		run_point(f);
	for (enum statement which = SIMPLE_RANGE; which <= DISTINCT_RANGE; which++) {
		f->first = next_key(f);
		f->second = f->first + RANGE_ROWS - 1;
		if (!run_statement(f, which))
			return false;
	}
	return run_writes(f) && run_statement(f, COMMIT);
}

static void bind_statement(struct floor *f, enum statement which)
{
	MYSQL_BIND key = {.buffer_type = MYSQL_TYPE_LONGLONG, .buffer = &f->first};
	MYSQL_BIND other = {.buffer_type = MYSQL_TYPE_LONGLONG, .buffer = &f->second};
	MYSQL_BIND c = {.buffer_type = MYSQL_TYPE_STRING, .buffer = f->c, .length = &f->c_len};
	MYSQL_BIND pad = {
	    .buffer_type = MYSQL_TYPE_STRING, .buffer = f->pad, .length = &f->pad_len};
	MYSQL_BIND *binds = f->binds[which];

	binds[0] = which == NON_INDEX_UPDATE ? c : key;
	binds[1] = which == NON_INDEX_UPDATE ? key : other;
	binds[2] = c;
	binds[3] = pad;
	if (mysql_stmt_param_count(f->statements[which]) != 0 &&
	    mysql_stmt_bind_param(f->statements[which], binds) != 0)
		die(f, texts[which], mysql_stmt_error(f->statements[which]));
}

static void open_connection(struct floor *f)
{
	const struct options *o = f->options;

	f->mysql = mysql_init(NULL);
	if (f->mysql == NULL)
		die(f, "connect", "out of memory");
	if (mysql_real_connect(f->mysql, o->host, o->user, o->password, o->db, o->port, o->socket,
	                       0) == NULL)
		die(f, "connect", NULL);
	for (enum statement i = 0; i < NSTATEMENTS; i++) {
		f->statements[i] = mysql_stmt_init(f->mysql);
		if (f->statements[i] == NULL ||
		    mysql_stmt_prepare(f->statements[i], texts[i],
		                       (unsigned long)strlen(texts[i])) != 0)
			die(f, texts[i], NULL);
		bind_statement(f, i);
	}
}

static void *run(void *ctx)
{
	struct floor *f = ctx;

	while (!atomic_load_explicit(&stop, memory_order_relaxed) &&
	       (f->options->events == 0 || f->done < f->options->events)) {
		if (f->options->read_write ? run_read_write(f) : run_point(f))
			f->done++;
		else if (mysql_query(f->mysql, "ROLLBACK") != 0)
			die(f, "ROLLBACK", NULL);
	}
	return NULL;
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double cpu_s(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

static void measure(struct floor *floors, const struct options *o)
{
	struct timespec time = {.tv_sec = (time_t)o->time_s,
	                        .tv_nsec = (long)((o->time_s - (double)(time_t)o->time_s) * 1e9)};
	struct rusage before, after;
	double begin_s = now_s(), end_s, done = 0;

	getrusage(RUSAGE_SELF, &before);
	for (unsigned i = 0; i < o->threads; i++) {
		if (pthread_create(&floors[i].thread, NULL, run, &floors[i]) != 0)
			die(&floors[i], "thread", "could not be started");
	}
	if (o->events == 0) {
		nanosleep(&time, NULL);
		atomic_store(&stop, true);
	}
	for (unsigned i = 0; i < o->threads; i++) {
		pthread_join(floors[i].thread, NULL);
		done += (double)floors[i].done;
	}
	end_s = now_s();
	getrusage(RUSAGE_SELF, &after);
	if (done < 1)
		die(&floors[0], "time", "no transaction ended");
	printf("%.2f %.2f %.2f\n", done / (end_s - begin_s),
	       (cpu_s(&after.ru_utime) - cpu_s(&before.ru_utime)) * 1e6 / done,
	       (cpu_s(&after.ru_stime) - cpu_s(&before.ru_stime)) * 1e6 / done);
}

/* The value of --name=value, or NULL when the argument is another. */
static const char *value_of(const char *arg, const char *name)
{
	size_t len = strlen(name);

	return strncmp(arg, name, len) || arg[len] != '=' ? NULL : arg + len + 1;
}

static _Noreturn void usage(void)
{
	fputs("Usage: floor_mysql --mysql-socket=FILE|--mysql-host=HOST [--mysql-port=N]\n"
	      "         [--mysql-user=sbtest] [--mysql-password=TEXT] [--mysql-db=sbtest]\n"
	      "         [--workload=point_select|read_write] [--table-size=ROWS] [--threads=N]\n"
	      "         [--time=SECONDS|--events=N] [--keys=uniform|special] [--seed=N]\n"
	      "The database holds sbtest1 with ROWS rows. Prints transactions per second, then\n"
	      "microseconds of user and of system CPU time per transaction.\n",
	      stderr);
	exit(2);
}

static bool read_text(struct options *o, const char *arg)
{
	const struct {
		const char *name, **place;
	} texts_of[] = {
	    {"--mysql-host", &o->host},         {"--mysql-socket", &o->socket},
	    {"--mysql-user", &o->user},         {"--mysql-db", &o->db},
	    {"--mysql-password", &o->password},
	};

	for (size_t i = 0; i < sizeof(texts_of) / sizeof(texts_of[0]); i++) {
		const char *value = value_of(arg, texts_of[i].name);

		if (value != NULL) {
			*texts_of[i].place = value;
			return true;
		}
	}
	return false;
}

static bool read_other(struct options *o, const char *arg)
{
	const char *value;

	if ((value = value_of(arg, "--workload")) &&
	    (!strcmp(value, "read_write") || !strcmp(value, "point_select")))
		o->read_write = *value == 'r';
	else if ((value = value_of(arg, "--mysql-port")))
		o->port = (unsigned)strtoul(value, NULL, 10);
	else if ((value = value_of(arg, "--table-size")))
		o->rows = strtoll(value, NULL, 10);
	else if ((value = value_of(arg, "--threads")))
		o->threads = (unsigned)strtoul(value, NULL, 10);
	else if ((value = value_of(arg, "--time")))
		o->time_s = strtod(value, NULL);
	else if ((value = value_of(arg, "--events")))
		o->events = strtoull(value, NULL, 10);
	else if ((value = value_of(arg, "--seed")))
		o->seed = strtoull(value, NULL, 10);
	else if ((value = value_of(arg, "--keys")) &&
	         (!strcmp(value, "uniform") || !strcmp(value, "special")))
		o->special_keys = *value == 's';
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	struct options o = {.user = "sbtest",
	                    .password = "",
	                    .db = "sbtest",
	                    .read_write = true,
	                    .rows = 10000,
	                    .threads = 1,
	                    .time_s = 10,
	                    .special_keys = true};
	struct floor *floors;
	uint64_t rows = 0;

	for (int i = 1; i < argc; i++) {
		if (!read_text(&o, argv[i]) && !read_other(&o, argv[i]))
			usage();
	}
	if ((o.socket == NULL && o.host == NULL) || o.rows < 1 || o.time_s <= 0 || o.threads < 1)
		usage();
	floors = calloc(o.threads, sizeof(*floors));
	if (floors == NULL)
		return 1;
	for (unsigned i = 0; i < o.threads; i++) {
		floors[i].options = &o;
		floors[i].random = o.seed + i * 0x632be59bd9b4e019u;
		open_connection(&floors[i]);
	}
	measure(floors, &o);
	for (unsigned i = 0; i < o.threads; i++) {
		rows += floors[i].rows_read;
		for (int k = 0; k < NSTATEMENTS; k++)
			mysql_stmt_close(floors[i].statements[k]);
		mysql_close(floors[i].mysql);
	}
	free(floors);
	return rows == 0;
}
