/* SPDX-License-Identifier: MIT */
/*
 * log: lines for the person at the terminal, on stderr. Reports go to stdout and not through here.
 * Never called inside a measured loop.
 */
#ifndef IOLTP_BASE_LOG_H
#define IOLTP_BASE_LOG_H

#include "base/err.h"

enum log_level {
	LOG_FATAL = 0,
	LOG_ERROR = 1,
	LOG_WARNING = 2,
	LOG_NOTICE = 3,
	LOG_INFO = 4,
	LOG_DEBUG = 5
};

struct log {
	enum log_level level; /* --verbosity: lines above this level are dropped */
};

/*
 * Writes "ioltp: error: TEXT\n" (warning, debug alike; notices without a word) in one write, so
 * that lines of several threads do not mix. Any thread. A NULL log behaves as level LOG_NOTICE.
 */
void log_line(const struct log *log, enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#define log_error(log, ...)  log_line((log), LOG_ERROR, __VA_ARGS__)
#define log_warn(log, ...)   log_line((log), LOG_WARNING, __VA_ARGS__)
#define log_notice(log, ...) log_line((log), LOG_NOTICE, __VA_ARGS__)
#define log_debug(log, ...)  log_line((log), LOG_DEBUG, __VA_ARGS__)

/* Writes an error as log_error does, whatever the verbosity. */
void log_err(const struct log *log, const struct err *e);

#endif
