/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "sql/sqlite_rewrite.h"

static void expect(enum sqlite_pretend pretend, const char *text, const char *rewritten)
{
	struct strbuf out = STRBUF_INIT;
	const enum sqlite_rewritten what = sqlite_rewrite(pretend, text, strlen(text), &out);

	if (rewritten == NULL) {
		if (what != REWRITE_NOTHING)
			fail_msg("not ignored: %s -> %s", text, strbuf_str(&out));
	} else if (strcmp(text, rewritten) == 0) {
		if (what != REWRITE_SAME)
			fail_msg("changed: %s -> %s", text, strbuf_str(&out));
	} else {
		if (what != REWRITE_TEXT)
			fail_msg("not changed: %s", text);
		assert_string_equal(strbuf_str(&out), rewritten);
	}
	strbuf_fini(&out);
}

#define MY(text, rewritten) expect(PRETEND_MYSQL, text, rewritten)
#define PG(text, rewritten) expect(PRETEND_PGSQL, text, rewritten)
#define SAME(text)          (MY(text, text), PG(text, text))

static void hot_statements_stay(void **state)
{
	(void)state;
	SAME("SELECT c FROM sbtest1 WHERE id=?");
	SAME("SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c");
	SAME("UPDATE sbtest1 SET k=k+1 WHERE id=?");
	SAME("INSERT INTO sbtest1 (id, k, c, pad) VALUES (?, ?, ?, ?)");
	SAME("BEGIN");
	SAME("DROP TABLE sbtest1");
	SAME("SELECT 'FOR UPDATE', 'it''s'");
	SAME("SELECT forupdate, nowhere FROM setup");
	expect(PRETEND_NONE, "SELECT 1 FOR UPDATE", "SELECT 1 FOR UPDATE");
}

static void what_means_nothing_is_ignored(void **state)
{
	(void)state;
	MY("SET NAMES utf8", NULL);
	MY(" set autocommit=0", NULL);
	MY("ANALYZE TABLE sbtest1", NULL);
	MY("LOCK TABLES t WRITE", NULL);
	MY("UNLOCK TABLES", NULL);
	MY("ALTER TABLE t DISABLE KEYS", NULL);
	MY("ALTER TABLE t ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES b(c)", NULL);
	MY("/*! STRAIGHT */", NULL);
	PG("SET synchronous_commit TO off", NULL);
	PG("VACUUM ANALYZE sbtest1", NULL);
	PG("CREATE EXTENSION IF NOT EXISTS x", NULL);
}

static void locking_and_hints_go(void **state)
{
	(void)state;
	MY("SELECT c FROM t WHERE id=1 FOR UPDATE", "SELECT c FROM t WHERE id=1 ");
	PG("SELECT c FROM t FOR UPDATE SKIP LOCKED", "SELECT c FROM t ");
	PG("SELECT c FROM t FOR NO KEY UPDATE", "SELECT c FROM t ");
	MY("SELECT c FROM t LOCK IN SHARE MODE", "SELECT c FROM t ");
	MY("SELECT * FROM t FORCE KEY (PRIMARY) LIMIT 5", "SELECT * FROM t  LIMIT 5");
	MY("SELECT /*! SQL_CACHE */ c FROM t # end", "SELECT   c FROM t  ");
	MY("SELECT SQL_NO_CACHE c FROM t", "SELECT  c FROM t");
	MY("INSERT IGNORE INTO t VALUES (1)", "INSERT OR IGNORE INTO t VALUES (1)");
	MY("INSERT INTO t(a, b) VALUES (1, 2) ON DUPLICATE KEY UPDATE b=VALUES(b)+1",
	   "INSERT INTO t(a, b) VALUES (1, 2) ON CONFLICT DO UPDATE SET b=excluded.b+1");
	MY("SELECT NOW()", "SELECT CURRENT_TIMESTAMP");
	PG("SELECT a::bigint, b::character varying(5) FROM t", "SELECT a, b FROM t");
	PG("INSERT INTO t VALUES (nextval('s'), 1)", "INSERT INTO t VALUES (NULL, 1)");
	MY("TRUNCATE TABLE t", "DELETE FROM t");
	PG("DROP TABLE IF EXISTS t CASCADE", "DROP TABLE IF EXISTS t");
	MY("DROP INDEX k ON t", "DROP INDEX k");
}

static void zero_asks_mysql_for_the_next_number(void **state)
{
	(void)state;
	MY("INSERT INTO t (id, k) VALUES (0, 5), ( 0 , f(0, 1))",
	   "INSERT INTO t (id, k) VALUES (NULL, 5), (NULL, f(0, 1))");
	MY("INSERT IGNORE INTO t (`id`, k) VALUES (0, 0)",
	   "INSERT OR IGNORE INTO t (`id`, k) VALUES (NULL, 0)");
	MY("INSERT INTO t (k, id) VALUES (0, 5)", "INSERT INTO t (k, id) VALUES (0, 5)");
	MY("INSERT INTO t (id, k) VALUES (01, 5)", "INSERT INTO t (id, k) VALUES (01, 5)");
	PG("INSERT INTO t (id, k) VALUES (0, 5)", "INSERT INTO t (id, k) VALUES (0, 5)");
}

static void strings_become_sqlites(void **state)
{
	(void)state;
	MY("SELECT 'it\\'s', 'a\\nb', 'c\\\\d'", "SELECT 'it''s', 'a\nb', 'c\\d'");
	MY("SELECT \"say \"\"it's\"\"\"", "SELECT 'say \"it''s\"'");
	MY("SELECT 'FOR UPDATE \\' FOR UPDATE'", "SELECT 'FOR UPDATE '' FOR UPDATE'");
	PG("SELECT 'a\\' FOR SHARE", "SELECT 'a\\' ");
	PG("SELECT E'it\\'s', 'x'", "SELECT 'it''s', 'x'");
	PG("SELECT $$it's$$, $q$a$$b$q$", "SELECT 'it''s', 'a$$b'");
	PG("SELECT \"col\" FROM t FOR SHARE", "SELECT \"col\" FROM t ");
	MY("SELECT `col` FROM t FOR SHARE", "SELECT `col` FROM t ");
	MY("SELECT 'never", "SELECT 'never");
	PG("SELECT $$never", "SELECT $$never");
}

static void tables_become_sqlites(void **state)
{
	(void)state;
	MY("CREATE TABLE t(id INTEGER NOT NULL AUTO_INCREMENT, k INTEGER DEFAULT '0' NOT NULL, "
	   "PRIMARY KEY (id)) /*! ENGINE = innodb */ COMMENT='x'",
	   "CREATE TABLE t (id INTEGER NOT NULL, k INTEGER DEFAULT '0' NOT NULL, PRIMARY KEY "
	   "(id))");
	MY("CREATE TABLE t(id INT(11) UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, "
	   "e ENUM('a,b', 'c') NOT NULL, v VARCHAR(5) CHARACTER SET utf8 COLLATE utf8_bin COMMENT "
	   "'x, y') "
	   "ENGINE=InnoDB",
	   "CREATE TABLE t (id INTEGER NOT NULL PRIMARY KEY, e TEXT NOT NULL, v VARCHAR (5))");
	MY("CREATE TABLE IF NOT EXISTS t(id INTEGER NOT NULL AUTO_INCREMENT, KEY xid (id))",
	   "CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY NOT NULL); "
	   "CREATE INDEX IF NOT EXISTS \"t_xid\" ON t(id)");
	MY("CREATE TABLE t(a INT, b INT, UNIQUE KEY u (a, b), INDEX (b(10)), FULLTEXT KEY f (a))",
	   "CREATE TABLE t (a INT, b INT, UNIQUE (a, b)); CREATE INDEX IF NOT EXISTS \"t_key0\" ON "
	   "t(b)");
	MY("CREATE TABLE t(a INT AUTO_INCREMENT, b INT, PRIMARY KEY (b, a))",
	   "CREATE TABLE t (a INTEGER PRIMARY KEY, b INT, UNIQUE (b, a))");
	PG("CREATE TABLE t(id SERIAL, k INTEGER, PRIMARY KEY (id)) WITH (fillfactor=70)",
	   "CREATE TABLE t (id INTEGER, k INTEGER, PRIMARY KEY (id))");
	PG("CREATE UNLOGGED TABLE t(id BIGSERIAL PRIMARY KEY, d DECIMAL(12,2) DEFAULT 0)",
	   "CREATE TABLE t (id INTEGER PRIMARY KEY, d DECIMAL (12,2) DEFAULT 0)");
	PG("CREATE TABLE t(id bigint GENERATED BY DEFAULT AS IDENTITY (START WITH 5), PRIMARY KEY "
	   "(id))",
	   "CREATE TABLE t (id INTEGER, PRIMARY KEY (id))");
	PG("CREATE TABLE t(a INT, CONSTRAINT c CHECK (a > 0), d timestamp DEFAULT now())",
	   "CREATE TABLE t (a INT, CONSTRAINT c CHECK (a > 0), d timestamp DEFAULT "
	   "CURRENT_TIMESTAMP)");
	MY("CREATE TABLE t AS SELECT 1", "CREATE TABLE t AS SELECT 1");
}

static void indexes_become_sqlites(void **state)
{
	(void)state;
	MY("CREATE INDEX k_1 ON sbtest1(k)", "CREATE INDEX k_1 ON sbtest1(k)");
	PG("CREATE UNIQUE INDEX CONCURRENTLY i ON t USING btree (a, b) WITH (fillfactor=70) "
	   "TABLESPACE x",
	   "CREATE UNIQUE INDEX i ON t(a, b)");
	MY("CREATE INDEX i USING HASH ON t (a(10), b) ALGORITHM=INPLACE",
	   "CREATE INDEX i ON t(a, b)");
	MY("ALTER TABLE t ADD INDEX i (a)", "CREATE INDEX i ON t(a)");
	MY("ALTER TABLE t ADD UNIQUE KEY (a)", "CREATE UNIQUE INDEX t_key ON t(a)");
	MY("ALTER TABLE t ADD COLUMN x INT", "ALTER TABLE t ADD COLUMN x INT");
}

/* What the well-known scripts send, run on SQLite. */
static void scripts_tables_can_be_created_and_number_their_rows(void **state)
{
	static const struct {
		enum sqlite_pretend pretend;
		const char *id, *key, *options;
		bool counts;
	} cases[] = {
	    {PRETEND_MYSQL, "INTEGER NOT NULL AUTO_INCREMENT", "PRIMARY KEY",
	     "/*! ENGINE = innodb */ ", true},
	    {PRETEND_MYSQL, "INTEGER NOT NULL", "PRIMARY KEY",
	     "/*! ENGINE = innodb */ ROW_FORMAT=dynamic", false},
	    {PRETEND_MYSQL, "INTEGER NOT NULL AUTO_INCREMENT", "KEY xid", "/*! ENGINE = myisam */ ",
	     true},
	    {PRETEND_MYSQL, "INTEGER NOT NULL", "KEY xid", "ENGINE=InnoDB DEFAULT CHARSET=utf8mb4",
	     false},
	    {PRETEND_PGSQL, "SERIAL", "PRIMARY KEY", " ", true},
	    {PRETEND_PGSQL, "INTEGER NOT NULL", "PRIMARY KEY", " ", false},
	    {PRETEND_PGSQL, "INTEGER IDENTITY(1,1)", "PRIMARY KEY", " ", true},
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct strbuf out = STRBUF_INIT;
		char *message = NULL;
		sqlite3 *db;

		snprintf(text, sizeof(text),
		         "\nCREATE TABLE sbtest7(\n  id %s,\n  k INTEGER DEFAULT '0' NOT NULL,\n"
		         "  c CHAR(120) DEFAULT '' NOT NULL,\n  pad CHAR(60) DEFAULT '' NOT NULL,\n"
		         "  %s (id)\n) %s",
		         cases[i].id, cases[i].key, cases[i].options);
		sqlite3_open(":memory:", &db);
		assert_int_equal(sqlite_rewrite(cases[i].pretend, text, strlen(text), &out),
		                 REWRITE_TEXT);
		if (sqlite3_exec(db, out.text, NULL, NULL, &message) != SQLITE_OK)
			fail_msg("%s: %s", out.text, message);
		if (cases[i].counts)
			assert_int_equal(
			    sqlite3_exec(db, "INSERT INTO sbtest7(k, c, pad) VALUES (5, 'c', 'p')",
			                 NULL, NULL, NULL),
			    SQLITE_OK);
		assert_int_equal(
		    sqlite3_exec(db, "INSERT INTO sbtest7(id, k, c, pad) VALUES (9, 5, 'c', 'p')",
		                 NULL, NULL, NULL),
		    SQLITE_OK);
		strbuf_fini(&out);
		sqlite3_close(db);
	}
}

static void random_text_is_rewritten_without_harm(void **state)
{
	static const char *const pieces[] = {"CREATE ", "TABLE ",     "t",       "(",
	                                     ")",       ",",          "KEY ",    "AUTO_INCREMENT",
	                                     "'",       "\"",         "`",       "$$",
	                                     "/*",      "*/",         "--",      "\n",
	                                     "::",      "int",        "INDEX ",  "ON ",
	                                     "ALTER ",  "ADD ",       "DROP ",   "E'",
	                                     "\\",      "FOR UPDATE", " ",       "PRIMARY KEY",
	                                     "SERIAL",  "USING ",     ";",       "#",
	                                     "[",       "COMMENT ",   "VALUES(", "NOW(",
	                                     "IDENTITY"};
	unsigned long seed = 99;

	(void)state;
	for (int round = 0; round < 30000; round++) {
		struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;
		unsigned n;
		char *exact;

		if (round % 2 == 0)
			strbuf_adds(&text, "CREATE TABLE t(");
		seed = seed * 6364136223846793005UL + 1442695040888963407UL;
		n = (unsigned)(seed >> 33) % 25;
		for (unsigned i = 0; i < n; i++) {
			seed = seed * 6364136223846793005UL + 1442695040888963407UL;
			strbuf_adds(&text,
			            pieces[(seed >> 33) % (sizeof(pieces) / sizeof(pieces[0]))]);
		}
		exact = malloc(text.len + 1);
		memcpy(exact, strbuf_str(&text), text.len);
		exact = realloc(exact, text.len ? text.len : 1); /* without a NUL */
		sqlite_rewrite(round % 3 == 0 ? PRETEND_PGSQL : PRETEND_MYSQL, exact, text.len,
		               &out);
		assert_false(out.failed);
		free(exact);
		strbuf_fini(&text);
		strbuf_fini(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(hot_statements_stay),
	    cmocka_unit_test(what_means_nothing_is_ignored),
	    cmocka_unit_test(locking_and_hints_go),
	    cmocka_unit_test(zero_asks_mysql_for_the_next_number),
	    cmocka_unit_test(strings_become_sqlites),
	    cmocka_unit_test(tables_become_sqlites),
	    cmocka_unit_test(indexes_become_sqlites),
	    cmocka_unit_test(scripts_tables_can_be_created_and_number_their_rows),
	    cmocka_unit_test(random_text_is_rewritten_without_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
