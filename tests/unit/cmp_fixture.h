/* SPDX-License-Identifier: MIT */
/* Documents of runs that never were, in a folder that goes at the end. */
#ifndef IOLTP_TESTS_UNIT_CMP_FIXTURE_H
#define IOLTP_TESTS_UNIT_CMP_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "report/cmp_doc.h"
#include "report/cmp_report.h"

static char dir[32];

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/ioltp_cmp_XXXXXX");
	return mkdtemp(dir) != NULL ? 0 : -1;
}

static int remove_dir(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

/* Writes a text to a file of the folder, with ' for ", and returns its path (static). */
static const char *write_text(const char *name, const char *text)
{
	static char path[96];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	out = fopen(path, "w");
	assert_non_null(out);
	for (; *text != '\0'; text++)
		fputc(*text == '\'' ? '"' : *text, out);
	assert_int_equal(fclose(out), 0);
	return path;
}

static inline void load_text(struct cmp_doc *d, const char *name, const char *text)
{
	struct err err = ERR_INIT;

	if (cmp_doc_load(d, write_text(name, text), &err) != 0)
		fail_msg("%s", err.text);
}

static inline void refuse_text(const char *name, const char *text, const char *why)
{
	struct err err = ERR_INIT;
	struct cmp_doc d;

	assert_true(cmp_doc_load(&d, write_text(name, text), &err) < 0);
	assert_int_equal(err.status, EXIT_USAGE);
	assert_non_null(strstr(err.text, name));
	if (strstr(err.text, why) == NULL)
		fail_msg("no '%s' in: %s", why, err.text);
	assert_null(strchr(err.text, '\n'));
	cmp_doc_fini(&d);
}

static inline void assert_near(double got, double want, double error)
{
	if (!(fabs(got - want) <= error))
		fail_msg("%.12g instead of %.12g", got, want);
}

static inline bool has_text(const struct cmp_texts *t, const char *text)
{
	for (size_t i = 0; i < t->n; i++) {
		if (strstr(t->texts[i], text) != NULL)
			return true;
	}
	return false;
}

#endif
