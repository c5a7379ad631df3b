/* SPDX-License-Identifier: MIT */
/* raw_opt: options of raw I/O, and the profile that they make. Names follow fio where it has one.
 */
#ifndef IOLTP_RAW_RAW_OPT_H
#define IOLTP_RAW_RAW_OPT_H

#include "base/opt.h"
#include "raw/profile.h"

/* What is asked of the target: --rw --bs --oio ... */
extern const struct opt_desc raw_profile_options[];
/* How: --engine --workers --destroy-data --curve ... */
extern const struct opt_desc raw_run_options[];

/* One stream as the options say. -EINVAL with `err`. */
int profile_from_options(struct raw_profile *p, const struct opt_set *set, struct err *err);
/* Options that go with a profile from a file (--oio, ratios) change it; those that do not (--rw,
 * --bs ...) are -EINVAL with `err`. */
int profile_apply_options(struct raw_profile *p, const struct opt_set *set, struct err *err);

/* "none", "fixed:5ms", "exp:5ms", "uniform:1ms-5ms". -EINVAL with `err`. */
int raw_delay_parse(struct delay *d, const char *text, const char *option, struct err *err);
/* "25%" or a size. -EINVAL with `err`. */
int raw_extent_parse(struct io_extent *e, const char *text, const char *option, struct err *err);

#endif
