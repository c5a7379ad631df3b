/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "raw/profile.h"

static int check_sizes(const struct io_sizes *z, const char *what, const char *name,
                       uint32_t lba_bytes, struct err *err)
{
	double sum = 0;

	if (z->n == 0)
		return err_usage(err, "%s '%s': no size of its I/Os; give one", what, name);
	for (unsigned i = 0; i < z->n; i++) {
		sum += z->share[i];
		if (z->bytes[i] == 0 || z->bytes[i] % lba_bytes != 0)
			return err_usage(
			    err,
			    "%s '%s': an I/O of %u bytes is no multiple of the target's "
			    "block of %u bytes; change the size",
			    what, name, z->bytes[i], lba_bytes);
	}
	if (fabs(sum - 1) > 1e-6)
		return err_usage(err,
		                 "%s '%s': the shares of its sizes add up to %g %% and not to 100; "
		                 "correct them",
		                 what, name, 100 * sum);
	return 0;
}

static int check_extent(const struct io_extent *e, const char *word, const char *name,
                        uint64_t target_bytes, uint32_t lba_bytes, struct err *err)
{
	if (e->is_share && (e->share < 0 || e->share > 1))
		return err_usage(err, "stream '%s': its %s of %g %% is not within the target", name,
		                 word, 100 * e->share);
	if (!e->is_share && e->bytes > target_bytes)
		return err_usage(err,
		                 "stream '%s': its %s of %llu bytes is beyond the target's %llu; "
		                 "lower it",
		                 name, word, (unsigned long long)e->bytes,
		                 (unsigned long long)target_bytes);
	if (!e->is_share && e->bytes % lba_bytes != 0)
		return err_usage(err,
		                 "stream '%s': its %s of %llu bytes is no multiple of the target's "
		                 "block of %u bytes; change it",
		                 name, word, (unsigned long long)e->bytes, lba_bytes);
	return 0;
}

static bool issues_io(const struct raw_profile *p, const struct io_stream *s)
{
	return p->ntxns == 0 || profile_in_background(p, s);
}

static int check_stream(const struct raw_profile *p, const struct io_stream *s,
                        uint64_t target_bytes, uint32_t lba_bytes, struct err *err)
{
	int rc = check_extent(&s->offset, "offset", s->name, target_bytes, lba_bytes, err);

	if (rc == 0)
		rc = check_extent(&s->span, "span", s->name, target_bytes, lba_bytes, err);
	if (rc == 0 && s->align_bytes % lba_bytes != 0)
		rc = err_usage(err,
		               "stream '%s': its alignment of %u bytes is no multiple of the "
		               "target's block of %u bytes; change it",
		               s->name, s->align_bytes, lba_bytes);
	if (rc == 0 && s->pattern == IO_STRIDED &&
	    (s->stride_bytes == 0 || s->stride_bytes % lba_bytes != 0))
		rc = err_usage(err,
		               "stream '%s': its stride of %llu bytes is no multiple of the "
		               "target's block of %u bytes; change it",
		               s->name, (unsigned long long)s->stride_bytes, lba_bytes);
	if (rc == 0 && issues_io(p, s) && s->read_share > 0)
		rc = check_sizes(&s->read_sizes, "stream", s->name, lba_bytes, err);
	if (rc == 0 && issues_io(p, s) && s->read_share < 1)
		rc = check_sizes(&s->write_sizes, "stream", s->name, lba_bytes, err);
	return rc;
}

static int check_txn(const struct raw_profile *p, const struct io_txn *txn, uint32_t lba_bytes,
                     struct err *err)
{
	int rc = 0;

	if (txn->nsteps == 0)
		return err_usage(err, "transaction '%s': has no steps; give it at least one",
		                 txn->name);
	for (unsigned i = 0; rc == 0 && i < txn->nsteps; i++) {
		const struct io_step *step = &txn->steps[i];

		if (step->op == IO_FLUSH)
			continue;
		if (step->region >= p->nstreams)
			return err_usage(err, "transaction '%s': step '%s' has no region; name one",
			                 txn->name, step->name);
		rc = check_sizes(&step->sizes, "step", step->name, lba_bytes, err);
	}
	return rc;
}

int profile_check(const struct raw_profile *p, uint64_t target_bytes, uint32_t lba_bytes,
                  struct err *err)
{
	double sum = 0;
	unsigned weighted = 0;
	int rc = 0;

	if (p->nstreams == 0)
		return err_usage(err, "profile '%s': no streams; give it at least one", p->name);
	for (unsigned i = 0; rc == 0 && i < p->nstreams; i++) {
		rc = check_stream(p, &p->streams[i], target_bytes, lba_bytes, err);
		if (p->streams[i].rate_per_s <= 0) {
			sum += p->streams[i].weight;
			weighted++;
		}
	}
	for (unsigned i = 0; rc == 0 && i < p->ntxns; i++)
		rc = check_txn(p, &p->txns[i], lba_bytes, err);
	if (rc == 0 && p->ntxns == 0 && weighted == 0)
		rc = err_usage(err,
		               "profile '%s': all its streams run in the background at rates of "
		               "their own; give one a weight",
		               p->name);
	if (rc == 0 && p->ntxns == 0 && !(sum > 0))
		rc = err_usage(err,
		               "profile '%s': the weights of its streams are all zero; give one a "
		               "weight above 0",
		               p->name);
	return rc;
}

void profile_drop_transactions(struct raw_profile *p)
{
	p->ntxns = 0;
	for (unsigned i = 0; i < p->nstreams; i++)
		p->streams[i].rate_per_s = p->streams[i].per_transaction = 0;
	if (p->measured.outstanding >= 0.5)
		p->oio = (unsigned)lround(fmin(p->measured.outstanding, 65536));
}

bool profile_reads_only(const struct raw_profile *p)
{
	for (unsigned i = 0; i < p->nstreams; i++) {
		const struct io_stream *s = &p->streams[i];

		if (issues_io(p, s) && (s->read_share < 1 || s->flush_every > 0))
			return false;
	}
	for (unsigned i = 0; i < p->ntxns; i++) {
		for (unsigned k = 0; k < p->txns[i].nsteps; k++) {
			if (p->txns[i].steps[k].op != IO_READ)
				return false;
		}
	}
	return true;
}
