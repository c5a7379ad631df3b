/* SPDX-License-Identifier: MIT */
#include "raw/condition.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/opt.h"
#include "base/strbuf.h"
#include "base/units.h"

#define IO_BYTES     (128u << 10)
#define OIO          32u
#define IO_BYTES_MAX (64u << 20)

/* ---- what was done ---- */

static const char *const names[] = {
    [CONDITION_PURGE] = "purge",
    [CONDITION_FILL] = "fill",
    [CONDITION_INDEPENDENT] = "precondition",
    [CONDITION_DEPENDENT] = "steady_state",
};

static void note(struct condition *c, enum condition_step step, bool done, const char *fmt,
                 va_list args)
{
	struct condition_record *r = &c->steps[step];

	r->done = done;
	vsnprintf(r->how, sizeof(r->how), fmt, args);
}

void condition_done(struct condition *c, enum condition_step step, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	note(c, step, true, fmt, args);
	va_end(args);
}

void condition_skipped(struct condition *c, enum condition_step step, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	note(c, step, false, fmt, args);
	va_end(args);
}

void condition_stamp(const struct condition *c, struct kv *kv)
{
	struct strbuf missing = STRBUF_INIT, line = STRBUF_INIT, one = STRBUF_INIT;

	for (int i = 0; i < CONDITION_STEPS; i++) {
		const struct condition_record *r = &c->steps[i];

		bool wanted = i == CONDITION_DEPENDENT ? c->dependent_asked
		              : i == CONDITION_PURGE   ? true
		                                       : !c->fresh_asked;

		if (!r->done && !wanted)
			continue;
		strbuf_reset(&one);
		if (r->done)
			strbuf_adds(&one, r->how);
		else
			strbuf_addf(&one, "skipped%s%s", r->how[0] != '\0' ? ": " : "", r->how);
		kv_text(kv, names[i], strbuf_str(&one));
		if (!r->done)
			strbuf_addf(&missing, "%s%s", missing.len != 0 ? ", " : "", names[i]);
		else
			strbuf_addf(&line, "; %s: %s", names[i], r->how);
	}
	if (missing.len != 0) {
		kv_text(kv, "unconditioned", strbuf_str(&missing));
		strbuf_reset(&one);
		strbuf_addf(&one, "unconditioned: %s%s", strbuf_str(&missing), strbuf_str(&line));
		kv_text(kv, "conditioning", strbuf_str(&one));
	} else {
		kv_text(kv, "conditioning", strbuf_str(&line) + 2);
	}
	strbuf_fini(&missing);
	strbuf_fini(&line);
	strbuf_fini(&one);
}

/* ---- how much ---- */

struct spec_parse {
	struct condition_spec *spec;
	unsigned nparts;
};

static int add_part(void *ctx, const char *part)
{
	struct spec_parse *parse = ctx;
	struct condition_spec *s = parse->spec;
	size_t len = strlen(part);
	char number[32];
	uint64_t bytes;

	if (parse->nparts++ == 0) {
		if (len >= 2 && len < sizeof(number) && part[len - 1] == 'x') {
			memcpy(number, part, len - 1);
			number[len - 1] = '\0';
			return units_parse_double(number, &s->capacities) != 0 ||
			               !(s->capacities > 0 && s->capacities <= 1000)
			           ? -EINVAL
			           : 0;
		}
		return units_parse_size(part, &s->bytes) != 0 || s->bytes == 0 ? -EINVAL : 0;
	}
	if (strcmp(part, "rand") == 0 || strcmp(part, "seq") == 0) {
		s->random = part[0] == 'r';
		return 0;
	}
	if (units_parse_size(part, &bytes) != 0 || bytes == 0 || bytes % 512 != 0 ||
	    bytes > IO_BYTES_MAX)
		return -EINVAL;
	s->io_bytes = (uint32_t)bytes;
	return 0;
}

int condition_spec_parse(struct condition_spec *s, const char *text, const char *option,
                         struct err *err)
{
	struct condition_spec spec = {.io_bytes = IO_BYTES};
	struct spec_parse parse = {&spec, 0};

	if (strcmp(text, "none") != 0 &&
	    (opt_split(text, add_part, &parse) != 0 || parse.nparts == 0 || parse.nparts > 3))
		return err_usage(err,
		                 "--%s=%s: not an amount of writes; use none, 2x (times the "
		                 "capacity) or 10g, then the size of a write and rand if wanted: "
		                 "2x,4k,rand",
		                 option, text);
	*s = spec;
	return 0;
}

static double wanted_bytes(const struct condition_spec *s, uint64_t target_bytes)
{
	return s->capacities > 0 ? s->capacities * (double)target_bytes : (double)s->bytes;
}

uint64_t condition_writes(const struct condition_spec *s, uint64_t target_bytes)
{
	double n = wanted_bytes(s, target_bytes) / (double)s->io_bytes;

	/* In sequence, a write that does not fit begins anew: what is left is the tail's. */
	if (s->capacities > 0 && s->capacities == floor(s->capacities))
		return (uint64_t)s->capacities * (target_bytes / s->io_bytes);
	return n > 0 && n < 1 ? 1 : (uint64_t)n;
}

bool condition_fills(const struct condition_spec *s, uint64_t target_bytes)
{
	return !s->random && wanted_bytes(s, target_bytes) >= (double)target_bytes;
}

void condition_profile(struct raw_profile *p, const struct condition_spec *s)
{
	struct io_stream *stream = &p->streams[0];

	*p = (struct raw_profile){.name = "condition",
	                          .title = "writes that condition the target",
	                          .oio = OIO,
	                          .compress_ratio = 1,
	                          .dedupe_ratio = 1,
	                          .nstreams = 1};
	*stream = (struct io_stream){.name = "write", .weight = 1};
	stream->write_sizes = (struct io_sizes){.n = 1, .bytes = {s->io_bytes}, .share = {1}};
	stream->read_sizes = stream->write_sizes;
	stream->pattern = s->random ? IO_RANDOM : IO_SEQUENTIAL;
	stream->random_write_share = s->random ? 1 : 0;
}

uint64_t condition_tail(struct raw_profile *p, const struct condition_spec *s,
                        uint64_t target_bytes, uint32_t lba_bytes)
{
	uint64_t rest = target_bytes % s->io_bytes / lba_bytes * lba_bytes;
	struct condition_spec blocks = {.bytes = rest, .io_bytes = lba_bytes};

	if (rest == 0 || !condition_fills(s, target_bytes))
		return 0;
	condition_profile(p, &blocks);
	p->streams[0].offset.bytes = target_bytes / s->io_bytes * s->io_bytes;
	p->streams[0].span.bytes = rest;
	return rest / lba_bytes;
}

char *condition_progress(char *buf, size_t room, const char *what, uint64_t done_bytes,
                         uint64_t total_bytes, uint64_t elapsed_ns)
{
	double elapsed_s = (double)elapsed_ns / 1e9;
	double rate = elapsed_s > 0 ? (double)done_bytes / elapsed_s : 0;
	char done[32], total[32], left[48];
	double left_ns = rate > 0 && total_bytes > done_bytes
	                     ? (double)(total_bytes - done_bytes) / rate * 1e9
	                     : 0;

	units_format_size(done, sizeof(done), done_bytes);
	units_format_size(total, sizeof(total), total_bytes);
	if (done_bytes >= total_bytes)
		snprintf(left, sizeof(left), "0 s");
	else if (rate > 0 && left_ns < 1e18)
		units_format_time(left, sizeof(left), (uint64_t)left_ns);
	else
		snprintf(left, sizeof(left), "unknown time");
	snprintf(buf, room, "%s: %.1f %%, %s of %s, %.0f MB/s, %s left", what,
	         total_bytes != 0 ? 100 * (double)done_bytes / (double)total_bytes : 100, done,
	         total, rate / 1e6, left);
	return buf;
}
