/* SPDX-License-Identifier: MIT */
/*
 * floor_sqlite: what SQLite itself gives to one thread of plain C, as the floor under ioltp's own
 * cost. It runs the statements of oltp_point_select or oltp_read_write on a table that "ioltp
 * oltp_read_write prepare" made, with the driver's settings, and prints transactions per second. It
 * shares no code with ioltp, so that a fault there cannot hide here.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sqlite3.h>

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
    [BEGIN] = "BEGIN IMMEDIATE",
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

enum { POINT_SELECTS = 10, RANGE_ROWS = 100, C_GROUPS = 10, PAD_GROUPS = 5, GROUP_DIGITS = 11 };

struct floor {
	const char *path;
	const char *workload;
	int64_t rows;
	double time_s;
	bool special_keys;
	uint64_t random;
	uint64_t bytes_read; /* so that no read can be optimized away */
	sqlite3 *db;
	sqlite3_stmt *statements[NSTATEMENTS];
};

static _Noreturn void die(struct floor *f, const char *what)
{
	fprintf(stderr, "floor_sqlite: %s: %s: %s\n", f->path, what,
	        f->db ? sqlite3_errmsg(f->db) : strerror(errno));
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
	double rows = (double)f->rows, r = next_fraction(f) * rows * 100 / (100 - 75), sum = 0;

	if (r >= rows)
		return 1 + (int64_t)(next_fraction(f) * (rows / 100) + rows / 2 - rows / 200);
	for (int i = 0; i < 12; i++)
		sum += next_fraction(f);
	return 1 + (int64_t)(sum / 12 * rows);
}

static int64_t next_key(struct floor *f)
{
	if (f->special_keys)
		return special_key(f);
	return 1 + (int64_t)(next_fraction(f) * (double)f->rows);
}

/* Groups of eleven digits with dashes between, as columns c and pad have. */
static int fill_digits(struct floor *f, char *text, int groups)
{
	char *at = text;

	for (int group = 0; group < groups; group++) {
		if (group)
			*at++ = '-';
		for (int i = 0; i < GROUP_DIGITS; i++)
			*at++ = (char)('0' + (int)(next_fraction(f) * 10));
	}
	return (int)(at - text);
}

static void bind_key(struct floor *f, enum statement which, int at, int64_t key)
{
	if (sqlite3_bind_int64(f->statements[which], at, key))
		die(f, texts[which]);
}

static void bind_digits(struct floor *f, enum statement which, int at, int groups)
{
	char text[C_GROUPS * (GROUP_DIGITS + 1)];
	int len = fill_digits(f, text, groups);

	if (sqlite3_bind_text(f->statements[which], at, text, len, SQLITE_TRANSIENT))
		die(f, texts[which]);
}

/* Runs it to its end and reads every column of every row as text, as a script would. */
static void run_statement(struct floor *f, enum statement which)
{
	sqlite3_stmt *statement = f->statements[which];
	int status;

	while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(statement); i++) {
			if (sqlite3_column_text(statement, i))
				f->bytes_read += (uint64_t)sqlite3_column_bytes(statement, i);
		}
	}
	if (status != SQLITE_DONE || sqlite3_reset(statement))
		die(f, texts[which]);
}

static void run_point(struct floor *f)
{
	bind_key(f, POINT, 1, next_key(f));
	run_statement(f, POINT);
}

static void run_range(struct floor *f, enum statement which)
{
	int64_t first = next_key(f);

	bind_key(f, which, 1, first);
	bind_key(f, which, 2, first + RANGE_ROWS - 1);
	run_statement(f, which);
}

static void run_writes(struct floor *f)
{
	int64_t key;

	bind_key(f, INDEX_UPDATE, 1, next_key(f));
	run_statement(f, INDEX_UPDATE);
	bind_digits(f, NON_INDEX_UPDATE, 1, C_GROUPS);
	bind_key(f, NON_INDEX_UPDATE, 2, next_key(f));
	run_statement(f, NON_INDEX_UPDATE);
	key = next_key(f);
	bind_key(f, DELETE, 1, key);
	run_statement(f, DELETE);
	bind_key(f, INSERT, 1, key);
	bind_key(f, INSERT, 2, next_key(f));
	bind_digits(f, INSERT, 3, C_GROUPS);
	bind_digits(f, INSERT, 4, PAD_GROUPS);
	run_statement(f, INSERT);
}

static void run_read_write(struct floor *f)
{
	run_statement(f, BEGIN);
	for (int i = 0; i < POINT_SELECTS; i++)
		run_point(f);
	for (enum statement which = SIMPLE_RANGE; which <= DISTINCT_RANGE; which++)
		run_range(f, which);
	run_writes(f);
	run_statement(f, COMMIT);
}

static void open_database(struct floor *f)
{
	if (sqlite3_open_v2(f->path, &f->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL))
		die(f, "open (made by ioltp oltp_read_write prepare?)");
	if (sqlite3_exec(f->db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL", NULL, NULL,
	                 NULL))
		die(f, "settings");
	for (int i = 0; i < NSTATEMENTS; i++) {
		if (sqlite3_prepare_v3(f->db, texts[i], -1, SQLITE_PREPARE_PERSISTENT,
		                       &f->statements[i], NULL))
			die(f, texts[i]);
	}
}

static void close_database(struct floor *f)
{
	for (int i = 0; i < NSTATEMENTS; i++)
		sqlite3_finalize(f->statements[i]);
	if (sqlite3_close(f->db))
		die(f, "close");
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Transactions per second over about time_s. */
static double measure(struct floor *f, void (*transaction)(struct floor *))
{
	double begin_s = now_s(), end_s;
	uint64_t done = 0;

	do {
		transaction(f);
		done++;
		end_s = now_s();
	} while (end_s - begin_s < f->time_s);
	return (double)done / (end_s - begin_s);
}

/* The value of --name=value, or NULL when the argument is another. */
static const char *value_of(const char *arg, const char *name)
{
	size_t len = strlen(name);

	return strncmp(arg, name, len) || arg[len] != '=' ? NULL : arg + len + 1;
}

static _Noreturn void usage(void)
{
	fputs("Usage: floor_sqlite --path=FILE [--workload=point_select|read_write] "
	      "[--table-size=ROWS]\n"
	      "         [--time=SECONDS] [--keys=uniform|special] [--seed=N]\n"
	      "FILE holds sbtest1 with ROWS rows. Prints transactions per second.\n",
	      stderr);
	exit(2);
}

static void read_arguments(struct floor *f, int argc, char **argv)
{
	const char *value;

	for (int i = 1; i < argc; i++) {
		if ((value = value_of(argv[i], "--path")))
			f->path = value;
		else if ((value = value_of(argv[i], "--workload")) &&
		         (!strcmp(value, "read_write") || !strcmp(value, "point_select")))
			f->workload = value;
		else if ((value = value_of(argv[i], "--table-size")))
			f->rows = strtoll(value, NULL, 10);
		else if ((value = value_of(argv[i], "--time")))
			f->time_s = strtod(value, NULL);
		else if ((value = value_of(argv[i], "--seed")))
			f->random = strtoull(value, NULL, 10);
		else if ((value = value_of(argv[i], "--keys")) &&
		         (!strcmp(value, "uniform") || !strcmp(value, "special")))
			f->special_keys = *value == 's';
		else
			usage();
	}
	if (!f->path || f->rows < 1 || f->time_s <= 0)
		usage();
}

int main(int argc, char **argv)
{
	struct floor f = {
	    .workload = "read_write", .rows = 10000, .time_s = 10, .special_keys = true};
	void (*transaction)(struct floor *);

	read_arguments(&f, argc, argv);
	transaction = strcmp(f.workload, "point_select") ? run_read_write : run_point;
	open_database(&f);
	printf("%.2f\n", measure(&f, transaction));
	close_database(&f);
	return f.bytes_read == 0;
}
