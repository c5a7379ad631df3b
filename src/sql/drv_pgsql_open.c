/* SPDX-License-Identifier: MIT */
/* Options of the PostgreSQL driver. What was not given is left to libpq where the user has told it
 * something (service, environment), and is sysbench's default else. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sql/drv_pgsql.h"

const struct opt_desc pgsql_options[] = {
    {.name = "pgsql-host",
     .type = OPT_LIST,
     .def = "localhost",
     .help = "servers, spread over the threads: names, addresses or folders of Unix sockets; "
             "$PGHOST when not given"},
    {.name = "pgsql-port",
     .type = OPT_LIST,
     .def = "5432",
     .range = "1..65535",
     .help = "port of all servers, or a list with one for each; $PGPORT when not given"},
    {.name = "pgsql-user",
     .type = OPT_STRING,
     .def = "sbtest",
     .help = "user to connect as; $PGUSER when not given"},
    {.name = "pgsql-password",
     .type = OPT_STRING,
     .def = "",
     .flags = OPT_SECRET,
     .help = "password, which other users of this machine can see in the list of processes; better "
             "are "
             "--pgsql-password-file, ~/.pgpass and $PGPASSWORD"},
    {.name = "pgsql-password-file",
     .type = OPT_FILE,
     .help = "file whose first line is the password"},
    {.name = "pgsql-db",
     .type = OPT_STRING,
     .def = "sbtest",
     .help = "database; $PGDATABASE when not given"},
    {.name = "pgsql-schema",
     .type = OPT_STRING,
     .def = "",
     .help = "schema of the tables: becomes the search_path"},
    {.name = "pgsql-options",
     .type = OPT_STRING,
     .def = "",
     .help = "settings of each session, as in \"-c work_mem=64MB -c jit=off\"; $PGOPTIONS when not "
             "given"},
    {.name = "pgsql-service",
     .type = OPT_STRING,
     .def = "",
     .help = "take what is not given here from this service of ~/.pg_service.conf; $PGSERVICE when "
             "not given"},
    {.name = "pgsql-sslmode",
     .type = OPT_ENUM,
     .def = "prefer",
     .choices = "disable|allow|prefer|require|verify-ca|verify-full",
     .help = "whether to use TLS, and what to verify; $PGSSLMODE when not given"},
    {.name = "pgsql-sslrootcert",
     .type = OPT_FILE,
     .help = "certificates of the authorities that may sign the server's"},
    {.name = "pgsql-sslcert", .type = OPT_FILE, .help = "certificate of the client"},
    {.name = "pgsql-sslkey", .type = OPT_FILE, .help = "private key to the client's certificate"},
    {.name = "pgsql-connect-timeout",
     .type = OPT_TIME,
     .def = "10",
     .help = "give up connecting after so long; 0: never"},
    {.name = "pgsql-statement-timeout",
     .type = OPT_TIME,
     .def = "0",
     .help = "take the connection for lost when a statement has no answer for so long; 0: never"},
    {.name = "pgsql-ignore-errors",
     .type = OPT_LIST,
     /* 23505: of two transactions that delete and insert the same row, READ COMMITTED lets the
      * second find nothing to delete and then a row in its way. */
     .def = "40001,40P01,23505",
     .help = "SQLSTATEs after which the event is run again, or `all`"},
    OPT_END,
};

/* The option; when it was not given, NULL where libpq knows better, else the default. */
static const char *option_or_env(const struct sql_env *env, const char *name, const char *variable,
                                 bool in_service)
{
	if (!opt_given(env->options, name) && (getenv(variable) != NULL || in_service))
		return NULL;
	return opt_str(env->options, name);
}

static int bad_ports(const struct pgsql_env *pe, struct err *err)
{
	return err_usage(err,
	                 "--pgsql-port: %u ports for %u hosts; give one port for all hosts, or one "
	                 "for each",
	                 pe->nports, pe->nhosts);
}

static int read_targets(struct sql_env *env, struct pgsql_env *pe, bool in_service, struct err *err)
{
	if (opt_given(env->options, "pgsql-host") || (getenv("PGHOST") == NULL && !in_service))
		pe->nhosts = opt_list(env->options, "pgsql-host", &pe->hosts);
	if (opt_given(env->options, "pgsql-port") || (getenv("PGPORT") == NULL && !in_service))
		pe->nports = opt_list(env->options, "pgsql-port", &pe->ports);
	for (unsigned i = 0; i < pe->nhosts; i++)
		if (pe->hosts[i][0] == '\0')
			return err_usage(err,
			                 "--pgsql-host: element %u of the list is empty; drop "
			                 "the comma too much",
			                 i + 1);
	if (pe->nports > 1 && pe->nhosts > 1 && pe->nports != pe->nhosts)
		return bad_ports(pe, err);
	return 0;
}

static int read_password_file(struct pgsql_env *pe, const char *path, struct err *err)
{
	FILE *file = fopen(path, "r");
	size_t room = 0;
	ssize_t len;
	int rc = 0;

	if (file == NULL)
		return err_usage(err, "--pgsql-password-file=%s: %s; name a readable file", path,
		                 strerror(errno));
	len = getline(&pe->password, &room, file);
	if (len < 0)
		rc =
		    err_usage(err,
		              "--pgsql-password-file=%s: the file is empty; its first line must be "
		              "the password",
		              path);
	else if (len > 0 && pe->password[len - 1] == '\n')
		pe->password[len - 1] = '\0';
	fclose(file);
	return rc;
}

static int read_password(struct sql_env *env, struct pgsql_env *pe, struct err *err)
{
	const char *path = opt_str(env->options, "pgsql-password-file");
	const char *password = opt_str(env->options, "pgsql-password");

	if (path != NULL && password[0] != '\0')
		return err_usage(err,
		                 "--pgsql-password-file: --pgsql-password is given too; give one "
		                 "of them");
	if (path != NULL)
		return read_password_file(pe, path, err);
	if (password[0] == '\0')
		return 0;
	pe->password = strdup(password);
	return pe->password != NULL ? 0 : err_run(err, "out of memory");
}

/* "-c search_path=..." behind what the user gave; blanks and backslashes are escaped for the
 * server's own splitting, quotes of the identifier are doubled. */
static int read_server_options(struct sql_env *env, struct pgsql_env *pe, struct err *err)
{
	const char *given = opt_str(env->options, "pgsql-options");
	const char *schema = opt_str(env->options, "pgsql-schema");
	struct strbuf text = STRBUF_INIT;

	/* Then ours would hide it. */
	if (given[0] == '\0' && schema[0] != '\0' && getenv("PGOPTIONS") != NULL)
		given = getenv("PGOPTIONS");
	if (given[0] == '\0' && schema[0] == '\0')
		return 0;
	strbuf_adds(&text, given);
	if (schema[0] != '\0')
		strbuf_adds(&text, " -c search_path=\"");
	for (; *schema != '\0'; schema++) {
		if (*schema == ' ' || *schema == '\\')
			strbuf_addc(&text, '\\');
		if (*schema == '"')
			strbuf_addc(&text, '"');
		strbuf_addc(&text, *schema);
	}
	if (opt_str(env->options, "pgsql-schema")[0] != '\0')
		strbuf_addc(&text, '"');
	pe->server_options = strbuf_take(&text);
	return pe->server_options != NULL ? 0 : err_run(err, "out of memory");
}

static void read_plain(struct sql_env *env, struct pgsql_env *pe, bool in_service)
{
	const struct opt_set *set = env->options;
	const char *service = opt_str(set, "pgsql-service");

	pe->service = service[0] != '\0' ? service : NULL;
	pe->user = option_or_env(env, "pgsql-user", "PGUSER", in_service);
	pe->db = option_or_env(env, "pgsql-db", "PGDATABASE", in_service);
	pe->sslmode = option_or_env(env, "pgsql-sslmode", "PGSSLMODE", in_service);
	pe->sslrootcert = opt_str(set, "pgsql-sslrootcert");
	pe->sslcert = opt_str(set, "pgsql-sslcert");
	pe->sslkey = opt_str(set, "pgsql-sslkey");
	pe->statement_timeout_ns = opt_time_ns(set, "pgsql-statement-timeout");
	pe->connect_timeout_ns = opt_time_ns(set, "pgsql-connect-timeout");
	if (!opt_given(set, "pgsql-connect-timeout") && getenv("PGCONNECT_TIMEOUT") != NULL) {
		const long seconds = strtol(getenv("PGCONNECT_TIMEOUT"), NULL, 10);

		pe->connect_timeout_ns = seconds > 0 ? (uint64_t)seconds * 1000000000u : 0;
	}
}

int pgsql_open(struct sql_env *env, struct err *err)
{
	struct pgsql_env *pe = calloc(1, sizeof(*pe));
	bool in_service;
	int rc;

	if (pe == NULL)
		return err_run(err, "out of memory");
	in_service =
	    getenv("PGSERVICE") != NULL || opt_str(env->options, "pgsql-service")[0] != '\0';
	read_plain(env, pe, in_service);
	rc = read_targets(env, pe, in_service, err);
	if (rc == 0)
		rc = read_password(env, pe, err);
	if (rc == 0)
		rc = read_server_options(env, pe, err);
	env->impl = pe;
	if (rc != 0)
		pgsql_close(env);
	return rc;
}

void pgsql_close(struct sql_env *env)
{
	struct pgsql_env *pe = env->impl;

	free(pe->password);
	free(pe->server_options);
	free(pe);
	env->impl = NULL;
}

unsigned pgsql_targets(const struct sql_env *env, unsigned i, struct strbuf *name)
{
	const struct pgsql_env *pe = env->impl;
	const unsigned n = pe->nhosts > pe->nports ? pe->nhosts : pe->nports;
	const char *host = pe->nhosts != 0 ? pe->hosts[i % pe->nhosts] : getenv("PGHOST");
	const char *port = pe->nports != 0 ? pe->ports[i % pe->nports] : getenv("PGPORT");

	if (name != NULL) {
		host = host != NULL ? host : "localhost";
		/* A folder: of the server's socket. */
		strbuf_addf(name, host[0] == '/' ? "%s/.s.PGSQL.%s" : "%s:%s", host,
		            port != NULL ? port : "5432");
	}
	return n != 0 ? n : 1;
}
