/* SPDX-License-Identifier: MIT */
/*
 * For LD_PRELOAD: regular files lie on a drive of known speed. It has a write cache, so that writes
 * are as fast as ever, and a flush takes IOLTP_SLOW_FLUSH_US microseconds: one after another, so
 * many a second and never more, or side by side with IOLTP_SLOW_PARALLEL set. Nothing is flushed
 * for real, so that the drive below does not matter.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t drive = PTHREAD_MUTEX_INITIALIZER;

static int flush(int fd)
{
	const char *text = getenv("IOLTP_SLOW_FLUSH_US");
	long us = text != NULL ? strtol(text, NULL, 10) : 0;
	struct timespec left = {us / 1000000, us % 1000000 * 1000};
	int one_by_one = getenv("IOLTP_SLOW_PARALLEL") == NULL;
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -1;
	if (!S_ISREG(st.st_mode))
		return 0;
	if (one_by_one)
		pthread_mutex_lock(&drive);
	while (nanosleep(&left, &left) != 0 && errno == EINTR)
		continue;
	if (one_by_one)
		pthread_mutex_unlock(&drive);
	return 0;
}

int fsync(int fd)
{
	return flush(fd);
}

int fdatasync(int fd)
{
	return flush(fd);
}
