/* SPDX-License-Identifier: MIT */
/* Whether a server answers, and whether a port is free. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "db/db_priv.h"

bool db_answers(const struct db_engine *e, const char *socket_path, int timeout_ms)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	struct timeval limit = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
	bool good;
	int fd;

	if (strlen(socket_path) >= sizeof(to.sun_path))
		return false;
	snprintf(to.sun_path, sizeof(to.sun_path), "%s", socket_path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	/* The limit is for connecting too: the queue of a server that hangs may be full. */
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	good = connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 && e->greeting(fd);
	close(fd);
	return good;
}

bool db_port_free(unsigned port)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
	                         .sin_port = htons((uint16_t)port),
	                         .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int on = 1;
	bool is_free;

	if (fd < 0)
		return true;
	/* As servers do: connections that just ended do not hold the port. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	is_free = bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(fd, 1) == 0;
	close(fd);
	return is_free;
}
