/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/cli.h"
#include "sql/driver.h"

/* The signal that asks to end. The one variable that a handler may set. */
static volatile sig_atomic_t stop_signal;

static void on_signal(int number)
{
	static const char told[] = "\nioltp: stopping; once more to quit at once\n";

	if (stop_signal != 0)
		_exit(128 + number);
	stop_signal = number;
	/* Only what is safe in a handler; if stderr is gone there is nobody to tell. */
	if (write(STDERR_FILENO, told, sizeof(told) - 1) < 0)
		return;
}

/* SQLite maps its WAL index: where the disk is full, touching a page of it that has no block yet
 * ends here. */
static void on_bus_error(int number)
{
	static const char told[] = "ioltp: fatal: a file mapped into memory could not be read or "
	                           "written: its disk is full or failing; "
	                           "free space there or use another\n";

	(void)number;
	if (write(STDERR_FILENO, told, sizeof(told) - 1) < 0)
		_exit(EXIT_RUN);
	_exit(EXIT_RUN);
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* A reader that went away is an error of the write, and not the end of a run whose result
	 * goes to a file. */
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
	action.sa_handler = on_bus_error;
	sigaction(SIGBUS, &action, NULL);
}

int main(int argc, char **argv)
{
	const struct cli cli = {.version = PACKAGE_VERSION, .signal = &stop_signal};
	struct err err = ERR_INIT;

	if (driver_check_all(&err) != 0) {
		log_err(NULL, &err);
		return EXIT_RUN;
	}
	catch_signals();
	return cli_main(&cli, argc, argv);
}
