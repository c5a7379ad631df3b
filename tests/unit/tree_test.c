/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/near.h"
#include "base/tree.h"

/* { 7, b = "text", z = {} } */
static void make(struct tree *t)
{
	*t = (struct tree){.kind = TREE_TABLE, .nitems = 3, .narray = 1};
	t->items = calloc(3, sizeof(*t->items));
	assert_non_null(t->items);
	t->items[0] = (struct tree){.kind = TREE_NUMBER, .number = 7};
	t->items[1] = (struct tree){.kind = TREE_TEXT, .text = strdup("text"), .key = strdup("b")};
	t->items[2] = (struct tree){.kind = TREE_TABLE, .key = strdup("z")};
}

static void test_get(void **state)
{
	struct tree t;

	(void)state;
	make(&t);
	assert_ptr_equal(tree_get(&t, "b"), &t.items[1]);
	assert_ptr_equal(tree_get(&t, "z"), &t.items[2]);
	assert_null(tree_get(&t, "a"));
	assert_null(tree_get(&t, ""));
	/* Elements of the array part have no name, and what is no table has no items. */
	assert_null(tree_get(&t.items[2], "b"));
	assert_null(tree_get(&t.items[0], "b"));
	tree_fini(&t);
	assert_int_equal(t.kind, TREE_NIL);
	assert_null(t.items);
	tree_fini(&t);
}

static void test_near(void **state)
{
	static const char *const known[] = {"read_share", "rwmixread", "bs", "oio", "weight"};

	(void)state;
	assert_string_equal(near_name("wieght", known, 5), "weight");
	assert_string_equal(near_name("rwmix_read", known, 5), "rwmixread");
	assert_string_equal(near_name("BS", known, 5), "bs");
	assert_string_equal(near_name("oi", known, 5), "oio");
	/* All letters changed is not near, and nothing is near to nothing. */
	assert_null(near_name("xy", known, 5));
	assert_null(near_name("streams", known, 5));
	assert_null(near_name("bs", known, 0));
	assert_int_equal(near_distance("abcd", 4, "abdc", 4), 1);
	assert_int_equal(near_distance("a-b", 3, "A_B", 3), 0);
	assert_int_equal(near_distance("kitten", 6, "sitting", 7), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_get),
	    cmocka_unit_test(test_near),
	};

	return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
