/* SPDX-License-Identifier: MIT */
/* purge: brings a drive back to where all its flash is free, behind the guard. */
#ifndef IOLTP_RAW_PURGE_H
#define IOLTP_RAW_PURGE_H

#include <signal.h>
#include <stdint.h>

#include "base/err.h"
#include "raw/guard.h"

enum purge_method {
	PURGE_AUTO,   /* the best that the drive offers: sanitize block, crypto, format, discard */
	PURGE_FORMAT, /* NVMe format with user data erase */
	PURGE_FORMAT_CRYPTO,   /* NVMe format with cryptographic erase */
	PURGE_SANITIZE_BLOCK,  /* NVMe sanitize: block erase; reaches all namespaces */
	PURGE_SANITIZE_CRYPTO, /* NVMe sanitize: cryptographic erase; reaches all namespaces */
	PURGE_DISCARD, /* the whole device discarded (TRIM): a hint, not a purge by the standard */
};

struct purge_request {
	enum purge_method method;
	const char *destroy_data; /* the drive's serial: other namespaces that the method reaches
	                             are judged with it too */
	uint32_t lba_bytes;       /* PURGE_FORMAT*: wanted block size; 0: as it is */
	/* Told about once a second, from the calling thread; NULL: nobody. progress 0..1, below 0:
	 * not known. */
	void (*progress)(void *ctx, double progress, uint64_t elapsed_ns);
	void *ctx;
	const volatile sig_atomic_t *signal; /* non-zero: stop waiting (the drive goes on); NULL */
};

/* "auto", "format", "format-crypto", "sanitize", "sanitize-crypto", "discard". Returns the method,
 * or -EINVAL. */
int purge_method_parse(const char *name);
const char *purge_method_name(enum purge_method method);

/*
 * Purges a target that guard_open opened for writing: a whole device, never a partition or a file.
 * `done` gets the method that was used. 0; -EINVAL with `err`: refused, nothing was done; -EIO with
 * `err`: begun and failed; -EINTR: the signal came, and the drive may still be at work. The
 * target's block size may have changed: open it again.
 */
int purge(struct raw_target *t, const struct purge_request *q, enum purge_method *done,
          struct err *err);

#endif
