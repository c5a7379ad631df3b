/* SPDX-License-Identifier: MIT */
/* profile_tree: a profile from the table of a file. */
#include <stdio.h>
#include <string.h>

#include "base/keys.h"
#include "raw/profile_value.h"

#define COUNT(a)    (sizeof(a) / sizeof((a)[0]))
#define OIO_DEFAULT 32u

/* ---- streams ---- */

/* What a stream's table says before it is judged as a whole. */
struct stream_draft {
	struct io_stream s;
	double mix, random, random_write; /* shares; below 0: not given */
	uint64_t align_bytes;
};

#define STREAM(field) offsetof(struct stream_draft, s.field)

static const struct key stream_keys[] = {
    {"name", KEY_TEXT, .offset = STREAM(name), .room = sizeof(((struct io_stream *)0)->name)},
    {"weight", KEY_NUMBER, .offset = STREAM(weight)},
    {"rw", .type = KEY_OTHER},
    {"rwmixread", KEY_PERCENT, .offset = offsetof(struct stream_draft, mix)},
    {"bs", KEY_PARSED, .offset = STREAM(read_sizes), .parse = profile_value_sizes},
    {"bs_write", KEY_PARSED, .offset = STREAM(write_sizes), .parse = profile_value_sizes},
    {"percentage_random", KEY_PERCENT, .offset = offsetof(struct stream_draft, random)},
    {"percentage_random_write", KEY_PERCENT, .offset = offsetof(struct stream_draft, random_write)},
    {"offset", KEY_PARSED, .offset = STREAM(offset), .parse = profile_value_extent},
    {"span", KEY_PARSED, .offset = STREAM(span), .parse = profile_value_extent},
    {"align", KEY_SIZE, .offset = offsetof(struct stream_draft, align_bytes), .lo = 512,
     .hi = 1 << 30},
    {"stride", KEY_SIZE, .offset = STREAM(stride_bytes), .lo = 512, .hi = 0x1p40},
    {"zipf", KEY_NUMBER, .offset = STREAM(zipf_exponent), .lo = 0, .hi = 10},
    {"bands", KEY_PARSED, .offset = offsetof(struct stream_draft, s), .parse = profile_value_bands},
    {"map", KEY_PARSED, .offset = offsetof(struct stream_draft, s), .parse = profile_value_map},
    {"flush_every", KEY_NUMBER, .offset = STREAM(flush_every), .lo = 0, .hi = 1e9},
    {"fua", KEY_BOOL, .offset = STREAM(fua)},
    {"think", KEY_PARSED, .offset = STREAM(think), .parse = profile_value_delay},
    {"oio", KEY_COUNT, .offset = STREAM(oio), .lo = 1, .hi = 65536},
    {"rate", KEY_NUMBER, .offset = STREAM(rate_per_s), .lo = 0, .hi = 1e9},
    {"per_transaction", KEY_NUMBER, .offset = STREAM(per_transaction), .lo = 0, .hi = 1e6},
};

static const char *const directions[] = {"read", "write", "randread", "randwrite", "rw", "randrw"};
enum { DIR_READ, DIR_WRITE, DIR_RANDREAD, DIR_RANDWRITE, DIR_RW, DIR_RANDRW };

/* Direction and pattern, which several keys decide together. */
static int set_pattern(struct stream_draft *d, const struct tree *t, const char *where,
                       struct err *err)
{
	static const char *const others[] = {"stride", "zipf", "bands"};
	static const enum io_pattern patterns[] = {IO_STRIDED, IO_ZIPFIAN, IO_BANDS};
	const struct tree *rw = tree_get(t, "rw");
	char place[KEYS_WHERE_LEN];
	bool random, mixed;
	int dir;

	keys_where(place, "%s.rw", where);
	dir = keys_choice(rw, directions, COUNT(directions), place, err);
	if (dir < 0)
		return dir;
	random = dir == DIR_RANDREAD || dir == DIR_RANDWRITE || dir == DIR_RANDRW;
	mixed = dir == DIR_RW || dir == DIR_RANDRW;
	if (d->mix >= 0 && !mixed)
		return err_usage(err, "%s.rwmixread: does not go with rw = \"%s\"; use \"%s\"",
		                 where, rw->text, random ? "randrw" : "rw");
	d->s.read_share = mixed                                    ? (d->mix >= 0 ? d->mix : 0.5)
	                  : dir == DIR_READ || dir == DIR_RANDREAD ? 1
	                                                           : 0;
	d->s.pattern = random ? IO_RANDOM : IO_SEQUENTIAL;
	if (!random && (d->random >= 0 || d->random_write >= 0))
		return err_usage(
		    err, "%s.percentage_random: does not go with rw = \"%s\"; use \"rand%s\"",
		    where, rw->text, rw->text);
	d->s.random_read_share = !random ? 0 : d->random >= 0 ? d->random : 1;
	d->s.random_write_share = d->random_write >= 0 ? d->random_write : d->s.random_read_share;
	for (size_t i = 0; i < COUNT(others); i++) {
		if (tree_get(t, others[i]) == NULL)
			continue;
		if (d->s.pattern != IO_RANDOM || d->random >= 0 || d->random_write >= 0)
			return err_usage(err,
			                 "%s.%s: goes with a rw = \"rand...\" only, and not with "
			                 "another pattern or percentage_random",
			                 where, others[i]);
		d->s.pattern = patterns[i];
	}
	return 0;
}

static int check_stream(const struct io_stream *s, const struct tree *t, const char *where,
                        struct err *err)
{
	if (s->read_sizes.n == 0)
		return err_usage(err, "%s: has no 'bs', the size of its I/Os; add it", where);
	if (s->read_share >= 1 && tree_get(t, "bs_write") != NULL)
		return err_usage(err, "%s.bs_write: there are no writes; drop it", where);
	if (s->rate_per_s > 0 && s->per_transaction > 0)
		return err_usage(err, "%s: has a rate and a number per transaction; drop one",
		                 where);
	if (s->read_share >= 1 && (s->flush_every > 0 || s->fua))
		return err_usage(err, "%s: flushes or FUA without writes; drop them", where);
	return 0;
}

static int read_stream(struct raw_profile *p, const struct tree *t, bool region, const char *where,
                       struct err *err)
{
	struct io_stream *s = &p->streams[p->nstreams];
	struct stream_draft d = {.s = {.weight = 1}, .mix = -1, .random = -1, .random_write = -1};
	int rc;

	snprintf(d.s.name, sizeof(d.s.name), "stream%u", p->nstreams + 1);
	rc = keys_read(&d, t, where, stream_keys, COUNT(stream_keys), err);
	if (rc != 0)
		return rc;
	d.s.align_bytes = (uint32_t)d.align_bytes;
	for (unsigned i = 0; i < p->nstreams; i++) {
		if (strcmp(p->streams[i].name, d.s.name) == 0)
			return err_usage(err, "%s.name: there are two '%s'; rename one", where,
			                 d.s.name);
	}
	/* A region of transactions is addresses only; its steps say the rest. */
	region = region && d.s.rate_per_s <= 0 && d.s.per_transaction <= 0;
	if (tree_get(t, "rw") != NULL) {
		rc = set_pattern(&d, t, where, err);
	} else if (!region) {
		rc = err_usage(err, "%s: has no 'rw'; add \"randread\" or the like", where);
	} else {
		d.s.read_share = d.s.random_read_share = d.s.random_write_share = 1;
		d.s.pattern = IO_RANDOM;
	}
	if (rc == 0)
		rc = profile_value_check_map(&d.s, where, err);
	if (rc == 0 && d.s.write_sizes.n == 0)
		d.s.write_sizes = d.s.read_sizes;
	if (rc == 0 && !region)
		rc = check_stream(&d.s, t, where, err);
	if (rc != 0)
		return rc;
	*s = d.s;
	p->nstreams++;
	return 0;
}

/* ---- transactions ---- */

static const struct key step_keys[] = {
    {"name", KEY_TEXT, .offset = offsetof(struct io_step, name),
     .room = sizeof(((struct io_step *)0)->name)},
    {"op", KEY_OTHER, .required = true},
    {"count", KEY_PARSED, .offset = offsetof(struct io_step, count), .parse = profile_value_count},
    {"parallel", KEY_BOOL, .offset = offsetof(struct io_step, parallel)},
    {"with_next", KEY_BOOL, .offset = offsetof(struct io_step, with_next)},
    {"bs", KEY_PARSED, .offset = offsetof(struct io_step, sizes), .parse = profile_value_sizes},
    {"region", .type = KEY_OTHER},
    {"group", KEY_BOOL, .offset = offsetof(struct io_step, group)},
};

/* In the order of enum io_op. */
static const char *const ops[] = {"read", "write", "append", "flush", "write-fua"};

static int find_region(const struct raw_profile *p, const struct tree *value, unsigned *region,
                       const char *where, struct err *err)
{
	const char *names[PROFILE_STREAMS_MAX];
	char place[KEYS_WHERE_LEN];
	int found;

	if (value == NULL && p->nstreams == 1) {
		*region = 0;
		return 0;
	}
	if (value == NULL)
		return err_usage(err, "%s: has no 'region', the name of a stream; add it", where);
	for (unsigned i = 0; i < p->nstreams; i++)
		names[i] = p->streams[i].name;
	keys_where(place, "%s.region", where);
	found = keys_choice(value, names, p->nstreams, place, err);
	if (found < 0)
		return found;
	*region = (unsigned)found;
	return 0;
}

static int check_step(const struct io_step *s, bool last, const char *where, struct err *err)
{
	if (s->op == IO_FLUSH && s->sizes.n != 0)
		return err_usage(err, "%s.bs: a flush has no size; drop it", where);
	if (s->op != IO_FLUSH && s->sizes.n == 0)
		return err_usage(err, "%s: has no 'bs', the size of its I/Os; add it", where);
	if (s->group && s->op != IO_FLUSH)
		return err_usage(err, "%s.group: only a flush can serve several clients; drop it",
		                 where);
	if (s->with_next && last)
		return err_usage(err, "%s.with_next: nothing comes after the last step; drop it",
		                 where);
	return 0;
}

static int read_step(const struct raw_profile *p, struct io_txn *txn, const struct tree *t,
                     bool last, const char *where, struct err *err)
{
	struct io_step s = {.count = {.lo = 1, .hi = 1}};
	char place[KEYS_WHERE_LEN];
	int rc, op;

	rc = keys_read(&s, t, where, step_keys, COUNT(step_keys), err);
	if (rc != 0)
		return rc;
	keys_where(place, "%s.op", where);
	op = keys_choice(tree_get(t, "op"), ops, COUNT(ops), place, err);
	if (op < 0)
		return op;
	s.op = (enum io_op)op;
	if (s.name[0] == '\0')
		snprintf(s.name, sizeof(s.name), "%s", ops[op]);
	rc = check_step(&s, last, where, err);
	if (rc == 0 && s.op == IO_FLUSH && tree_get(t, "region") != NULL)
		rc = err_usage(err, "%s.region: a flush is of the whole target; drop it", where);
	if (rc == 0 && s.op != IO_FLUSH)
		rc = find_region(p, tree_get(t, "region"), &s.region, where, err);
	if (rc == 0)
		txn->steps[txn->nsteps++] = s;
	return rc;
}

static const struct key txn_keys[] = {
    {"name", KEY_TEXT, .offset = offsetof(struct io_txn, name),
     .room = sizeof(((struct io_txn *)0)->name), .required = true},
    {"weight", KEY_NUMBER, .offset = offsetof(struct io_txn, weight)},
    {"steps", KEY_OTHER, .required = true},
    {"keying", KEY_PARSED, .offset = offsetof(struct io_txn, keying), .parse = profile_value_delay},
    {"think", KEY_PARSED, .offset = offsetof(struct io_txn, think), .parse = profile_value_delay},
};

static int read_txn(struct raw_profile *p, const struct tree *t, const char *where, struct err *err)
{
	struct io_txn *txn = &p->txns[p->ntxns];
	const struct tree *steps;
	char place[KEYS_WHERE_LEN];
	int rc, n;

	*txn = (struct io_txn){.weight = 1};
	rc = keys_read(txn, t, where, txn_keys, COUNT(txn_keys), err);
	if (rc != 0)
		return rc;
	for (unsigned i = 0; i < p->ntxns; i++) {
		if (strcmp(p->txns[i].name, txn->name) == 0)
			return err_usage(err, "%s.name: there are two '%s'; rename one", where,
			                 txn->name);
	}
	steps = tree_get(t, "steps");
	keys_where(place, "%s.steps", where);
	n = keys_list(steps, 1, PROFILE_STEPS_MAX, place, err);
	for (int i = 0; i < n && rc == 0; i++) {
		keys_where(place, "%s.steps[%d]", where, i + 1);
		rc = read_step(p, txn, &steps->items[i], i + 1 == n, place, err);
	}
	if (n < 0 || rc != 0)
		return n < 0 ? n : rc;
	p->ntxns++;
	return 0;
}

/* ---- the profile ---- */

static const struct key profile_keys[] = {
    {"title", KEY_TEXT, .offset = offsetof(struct raw_profile, title),
     .room = sizeof(((struct raw_profile *)0)->title), .required = true},
    {"modelled", KEY_TEXT, .offset = offsetof(struct raw_profile, modelled),
     .room = sizeof(((struct raw_profile *)0)->modelled)},
    {"oio", KEY_COUNT, .offset = offsetof(struct raw_profile, oio), .lo = 1, .hi = 65536},
    {"compress_ratio", KEY_NUMBER, .offset = offsetof(struct raw_profile, compress_ratio), .lo = 1,
     .hi = 64},
    {"dedupe_ratio", KEY_NUMBER, .offset = offsetof(struct raw_profile, dedupe_ratio), .lo = 1,
     .hi = 64},
    {"streams", .type = KEY_OTHER},
    {"transactions", .type = KEY_OTHER},
    {"measured", KEY_PARSED, .offset = offsetof(struct raw_profile, measured),
     .parse = profile_value_measured},
};

/* The file's name without folder and ".lua". */
static void set_name(struct raw_profile *p, const char *file)
{
	const char *base = strrchr(file, '/');
	size_t len;

	base = base != NULL ? base + 1 : file;
	len = strlen(base);
	if (len > 4 && strcmp(base + len - 4, ".lua") == 0)
		len -= 4;
	if (len >= sizeof(p->name))
		len = sizeof(p->name) - 1;
	memcpy(p->name, base, len);
	p->name[len] = '\0';
}

static int check_weights(const struct raw_profile *p, const char *file, struct err *err)
{
	double sum = 0;

	if (p->ntxns != 0) {
		for (unsigned i = 0; i < p->ntxns; i++)
			sum += p->txns[i].weight;
	} else {
		for (unsigned i = 0; i < p->nstreams; i++)
			sum += p->streams[i].rate_per_s > 0 ? 0 : p->streams[i].weight;
	}
	if (sum > 0)
		return 0;
	return err_usage(err, "%s: the weights of its %s are all zero%s; give one a weight above 0",
	                 file, p->ntxns != 0 ? "transactions" : "streams",
	                 p->ntxns != 0 ? "" : ", or all have rates of their own");
}

int profile_from_tree(struct raw_profile *p, const struct tree *tree, const char *file,
                      struct err *err)
{
	const struct tree *streams, *txns;
	char place[KEYS_WHERE_LEN];
	int rc, nstreams, ntxns;

	*p = (struct raw_profile){.oio = OIO_DEFAULT, .compress_ratio = 1, .dedupe_ratio = 1};
	set_name(p, file);
	rc = keys_read(p, tree, file, profile_keys, COUNT(profile_keys), err);
	if (rc != 0)
		return rc;
	streams = tree_get(tree, "streams");
	txns = tree_get(tree, "transactions");
	keys_where(place, "%s: streams", file);
	nstreams = keys_list(streams, 1, PROFILE_STREAMS_MAX, place, err);
	if (nstreams < 0)
		return nstreams;
	keys_where(place, "%s: transactions", file);
	ntxns = keys_list(txns, txns != NULL ? 1 : 0, PROFILE_TXNS_MAX, place, err);
	if (ntxns < 0)
		return ntxns;
	for (int i = 0; rc == 0 && i < nstreams; i++) {
		keys_where(place, "%s: streams[%d]", file, i + 1);
		rc = read_stream(p, &streams->items[i], ntxns != 0, place, err);
	}
	for (int i = 0; rc == 0 && i < ntxns; i++) {
		keys_where(place, "%s: transactions[%d]", file, i + 1);
		rc = read_txn(p, &txns->items[i], place, err);
	}
	return rc == 0 ? check_weights(p, file, err) : rc;
}
