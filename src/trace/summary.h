/* SPDX-License-Identifier: MIT */
/* summary: a trace in figures. */
#ifndef IOLTP_TRACE_SUMMARY_H
#define IOLTP_TRACE_SUMMARY_H

#include "run/captured.h"
#include "trace/trace.h"

/* An I/O is sequential when it begins where one of the last of its kind in the same file ended;
 * so many are remembered. */
#define SUMMARY_STREAMS 32u

/* 0 or -ENOMEM; summary_fini in either case. */
int summary_make(struct captured_io *io, const struct trace *t);
void summary_fini(struct captured_io *io);

#endif
