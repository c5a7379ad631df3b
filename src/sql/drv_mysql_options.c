/* SPDX-License-Identifier: MIT */
/* What the user may say about the server and the way to it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/units.h"
#include "sql/drv_mysql.h"

const struct opt_desc mydrv_options[] = {
    {.name = "mysql-host",
     .type = OPT_LIST,
     .def = "localhost",
     .help = "server host; localhost is reached by its socket, 127.0.0.1 by TCP; clients are "
             "spread evenly over all hosts and ports of the lists"},
    {.name = "mysql-port",
     .type = OPT_LIST,
     .def = "3306",
     .range = "1..65535",
     .help = "server port, for TCP"},
    {.name = "mysql-socket",
     .type = OPT_LIST,
     .help = "socket file of a server on this machine, in place of host and port"},
    {.name = "mysql-user", .type = OPT_STRING, .def = "sbtest", .help = "user"},
    {.name = "mysql-password",
     .type = OPT_STRING,
     .def = "",
     .flags = OPT_SECRET,
     .help = "password; better in --mysql-password-file, an option file or $MYSQL_PWD"},
    {.name = "mysql-password-file",
     .type = OPT_FILE,
     .help = "file whose first line is the password"},
    {.name = "mysql-db", .type = OPT_STRING, .def = "sbtest", .help = "database"},
    {.name = "mysql-defaults-file",
     .type = OPT_FILE,
     .help = "option file to read in place of ~/.my.cnf: user, password, host, port, socket, "
             "database and ssl-* of its groups [client] and [ioltp] are what options leave open"},
    {.name = "mysql-ssl",
     .type = OPT_ENUM,
     .def = "off",
     .choices = "off|on|preferred|required|verify-ca|verify-identity|disabled",
     .flags = OPT_SWITCH,
     .help = "encrypt connections: on, the same as required, fails without; preferred goes on "
             "without; verify-ca also checks the server's certificate (as every mode does when a "
             "CA is given), verify-identity its host name too; giving a key, certificate or CA "
             "means on"},
    {.name = "mysql-ssl-key", .type = OPT_FILE, .help = "own private key, PEM"},
    {.name = "mysql-ssl-ca", .type = OPT_FILE, .help = "certificates of trusted authorities, PEM"},
    {.name = "mysql-ssl-cert", .type = OPT_FILE, .help = "own certificate, PEM"},
    {.name = "mysql-ssl-cipher",
     .type = OPT_STRING,
     .def = "",
     .help = "ciphers to allow, in OpenSSL's names"},
    {.name = "mysql-compression",
     .type = OPT_ENUM,
     .def = "off",
     .choices = "off|on|zlib|zstd",
     .flags = OPT_SWITCH,
     .help = "compress what goes over the connection; on is zlib"},
    {.name = "mysql-connect-timeout",
     .type = OPT_TIME,
     .def = "10",
     .range = "1..3600",
     .help = "longest wait for a connection"},
    {.name = "mysql-read-timeout",
     .type = OPT_TIME,
     .def = "0",
     .range = "0..86400",
     .help = "longest wait for an answer, after which the connection counts as lost; 0: for ever"},
    {.name = "mysql-local-infile",
     .type = OPT_BOOL,
     .def = "on",
     .help = "load tables by LOAD DATA LOCAL where the server allows it; off: by arrays of rows or "
             "multi-row INSERTs"},
    {.name = "mysql-ignore-errors",
     .type = OPT_LIST,
     .def = "1213,1020,1205",
     .help = "errors after which the transaction is rolled back and run again: numbers, SQLSTATEs "
             "or all"},
    {.name = "mysql-dry-run",
     .type = OPT_BOOL,
     .def = "off",
     .help = "no server: every call succeeds and no statement gives rows"},
    {.name = "mysql-debug",
     .type = OPT_BOOL,
     .def = "off",
     .help = "log every call of the client library (slow)"},
    OPT_END};

/* ---- single values: option, else option file, else default ---- */

static const char *choose(const struct opt_set *set, const char *name, const char *from_file)
{
	return !opt_given(set, name) && from_file != NULL ? from_file : opt_str(set, name);
}

static int read_password_file(struct sql_env *env, struct mydrv_env *me, const char *path,
                              struct err *err)
{
	FILE *in = fopen(path, "re");
	struct stat st;
	size_t room = 0;

	if (in == NULL)
		return err_usage(err, "%s: %s; correct --mysql-password-file", path,
		                 strerror(errno));
	if (fstat(fileno(in), &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & S_IROTH) != 0)
		log_warn(env->log,
		         "%s: anybody on this machine may read the password; chmod 600 it", path);
	if (getline(&me->password_text, &room, in) < 0) {
		fclose(in);
		free(me->password_text); /* holds no text */
		me->password_text = NULL;
		return err_usage(err, "%s: it is empty; its first line must be the password", path);
	}
	fclose(in);
	me->password_text[strcspn(me->password_text, "\r\n")] = '\0';
	me->password = me->password_text;
	return 0;
}

static int set_password(struct sql_env *env, struct mydrv_env *me, struct err *err)
{
	const char *path = opt_str(env->options, "mysql-password-file");
	const char *from_env = getenv("MYSQL_PWD");

	if (path != NULL && opt_given(env->options, "mysql-password"))
		return err_usage(err, "--mysql-password-file: --mysql-password was given as well; "
		                      "leave one out");
	if (path != NULL)
		return read_password_file(env, me, path, err);
	me->password = opt_str(env->options, "mysql-password");
	if (opt_given(env->options, "mysql-password"))
		return 0;
	if (me->file.password != NULL)
		me->password = me->file.password;
	else if (from_env != NULL)
		me->password = from_env;
	return 0;
}

/* ---- TLS and compression ---- */

static enum mydrv_tls tls_mode(const char *word, bool has_ca)
{
	static const struct {
		const char *word;
		enum mydrv_tls tls;
	} modes[] = {
	    {"off", MYDRV_TLS_OFF},
	    {"disabled", MYDRV_TLS_OFF},
	    {"preferred", MYDRV_TLS_PREFERRED},
	    {"verify-ca", MYDRV_TLS_VERIFY_CA},
	    {"verify-identity", MYDRV_TLS_VERIFY_IDENTITY},
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(modes[i].word, word) == 0)
			return modes[i].tls;
	}
	return has_ca ? MYDRV_TLS_VERIFY_CA : MYDRV_TLS_REQUIRED;
}

static int set_tls(struct sql_env *env, struct mydrv_env *me, struct err *err)
{
	const struct opt_set *set = env->options;
	const char *mode = opt_str(set, "mysql-ssl");

	me->ssl_key = choose(set, "mysql-ssl-key", me->file.ssl_key);
	me->ssl_ca = choose(set, "mysql-ssl-ca", me->file.ssl_ca);
	me->ssl_cert = choose(set, "mysql-ssl-cert", me->file.ssl_cert);
	me->ssl_cipher = choose(set, "mysql-ssl-cipher", me->file.ssl_cipher);
	if (me->ssl_cipher[0] == '\0')
		me->ssl_cipher = NULL;
	if (!opt_given(set, "mysql-ssl") &&
	    (me->ssl_key != NULL || me->ssl_ca != NULL || me->ssl_cert != NULL))
		mode = "on";
	me->tls = tls_mode(mode, me->ssl_ca != NULL);
	if (me->tls >= MYDRV_TLS_VERIFY_CA && me->ssl_ca == NULL)
		return err_usage(err,
		                 "--mysql-ssl=%s: no authority to trust is known; give "
		                 "--mysql-ssl-ca=FILE",
		                 mode);
	if ((me->ssl_key == NULL) != (me->ssl_cert == NULL))
		return err_usage(err,
		                 "--mysql-ssl-%s: a key and its certificate belong together; give "
		                 "--mysql-ssl-%s=FILE too",
		                 me->ssl_key != NULL ? "key" : "cert",
		                 me->ssl_key != NULL ? "cert" : "key");
	return 0;
}

static int set_compression(struct sql_env *env, struct mydrv_env *me, struct err *err)
{
	const char *word = opt_str(env->options, "mysql-compression");

	if (strcmp(word, "off") == 0)
		return 0;
	me->compression = strcmp(word, "on") == 0 ? "zlib" : word;
	if (!mydrv_has_compression(me->compression))
		return err_usage(err,
		                 "--mysql-compression=%s: this build's client library (%s) does "
		                 "not have it; use zlib",
		                 word, MYDRV_LIBRARY);
	return 0;
}

/* ---- targets ---- */

static int add_target(struct mydrv_env *me, struct mydrv_target target, struct err *err)
{
	struct mydrv_target *targets =
	    realloc(me->targets, (me->ntargets + 1) * sizeof(*me->targets));

	if (targets == NULL)
		return err_run(err, "out of memory");
	me->targets = targets;
	targets[me->ntargets++] = target;
	return 0;
}

static int add_socket(struct mydrv_env *me, const char *path, struct err *err)
{
	/* Longer than that and the library would cut it to another file's name. */
	if (strlen(path) > 107 || path[0] == '\0')
		return err_usage(err,
		                 "--mysql-socket=%s: a socket's path has 1 to 107 bytes; use a "
		                 "shorter one",
		                 path);
	return add_target(me, (struct mydrv_target){.host = "localhost", .socket = path}, err);
}

/* Every port of one host; no port was given: the library's default. */
static int add_host(struct sql_env *env, struct mydrv_env *me, const char *host, struct err *err)
{
	const char *const *ports = NULL;
	unsigned n = opt_given(env->options, "mysql-port")
	                 ? opt_list(env->options, "mysql-port", &ports)
	                 : 0;
	int64_t port = 0;
	int rc = 0;

	if (host[0] == '\0')
		return err_usage(err,
		                 "--mysql-host: an element of the list is empty; remove a comma");
	if (n == 0) {
		if (me->file.port != NULL &&
		    (units_parse_int(me->file.port, &port) != 0 || port < 1 || port > 65535))
			return err_usage(err, "option file: port=%s is not 1..65535; correct it",
			                 me->file.port);
		return add_target(me, (struct mydrv_target){.host = host, .port = (unsigned)port},
		                  err);
	}
	for (unsigned i = 0; i < n && rc == 0; i++) {
		if (units_parse_int(ports[i], &port) != 0)
			return err_usage(err, "--mysql-port=%s: must be a whole number", ports[i]);
		rc = add_target(me, (struct mydrv_target){.host = host, .port = (unsigned)port},
		                err);
	}
	return rc;
}

static int set_targets(struct sql_env *env, struct mydrv_env *me, struct err *err)
{
	const struct opt_set *set = env->options;
	const bool by_host = opt_given(set, "mysql-host") || opt_given(set, "mysql-port");
	const char *const *items;
	unsigned n = opt_list(set, "mysql-socket", &items);
	int rc = 0;

	for (unsigned i = 0; i < n && rc == 0; i++)
		rc = add_socket(me, items[i], err);
	if (n != 0 || rc != 0)
		return rc;
	if (!by_host && me->file.socket != NULL && me->file.host == NULL)
		return add_socket(me, me->file.socket, err);
	if (!opt_given(set, "mysql-host") && me->file.host != NULL)
		return add_host(env, me, me->file.host, err);
	n = opt_list(set, "mysql-host", &items);
	for (unsigned i = 0; i < n && rc == 0; i++)
		rc = add_host(env, me, items[i], err);
	if (rc == 0 && n == 0)
		return err_usage(err, "--mysql-host: the list is empty; name a host");
	return rc;
}

/* ---- open and close ---- */

static unsigned seconds(const struct opt_set *set, const char *name)
{
	return (unsigned)((opt_time_ns(set, name) + 999999999u) / 1000000000u);
}

static int read_options(struct sql_env *env, struct mydrv_env *me, struct err *err)
{
	const struct opt_set *set = env->options;
	int rc;

	me->dry_run = opt_bool(set, "mysql-dry-run");
	me->trace = opt_bool(set, "mysql-debug");
	me->no_infile = !opt_bool(set, "mysql-local-infile");
	me->connect_timeout_s = seconds(set, "mysql-connect-timeout");
	me->read_timeout_s = seconds(set, "mysql-read-timeout");
	rc = mydrv_file_read(&me->file, opt_str(set, "mysql-defaults-file"), env->log, err);
	if (rc != 0)
		return rc;
	me->user = choose(set, "mysql-user", me->file.user);
	me->db = choose(set, "mysql-db", me->file.database);
	rc = set_password(env, me, err);
	if (rc == 0)
		rc = set_tls(env, me, err);
	if (rc == 0)
		rc = set_compression(env, me, err);
	if (rc == 0)
		rc = set_targets(env, me, err);
	return rc;
}

static void free_env(struct mydrv_env *me)
{
	mydrv_file_fini(&me->file);
	if (me->password_text != NULL)
		explicit_bzero(me->password_text, strlen(me->password_text));
	free(me->password_text);
	free(me->targets);
	free(me);
}

int mydrv_open(struct sql_env *env, struct err *err)
{
	struct mydrv_env *me = calloc(1, sizeof(*me));
	int rc;

	if (me == NULL)
		return err_run(err, "out of memory");
	rc = read_options(env, me, err);
	if (rc == 0 && mysql_library_init(0, NULL, NULL) != 0)
		rc = err_run(err, "mysql: the client library (%s) does not start; reinstall it",
		             MYDRV_LIBRARY);
	if (rc != 0) {
		free_env(me);
		return rc;
	}
	env->impl = me;
	return 0;
}

void mydrv_close(struct sql_env *env)
{
	free_env(env->impl);
	mysql_library_end();
}

unsigned mydrv_targets(const struct sql_env *env, unsigned i, struct strbuf *name)
{
	const struct mydrv_env *me = env->impl;
	const struct mydrv_target *target = &me->targets[i % me->ntargets];

	if (name != NULL && target->socket != NULL)
		strbuf_adds(name, target->socket);
	else if (name != NULL)
		strbuf_addf(name, "%s:%u", target->host, target->port != 0 ? target->port : 3306);
	return me->ntargets;
}
