/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/dist.h"
#include "base/strbuf.h"
#include "cli/twin_run.h"
#include "cli/capture.h"
#include "cli/targets.h"
#include "run/run.h"
#include "script/script.h"
#include "sql/driver.h"

const struct opt_desc cli_options[] = {
    CLI_OPTION_HELP,
    {.name = "version", .type = OPT_BOOL, .def = "off", .help = "print the version and exit"},
    {.name = "help-man",
     .type = OPT_BOOL,
     .def = "off",
     .help = "print the options as roff, for the manual page, and exit"},
    {.name = "config-file",
     .type = OPT_FILE,
     .help =
         "read options from this file, a line name=value each; the command line goes before it"},
    {.name = "mix",
     .type = OPT_STRING,
     .help =
         "several workloads in one run with their weights, as a@70,b@30, in the place of WORKLOAD"},
    {.name = "format",
     .type = OPT_ENUM,
     .def = "text",
     .choices = "text|json|csv",
     .help = "form of the report on standard output"},
    {.name = "output",
     .type = OPT_STRING,
     .help = "write the JSON result document to this file too"},
    {.name = "histogram",
     .type = OPT_BOOL,
     .def = "off",
     .help = "print the latency histogram in the text report"},
    {.name = "compat",
     .type = OPT_ENUM,
     .def = "1.0",
     .choices = "1.0|1.1",
     .help = "which sysbench to be like where the two differ: default random distribution, wording "
             "of the final report"},
    {.name = "show-serial",
     .type = OPT_BOOL,
     .def = "off",
     .help = "show serial numbers of drives as they are, not hashed"},
    {.name = "clock",
     .type = OPT_ENUM,
     .def = "auto",
     .choices = "auto|system",
     .help = "time source: auto is the CPU's time stamp counter where it can be trusted, else the "
             "system's clock"},
    CLI_OPTION_VERBOSITY,
    {.name = "debug", .type = OPT_BOOL, .def = "off", .help = "the same as --verbosity=5"},
    {.name = "validate",
     .type = OPT_BOOL,
     .def = "off",
     .help = "tell scripts to check what they read, where they can (sysbench.opt.validate)"},
    {.name = "test",
     .type = OPT_STRING,
     .help = "older way to name the workload",
     .flags = OPT_OLD},
    OPT_END,
};

void cli_add_options(struct opt_set *set)
{
	opt_set_add(set, "General options", run_thread_options);
	opt_set_add(set, "General options", run_options);
	opt_set_add(set, "Report and command line options", cli_options);
	opt_set_add(set, "The synthetic twin", twin_run_options);
	opt_set_add(set, "Capture of I/O", capture_options);
	opt_set_add(set, "General options", script_options);
	opt_set_add(set, "Random number options", dist_options);
	opt_set_add(set, "Database options", sql_options);
	opt_set_add(set, "Database options", targets_options);
	for (const struct driver_ops *const *ops = driver_all(); *ops != NULL; ops++) {
		if ((*ops)->options != NULL)
			opt_set_add(set, (*ops)->options_title, (*ops)->options);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Bundled workloads: the Lua files of the data folder that define something to run. */
static void list_workloads(FILE *out)
{
	char *dir = NULL, *names[128];
	struct err err = ERR_INIT;
	size_t n = 0;
	struct dirent *e;
	DIR *d;

	if (script_data_dir(&dir, &err) != 0)
		return;
	d = opendir(dir);
	while (d != NULL && n < sizeof(names) / sizeof(names[0]) && (e = readdir(d)) != NULL) {
		size_t len = strlen(e->d_name);

		/* Parts that workloads require are no workloads. */
		if (len < 5 || strcmp(e->d_name + len - 4, ".lua") != 0 ||
		    strncmp(e->d_name, "ioltp_", 6) == 0 ||
		    strcmp(e->d_name, "oltp_common.lua") == 0 ||
		    strcmp(e->d_name, "oltp_tables.lua") == 0 ||
		    strcmp(e->d_name, "oltp_slices.lua") == 0)
			continue;
		names[n] = strndup(e->d_name, len - 4);
		if (names[n] != NULL)
			n++;
	}
	if (d != NULL)
		closedir(d);
	qsort(names, n, sizeof(names[0]), by_name);
	fprintf(out, "Bundled workloads ('ioltp NAME help' shows the options of one):\n");
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "  %s\n", names[i]);
		free(names[i]);
	}
	fprintf(out, "\n");
	free(dir);
}

void cli_help(const struct cli *cli, const struct opt_set *set, FILE *out)
{
	fprintf(out,
	        "ioltp %s: measures a database application on a drive\n\n"
	        "Usage:\n"
	        "  ioltp [OPTIONS] WORKLOAD [prepare|warmup|run|check|cleanup|help|COMMAND]\n"
	        "  ioltp [OPTIONS] --mix=A@70,B@30 [COMMAND]\n"
	        "  ioltp raw|device|twin|compare|db ...   (each has --help)\n\n"
	        "WORKLOAD is a bundled name, the path of a Lua script, or - for a script on "
	        "standard input.\n"
	        "Sizes take K, M, G, T (1024); times ns, us, ms, s, m, h, and a bare number is "
	        "seconds.\n\n",
	        cli->version);
	list_workloads(out);
	opt_print_help(set, NULL, out);
}

/* First words that are no workload. A workload of that name is given as a path: ./device. */
static const struct {
	const char *name;
	int (*run)(const struct cli *cli, int argc, char **argv);
} subcommands[] = {
    {"raw", cmd_raw}, {"device", cmd_device},     {"compare", cmd_compare},
    {"db", cmd_db},   {"scenario", cmd_scenario}, {"twin", cmd_twin},
};

int cli_main(const struct cli *cli, int argc, char **argv)
{
	int word = 1;

	while (word < argc && argv[word][0] == '-')
		word++;
	for (size_t i = 0; word < argc && i < sizeof(subcommands) / sizeof(subcommands[0]); i++) {
		if (strcmp(argv[word], subcommands[i].name) == 0)
			return subcommands[i].run(cli, argc, argv);
	}
	return cmd_workload(cli, argc, argv);
}
