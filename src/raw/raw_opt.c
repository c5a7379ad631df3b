/* SPDX-License-Identifier: MIT */
#include "raw/raw_opt.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/units.h"

#define OIO_DEFAULT "32"

const struct opt_desc raw_profile_options[] = {
    {"profile", OPT_STRING, NULL, NULL,
     .help = "A bundled profile, the path of one, or list; instead of the options below that "
             "describe I/O"},
    {"transactions", OPT_BOOL, "on", NULL,
     .help = "Run the transactions of the profile; off: its streams by weight, and nothing in the "
             "background"},
    {"rw", OPT_ENUM, "randread", .choices = "read|write|randread|randwrite|rw|readwrite|randrw",
     .help = "Direction, in sequence or (rand...) at random"},
    {"rwmixread", OPT_DOUBLE, "50", "0..100", .unit = "per cent",
     .help = "Share of reads of rw and randrw, kept exactly"},
    {"bs", OPT_STRING, "4k", NULL,
     .help = "Size of an I/O, or sizes with their shares in per cent: 4k/40,8k/60"},
    {"bs-write", OPT_STRING, NULL, NULL, .help = "The same for writes, where it differs"},
    {"oio", OPT_INT, OIO_DEFAULT, "1..65536", .unit = "I/Os",
     .help = "Outstanding I/Os of all workers together; or clients of transactions"},
    {"offset", OPT_STRING, "0", NULL,
     .help = "Begin of the used part: a size, or N% of the target"},
    {"span", OPT_STRING, "100%", NULL,
     .help = "Length of the used part: a size, or N% of the target; cut to what is there behind "
             "--offset when it is not given"},
    {"align", OPT_SIZE, NULL, "512..1G",
     .help = "Random I/Os begin at multiples of this; default is their own size"},
    {"percentage-random", OPT_DOUBLE, "100", "0..100", .unit = "per cent",
     .help = "Random share of randread, randwrite and randrw; the rest is in sequence"},
    {"stride", OPT_SIZE, NULL, "512..1T",
     .help = "In place of random: one I/O every so many bytes"},
    {"zipf", OPT_DOUBLE, NULL, "0..10",
     .help = "In place of uniform random: zipfian with this exponent, hot places scattered"},
    {"bands", OPT_STRING, NULL, NULL,
     .help = "In place of uniform random: shares of I/O and of the span in per cent, as "
             "50/5,30/15,20/80"},
    {"flush-every", OPT_INT, "0", "0..1000000000", .unit = "writes",
     .help = "Flush after every so many writes; 0 is never"},
    {"fua", OPT_BOOL, "off", NULL, .help = "Each write is durable before it is done"},
    {"think", OPT_STRING, "none", NULL,
     .help = "Time between an I/O and the next in its place: none, fixed:TIME, exp:MEAN or "
             "uniform:MIN-MAX"},
    {"compress-ratio", OPT_DOUBLE, "1", "1..64",
     .help = "What is written shrinks by this; 1: not at all"},
    {"dedupe-ratio", OPT_DOUBLE, "1", "1..64",
     .help = "One block of 4 KiB written in so many is new; 1: all are"},
    OPT_END,
};

const struct opt_desc raw_run_options[] = {
    {"engine", OPT_STRING, "uring", NULL,
     .help = "How I/O is done: uring, uring_cmd (NVMe commands to /dev/ngXnY), sync (threads), "
             "null (none)"},
    {"workers", OPT_INT, NULL, "1..1024", .unit = "threads",
     .help = "Threads that --oio is spread over; default: enough for the rate, at most the CPUs"},
    {"destroy-data", OPT_STRING, NULL, NULL,
     .help = "Allow writing to the drive with this serial number, or to the regular file with this "
             "path: what is on it is lost"},
    {"file-size", OPT_SIZE, NULL, "4K..",
     .help = "The target is a regular file, made or grown to this size"},
    {"direct", OPT_BOOL, "on", NULL, .help = "Ask for O_DIRECT; off measures the page cache"},
    {"iopoll", OPT_BOOL, "off", NULL, .help = "io_uring polls the drive for completions (IOPOLL)"},
    {"sqpoll", OPT_BOOL, "off", NULL,
     .help = "A kernel thread for each worker polls for submissions (SQPOLL)"},
    {"null-latency", OPT_STRING, "none", NULL,
     .help = "Time of each I/O of the null engine: none, fixed:TIME, exp:MEAN or uniform:MIN-MAX"},
    {"curve", OPT_STRING, NULL, NULL,
     .help = "Find the maximum, then run at these per cents of it: FROM-TO,STEP or a list, as "
             "10-120,10"},
    {"curve-max", OPT_DOUBLE, NULL, "0.001..1e9", .unit = "per s",
     .help = "Take this as the maximum instead of finding it"},
    {"curve-stop-latency", OPT_TIME, NULL, NULL,
     .help = "End the curve with the point whose mean response time is above this"},
    OPT_END,
};

/* ---- values ---- */

static int parse_uniform(struct delay *d, const char *range)
{
	const char *dash = strchr(range, '-');
	char low[64];
	uint64_t lo_ns, hi_ns;

	if (dash == NULL || (size_t)(dash - range) >= sizeof(low))
		return -EINVAL;
	memcpy(low, range, (size_t)(dash - range));
	low[dash - range] = '\0';
	if (units_parse_time(low, &lo_ns) != 0 || units_parse_time(dash + 1, &hi_ns) != 0 ||
	    lo_ns > hi_ns)
		return -EINVAL;
	*d = (struct delay){
	    .kind = DELAY_UNIFORM, .lo_s = (double)lo_ns / 1e9, .hi_s = (double)hi_ns / 1e9};
	return 0;
}

int raw_delay_parse(struct delay *d, const char *text, const char *option, struct err *err)
{
	uint64_t mean_ns;

	*d = (struct delay){.kind = DELAY_NONE};
	if (strcmp(text, "none") == 0)
		return 0;
	if (strncmp(text, "uniform:", 8) == 0 && parse_uniform(d, text + 8) == 0)
		return 0;
	if (strncmp(text, "fixed:", 6) == 0 && units_parse_time(text + 6, &mean_ns) == 0)
		*d = (struct delay){.kind = DELAY_FIXED, .mean_s = (double)mean_ns / 1e9};
	else if (strncmp(text, "exp:", 4) == 0 && units_parse_time(text + 4, &mean_ns) == 0)
		*d = (struct delay){.kind = DELAY_EXPONENTIAL, .mean_s = (double)mean_ns / 1e9};
	else
		return err_usage(
		    err, "--%s=%s: not a delay; use none, fixed:5ms, exp:5ms or uniform:1ms-5ms",
		    option, text);
	return 0;
}

/* "N%" as a share; -EINVAL when it is none, or beyond 100. */
static int parse_share(const char *text, double *share)
{
	size_t len = strlen(text);
	char number[32];

	if (len < 2 || len >= sizeof(number) || text[len - 1] != '%')
		return -EINVAL;
	memcpy(number, text, len - 1);
	number[len - 1] = '\0';
	if (units_parse_double(number, share) != 0 || *share < 0 || *share > 100)
		return -EINVAL;
	*share /= 100;
	return 0;
}

int raw_extent_parse(struct io_extent *e, const char *text, const char *option, struct err *err)
{
	*e = (struct io_extent){0};
	if (parse_share(text, &e->share) == 0) {
		e->is_share = true;
		return 0;
	}
	if (units_parse_size(text, &e->bytes) == 0)
		return 0;
	return err_usage(err, "--%s=%s: neither a size nor a share; write 10G or 25%%", option,
	                 text);
}

/* "A/B" into two numbers. */
static int parse_pair(const char *item, char *first, size_t room, double *second)
{
	const char *slash = strchr(item, '/');

	if (slash == NULL || (size_t)(slash - item) >= room)
		return -EINVAL;
	memcpy(first, item, (size_t)(slash - item));
	first[slash - item] = '\0';
	return units_parse_double(slash + 1, second) != 0 || *second < 0 ? -EINVAL : 0;
}

struct sizes_parse {
	struct io_sizes *sizes;
	const char *option;
	double sum;
	struct err *err;
};

static int add_size(void *ctx, const char *item)
{
	struct sizes_parse *parse = ctx;
	struct io_sizes *s = parse->sizes;
	uint64_t bytes;
	double share = 100;
	char size[32];

	if (s->n == PROFILE_SIZES_MAX)
		return err_usage(parse->err, "--%s: more than %u sizes; give fewer", parse->option,
		                 PROFILE_SIZES_MAX);
	if (strchr(item, '/') == NULL)
		snprintf(size, sizeof(size), "%s", item);
	else if (parse_pair(item, size, sizeof(size), &share) != 0)
		size[0] = '\0';
	if (units_parse_size(size, &bytes) != 0 || bytes == 0 || bytes > 1u << 30)
		return err_usage(parse->err,
		                 "--%s: '%s' is not a size of 1 byte to 1 GiB; write 8k, or shares "
		                 "as 4k/40,8k/60",
		                 parse->option, item);
	s->bytes[s->n] = (uint32_t)bytes;
	s->share[s->n++] = share / 100;
	parse->sum += share;
	return 0;
}

int io_sizes_parse(struct io_sizes *s, const char *text, const char *option, struct err *err)
{
	struct sizes_parse parse = {s, option, 0, err};
	int rc;

	*s = (struct io_sizes){0};
	rc = opt_split(text, add_size, &parse);
	if (rc != 0)
		return rc;
	if (s->n == 0)
		return err_usage(err, "--%s: is empty; give a size", option);
	if (fabs(parse.sum - 100) > 1e-6)
		return err_usage(err,
		                 "--%s=%s: the shares add up to %g and not to 100; correct them",
		                 option, text, parse.sum);
	return 0;
}

struct bands_parse {
	struct io_stream *stream;
	double io_sum, span_sum;
	struct err *err;
};

static int add_band(void *ctx, const char *item)
{
	struct bands_parse *parse = ctx;
	struct io_stream *s = parse->stream;
	double io, span;
	char first[32];

	if (s->nbands == PROFILE_BANDS_MAX)
		return err_usage(parse->err, "--bands: more than %u; give fewer",
		                 PROFILE_BANDS_MAX);
	if (parse_pair(item, first, sizeof(first), &span) != 0 ||
	    units_parse_double(first, &io) != 0 || io < 0 || span <= 0)
		return err_usage(
		    parse->err,
		    "--bands: '%s' is not SHARE_OF_IO/SHARE_OF_SPAN in per cent; write "
		    "50/5,30/15,20/80",
		    item);
	s->bands[s->nbands].io_share = io / 100;
	s->bands[s->nbands++].span_share = span / 100;
	parse->io_sum += io;
	parse->span_sum += span;
	return 0;
}

static int parse_bands(struct io_stream *s, const char *text, struct err *err)
{
	struct bands_parse parse = {s, 0, 0, err};
	int rc = opt_split(text, add_band, &parse);

	if (rc != 0)
		return rc;
	if (fabs(parse.io_sum - 100) > 1e-6 || fabs(parse.span_sum - 100) > 1e-6)
		return err_usage(
		    err,
		    "--bands=%s: the shares of I/O add up to %g and those of the span to %g, "
		    "and not to 100; correct them",
		    text, parse.io_sum, parse.span_sum);
	return 0;
}

/* ---- the profile ---- */

static int set_pattern(struct io_stream *s, const struct opt_set *set, struct err *err)
{
	const char *rw = opt_str(set, "rw");
	bool random = strncmp(rw, "rand", 4) == 0;
	int others = opt_given(set, "stride") + opt_given(set, "zipf") + opt_given(set, "bands");

	if (others > 1)
		return err_usage(
		    err, "--stride, --zipf, --bands: only one of them can be; drop the others");
	if (others != 0 && !random)
		return err_usage(
		    err,
		    "--rw=%s: is in sequence, which --stride, --zipf and --bands are not; "
		    "use a --rw=rand...",
		    rw);
	s->pattern = random ? IO_RANDOM : IO_SEQUENTIAL;
	s->random_read_share = s->random_write_share = opt_double(set, "percentage-random") / 100;
	s->read_share = opt_double(set, "rwmixread") / 100;
	if (strcmp(rw, "read") == 0 || strcmp(rw, "randread") == 0)
		s->read_share = 1;
	else if (strcmp(rw, "write") == 0 || strcmp(rw, "randwrite") == 0)
		s->read_share = 0;
	if (opt_given(set, "stride")) {
		s->pattern = IO_STRIDED;
		s->stride_bytes = opt_size_bytes(set, "stride");
	}
	if (opt_given(set, "zipf")) {
		s->pattern = IO_ZIPFIAN;
		s->zipf_exponent = opt_double(set, "zipf");
	}
	if (opt_given(set, "bands")) {
		s->pattern = IO_BANDS;
		return parse_bands(s, opt_str(set, "bands"), err);
	}
	return 0;
}

static int set_extents(struct io_stream *s, const struct opt_set *set, struct err *err)
{
	int rc = raw_extent_parse(&s->offset, opt_str(set, "offset"), "offset", err);

	s->span = (struct io_extent){0};
	if (rc == 0 && opt_given(set, "span"))
		rc = raw_extent_parse(&s->span, opt_str(set, "span"), "span", err);
	if (rc == 0 && opt_given(set, "span") && s->span.bytes == 0 && s->span.share <= 0)
		return err_usage(err, "--span=%s: is nothing; give more", opt_str(set, "span"));
	return rc;
}

int profile_from_options(struct raw_profile *p, const struct opt_set *set, struct err *err)
{
	const char *bs_write = opt_str(set, "bs-write");
	struct io_stream *s = &p->streams[0];
	int rc;

	*p = (struct raw_profile){.nstreams = 1, .oio = (unsigned)opt_int(set, "oio")};
	p->compress_ratio = opt_double(set, "compress-ratio");
	p->dedupe_ratio = opt_double(set, "dedupe-ratio");
	snprintf(p->name, sizeof(p->name), "%s", opt_str(set, "rw"));
	snprintf(s->name, sizeof(s->name), "%s", opt_str(set, "rw"));
	s->weight = 1;
	s->align_bytes = (uint32_t)opt_size_bytes(set, "align");
	s->flush_every = (double)opt_int(set, "flush-every");
	s->fua = opt_bool(set, "fua");
	rc = set_pattern(s, set, err);
	if (rc == 0)
		rc = io_sizes_parse(&s->read_sizes, opt_str(set, "bs"), "bs", err);
	s->write_sizes = s->read_sizes;
	if (rc == 0 && bs_write != NULL)
		rc = io_sizes_parse(&s->write_sizes, bs_write, "bs-write", err);
	if (rc == 0)
		rc = set_extents(s, set, err);
	if (rc == 0)
		rc = raw_delay_parse(&s->think, opt_str(set, "think"), "think", err);
	return rc;
}

int profile_apply_options(struct raw_profile *p, const struct opt_set *set, struct err *err)
{
	static const char *const foreign[] = {
	    "rw",     "rwmixread", "bs",    "bs-write",
	    "offset", "span",      "align", "percentage-random",
	    "stride", "zipf",      "bands", "flush-every",
	    "fua",    "think",
	};

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		if (opt_given(set, foreign[i]))
			return err_usage(
			    err,
			    "--%s: cannot be given with --profile, which says it; copy "
			    "the profile and change that",
			    foreign[i]);
	}
	if (!opt_bool(set, "transactions"))
		profile_drop_transactions(p);
	if (opt_given(set, "oio"))
		p->oio = (unsigned)opt_int(set, "oio");
	if (opt_given(set, "compress-ratio"))
		p->compress_ratio = opt_double(set, "compress-ratio");
	if (opt_given(set, "dedupe-ratio"))
		p->dedupe_ratio = opt_double(set, "dedupe-ratio");
	return 0;
}
