/* SPDX-License-Identifier: MIT */
/* cmd_workload: `ioltp [OPTIONS] WORKLOAD [COMMAND]`, the sysbench grammar. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/measure.h"
#include "cli/twin_run.h"
#include "cli/targets.h"

/* What the arguments say, before the script is known. */
struct args {
	const char *workload;
	const char *command;
	const char **later; /* options that nothing knows yet: a script may declare them */
	unsigned nlater;
};

struct session {
	const struct cli *cli;
	int argc;
	char **argv;
	struct opt_set *set;
	struct args args;
	struct log log;
	struct clock clock;
	struct script script;
	struct run_config config;
	char *data_dir;
	char *label; /* of the workload in reports */
	bool from_stdin;
};

/* The same option was put off: of several values the last one counts. */
static bool is_later(const struct session *s, const char *arg)
{
	const size_t len = strcspn(arg, "=");

	for (unsigned i = 0; i < s->args.nlater; i++) {
		if (strncmp(s->args.later[i], arg, len) == 0 &&
		    (s->args.later[i][len] == '=' || s->args.later[i][len] == '\0'))
			return true;
	}
	return false;
}

static int read_args(struct session *s, struct err *err)
{
	for (int i = 1; i < s->argc; i++) {
		const char *arg = s->argv[i];
		int rc;

		if (arg[0] != '-' || strcmp(arg, "-") == 0) {
			if (s->args.workload == NULL)
				s->args.workload = arg;
			else if (s->args.command == NULL)
				s->args.command = arg;
			else
				return err_usage(err,
				                 "%s: one word too many after the command '%s'; "
				                 "options begin with --",
				                 arg, s->args.command);
			continue;
		}
		rc = opt_parse_arg(s->set, arg, err);
		if (rc == -ENOMEM)
			return rc;
		/* Unknown, or wrong: the script may declare one of that name. Else it is said then.
		 */
		if (rc != 0 || is_later(s, arg))
			s->args.later[s->args.nlater++] = arg;
		if (rc != -ENOENT && rc != 0)
			*err = ERR_INIT;
	}
	return 0;
}

/* The values of secret options are kept by now; in the arguments anybody can see them (ps). */
static void hide_secrets(struct session *s)
{
	for (int i = 1; i < s->argc; i++) {
		char *value = strchr(s->argv[i], '=');
		const struct opt_desc *desc = NULL;

		if (value == NULL || strncmp(s->argv[i], "--", 2) != 0)
			continue;
		*value = '\0';
		desc = opt_find(s->set, s->argv[i] + 2);
		*value = '=';
		if (desc != NULL && (desc->flags & OPT_SECRET) != 0)
			memset(value + 1, 'x', strlen(value + 1));
	}
}

/* --test=NAME COMMAND and --mix=... COMMAND have no workload among the words. */
static int settle_words(struct session *s, struct err *err)
{
	const char *test = opt_str(s->set, "test");
	const char *mix = opt_str(s->set, "mix");

	if (test == NULL && mix == NULL)
		return 0;
	if (s->args.command != NULL)
		return err_usage(err, "%s: one word too many; with --%s there is only a command",
		                 s->args.command, mix != NULL ? "mix" : "test");
	if (test != NULL && mix != NULL)
		return err_usage(err,
		                 "--test: cannot be given with --mix; name the workloads in --mix");
	s->args.command = s->args.workload;
	s->args.workload = test;
	return 0;
}

/* Options of one engine choose that engine. */
static int settle_driver(struct session *s, struct err *err)
{
	const char *found = NULL;
	int rc = targets_apply(s->set, err);

	if (rc != 0 || opt_given(s->set, "db-driver"))
		return rc;
	for (const struct driver_ops *const *ops = driver_all(); *ops != NULL; ops++) {
		for (const struct opt_desc *d = (*ops)->options; d != NULL && d->name != NULL;
		     d++) {
			if (!opt_given(s->set, d->name))
				continue;
			if (found != NULL && found != (*ops)->name)
				return err_usage(err,
				                 "--db-driver: options of both %s and %s were "
				                 "given; say which to use",
				                 found, (*ops)->name);
			found = (*ops)->name;
		}
	}
	return found != NULL ? opt_assign(s->set, "db-driver", found, err) : 0;
}

static int add_mix_item(void *ctx, const char *item)
{
	struct session *s = ((void **)ctx)[0];
	struct err *err = ((void **)ctx)[1];
	const char *at = strrchr(item, '@');
	char name[1024];
	double weight = 1;

	if (at != NULL && (units_parse_double(at + 1, &weight) != 0 || weight < 0))
		return err_usage(
		    err, "--mix: weight of '%s' is not a number of 0 or more; write a@70,b@30",
		    item);
	snprintf(name, sizeof(name), "%.*s", at != NULL ? (int)(at - item) : (int)strlen(item),
	         item);
	if (name[0] == '\0')
		return err_usage(err, "--mix: '%s' has no workload; write a@70,b@30", item);
	return script_add(&s->script, name, weight, err);
}

static int add_sources(struct session *s, struct err *err)
{
	const char *mix = opt_str(s->set, "mix");
	void *ctx[2] = {s, err};

	if (mix != NULL) {
		s->label = strdup(mix);
		return opt_split(mix, add_mix_item, ctx);
	}
	if (s->args.workload == NULL) {
		if (isatty(STDIN_FILENO))
			return err_usage(err, "ioltp: no workload was named; see 'ioltp --help'");
		s->args.workload = "-";
	}
	s->from_stdin = strcmp(s->args.workload, "-") == 0;
	s->label = strdup(s->args.workload);
	return script_add(&s->script, s->args.workload, 1, err);
}

/* An option that is still unknown when the script is loaded. */
static int unknown_option(void *ctx, const char *arg)
{
	struct session *s = ((void **)ctx)[0];
	struct err *err = ((void **)ctx)[1];
	char **extra;

	if (!s->script.accepts_any || strncmp(arg, "--", 2) != 0)
		return opt_unknown(s->set, arg, err);
	extra = realloc(s->script.extra, (s->script.nextra + 1) * sizeof(*extra));
	if (extra == NULL)
		return err_run(err, "%s: out of memory", arg);
	s->script.extra = extra;
	extra[s->script.nextra] = strdup(arg);
	if (extra[s->script.nextra] != NULL)
		s->script.nextra++;
	return 0;
}

/* The options again, now that the script has declared its own; then the file, which gives way to
 * them. */
static int read_rest(struct session *s, struct err *err)
{
	const char *file = opt_str(s->set, "config-file");
	void *ctx[2] = {s, err};

	for (unsigned i = 0; i < s->args.nlater; i++) {
		int rc = opt_parse_arg(s->set, s->args.later[i], err);

		if (rc == -ENOENT)
			rc = unknown_option(ctx, s->args.later[i]);
		if (rc != 0)
			return rc;
	}
	return file != NULL ? opt_load_file(s->set, file, unknown_option, ctx, err) : 0;
}

static int load_script(struct session *s, struct err *err)
{
	int rc = script_data_dir(&s->data_dir, err);

	if (rc != 0)
		return rc;
	s->script.data_dir = s->data_dir;
	s->script.options = s->set;
	s->script.clock = &s->clock;
	s->script.log = &s->log;
	s->script.signal = s->cli->signal;
	s->script.command = s->args.command;
	s->script.argc = s->argc;
	s->script.argv = s->argv;
	s->script.threads = (unsigned)opt_int(s->set, "threads");
	rc = add_sources(s, err);
	if (rc == 0)
		rc = script_load(&s->script, err);
	if (rc == 0)
		rc = read_rest(s, err);
	return rc;
}

static int settle_options(struct session *s, struct err *err)
{
	int rc = settle_driver(s, err);

	/* The file may have changed what the command line left open. */
	if (rc == 0 && strcmp(opt_str(s->set, "compat"), "1.1") == 0 &&
	    !opt_given(s->set, "rand-type"))
		rc = opt_assign(s->set, "rand-type", "uniform", err);
	if (rc == 0)
		rc = twin_run_settle(s->set, err);
	if (rc == 0)
		rc = run_config_from(&s->config, s->set, err);
	if (rc == 0)
		rc = script_open(&s->script, &s->config, err);
	s->log.level =
	    opt_bool(s->set, "debug") ? LOG_DEBUG : (enum log_level)opt_int(s->set, "verbosity");
	return rc;
}

static int dispatch(struct session *s, struct err *err)
{
	const char *command = s->args.command;
	const char *file = s->script.sources[0].path;
	struct measure m = {s->cli,  s->set,  &s->script, &s->config, &s->clock,
	                    &s->log, s->argc, s->argv,    s->label};
	int rc;

	/* A script without a command and without events was all run by loading it. */
	if (command == NULL && !s->script.has_event)
		return EXIT_OK;
	if (command == NULL && !s->from_stdin) {
		err_usage(err, "%s: no command was given; add prepare, run, check, cleanup or help",
		          s->label);
		return EXIT_USAGE;
	}
	if (command == NULL ||
	    (strcmp(command, "run") == 0 && !script_has_command(&s->script, "run"))) {
		if (s->script.has_event)
			return twin_run_after(s->cli, s->set, measure_run(&m));
		err_usage(err, "%s: has no function event(); a workload needs one to run", file);
		return EXIT_USAGE;
	}
	if (!script_has_command(&s->script, command)) {
		err_usage(err, "%s: has no command '%s'; see '%s help'", file, command, s->label);
		return EXIT_USAGE;
	}
	rc = script_command(&s->script, command, err);
	if (*s->cli->signal != 0)
		return 128 + (int)*s->cli->signal;
	return rc == 0 ? EXIT_OK : err->status;
}

static int perform(struct session *s, struct err *err)
{
	int rc = read_args(s, err);

	hide_secrets(s);
	if (rc != 0)
		return err->status;
	if (opt_bool(s->set, "version")) {
		printf("ioltp %s\n", s->cli->version);
		return EXIT_OK;
	}
	if (opt_bool(s->set, "help-man")) {
		opt_print_man(s->set, stdout);
		return EXIT_OK;
	}
	if (strcmp(opt_str(s->set, "db-driver"), "help") == 0) {
		driver_print_all(stdout);
		return EXIT_OK;
	}
	if (settle_words(s, err) != 0)
		return err->status;
	if (opt_bool(s->set, "help") && s->args.workload == NULL &&
	    opt_str(s->set, "mix") == NULL) {
		cli_help(s->cli, s->set, stdout);
		return EXIT_OK;
	}
	if (opt_bool(s->set, "help"))
		s->args.command = "help";
	if (load_script(s, err) != 0)
		return err->status;
	/* Until now it was the system's: a script may have declared an option of that name. */
	clock_init(&s->clock, strcmp(opt_str(s->set, "clock"), "system") == 0 ? CLOCK_KIND_SYSTEM
	                                                                      : CLOCK_KIND_TSC);
	if (s->args.command != NULL && strcmp(s->args.command, "help") == 0)
		return script_help(&s->script, stdout, err) == 0 ? EXIT_OK : err->status;
	if (settle_options(s, err) != 0)
		return err->status;
	return dispatch(s, err);
}

int cmd_workload(const struct cli *cli, int argc, char **argv)
{
	struct session s = {.cli = cli, .argc = argc, .argv = argv, .log = {LOG_NOTICE}};
	struct err err = ERR_INIT;
	int status;

	if (argc == 1 && isatty(STDIN_FILENO)) {
		fprintf(stderr, "Usage: ioltp [OPTIONS] WORKLOAD [COMMAND]; see 'ioltp --help'\n");
		return EXIT_USAGE;
	}
	s.set = opt_set_new();
	s.args.later = calloc((size_t)argc, sizeof(*s.args.later));
	if (s.set == NULL || s.args.later == NULL) {
		log_error(NULL, "out of memory");
		return EXIT_RUN;
	}
	cli_add_options(s.set);
	status = perform(&s, &err);
	if (err_is_set(&err))
		log_err(&s.log, &err);
	script_close(&s.script);
	opt_set_free(s.set);
	free(s.args.later);
	free(s.data_dir);
	free(s.label);
	return status;
}
