/* SPDX-License-Identifier: MIT */
/*
 * Scripted I/O mixes come back from their traces: shares and sizes within 1 %, the mass of hot
 * bands within 5 %. The mixes are made by raw/access.h, and what was distilled is read as a profile
 * again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "raw/access.h"
#include "scenario/reader.h"
#include "trace/distil.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define GIB      (1ull << 30)
#define MS       1000000u

/* ---- traces ---- */

struct maker {
	struct trace t;
	struct trace_file files[4];
	size_t room;
	uint64_t now_ns;
};

static void maker_init(struct maker *m, enum trace_source source)
{
	memset(m, 0, sizeof(*m));
	m->t.head.source = source;
	m->t.head.begin_ns = m->now_ns = 1000000000u;
	m->t.files = m->files;
}

/* Of a linear congruential generator: the upper bits are random enough for addresses. */
static uint64_t next(uint64_t *x)
{
	return *x = *x * 6364136223846793005u + 1442695040888963407u;
}

static void add_file(struct maker *m, const char *path, enum trace_kind kind, uint64_t size_bytes)
{
	struct trace_file *f = &m->files[m->t.head.nfiles++];

	snprintf(f->path, sizeof(f->path), "%s", path);
	f->kind = kind;
	f->size_bytes = size_bytes;
	f->block_bytes = 4096;
}

/* Tracepoints of one device. */
static void device_init(struct maker *m, uint64_t size_bytes)
{
	maker_init(m, TRACE_SOURCE_BLOCK);
	add_file(m, "/dev/x", TRACE_KIND_DEVICE, size_bytes);
}

static struct trace_event *add(struct maker *m, enum trace_op op, uint64_t offset, uint32_t size)
{
	struct trace_event *e;

	if (m->t.nevents == m->room) {
		m->room = m->room != 0 ? 2 * m->room : 1024;
		m->t.events = realloc(m->t.events, m->room * sizeof(*m->t.events));
		assert_non_null(m->t.events);
	}
	e = &m->t.events[m->t.nevents++];
	*e = (struct trace_event){.begin_ns = m->now_ns,
	                          .latency_ns = MS / 10,
	                          .offset_bytes = offset,
	                          .size_bytes = size,
	                          .op = (uint8_t)op};
	m->now_ns += MS / 5;
	return e;
}

static int by_begin(const void *a, const void *b)
{
	const struct trace_event *x = a, *y = b;

	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	return (x > y) - (x < y);
}

/* Distils it and reads the profile back from its file. */
static void distil_all(struct maker *m, struct distilled **d, struct raw_profile **p)
{
	char path[] = "/tmp/ioltp-distil.XXXXXX";
	struct err err = ERR_INIT;
	struct tree tree, again;
	int fd = mkstemp(path);

	m->t.head.end_ns = m->now_ns;
	m->t.head.events = m->t.nevents;
	qsort(m->t.events, m->t.nevents, sizeof(*m->t.events), by_begin);
	*d = calloc(1, sizeof(**d));
	*p = calloc(1, sizeof(**p));
	assert_true(*d != NULL && *p != NULL && fd >= 0);
	close(fd);
	if (distil(*d, &m->t, &err) != 0 || distilled_tree(*d, "A twin", &tree, &err) != 0 ||
	    reader_save(&tree, path, "why", &err) != 0 || reader_load(&again, path, &err) != 0 ||
	    profile_from_tree(*p, &again, "twin.lua", &err) != 0)
		fail_msg("%s", err.text);
	if (getenv("SHOW") != NULL && system("cat /tmp/ioltp-distil.*") != 0)
		fail_msg("cat");
	unlink(path);
	tree_fini(&tree);
	tree_fini(&again);
	free(m->t.events);
	m->t.events = NULL;
}

/* n I/Os of a profile on a device of `bytes`. */
static void script(struct maker *m, const struct raw_profile *p, uint64_t bytes, unsigned n)
{
	uint8_t index[PROFILE_STREAMS_MAX];
	struct err err = ERR_INIT;
	struct access_space space;
	struct access *access;

	for (unsigned i = 0; i < p->nstreams; i++)
		index[i] = (uint8_t)i;
	assert_int_equal(access_space_init(&space, p, bytes, 512, &err), 0);
	access = access_new(&space, index, p->nstreams, 7, 0);
	assert_non_null(access);
	maker_init(m, TRACE_SOURCE_BLOCK);
	add_file(m, "/dev/x", TRACE_KIND_DEVICE, bytes);
	for (unsigned i = 0; i < n; i++) {
		struct io_request io;
		struct trace_event *e;

		access_next(access, &io);
		e = add(m,
		        io.op == IO_READ    ? TRACE_READ
		        : io.op == IO_FLUSH ? TRACE_FLUSH
		                            : TRACE_WRITE,
		        io.offset_bytes, io.bytes);
		e->flags = io.op == IO_WRITE_FUA ? TRACE_FUA | TRACE_SYNC : 0;
		/* Eight of them are under way at any time. */
		e->depth = 8;
		e->latency_ns = 8 * MS / 5;
	}
	access_free(access);
	access_space_fini(&space);
}

static struct io_stream *add_stream(struct raw_profile *p, double weight, bool write,
                                    enum io_pattern pattern)
{
	struct io_stream *s = &p->streams[p->nstreams++];

	snprintf(s->name, sizeof(s->name), "s%u", p->nstreams);
	s->weight = weight;
	s->read_share = write ? 0 : 1;
	s->pattern = pattern;
	s->random_read_share = s->random_write_share = 1;
	s->read_sizes = s->write_sizes = (struct io_sizes){1, {4096}, {1}};
	return s;
}

static struct io_extent share(double s)
{
	return (struct io_extent){.is_share = true, .share = s};
}

/* ---- what comes back ---- */

static const struct io_stream *find(const struct raw_profile *p, bool write,
                                    enum io_pattern pattern)
{
	for (unsigned i = 0; i < p->nstreams; i++) {
		const struct io_stream *s = &p->streams[i];

		if ((s->read_share < 1) == write && s->pattern == pattern)
			return s;
	}
	fail_msg("no such stream");
	return NULL;
}

static void near(double got, double want, double share_of_it, const char *what)
{
	if (!(fabs(got - want) <= share_of_it * want))
		fail_msg("%s: %g instead of %g", what, got, want);
}

static double weights(const struct raw_profile *p)
{
	double sum = 0;

	for (unsigned i = 0; i < p->nstreams; i++)
		sum += p->streams[i].weight;
	return sum;
}

static void same_sizes(const struct io_sizes *got, const struct io_sizes *want)
{
	assert_int_equal(got->n, want->n);
	for (unsigned i = 0; i < want->n; i++) {
		assert_int_equal(got->bytes[i], want->bytes[i]);
		near(got->share[i], want->share[i], 0.01, "share of a size");
	}
}

/* I/O of the hottest places that make up `span` of a stream. */
static double hot_mass(const struct io_stream *s, double span)
{
	bool taken[PROFILE_BANDS_MAX] = {false};
	double mass = 0;

	while (span > 1e-9) {
		unsigned best = PROFILE_BANDS_MAX;
		double part;

		for (unsigned i = 0; i < s->nbands; i++) {
			const struct io_band *b = &s->bands[i];

			if (!taken[i] && (best == PROFILE_BANDS_MAX ||
			                  b->io_share / b->span_share >
			                      s->bands[best].io_share / s->bands[best].span_share))
				best = i;
		}
		if (best == PROFILE_BANDS_MAX)
			return mass;
		taken[best] = true;
		part = fmin(span, s->bands[best].span_share);
		mass += s->bands[best].io_share * part / s->bands[best].span_share;
		span -= part;
	}
	return mass;
}

static void test_mix_of_sizes(void **state)
{
	struct raw_profile *in = calloc(1, sizeof(*in)), *out;
	struct distilled *d;
	struct maker m;
	struct io_stream *s;

	(void)state;
	in->name[0] = 'x';
	s = add_stream(in, 70, false, IO_RANDOM);
	s->read_sizes = (struct io_sizes){3, {4096, 8192, 65536}, {0.5, 0.3, 0.2}};
	s = add_stream(in, 20, true, IO_RANDOM);
	s->write_sizes = (struct io_sizes){1, {16384}, {1}};
	s->flush_every = 7;
	s = add_stream(in, 10, true, IO_SEQUENTIAL);
	s->write_sizes = (struct io_sizes){2, {4096, 12288}, {0.75, 0.25}};
	s->offset = share(0.5);
	s->span = share(0.25);
	s->fua = true;
	script(&m, in, 4 * GIB, 50000);
	distil_all(&m, &d, &out);
	assert_int_equal(out->nstreams, 3);
	near(find(out, false, IO_RANDOM)->weight / weights(out), 0.7, 0.01, "reads");
	near(find(out, true, IO_RANDOM)->weight / weights(out), 0.2, 0.01, "writes");
	near(find(out, true, IO_SEQUENTIAL)->weight / weights(out), 0.1, 0.01, "appends");
	same_sizes(&find(out, false, IO_RANDOM)->read_sizes, &in->streams[0].read_sizes);
	same_sizes(&find(out, true, IO_RANDOM)->write_sizes, &in->streams[1].write_sizes);
	same_sizes(&find(out, true, IO_SEQUENTIAL)->write_sizes, &in->streams[2].write_sizes);
	assert_true(find(out, true, IO_SEQUENTIAL)->fua && !find(out, true, IO_RANDOM)->fua);
	near(find(out, true, IO_RANDOM)->flush_every, 7, 0.01, "flushes");
	near(find(out, true, IO_SEQUENTIAL)->offset.share, 0.5, 0.01, "offset");
	/* An even load has no hot places, and whole blocks need no alignment of their own. */
	assert_int_equal(find(out, false, IO_RANDOM)->align_bytes, 0);
	/* Flushes among the eight are not counted. */
	near(d->outstanding_mean, 8, 0.04, "outstanding");
	near(out->measured.iops_per_s, 5000.0 * (1 - (double)d->flushes / 50000), 0.01, "rate");
	near(d->arrival_cv + 1, 1, 0.01, "spread of arrivals");
	assert_int_equal(d->transactions, 0);
	free(d);
	free(in);
	free(out);
}

static void test_hot_bands(void **state)
{
	static const double masses[] = {0.9, 0.5, 0.8}, spans[] = {0.1, 0.05, 0.2};

	(void)state;
	for (unsigned i = 0; i < COUNT(masses); i++) {
		struct raw_profile *in = calloc(1, sizeof(*in)), *out;
		struct distilled *d;
		struct io_stream *s;
		struct maker m;

		s = add_stream(in, 1, i == 1, IO_BANDS);
		s->nbands = 3;
		s->bands[0] = (struct io_band){0.37, (1 - masses[i]) / 2};
		s->bands[1] = (struct io_band){spans[i], masses[i]};
		s->bands[2] = (struct io_band){0.63 - spans[i], (1 - masses[i]) / 2};
		script(&m, in, 4 * GIB, 40000);
		distil_all(&m, &d, &out);
		assert_int_equal(out->nstreams, 1);
		assert_int_equal(out->streams[0].pattern, IO_BANDS);
		near(hot_mass(&out->streams[0], spans[i]), masses[i], 0.05, "hot mass");
		/* And in its place. */
		for (unsigned k = 0; k < out->streams[0].nchunks; k++) {
			double at = (k + 0.5) / out->streams[0].nchunks;

			if (at > 0.38 && at < 0.36 + spans[i])
				assert_int_equal(out->streams[0].map[k], 0);
			else if (at < 0.36 || at > 0.38 + spans[i])
				assert_true(out->streams[0].map[k] != 0);
		}
		free(d);
		free(in);
		free(out);
	}
}

/* Hot places that lie scattered keep their mass. */
static void test_scattered_heat(void **state)
{
	struct raw_profile *in = calloc(1, sizeof(*in)), *out;
	struct distilled *d;
	struct io_stream *s;
	struct maker m;

	(void)state;
	s = add_stream(in, 1, false, IO_BANDS);
	s->nbands = 2;
	s->nchunks = 64;
	s->bands[0] = (struct io_band){0.125, 0.7};
	s->bands[1] = (struct io_band){0.875, 0.3};
	for (unsigned i = 0; i < 64; i++)
		s->map[i] = (i * 7) % 64 >= 8;
	script(&m, in, GIB, 40000);
	distil_all(&m, &d, &out);
	near(hot_mass(&out->streams[0], 0.125), 0.7, 0.05, "hot mass");
	free(d);
	free(in);
	free(out);
}

static void test_even_load_has_no_bands(void **state)
{
	struct raw_profile *in = calloc(1, sizeof(*in)), *out;
	struct distilled *d;
	struct maker m;

	(void)state;
	add_stream(in, 1, false, IO_RANDOM);
	script(&m, in, GIB, 60000);
	distil_all(&m, &d, &out);
	assert_int_equal(out->streams[0].pattern, IO_RANDOM);
	assert_int_equal(out->streams[0].span.bytes, 0);
	free(d);
	free(in);
	free(out);
}

static void test_sequences_side_by_side(void **state)
{
	struct raw_profile *in = calloc(1, sizeof(*in)), *out;
	static const double weight[] = {10, 20, 30, 15};
	unsigned found = 0;
	struct distilled *d;
	struct maker m;

	(void)state;
	add_stream(in, 25, false, IO_RANDOM);
	for (unsigned i = 0; i < COUNT(weight); i++) {
		struct io_stream *s = add_stream(in, weight[i], false, IO_SEQUENTIAL);

		s->read_sizes = (struct io_sizes){1, {16384u << i}, {1}};
		s->offset = share(0.25 * i);
		s->span = share(0.2);
	}
	script(&m, in, 16 * GIB, 30000);
	distil_all(&m, &d, &out);
	assert_int_equal(out->nstreams, 5);
	near(find(out, false, IO_RANDOM)->weight / weights(out), 0.25, 0.01, "random");
	for (unsigned i = 0; i < out->nstreams; i++) {
		const struct io_stream *s = &out->streams[i];
		unsigned at = (unsigned)(s->offset.share * 4 + 0.01);

		if (s->pattern != IO_SEQUENTIAL)
			continue;
		found++;
		near(s->weight / weights(out), weight[at] / 100, 0.01, "a sequence");
		assert_int_equal(s->read_sizes.n, 1);
		assert_int_equal(s->read_sizes.bytes[0], 16384u << at);
	}
	assert_int_equal(found, 4);
	free(d);
	free(in);
	free(out);
}

/* I/Os in flight together begin in another order than that of their addresses. */
static void test_sequence_out_of_order(void **state)
{
	static const unsigned order[] = {3, 1, 0, 2, 7, 5, 4, 6};
	struct raw_profile *out;
	struct distilled *d;
	struct maker m;

	(void)state;
	device_init(&m, GIB);
	for (uint64_t i = 0; i < 8000; i++)
		add(&m, TRACE_WRITE, (i / 8 * 8 + order[i % 8]) * 65536, 65536);
	distil_all(&m, &d, &out);
	assert_int_equal(out->nstreams, 1);
	assert_int_equal(out->streams[0].pattern, IO_SEQUENTIAL);
	free(d);
	free(out);
}

/* What was on a small part of a large device is on all of the twin's target. */
static void test_holes_are_cut(void **state)
{
	struct raw_profile *out;
	struct distilled *d;
	uint64_t x = 1;
	struct maker m;

	(void)state;
	device_init(&m, 4096 * GIB);
	for (unsigned i = 0; i < 20000; i++) {
		add(&m, TRACE_READ,
		    (i % 2 != 0 ? 100 * GIB : 130 * GIB) + (next(&x) >> 33) % 65536 * 4096, 4096);
	}
	distil_all(&m, &d, &out);
	assert_in_range(d->span_bytes, 500u << 20, 512u << 20);
	assert_int_equal(out->nstreams, 1);
	free(d);
	free(out);
}

/* A small database in pieces all over a drive is no large one. */
static void test_pieces_are_drawn_together(void **state)
{
	struct raw_profile *out;
	struct distilled *d;
	uint64_t x = 1;
	struct maker m;

	(void)state;
	device_init(&m, 256 * GIB);
	for (unsigned i = 0; i < 9000; i++) {
		add(&m, TRACE_WRITE, i % 30 * 8 * GIB + (next(&x) >> 33) % 256 * 4096, 4096);
	}
	distil_all(&m, &d, &out);
	assert_in_range(d->span_bytes, 30u << 20, 31u << 20);
	free(d);
	free(out);
}

/* Few I/Os on a large database leave gaps, and it is a large one all the same. */
static void test_sparse_use_is_no_hole(void **state)
{
	struct raw_profile *out;
	struct distilled *d;
	uint64_t x = 1;
	struct maker m;

	(void)state;
	device_init(&m, 4096 * GIB);
	for (unsigned i = 0; i < 3000; i++) {
		add(&m, TRACE_READ, 1000 * GIB + (next(&x) >> 33) % (1024u * 262144u) * 4096, 4096);
	}
	distil_all(&m, &d, &out);
	near((double)d->span_bytes, 1024.0 * (double)GIB, 0.02, "span");
	free(d);
	free(out);
}

/* ---- files and transactions ---- */

enum { DB, WAL };

/*
 * An SQLite-like client: reads of the database (some cached), three frames of 24 + 4096 bytes to
 * the log, a flush; every tenth transaction only reads; each hundredth moves 50 pages to the
 * database.
 */
static void run_client(struct maker *m, unsigned n)
{
	uint64_t wal = 32, x = 5;

	for (unsigned i = 0; i < n; i++) {
		uint64_t begin_ns = m->now_ns;

		for (unsigned k = 0; k < 4; k++) {
			add(m, TRACE_READ, (next(&x) >> 40) % 10000 * 4096, 4096)->flags =
			    k < i % 4 ? TRACE_CACHED : 0;
		}
		for (unsigned k = 0; i % 10 != 0 && k < 3; k++) {
			add(m, TRACE_WRITE, wal, 24)->file = WAL;
			add(m, TRACE_WRITE, wal + 24, 4096)->file = WAL;
			wal += 4120;
		}
		if (i % 10 != 0)
			add(m, TRACE_FLUSH, 0, 0)->file = WAL;
		for (unsigned k = 0; i % 100 == 99 && k < 50; k++)
			add(m, TRACE_WRITE, (k * 100 + i % 97) * 4096ull, 4096);
		if (i % 100 == 99)
			add(m, TRACE_FLUSH, 0, 0);
		add(m, TRACE_TXN, 0, 0)->begin_ns = begin_ns;
		m->t.events[m->t.nevents - 1].latency_ns = m->now_ns - begin_ns - MS / 10;
	}
}

static double mean_count(const struct io_count *c)
{
	double mean = 0;

	if (c->n == 0)
		return (c->lo + (double)c->hi) / 2;
	for (unsigned i = 0; i < c->n; i++)
		mean += c->times[i] * c->share[i];
	return mean;
}

static void test_transactions_of_files(void **state)
{
	const struct io_step *step;
	struct raw_profile *out;
	struct distilled *d;
	struct maker m;

	(void)state;
	maker_init(&m, TRACE_SOURCE_VFS);
	add_file(&m, "/x/app.db", TRACE_KIND_DATA, 10000 * 4096);
	add_file(&m, "/x/app.db-wal", TRACE_KIND_LOG, 4 << 20);
	m.t.head.ntypes = 1;
	snprintf(m.t.head.types[0], sizeof(m.t.head.types[0]), "pay");
	run_client(&m, 4000);
	distil_all(&m, &d, &out);
	assert_int_equal(d->transactions, 4000);
	assert_int_equal(d->cached_reads, 4000 * 1.5);
	assert_int_equal(out->oio, 1);
	assert_int_equal(out->ntxns, 1);
	assert_string_equal(out->txns[0].name, "pay");
	assert_int_equal(out->txns[0].nsteps, 5);
	step = out->txns[0].steps;
	/* Reads one after another, then the log, a flush, and seldom pages and a flush. */
	assert_true(step[0].op == IO_READ && !step[0].parallel && step[0].count.n == 4);
	near(mean_count(&step[0].count), 2.5, 0.001, "reads");
	assert_true(step[1].op == IO_APPEND);
	near(mean_count(&step[1].count), 0.9, 0.001, "appends");
	/* 3 frames are 12360 bytes, and begin within a page: 4 pages each time. */
	assert_int_equal(step[1].sizes.bytes[0], 16384);
	assert_true(step[1].sizes.share[0] > 0.97);
	assert_true(step[2].op == IO_FLUSH && !step[2].group);
	near(mean_count(&step[2].count), 0.9, 0.001, "flushes");
	assert_true(step[3].op == IO_WRITE && step[3].parallel);
	near(mean_count(&step[3].count), 0.5, 0.001, "pages");
	assert_int_equal(step[3].count.hi, 50);
	assert_true(step[4].op == IO_FLUSH);
	near(mean_count(&step[4].count), 0.01, 0.001, "flushes of the database");
	near(out->measured.tps, 4000 / d->elapsed_s, 0.001, "rate");
	free(d);
	free(out);
}

/* What nobody flushes is written by the kernel, and no transaction waits for it. */
static void test_unflushed_pages(void **state)
{
	struct raw_profile *out;
	struct distilled *d;
	struct maker m;

	(void)state;
	maker_init(&m, TRACE_SOURCE_VFS);
	add_file(&m, "/x/app.db", TRACE_KIND_DATA, 1000 * 4096);
	m.t.head.ntypes = 1;
	snprintf(m.t.head.types[0], sizeof(m.t.head.types[0]), "put");
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t begin_ns = m.now_ns;

		add(&m, TRACE_READ, i % 500 * 8192, 4096);
		add(&m, TRACE_WRITE, i % 500 * 8192, 4096);
		add(&m, TRACE_TXN, 0, 0)->begin_ns = begin_ns;
		m.t.events[m.t.nevents - 1].latency_ns = m.now_ns - begin_ns - MS / 10;
	}
	distil_all(&m, &d, &out);
	/* Each page once: it was dirty already when it was written again. */
	assert_int_equal(d->writes, 500);
	assert_int_equal(d->flushes, 0);
	assert_int_equal(out->txns[0].nsteps, 1);
	assert_int_equal(out->txns[0].steps[0].op, IO_READ);
	near(find(out, true, IO_RANDOM)->per_transaction, 0.5, 0.001, "pages");
	free(d);
	free(out);
}

/* A server: the log is flushed once for several commits, pages are written by others. */
static void test_transactions_of_a_device(void **state)
{
	struct raw_profile *out;
	const struct io_step *step;
	struct distilled *d;
	uint64_t x = 3, log = 0;
	struct maker m;

	(void)state;
	device_init(&m, 4 * GIB);
	m.t.head.ntypes = 1;
	snprintf(m.t.head.types[0], sizeof(m.t.head.types[0]), "tpcc");
	for (unsigned i = 0; i < 6000; i++) {
		struct trace_event *e;

		add(&m, TRACE_READ, (next(&x) >> 40) % 100000 * 16384, 16384)->owner = 7;
		if (i % 3 == 0) {
			e = add(&m, TRACE_WRITE, 3 * GIB + log, 4096);
			e->flags = TRACE_SYNC;
			log += 4096;
			add(&m, TRACE_FLUSH, 0, 0);
		}
		if (i % 2 == 0)
			add(&m, TRACE_WRITE, (x >> 30) % 100000 * 16384, 16384);
		e = add(&m, TRACE_TXN, 0, 0);
		e->begin_ns -= MS;
		e->latency_ns = MS;
		e->owner = i % 16;
	}
	distil_all(&m, &d, &out);
	assert_int_equal(out->oio, 16);
	assert_int_equal(out->ntxns, 1);
	assert_int_equal(out->txns[0].nsteps, 3);
	step = out->txns[0].steps;
	assert_true(step[0].op == IO_READ && mean_count(&step[0].count) == 1);
	assert_true(step[1].op == IO_APPEND);
	near(mean_count(&step[1].count), 1.0 / 3, 0.01, "appends");
	assert_true(step[2].op == IO_FLUSH && step[2].group && mean_count(&step[2].count) == 1);
	near(find(out, true, IO_RANDOM)->per_transaction, 0.5, 0.01, "pages");
	free(d);
	free(out);
}

static void test_nothing_to_distil(void **state)
{
	struct distilled *d = calloc(1, sizeof(*d));
	struct err err = ERR_INIT;
	struct maker m;

	(void)state;
	maker_init(&m, TRACE_SOURCE_VFS);
	add_file(&m, "/x/app.db", TRACE_KIND_DATA, 1000 * 4096);
	add(&m, TRACE_READ, 0, 4096)->flags = TRACE_CACHED;
	assert_int_equal(distil(d, &m.t, &err), -22);
	assert_non_null(strstr(err.text, "no read or write reached the drive"));
	free(m.t.events);
	free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_mix_of_sizes),
	    cmocka_unit_test(test_hot_bands),
	    cmocka_unit_test(test_scattered_heat),
	    cmocka_unit_test(test_even_load_has_no_bands),
	    cmocka_unit_test(test_sequences_side_by_side),
	    cmocka_unit_test(test_sequence_out_of_order),
	    cmocka_unit_test(test_holes_are_cut),
	    cmocka_unit_test(test_pieces_are_drawn_together),
	    cmocka_unit_test(test_sparse_use_is_no_hole),
	    cmocka_unit_test(test_transactions_of_files),
	    cmocka_unit_test(test_unflushed_pages),
	    cmocka_unit_test(test_transactions_of_a_device),
	    cmocka_unit_test(test_nothing_to_distil),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
