/* SPDX-License-Identifier: MIT */
#ifndef IOLTP_RAW_PURGE_PRIV_H
#define IOLTP_RAW_PURGE_PRIV_H

#include "raw/purge.h"

#define PURGE_OTHERS_MAX 128u

/* The other namespaces of a drive, claimed while a command erases them too. */
struct purge_others {
	struct raw_target *targets; /* heap */
	unsigned n;
};

bool purge_is_partition(const struct raw_target *t);
/* Judges and claims each of them as if it were to be written. -EINVAL with `err`. */
int purge_claim_others(struct purge_others *o, const struct raw_target *t, const char *destroy_data,
                       struct err *err);
void purge_release_others(struct purge_others *o);

#endif
