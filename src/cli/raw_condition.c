/* SPDX-License-Identifier: MIT */
#include "cli/raw_condition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "raw/purge.h"

#define LINE_EVERY_S 10u /* where stderr is no terminal */

const struct opt_desc raw_condition_options[] = {
    {.name = "purge",
     .type = OPT_ENUM,
     .def = "none",
     .choices = "none|auto|format|format-crypto|sanitize|sanitize-crypto|discard",
     .help = "free the drive's flash first; with --pts the default is auto, where the drive has a "
             "way"},
    {.name = "fill",
     .type = OPT_BOOL,
     .def = "off",
     .help = "write every address once first, 128K in sequence"},
    {.name = "precondition",
     .type = OPT_STRING,
     .def = "none",
     .help = "write so much first: 2x (times the capacity) or 10g, then if wanted the size of a "
             "write (default 128k) and rand: 2x,4k,rand; with --pts the default is the test's"},
    OPT_END,
};

bool raw_condition_wanted(const struct opt_set *set)
{
	return strcmp(opt_str(set, "purge"), "none") != 0 || opt_bool(set, "fill") ||
	       strcmp(opt_str(set, "precondition"), "none") != 0;
}

/* ---- progress ---- */

struct progress {
	const struct log *log;
	const char *what;
	bool terminal;
	bool shown; /* a line on the terminal that is not ended */
	unsigned calls;
	uint64_t done_bytes, total_bytes;
	double elapsed_s;
};

static void show(struct progress *p, const char *line)
{
	if (p->log->level < LOG_NOTICE)
		return;
	if (p->terminal) {
		fprintf(stderr, "\r%s\033[K", line);
		fflush(stderr);
		p->shown = true;
	} else if (p->calls++ % LINE_EVERY_S == 0) {
		log_notice(p->log, "%s", line);
	}
}

static void end_line(struct progress *p)
{
	if (p->shown)
		fprintf(stderr, "\r\033[K");
	p->shown = false;
}

static void on_interval(void *ctx, const struct run_figures *f)
{
	struct progress *p = ctx;
	char line[256];

	if (f->sum == NULL)
		return;
	p->done_bytes += f->sum->bytes[TALLY_WRITE];
	condition_progress(line, sizeof(line), p->what, p->done_bytes, p->total_bytes,
	                   (uint64_t)(f->end_s * 1e9));
	show(p, line);
}

static void on_purge(void *ctx, double progress, uint64_t elapsed_ns)
{
	struct progress *p = ctx;
	char line[128], elapsed[48], share[24] = "";

	units_format_time(elapsed, sizeof(elapsed), elapsed_ns);
	if (progress >= 0)
		snprintf(share, sizeof(share), " %.0f %%,", 100 * progress);
	snprintf(line, sizeof(line), "purge:%s %s so far", share, elapsed);
	show(p, line);
}

/* ---- writing ---- */

/* `n` I/Os of a profile. 0 or as raw_stage_run; an I/O that failed fails this. */
static int write_some(struct raw_stage *s, const struct raw_profile *profile, uint64_t n,
                      struct progress *progress, struct err *err)
{
	const struct run_sink sink = {.ctx = progress, .interval = on_interval};
	struct run_config config = *s->config;
	struct run_result res = {0};
	struct mix mix;
	int rc;

	config.events = n;
	config.time_ns = RUN_NEVER;
	config.warmup_ns = 0;
	config.drain_ns = RUN_NEVER;
	config.rate_per_s = 0;
	config.ncheckpoints = 0;
	config.interval_ns = 1000000000;
	rc = raw_stage_run(s, profile, &config, &sink, &mix, &res, err);
	end_line(progress);
	progress->elapsed_s += res.total.elapsed_s;
	if (rc == 0 && res.total.sum != NULL && res.total.sum->errors != 0)
		rc = err_run(err, "%s: %llu writes failed while it was conditioned, first: %s",
		             s->target->path, (unsigned long long)res.total.sum->errors,
		             res.total.sum->nerrors != 0 ? res.total.sum->error_list[0].text : "?");
	if (!s->abandoned)
		run_result_fini(&res);
	return rc;
}

/* Writes what a spec says; `how` gets what was done, in words. */
static int write_spec(struct raw_stage *s, const struct condition_spec *spec, const char *what,
                      char *how, size_t room, struct err *err)
{
	struct raw_profile *profile = calloc(1, sizeof(*profile));
	uint64_t size = s->setup.size_bytes, n = condition_writes(spec, size), tail;
	struct progress p = {.log = s->log,
	                     .what = what,
	                     .terminal = isatty(STDERR_FILENO) == 1,
	                     .total_bytes = n * spec->io_bytes};
	char bytes[32], io[32], time[48];
	int rc = 0;

	if (profile == NULL)
		return err_run(err, "%s: out of memory", what);
	condition_profile(profile, spec);
	/* A target smaller than one write has a tail only. */
	if (n != 0)
		rc = write_some(s, profile, n, &p, err);
	tail = rc == 0 ? condition_tail(profile, spec, size, s->setup.lba_bytes) : 0;
	if (tail != 0)
		rc = write_some(s, profile, tail, &p, err);
	free(profile);
	units_format_size(bytes, sizeof(bytes), n * spec->io_bytes + tail * s->setup.lba_bytes);
	units_format_size(io, sizeof(io), spec->io_bytes);
	units_format_time(time, sizeof(time), (uint64_t)(p.elapsed_s * 1e9));
	snprintf(how, room, "%s (%.4g x the capacity) in writes of %s %s, %s", bytes,
	         size != 0 ? (double)(n * spec->io_bytes) / (double)size : 0, io,
	         spec->random ? "at random" : "in sequence", time);
	return rc;
}

/* The reason why nothing can be written, or NULL. */
static const char *no_target(const struct raw_stage *s)
{
	return s->target == NULL ? "the engine has no target" : NULL;
}

int raw_condition_write(struct raw_stage *s, struct condition *c, const char *amount,
                        struct err *err)
{
	bool given = opt_given(s->options, "precondition");
	const char *text = given ? opt_str(s->options, "precondition") : amount;
	struct condition_spec spec;
	char how[200];
	int rc = condition_spec_parse(&spec, text, "precondition", err);

	if (rc != 0)
		return rc;
	if (no_target(s) != NULL || (spec.capacities <= 0 && spec.bytes == 0)) {
		condition_skipped(c, CONDITION_INDEPENDENT, "%s",
		                  no_target(s) != NULL ? no_target(s) : "");
		return 0;
	}
	rc = write_spec(s, &spec, "precondition", how, sizeof(how), err);
	if (rc != 0)
		return rc;
	condition_done(c, CONDITION_INDEPENDENT, "%s", how);
	if (condition_fills(&spec, s->setup.size_bytes))
		condition_done(c, CONDITION_FILL, "by the preconditioning");
	return 0;
}

static int fill(struct raw_stage *s, struct condition *c, struct err *err)
{
	struct condition_spec spec = CONDITION_SPEC_FILL;
	char how[200];
	int rc;

	if (no_target(s) != NULL) {
		condition_skipped(c, CONDITION_FILL, "%s", no_target(s));
		return 0;
	}
	rc = write_spec(s, &spec, "fill", how, sizeof(how), err);
	if (rc == 0)
		condition_done(c, CONDITION_FILL, "%s", how);
	return rc;
}

/* ---- purging ---- */

/* The purged drive may have another block size, and is not the one that was checked. */
static int open_again(struct raw_stage *s, struct err *err)
{
	int rc;

	guard_close(s->target);
	rc = guard_open(s->target, &s->request, err);
	if (rc != 0) {
		/* Nothing is open: whoever closes it must find nothing to close. */
		s->target->fd = s->target->hold_fd = -1;
		return rc;
	}
	raw_stage_resize(s);
	return 0;
}

int raw_condition_purge(struct raw_stage *s, struct condition *c, struct err *err)
{
	bool given = opt_given(s->options, "purge");
	const char *method = given ? opt_str(s->options, "purge") : "auto";
	struct progress p = {
	    .log = s->log, .what = "purge", .terminal = isatty(STDERR_FILENO) == 1};
	struct purge_request q = {.destroy_data = s->request.destroy_data,
	                          .progress = on_purge,
	                          .ctx = &p,
	                          .signal = s->cli->signal};
	struct err own = ERR_INIT;
	enum purge_method done;
	int rc;

	if (strcmp(method, "none") == 0 || s->target == NULL) {
		condition_skipped(c, CONDITION_PURGE, "%s", s->target == NULL ? no_target(s) : "");
		return 0;
	}
	if (!s->target->is_device && !given) {
		condition_skipped(c, CONDITION_PURGE, "the target is a file");
		return 0;
	}
	q.method = (enum purge_method)purge_method_parse(method);
	rc = purge(s->target, &q, &done, &own);
	end_line(&p);
	if (rc == -EINVAL && !given) {
		condition_skipped(c, CONDITION_PURGE, "%s", own.text);
		log_warn(s->log, "purge skipped: %s", own.text);
		return 0;
	}
	if (rc == -EINTR) {
		s->signal = (int)*s->cli->signal;
		return rc;
	}
	if (rc != 0)
		return err_set(err, own.status != 0 ? own.status : EXIT_RUN, "%s", own.text);
	/* What was written before is gone. */
	*c = (struct condition){.dependent_asked = c->dependent_asked};
	condition_done(c, CONDITION_PURGE, "%s", purge_method_name(done));
	return open_again(s, err);
}

int raw_condition(struct raw_stage *s, struct condition *c, struct err *err)
{
	int rc = 0;

	if (opt_given(s->options, "purge"))
		rc = raw_condition_purge(s, c, err);
	if (rc == 0 && opt_bool(s->options, "fill"))
		rc = fill(s, c, err);
	if (rc == 0 && opt_given(s->options, "precondition"))
		rc = raw_condition_write(s, c, "none", err);
	return rc;
}
