/* SPDX-License-Identifier: MIT */
/* cmd_twin: `ioltp twin RESULT [OPTIONS]`. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/twin.h"
#include "raw/engine.h"

static const struct opt_desc twin_options[] = {
    {"trace", OPT_FILE, NULL, NULL,
     .help = "The trace of the run; default: the one that the result names"},
    {"profile-out", OPT_STRING, NULL, NULL,
     .help = "Write the profile to this file; default: NAME.twin.lua beside the result NAME.json"},
    {"replay", OPT_STRING, "pace,capability,saturation", NULL,
     .help = "Which replays to run: pace, capability, saturation, trace (every I/O at its own "
             "time), as a list, or none; --replay alone is trace"},
    {"units", OPT_STRING, "io,transaction", NULL,
     .help = "What pace, capability and saturation are made of: io, transaction, or both"},
    {"time", OPT_TIME, "10", "1ms..", .help = "Length of each replay"},
    {"warmup-time", OPT_TIME, "2", NULL, .help = "Time before each that is not measured"},
    {"target", OPT_STRING, NULL, NULL,
     .help = "Where the replays go: a spare device, or a file; default: a file made beside the "
             "database"},
    {"target-size", OPT_SIZE, NULL, "1M..",
     .help = "Size of the file; default: of the addresses that the application used, as far as "
             "there is room"},
    {"destroy-data", OPT_STRING, NULL, NULL,
     .help = "Allow writing to the drive with this serial number, or to the file with this path, "
             "that --target names: what is on it is lost"},
    {"keep", OPT_BOOL, "off", NULL, .help = "Leave the file that was made for the replays"},
    {"engine", OPT_STRING, "uring", NULL,
     .help = "How I/O is done: uring, uring_cmd, sync, null (none, and no target)"},
    {"direct", OPT_BOOL, "on", NULL, .help = "Ask for O_DIRECT; off measures the page cache"},
    {"null-latency", OPT_STRING, NULL, NULL,
     .help = "Time of each I/O of the null engine: none, fixed:TIME, exp:MEAN or uniform:MIN-MAX"},
    OPT_END,
};

static const struct opt_desc twin_cli_options[] = {
    CLI_OPTION_HELP,
    {.name = "output",
     .type = OPT_STRING,
     .help = "write the twin document, with the whole result of each replay, to this file"},
    CLI_OPTION_VERBOSITY,
    OPT_END,
};

static const char *const replay_names[] = {"pace", "capability", "saturation", "trace"};

static int read_args(struct twin *t, int argc, char **argv, const char **result, struct err *err)
{
	bool named = false;

	for (int i = 1; i < argc; i++) {
		const char *arg = argv[i];
		int rc;

		if (strcmp(arg, "--replay") == 0)
			arg = "--replay=trace";
		else if (strcmp(arg, "--no-replay") == 0)
			arg = "--replay=none";
		if (arg[0] == '-' && arg[1] != '\0') {
			rc = opt_parse_arg(t->options, arg, err);
			if (rc == -ENOENT)
				rc = opt_unknown(t->options, arg, err);
			if (rc != 0)
				return rc;
		} else if (!named) {
			named = true;
		} else if (*result == NULL) {
			*result = arg;
		} else {
			return err_usage(err,
			                 "%s: one word too many after the result '%s'; options "
			                 "begin with --",
			                 arg, *result);
		}
	}
	return 0;
}

struct words {
	struct twin *t;
	const char *option;
	struct err *err;
};

static int add_replay(void *ctx, const char *item)
{
	struct words *w = ctx;

	for (unsigned i = 0; i < sizeof(replay_names) / sizeof(replay_names[0]); i++) {
		if (strcmp(item, replay_names[i]) == 0) {
			w->t->replays |= 1u << i;
			return 0;
		}
	}
	return strcmp(item, "none") == 0
	           ? 0
	           : err_usage(
	                 w->err,
	                 "--replay=%s: is no replay; give pace, capability, saturation, trace "
	                 "or none",
	                 item);
}

static int add_unit(void *ctx, const char *item)
{
	struct words *w = ctx;

	if (strcmp(item, "io") == 0)
		w->t->ios = true;
	else if (strcmp(item, "transaction") == 0)
		w->t->transactions = true;
	else
		return err_usage(w->err, "--units=%s: is no unit; give io, transaction or both",
		                 item);
	return 0;
}

static int settle_options(struct twin *t, struct err *err)
{
	struct words w = {.t = t, .err = err};
	int rc;

	t->log.level = (enum log_level)opt_int(t->options, "verbosity");
	rc = opt_split(opt_str(t->options, "replay"), add_replay, &w);
	if (rc == 0)
		rc = opt_split(opt_str(t->options, "units"), add_unit, &w);
	if (rc != 0)
		return rc;
	if (opt_str(t->options, "replay")[0] == '\0' || !(t->ios || t->transactions))
		return err_usage(err,
		                 "--%s=: names nothing; leave it out or see 'ioltp twin --help'",
		                 t->ios || t->transactions ? "replay" : "units");
	return engine_find(opt_str(t->options, "engine"), err) != NULL ? 0 : -EINVAL;
}

/* ---- documents of replays ---- */

static int make_work_dir(struct twin *t, struct err *err)
{
	const char *tmp = getenv("TMPDIR");

	if (asprintf(&t->work_dir, "%s/ioltp-twin.XXXXXX", tmp != NULL ? tmp : "/tmp") < 0)
		t->work_dir = NULL;
	if (t->work_dir != NULL && mkdtemp(t->work_dir) != NULL)
		return 0;
	err_run(err, "%s: no folder can be made for the replays' results: %s; set TMPDIR",
	        tmp != NULL ? tmp : "/tmp", strerror(errno));
	free(t->work_dir);
	t->work_dir = NULL;
	return -EIO;
}

static void remove_work_dir(struct twin *t)
{
	struct dirent *e;
	DIR *d;

	if (t->work_dir == NULL)
		return;
	d = opendir(t->work_dir);
	while (d != NULL && (e = readdir(d)) != NULL) {
		if (e->d_name[0] != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d != NULL)
		closedir(d);
	rmdir(t->work_dir);
	free(t->work_dir);
}

static int write_document(const struct twin *t, struct err *err)
{
	const char *path = opt_str(t->options, "output");
	const struct twin_document d = {.version = t->cli->version,
	                                .app = t->app_path,
	                                .trace = t->trace_path,
	                                .profile = t->profile_path,
	                                .target = t->target,
	                                .partial = t->partial,
	                                .replays = t->done,
	                                .nreplays = t->ndone,
	                                .warnings = (const char *const *)t->warnings,
	                                .nwarnings = t->nwarnings};

	return path != NULL ? rep_json_twin(&d, path, err) : 0;
}

/* ---- the whole ---- */

static int replay(struct twin *t, struct err *err)
{
	int rc, status;

	rc = make_work_dir(t, err);
	if (rc == 0)
		rc = twin_target_begin(t, err);
	if (rc == -EINTR)
		status = 128 + (int)*t->cli->signal;
	else if (rc != 0)
		status = err->status;
	else
		status = twin_replay_all(t, err);
	t->partial = t->partial || status != EXIT_OK;
	return status;
}

static void say_next(const struct twin *t)
{
	const char *output = opt_str(t->options, "output");

	if (t->replays == 0)
		printf("Next: ioltp twin %s, or ioltp raw TARGET --profile=%s\n", t->app_path,
		       t->profile_path);
	else if (output != NULL && !t->partial)
		printf("Next: ioltp compare %s %s\n", t->app_path, output);
	else if (!t->partial)
		printf("Next: --output=TWIN.json keeps this; then ioltp compare %s TWIN.json\n",
		       t->app_path);
}

static int perform(struct twin *t, const char *result, struct err *err)
{
	struct err late = ERR_INIT;
	int status = EXIT_OK;

	if (result == NULL)
		return err_usage(err, "ioltp twin: no result was named; give the JSON that "
		                      "--output=FILE of a run with --capture wrote"),
		       EXIT_USAGE;
	if (settle_options(t, err) != 0 || twin_distil(t, result, err) != 0)
		return err->status;
	if (t->replays != 0)
		status = replay(t, err);
	/* A target that was refused leaves nothing to report. */
	if (status == EXIT_OK || t->ndone != 0) {
		if (twin_report(t, stdout) != 0)
			err_run(&late, "standard output: the report could not be written");
		if (write_document(t, &late) == 0)
			say_next(t);
	}
	twin_target_end(t);
	if (err_is_set(&late)) {
		log_err(&t->log, &late);
		status = status == EXIT_OK ? late.status : status;
	}
	return status;
}

static void twin_fini(struct twin *t)
{
	twin_target_end(t);
	remove_work_dir(t);
	for (unsigned i = 0; i < TWIN_REPLAYS_MAX; i++) {
		tree_fini(&t->results[i]);
		free((char *)(uintptr_t)t->done[i].result);
	}
	for (unsigned i = 0; i < t->nwarnings; i++)
		free(t->warnings[i]);
	tree_fini(&t->app);
	trace_fini(&t->trace);
	free(t->shape);
	free(t->app_path);
	free(t->trace_path);
	free(t->profile_path);
	free(t->target);
	opt_set_free(t->options);
	free(t);
}

static void print_help(const struct twin *t)
{
	printf(
	    "ioltp %s: the synthetic twin of an application's run\n\n"
	    "Usage: ioltp twin RESULT [OPTIONS]\n\n"
	    "RESULT is the JSON document of a run with --capture. What the run asked of its drive "
	    "is\n"
	    "distilled into a raw profile, which is then replayed: at the application's own rate\n"
	    "(pace), as fast as the drive can with as many outstanding (capability), and with "
	    "ever\n"
	    "more (saturation). Nothing of the application is written to.\n\n",
	    t->cli->version);
	opt_print_help(t->options, NULL, stdout);
}

int cmd_twin(const struct cli *cli, int argc, char **argv)
{
	struct twin *t = calloc(1, sizeof(*t));
	struct err err = ERR_INIT;
	const char *result = NULL;
	int status = EXIT_USAGE;

	if (t != NULL)
		t->options = opt_set_new();
	if (t == NULL || t->options == NULL) {
		log_error(NULL, "out of memory");
		free(t);
		return EXIT_RUN;
	}
	t->cli = cli;
	t->log.level = LOG_NOTICE;
	opt_set_add(t->options, "The twin and its replays", twin_options);
	opt_set_add(t->options, "Report and command line options", twin_cli_options);
	if (read_args(t, argc, argv, &result, &err) == 0) {
		if (opt_bool(t->options, "help")) {
			print_help(t);
			status = EXIT_OK;
		} else {
			status = perform(t, result, &err);
		}
	}
	if (err_is_set(&err)) {
		log_err(&t->log, &err);
		status = err.status;
	}
	twin_fini(t);
	return status;
}
