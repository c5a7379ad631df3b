/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "scenario/reader.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static char path[64];

static int make_path(void **state)
{
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/ioltp-reader.XXXXXX");
	fd = mkstemp(path);
	return fd < 0 || close(fd) != 0;
}

static int drop_path(void **state)
{
	(void)state;
	return unlink(path);
}

static void write_bytes(const char *bytes, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static int load(struct tree *t, const char *text, struct err *err)
{
	*err = ERR_INIT;
	write_bytes(text, strlen(text));
	return reader_load(t, path, err);
}

static void expect_refused(const char *text, const char *part)
{
	struct err err;
	struct tree t;
	int rc = load(&t, text, &err);

	if (rc != -EINVAL || err.status != EXIT_USAGE || strstr(err.text, part) == NULL ||
	    strncmp(err.text, path, strlen(path)) != 0)
		fail_msg("%s: %d: '%s' without '%s'", text, rc, err.text, part);
	assert_int_equal(t.kind, TREE_NIL);
	assert_null(t.items);
}

static bool same(const struct tree *a, const struct tree *b)
{
	if (a->kind != b->kind || a->nitems != b->nitems || a->narray != b->narray ||
	    (a->key == NULL) != (b->key == NULL) || (a->key != NULL && strcmp(a->key, b->key) != 0))
		return false;
	if (a->kind == TREE_TEXT && strcmp(a->text, b->text) != 0)
		return false;
	if ((a->kind == TREE_NUMBER && a->number != b->number) ||
	    (a->kind == TREE_BOOL && a->b != b->b))
		return false;
	for (size_t i = 0; i < a->nitems; i++) {
		if (!same(&a->items[i], &b->items[i]))
			return false;
	}
	return true;
}

static void test_values(void **state)
{
	struct err err;
	struct tree t;

	(void)state;
	assert_int_equal(load(&t,
	                      "-- a comment\nlocal k = 1024\nlocal list = {}\n"
	                      "for i = 1, 3 do list[i] = i * k end\n"
	                      "return { 'first', false, z = list, a = 0.1, m = ('ab'):rep(2),\n"
	                      " n = { x = { y = math.floor(2.5) } }, empty = {} }\n",
	                      &err),
	                 0);
	assert_int_equal(t.kind, TREE_TABLE);
	assert_int_equal(t.narray, 2);
	assert_int_equal(t.nitems, 7);
	assert_string_equal(t.items[0].text, "first");
	assert_int_equal(t.items[1].kind, TREE_BOOL);
	assert_false(t.items[1].b);
	/* Named items are in order. */
	assert_string_equal(t.items[2].key, "a");
	assert_string_equal(t.items[3].key, "empty");
	assert_string_equal(t.items[6].key, "z");
	assert_true(tree_get(&t, "a")->number == 0.1);
	assert_string_equal(tree_get(&t, "m")->text, "abab");
	assert_int_equal(tree_get(&t, "empty")->nitems, 0);
	assert_true(tree_get(&t, "z")->items[2].number == 3072);
	assert_true(tree_get(tree_get(tree_get(&t, "n"), "x"), "y")->number == 2);
	tree_fini(&t);
}

static void test_errors(void **state)
{
	static const struct {
		const char *text, *part;
	} cases[] = {
	    {"", ": returns nothing and not a table"},
	    {"return 7", ": returns number and not a table"},
	    {"return {\n  a = = 1 }", ":2: unexpected symbol near '='"},
	    {"local x\nlocal y = nil + 1\nreturn {}", ":2: attempt to perform arithmetic"},
	    {"\n\nerror('no such thing')", ":3: no such thing"},
	    {"error({})", "an error that is not text"},
	    {"return { a = { { c = 1 }, { c = function () end } } }",
	     "a[2].c: is a function; a table holds"},
	    {"return { a = 1/0 }", "a: is not a finite number"},
	    {"return { 1, nil, 3, 4 }", "gap"},
	    {"return { [0] = 1 }", "1, 2, 3"},
	    {"return { [1.5] = 1 }", "1, 2, 3"},
	    {"return { [true] = 1 }", "neither a name nor a number"},
	    {"return { a = 'x\\0y' }", "a: is text with a zero byte"},
	    {"local t = {} t.t = t return t", "holds itself"},
	    {"local t = {1} for i = 1, 30 do t = {t, t} end return t", "one value too many"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		expect_refused(cases[i].text, cases[i].part);
}

static void test_no_file(void **state)
{
	struct err err = ERR_INIT;
	struct tree t;

	(void)state;
	assert_int_equal(reader_load(&t, "/nowhere/x.lua", &err), -EINVAL);
	assert_non_null(strstr(err.text, "/nowhere/x.lua: cannot be read: No such file"));
	err = ERR_INIT;
	assert_int_equal(reader_load(&t, "/tmp", &err), -EINVAL);
	assert_non_null(strstr(err.text, "/tmp: is a folder"));
}

/* Nothing of the outside is there; what is not there cannot be called. */
static void test_sandbox(void **state)
{
	static const char *const absent[] = {
	    "io",           "os",       "ffi",          "jit",         "require",
	    "package",      "debug",    "loadstring",   "load",        "loadfile",
	    "dofile",       "_G",       "getfenv",      "setfenv",     "rawset",
	    "getmetatable", "pcall",    "setmetatable", "coroutine",   "collectgarbage",
	    "bit",          "newproxy", "string.dump",  "math.random", "string.find",
	    "string.gsub",  "print",    "xpcall",       "module",      "string.gmatch",
	};
	char text[256];
	struct err err;
	struct tree t;

	(void)state;
	for (size_t i = 0; i < COUNT(absent); i++) {
		snprintf(text, sizeof(text), "return { type(%s) }", absent[i]);
		assert_int_equal(load(&t, text, &err), 0);
		if (strcmp(t.items[0].text, "nil") != 0)
			fail_msg("%s is a %s", absent[i], t.items[0].text);
		tree_fini(&t);
	}
	expect_refused("return { (''):dump() }", ":1: attempt to call method 'dump'");
	expect_refused("return { ('a'):gsub('a', 'b') }", "gsub");
}

static void test_limits(void **state)
{
	(void)state;
	expect_refused("\nwhile true do end", ":2: runs too long");
	expect_refused("local f f = function () return f() end f()", "runs too long");
	expect_refused("return { ('x'):rep(1e9) }", "needs more than 32 MiB");
	expect_refused("local t = {} for i = 1, 1e7 do t[i] = {} end return t", "MiB");
	expect_refused("local function f() return 1 + f() end return { f() }", "stack overflow");
}

/* Bytecode can do what the sandbox forbids. */
static void test_no_bytecode(void **state)
{
	struct err err = ERR_INIT;
	struct tree t;

	(void)state;
	write_bytes("\033LJ\002\002\000\001\002\000", 9);
	assert_int_equal(reader_load(&t, path, &err), -EINVAL);
	assert_non_null(strstr(err.text, "attempt to load"));
}

static void test_save(void **state)
{
	static const char source[] =
	    "return { 'a', { 1, 2, x = 'y' }, 0.1, 1e300, -0.0, 12345678901234, 1/3,\n"
	    " name = 'quotes \" \\\\ and\\nlines\\1\\r\\127', ['end'] = true, ['not a name'] = "
	    "{},\n"
	    " ['7'] = 7, deep = { { { { z = false } } } }, utf = 'ä€',\n"
	    " long = { "
	    "'0123456789012345678901234567890123456789', "
	    "'0123456789012345678901234567890123456789', '0123456789' } }";
	struct err err = ERR_INIT;
	struct tree t, back;
	char first[4096] = "", second[4096] = "";
	FILE *f;

	(void)state;
	assert_int_equal(load(&t, source, &err), 0);
	assert_int_equal(reader_save(&t, path, "Two\n\nlines", &err), 0);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_true(fread(first, 1, sizeof(first) - 1, f) > 0);
	fclose(f);
	assert_int_equal(
	    strncmp(first,
	            "-- Two\n--\n-- lines\nreturn {\n\t\"a\",\n\t{ 1, 2, x = \"y\" },\n\t0.1,\n",
	            60),
	    0);
	assert_non_null(strstr(first, "\t[\"end\"] = true,\n"));
	assert_non_null(strstr(first, "\t[\"not a name\"] = {},\n"));
	assert_int_equal(reader_load(&back, path, &err), 0);
	assert_true(same(&t, &back));
	/* A second time: the same text. */
	assert_int_equal(reader_save(&back, path, "Two\n\nlines", &err), 0);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_true(fread(second, 1, sizeof(second) - 1, f) > 0);
	fclose(f);
	assert_string_equal(first, second);
	tree_fini(&t);
	tree_fini(&back);
}

static void test_save_refuses(void **state)
{
	struct tree number = {.kind = TREE_NUMBER, .number = 1};
	struct tree inf = {.kind = TREE_NUMBER, .number = 1e308 * 10};
	struct tree table = {.kind = TREE_TABLE, .items = &inf, .nitems = 1, .narray = 1};
	struct tree empty = {.kind = TREE_TABLE};
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(reader_save(&number, path, NULL, &err), -EINVAL);
	err = ERR_INIT;
	assert_int_equal(reader_save(&table, path, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "not finite"));
	err = ERR_INIT;
	assert_int_equal(reader_save(&empty, "/nowhere/x.lua", NULL, &err), -EIO);
	assert_non_null(strstr(err.text, "/nowhere/x.lua: cannot be written: No such file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_values),  cmocka_unit_test(test_errors),
	    cmocka_unit_test(test_no_file), cmocka_unit_test(test_sandbox),
	    cmocka_unit_test(test_limits),  cmocka_unit_test(test_no_bytecode),
	    cmocka_unit_test(test_save),    cmocka_unit_test(test_save_refuses),
	};

	return cmocka_run_group_tests_name("reader", tests, make_path, drop_path);
}
