/* SPDX-License-Identifier: MIT */
/* raw_condition: brings a target into a known state before it is measured, with progress on
 * stderr. */
#ifndef IOLTP_CLI_RAW_CONDITION_H
#define IOLTP_CLI_RAW_CONDITION_H

#include "cli/raw_stage.h"
#include "raw/condition.h"

/* --purge --fill --precondition */
extern const struct opt_desc raw_condition_options[];

/* True when the options ask for anything that writes. */
bool raw_condition_wanted(const struct opt_set *set);

/*
 * Purges by --purge; without that option: the best way that the target has, and when it has none
 * the step is skipped with the reason. The target is then open anew. 0; -EINTR; -errno with `err`.
 */
int raw_condition_purge(struct raw_stage *s, struct condition *c, struct err *err);
/* Writes by --precondition, else by `amount` (condition_spec_parse). Likewise. */
int raw_condition_write(struct raw_stage *s, struct condition *c, const char *amount,
                        struct err *err);
/* All that the options ask for, before a plain run. Likewise. */
int raw_condition(struct raw_stage *s, struct condition *c, struct err *err);

#endif
