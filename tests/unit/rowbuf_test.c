/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sql/rowbuf.h"

static void rows_come_back_as_they_went_in(void **state)
{
	struct rowbuf *rb = rowbuf_new();
	struct sql_value values[3];

	(void)state;
	assert_non_null(rb);
	rowbuf_reset(rb, 3);
	assert_false(rowbuf_next(rb, values));
	assert_int_equal(rowbuf_add(rb, "one", 3), 0);
	assert_int_equal(rowbuf_add(rb, NULL, 0), 0);
	assert_int_equal(rowbuf_add(rb, "", 0), 0);
	assert_int_equal(rowbuf_add(rb, "a\0b", 3), 0);
	assert_int_equal(rowbuf_add(rb, "x", 1), 0);
	assert_int_equal(rowbuf_add(rb, NULL, 7), 0);

	assert_true(rowbuf_next(rb, values));
	assert_string_equal(values[0].text, "one");
	assert_int_equal(values[0].len, 3);
	assert_null(values[1].text);
	assert_int_equal(values[1].len, 0);
	assert_non_null(values[2].text);
	assert_int_equal(values[2].len, 0);
	assert_true(rowbuf_next(rb, values));
	assert_int_equal(values[0].len, 3);
	assert_memory_equal(values[0].text, "a\0b", 4);
	assert_null(values[2].text);
	assert_false(rowbuf_next(rb, values));
	assert_false(rowbuf_next(rb, values));

	rowbuf_reset(rb, 1);
	assert_false(rowbuf_next(rb, values));
	rowbuf_add(rb, "again", 5);
	assert_true(rowbuf_next(rb, values));
	assert_string_equal(values[0].text, "again");
	rowbuf_free(rb);
	rowbuf_free(NULL);
}

static void big_fields_and_many_rows_survive_growth(void **state)
{
	const size_t big_len = 1 << 20;
	struct rowbuf *rb = rowbuf_new();
	struct sql_value values[2];
	char *big = malloc(big_len);

	(void)state;
	assert_non_null(big);
	memset(big, 'q', big_len);
	rowbuf_reset(rb, 2);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(rowbuf_add(rb, (const char *)&i, sizeof(i)), 0);
		assert_int_equal(rowbuf_add(rb, big, i == 500 ? big_len : (size_t)(i % 9)), 0);
	}
	for (int i = 0; i < 1000; i++) {
		assert_true(rowbuf_next(rb, values));
		assert_memory_equal(values[0].text, &i, sizeof(i));
		assert_int_equal(values[1].len, i == 500 ? big_len : (size_t)(i % 9));
		assert_memory_equal(values[1].text, big, values[1].len);
		assert_int_equal(values[1].text[values[1].len], '\0');
	}
	assert_false(rowbuf_next(rb, values));
	rowbuf_free(rb);
	free(big);
}

static void an_unfinished_row_reads_as_nulls(void **state)
{
	struct rowbuf *rb = rowbuf_new();
	struct sql_value values[2];

	(void)state;
	rowbuf_reset(rb, 2);
	rowbuf_add(rb, "a", 1);
	assert_true(rowbuf_next(rb, values));
	assert_string_equal(values[0].text, "a");
	assert_null(values[1].text);
	assert_false(rowbuf_next(rb, values));
	rowbuf_free(rb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows_come_back_as_they_went_in),
	    cmocka_unit_test(big_fields_and_many_rows_survive_growth),
	    cmocka_unit_test(an_unfinished_row_reads_as_nulls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
