/* SPDX-License-Identifier: MIT */
/* cmd_db: `ioltp db start|status|stop --dir=DIR`. */
#include <errno.h>
#include <string.h>

#include "base/kv.h"
#include "base/log.h"
#include "cli/cli.h"
#include "db/db.h"
#include "report/rep_facts.h"

static const struct opt_desc db_options[] = {
    CLI_OPTION_HELP,
    {.name = "dir",
     .type = OPT_STRING,
     .help = "directory of the servers, on the drive under test: new, empty, or of an earlier "
             "start"},
    {.name = "engine",
     .type = OPT_ENUM,
     .choices = "mariadb|postgres",
     .help = "start: which servers; to be given for a new directory"},
    {.name = "instances",
     .type = OPT_INT,
     .range = "1..64",
     .unit = "servers",
     .help = "start: how many; 1 in a new directory when not given"},
    {.name = "memory",
     .type = OPT_SIZE,
     .help = "start: memory of all servers together, of which each takes its share for buffers; "
             "half of the machine's when not given"},
    {.name = "set",
     .type = OPT_LIST,
     .flags = OPT_REPEAT,
     .help = "start: a setting key=value of the servers, in their own words, before ours; can be "
             "given several times"},
    {.name = "bindir",
     .type = OPT_STRING,
     .help = "start: folder of the servers' programs; the newest installed ones when not given"},
    {.name = "user",
     .type = OPT_STRING,
     .help = "start: unprivileged user that the servers run as, when root starts them; mysql, "
             "postgres or nobody when not given"},
    {.name = "port",
     .type = OPT_INT,
     .range = "1..65535",
     .help = "start: TCP port of the first server, the others follow; free ones when not given"},
    {.name = "timeout",
     .type = OPT_TIME,
     .def = "300",
     .range = "1..86400",
     .help = "start: give up when not all servers answer after so long; stop: end them by force"},
    {.name = "purge",
     .type = OPT_BOOL,
     .def = "off",
     .help = "stop: at once, and delete what was made in the directory"},
    {.name = "format",
     .type = OPT_ENUM,
     .def = "text",
     .choices = "text|json",
     .help = "form of what is printed on standard output"},
    CLI_OPTION_VERBOSITY,
    OPT_END,
};

struct session {
	const struct cli *cli;
	struct opt_set *set;
	const char *action;
	struct log log;
};

/* ---- what there is ---- */

static void facts_of(const struct db *db, unsigned i, struct kv *kv)
{
	const struct db_instance *in = &db->instances[i];
	enum db_state state = db_state(db, i);
	char path[PATH_MAX];

	kv_int(kv, "number", in->number);
	kv_text(kv, "state", db_state_name(state));
	kv_int(kv, "pid", state == DB_RUNNING || state == DB_SILENT ? in->pid : 0);
	kv_text(kv, "host", "127.0.0.1");
	kv_int(kv, "port", in->port);
	kv_text(kv, "socket", in->socket);
	db_data_path(db, i, path);
	kv_text(kv, "data_directory", path);
	db_log_path(db, i, path);
	kv_text(kv, "log", path);
}

static const char *value(const struct kv *kv, const char *key)
{
	const struct kv_item *item = kv_find(kv, key);

	return item != NULL ? item->text : "-";
}

static void print_table(const struct db *db, const struct kv *items)
{
	printf("%s: %u of %s (%s), as user %s\n", db->dir, db->n, db_engine_name(db), db->version,
	       db->user);
	printf("%4s  %-8s %8s %6s  %s\n", "NO", "STATE", "PID", "PORT", "SOCKET");
	for (unsigned i = 0; i < db->n; i++)
		printf("%4s  %-8s %8s %6s  %s\n", value(&items[i], "number"),
		       value(&items[i], "state"), value(&items[i], "pid"), value(&items[i], "port"),
		       value(&items[i], "socket"));
}

static int print_status(const struct session *s, const struct db *db, struct err *err)
{
	struct kv items[DB_INSTANCES_MAX];
	struct kv head = KV_INIT;
	char path[PATH_MAX];
	int rc = 0;

	for (unsigned i = 0; i < db->n; i++) {
		items[i] = KV_INIT;
		facts_of(db, i, &items[i]);
	}
	if (strcmp(opt_str(s->set, "format"), "json") == 0) {
		kv_text(&head, "directory", db->dir);
		kv_text(&head, "engine", db_engine_name(db));
		kv_text(&head, "version", db->version);
		kv_text(&head, "account", db->user);
		kv_text(&head, "database", DB_USER);
		kv_text(&head, "user", DB_USER);
		db_password_path(db, path);
		kv_text(&head, "password_file", path);
		kv_int(&head, "memory_bytes", (int64_t)db->memory_bytes);
		rc = rep_facts_json("ioltp-db-status-1", &head, "instances", items, db->n, stdout,
		                    err);
	} else {
		print_table(db, items);
	}
	for (unsigned i = 0; i < db->n; i++)
		kv_fini(&items[i]);
	kv_fini(&head);
	return rc;
}

/* ---- actions ---- */

static int start(const struct session *s, const char *dir, struct err *err)
{
	const char *const *settings = NULL;
	struct db_request q = {
	    .dir = dir,
	    .engine = opt_str(s->set, "engine"),
	    .instances = (unsigned)opt_int(s->set, "instances"),
	    .memory_bytes = opt_size_bytes(s->set, "memory"),
	    .bindir = opt_str(s->set, "bindir"),
	    .user = opt_str(s->set, "user"),
	    .port = (unsigned)opt_int(s->set, "port"),
	    .timeout_ns = opt_time_ns(s->set, "timeout"),
	    .log = &s->log,
	    .signal = s->cli->signal,
	};
	struct db db;
	int rc;

	q.nsettings = opt_list(s->set, "set", &settings);
	q.settings = settings;
	rc = db_start(&q, &db, err);
	if (rc == 0)
		rc = print_status(s, &db, err);
	if (rc == 0)
		log_notice(&s->log, "use them by: ioltp WORKLOAD --targets=%s prepare, run ...",
		           db.dir);
	db_fini(&db);
	return rc;
}

static int status(const struct session *s, const char *dir, struct err *err)
{
	struct db db;
	int rc = db_open(&db, dir, false, err);

	if (rc == 0)
		rc = print_status(s, &db, err);
	db_fini(&db);
	return rc;
}

static int stop(const struct session *s, const char *dir, struct err *err)
{
	const bool purge = opt_bool(s->set, "purge");
	struct db db;
	int rc = db_open(&db, dir, true, err);

	if (rc == 0)
		rc = db_stop(&db, purge, opt_time_ns(s->set, "timeout"), &s->log, err);
	if (rc == 0)
		log_notice(&s->log, "%s: %u servers are stopped%s", db.dir, db.n,
		           purge ? ", and what was made for them is deleted" : "");
	db_fini(&db);
	return rc;
}

/* ---- the command line ---- */

static void print_help(const struct opt_set *set)
{
	printf("Usage:\n"
	       "  ioltp db start --engine=mariadb|postgres --dir=DIR [--instances=8] "
	       "[--memory=24G] [--set key=value]...\n"
	       "  ioltp db status --dir=DIR   which servers there are, and how they are\n"
	       "  ioltp db stop --dir=DIR [--purge]\n\n"
	       "Throw-away servers of installed programs, each on a data directory of its own in "
	       "DIR.\n"
	       "Runs use all of them by --targets=DIR.\n\n");
	opt_print_help(set, NULL, stdout);
}

/* "--set key=value" in two words, as the servers' own options often are. */
static int read_setting(struct session *s, int argc, char **argv, int *i, struct err *err)
{
	if (*i + 1 >= argc)
		return err_usage(err, "--set: a setting is missing behind it; write key=value");
	return opt_assign(s->set, "set", argv[++*i], err);
}

static int read_args(struct session *s, int argc, char **argv, struct err *err)
{
	bool begun = false;
	int rc = 0;

	for (int i = 1; i < argc && rc == 0; i++) {
		const char *arg = argv[i];

		if (strcmp(arg, "--set") == 0) {
			rc = read_setting(s, argc, argv, &i, err);
		} else if (arg[0] == '-') {
			rc = opt_parse_arg(s->set, arg, err);
			if (rc == -ENOENT)
				rc = opt_unknown(s->set, arg, err);
		} else if (!begun) {
			begun = true;
		} else if (s->action == NULL) {
			s->action = arg;
		} else {
			rc = err_usage(err, "%s: one word too many; see 'ioltp db --help'", arg);
		}
	}
	return rc;
}

static int perform(struct session *s, struct err *err)
{
	static const struct {
		const char *name;
		int (*run)(const struct session *s, const char *dir, struct err *err);
	} actions[] = {{"start", start}, {"status", status}, {"stop", stop}};
	const char *dir = opt_str(s->set, "dir");

	if (opt_bool(s->set, "help")) {
		print_help(s->set);
		return EXIT_OK;
	}
	s->log.level = (enum log_level)opt_int(s->set, "verbosity");
	for (unsigned i = 0; s->action != NULL && i < 3; i++) {
		if (strcmp(actions[i].name, s->action) != 0)
			continue;
		if (dir == NULL || dir[0] == '\0') {
			err_usage(err, "ioltp db %s: no directory was named; give --dir=DIR",
			          s->action);
			return EXIT_USAGE;
		}
		return actions[i].run(s, dir, err) == 0 ? EXIT_OK : err->status;
	}
	err_usage(err, "ioltp db: '%s' is no such action; use start, status or stop",
	          s->action != NULL ? s->action : "");
	return EXIT_USAGE;
}

int cmd_db(const struct cli *cli, int argc, char **argv)
{
	struct session s = {.cli = cli, .log = {LOG_NOTICE}};
	struct err err = ERR_INIT;
	int status_code;

	s.set = opt_set_new();
	if (s.set == NULL) {
		log_error(NULL, "out of memory");
		return EXIT_RUN;
	}
	opt_set_add(s.set, "Options of ioltp db", db_options);
	status_code = read_args(&s, argc, argv, &err) == 0 ? perform(&s, &err) : err.status;
	if (err_is_set(&err))
		log_err(&s.log, &err);
	if (*cli->signal != 0)
		status_code = 128 + (int)*cli->signal;
	opt_set_free(s.set);
	return status_code;
}
