/* SPDX-License-Identifier: MIT */
/*
 * err: what went wrong, said once to the user.
 *
 * Functions below the command line return 0 or -errno. Those that a user's input reaches also fill
 * a struct err: the object, the cause and the next step, on one line. The first error wins: a
 * caller that unwinds may report its own failure without hiding the reason for it.
 */
#ifndef IOLTP_BASE_ERR_H
#define IOLTP_BASE_ERR_H

#include <stdbool.h>

enum {
	EXIT_OK = 0,     /* done */
	EXIT_RUN = 1,    /* the run failed */
	EXIT_USAGE = 2,  /* wrong use: option, value, file, refused target */
	EXIT_INT = 130,  /* stopped by SIGINT, with a partial report */
	EXIT_TERM = 143, /* stopped by SIGTERM, with a partial report */
};

struct err {
	int status;      /* 0: no error; else one of EXIT_RUN, EXIT_USAGE */
	char text[2048]; /* "object: cause; next step", without a newline unless a traceback follows
	                  */
};

#define ERR_INIT ((struct err){0})

/* True when `e` holds an error. */
static inline bool err_is_set(const struct err *e)
{
	return e->status != 0;
}

/*
 * Sets the error unless one is set. `status` is EXIT_RUN or EXIT_USAGE; the text is cut to fit.
 * `e` may be NULL (the caller does not want the text). Always returns -EINVAL for EXIT_USAGE and
 * -EIO for EXIT_RUN, so that a function can end with `return err_set(...)`.
 */
int err_set(struct err *e, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Short forms of err_set. */
#define err_usage(e, ...) err_set((e), EXIT_USAGE, __VA_ARGS__)
#define err_run(e, ...)   err_set((e), EXIT_RUN, __VA_ARGS__)

#endif
