/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const prefix[] = {
    "ioltp: fatal: ", "ioltp: error: ", "ioltp: warning: ", "ioltp: ", "ioltp: ", "ioltp: debug: "};

static void put_line(enum log_level level, const char *text)
{
	size_t n = strlen(prefix[level]) + strlen(text) + 2;
	char *line = malloc(n);

	if (line == NULL)
		return;
	snprintf(line, n, "%s%s\n", prefix[level], text);
	/* A log line that cannot be written has nowhere else to go. */
	if (write(STDERR_FILENO, line, n - 1) < 0)
		(void)0;
	free(line);
}

void log_line(const struct log *log, enum log_level level, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	if (level > (log != NULL ? log->level : LOG_NOTICE))
		return;
	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	put_line(level, text);
	free(text);
}

void log_err(const struct log *log, const struct err *e)
{
	(void)log;
	put_line(LOG_ERROR, e->text);
}
