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

#endif
