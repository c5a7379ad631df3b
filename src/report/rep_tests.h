/* SPDX-License-Identifier: MIT */
/* rep_tests: tests of many cells in the three forms. */
#ifndef IOLTP_REPORT_REP_TESTS_H
#define IOLTP_REPORT_REP_TESTS_H

#include "report/result.h"

struct json_t;

/* Tables and verdicts, for the final text report. */
void rep_text_tests(const struct result *r, FILE *out);
/* A header, and a row for each cell of each round of all tests. 0 or -errno. */
int rep_csv_tests(const struct result *r, FILE *out);
/* The array "tests" of the document; NULL when memory ran out. */
struct json_t *rep_json_tests(const struct result *r);

#endif
