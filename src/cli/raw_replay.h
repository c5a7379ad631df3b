/* SPDX-License-Identifier: MIT */
/* raw_replay: the schedule of `ioltp raw --replay-trace=FILE`: a trace's I/Os, laid on a target. */
#ifndef IOLTP_CLI_RAW_REPLAY_H
#define IOLTP_CLI_RAW_REPLAY_H

#include "base/kv.h"
#include "base/log.h"
#include "raw/io_replay.h"

struct raw_replay {
	struct io_schedule schedule;
	struct io_timed *ios; /* owned */
	uint64_t span_bytes;  /* of the trace's addresses */
	double scale;         /* of addresses, to a target that is smaller; 1: as they were */
};

/* Reads the trace and makes the profile that stands for it. 0; -EINVAL, -EIO, -ENOMEM with `err`;
 * raw_replay_fini in either case. */
int raw_replay_load(struct raw_replay *r, struct raw_profile *p, const char *path, unsigned oio,
                    struct err *err);
/* Lays the I/Os on a target; says so when it is smaller than what the trace used. -EINVAL with
 * `err`: an I/O is larger than the target, or no multiple of its block. */
int raw_replay_fit(struct raw_replay *r, uint64_t target_bytes, uint32_t lba_bytes,
                   const struct log *log, struct err *err);
/* How it went, for the result. */
void raw_replay_facts(const struct raw_replay *r, struct kv *kv);
void raw_replay_fini(struct raw_replay *r);

#endif
