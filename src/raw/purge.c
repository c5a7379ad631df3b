/* SPDX-License-Identifier: MIT */
#include "raw/purge.h"

#include <errno.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "base/clock.h"
#include "raw/purge_priv.h"
#include "raw/nvme.h"

static const char *const method_names[] = {
    [PURGE_AUTO] = "auto",
    [PURGE_FORMAT] = "format",
    [PURGE_FORMAT_CRYPTO] = "format-crypto",
    [PURGE_SANITIZE_BLOCK] = "sanitize",
    [PURGE_SANITIZE_CRYPTO] = "sanitize-crypto",
    [PURGE_DISCARD] = "discard",
};

#define METHODS (sizeof(method_names) / sizeof(method_names[0]))

int purge_method_parse(const char *name)
{
	for (unsigned i = 0; i < METHODS; i++) {
		if (strcmp(name, method_names[i]) == 0)
			return (int)i;
	}
	return -EINVAL;
}

const char *purge_method_name(enum purge_method method)
{
	return method_names[method];
}

/* ---- waiting ---- */

struct job {
	const struct purge_request *q;
	struct raw_target *t;
	uint64_t begun_ns;
	/* A format is one call that lasts: it is made on a thread of its own. */
	int (*call)(struct job *job);
	unsigned format;
	bool metadata_extended, crypto;
	int rc;
	bool over; /* guarded by lock */
	pthread_mutex_t lock;
	pthread_cond_t ended;
};

static void tell(const struct job *job, double progress)
{
	if (job->q->progress != NULL)
		job->q->progress(job->q->ctx, progress, clock_mono_ns() - job->begun_ns);
}

static bool stopped(const struct job *job)
{
	return job->q->signal != NULL && *job->q->signal != 0;
}

static void *call_on_thread(void *arg)
{
	struct job *job = arg;
	int rc = job->call(job);

	pthread_mutex_lock(&job->lock);
	job->rc = rc;
	job->over = true;
	pthread_cond_signal(&job->ended);
	pthread_mutex_unlock(&job->lock);
	return NULL;
}

/* Runs job->call and tells of it once a second. A call into the drive cannot be taken back: a
 * signal only shows after it. */
static int run_and_tell(struct job *job)
{
	pthread_t thread;
	struct timespec until;
	int rc;

	pthread_mutex_init(&job->lock, NULL);
	pthread_cond_init(&job->ended, NULL);
	rc = pthread_create(&thread, NULL, call_on_thread, job);
	if (rc != 0)
		return -rc;
	pthread_mutex_lock(&job->lock);
	while (!job->over) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
		if (pthread_cond_timedwait(&job->ended, &job->lock, &until) == ETIMEDOUT &&
		    !job->over)
			tell(job, -1);
	}
	pthread_mutex_unlock(&job->lock);
	pthread_join(thread, NULL);
	pthread_mutex_destroy(&job->lock);
	pthread_cond_destroy(&job->ended);
	return job->rc;
}

/* ---- the methods ---- */

static int call_format(struct job *job)
{
	/* Hours, for drives that erase block by block. */
	return nvmedev_format(job->t->fd, nvmedev_nsid(job->t->fd), job->format,
	                      job->metadata_extended, job->crypto, 6u * 3600 * 1000);
}

static int call_discard(struct job *job)
{
	uint64_t range[2] = {0, job->t->size_bytes};

	return ioctl(job->t->fd, BLKDISCARD, range) == 0 ? 0 : -errno;
}

static int sanitize(struct job *job)
{
	struct nvme_sanitize_status status;
	int rc = nvmedev_sanitize(job->t->fd, job->crypto);

	while (rc == 0) {
		struct timespec second = {.tv_sec = 1};

		rc = nvmedev_sanitize_status(job->t->fd, &status);
		if (rc != 0)
			break;
		if (status.state == NVME_SANITIZE_FAILED)
			return -EIO;
		if (status.state != NVME_SANITIZE_RUNNING)
			return 0;
		tell(job, status.progress);
		if (stopped(job))
			return -EINTR;
		nanosleep(&second, NULL);
	}
	return rc;
}

/* The format for the wanted block size: the one in use if it fits, else the fastest without
 * metadata. */
static int choose_format(struct job *job, const struct nvme_info_ns *ns, struct err *err)
{
	uint32_t want = job->q->lba_bytes;
	int best = -1;

	job->format = ns->format;
	job->metadata_extended = ns->metadata_extended;
	if (want == 0 || (ns->format < ns->nformats && ns->formats[ns->format].data_bytes == want))
		return 0;
	for (unsigned i = 0; i < ns->nformats; i++) {
		const struct nvme_lba_format *f = &ns->formats[i];

		if (f->data_bytes == want && f->metadata_bytes == 0 &&
		    (best < 0 || f->performance < ns->formats[best].performance))
			best = (int)i;
	}
	if (best < 0)
		return err_usage(
		    err,
		    "%s: has no format with blocks of %u bytes; 'ioltp device show' lists them",
		    job->t->path, want);
	job->format = (unsigned)best;
	job->metadata_extended = false;
	return 0;
}

static enum purge_method best_method(bool nvme, const struct nvme_info_ctrl *c, uint32_t lba_bytes)
{
	if (!nvme)
		return PURGE_DISCARD;
	if (lba_bytes == 0 && c->sanitize_block)
		return PURGE_SANITIZE_BLOCK;
	if (c->can_format)
		return PURGE_FORMAT;
	return lba_bytes == 0 && c->sanitize_crypto ? PURGE_SANITIZE_CRYPTO : PURGE_DISCARD;
}

/* Why the drive cannot; NULL: it can. */
static const char *lacks(enum purge_method method, bool nvme, const struct nvme_info_ctrl *c)
{
	switch (method) {
	case PURGE_FORMAT:
		return !nvme ? "is no NVMe drive" : c->can_format ? NULL : "has no format command";
	case PURGE_FORMAT_CRYPTO:
		return !nvme                                   ? "is no NVMe drive"
		       : c->can_format && c->format_can_crypto ? NULL
		                                               : "has no cryptographic format";
	case PURGE_SANITIZE_BLOCK:
		return !nvme               ? "is no NVMe drive"
		       : c->sanitize_block ? NULL
		                           : "has no sanitize by block erase";
	case PURGE_SANITIZE_CRYPTO:
		return !nvme                ? "is no NVMe drive"
		       : c->sanitize_crypto ? NULL
		                            : "has no cryptographic sanitize";
	default:
		return NULL;
	}
}

static bool reaches_all(enum purge_method method, const struct nvme_info_ctrl *c)
{
	return method == PURGE_SANITIZE_BLOCK || method == PURGE_SANITIZE_CRYPTO ||
	       ((method == PURGE_FORMAT || method == PURGE_FORMAT_CRYPTO) &&
	        (c->format_is_all || c->erase_is_all));
}

static int perform(struct job *job, enum purge_method method, struct err *err)
{
	int rc;

	job->begun_ns = clock_mono_ns();
	job->crypto = method == PURGE_FORMAT_CRYPTO || method == PURGE_SANITIZE_CRYPTO;
	tell(job, 0);
	if (method == PURGE_SANITIZE_BLOCK || method == PURGE_SANITIZE_CRYPTO) {
		rc = sanitize(job);
	} else {
		job->call = method == PURGE_DISCARD ? call_discard : call_format;
		rc = run_and_tell(job);
	}
	if (rc == -EINTR) {
		err_run(err, "%s: stopped waiting; the drive goes on with %s by itself",
		        job->t->path, method_names[method]);
		return -EINTR;
	}
	if (rc != 0)
		return err_run(err, "%s: %s: %s; see 'dmesg' and the drive's error log",
		               job->t->path, method_names[method], nvmedev_strerror(rc));
	tell(job, 1);
	return 0;
}

int purge(struct raw_target *t, const struct purge_request *q, enum purge_method *done,
          struct err *err)
{
	struct job job = {.q = q, .t = t};
	struct purge_others others = {0};
	enum purge_method method = q->method;
	struct nvme_info_ctrl ctrl = {0};
	struct nvme_info_ns ns = {0};
	uint32_t nsid = nvmedev_nsid(t->fd);
	const char *why;
	bool nvme;
	int rc;

	if (!t->is_device || !t->writable)
		return err_usage(err, "%s: only a device that was opened for writing can be purged",
		                 t->path);
	if (purge_is_partition(t))
		return err_usage(
		    err, "%s: is a partition, and a purge reaches the whole drive; name that",
		    t->path);
	nvme = nsid != 0 && nvmedev_ctrl(t->fd, &ctrl) == 0 && nvmedev_ns(t->fd, nsid, &ns) == 0;
	if (method == PURGE_AUTO)
		method = best_method(nvme, &ctrl, q->lba_bytes);
	why = lacks(method, nvme, &ctrl);
	if (why != NULL)
		return err_usage(
		    err, "%s: %s, so that '%s' cannot be done; take another method, or auto",
		    t->path, why, method_names[method]);
	if (q->lba_bytes != 0 && method != PURGE_FORMAT && method != PURGE_FORMAT_CRYPTO)
		return err_usage(err, "%s: '%s' cannot change the block size; use format", t->path,
		                 method_names[method]);
	rc = choose_format(&job, &ns, err);
	if (rc == 0 && reaches_all(method, &ctrl))
		rc = purge_claim_others(&others, t, q->destroy_data, err);
	if (rc == 0) {
		*done = method;
		rc = perform(&job, method, err);
	}
	purge_release_others(&others);
	return rc;
}
