/* SPDX-License-Identifier: MIT */
/* cmd_scenario: `ioltp scenario [list]`, `ioltp scenario NAME|FILE TARGET [OPTIONS]`. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "cli/cli.h"
#include "cli/profiles.h"

static const char usage[] =
    "Usage: ioltp scenario [list]\n"
    "       ioltp scenario NAME|FILE TARGET [OPTIONS]\n\n"
    "Runs the stages of a scenario on a drive or a file; with 'list', shows those that there are.\n"
    "It is the same as 'ioltp raw TARGET --pts=NAME', and takes the same options: see\n"
    "'ioltp raw --help'.\n";

static int list(void)
{
	struct err err = ERR_INIT;

	if (profiles_list_scenarios(stdout, &err) == 0)
		return EXIT_OK;
	log_err(NULL, &err);
	return err.status;
}

/* The command line of `ioltp raw`: "scenario" becomes "raw", and NAME an option. */
static int run(const struct cli *cli, int argc, char **argv, int word, int name)
{
	char **args = calloc((size_t)argc + 1, sizeof(*args));
	struct strbuf test = STRBUF_INIT;
	char raw[] = "raw";
	int status = EXIT_RUN;

	strbuf_addf(&test, "--pts=%s", argv[name]);
	if (args != NULL && strbuf_str(&test)[0] != '\0') {
		memcpy(args, argv, (size_t)argc * sizeof(*args));
		args[word] = raw;
		args[name] = test.text;
		status = cmd_raw(cli, argc, args);
	} else {
		log_error(NULL, "out of memory");
	}
	strbuf_fini(&test);
	free(args);
	return status;
}

int cmd_scenario(const struct cli *cli, int argc, char **argv)
{
	int word = 1, name;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0) {
			fputs(usage, stdout);
			return EXIT_OK;
		}
	}
	while (argv[word][0] == '-')
		word++;
	for (name = word + 1; name < argc && argv[name][0] == '-'; name++)
		continue;
	if (name < argc && strcmp(argv[name], "list") != 0)
		return run(cli, argc, argv, word, name);
	return list();
}
