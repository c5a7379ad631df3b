/* SPDX-License-Identifier: MIT */
/* cli: what the command line says, composed from the modules; one file per subcommand. */
#ifndef IOLTP_CLI_CLI_H
#define IOLTP_CLI_CLI_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "base/opt.h"

/* What all subcommands are given. */
struct cli {
	const char *version;
	const volatile sig_atomic_t *signal; /* number of the signal that asks to end, 0: none */
};

/* Entries of the option tables of all commands. */
#define CLI_OPTION_HELP                                                                            \
	{                                                                                          \
		.name = "help", .type = OPT_BOOL, .def = "off", .help = "print this help and exit" \
	}
#define CLI_OPTION_VERBOSITY                                                                       \
	{                                                                                          \
		.name = "verbosity", .type = OPT_INT, .def = "3", .range = "0..5",                 \
		.help = "how much to say: 0 only fatal errors, 5 all; a workload's report in "     \
		        "text needs 3"                                                             \
	}

/* Options that every command has, and those of the command line itself: --help --version
 * --verbosity ... */
extern const struct opt_desc cli_options[];

/* `ioltp ...`: returns the exit status. */
int cli_main(const struct cli *cli, int argc, char **argv);

/* `ioltp [OPTIONS] WORKLOAD [COMMAND]` */
int cmd_workload(const struct cli *cli, int argc, char **argv);

/* `ioltp raw TARGET [OPTIONS]` */
int cmd_raw(const struct cli *cli, int argc, char **argv);
/* `ioltp device [list|show|check|purge] [TARGET]` */
int cmd_device(const struct cli *cli, int argc, char **argv);
/* `ioltp compare A B...` */
int cmd_compare(const struct cli *cli, int argc, char **argv);
/* `ioltp db start|status|stop --dir=DIR` */
int cmd_db(const struct cli *cli, int argc, char **argv);
/* `ioltp scenario NAME|FILE TARGET [OPTIONS]` */
int cmd_scenario(const struct cli *cli, int argc, char **argv);
/* `ioltp twin RESULT [OPTIONS]` */
int cmd_twin(const struct cli *cli, int argc, char **argv);

/* Adds all tables that a workload's command line has. */
void cli_add_options(struct opt_set *set);
/* The general help: usage, bundled workloads, all options. */
void cli_help(const struct cli *cli, const struct opt_set *set, FILE *out);

#endif
