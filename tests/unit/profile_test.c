/* SPDX-License-Identifier: MIT */
/* Profiles from tables: what is refused, and the sums of every file that is shipped. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <dirent.h>

#include <cmocka.h>

#include "base/datadir.h"
#include "raw/profile.h"
#include "scenario/reader.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Close enough for shares that are given with a few digits. */
#define assert_near(a, b, tolerance)                                                               \
	do {                                                                                       \
		if (!(fabs((a) - (b)) <= (tolerance)))                                             \
			fail_msg("%s: %g instead of %g", #a, (double)(a), (double)(b));            \
	} while (0)

static char path[64];
static struct raw_profile *profile; /* large */

static int set_up(void **state)
{
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/ioltp-profile.XXXXXX");
	fd = mkstemp(path);
	profile = calloc(1, sizeof(*profile));
	return fd < 0 || close(fd) != 0 || profile == NULL;
}

static int tear_down(void **state)
{
	(void)state;
	free(profile);
	return unlink(path);
}

static int from_text(const char *text, struct err *err)
{
	FILE *f = fopen(path, "w");
	struct tree t;
	int rc;

	*err = ERR_INIT;
	assert_non_null(f);
	fprintf(f, "return { title = 'T', %s }", text);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(reader_load(&t, path, err), 0);
	rc = profile_from_tree(profile, &t, "dir/x.lua", err);
	tree_fini(&t);
	return rc;
}

/* Inside one stream. */
static int from_stream(const char *text, struct err *err)
{
	char all[1024];

	snprintf(all, sizeof(all), "streams = { { %s } }", text);
	return from_text(all, err);
}

static void check_refused(int rc, const char *text, const struct err *err, const char *part)
{
	if (rc != -EINVAL || err->status != EXIT_USAGE || strcmp(err->text, part) != 0)
		fail_msg("%s:\n%d '%s'\nand not '%s'", text, rc, err->text, part);
}

/* What is wrong in a stream; `bare`: without the good keys before it. */
static const struct {
	bool bare;
	const char *text, *message;
} stream_cases[] = {
    {false, "wieght = 1", "dir/x.lua: streams[1]: unknown key 'wieght'; did you mean 'weight'?"},
    {false, "weight = '1'", "dir/x.lua: streams[1].weight: is \"1\"; give a number of 0 or more"},
    {false, "weight = -1", "dir/x.lua: streams[1].weight: is -1; give a number of 0 or more"},
    {false, "rwmixread = 101",
     "dir/x.lua: streams[1].rwmixread: is 101; give a number of per cent from 0 to 100"},
    {false, "oio = 0", "dir/x.lua: streams[1].oio: is 0; give a whole number from 1 to 65536"},
    {false, "oio = 1.5", "dir/x.lua: streams[1].oio: is 1.5; give a whole number from 1 to 65536"},
    {false, "fua = 1", "dir/x.lua: streams[1].fua: is 1; give true or false"},
    {false, "7", "dir/x.lua: streams[1]: has 1 elements without a name; write name = value"},
    {false, "span = '101%'",
     "dir/x.lua: streams[1].span=101%: neither a size nor a share; write 10G or 25%"},
    {false, "offset = -4096",
     "dir/x.lua: streams[1].offset: is neither a size nor a share; write \"10G\" or "
     "\"25%\""},
    {false, "think = 5",
     "dir/x.lua: streams[1].think: is a number; write \"fixed:5ms\", "
     "\"exp:5ms\" or \"uniform:1ms-5ms\""},
    {false, "align = 100",
     "dir/x.lua: streams[1].align: is 100; give bytes, or a size as "
     "\"4k\", from 512 to 1073741824"},
    {false, "zipf = 1, stride = '1m'",
     "dir/x.lua: streams[1].zipf: goes with a rw = \"rand...\" only, and not with another "
     "pattern or percentage_random"},
    {false, "bands = { { io = 50, span = 50 }, { io = 40, span = 50 } }",
     "dir/x.lua: streams[1].bands: the shares of I/O add up to 90 and those of the span to "
     "100, and not to 100; correct them"},
    {false, "bands = { { io = 100 } }", "dir/x.lua: streams[1].bands[1]: has no 'span'; add it"},
    {false, "bands = {}", "dir/x.lua: streams[1].bands: is empty; give at least 1"},
    {true, "bs = '4k'", "dir/x.lua: streams[1]: has no 'rw'; add \"randread\" or the like"},
    {true, "rw = 'read'", "dir/x.lua: streams[1]: has no 'bs', the size of its I/Os; add it"},
    {true, "rw = 'reed', bs = '4k'",
     "dir/x.lua: streams[1].rw: is \"reed\"; give read, write, "
     "randread, randwrite, rw or randrw"},
    {true, "rw = 'read', bs = 1000",
     "dir/x.lua: streams[1].bs: an I/O of 1000 bytes is no multiple of 512 bytes, which "
     "every "
     "drive wants; change the size"},
    {true, "rw = 'read', bs = '4k/40,8k/59'",
     "dir/x.lua: streams[1].bs=4k/40,8k/59: the shares add up to 99 and not to 100; "
     "correct "
     "them"},
    {true, "rw = 'read', bs = -4096",
     "dir/x.lua: streams[1].bs: is no size of 1 block to 1 GiB; write \"8k\", or shares as "
     "\"4k/40,8k/60\""},
    {true, "rw = 'read', bs = '4k', rwmixread = 50",
     "dir/x.lua: streams[1].rwmixread: does not go with rw = \"read\"; use \"rw\""},
    {true, "rw = 'write', bs = '4k', percentage_random = 50",
     "dir/x.lua: streams[1].percentage_random: does not go with rw = \"write\"; use "
     "\"randwrite\""},
    {true, "rw = 'randread', bs = '4k', flush_every = 3",
     "dir/x.lua: streams[1]: flushes or FUA without writes; drop them"},
    {true, "rw = 'write', bs = '4k', weight = 0",
     "dir/x.lua: the weights of its streams are all zero, or all have rates of their own; "
     "give "
     "one a weight above 0"},
};

static void test_stream_errors(void **state)
{
	static const char good[] = "rw = 'randrw', bs = '4k', ";
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(stream_cases); i++) {
		char text[512];
		int rc;

		snprintf(text, sizeof(text), "%s%s", stream_cases[i].bare ? "" : good,
		         stream_cases[i].text);
		rc = from_stream(text, &err);
		check_refused(rc, text, &err, stream_cases[i].message);
	}
	assert_int_equal(from_stream(good, &err), 0);
}

#define STREAMS "streams = { { name = 'data' }, { name = 'log' } }, transactions = "

static void test_profile_errors(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
	    {"", "dir/x.lua: streams: is empty; give at least 1"},
	    {"streams = {}", "dir/x.lua: streams: is empty; give at least 1"},
	    {"streams = 7", "dir/x.lua: streams: is a number; give a list { {...}, {...} }"},
	    {"streams = { 7 }", "dir/x.lua: streams[1]: is a number; give a table"},
	    {"stream = {}", "dir/x.lua: unknown key 'stream'; did you mean 'streams'?"},
	    {"frobnicate = 1",
	     "dir/x.lua: unknown key 'frobnicate'; there are title, modelled, oio, "
	     "compress_ratio, dedupe_ratio, streams, transactions, measured"},
	    {"oio = 70000", "dir/x.lua: oio: is 70000; give a whole number from 1 to 65536"},
	    {"compress_ratio = 0.5",
	     "dir/x.lua: compress_ratio: is 0.5; give a number from 1 to 64"},
	    {"title = 3", "dir/x.lua: title: is 3; give text"},
	    {"streams = { { name = 'a', rw = 'read', bs = 512 }, { name = 'a', rw = 'read', bs = "
	     "512 } }",
	     "dir/x.lua: streams[2].name: there are two 'a'; rename one"},
	    {STREAMS "{}", "dir/x.lua: transactions: is empty; give at least 1"},
	    {STREAMS "{ { name = 'a', steps = {} } }",
	     "dir/x.lua: transactions[1].steps: is empty; give at least 1"},
	    {STREAMS "{ { steps = {} } }", "dir/x.lua: transactions[1]: has no 'name'; add it"},
	    {STREAMS "{ { name = 'a', steps = { { op = 'reed' } } } }",
	     "dir/x.lua: transactions[1].steps[1].op: is \"reed\"; give read, write, append, flush "
	     "or "
	     "write-fua"},
	    {STREAMS "{ { name = 'a', steps = { { op = 'read', bs = '4k' } } } }",
	     "dir/x.lua: transactions[1].steps[1]: has no 'region', the name of a stream; add it"},
	    {STREAMS "{ { name = 'a', steps = { { op = 'read', bs = '4k', region = 'dat' } } } }",
	     "dir/x.lua: transactions[1].steps[1].region: is \"dat\"; give data or log"},
	    {STREAMS "{ { name = 'a', steps = { { op = 'flush', bs = '4k' } } } }",
	     "dir/x.lua: transactions[1].steps[1].bs: a flush has no size; drop it"},
	    {STREAMS "{ { name = 'a', steps = { { op = 'write', region = 'log' } } } }",
	     "dir/x.lua: transactions[1].steps[1]: has no 'bs', the size of its I/Os; add it"},
	    {STREAMS "{ { name = 'a', steps = { { op = 'flush', with_next = true } } } }",
	     "dir/x.lua: transactions[1].steps[1].with_next: nothing comes after the last step; "
	     "drop "
	     "it"},
	    {STREAMS "{ { name = 'a', steps = { { op = 'flush', count = '3-2' } } } }",
	     "dir/x.lua: transactions[1].steps[1].count: is no count; write 4, or \"2-6\" for "
	     "anything from 2 to 6, or counts with their shares as \"3/60,4/40\", up to 16 that "
	     "add up to 100"},
	    {STREAMS "{ { name = 'a', steps = { { op = 'flush', count = '3/60,4/30' } } } }",
	     "dir/x.lua: transactions[1].steps[1].count: is no count; write 4, or \"2-6\" for "
	     "anything from 2 to 6, or counts with their shares as \"3/60,4/40\", up to 16 that "
	     "add up to 100"},
	    {"measured = 3, streams = { { rw = 'read', bs = '4k' } }",
	     "dir/x.lua: measured: is a number; write a table of facts"},
	    {"measured = { tps = 'many' }, streams = { { rw = 'read', bs = '4k' } }",
	     "dir/x.lua: measured.tps: is no number of 0 or more; correct it"},
	    {STREAMS "{ { name = 'a', weight = 0, steps = { { op = 'flush' } } } }",
	     "dir/x.lua: the weights of its transactions are all zero; give one a weight above 0"},
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		check_refused(from_text(cases[i].text, &err), cases[i].text, &err,
		              cases[i].message);
}

static void test_values(void **state)
{
	const struct io_stream *s = profile->streams;
	const struct io_step *step = profile->txns[0].steps;
	struct err err;

	(void)state;
	assert_int_equal(
	    from_text("modelled = 'M', oio = 7, compress_ratio = 2, streams = {"
	              " { name = 'a', weight = 3, rw = 'randrw', rwmixread = 25, bs = 8192,"
	              "   bs_write = '4k/25,1m/75', percentage_random = 80,"
	              "   percentage_random_write = 100, offset = '25%', span = '1g', oio = 2 },"
	              " { rw = 'randwrite', bs = '4k', zipf = 1.1, fua = true, flush_every = 5,"
	              "   think = 'exp:2ms', rate = 100, align = '8k' },"
	              "}, transactions = { { name = 't', weight = 2, keying = 'fixed:1s', steps = {"
	              " { op = 'read', bs = '8k', count = '2-6', region = 'a', parallel = true,"
	              "   with_next = true },"
	              " { name = 'f', op = 'flush', group = true } } } }",
	              &err),
	    0);
	assert_string_equal(profile->name, "x");
	assert_string_equal(profile->modelled, "M");
	assert_int_equal(profile->oio, 7);
	assert_true(profile->compress_ratio == 2 && profile->dedupe_ratio == 1);
	assert_int_equal(profile->nstreams, 2);
	assert_true(s[0].weight == 3 && s[0].read_share == 0.25 && s[0].oio == 2);
	assert_true(s[0].read_sizes.n == 1 && s[0].read_sizes.bytes[0] == 8192);
	assert_true(s[0].write_sizes.n == 2 && s[0].write_sizes.bytes[1] == 1 << 20);
	assert_true(s[0].write_sizes.share[1] == 0.75);
	assert_true(s[0].random_read_share == 0.8 && s[0].random_write_share == 1);
	assert_true(s[0].offset.is_share && s[0].offset.share == 0.25);
	assert_true(!s[0].span.is_share && s[0].span.bytes == 1 << 30);
	assert_string_equal(s[1].name, "stream2");
	assert_true(s[1].pattern == IO_ZIPFIAN && s[1].zipf_exponent == 1.1);
	assert_true(s[1].fua && s[1].flush_every == 5 && s[1].rate_per_s == 100);
	assert_true(s[1].think.kind == DELAY_EXPONENTIAL && s[1].align_bytes == 8192);
	assert_int_equal(profile->ntxns, 1);
	assert_true(profile->txns[0].weight == 2 && profile->txns[0].keying.mean_s == 1);
	assert_int_equal(profile->txns[0].nsteps, 2);
	assert_true(step[0].count.lo == 2 && step[0].count.hi == 6);
	assert_true(step[0].op == IO_READ && step[0].parallel && step[0].with_next);
	assert_string_equal(step[0].name, "read");
	assert_true(step[1].op == IO_FLUSH && step[1].group && step[1].count.hi == 1);
	assert_int_equal(from_stream("rw = 'rw', bs = 512", &err), 0);
	assert_true(s[0].pattern == IO_SEQUENTIAL && s[0].read_share == 0.5);
	assert_true(s[0].random_read_share == 0);
	assert_int_equal(from_stream("rw = 'randread', bs = 512", &err), 0);
	assert_true(s[0].pattern == IO_RANDOM && s[0].random_read_share == 1);
}

static void test_values_of_twins(void **state)
{
	const struct io_stream *s = profile->streams;
	const struct io_count *count = &profile->txns[0].steps[0].count;
	struct err err;

	(void)state;
	assert_int_equal(
	    from_text(
	        "measured = { tps = 12.5, iops_per_s = 90, outstanding = 3.4, what = { 'x' } },"
	        "streams = { { name = 'a', rw = 'randread', bs = '4k', span = '50%',"
	        "   bands = { { io = 70, span = 25 }, { io = 30, span = 75 } },"
	        "   map = { 'ba', 'bb' } },"
	        " { name = 'b', rw = 'randwrite', bs = '4k', flush_every = 2.5,"
	        "   per_transaction = 0.25 } },"
	        "transactions = { { name = 't', steps = {"
	        " { op = 'read', bs = '8k', count = '0/60,3/30,40/10', region = 'a' } } } }",
	        &err),
	    0);
	assert_true(count->n == 3 && count->lo == 0 && count->hi == 40);
	assert_true(count->times[1] == 3 && count->share[1] == 0.3);
	assert_true(s[0].nchunks == 4 && s[0].map[0] == 1 && s[0].map[1] == 0);
	assert_true(s[1].flush_every == 2.5 && s[1].per_transaction == 0.25);
	assert_true(profile->measured.tps == 12.5 && profile->measured.iops_per_s == 90);
	assert_true(profile_in_background(profile, &s[1]));
	profile_drop_transactions(profile);
	assert_int_equal(profile->ntxns, 0);
	assert_int_equal(profile->oio, 3);
	assert_false(profile_in_background(profile, &s[1]));
}

/* ---- the files that are shipped ---- */

static void load_shipped(const char *name)
{
	struct err err = ERR_INIT;
	char file[4096 + 64];
	struct tree t;
	char *dir;

	assert_int_equal(data_dir(&dir, "scenarios", &err), 0);
	snprintf(file, sizeof(file), "%s/raw/%s.lua", dir, name);
	free(dir);
	if (reader_load(&t, file, &err) != 0 || profile_from_tree(profile, &t, file, &err) != 0 ||
	    profile_check(profile, 1ull << 30, 512, &err) != 0)
		fail_msg("%s", err.text);
	tree_fini(&t);
	assert_string_equal(profile->name, name);
	assert_true(profile->title[0] != '\0');
}

static double mean_kib(const struct io_sizes *z)
{
	double sum = 0;

	for (unsigned i = 0; i < z->n; i++)
		sum += z->share[i] * z->bytes[i] / 1024;
	return sum;
}

static void test_all_load(void **state)
{
	struct err err = ERR_INIT;
	char dir[4096 + 8], *data, name[256];
	struct dirent *e;
	unsigned n = 0;
	DIR *d;

	(void)state;
	assert_int_equal(data_dir(&data, "scenarios", &err), 0);
	snprintf(dir, sizeof(dir), "%s/raw", data);
	free(data);
	d = opendir(dir);
	assert_non_null(d);
	while ((e = readdir(d)) != NULL) {
		size_t len = strlen(e->d_name);

		if (len < 5 || strcmp(e->d_name + len - 4, ".lua") != 0)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)len - 4, e->d_name);
		load_shipped(name);
		n++;
	}
	closedir(d);
	assert_int_equal(n, 32);
}

/* name, outstanding, share of reads, KiB of a read and of a write, random share of both, and the
 * published bound of KiB written per I/O (0: none). */
struct simple {
	const char *name;
	unsigned oio;
	double reads, read_kib, write_kib, random_read, random_write, bound_kib;
};

static const struct simple simples[] = {
    {"corner-4k-randread", 128, 1, 4, 4, 1, 1, 0},
    {"corner-4k-randwrite", 128, 0, 4, 4, 1, 1, 0},
    {"corner-16k-seqread", 32, 1, 16, 16, 0, 0, 0},
    {"corner-16k-seqwrite", 16, 0, 16, 16, 0, 0, 0},
    {"corner-64k-seqread", 32, 1, 64, 64, 0, 0, 0},
    {"corner-64k-seqwrite", 16, 0, 64, 64, 0, 0, 0},
    {"spec-128k-read", 32, 1, 128, 128, 0, 0, 0},
    {"spec-128k-write", 32, 0, 128, 128, 0, 0, 0},
    {"qos-4k-read", 1, 1, 4, 4, 1, 1, 0},
    {"qos-4k-write", 1, 0, 4, 4, 1, 1, 0},
    {"mix-4k", 64, 0.7, 4, 4, 1, 1, 0},
    {"mix-8k", 64, 0.7, 8, 8, 1, 1, 0},
    {"mix-16k", 64, 0.7, 16, 16, 1, 1, 0},
    {"sql", 32, 1, 8, 8, 0.8, 0.8, 1.0},
    {"sql-90-10", 32, 0.9, 8, 8, 0.8, 1, 1.1},
    {"sql-80-20", 32, 0.8, 8, 8, 0.8, 1, 1.6},
    {"oracle", 36, 0.72, 8, 8, 0.8, 0.8, 2.22},
    {"oracle-90-10", 22, 0.9, 8, 8, 0.8, 0.8, 1.32},
    {"oracle-80-20", 22, 0.8, 8, 8, 0.8, 0.8, 1.61},
    {"vdi-full-boot", 35, 0.9, 16.2, 8, 0.7, 0.7, 1.7},
    {"vdi-full-initial-login", 30, 0.25, 18, 18, 0.6, 0.6, 13.3},
    {"vdi-full-monday-login", 16, 0.35, 18, 18, 0.6, 0.6, 11.9},
    {"vdi-linked-boot", 16, 0.85, 25.8, 16, 0.8, 0.8, 3.3},
    {"vdi-linked-initial-login", 8, 0.2, 26.6, 26.6, 0.6, 0.6, 21.2},
    {"vdi-linked-monday-login", 16, 0.25, 26.6, 26.6, 0.6, 0.6, 20.3},
};

static void test_simple(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(simples); i++) {
		const struct simple *want = &simples[i];
		const struct io_stream *s = profile->streams;
		double written_kib;

		load_shipped(want->name);
		assert_int_equal(profile->nstreams, 1);
		assert_int_equal(profile->ntxns, 0);
		assert_int_equal(profile->oio, want->oio);
		assert_near(s->read_share, want->reads, 1e-9);
		assert_near(mean_kib(&s->read_sizes), want->read_kib, 1e-9);
		assert_near(mean_kib(&s->write_sizes), want->write_kib, 1e-9);
		assert_near(s->random_read_share, want->random_read, 1e-9);
		assert_near(s->random_write_share, want->random_write, 1e-9);
		/* Modelled ones, and those only, have a bound and say so. */
		assert_int_equal(profile->modelled[0] != '\0', want->bound_kib > 0);
		if (want->bound_kib <= 0)
			continue;
		/* IOPS were read from charts: the bound is good to about 2 %. */
		written_kib = (1 - s->read_share) * mean_kib(&s->write_sizes);
		if (written_kib > want->bound_kib * 1.02)
			fail_msg("%s: writes %g KiB per I/O, the bound is %g", want->name,
			         written_kib, want->bound_kib);
	}
}

static void test_jesd219(void **state)
{
	static const struct {
		uint32_t bytes;
		double share;
	} sizes[] = {
	    {512, .04},  {1024, .01}, {1536, .01}, {2048, .01},  {2560, .01},  {3072, .01},
	    {3584, .01}, {4096, .67}, {8192, .10}, {16384, .07}, {32768, .03}, {65536, .03},
	};
	static const double bands[3][2] = {{.5, .05}, {.3, .15}, {.2, .8}};
	const struct io_stream *s = profile->streams;

	(void)state;
	load_shipped("jesd219");
	assert_int_equal(s->pattern, IO_BANDS);
	assert_near(s->read_share, 0.4, 1e-12);
	assert_int_equal(s->read_sizes.n, COUNT(sizes));
	for (unsigned i = 0; i < COUNT(sizes); i++) {
		assert_int_equal(s->read_sizes.bytes[i], sizes[i].bytes);
		assert_near(s->read_sizes.share[i], sizes[i].share, 1e-12);
		assert_int_equal(s->write_sizes.bytes[i], sizes[i].bytes);
		assert_near(s->write_sizes.share[i], sizes[i].share, 1e-12);
	}
	assert_int_equal(s->nbands, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_near(s->bands[i].io_share, bands[i][0], 1e-12);
		assert_near(s->bands[i].span_share, bands[i][1], 1e-12);
	}
	assert_true(profile->compress_ratio == 1 && profile->dedupe_ratio == 1);
	assert_string_equal(profile->modelled, "");
}

static void test_spc1(void **state)
{
	static const double weights[] = {59.6, 12.3, 28.1}, shares[] = {.4, .24, .2, .08, .08};
	double reads = 0, sum = 0;

	(void)state;
	load_shipped("spc1-like");
	assert_int_equal(profile->nstreams, 3);
	for (unsigned i = 0; i < 3; i++) {
		const struct io_stream *s = &profile->streams[i];

		assert_near(s->weight, weights[i], 1e-12);
		sum += s->weight;
		reads += s->weight * s->read_share;
		assert_int_equal(s->write_sizes.n, 5);
		for (unsigned k = 0; k < 5; k++) {
			assert_int_equal(s->write_sizes.bytes[k], 4096u << k);
			assert_near(s->write_sizes.share[k], shares[k], 1e-12);
		}
	}
	assert_near(sum, 100, 1e-9);
	assert_near(reads, 39.4, 0.1);
	assert_int_equal(profile->streams[2].pattern, IO_SEQUENTIAL);
	assert_true(profile->modelled[0] != '\0');
}

static void test_databases_in_streams(void **state)
{
	const struct io_stream *s = profile->streams;

	(void)state;
	load_shipped("oltp-log");
	assert_int_equal(profile->nstreams, 2);
	assert_near(mean_kib(&s[0].read_sizes), 0.9 * 8 + 0.1 * 32, 1e-9);
	assert_int_equal(s[1].oio, 1);
	assert_int_equal(s[1].pattern, IO_SEQUENTIAL);
	assert_true(s[1].read_share == 0 && s[1].write_sizes.bytes[0] == 32768);
	load_shipped("oracle-small");
	assert_int_equal(profile->nstreams, 4);
	assert_true(s[0].weight == 65 && s[0].read_share == 1 && s[0].read_sizes.bytes[0] == 8192);
	assert_true(s[1].weight == 15 && s[1].read_share == 0 && s[1].write_sizes.bytes[0] == 8192);
	assert_true(s[2].weight == 10 && s[2].read_share == 1 && s[2].read_sizes.bytes[0] == 65536);
	assert_true(s[3].weight == 10 && s[3].read_share == 0 &&
	            s[3].write_sizes.bytes[0] == 65536);
	assert_true(s[0].pattern == IO_RANDOM && s[1].pattern == IO_RANDOM);
	assert_true(s[2].pattern == IO_SEQUENTIAL && s[3].pattern == IO_SEQUENTIAL);
}

static void test_transactions(void **state)
{
	const struct io_step *steps = profile->txns[0].steps;

	(void)state;
	for (int group = 0; group < 2; group++) {
		load_shipped(group ? "group-commit" : "oltp-commit");
		assert_int_equal(profile->ntxns, 1);
		assert_int_equal(profile->txns[0].nsteps, 3);
		assert_true(steps[0].op == IO_READ && steps[0].count.lo == 4 &&
		            steps[0].count.hi == 4 && !steps[0].parallel);
		assert_int_equal(steps[0].sizes.bytes[0], 8192);
		assert_true(steps[1].op == IO_APPEND && steps[1].sizes.bytes[0] == 4096);
		assert_string_equal(profile->streams[steps[1].region].name, "log");
		assert_true(steps[2].op == IO_FLUSH && steps[2].group == (group == 1));
		assert_true(profile->streams[2].rate_per_s > 0);
		assert_false(profile_reads_only(profile));
	}
	load_shipped("point-read");
	assert_int_equal(profile->txns[0].nsteps, 2);
	assert_true(profile_reads_only(profile));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_stream_errors),
	    cmocka_unit_test(test_profile_errors),
	    cmocka_unit_test(test_values),
	    cmocka_unit_test(test_values_of_twins),
	    cmocka_unit_test(test_all_load),
	    cmocka_unit_test(test_simple),
	    cmocka_unit_test(test_jesd219),
	    cmocka_unit_test(test_spc1),
	    cmocka_unit_test(test_databases_in_streams),
	    cmocka_unit_test(test_transactions),
	};

	return cmocka_run_group_tests_name("profile", tests, set_up, tear_down);
}
