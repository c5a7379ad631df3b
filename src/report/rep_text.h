/* SPDX-License-Identifier: MIT */
/* rep_text: parts of the final text report, for whoever prints another cumulative part (a script's
 * hook) between them. */
#ifndef IOLTP_REPORT_REP_TEXT_H
#define IOLTP_REPORT_REP_TEXT_H

#include <stdio.h>

#include "report/result.h"

/* The order of rep_text_final: histogram if asked for, rep_text_cumulative, details. All return 0
 * or -errno. */

/* --histogram in sysbench's form. */
int rep_text_histogram(const struct result *r, FILE *out);

/* ---- rep_text_raw.c: the same of a raw run ---- */

int rep_text_raw_interval(const struct result *r, const struct run_figures *f, FILE *out);
int rep_text_raw_checkpoint(const struct result *r, const struct run_figures *f, FILE *out);
int rep_text_raw_final(const struct result *r, FILE *out);

/* ---- rep_text_details.c: parts that both have ---- */

void rep_text_partial(const struct result *r, FILE *out);
void rep_text_balance(const struct run_figures *f, FILE *out);
void rep_text_errors(const struct tally_sum *s, FILE *out);
void rep_text_device(const struct result *r, FILE *out);
void rep_text_generator(const struct result *r, FILE *out);
void rep_text_warnings(const struct result *r, FILE *out);

/* What the drive counted; nothing where no counters were taken. */
void rep_text_counters(const struct result *r, FILE *out);
/* What was captured; nothing when nothing was. */
void rep_text_capture(const struct result *r, FILE *out);

#endif
