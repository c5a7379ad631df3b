/* SPDX-License-Identifier: MIT */
/* targets: --targets=DIR, the servers of `ioltp db start` as the targets of a workload. */
#ifndef IOLTP_CLI_TARGETS_H
#define IOLTP_CLI_TARGETS_H

#include "base/err.h"
#include "base/opt.h"

extern const struct opt_desc targets_options[];

/* When --targets was given: sets driver, addresses, user, password file and database by the marker
 * in DIR. 0, or -errno with `err`. */
int targets_apply(struct opt_set *set, struct err *err);

/* When --targets was given: calls fn with the data directory of each server. */
void targets_each(const struct opt_set *set, void (*fn)(void *ctx, const char *data_dir),
                  void *ctx);

#endif
