/* SPDX-License-Identifier: MIT */
/* Connections: made, ended, and what they know of themselves. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sql/drv_mysql.h"

void mydrv_trace(struct sql_conn *conn, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_notice(conn->env->log, "mysql: client %u: %s", conn->owner, text);
}

static void set_options(MYSQL *mysql, const struct mydrv_env *me, enum mydrv_tls tls)
{
	const unsigned on = 1;

	mysql_options(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	mysql_options(mysql, MYSQL_OPT_LOCAL_INFILE, &on);
	if (me->connect_timeout_s != 0)
		mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &me->connect_timeout_s);
	if (me->read_timeout_s != 0) {
		mysql_options(mysql, MYSQL_OPT_READ_TIMEOUT, &me->read_timeout_s);
		mysql_options(mysql, MYSQL_OPT_WRITE_TIMEOUT, &me->read_timeout_s);
	}
	if (me->compression != NULL)
		mydrv_set_compression(mysql, me->compression);
	if (tls != MYDRV_TLS_OFF) {
		mysql_options(mysql, MYSQL_OPT_SSL_KEY, me->ssl_key);
		mysql_options(mysql, MYSQL_OPT_SSL_CERT, me->ssl_cert);
		mysql_options(mysql, MYSQL_OPT_SSL_CA, me->ssl_ca);
		mysql_options(mysql, MYSQL_OPT_SSL_CIPHER, me->ssl_cipher);
	}
	mydrv_set_tls(mysql, tls);
}

/* One try. False: mc->mysql tells why, or is NULL. */
static bool try_connect(struct mydrv_conn *mc, const struct mydrv_env *me,
                        const struct mydrv_target *target, enum mydrv_tls tls)
{
	mc->mysql = mysql_init(NULL);
	if (mc->mysql == NULL)
		return false;
	set_options(mc->mysql, me, tls);
	mydrv_infile_handler(mc);
	return mysql_real_connect(mc->mysql, target->host, me->user, me->password,
	                          me->db[0] != '\0' ? me->db : NULL, target->port, target->socket,
	                          CLIENT_MULTI_STATEMENTS | CLIENT_MULTI_RESULTS) != NULL;
}

enum sql_call mydrv_connect(struct sql_conn *conn)
{
	const struct mydrv_env *me = mydrv_env(conn);
	const struct mydrv_target *target = &me->targets[conn->target % me->ntargets];
	struct mydrv_conn *mc = calloc(1, sizeof(*mc));
	bool good;

	conn->impl = mc;
	if (mc == NULL) {
		mydrv_no_memory(conn, "a connection");
		return CALL_DONE;
	}
	MYDRV_TRACE(conn, "connect to %s port %u socket %s as %s, database %s%s", target->host,
	            target->port, target->socket != NULL ? target->socket : "(default)", me->user,
	            me->db, me->dry_run ? " (dry run)" : "");
	if (me->dry_run)
		return CALL_DONE;
	good = try_connect(mc, me, target, me->tls);
	if (!good && me->tls == MYDRV_TLS_PREFERRED && mc->mysql != NULL &&
	    mysql_errno(mc->mysql) == CR_SSL_CONNECTION_ERROR) {
		mysql_close(mc->mysql);
		good = try_connect(mc, me, target, MYDRV_TLS_OFF);
	}
	if (mc->mysql == NULL)
		mydrv_no_memory(conn, "a connection");
	else if (!good)
		mydrv_connect_failed(conn, target, mysql_errno(mc->mysql),
		                     mysql_sqlstate(mc->mysql), mysql_error(mc->mysql));
	else if (me->tls >= MYDRV_TLS_REQUIRED && mysql_get_ssl_cipher(mc->mysql) == NULL)
		mydrv_connect_failed(conn, target, CR_SSL_CONNECTION_ERROR, "HY000",
		                     "TLS is required, but the server does not offer it");
	else
		mydrv_reads_tune(mc, me->read_timeout_s);
	return CALL_DONE;
}

void mydrv_disconnect(struct sql_conn *conn)
{
	struct mydrv_conn *mc = conn->impl;

	if (mc == NULL)
		return;
	MYDRV_TRACE(conn, "disconnect");
	mydrv_bulk_drop(mc);
	if (mc->mysql != NULL)
		mysql_close(mc->mysql);
	mydrv_reads_free(mc);
	free(mc);
}

bool mydrv_in_transaction(struct sql_conn *conn)
{
	const struct mydrv_conn *mc = conn->impl;

	return mc->mysql != NULL && (mydrv_status(mc->mysql) & SERVER_STATUS_IN_TRANS) != 0;
}

void mydrv_quote(struct sql_conn *conn, const char *text, size_t len, struct strbuf *out)
{
	struct mydrv_conn *mc = conn->impl;
	char *escaped = malloc(2 * len + 3);
	size_t n;

	if (escaped == NULL) {
		out->failed = true;
		return;
	}
	escaped[0] = '\'';
	if (mc->mysql != NULL) {
		n = 1 + mydrv_escape(mc->mysql, escaped + 1, text, len);
	} else {
		memcpy(escaped + 1, text, len);
		n = 1 + len;
	}
	escaped[n++] = '\'';
	strbuf_add(out, escaped, n);
	free(escaped);
}
