/* SPDX-License-Identifier: MIT */
/*
 * How answers are waited for. MariaDB Connector/C asks the socket without waiting, then polls, then
 * asks again: most of what a short statement costs the client is these system calls. By TCP one
 * that waits does the same. On a Unix socket that would be woken twice, when the server takes the
 * request and when it answers; there a poll comes first. So the library's read function is replaced
 * on connections without TLS, as long as it is the library whose headers we were built with.
 */
#include "sql/drv_mysql.h"

#ifdef HAVE_MARIADB

#include <errno.h>
#include <fcntl.h>
#include <ma_pvio.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>

struct mydrv_reads {
	PVIO_METHODS methods; /* the library's, but for `read` */
	int fd;
	int timeout_ms; /* of polls; negative: none */
	bool by_poll;   /* a Unix socket */
	bool more;      /* the last read left something, as it seems */
};

static bool wait_readable(const struct mydrv_reads *reads)
{
	struct pollfd fd = {.fd = reads->fd, .events = POLLIN};
	int n;

	do
		n = poll(&fd, 1, reads->timeout_ms);
	while (n < 0 && errno == EINTR);
	return n > 0;
}

/* 0: the server closed; -1: failed, or the time was over. */
static ssize_t read_waiting(MARIADB_PVIO *pvio, uchar *buffer, size_t room)
{
	struct mydrv_reads *reads = (struct mydrv_reads *)(void *)pvio->methods;
	ssize_t n;

	if (reads->by_poll && !reads->more && !wait_readable(reads))
		return -1;
	do
		n = recv(reads->fd, buffer, room, 0);
	while (n < 0 && errno == EINTR);
	reads->more = n == (ssize_t)room;
	return n;
}

/* Is everything as the headers say? */
static bool is_as_known(MYSQL *mysql)
{
	const MARIADB_PVIO *pvio = mysql->net.pvio;
	const int fd = mysql_get_socket(mysql);
	int flags;

	if (mysql_get_client_version() / 100 != MARIADB_PACKAGE_VERSION_ID / 100 || pvio == NULL ||
	    pvio->mysql != mysql || pvio->ctls != NULL || pvio->methods == NULL ||
	    pvio->methods->read == NULL || fd < 0)
		return false;
	flags = fcntl(fd, F_GETFL);
	return flags >= 0 && (flags & O_NONBLOCK) == 0;
}

void mydrv_reads_tune(struct mydrv_conn *mc, unsigned timeout_s)
{
	const struct timeval timeout = {.tv_sec = timeout_s};
	MARIADB_PVIO *pvio = mc->mysql->net.pvio;
	struct mydrv_reads *reads;

	if (!is_as_known(mc->mysql))
		return;
	reads = malloc(sizeof(*reads));
	if (reads == NULL)
		return; /* the library's own way works too */
	*reads = (struct mydrv_reads){.methods = *pvio->methods,
	                              .fd = mysql_get_socket(mc->mysql),
	                              .timeout_ms = timeout_s != 0 ? (int)timeout_s * 1000 : -1,
	                              .by_poll = pvio->type == PVIO_TYPE_UNIXSOCKET};
	if (setsockopt(reads->fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) != 0) {
		free(reads);
		return;
	}
	reads->methods.read = read_waiting;
	pvio->methods = &reads->methods;
	mc->reads = reads;
}

void mydrv_reads_free(struct mydrv_conn *mc)
{
	free(mc->reads);
	mc->reads = NULL;
}

#else

void mydrv_reads_tune(struct mydrv_conn *mc, unsigned timeout_s)
{
	(void)mc;
	(void)timeout_s;
}

void mydrv_reads_free(struct mydrv_conn *mc)
{
	(void)mc;
}

#endif
