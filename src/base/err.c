/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int err_set(struct err *e, int status, const char *fmt, ...)
{
	if (e != NULL && e->status == 0) {
		va_list ap;

		va_start(ap, fmt);
		vsnprintf(e->text, sizeof(e->text), fmt, ap);
		va_end(ap);
		e->status = status;
	}
	return status == EXIT_USAGE ? -EINVAL : -EIO;
}
