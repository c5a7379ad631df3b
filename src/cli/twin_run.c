/* SPDX-License-Identifier: MIT */
#include "cli/twin_run.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/twin.h"

#define OUTPUT_DEFAULT "ioltp.json"

const struct opt_desc twin_run_options[] = {
    {.name = "twin",
     .type = OPT_BOOL,
     .def = "off",
     .help = "capture the run's I/O, and replay its synthetic twin afterwards, as 'ioltp twin' "
             "does; the result goes to " OUTPUT_DEFAULT " where --output names no file, the twin's "
             "to NAME.twin.json beside it"},
    {.name = "twin-time",
     .type = OPT_TIME,
     .def = "10",
     .range = "1ms..",
     .help = "length of each replay"},
    OPT_END,
};

int twin_run_settle(struct opt_set *options, struct err *err)
{
	int rc = 0;

	if (!opt_bool(options, "twin"))
		return 0;
	if (strcmp(opt_str(options, "format"), "text") != 0)
		return err_usage(err,
		                 "--twin: its table would follow the document on standard output; "
		                 "leave --format out, or run 'ioltp twin RESULT' afterwards");
	if (strcmp(opt_str(options, "capture"), "off") == 0)
		rc = opt_assign(options, "capture", "auto", err);
	if (rc == 0 && opt_str(options, "output") == NULL)
		rc = opt_assign(options, "output", OUTPUT_DEFAULT, err);
	return rc;
}

int twin_run_after(const struct cli *cli, const struct opt_set *options, int status)
{
	char program[] = "ioltp", word[] = "twin", result[PATH_MAX], time[64];
	char output[PATH_MAX + 32], verbosity[32];
	char *argv[] = {program, word, result, time, output, verbosity};

	if (!opt_bool(options, "twin") || status != EXIT_OK)
		return status;
	snprintf(result, sizeof(result), "%s", opt_str(options, "output"));
	snprintf(time, sizeof(time), "--time=%lluns",
	         (unsigned long long)opt_time_ns(options, "twin-time"));
	snprintf(output, sizeof(output), "--output=%.*s.twin.json", twin_stem(result), result);
	snprintf(verbosity, sizeof(verbosity), "--verbosity=%d",
	         (int)opt_int(options, "verbosity"));
	printf("\n");
	return cmd_twin(cli, (int)(sizeof(argv) / sizeof(argv[0])), argv);
}
