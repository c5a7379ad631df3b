/* SPDX-License-Identifier: MIT */
/*
 * guard_priv: the parts of the guard. A subject is what was named; its family is every block device
 * that shares blocks with it; each check looks at them and fills one finding.
 */
#ifndef IOLTP_RAW_GUARD_PRIV_H
#define IOLTP_RAW_GUARD_PRIV_H

#include <limits.h>
#include <sys/stat.h>

#include "raw/guard.h"

/* How a block device is related to the one that is judged. */
enum guard_relation {
	GUARD_SELF,
	GUARD_PARTITION, /* lies on it */
	GUARD_DISK,      /* it is a partition of this */
	GUARD_ABOVE,     /* uses it: dm, md, a loop device on it */
	GUARD_BELOW,     /* it is a loop device on this */
	GUARD_ALIAS,     /* the same drive or file by another way */
};

struct guard_relative {
	unsigned major, minor;
	enum guard_relation relation;
	char name[64];
	char dir[PATH_MAX]; /* in sysfs */
};

#define GUARD_FAMILY_MAX 512u

struct guard_family {
	struct guard_relative *members; /* heap; [0] is the device itself */
	unsigned n;
	char unknown[256]; /* why the family may be incomplete; "" it is complete */
};

enum guard_kind { GUARD_BLOCK, GUARD_GENERIC, GUARD_FILE, GUARD_NEW_FILE };

struct guard_subject {
	const char *root;  /* before "/proc" and "/sys"; "" for the real ones */
	const char *given; /* as the user wrote it */
	enum guard_kind kind;
	char real[PATH_MAX]; /* of what was named, without symbolic links */
	char
	    block[PATH_MAX]; /* the node that is judged: real, or the sibling of a generic device */
	struct stat st;      /* of real; GUARD_NEW_FILE: of its directory */
	struct stat block_st; /* of block */
	dev_t generic;        /* number of the NVMe generic device of the same namespace; 0: none */
	char disk_dir[PATH_MAX]; /* the whole drive in sysfs */
	struct guard_family family;
	int fd;       /* open for reading, to judge what is on it; -1: cannot be opened */
	int fd_error; /* errno of that */
	int hold_fd;  /* claimed exclusively; -1: not */
	int hold_error;
};

/* ---- guard_target.c: what was named ---- */

/*
 * Fills the subject. GUARD_NEW_FILE only with `may_create`. -EINVAL with `err`: no such thing, a
 * directory, a device that is no drive, ... The family is built; nothing is open yet.
 */
int guard_subject_init(struct guard_subject *s, const char *root, const char *path, bool may_create,
                       struct err *err);
void guard_subject_fini(struct guard_subject *s);
/* Opens block or file for reading, and with `claim` the block device exclusively. What fails is
 * kept for the checks. -EINVAL with `err`: another thing has come to the path since it was looked
 * at. */
int guard_subject_open(struct guard_subject *s, bool claim, struct err *err);
bool guard_is_device(const struct guard_subject *s);

/* ---- guard_family.c ---- */

/* -ENOMEM or 0; what cannot be read is told in family->unknown. */
int guard_family_init(struct guard_family *f, const char *root, unsigned major, unsigned minor);
void guard_family_fini(struct guard_family *f);
const struct guard_relative *guard_family_find(const struct guard_family *f, unsigned major,
                                               unsigned minor);
/* "it", "its partition nvme0n1p1", "dm-0 above it", into buf. Returns buf. */
const char *guard_relative_label(char *buf, size_t room, const struct guard_relative *m);
/* Does a loop device's file, as sysfs names it, look like this one? 1 yes, 0 no, -1 cannot tell. */
int guard_is_backing_file(const char *root, const char *loop_dir, const struct stat *file,
                          const char *file_path);

/* ---- the checks ---- */

typedef void guard_check_fn(const struct guard_subject *s, struct guard_finding *f);

/* Fills a finding. */
void guard_find(struct guard_finding *f, enum guard_verdict verdict, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

guard_check_fn guard_check_read_only, guard_check_family; /* guard_use.c */
guard_check_fn guard_check_holders, guard_check_partitions, guard_check_opened,
    guard_check_exclusive;
guard_check_fn guard_check_mounted, guard_check_swap; /* guard_mount.c */
guard_check_fn guard_check_signature;                 /* guard_signature.c */
guard_check_fn guard_check_database;                  /* guard_database.c */
guard_check_fn guard_check_content;                   /* guard_file.c */
guard_check_fn guard_check_serial;                    /* guard_serial.c */

/* Where the family is mounted in this namespace: calls fn with each mount point. 0, fn's non-zero
 * return, or -errno. */
int guard_each_mount_point(const struct guard_subject *s, int (*fn)(void *ctx, const char *point),
                           void *ctx);

/* What tells the drive, for --destroy-data. False: nothing does. */
bool guard_identity(const struct guard_subject *s, char *text, size_t room);
/* Is --destroy-data given and right? -EINVAL with `err`. */
int guard_judge_consent(const struct guard_subject *s, const char *destroy_data, struct err *err);

/* ---- opening, after all checks ---- */

int guard_open_file(struct raw_target *t, struct guard_subject *s, const struct guard_request *q,
                    struct err *err);
/* Switches O_DIRECT on unless it is not wanted; fills direct and why_not_direct. */
void guard_set_direct(struct raw_target *t, bool wanted);
/* Smallest I/O on a file. */
uint32_t guard_file_lba(const struct guard_subject *s, int fd, bool direct);

#endif
