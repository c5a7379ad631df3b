/* SPDX-License-Identifier: MIT */
/*
 * condition: what is done to a drive before it is measured, and how the result tells of it. A drive
 * out of its box, or half empty, is faster than it ever is again: what was left out is stamped.
 */
#ifndef IOLTP_RAW_CONDITION_H
#define IOLTP_RAW_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/kv.h"
#include "raw/profile.h"

/* In the order in which they are done. */
enum condition_step {
	CONDITION_PURGE,       /* all flash is free */
	CONDITION_FILL,        /* every address has been written */
	CONDITION_INDEPENDENT, /* written over, whatever the workload will be: 2 x the capacity */
	CONDITION_DEPENDENT,   /* the workload itself, until it is steady */
	CONDITION_STEPS,
};

struct condition_record {
	bool done;
	char how[200]; /* of one that was done; of one that was not, why, or "" */
};

/* What was done since the state of the drive was last known. Zero: nothing. */
struct condition {
	struct condition_record steps[CONDITION_STEPS];
	bool dependent_asked; /* the test has such a step: without it, it is stamped too */
	bool fresh_asked; /* the test is of a drive that was not written over: not doing so is no
	                     omission */
};

/* Notes a step as done, or as left out and why. */
void condition_done(struct condition *c, enum condition_step step, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void condition_skipped(struct condition *c, enum condition_step step, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/*
 * Adds to `kv`: purge, fill, precondition (and steady_state where asked for), each "skipped" with
 * the reason or how it was done; unconditioned, the names of those left out (absent when there are
 * none); conditioning, all in a line: "unconditioned: purge, fill".
 */
void condition_stamp(const struct condition *c, struct kv *kv);

/* How much is written, and how. */
struct condition_spec {
	double capacities; /* times the target's size; 0: `bytes` */
	uint64_t bytes;    /* both 0: nothing */
	uint32_t io_bytes; /* of each write */
	bool random;       /* at random addresses in place of in sequence */
};

#define CONDITION_SPEC_FILL ((struct condition_spec){.capacities = 1, .io_bytes = 128u << 10})

/*
 * "none", "2x" (times the capacity), "10g"; then, if wanted, ",128k" and ",rand": "2x,4k,rand".
 * -EINVAL with `err` that names the option.
 */
int condition_spec_parse(struct condition_spec *s, const char *text, const char *option,
                         struct err *err);
/* Whole writes that it takes on a target, at least one unless nothing is asked for. */
uint64_t condition_writes(const struct condition_spec *s, uint64_t target_bytes);
/* True when it writes each address at least once. */
bool condition_fills(const struct condition_spec *s, uint64_t target_bytes);
/* The profile that writes it: condition_writes I/Os. */
void condition_profile(struct raw_profile *p, const struct condition_spec *s);
/*
 * What whole writes in sequence leave at the target's end: a profile that writes those `bytes`, a
 * multiple of the block, in blocks. Returns how many I/Os, 0: nothing is left.
 */
uint64_t condition_tail(struct raw_profile *p, const struct condition_spec *s,
                        uint64_t target_bytes, uint32_t lba_bytes);

/* "fill: 40.0 %, 4 GiB of 10 GiB, 512 MB/s, 12 s left" into buf. Returns buf. */
char *condition_progress(char *buf, size_t room, const char *what, uint64_t done_bytes,
                         uint64_t total_bytes, uint64_t elapsed_ns);

#endif
