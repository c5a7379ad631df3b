/* SPDX-License-Identifier: MIT */
/* Options and option files: no server is needed. */
#include "drv_mysql_fixture.h"

#include <sys/stat.h>
#include <unistd.h>

#include "sql/drv_mysql.h"

static char folder[] = "/tmp/ioltp-mysql-options.XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	unsetenv("MYSQL_PWD");
	if (mkdtemp(folder) == NULL)
		return -1;
	return setenv("HOME", folder, 1);
}

static int drop_folder(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

/* A file of the folder with that text; its path is valid until the next call. */
static const char *file(const char *name, const char *text, mode_t mode)
{
	static char path[200];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

static void no_file(const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
}

static const struct mydrv_env *opened(struct db *db, const char *const *args)
{
	struct err err;
	int rc;

	env_open(db, args, &rc, &err);
	assert_string_equal(err.text, "");
	assert_int_equal(rc, 0);
	return db->env->impl;
}

static void not_opened(const char *const *args, const char *words)
{
	struct err err;
	struct db db;
	int rc;

	env_open(&db, args, &rc, &err);
	assert_int_not_equal(rc, 0);
	assert_int_equal(err.status, EXIT_USAGE);
	if (strstr(err.text, words) == NULL)
		fail_msg("'%s' lacks '%s'", err.text, words);
	assert_null(strstr(err.text, "hush"));
	opt_set_free(db.options);
}

static void defaults_are_those_of_sysbench(void **state)
{
	const struct mydrv_env *me;
	struct db db;

	(void)state;
	me = opened(&db, ARGS());
	assert_string_equal(me->user, "sbtest");
	assert_string_equal(me->db, "sbtest");
	assert_string_equal(me->password, "");
	assert_int_equal(me->ntargets, 1);
	assert_string_equal(me->targets[0].host, "localhost");
	assert_int_equal(me->targets[0].port, 0);
	assert_null(me->targets[0].socket);
	assert_int_equal(me->tls, MYDRV_TLS_OFF);
	assert_null(me->compression);
	assert_int_equal(me->read_timeout_s, 0);
	db_close(&db);
}

static void lists_make_targets(void **state)
{
	const struct mydrv_env *me;
	struct db db;

	(void)state;
	me = opened(&db, ARGS("--mysql-host=a,b", "--mysql-port=1, 2,3"));
	assert_int_equal(me->ntargets, 6);
	assert_string_equal(me->targets[2].host, "a");
	assert_int_equal(me->targets[2].port, 3);
	assert_string_equal(me->targets[3].host, "b");
	assert_int_equal(me->targets[3].port, 1);
	db_close(&db);
	me = opened(&db, ARGS("--mysql-host=a,b", "--mysql-socket=/x,/y"));
	assert_int_equal(me->ntargets, 2);
	assert_string_equal(me->targets[1].socket, "/y");
	assert_string_equal(me->targets[1].host, "localhost");
	db_close(&db);
	not_opened(ARGS("--mysql-host="), "name a host");
	not_opened(ARGS("--mysql-host=a,"), "remove a comma");
	not_opened(ARGS("--mysql-port=0"), "1..65535");
	not_opened(ARGS("--mysql-port=1.5"), "whole number");
}

static void passwords_come_from_many_places(void **state)
{
	char option[250];
	const struct mydrv_env *me;
	struct db db;

	(void)state;
	setenv("MYSQL_PWD", "env", 1);
	me = opened(&db, ARGS());
	assert_string_equal(me->password, "env");
	db_close(&db);
	file(".my.cnf", "[client]\npassword = \"cnf # 1\" # not this\n", 0600);
	me = opened(&db, ARGS());
	assert_string_equal(me->password, "cnf # 1");
	db_close(&db);
	me = opened(&db, ARGS("--mysql-password="));
	assert_string_equal(me->password, "");
	db_close(&db);
	snprintf(option, sizeof(option), "--mysql-password-file=%s",
	         file("pw", "from file\r\nsecond line\n", 0600));
	me = opened(&db, ARGS(option));
	assert_string_equal(me->password, "from file");
	db_close(&db);
	not_opened(ARGS(option, "--mysql-password=hush"), "leave one out");
	snprintf(option, sizeof(option), "--mysql-password-file=%s", file("none", "", 0600));
	not_opened(ARGS(option), "first line must be the password");
	unsetenv("MYSQL_PWD");
	no_file(".my.cnf");
}

static void option_files_fill_what_is_open(void **state)
{
	static const char text[] = "user = before_any_group\n"
	                           "[mysqld]\nuser=wrong\nsocket=/wrong\n"
	                           "# comment\n; comment\n"
	                           "[client]\n  user = 'o\\'neill'  \nport=3333\nhost=far\n"
	                           "database=shop\nssl_cipher=\"A:B\"\nno-auto-rehash\n"
	                           "[ioltp]\nport=4444\n[mysql]\nhost=wrong\n";
	char option[250];
	const struct mydrv_env *me;
	struct db db;

	(void)state;
	snprintf(option, sizeof(option), "--mysql-defaults-file=%s", file("my.cnf", text, 0600));
	me = opened(&db, ARGS(option));
	assert_string_equal(me->user, "o'neill");
	assert_string_equal(me->db, "shop");
	assert_string_equal(me->ssl_cipher, "A:B");
	assert_string_equal(me->targets[0].host, "far");
	assert_int_equal(me->targets[0].port, 4444);
	db_close(&db);
	me = opened(&db, ARGS(option, "--mysql-user=u", "--mysql-db=d", "--mysql-host=near",
	                      "--mysql-port=1"));
	assert_string_equal(me->user, "u");
	assert_string_equal(me->db, "d");
	assert_string_equal(me->targets[0].host, "near");
	assert_int_equal(me->targets[0].port, 1);
	db_close(&db);
	snprintf(option, sizeof(option), "--mysql-defaults-file=%s",
	         file("bad.cnf", "[client]\nport=x\n", 0600));
	not_opened(ARGS(option), "port=x");
	/* A socket in the file gives way to a host on the command line. */
	file(".my.cnf", "[client]\nsocket=/sock\n", 0600);
	me = opened(&db, ARGS());
	assert_string_equal(me->targets[0].socket, "/sock");
	db_close(&db);
	me = opened(&db, ARGS("--mysql-host=h"));
	assert_null(me->targets[0].socket);
	db_close(&db);
	no_file(".my.cnf");
}

static void option_files_include_others(void **state)
{
	char option[250], text[600];
	const struct mydrv_env *me;
	struct db db;

	(void)state;
	snprintf(text, sizeof(text), "%s/more.d", folder);
	assert_int_equal(mkdir(text, 0700), 0);
	file("more.d/a.cnf", "[client]\nuser=included\n", 0600);
	file("more.d/b.txt", "[client]\nuser=no_cnf\n", 0600);
	snprintf(text, sizeof(text), "!includedir %s/more.d\n[client]\ndatabase=own\n", folder);
	snprintf(option, sizeof(option), "--mysql-defaults-file=%s", file("top.cnf", text, 0600));
	me = opened(&db, ARGS(option));
	assert_string_equal(me->user, "included");
	assert_string_equal(me->db, "own");
	db_close(&db);
	snprintf(text, sizeof(text), "!include %s/circle.cnf\n", folder);
	snprintf(option, sizeof(option), "--mysql-defaults-file=%s",
	         file("circle.cnf", text, 0600));
	not_opened(ARGS(option), "circle");
	snprintf(option, sizeof(option), "--mysql-defaults-file=%s",
	         file("lost.cnf", "!include /nonexistent/file\n", 0600));
	not_opened(ARGS(option), "/nonexistent/file");
	/* Anybody could have written it. */
	snprintf(option, sizeof(option), "--mysql-defaults-file=%s",
	         file("open.cnf", "[client]\nuser=stranger\n", 0666));
	me = opened(&db, ARGS(option));
	assert_string_equal(me->user, "sbtest");
	db_close(&db);
}

static void tls_modes(void **state)
{
	static const struct {
		const char *option;
		enum mydrv_tls alone, with_ca;
	} cases[] = {
	    {"--mysql-ssl=off", MYDRV_TLS_OFF, MYDRV_TLS_OFF},
	    {"--mysql-ssl=DISABLED", MYDRV_TLS_OFF, MYDRV_TLS_OFF},
	    {"--no-mysql-ssl", MYDRV_TLS_OFF, MYDRV_TLS_OFF},
	    {"--mysql-ssl", MYDRV_TLS_REQUIRED, MYDRV_TLS_VERIFY_CA},
	    {"--mysql-ssl=on", MYDRV_TLS_REQUIRED, MYDRV_TLS_VERIFY_CA},
	    {"--mysql-ssl=required", MYDRV_TLS_REQUIRED, MYDRV_TLS_VERIFY_CA},
	    {"--mysql-ssl=preferred", MYDRV_TLS_PREFERRED, MYDRV_TLS_PREFERRED},
	};
	char ca[250];
	struct db db;

	(void)state;
	snprintf(ca, sizeof(ca), "--mysql-ssl-ca=%s", file("ca.pem", "", 0600));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(opened(&db, ARGS(cases[i].option))->tls, cases[i].alone);
		db_close(&db);
		assert_int_equal(opened(&db, ARGS(cases[i].option, ca))->tls, cases[i].with_ca);
		db_close(&db);
	}
	assert_int_equal(opened(&db, ARGS(ca))->tls, MYDRV_TLS_VERIFY_CA);
	db_close(&db);
	assert_int_equal(opened(&db, ARGS("--mysql-ssl=VERIFY_IDENTITY", ca))->tls,
	                 MYDRV_TLS_VERIFY_IDENTITY);
	db_close(&db);
	not_opened(ARGS("--mysql-ssl=verify-ca"), "give --mysql-ssl-ca");
	not_opened(ARGS("--mysql-ssl=maybe"), "must be one of");
	snprintf(ca, sizeof(ca), "--mysql-ssl-key=%s", file("key.pem", "", 0600));
	not_opened(ARGS(ca), "give --mysql-ssl-cert");
}

static void other_options(void **state)
{
	const struct mydrv_env *me;
	struct db db;

	(void)state;
	me = opened(&db, ARGS("--mysql-compression", "--mysql-connect-timeout=1500ms",
	                      "--mysql-read-timeout=2m"));
	assert_string_equal(me->compression, "zlib");
	assert_int_equal(me->connect_timeout_s, 2);
	assert_int_equal(me->read_timeout_s, 120);
	db_close(&db);
	not_opened(ARGS("--mysql-ignore-errors=deadlock"), "numbers, SQLSTATEs or `all`");
	not_opened(ARGS("--mysql-compression=lzma"), "must be one of");
}

static void a_dry_run_needs_no_server(void **state)
{
	static const char *const columns[] = {"a"};
	const struct bulk_table table = {.name = "t", .columns = columns, .ncolumns = 1};
	const struct bulk_value value = {.kind = BULK_INT, .i = 1};
	struct sql_param param = int_param(1);
	struct sql_param *list[1] = {&param};
	struct sql_result *result;
	struct kv facts = KV_INIT;
	struct sql_stmt *stmt;
	bool durable = true;
	struct db db;

	(void)state;
	opened(&db, ARGS("--mysql-dry-run", "--mysql-host=nowhere.invalid"));
	db.conn = sql_conn_new(db.env, 0, false);
	sql_connect(db.conn);
	assert_true(db.conn->connected);
	run(db.conn, "BEGIN");
	result = rows_of(db.conn, "SELECT 1");
	assert_null(result);
	stmt = prepared(db.conn, "SELECT ?");
	assert_int_equal(sql_bind(stmt, list, 1), 0);
	executed(stmt);
	assert_false(stmt->has_rows);
	assert_false(sql_in_transaction(db.conn));
	sql_stmt_close(stmt);
	sql_bulk_begin(db.conn, &table);
	sql_bulk_row(db.conn, &value);
	sql_bulk_end(db.conn, true);
	assert_int_equal(db.conn->error.outcome, SQL_OK);
	sql_bulk_end(db.conn, true);
	assert_int_equal(db.conn->error.outcome, SQL_FATAL);
	sql_facts(db.conn, &facts, &durable);
	assert_false(durable);
	kv_fini(&facts);
	db_close(&db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(defaults_are_those_of_sysbench),
	    cmocka_unit_test(lists_make_targets),
	    cmocka_unit_test(passwords_come_from_many_places),
	    cmocka_unit_test(option_files_fill_what_is_open),
	    cmocka_unit_test(option_files_include_others),
	    cmocka_unit_test(tls_modes),
	    cmocka_unit_test(other_options),
	    cmocka_unit_test(a_dry_run_needs_no_server),
	};

	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
