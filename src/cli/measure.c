/* SPDX-License-Identifier: MIT */
#include "cli/measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/capture.h"
#include "report/result.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

/* State of the sink. */
struct reports {
	const struct measure *m;
	struct result result;
	struct rep_json *json;   /* NULL: neither wanted on stdout nor as a file */
	struct capture *capture; /* NULL: off */
	enum format format;
	bool quiet;      /* --verbosity below that of reports: only what the script prints */
	int write_errno; /* first failure to write standard output */
	struct err err;  /* first failure of the document or of a hook */
};

static void note(struct reports *r, int rc)
{
	if (rc != 0 && r->write_errno == 0)
		r->write_errno = -rc;
}

static bool is_text(const struct reports *r)
{
	return r->format == FORMAT_TEXT && !r->quiet;
}

/* When all threads are ready, and again as long as a script has not connected: some do in their
 * first event. */
static void collect_facts(struct reports *r)
{
	struct script *s = r->m->script;
	const char *path;

	if (r->result.driver != NULL)
		return;
	if (!script_facts(s, &r->result.driver, &r->result.database, &r->result.durable))
		return;
	if (strcmp(r->result.driver, "sqlite") == 0) {
		path = opt_str(r->m->options, "sqlite-path");
		facts_device(&r->result.device, path, r->result.show_serial);
	}
}

static void on_started(void *ctx)
{
	struct reports *r = ctx;

	/* Now, and not at the end: a server that dies meanwhile takes its facts along. */
	collect_facts(r);
	capture_started(r->capture, &r->result.database);
	if (!is_text(r))
		return;
	printf("Threads started!\n\n");
	fflush(stdout);
}

static void add_hash(struct reports *r)
{
	uint64_t hash = script_hash(r->m->script);
	char text[24];

	if (hash == 0)
		return;
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)hash);
	kv_text(&r->result.database, "statement_hash", text);
}

static void on_interval(void *ctx, const struct run_figures *f)
{
	struct reports *r = ctx;

	collect_facts(r);
	if (r->json != NULL)
		note(r, rep_json_interval(r->json, &r->result, f));
	/* A hook, as the text, is for whole intervals: a part of one would mislead on a screen. */
	if (f->whole && script_report(r->m->script, f, r->m->config, false, &r->err))
		return;
	if (is_text(r))
		note(r, rep_text_interval(&r->result, f, stdout));
	else if (r->format == FORMAT_CSV)
		note(r, rep_csv_interval(&r->result, f, stdout));
}

static void on_checkpoint(void *ctx, const struct run_figures *f)
{
	struct reports *r = ctx;

	collect_facts(r);
	if (script_report(r->m->script, f, r->m->config, true, &r->err)) {
		script_reports_end(r->m->script);
		return;
	}
	if (is_text(r))
		note(r, rep_text_checkpoint(&r->result, f, stdout));
}

static void print_head(const struct measure *m)
{
	const struct run_config *c = m->config;

	printf("ioltp %s (using system %s)\n\nRunning the test with following options:\n",
	       m->cli->version, script_luajit_version());
	printf("Number of threads: %u\n", c->threads);
	if (c->warmup_ns != 0)
		printf("Warmup time: %gs\n", (double)c->warmup_ns / 1e9);
	if (c->rate_per_s > 0)
		printf("Target transaction rate: %g/sec\n", c->rate_per_s);
	if (c->interval_ns != 0)
		printf("Report intermediate results every %g second(s)\n",
		       (double)c->interval_ns / 1e9);
	if (c->ncheckpoints != 0) {
		printf("Report checkpoint(s) at");
		for (unsigned i = 0; i < c->ncheckpoints; i++)
			printf("%s %g", i != 0 ? "," : "", (double)c->checkpoints_ns[i] / 1e9);
		printf(" seconds\n");
	}
	if (c->seed_given)
		printf("Initializing random number generator from seed (%llu).\n",
		       (unsigned long long)c->seed);
	else
		printf("Initializing random number generator from current time\n");
	printf("\n\nInitializing worker threads...\n\n");
	fflush(stdout);
}

static int open_capture(struct reports *r)
{
	struct opt_set *options = r->m->options;
	struct capture_subject s = {.options = options,
	                            .clock = r->m->clock,
	                            .log = r->m->log,
	                            .driver = opt_str(options, "db-driver"),
	                            .needs_trace = opt_bool(options, "twin")};

	if (strcmp(s.driver, "sqlite") == 0)
		s.path = opt_str(options, "sqlite-path");
	return capture_new(&r->capture, &s, &r->err);
}

/* What is known before the start. 0, or -errno with r->err. */
static int reports_open(struct reports *r, const struct measure *m)
{
	const char *format = opt_str(m->options, "format");
	const char *path = opt_str(m->options, "output");
	int rc = 0;

	*r = (struct reports){.m = m};
	result_init(&r->result);
	r->format = strcmp(format, "json") == 0  ? FORMAT_JSON
	            : strcmp(format, "csv") == 0 ? FORMAT_CSV
	                                         : FORMAT_TEXT;
	r->quiet = opt_int(m->options, "verbosity") < LOG_NOTICE;
	r->result.version = m->cli->version;
	r->result.kind = "sql";
	r->result.workload = m->workload;
	r->result.command_line = result_command_line(m->argc, m->argv, m->options);
	r->result.options = m->options;
	r->result.config = m->config;
	r->result.lua_states = m->script != NULL ? m->script->nvms : 0;
	r->result.mix = &m->script->mix;
	r->result.compat_1_1 = strcmp(opt_str(m->options, "compat"), "1.1") == 0;
	r->result.debug_histogram = opt_bool(m->options, "histogram");
	r->result.show_serial = opt_bool(m->options, "show-serial");
	facts_host(&r->result.host);
	/* Before the run: a bad path must not cost the measurement. */
	if (path != NULL || r->format == FORMAT_JSON)
		rc = rep_json_open(&r->json, path, &r->err);
	return rc == 0 ? open_capture(r) : rc;
}

static void name_targets(struct reports *r, const struct run_result *run)
{
	unsigned n = run->ntargets;

	if (n == 0)
		return;
	r->result.targets = calloc(n, sizeof(*r->result.targets));
	for (unsigned i = 0; r->result.targets != NULL && i < n; i++) {
		struct strbuf name = STRBUF_INIT;

		script_targets(r->m->script, i, &name);
		r->result.targets[i] = strbuf_take(&name);
		if (r->result.targets[i] == NULL)
			return;
		r->result.ntargets++;
	}
}

/* Who reads what a script prints wants nothing else behind it: warnings go to standard error. */
static void end_own_report(struct reports *r)
{
	script_reports_end(r->m->script);
	for (unsigned i = 0; i < r->result.warnings.n; i++)
		log_warn(r->m->log, "%s", r->result.warnings.texts[i]);
}

static void write_final(struct reports *r, const struct run_result *run)
{
	struct err err = ERR_INIT;
	bool own;

	r->result.run = run;
	collect_facts(r);
	name_targets(r, run);
	result_judge(&r->result);
	script_reports_end(r->m->script);
	own = script_report(r->m->script, &run->last, r->m->config, true, &r->err);
	if (own)
		end_own_report(r);
	else if (is_text(r))
		note(r, rep_text_final(&r->result, stdout));
	if (r->format == FORMAT_CSV)
		note(r, rep_csv_final(&r->result, stdout));
	if (r->json != NULL &&
	    rep_json_final(r->json, &r->result, r->format == FORMAT_JSON ? stdout : NULL, &err) !=
	        0 &&
	    !err_is_set(&r->err))
		r->err = err;
	if (fflush(stdout) != 0)
		note(r, -errno);
}

/* The exit status, after saying what went wrong. */
static int conclude(struct reports *r, const struct run_result *run)
{
	int status = EXIT_OK;

	if (err_is_set(&run->err)) {
		log_err(r->m->log, &run->err);
		status = run->err.status;
	}
	if (err_is_set(&r->err)) {
		log_err(r->m->log, &r->err);
		status = r->err.status;
	}
	if (r->write_errno != 0) {
		log_error(r->m->log,
		          "standard output: the report could not be written: %s; send it elsewhere",
		          strerror(r->write_errno));
		status = EXIT_RUN;
	}
	if (status == EXIT_OK && run->signal != 0)
		status = 128 + run->signal;
	return status;
}

static int run_phases(struct reports *r, struct run *run, struct run_result *res)
{
	struct script *s = r->m->script;
	int rc;

	*res = (struct run_result){.end = RUN_END_ERROR, .partial = true};
	capture_attach(r->capture, run);
	rc = script_init(s, &res->err);
	if (rc != 0)
		return rc;
	rc = run_execute(run, res);
	if (res->abandoned)
		return rc;
	if (script_done(s, &r->err) != 0 && rc == 0)
		rc = -EIO;
	return rc;
}

int measure_run(const struct measure *m)
{
	struct reports r;
	const struct run_sink sink = {&r, on_interval, on_checkpoint, on_started};
	struct run run = {.config = *m->config,
	                  .clock = m->clock,
	                  .log = m->log,
	                  .ops = &script_run_ops,
	                  .ops_ctx = m->script,
	                  .sink = &sink,
	                  .mix = &m->script->mix,
	                  .signal = m->cli->signal};
	struct run_result res;
	int status;

	if (reports_open(&r, m) != 0) {
		log_err(m->log, &r.err);
		status = r.err.status;
		rep_json_close(r.json);
		result_fini(&r.result);
		return status;
	}
	if (is_text(&r))
		print_head(m);
	else if (r.format == FORMAT_CSV)
		note(&r, rep_csv_header(&r.result, stdout));
	run_phases(&r, &run, &res);
	/* Without a measured window there is nothing to report but why. */
	if (res.sum != NULL) {
		capture_finish(r.capture, &res, &r.result);
		add_hash(&r);
		write_final(&r, &res);
	}
	status = conclude(&r, &res);
	if (res.abandoned) {
		/* Threads that hang in a call cannot be joined, and what they hold cannot be freed
		 * under them. */
		fflush(NULL);
		_exit(status);
	}
	rep_json_close(r.json);
	capture_free(r.capture);
	run_result_fini(&res);
	result_fini(&r.result);
	return status;
}
