/* SPDX-License-Identifier: MIT */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <string.h>

#include "sql/driver.h"

const struct opt_desc sql_options[] = {
    {.name = "db-driver",
     .type = OPT_STRING,
     .def = "sqlite",
     .help = "database driver to use; `help` lists those that are compiled in"},
    {.name = "db-ps-mode",
     .type = OPT_ENUM,
     .def = "auto",
     .choices = "auto|disable",
     .help =
         "prepared statements: as the engine has them, or sent as text with the parameters in it"},
    {.name = "db-cluster",
     .type = OPT_BOOL,
     .def = "off",
     .help = "the servers of a list of hosts, ports or sockets are one database: commands such as "
             "prepare and cleanup run once, spread over them, and not once for each"},
    {.name = "db-debug",
     .type = OPT_BOOL,
     .def = "off",
     .help = "log every statement and every error (slow)"},
    {.name = "db-hash",
     .type = OPT_BOOL,
     .def = "off",
     .help = "hash the text and the parameters of every statement, per connection, so that two "
             "runs can be "
             "proved to have made the same statements"},
    OPT_END};

const struct driver_ops *const *driver_all(void)
{
	static const struct driver_ops *const drivers[] = {
	    &driver_sqlite,
#ifdef HAVE_MYSQL
	    &driver_mysql,
#endif
#ifdef HAVE_PGSQL
	    &driver_pgsql,
#endif
	    &driver_null,   NULL,
	};

	return drivers;
}

const struct driver_ops *driver_find(const char *name)
{
	for (const struct driver_ops *const *ops = driver_all(); *ops != NULL; ops++)
		if (strcmp((*ops)->name, name) == 0)
			return *ops;
	return NULL;
}

void driver_print_all(FILE *out)
{
	for (const struct driver_ops *const *ops = driver_all(); *ops != NULL; ops++)
		fprintf(out, "  %-8s %s\n", (*ops)->name, (*ops)->title);
}

static int missing(const struct driver_ops *ops, const char *hook, struct err *err)
{
	return err_usage(err, "driver %s: its hook %s is missing; fix the table of that driver",
	                 ops->name, hook);
}

static int check_needs(const struct driver_ops *ops, unsigned cap, bool has, const char *hook,
                       struct err *err)
{
	if ((ops->caps & cap) != 0 && !has)
		return missing(ops, hook, err);
	return 0;
}

int driver_check(const struct driver_ops *ops, struct err *err)
{
	const struct {
		unsigned cap; /* 0: always needed */
		bool has;
		const char *hook;
	} hooks[] = {
	    {0, ops->open != NULL, "open"},
	    {0, ops->close != NULL, "close"},
	    {0, ops->connect != NULL, "connect"},
	    {0, ops->disconnect != NULL, "disconnect"},
	    {0, ops->in_transaction != NULL, "in_transaction"},
	    {0, ops->query != NULL, "query"},
	    {0, ops->fetch != NULL, "fetch"},
	    {0, ops->result_free != NULL, "result_free"},
	    {0, ops->quote != NULL, "quote"},
	    {0, ops->facts != NULL, "facts"},
	    {CAP_PREPARE, ops->prepare != NULL, "prepare"},
	    {CAP_PREPARE, ops->execute != NULL, "execute"},
	    {CAP_PREPARE, ops->stmt_close != NULL, "stmt_close"},
	    {CAP_MULTI_RESULT, ops->next_result != NULL, "next_result"},
	    {CAP_ASYNC, ops->poll != NULL, "poll"},
	    {CAP_ASYNC, ops->wait_fd != NULL, "wait_fd"},
	    {CAP_PIPELINE, ops->pipeline_begin != NULL, "pipeline_begin"},
	    {CAP_PIPELINE, ops->pipeline_end != NULL, "pipeline_end"},
	    {CAP_BULK, ops->bulk_begin != NULL, "bulk_begin"},
	    {CAP_BULK, ops->bulk_row != NULL, "bulk_row"},
	    {CAP_BULK, ops->bulk_end != NULL, "bulk_end"},
	};

	if (ops->name == NULL || ops->title == NULL)
		return err_usage(err, "driver %s: it has no name or no title; fix its table",
		                 ops->name != NULL ? ops->name : "(unnamed)");
	if (ops->options != NULL && ops->options_title == NULL)
		return err_usage(err, "driver %s: its options have no title; fix its table",
		                 ops->name);
	for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++) {
		if (hooks[i].cap == 0 && !hooks[i].has)
			return missing(ops, hooks[i].hook, err);
		if (check_needs(ops, hooks[i].cap, hooks[i].has, hooks[i].hook, err) != 0)
			return -EINVAL;
	}
	return 0;
}

int driver_check_all(struct err *err)
{
	for (const struct driver_ops *const *ops = driver_all(); *ops != NULL; ops++) {
		const int rc = driver_check(*ops, err);

		if (rc != 0)
			return rc;
	}
	return 0;
}
