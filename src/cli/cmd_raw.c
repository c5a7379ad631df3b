/* SPDX-License-Identifier: MIT */
/* cmd_raw: `ioltp raw TARGET [OPTIONS]`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu.h"
#include "cli/capture.h"
#include "cli/profiles.h"
#include "cli/raw_condition.h"
#include "cli/raw_measure.h"
#include "cli/raw_pts.h"
#include "cli/raw_replay.h"
#include "raw/raw_opt.h"
#include "report/result.h"

/* What the null engine pretends to be. */
#define NULL_SIZE_BYTES (1ull << 40)
#define NULL_LBA_BYTES  512u
/* Slots of a trace: late only when even the drive has no such queue. */
#define REPLAY_OIO 1024u

static const struct opt_desc raw_cli_options[] = {
    CLI_OPTION_HELP,
    {.name = "config-file",
     .type = OPT_FILE,
     .help = "read options from this file, a line name=value each; the command line goes before "
             "it"},
    {.name = "replay-trace",
     .type = OPT_FILE,
     .help = "in place of a profile: every I/O of this trace of --capture at its own time"},
    {.name = "format",
     .type = OPT_ENUM,
     .def = "text",
     .choices = "text|json|csv|none",
     .help = "form of the report on standard output"},
    {.name = "output",
     .type = OPT_STRING,
     .help = "write the JSON result document to this file too"},
    {.name = "show-serial",
     .type = OPT_BOOL,
     .def = "off",
     .help = "show serial numbers of drives as they are, not hashed"},
    {.name = "clock",
     .type = OPT_ENUM,
     .def = "auto",
     .choices = "auto|system",
     .help = "time source: auto is the CPU's time stamp counter where it can be trusted"},
    CLI_OPTION_VERBOSITY,
    OPT_END,
};

struct session {
	const struct cli *cli;
	int argc;
	char **argv;
	struct opt_set *set;
	const char *path; /* of the target; NULL: none */
	struct log log;
	struct clock clock;
	struct raw_profile profile;
	const struct engine_ops *engine;
	struct run_config config;
	struct curve curve;
	struct raw_target target;
	bool opened;
	struct io_plan plan;
	struct raw_stage stage;
	struct raw_pts *pts; /* NULL: no --pts */
	struct raw_replay replay;
	bool replays;
};

/* ---- options ---- */

static int add_options(struct opt_set *set, struct err *err)
{
	static const struct opt_desc percentile = {
	    .name = "percentile", .type = OPT_LIST, .def = "50,90,99,99.9,99.99,99.999"};

	opt_set_add(set, "What is asked of the target", raw_profile_options);
	opt_set_add(set, "How it is done", raw_run_options);
	opt_set_add(set, "State of the target", raw_condition_options);
	opt_set_add(set, "Tests of the SNIA", raw_pts_options);
	opt_set_add(set, "Capture of I/O", capture_options);
	opt_set_add(set, "General options", run_options);
	opt_set_add(set, "Report and command line options", raw_cli_options);
	return opt_set_declare(set, "General options", &percentile, err);
}

/* The first word is "raw"; options may be before it. */
static int read_args(struct session *s, struct err *err)
{
	const char *file;
	bool named = false;

	for (int i = 1; i < s->argc; i++) {
		const char *arg = s->argv[i];
		int rc;

		if (arg[0] == '-' && arg[1] != '\0') {
			rc = opt_parse_arg(s->set, arg, err);
			if (rc == -ENOENT)
				rc = opt_unknown(s->set, arg, err);
			if (rc != 0)
				return rc;
		} else if (!named) {
			named = true;
		} else if (s->path == NULL) {
			s->path = arg;
		} else {
			return err_usage(err,
			                 "%s: one word too many after the target '%s'; options "
			                 "begin with --",
			                 arg, s->path);
		}
	}
	file = opt_str(s->set, "config-file");
	return file != NULL ? opt_load_file(s->set, file, NULL, NULL, err) : 0;
}

static void print_help(const struct session *s)
{
	printf(
	    "ioltp %s: raw I/O on a drive or a file\n\n"
	    "Usage: ioltp raw TARGET [OPTIONS]\n\n"
	    "TARGET is a block device, an NVMe generic device (/dev/ngXnY), or with --file-size a\n"
	    "regular file. Reading needs no more than read permission. Writing destroys data and "
	    "is\n"
	    "refused without --destroy-data and while anything uses the target.\n\nEngines:\n",
	    s->cli->version);
	for (const struct engine_ops *const *e = engine_all(); *e != NULL; e++)
		printf("  %-10s %s\n", (*e)->name, (*e)->help);
	printf("\n");
	opt_print_help(s->set, NULL, stdout);
}

/* What a trace says itself. */
static int settle_replay(struct session *s, const char *trace, struct err *err)
{
	static const char *const foreign[] = {"profile", "rw",   "bs",          "curve",
	                                      "rate",    "span", "warmup-time", "events"};

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		if (opt_given(s->set, foreign[i]))
			return err_usage(
			    err,
			    "--%s: cannot be given with --replay-trace, which says it; drop one",
			    foreign[i]);
	}
	s->replays = true;
	if (!opt_given(s->set, "time"))
		s->config.time_ns = RUN_NEVER;
	s->config.events = 0;
	return raw_replay_load(
	    &s->replay, &s->profile, trace,
	    opt_given(s->set, "oio") ? (unsigned)opt_int(s->set, "oio") : REPLAY_OIO, err);
}

static int settle_profile(struct session *s, struct err *err)
{
	const char *name = opt_str(s->set, "profile");
	int rc;

	if (opt_str(s->set, "replay-trace") != NULL)
		return settle_replay(s, opt_str(s->set, "replay-trace"), err);
	if (name == NULL)
		return profile_from_options(&s->profile, s->set, err);
	rc = profiles_load(&s->profile, name, err);
	return rc == 0 ? profile_apply_options(&s->profile, s->set, err) : rc;
}

/* What describes one run does not go with a test, which describes many. */
static int settle_pts(struct session *s, struct err *err)
{
	static const char *const foreign[] = {"profile",   "replay-trace", "rw",   "bs",
	                                      "rwmixread", "curve",        "rate", "span",
	                                      "zipf",      "warmup-time"};

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		if (opt_given(s->set, foreign[i]))
			return err_usage(
			    err, "--%s: cannot be given with --pts, which says it; drop one",
			    foreign[i]);
	}
	s->pts = calloc(1, sizeof(*s->pts));
	if (s->pts == NULL)
		return err_run(err, "--pts: out of memory");
	return raw_pts_load(s->pts, s->set, err);
}

static int settle_curve(struct session *s, struct err *err)
{
	const char *text = opt_str(s->set, "curve");

	if (text == NULL &&
	    (opt_given(s->set, "curve-max") || opt_given(s->set, "curve-stop-latency")))
		return err_usage(
		    err, "--curve-max, --curve-stop-latency: belong to --curve; give it too");
	if (text == NULL)
		return 0;
	if (s->config.rate_per_s > 0)
		return err_usage(
		    err, "--rate: cannot be given with --curve, which sets rates itself; use "
		         "--curve-max for a known maximum");
	if (s->config.time_ns == RUN_NEVER && s->config.events == 0)
		return err_usage(err, "--time=0: a curve needs an end of each run; give a --time");
	s->curve.stop_latency_ns = opt_time_ns(s->set, "curve-stop-latency");
	return curve_parse(&s->curve, text, err);
}

/* A trace is of one run. */
static int check_capture(const struct session *s, struct err *err)
{
	if (strcmp(opt_str(s->set, "capture"), "off") == 0)
		return 0;
	if (s->pts != NULL || s->curve.n != 0)
		return err_usage(
		    err, "--capture: cannot be given with --%s, which is many runs; drop one",
		    s->pts != NULL ? "pts" : "curve");
	return 0;
}

static int settle_options(struct session *s, struct err *err)
{
	int rc = run_config_from(&s->config, s->set, err);

	s->log.level = (enum log_level)opt_int(s->set, "verbosity");
	if (rc == 0 && opt_str(s->set, "pts") != NULL)
		rc = settle_pts(s, err);
	else if (rc == 0 && (opt_given(s->set, "round-time") || opt_given(s->set, "max-rounds")))
		rc = err_usage(err, "--round-time, --max-rounds: belong to --pts; give it too");
	else if (rc == 0)
		rc = settle_profile(s, err);
	if (rc == 0)
		rc = settle_curve(s, err);
	if (rc == 0)
		rc = check_capture(s, err);
	if (rc != 0)
		return rc;
	s->engine = engine_find(opt_str(s->set, "engine"), err);
	if (s->engine == NULL)
		return -EINVAL;
	if (s->path == NULL && !s->engine->no_target)
		return err_usage(err,
		                 "ioltp raw: no target was named; give a device, or a file with "
		                 "--file-size");
	return 0;
}

/* ---- the run ---- */

static int open_target(struct session *s, struct err *err)
{
	struct guard_request q = {
	    .path = s->path,
	    .write =
	        s->pts != NULL || raw_condition_wanted(s->set) || !profile_reads_only(&s->profile),
	    .destroy_data = opt_str(s->set, "destroy-data"),
	    .file_size_bytes = opt_size_bytes(s->set, "file-size"),
	    .no_direct = !opt_bool(s->set, "direct"),
	};
	int rc;

	s->stage.request = q;
	if (s->engine->no_target)
		return 0;
	rc = guard_open(&s->target, &q, err);
	s->opened = rc == 0;
	if (rc == 0 && !s->target.direct && !s->target.is_nvme_generic &&
	    opt_bool(s->set, "direct"))
		log_warn(&s->log, "%s: no O_DIRECT (%s): the page cache is measured too",
		         s->target.path, s->target.why_not_direct);
	return rc;
}

/* What all runs on the target share. */
static int make_stage(struct session *s, struct err *err)
{
	struct raw_setup *setup = &s->stage.setup;

	s->stage.cli = s->cli;
	s->stage.options = s->set;
	s->stage.clock = &s->clock;
	s->stage.log = &s->log;
	s->stage.config = &s->config;
	*setup = (struct raw_setup){.profile = &s->profile, .lba_bytes = NULL_LBA_BYTES};
	setup->size_bytes = opt_size_bytes(s->set, "file-size");
	if (setup->size_bytes == 0)
		setup->size_bytes = NULL_SIZE_BYTES;
	setup->engine = s->engine;
	setup->iopoll = opt_bool(s->set, "iopoll");
	setup->sqpoll = opt_bool(s->set, "sqpoll");
	setup->workers = (unsigned)opt_int(s->set, "workers");
	setup->rate_per_s = s->config.rate_per_s;
	setup->schedule = s->replays ? &s->replay.schedule : NULL;
	setup->cpus = cpu_available();
	s->stage.target = s->opened ? &s->target : NULL;
	raw_stage_resize(&s->stage);
	return raw_delay_parse(&setup->null_latency, opt_str(s->set, "null-latency"),
	                       "null-latency", err);
}

static int run_pts(struct session *s)
{
	s->pts->stage = &s->stage;
	s->pts->argc = s->argc;
	s->pts->argv = s->argv;
	return raw_pts_run(s->pts);
}

/* One run, or a curve, on the target as it is or was conditioned. */
static int run_once(struct session *s, struct err *err)
{
	const struct raw_setup *setup = &s->stage.setup;
	struct condition condition = {0};
	struct kv provenance = KV_INIT;
	struct raw_measure m = {.cli = s->cli,
	                        .options = s->set,
	                        .clock = &s->clock,
	                        .log = &s->log,
	                        .argc = s->argc,
	                        .argv = s->argv,
	                        .plan = &s->plan,
	                        .config = &s->config};
	int rc, status;

	/* Before hours of conditioning: would the run itself begin? */
	rc = profile_check(&s->profile, setup->size_bytes, setup->lba_bytes, err);
	if (rc == 0)
		rc = raw_condition(&s->stage, &condition, err);
	if (s->stage.abandoned) {
		log_err(&s->log, err);
		fflush(NULL);
		_exit(EXIT_RUN);
	}
	if (rc == -EINTR)
		return 128 + s->stage.signal;
	if (rc == 0 && s->replays)
		rc = raw_replay_fit(&s->replay, setup->size_bytes, setup->lba_bytes, &s->log, err);
	/* A purge may have changed the block size. */
	if (rc != 0 || profile_check(&s->profile, setup->size_bytes, setup->lba_bytes, err) != 0 ||
	    raw_plan_init(&s->plan, setup, err) != 0)
		return err->status;
	s->config.threads = s->plan.workers;
	m.replay = s->replays ? &s->replay : NULL;
	m.curve = s->curve.n != 0 ? &s->curve : NULL;
	m.curve_max_per_s = opt_double(s->set, "curve-max");
	m.size_bytes = setup->size_bytes;
	m.lba_bytes = setup->lba_bytes;
	if (s->opened) {
		condition_stamp(&condition, &provenance);
		m.provenance = &provenance;
	}
	status = raw_measure_run(&m);
	kv_fini(&provenance);
	return status;
}

static int perform(struct session *s, struct err *err)
{
	if (settle_options(s, err) != 0 || open_target(s, err) != 0 || make_stage(s, err) != 0)
		return err->status;
	return s->pts != NULL ? run_pts(s) : run_once(s, err);
}

static bool lists_profiles(const struct session *s)
{
	const char *name = opt_str(s->set, "profile");

	return name != NULL && strcmp(name, "list") == 0;
}

int cmd_raw(const struct cli *cli, int argc, char **argv)
{
	struct session *s = calloc(1, sizeof(*s));
	struct err err = ERR_INIT;
	int status = EXIT_USAGE;

	if (s != NULL)
		s->set = opt_set_new();
	if (s == NULL || s->set == NULL) {
		log_error(NULL, "out of memory");
		free(s);
		return EXIT_RUN;
	}
	s->cli = cli;
	s->argc = argc;
	s->argv = argv;
	s->log.level = LOG_NOTICE;
	if (add_options(s->set, &err) == 0 && read_args(s, &err) == 0) {
		if (opt_bool(s->set, "help")) {
			print_help(s);
			status = EXIT_OK;
		} else if (lists_profiles(s)) {
			status = profiles_list(stdout, &err) == 0 ? EXIT_OK : EXIT_USAGE;
		} else {
			clock_init(&s->clock, strcmp(opt_str(s->set, "clock"), "system") == 0
			                          ? CLOCK_KIND_SYSTEM
			                          : CLOCK_KIND_TSC);
			status = perform(s, &err);
		}
	}
	if (err_is_set(&err)) {
		log_err(&s->log, &err);
		status = err.status;
	}
	raw_plan_fini(&s->plan);
	raw_replay_fini(&s->replay);
	if (s->pts != NULL)
		raw_pts_fini(s->pts);
	free(s->pts);
	if (s->opened)
		guard_close(&s->target);
	opt_set_free(s->set);
	free(s);
	return status;
}
