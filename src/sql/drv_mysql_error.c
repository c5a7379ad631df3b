/* SPDX-License-Identifier: MIT */
/* What the library and the server say went wrong, and what that means for the caller. */
#include <errno.h>
#include <mysqld_error.h>

#include "sql/drv_mysql.h"

/* Numbers that one of the two header sets does not name. */
enum {
	CONNECTION_KILLED = 1927,          /* MariaDB */
	SERVER_SHUTDOWN_MYSQL = 3169,      /* session was killed */
	SERVER_ISNT_AVAILABLE = 3168,      /* MySQL */
	CLIENT_INTERACTION_TIMEOUT = 4031, /* MySQL: idle too long */
	LOST_EXTENDED = 2055,
	STMT_CLOSED = 2056,
	PLUGIN_NOT_LOADED = 2059,
};

/* After these there is no connection any more, or none that can be trusted. */
static bool is_lost(unsigned code)
{
	static const unsigned short codes[] = {
	    ER_SERVER_SHUTDOWN,
	    ER_FORCING_CLOSE,
	    ER_ABORTING_CONNECTION,
	    ER_NET_READ_ERROR_FROM_PIPE,
	    ER_NET_FCNTL_ERROR,
	    ER_NET_PACKETS_OUT_OF_ORDER,
	    ER_NET_UNCOMPRESS_ERROR,
	    ER_NET_READ_ERROR,
	    ER_NET_READ_INTERRUPTED,
	    ER_NET_ERROR_ON_WRITE,
	    ER_NET_WRITE_INTERRUPTED,
	    ER_NEW_ABORTING_CONNECTION,
	    CONNECTION_KILLED,
	    SERVER_ISNT_AVAILABLE,
	    SERVER_SHUTDOWN_MYSQL,
	    CLIENT_INTERACTION_TIMEOUT,
	    CR_SERVER_GONE_ERROR,
	    CR_SERVER_HANDSHAKE_ERR,
	    CR_SERVER_LOST,
	    CR_COMMANDS_OUT_OF_SYNC,
	    CR_MALFORMED_PACKET,
	    LOST_EXTENDED,
	    STMT_CLOSED,
	    CR_NEW_STMT_METADATA, /* rows are left unread */
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		if (codes[i] == code)
			return true;
	}
	return false;
}

/* A later try to connect may work. */
static bool is_passing(unsigned code)
{
	return is_lost(code) || code == CR_CONNECTION_ERROR || code == CR_CONN_HOST_ERROR ||
	       code == CR_UNKNOWN_HOST || code == ER_CON_COUNT_ERROR ||
	       code == ER_TOO_MANY_USER_CONNECTIONS || code == CR_SSL_CONNECTION_ERROR;
}

static void set(struct sql_conn *conn, unsigned code, const char *state, const char *text)
{
	struct mydrv_conn *mc = conn->impl;
	const bool lost = is_lost(code);

	if (code == 0) {
		code = CR_UNKNOWN_ERROR;
		text = "the client library failed without saying why";
	}
	sql_error_set(conn, lost ? SQL_LOST : SQL_FATAL, (int)code, state, "%s", text);
	/* Gone before the whole of it was sent; losing the answer is CR_SERVER_LOST. */
	conn->undone = code == CR_SERVER_GONE_ERROR;
	conn->more = false;
	mc->source = NULL;
	MYDRV_TRACE(conn, "error %u, state %s: %s", code, state, text);
	if (lost)
		mydrv_shut(mc->mysql);
}

void mydrv_failed(struct sql_conn *conn)
{
	MYSQL *mysql = ((struct mydrv_conn *)conn->impl)->mysql;

	set(conn, mysql_errno(mysql), mysql_sqlstate(mysql), mysql_error(mysql));
}

void mydrv_stmt_failed(struct sql_conn *conn, MYSQL_STMT *handle)
{
	set(conn, mysql_stmt_errno(handle), mysql_stmt_sqlstate(handle), mysql_stmt_error(handle));
}

void mydrv_no_memory(struct sql_conn *conn, const char *what)
{
	sql_error_set(conn, SQL_FATAL, ENOMEM, NULL, "out of memory for %s", what);
}

static const char *connect_advice(unsigned code)
{
	switch (code) {
	case ER_ACCESS_DENIED_ERROR:
	case ER_ACCESS_DENIED_NO_PASSWORD_ERROR:
		return "check --mysql-user and the password";
	case ER_DBACCESS_DENIED_ERROR:
		return "grant the user that database, or give another --mysql-db";
	case ER_BAD_DB_ERROR:
		return "create that database, or give another --mysql-db";
	case ER_CON_COUNT_ERROR:
	case ER_TOO_MANY_USER_CONNECTIONS:
		return "use fewer --threads, or raise max_connections of the server";
	case ER_HOST_IS_BLOCKED:
	case ER_HOST_NOT_PRIVILEGED:
		return "let the server accept this machine (FLUSH HOSTS, GRANT)";
	case CR_UNKNOWN_HOST:
		return "check --mysql-host";
	case CR_SSL_CONNECTION_ERROR:
		return "check --mysql-ssl and the files given with it, and the server's TLS "
		       "settings";
	case PLUGIN_NOT_LOADED:
	case ER_NOT_SUPPORTED_AUTH_MODE:
		return "use a user whose authentication plugin this client library has";
	case CR_CONNECTION_ERROR:
	case CR_CONN_HOST_ERROR:
	case CR_SERVER_GONE_ERROR:
	case CR_SERVER_LOST:
		return "is the server running? check --mysql-host, --mysql-port and --mysql-socket";
	default:
		return "check the --mysql options and the server's log";
	}
}

void mydrv_connect_failed(struct sql_conn *conn, const struct mydrv_target *target, unsigned code,
                          const char *state, const char *text)
{
	char where[160];

	if (target->socket != NULL)
		snprintf(where, sizeof(where), "%s", target->socket);
	else if (target->port != 0)
		snprintf(where, sizeof(where), "%s:%u", target->host, target->port);
	else
		snprintf(where, sizeof(where), "%s", target->host);
	sql_error_set(conn, is_passing(code) ? SQL_LOST : SQL_FATAL, (int)code, state,
	              "mysql: %s: %s (%u); %s", where, text, code, connect_advice(code));
	MYDRV_TRACE(conn, "error %u: %s", code, text);
}
