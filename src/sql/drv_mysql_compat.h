/* SPDX-License-Identifier: MIT */
/*
 * drv_mysql_compat: the one place that knows that there are two client libraries, MariaDB
 * Connector/C (HAVE_MARIADB) and Oracle's libmysqlclient. Everything else uses what both have, and
 * these few functions.
 */
#ifndef IOLTP_SQL_DRV_MYSQL_COMPAT_H
#define IOLTP_SQL_DRV_MYSQL_COMPAT_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errmsg.h>
#include <mysql.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

enum mydrv_tls {
	MYDRV_TLS_OFF,
	MYDRV_TLS_PREFERRED,       /* when the server has it */
	MYDRV_TLS_REQUIRED,        /* encrypted, whoever answers */
	MYDRV_TLS_VERIFY_CA,       /* and certified by our CA */
	MYDRV_TLS_VERIFY_IDENTITY, /* and for that host name */
};

#ifdef HAVE_MARIADB

#define MYDRV_LIBRARY "MariaDB Connector/C"

typedef my_bool mydrv_flag;

/*
 * Asks for TLS; files are set already. A CA that was set is checked in every mode. Whether the
 * connection is encrypted must be looked at afterwards: some versions go on without when the server
 * has no TLS, newer ones fail, and those would by default check a certificate where none is known.
 */
static inline void mydrv_set_tls(MYSQL *mysql, enum mydrv_tls tls)
{
	const my_bool ask = tls != MYDRV_TLS_OFF;
	const my_bool verify = tls == MYDRV_TLS_VERIFY_IDENTITY;

	mysql_options(mysql, MYSQL_OPT_SSL_ENFORCE, &ask);
	mysql_options(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
}

/* Compression by that name ("zlib", "zstd")? */
static inline bool mydrv_has_compression(const char *name)
{
	return __builtin_strcmp(name, "zlib") == 0;
}

static inline void mydrv_set_compression(MYSQL *mysql, const char *name)
{
	(void)name;
	mysql_options(mysql, MYSQL_OPT_COMPRESS, NULL);
}

/* Escapes for a literal in single quotes; `to` has 2 * len + 1 bytes. Returns the length. */
static inline size_t mydrv_escape(MYSQL *mysql, char *to, const char *from, size_t len)
{
	return mysql_real_escape_string(mysql, to, from, (unsigned long)len);
}

static inline int mydrv_socket(MYSQL *mysql)
{
	return mysql_get_socket(mysql);
}

/* Can the server run a statement for an array of rows? */
static inline bool mydrv_has_arrays(MYSQL *mysql)
{
	unsigned long caps = 0;

	if (mariadb_get_infov(mysql, MARIADB_CONNECTION_EXTENDED_SERVER_CAPABILITIES, &caps) != 0)
		return false;
	return (caps & (unsigned long)(MARIADB_CLIENT_STMT_BULK_OPERATIONS >> 32)) != 0;
}

static inline bool mydrv_set_array(MYSQL_STMT *stmt, unsigned rows)
{
	return mysql_stmt_attr_set(stmt, STMT_ATTR_ARRAY_SIZE, &rows) == 0;
}

/* Marks which rows of an array are NULL: one byte each, as mydrv_null says. */
static inline void mydrv_set_indicators(MYSQL_BIND *bind, char *indicators)
{
	bind->u.indicator = indicators;
}

static inline char mydrv_indicator(bool is_null)
{
	return is_null ? STMT_INDICATOR_NULL : STMT_INDICATOR_NONE;
}

#else

#define MYDRV_LIBRARY "libmysqlclient"

typedef bool mydrv_flag;

static inline void mydrv_set_tls(MYSQL *mysql, enum mydrv_tls tls)
{
	static const unsigned modes[] = {
	    [MYDRV_TLS_OFF] = SSL_MODE_DISABLED,
	    [MYDRV_TLS_PREFERRED] = SSL_MODE_PREFERRED,
	    [MYDRV_TLS_REQUIRED] = SSL_MODE_REQUIRED,
	    [MYDRV_TLS_VERIFY_CA] = SSL_MODE_VERIFY_CA,
	    [MYDRV_TLS_VERIFY_IDENTITY] = SSL_MODE_VERIFY_IDENTITY,
	};
	const bool get_key = true;

	mysql_options(mysql, MYSQL_OPT_SSL_MODE, &modes[tls]);
	/* Else caching_sha2_password, the default, cannot log in over an open TCP connection. */
	if (tls < MYDRV_TLS_REQUIRED)
		mysql_options(mysql, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &get_key);
}

static inline bool mydrv_has_compression(const char *name)
{
	(void)name;
	return true;
}

static inline void mydrv_set_compression(MYSQL *mysql, const char *name)
{
	mysql_options(mysql, MYSQL_OPT_COMPRESSION_ALGORITHMS, name);
}

static inline size_t mydrv_escape(MYSQL *mysql, char *to, const char *from, size_t len)
{
	return mysql_real_escape_string_quote(mysql, to, from, (unsigned long)len, '\'');
}

static inline int mydrv_socket(MYSQL *mysql)
{
	return mysql->net.fd;
}

static inline bool mydrv_has_arrays(MYSQL *mysql)
{
	(void)mysql;
	return false;
}

static inline bool mydrv_set_array(MYSQL_STMT *stmt, unsigned rows)
{
	(void)stmt;
	(void)rows;
	return false;
}

static inline void mydrv_set_indicators(MYSQL_BIND *bind, char *indicators)
{
	(void)bind;
	(void)indicators;
}

static inline char mydrv_indicator(bool is_null)
{
	return is_null;
}

#endif

/* The server's status flags after the last answer. */
static inline unsigned mydrv_status(const MYSQL *mysql)
{
	return mysql->server_status;
}

/* Makes sure that nothing more is said to a server that is lost, or hangs. */
static inline void mydrv_shut(MYSQL *mysql)
{
	const int fd = mydrv_socket(mysql);

	if (fd >= 0)
		shutdown(fd, SHUT_RDWR);
}

#endif
