/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sql/stmt_text.h"

static void classes_follow_the_first_words(void **state)
{
	static const struct {
		const char *text;
		enum sql_class class;
	} cases[] = {
	    {"SELECT c FROM sbtest1 WHERE id=5", SQL_READ},
	    {"  select 1", SQL_READ},
	    {"(SELECT 1) UNION (SELECT 2)", SQL_READ},
	    {"-- a comment\n/* another */ SELECT 1", SQL_READ},
	    {"/* nested /* one */ here */ SHOW TABLES", SQL_READ},
	    {"# mysql\nVALUES (1)", SQL_READ},
	    {"TABLE t", SQL_READ},
	    {"SELECTED", SQL_OTHER},
	    {"INSERT INTO t VALUES (1)", SQL_WRITE},
	    {"update t set a=1", SQL_WRITE},
	    {"DELETE FROM t", SQL_WRITE},
	    {"REPLACE INTO t VALUES (1)", SQL_WRITE},
	    {"MERGE INTO t USING s", SQL_WRITE},
	    {"COPY t FROM STDIN", SQL_WRITE},
	    {"LOAD DATA INFILE 'x'", SQL_WRITE},
	    {"WITH a AS (SELECT 1) SELECT * FROM a", SQL_READ},
	    {"WITH a AS (SELECT 'INSERT') SELECT * FROM a", SQL_READ},
	    {"WITH RECURSIVE a(n) AS (SELECT 1) INSERT INTO t SELECT * FROM a", SQL_WRITE},
	    {"WITH d AS (DELETE FROM t RETURNING id) SELECT * FROM d", SQL_WRITE},
	    {"WITH a AS (SELECT update_time FROM t) SELECT replace(x, 'a', 'b') FROM a", SQL_READ},
	    {"BEGIN", SQL_OTHER},
	    {"COMMIT", SQL_OTHER},
	    {"CREATE TABLE t(a INT)", SQL_OTHER},
	    {"SET NAMES utf8", SQL_OTHER},
	    {"", SQL_OTHER},
	    {"/*! INSERT INTO t VALUES (1) */", SQL_WRITE},
	    {"/* never closed", SQL_OTHER},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (stmt_class(cases[i].text, strlen(cases[i].text)) != cases[i].class)
			fail_msg("class of: %s", cases[i].text);
}

static void transaction_words_are_told_apart(void **state)
{
	static const struct {
		const char *text;
		enum stmt_txn what;
	} cases[] = {
	    {"BEGIN", STMT_BEGIN},
	    {" begin work;", STMT_BEGIN},
	    {"BEGIN IMMEDIATE TRANSACTION", STMT_BEGIN},
	    {"START TRANSACTION READ ONLY", STMT_BEGIN},
	    {"START SLAVE", STMT_PLAIN},
	    {"COMMIT", STMT_COMMIT},
	    {"/* c */COMMIT WORK", STMT_COMMIT},
	    {"END TRANSACTION", STMT_COMMIT},
	    {"COMMIT PREPARED 'a'", STMT_PLAIN},
	    {"ROLLBACK", STMT_ROLLBACK},
	    {"rollback transaction", STMT_ROLLBACK},
	    {"ROLLBACK TO SAVEPOINT a", STMT_PLAIN},
	    {"ROLLBACK TRANSACTION TO a", STMT_PLAIN},
	    {"ABORT", STMT_ROLLBACK},
	    {"SELECT 1", STMT_PLAIN},
	    {"BEGINNING", STMT_PLAIN},
	    {"SAVEPOINT a", STMT_PLAIN},
	    {"", STMT_PLAIN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (stmt_txn(cases[i].text, strlen(cases[i].text)) != cases[i].what)
			fail_msg("transaction word of: %s", cases[i].text);
}

static void number_mark(void *ctx, unsigned index, struct strbuf *out)
{
	(void)ctx;
	strbuf_addf(out, "<%u>", index);
}

static void check_marks(enum sql_dialect dialect, const char *text, unsigned n,
                        const char *replaced)
{
	struct strbuf out = STRBUF_INIT;

	if (stmt_count_marks(text, strlen(text), dialect) != n)
		fail_msg("%u marks instead of %u in: %s",
		         stmt_count_marks(text, strlen(text), dialect), n, text);
	stmt_replace_marks(text, strlen(text), dialect, number_mark, NULL, &out);
	assert_string_equal(strbuf_str(&out), replaced);
	strbuf_fini(&out);
}

static void marks_in_quotes_and_comments_do_not_count(void **state)
{
	(void)state;
	check_marks(DIALECT_SQLITE, "SELECT ? + ?", 2, "SELECT <0> + <1>");
	check_marks(DIALECT_SQLITE, "?", 1, "<0>");
	check_marks(DIALECT_SQLITE, "", 0, "");
	check_marks(DIALECT_SQLITE, "'?' \"?\" `?` [?] ?", 1, "'?' \"?\" `?` [?] <0>");
	check_marks(DIALECT_SQLITE, "'it''s ?' ?", 1, "'it''s ?' <0>");
	check_marks(DIALECT_SQLITE, "'a\\' ?", 1, "'a\\' <0>");
	check_marks(DIALECT_SQLITE, "-- ?\n? /* ? */ ?", 2, "-- ?\n<0> /* ? */ <1>");
	check_marks(DIALECT_SQLITE, "/* ? /* ? */ ? */", 1, "/* ? /* ? */ <0> */");
	check_marks(DIALECT_SQLITE, "? 'never closed ?", 1, "<0> 'never closed ?");
	check_marks(DIALECT_SQLITE, "5 - ? / ?", 2, "5 - <0> / <1>");
}

static void marks_follow_the_dialect(void **state)
{
	(void)state;
	check_marks(DIALECT_MYSQL, "'a\\' ?' ?", 1, "'a\\' ?' <0>");
	check_marks(DIALECT_MYSQL, "\"a\\\" ?\" ?", 1, "\"a\\\" ?\" <0>");
	check_marks(DIALECT_MYSQL, "# ?\n?", 1, "# ?\n<0>");
	check_marks(DIALECT_MYSQL, "5--?", 1, "5--<0>");
	check_marks(DIALECT_MYSQL, "5-- ?\n?", 1, "5-- ?\n<0>");
	check_marks(DIALECT_MYSQL, "/*! id=? */ /* ? */", 1, "/*! id=<0> */ /* ? */");
	check_marks(DIALECT_PGSQL, "$$?$$ $a$ $$ ? $a$ ?", 1, "$$?$$ $a$ $$ ? $a$ <0>");
	check_marks(DIALECT_PGSQL, "a$1 = $1 AND ?", 1, "a$1 = $1 AND <0>");
	check_marks(DIALECT_PGSQL, "E'\\' ?' '\\' ?", 1, "E'\\' ?' '\\' <0>");
	check_marks(DIALECT_PGSQL, "/* ? /* ? */ ? */ ?", 1, "/* ? /* ? */ ? */ <0>");
	check_marks(DIALECT_PGSQL, "a#? `?", 2, "a#<0> `<1>");
}

static void check_normal(const char *text, const char *expect)
{
	char out[512];
	const size_t len = stmt_normalize(text, strlen(text), out, sizeof(out));

	assert_string_equal(out, expect);
	assert_int_equal(len, strlen(expect));
}

static void literals_become_marks(void **state)
{
	(void)state;
	check_normal("SELECT c FROM sbtest12 WHERE id=42", "SELECT c FROM sbtest# WHERE id=?");
	check_normal("SELECT c FROM sbtest12 WHERE id=?", "SELECT c FROM sbtest# WHERE id=?");
	check_normal("INSERT INTO t2 (c1) SELECT c1 FROM t3 a1 JOIN t4",
	             "INSERT INTO t# (c1) SELECT c1 FROM t# a1 JOIN t#");
	check_normal("SELECT 1 FROM 12", "SELECT ? FROM ?");
	check_normal("SELECT 1.5e-7, 0x1F, .5", "SELECT ?, ?, ?");
	check_normal("a = 'it''s' AND b = 'x\\'y'", "a = ? AND b = ?");
	check_normal("a=-5", "a=?");
	check_normal("a BETWEEN -5 AND +3", "a BETWEEN ? AND ?");
	check_normal("SET k=k-1, j=j - 2", "SET k=k-?, j=j - ?");
	check_normal("f(-1, x)", "f(?, x)");
	check_normal("a = X'00ff'", "a = ?");
	check_normal("a = \"text\"", "a = ?");
	check_normal("SELECT * FROM \"t1\" WHERE `k2`=1", "SELECT * FROM \"t1\" WHERE `k2`=?");
	check_normal("SELECT \"t\".\"a\" FROM t", "SELECT \"t\".\"a\" FROM t");
}

static void blanks_and_comments_are_folded(void **state)
{
	(void)state;
	check_normal("  SELECT\n\t  a  FROM t ; ", "SELECT a FROM t");
	check_normal("/* x */SELECT/* y */a -- z\nFROM t # end", "SELECT a FROM t");
	check_normal("SELECT 5--3", "SELECT ?-?");
	check_normal("", "");
	check_normal("  /* only */ ", "");
}

static void lists_are_folded(void **state)
{
	(void)state;
	check_normal("k IN (1)", "k IN (...)");
	check_normal("k IN (1,2, 3)", "k IN (...)");
	check_normal("k IN ( ?, -4 ,'x')", "k IN (...)");
	check_normal("f(1)", "f(?)");
	check_normal("f(1, 2)", "f(...)");
	check_normal("f(1, a, 2)", "f(?, a, ?)");
	check_normal("f(1, 2, a)", "f(?, ?, a)");
	check_normal("f(1, 2, g(3))", "f(?, ?, g(?))");
	check_normal("(1 - 2)", "(? - ?)");
	check_normal("INSERT INTO t(a, b) VALUES (1, 'x'), (2, 'y),('), (3, 'z')",
	             "INSERT INTO t(a, b) VALUES (...)");
	check_normal("INSERT INTO t VALUES(1,f(2)),(2,f(3)) ON CONFLICT DO NOTHING",
	             "INSERT INTO t VALUES(?,f(?)) ON CONFLICT DO NOTHING");
	check_normal("INSERT INTO t VALUES (1) RETURNING (2)",
	             "INSERT INTO t VALUES (...) RETURNING (?)");
}

static void long_lists_of_any_length_are_one_label(void **state)
{
	static char text[20000], a[128], b[128];

	(void)state;
	for (unsigned n = 300; n < 3000; n += 700) {
		size_t len = (size_t)sprintf(text, "SELECT * FROM t WHERE k IN (");

		for (unsigned i = 0; i < n; i++)
			len += (size_t)sprintf(text + len, "%s%u", i ? "," : "", i);
		len += (size_t)sprintf(text + len, ")");
		stmt_normalize(text, len, a, sizeof(a));
		assert_string_equal(a, "SELECT * FROM t WHERE k IN (...)");
	}
	memcpy(text, "INSERT INTO t VALUES ", 21);
	for (size_t i = 21; i + 12 < sizeof(text); i += 12)
		memcpy(text + i, "(12, 'abc'),", 12);
	stmt_normalize(text, sizeof(text) - 12, b, sizeof(b));
	assert_string_equal(b, "INSERT INTO t VALUES (...)");
}

static void labels_are_cut_to_the_room(void **state)
{
	char out[8];

	(void)state;
	memset(out, 'x', sizeof(out));
	assert_int_equal(stmt_normalize("SELECT abc", 10, out, 0), 0);
	assert_int_equal(out[0], 'x');
	assert_int_equal(stmt_normalize("SELECT abc", 10, out, 1), 0);
	assert_string_equal(out, "");
	for (size_t room = 2; room <= sizeof(out); room++) {
		assert_in_range(stmt_normalize("f((1,2),(?,?),x,'a',X'0')", 25, out, room), 1,
		                room - 1);
		assert_int_equal(strlen(out), room - 1);
	}
}

/* Any bytes: every reader must stay inside its buffers (run under ASan) and end. */
static void random_text_is_read_without_harm(void **state)
{
	static const char alphabet[] = "'\"`$[](),?-/*!#\\ \nEXab1.;VALUESIN";
	unsigned long seed = 12345;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char out[40];
		size_t len = 0;
		char *text;

		seed = seed * 6364136223846793005UL + 1442695040888963407UL;
		len = (seed >> 33) % 60;
		text = malloc(len + 1); /* exact, so that reading beyond is seen */
		assert_non_null(text);
		for (size_t i = 0; i < len; i++) {
			seed = seed * 6364136223846793005UL + 1442695040888963407UL;
			text[i] = alphabet[(seed >> 33) % (sizeof(alphabet) - 1)];
		}
		text = realloc(text, len ? len : 1);
		assert_in_range(stmt_normalize(text, len, out, sizeof(out)), 0, sizeof(out) - 1);
		for (int d = DIALECT_SQLITE; d <= DIALECT_PGSQL; d++) {
			struct strbuf sb = STRBUF_INIT;
			const unsigned n = stmt_count_marks(text, len, (enum sql_dialect)d);

			stmt_replace_marks(text, len, (enum sql_dialect)d, number_mark, NULL, &sb);
			assert_true(sb.len >= len + 2 * n);
			strbuf_fini(&sb);
		}
		stmt_class(text, len);
		stmt_txn(text, len);
		free(text);
	}
}

static bool lasts(const char *text, bool in_txn)
{
	return stmt_lasts(text, strlen(text), DIALECT_PGSQL, in_txn);
}

static void what_lasts_when_its_answer_is_lost(void **state)
{
	(void)state;
	assert_true(lasts("UPDATE t SET a = 1", false));
	assert_false(lasts("UPDATE t SET a = 1", true));
	assert_true(lasts(" /* x */ commit", true));
	assert_true(lasts("COMMIT", false));
	assert_false(lasts("SELECT 1; SHOW x", false));
	assert_false(lasts("BEGIN", false));
	assert_false(lasts("SET a = 1", false));
	assert_false(lasts("ROLLBACK", true));
	assert_false(lasts("", false));
	assert_true(lasts("CALL p()", false));
	assert_true(lasts("CREATE TABLE t (a int)", false));
	assert_true(lasts("SELECT ';'; DELETE FROM t", false));
	assert_false(lasts("SELECT '; DELETE FROM t'", false));
	assert_false(lasts("BEGIN; DELETE FROM t", false));
	assert_true(lasts("BEGIN; DELETE FROM t; COMMIT", false));
	assert_true(lasts("ROLLBACK; DELETE FROM t", true));
	assert_true(lasts("COMMIT PREPARED 'x'", false));
}

static void test_opaque(void **state)
{
	static const struct {
		const char *text;
		bool opaque;
	} cases[] = {
	    {"CALL p(1)", true},         {" /* x */ execute p", true},
	    {"EXECUTE p(1, 2)", true},   {"SELECT 1", false},
	    {"EXPLAIN SELECT 1", false}, {"executes", false},
	    {"{ call p() }", false},     {"", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(stmt_is_opaque(cases[i].text, strlen(cases[i].text)),
		                 cases[i].opaque);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_opaque),
	    cmocka_unit_test(classes_follow_the_first_words),
	    cmocka_unit_test(transaction_words_are_told_apart),
	    cmocka_unit_test(marks_in_quotes_and_comments_do_not_count),
	    cmocka_unit_test(marks_follow_the_dialect),
	    cmocka_unit_test(literals_become_marks),
	    cmocka_unit_test(blanks_and_comments_are_folded),
	    cmocka_unit_test(lists_are_folded),
	    cmocka_unit_test(long_lists_of_any_length_are_one_label),
	    cmocka_unit_test(labels_are_cut_to_the_room),
	    cmocka_unit_test(random_text_is_read_without_harm),
	    cmocka_unit_test(what_lasts_when_its_answer_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
