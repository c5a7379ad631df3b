/* SPDX-License-Identifier: MIT */
/* cmd_device: `ioltp device [list|show|check|purge] [TARGET]`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"
#include "cli/cli.h"
#include "raw/device.h"
#include "raw/guard.h"
#include "raw/purge.h"
#include "report/rep_facts.h"
#include "report/result.h"

static const struct opt_desc device_options[] = {
    CLI_OPTION_HELP,
    {.name = "format",
     .type = OPT_ENUM,
     .def = "text",
     .choices = "text|json",
     .help = "form of what is printed on standard output"},
    {.name = "method",
     .type = OPT_ENUM,
     .def = "auto",
     .choices = "auto|format|format-crypto|sanitize|sanitize-crypto|discard",
     .help = "purge: how; auto is the most thorough that the drive offers"},
    {.name = "lba-size",
     .type = OPT_SIZE,
     .def = "0",
     .range = "0..65536",
     .help = "purge: format to this block size; 0 leaves it"},
    {.name = "destroy-data",
     .type = OPT_STRING,
     .help = "purge: the serial of the drive that may be erased, as 'check' shows it"},
    CLI_OPTION_VERBOSITY,
    OPT_END,
};

struct session {
	const struct cli *cli;
	struct opt_set *set;
	const char *action;
	const char *target;
	struct log log;
};

static bool wants_json(const struct session *s)
{
	return strcmp(opt_str(s->set, "format"), "json") == 0;
}

/* ---- facts ---- */

static int gather(struct kv *facts, const char *path, struct err *err)
{
	const struct kv_item *node;
	struct kv own = KV_INIT;
	int rc = device_facts(path, &own, err);

	if (rc == 0) {
		/* What reports tell of every drive, then what is only known here, which is more
		 * exact. */
		node = kv_find(&own, "node");
		facts_device(facts, node != NULL ? node->text : path, true);
		kv_text(facts, "path", path);
		for (unsigned i = 0; i < own.n; i++) {
			const struct kv_item *item = &own.items[i];

			if (item->type == KV_TEXT)
				kv_text(facts, item->key, item->text);
			else if (item->type == KV_INT)
				kv_int(facts, item->key, item->i);
			else if (item->type == KV_DOUBLE)
				kv_double(facts, item->key, item->d);
			else
				kv_bool(facts, item->key, item->i != 0);
		}
	}
	kv_fini(&own);
	return rc;
}

static const char *value(const struct kv *kv, const char *key)
{
	const struct kv_item *item = kv_find(kv, key);

	return item != NULL ? item->text : "-";
}

static void print_row(const struct kv *kv)
{
	const struct kv_item *bytes = kv_find(kv, "capacity_bytes");
	char size[32] = "-", temperature[32] = "-";

	if (bytes != NULL)
		units_format_size(size, sizeof(size), (uint64_t)bytes->i);
	if (kv_find(kv, "temperature_c") != NULL)
		snprintf(temperature, sizeof(temperature), "%s C", value(kv, "temperature_c"));
	printf("%-16s %-10s %-24.24s %-20.20s %-9.9s %-7s %s\n", value(kv, "path"), size,
	       value(kv, "model"), value(kv, "serial"), value(kv, "firmware"), temperature,
	       value(kv, "in_use"));
}

static int list(const struct session *s, struct err *err)
{
	struct device_names names;
	struct kv *items;
	unsigned n = 0;
	int rc = device_list(&names, err);

	if (rc != 0)
		return rc;
	items = calloc(names.n + 1, sizeof(*items));
	for (unsigned i = 0; items != NULL && i < names.n; i++) {
		char path[DEVICE_NAME_MAX + 8];
		struct err gone = ERR_INIT;

		snprintf(path, sizeof(path), "/dev/%s", names.names[i]);
		/* One that cannot be looked at does not hide the others. */
		if (gather(&items[n], path, &gone) == 0)
			n++;
		else
			log_warn(&s->log, "%s", gone.text);
	}
	if (wants_json(s)) {
		rc = rep_facts_json("ioltp-devices-1", NULL, "devices", items, n, stdout, err);
	} else {
		printf("%-16s %-10s %-24s %-20s %-9s %-7s %s\n", "DEVICE", "SIZE", "MODEL",
		       "SERIAL", "FIRMWARE", "TEMP", "IN USE");
		for (unsigned i = 0; i < n; i++)
			print_row(&items[i]);
	}
	for (unsigned i = 0; items != NULL && i < names.n; i++)
		kv_fini(&items[i]);
	free(items);
	device_list_fini(&names);
	return rc;
}

static int show(const struct session *s, struct err *err)
{
	struct kv facts = KV_INIT;
	int rc = gather(&facts, s->target, err);

	if (rc == 0 && wants_json(s)) {
		rc = rep_facts_json("ioltp-devices-1", NULL, "devices", &facts, 1, stdout, err);
	} else if (rc == 0) {
		printf("%s\n", s->target);
		rep_facts_text(&facts, stdout);
	}
	kv_fini(&facts);
	return rc;
}

/* ---- the guard ---- */

static const char *verdict_name(enum guard_verdict verdict)
{
	static const char *const names[] = {
	    [GUARD_PASS] = "pass",
	    [GUARD_REFUSE] = "refuse",
	    [GUARD_UNKNOWN] = "unknown",
	    [GUARD_NOT_APPLICABLE] = "n/a",
	};

	return names[verdict];
}

static int print_check(const struct session *s, const struct guard_report *report, struct err *err)
{
	struct kv items[GUARD_FINDINGS_MAX] = {0}, head = KV_INIT;
	int rc = 0;

	kv_text(&head, "target", s->target);
	kv_bool(&head, "writable", report->writable);
	for (unsigned i = 0; i < report->n; i++) {
		kv_text(&items[i], "check", report->findings[i].check);
		kv_text(&items[i], "verdict", verdict_name(report->findings[i].verdict));
		kv_text(&items[i], "finding", report->findings[i].text);
	}
	if (wants_json(s)) {
		rc = rep_facts_json("ioltp-device-check-1", &head, "checks", items, report->n,
		                    stdout, err);
	} else {
		for (unsigned i = 0; i < report->n; i++)
			printf("%-11s %-8s %s\n", report->findings[i].check,
			       verdict_name(report->findings[i].verdict), report->findings[i].text);
		printf("%s: raw writing %s\n", s->target,
		       report->writable ? "would be allowed" : "is refused");
	}
	kv_fini(&head);
	for (unsigned i = 0; i < report->n; i++)
		kv_fini(&items[i]);
	return rc;
}

/* Status 0: raw writing would be allowed, 2: it would be refused. */
static int check(const struct session *s, struct err *err)
{
	struct guard_report report;
	int rc = guard_check(s->target, &report, err);

	if (rc == 0)
		rc = print_check(s, &report, err);
	if (rc != 0)
		return err->status;
	return report.writable ? EXIT_OK : EXIT_USAGE;
}

/* ---- purge ---- */

static void tell_progress(void *ctx, double progress, uint64_t elapsed_ns)
{
	const struct session *s = ctx;

	if (progress < 0)
		log_notice(&s->log, "%s: purging for %.0f s", s->target, (double)elapsed_ns / 1e9);
	else
		log_notice(&s->log, "%s: purge %.0f %% done after %.0f s", s->target,
		           progress * 100, (double)elapsed_ns / 1e9);
}

static int do_purge(const struct session *s, struct err *err)
{
	struct guard_request request = {
	    .path = s->target, .write = true, .destroy_data = opt_str(s->set, "destroy-data")};
	struct purge_request q = {
	    .method = (enum purge_method)purge_method_parse(opt_str(s->set, "method")),
	    .destroy_data = request.destroy_data,
	    .lba_bytes = (uint32_t)opt_size_bytes(s->set, "lba-size"),
	    .progress = tell_progress,
	    .ctx = (void *)s,
	    .signal = s->cli->signal,
	};
	enum purge_method done;
	struct raw_target target;
	struct kv facts = KV_INIT;
	int rc = guard_open(&target, &request, err);

	if (rc != 0)
		return rc;
	rc = purge(&target, &q, &done, err);
	guard_close(&target);
	if (rc != 0)
		return rc;
	kv_text(&facts, "target", s->target);
	kv_text(&facts, "method", purge_method_name(done));
	kv_bool(&facts, "purged", true);
	if (wants_json(s))
		rc = rep_facts_json("ioltp-device-purge-1", &facts, "notes", NULL, 0, stdout, err);
	else
		printf("%s: purged by %s\n", s->target, purge_method_name(done));
	kv_fini(&facts);
	return rc;
}

/* ---- the command line ---- */

static void print_help(const struct opt_set *set)
{
	printf("Usage:\n"
	       "  ioltp device [list]         the drives of this machine\n"
	       "  ioltp device show TARGET    what a drive is, and its health\n"
	       "  ioltp device check TARGET   whether raw writing would be allowed, and why not\n"
	       "  ioltp device purge TARGET --destroy-data=SERIAL [--method=...]\n"
	       "                              erase a drive, so that all its flash is free\n\n");
	opt_print_help(set, NULL, stdout);
}

/* The words behind "device". */
static int read_args(struct session *s, int argc, char **argv, struct err *err)
{
	bool begun = false;

	for (int i = 1; i < argc; i++) {
		const char *arg = argv[i];
		int rc;

		if (arg[0] != '-') {
			if (!begun)
				begun = true;
			else if (s->action == NULL)
				s->action = arg;
			else if (s->target == NULL)
				s->target = arg;
			else
				return err_usage(
				    err, "%s: one word too many; see 'ioltp device --help'", arg);
			continue;
		}
		rc = opt_parse_arg(s->set, arg, err);
		if (rc == -ENOENT)
			rc = opt_unknown(s->set, arg, err);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int perform(struct session *s, struct err *err)
{
	static const struct {
		const char *name;
		int (*run)(const struct session *s, struct err *err);
		bool target;
	} actions[] = {
	    {"list", list, false},
	    {"show", show, true},
	    {"purge", do_purge, true},
	};
	const char *action = s->action != NULL ? s->action : "list";

	if (opt_bool(s->set, "help")) {
		print_help(s->set);
		return EXIT_OK;
	}
	s->log.level = (enum log_level)opt_int(s->set, "verbosity");
	if (s->target == NULL && strcmp(action, "list") != 0) {
		err_usage(err, "ioltp device %s: no target was named; see 'ioltp device list'",
		          action);
		return EXIT_USAGE;
	}
	if (strcmp(action, "check") == 0)
		return check(s, err);
	for (unsigned i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (strcmp(actions[i].name, action) != 0)
			continue;
		if (!actions[i].target && s->target != NULL)
			break;
		return actions[i].run(s, err) == 0 ? EXIT_OK : err->status;
	}
	err_usage(err,
	          "ioltp device %s: is no such action, or has a word too many; use list, show, "
	          "check or purge",
	          action);
	return EXIT_USAGE;
}

int cmd_device(const struct cli *cli, int argc, char **argv)
{
	struct session s = {.cli = cli, .log = {LOG_NOTICE}};
	struct err err = ERR_INIT;
	int status;

	s.set = opt_set_new();
	if (s.set == NULL) {
		log_error(NULL, "out of memory");
		return EXIT_RUN;
	}
	opt_set_add(s.set, "Device options", device_options);
	status = read_args(&s, argc, argv, &err) == 0 ? perform(&s, &err) : err.status;
	if (err_is_set(&err))
		log_err(&s.log, &err);
	if (*cli->signal != 0)
		status = 128 + (int)*cli->signal;
	opt_set_free(s.set);
	return status;
}
