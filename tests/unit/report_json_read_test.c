/* SPDX-License-Identifier: MIT */
/* JSON documents as trees: what comes out, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/rep_json_read.h"

static int read_text(struct tree *t, const char *text, struct err *err)
{
	char path[] = "/tmp/ioltp-json-read.XXXXXX";
	int fd = mkstemp(path), rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	*err = ERR_INIT;
	rc = rep_json_read(t, path, err);
	unlink(path);
	return rc;
}

static void test_all_kinds(void **state)
{
	struct err err;
	struct tree t;
	const struct tree *list;

	(void)state;
	assert_int_equal(read_text(&t,
	                           "{\"z\": 1, \"a\": [1.5, \"x\", null, true, {}], "
	                           "\"m\": {\"deep\": [[2]]}, \"big\": 9007199254740992}",
	                           &err),
	                 0);
	assert_int_equal(t.kind, TREE_TABLE);
	assert_int_equal(t.narray, 0);
	assert_int_equal(t.nitems, 4);
	assert_string_equal(t.items[0].key, "a");
	assert_string_equal(t.items[3].key, "z");
	assert_true(tree_get(&t, "z")->number == 1);
	assert_true(tree_get(&t, "big")->number == 0x1p53);
	list = tree_get(&t, "a");
	assert_int_equal(list->narray, 5);
	assert_true(list->items[0].number == 1.5);
	assert_string_equal(list->items[1].text, "x");
	assert_int_equal(list->items[2].kind, TREE_NIL);
	assert_true(list->items[3].kind == TREE_BOOL && list->items[3].b);
	assert_int_equal(list->items[4].kind, TREE_TABLE);
	assert_int_equal(list->items[4].nitems, 0);
	list = tree_get(tree_get(&t, "m"), "deep");
	assert_true(list->items[0].items[0].number == 2);
	tree_fini(&t);
}

static void test_what_is_refused(void **state)
{
	static const char *const bad[] = {
	    "",          "{\"a\": 1",         "nonsense", "{\"a\": 1} x",
	    "{\"a\":1,", "{\"a\":1,\"a\":2}", "\"text\""};
	char deep[512];
	struct err err;
	struct tree t;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(read_text(&t, bad[i], &err), -22);
		assert_int_equal(err.status, EXIT_USAGE);
		assert_non_null(strstr(err.text, "line 1"));
		assert_int_equal(t.nitems, 0);
	}
	memset(deep, '[', 200);
	memset(deep + 200, ']', 200);
	deep[400] = '\0';
	assert_int_equal(read_text(&t, deep, &err), -22);
	assert_non_null(strstr(err.text, "nested too deeply"));
	err = ERR_INIT;
	assert_int_equal(rep_json_read(&t, "/nonexistent/x.json", &err), -22);
	assert_non_null(strstr(err.text, "/nonexistent/x.json: cannot be read: No such file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_kinds),
	                                   cmocka_unit_test(test_what_is_refused)};

#ifndef HAVE_JANSSON
	puts("skipped: built without jansson");
	return 77;
#endif
	return cmocka_run_group_tests(tests, NULL, NULL);
}
