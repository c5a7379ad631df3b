/* SPDX-License-Identifier: MIT */
/* Order of the checks, and the only open() of a target of raw I/O. */
#include "raw/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/nvme_ioctl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "raw/guard_priv.h"

/* In the order in which they are told. All are made; the first that refuses is the error. */
static const struct {
	const char *name;
	guard_check_fn *check;
} checks[] = {
    {"read-only", guard_check_read_only}, {"mounted", guard_check_mounted},
    {"swap", guard_check_swap},           {"database", guard_check_database},
    {"holders", guard_check_holders},     {"partitions", guard_check_partitions},
    {"signature", guard_check_signature}, {"opened", guard_check_opened},
    {"exclusive", guard_check_exclusive}, {"relatives", guard_check_family},
    {"content", guard_check_content},     {"serial", guard_check_serial},
};

_Static_assert(sizeof(checks) / sizeof(checks[0]) <= GUARD_FINDINGS_MAX, "room for all findings");

void guard_find(struct guard_finding *f, enum guard_verdict verdict, const char *fmt, ...)
{
	va_list ap;

	f->verdict = verdict;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
}

static void run_checks(const struct guard_subject *s, struct guard_report *r)
{
	*r = (struct guard_report){.writable = true};
	for (unsigned i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct guard_finding *f = &r->findings[r->n++];

		f->check = checks[i].name;
		/* A check that forgot to answer has not passed. */
		guard_find(f, GUARD_UNKNOWN, "was not made");
		checks[i].check(s, f);
		if (f->verdict == GUARD_REFUSE || f->verdict == GUARD_UNKNOWN)
			r->writable = false;
	}
}

static int judge(const struct guard_subject *s, struct guard_report *report, struct err *err)
{
	run_checks(s, report);
	for (unsigned i = 0; i < report->n; i++) {
		const struct guard_finding *f = &report->findings[i];

		if (f->verdict == GUARD_REFUSE || f->verdict == GUARD_UNKNOWN)
			return err_usage(err, "%s: refused: %s", s->given, f->text);
	}
	return 0;
}

/* ---- what is known of an open target ---- */

static uint32_t queue_number(const struct guard_subject *s, const char *name, uint32_t otherwise)
{
	uint64_t v;

	return sysfs_number(s->root, &v, "%s/queue/%s", s->disk_dir, name) && v <= UINT32_MAX
	           ? (uint32_t)v
	           : otherwise;
}

static int describe_device(struct raw_target *t, const struct guard_subject *s, struct err *err)
{
	uint64_t sectors;
	uint32_t max_kib;

	t->is_device = true;
	t->is_nvme_generic = s->kind == GUARD_GENERIC;
	t->dev = (uint64_t)s->st.st_rdev;
	if (s->family.n == 0 ||
	    !sysfs_number(s->root, &sectors, "%s/size", s->family.members[0].dir))
		return err_usage(err, "%s: /sys does not tell its size; is /sys mounted?",
		                 s->given);
	if (sectors == 0)
		return err_usage(err, "%s: has no medium, its size is 0; attach or insert one",
		                 s->given);
	t->size_bytes = sectors * 512;
	t->lba_bytes = queue_number(s, "logical_block_size", 0);
	if (t->lba_bytes == 0)
		return err_usage(err, "%s: /sys does not tell its block size; is /sys mounted?",
		                 s->given);
	t->physical_bytes = queue_number(s, "physical_block_size", t->lba_bytes);
	max_kib = queue_number(s, "max_hw_sectors_kb", 0);
	t->max_io_bytes = max_kib <= UINT32_MAX / 1024 ? max_kib * 1024 : 0;
	if (!guard_identity(s, t->serial, sizeof(t->serial)))
		t->serial[0] = '\0';
	if (!sysfs_line(s->root, t->model, sizeof(t->model), "%s/device/model", s->disk_dir))
		sysfs_line(s->root, t->model, sizeof(t->model), "%s/device/name", s->disk_dir);
	return 0;
}

static int namespace_of(struct raw_target *t, const struct guard_subject *s, struct err *err)
{
	int mine, sibling;

	if (s->kind != GUARD_GENERIC)
		return 0;
	mine = ioctl(t->fd, NVME_IOCTL_ID);
	sibling = s->fd >= 0 ? ioctl(s->fd, NVME_IOCTL_ID) : mine;
	if (mine <= 0)
		return err_usage(err, "%s: does not tell its namespace: %s; name the block device",
		                 s->given, strerror(errno));
	if (mine != sibling)
		return err_usage(err, "%s: is not the same namespace as %s; name the block device",
		                 s->given, s->block);
	t->nsid = (uint32_t)mine;
	return 0;
}

static int open_error(const struct guard_subject *s, bool write, int error, struct err *err)
{
	if (error == EACCES || error == EPERM)
		return err_usage(
		    err, "%s: permission denied for %s; run as root, or see to its permissions",
		    s->given, write ? "writing" : "reading");
	if (error == ENOMEDIUM || error == ENXIO)
		return err_usage(err, "%s: has no medium; attach or insert one", s->given);
	return err_usage(err, "%s: %s; see 'dmesg'", s->given, strerror(error));
}

/* ---- reading ---- */

static int open_for_reading(struct raw_target *t, struct guard_subject *s,
                            const struct guard_request *q, struct err *err)
{
	uint64_t size_bytes = (uint64_t)s->st.st_size;
	struct stat st;
	int rc;

	t->fd = open(s->real, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (t->fd < 0)
		return open_error(s, false, errno, err);
	if (fstat(t->fd, &st) != 0 || st.st_rdev != s->st.st_rdev || st.st_ino != s->st.st_ino)
		return err_usage(
		    err, "%s: another thing has come to this name while it was judged; try again",
		    s->given);
	if (guard_is_device(s)) {
		rc = describe_device(t, s, err);
		if (rc == 0 && t->is_nvme_generic)
			return namespace_of(t, s, err);
		guard_set_direct(t, !q->no_direct);
		return rc;
	}
	if (size_bytes == 0 || size_bytes < q->file_size_bytes)
		return err_usage(err,
		                 "%s: holds %llu bytes, fewer than are to be read; write it first, "
		                 "for example with --rw=write --file-size=SIZE",
		                 s->given, (unsigned long long)size_bytes);
	t->size_bytes = q->file_size_bytes != 0 ? q->file_size_bytes : size_bytes;
	t->dev = (uint64_t)st.st_dev;
	guard_set_direct(t, !q->no_direct);
	t->lba_bytes = guard_file_lba(s, t->fd, t->direct);
	return 0;
}

/* ---- writing ---- */

/* The descriptors mean the same drive, even if another one took over its number in between. */
static bool same_drive(int a, int b)
{
#ifdef BLKGETDISKSEQ
	uint64_t seq_a = 0, seq_b = 0;

	if (ioctl(a, BLKGETDISKSEQ, &seq_a) == 0 && ioctl(b, BLKGETDISKSEQ, &seq_b) == 0)
		return seq_a == seq_b;
#endif
	(void)a;
	(void)b;
	return true;
}

static int open_device(struct raw_target *t, struct guard_subject *s, const struct guard_request *q,
                       struct err *err)
{
	struct stat st;
	int rc;

	t->fd = open(s->real, O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (t->fd < 0)
		return open_error(s, true, errno, err);
	if (fstat(t->fd, &st) != 0 || (st.st_mode & S_IFMT) != (s->st.st_mode & S_IFMT) ||
	    st.st_rdev != s->st.st_rdev ||
	    (s->kind == GUARD_BLOCK && !same_drive(t->fd, s->hold_fd)))
		return err_usage(
		    err, "%s: another thing has come to this name while it was judged; try again",
		    s->given);
	rc = describe_device(t, s, err);
	if (rc == 0)
		rc = namespace_of(t, s, err);
	if (rc != 0)
		return rc;
	t->hold_fd = s->hold_fd;
	s->hold_fd = -1;
	t->writable = true;
	if (!t->is_nvme_generic)
		guard_set_direct(t, !q->no_direct);
	return 0;
}

static int open_for_writing(struct raw_target *t, struct guard_subject *s,
                            const struct guard_request *q, struct err *err)
{
	struct guard_report report;
	int rc;

	if (guard_is_device(s) && q->file_size_bytes != 0)
		return err_usage(
		    err, "%s: is a device, whose size is its own; leave --file-size out", s->given);
	if (!guard_is_device(s) && q->file_size_bytes == 0)
		return err_usage(
		    err, "%s: is a regular file; give --file-size=SIZE if it is to be written",
		    s->given);
	/* Claimed first, so that nothing can begin to use the device while it is judged. */
	rc = guard_subject_open(s, true, err);
	if (rc == 0)
		rc = judge(s, &report, err);
	if (rc == 0)
		rc = guard_judge_consent(s, q->destroy_data, err);
	if (rc != 0)
		return rc;
	return guard_is_device(s) ? open_device(t, s, q, err) : guard_open_file(t, s, q, err);
}

int guard_open(struct raw_target *t, const struct guard_request *q, struct err *err)
{
	struct guard_subject s;
	int rc;

	*t = (struct raw_target){.fd = -1, .hold_fd = -1};
	rc = guard_subject_init(&s, "", q->path, q->write && q->file_size_bytes != 0, err);
	if (rc != 0)
		return rc;
	if (q->write)
		rc = open_for_writing(t, &s, q, err);
	else
		rc = guard_subject_open(&s, false, err) != 0 ? -EINVAL
		                                             : open_for_reading(t, &s, q, err);
	snprintf(t->path, sizeof(t->path), "%s", s.real);
	guard_subject_fini(&s);
	if (rc != 0)
		guard_close(t);
	return rc;
}

void guard_close(struct raw_target *t)
{
	/* The claim goes last: what was written may still be on its way while fd closes. */
	if (t->fd >= 0) {
		/* The kernel ends a ring in its own time and holds the file until then: the lock of
		 * a file must not last so long. */
		flock(t->fd, LOCK_UN);
		close(t->fd);
	}
	if (t->hold_fd >= 0)
		close(t->hold_fd);
	t->fd = t->hold_fd = -1;
	t->writable = false;
}

int guard_check(const char *path, struct guard_report *report, struct err *err)
{
	struct guard_subject s;
	int rc = guard_subject_init(&s, "", path, false, err);

	if (rc != 0)
		return rc;
	rc = guard_subject_open(&s, true, err);
	if (rc == 0)
		run_checks(&s, report);
	guard_subject_fini(&s);
	return rc;
}
