/* SPDX-License-Identifier: MIT */
/*
 * floor_pgsql: what libpq itself costs one thread of plain C, as the floor under ioltp's own cost.
 * It runs the statements of the bundled workloads, prepared and with binary integers, on a table
 * that "ioltp oltp_read_write prepare" made, and prints transactions per second and the user CPU of
 * one transaction. It shares no code with ioltp, so that a fault there cannot hide here.
 */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <libpq-fe.h>

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

enum { OID_INT4 = 23, PARAMS_MAX = 4 };

/* Parameters: i an integer, t a text. */
static const struct {
	const char *text, *params;
} statements[NSTATEMENTS] = {
    [BEGIN] = {"BEGIN", ""},
    [COMMIT] = {"COMMIT", ""},
    [POINT] = {"SELECT c FROM sbtest1 WHERE id=$1", "i"},
    [SIMPLE_RANGE] = {"SELECT c FROM sbtest1 WHERE id BETWEEN $1 AND $2", "ii"},
    [SUM_RANGE] = {"SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN $1 AND $2", "ii"},
    [ORDER_RANGE] = {"SELECT c FROM sbtest1 WHERE id BETWEEN $1 AND $2 ORDER BY c", "ii"},
    [DISTINCT_RANGE] = {"SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN $1 AND $2 ORDER BY c",
                        "ii"},
    [INDEX_UPDATE] = {"UPDATE sbtest1 SET k=k+1 WHERE id=$1", "i"},
    [NON_INDEX_UPDATE] = {"UPDATE sbtest1 SET c=$1 WHERE id=$2", "ti"},
    [DELETE] = {"DELETE FROM sbtest1 WHERE id=$1", "i"},
    [INSERT] = {"INSERT INTO sbtest1 (id, k, c, pad) VALUES ($1, $2, $3, $4)", "iitt"},
};

enum { POINT_SELECTS = 10, RANGE_ROWS = 100, C_GROUPS = 10, PAD_GROUPS = 5, GROUP_DIGITS = 11 };
enum { TEXT_ROOM = C_GROUPS * (GROUP_DIGITS + 1) };

struct param {
	uint32_t word; /* in network order */
	char text[TEXT_ROOM];
};

struct floor {
	bool again; /* the transaction has met another, and is run again */
	const char *conninfo;
	const char *workload;
	int32_t rows;
	unsigned clients; /* a process each */
	double time_s;
	bool special_keys;
	uint64_t random;
	uint64_t bytes_read; /* so that no read can be optimized away */
	PGconn *pg;
	struct param params[PARAMS_MAX];
};

static _Noreturn void die(struct floor *f, const char *what)
{
	fprintf(stderr, "floor_pgsql: %s: %s", what, PQerrorMessage(f->pg));
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
static int32_t special_key(struct floor *f)
{
	double rows = (double)f->rows, r = next_fraction(f) * rows * 100 / (100 - 75), sum = 0;

	if (r >= rows)
		return 1 + (int32_t)(next_fraction(f) * (rows / 100) + rows / 2 - rows / 200);
	for (int i = 0; i < 12; i++)
		sum += next_fraction(f);
	return 1 + (int32_t)(sum / 12 * rows);
}

static int32_t next_key(struct floor *f)
{
	if (f->special_keys)
		return special_key(f);
	return 1 + (int32_t)(next_fraction(f) * (double)f->rows);
}

static void set_key(struct floor *f, int at, int32_t key)
{
	f->params[at].word = htonl((uint32_t)key);
}

/* Groups of eleven digits with dashes between, as columns c and pad have. */
static void set_digits(struct floor *f, int at, int groups)
{
	char *text = f->params[at].text;

	for (int group = 0; group < groups; group++) {
		if (group)
			*text++ = '-';
		for (int i = 0; i < GROUP_DIGITS; i++)
			*text++ = (char)('0' + (int)(next_fraction(f) * 10));
	}
	*text = '\0';
}

/* With another client: the same row inserted again, a deadlock. */
static bool is_collision(const PGresult *result)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	return state != NULL && (strcmp(state, "23505") == 0 || strcmp(state, "40P01") == 0 ||
	                         strcmp(state, "40001") == 0);
}

static void run_statement(struct floor *f, enum statement which)
{
	const char *params = statements[which].params, *values[PARAMS_MAX];
	int lengths[PARAMS_MAX], formats[PARAMS_MAX], n = (int)strlen(params);
	char name[8];
	PGresult *result;

	if (f->again)
		return;
	for (int i = 0; i < n; i++) {
		const bool is_int = params[i] == 'i';

		values[i] = is_int ? (const char *)&f->params[i].word : f->params[i].text;
		lengths[i] = is_int ? (int)sizeof(f->params[i].word) : 0;
		formats[i] = is_int;
	}
	snprintf(name, sizeof(name), "%d", which);
	result = PQexecPrepared(f->pg, name, n, values, lengths, formats, 0);
	if (PQresultStatus(result) == PGRES_TUPLES_OK)
		f->bytes_read += (uint64_t)PQntuples(result);
	else if (PQresultStatus(result) != PGRES_COMMAND_OK && is_collision(result))
		f->again = true;
	else if (PQresultStatus(result) != PGRES_COMMAND_OK)
		die(f, statements[which].text);
	PQclear(result);
}

static void run_point(struct floor *f)
{
	set_key(f, 0, next_key(f));
	run_statement(f, POINT);
}

static void run_range(struct floor *f, enum statement which)
{
	int32_t first = next_key(f);

	set_key(f, 0, first);
	set_key(f, 1, first + RANGE_ROWS - 1);
	run_statement(f, which);
}

static void run_writes(struct floor *f)
{
	int32_t key;

	set_key(f, 0, next_key(f));
	run_statement(f, INDEX_UPDATE);
	set_digits(f, 0, C_GROUPS);
	set_key(f, 1, next_key(f));
	run_statement(f, NON_INDEX_UPDATE);
	key = next_key(f);
	set_key(f, 0, key);
	run_statement(f, DELETE);
	set_key(f, 0, key);
	set_key(f, 1, next_key(f));
	set_digits(f, 2, C_GROUPS);
	set_digits(f, 3, PAD_GROUPS);
	run_statement(f, INSERT);
}

static void run_reads(struct floor *f)
{
	for (int i = 0; i < POINT_SELECTS; i++)
		run_point(f);
	for (enum statement which = SIMPLE_RANGE; which <= DISTINCT_RANGE; which++)
		run_range(f, which);
}

static void run_read_only(struct floor *f)
{
	run_statement(f, BEGIN);
	run_reads(f);
	run_statement(f, COMMIT);
}

static void run_read_write(struct floor *f)
{
	run_statement(f, BEGIN);
	run_reads(f);
	run_writes(f);
	run_statement(f, COMMIT);
}

static void open_database(struct floor *f)
{
	f->pg = PQconnectdb(f->conninfo);
	if (PQstatus(f->pg) != CONNECTION_OK)
		die(f, f->conninfo);
	for (int i = 0; i < NSTATEMENTS; i++) {
		const char *params = statements[i].params;
		Oid types[PARAMS_MAX];
		char name[8];
		PGresult *result;

		for (size_t k = 0; k < strlen(params); k++)
			types[k] = params[k] == 'i' ? OID_INT4 : 0;
		snprintf(name, sizeof(name), "%d", i);
		result = PQprepare(f->pg, name, statements[i].text, (int)strlen(params), types);
		if (PQresultStatus(result) != PGRES_COMMAND_OK)
			die(f, statements[i].text);
		PQclear(result);
	}
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double user_s(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6;
}

/* What one client did, for the parent to add up. */
struct share {
	double done, wall_s, user_s;
};

static void measure(struct floor *f, void (*transaction)(struct floor *), struct share *share)
{
	double begin_s = now_s(), begin_user_s = user_s(), end_s;
	uint64_t done = 0;

	do {
		transaction(f);
		if (f->again)
			PQclear(PQexec(f->pg, "ROLLBACK"));
		else
			done++;
		f->again = false;
		end_s = now_s();
	} while (end_s - begin_s < f->time_s);
	*share = (struct share){(double)done, end_s - begin_s, user_s() - begin_user_s};
}

static int run_client(struct floor *f, void (*transaction)(struct floor *), struct share *share)
{
	open_database(f);
	measure(f, transaction, share);
	PQfinish(f->pg);
	return f->bytes_read == 0;
}

static int report(const struct share *shares, unsigned n)
{
	double done = 0, rate = 0, user = 0;

	for (unsigned i = 0; i < n; i++) {
		if (shares[i].done <= 0)
			return 1;
		done += shares[i].done;
		rate += shares[i].done / shares[i].wall_s;
		user += shares[i].user_s;
	}
	printf("%.2f %.2f\n", rate, user * 1e6 / done);
	return 0;
}

static int run_clients(struct floor *f, void (*transaction)(struct floor *))
{
	struct share *shares = mmap(NULL, f->clients * sizeof(*shares), PROT_READ | PROT_WRITE,
	                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status, failed = 0;

	if (shares == MAP_FAILED)
		return 1;
	for (unsigned i = 0; i < f->clients; i++) {
		if (fork() == 0) {
			f->random += i;
			_exit(run_client(f, transaction, &shares[i]));
		}
	}
	while (wait(&status) > 0)
		failed |= status != 0;
	return failed != 0 ? 1 : report(shares, f->clients);
}

/* The value of --name=value, or NULL when the argument is another. */
static const char *value_of(const char *arg, const char *name)
{
	size_t len = strlen(name);

	return strncmp(arg, name, len) || arg[len] != '=' ? NULL : arg + len + 1;
}

static _Noreturn void usage(void)
{
	fputs(
	    "Usage: floor_pgsql [--conninfo=TEXT] [--workload=point_select|read_only|read_write]\n"
	    "         [--table-size=ROWS] [--threads=N] [--time=SECONDS] [--keys=uniform|special]\n"
	    "         [--seed=N]\n"
	    "The database holds sbtest1 with ROWS rows. Prints transactions per second and\n"
	    "microseconds of user CPU per transaction.\n",
	    stderr);
	exit(2);
}

static void read_arguments(struct floor *f, int argc, char **argv)
{
	const char *value;

	for (int i = 1; i < argc; i++) {
		if ((value = value_of(argv[i], "--conninfo")))
			f->conninfo = value;
		else if ((value = value_of(argv[i], "--workload")))
			f->workload = value;
		else if ((value = value_of(argv[i], "--table-size")))
			f->rows = (int32_t)strtol(value, NULL, 10);
		else if ((value = value_of(argv[i], "--threads")))
			f->clients = (unsigned)strtoul(value, NULL, 10);
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
	if (f->rows < 1 || f->time_s <= 0 || f->clients < 1 || f->clients > 4096)
		usage();
}

int main(int argc, char **argv)
{
	struct floor f = {.conninfo = "user=sbtest dbname=sbtest",
	                  .workload = "read_write",
	                  .rows = 10000,
	                  .clients = 1,
	                  .time_s = 10,
	                  .special_keys = true};
	void (*transaction)(struct floor *) = NULL;

	read_arguments(&f, argc, argv);
	if (!strcmp(f.workload, "point_select"))
		transaction = run_point;
	else if (!strcmp(f.workload, "read_only"))
		transaction = run_read_only;
	else if (!strcmp(f.workload, "read_write"))
		transaction = run_read_write;
	else
		usage();
	return run_clients(&f, transaction);
}
