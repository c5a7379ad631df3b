/* SPDX-License-Identifier: MIT */
/*
 * Opens a target through the guard, as a raw run would, and for writing overwrites the first block:
 * a guard that lets something pass shows in the data. Arguments: read|write|hold TARGET
 * [--destroy-data=X]
 * [--file-size=BYTES]; "hold" keeps it open until standard input ends.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "raw/guard.h"

static int overwrite(const struct raw_target *t)
{
	void *block;
	ssize_t done;

	if (posix_memalign(&block, 4096, 4096) != 0)
		return 1;
	memset(block, 0xa5, 4096);
	done = pwrite(t->fd, block, 4096, 0);
	free(block);
	if (done != 4096 || fsync(t->fd) != 0) {
		perror("write");
		return 1;
	}
	return 0;
}

static void wait_for_end(void)
{
	fflush(stdout);
	while (getchar() != EOF)
		continue;
}

static int claim(const char *path)
{
	int fd = open(path, O_RDONLY | O_EXCL);

	if (fd < 0) {
		perror(path);
		return 1;
	}
	puts("claimed");
	wait_for_end();
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	struct guard_request q = {0};
	struct err err = ERR_INIT;
	struct raw_target t;
	int status = 0;

	if (argc < 3)
		return 99;
	if (strcmp(argv[1], "claim") == 0)
		return claim(argv[2]);
	q.path = argv[2];
	q.write = strcmp(argv[1], "read") != 0;
	for (int i = 3; i < argc; i++) {
		if (strncmp(argv[i], "--destroy-data=", 15) == 0)
			q.destroy_data = argv[i] + 15;
		else if (strncmp(argv[i], "--file-size=", 12) == 0)
			q.file_size_bytes = strtoull(argv[i] + 12, NULL, 10);
		else
			return 99;
	}
	if (guard_open(&t, &q, &err) != 0) {
		fprintf(stderr, "%s\n", err.text);
		return err.status;
	}
	printf("path=%s size=%llu lba=%u physical=%u direct=%d device=%d generic=%d writable=%d "
	       "nsid=%u serial=%s\n",
	       t.path, (unsigned long long)t.size_bytes, t.lba_bytes, t.physical_bytes, t.direct,
	       t.is_device, t.is_nvme_generic, t.writable, t.nsid, t.serial);
	if (strcmp(argv[1], "hold") == 0)
		wait_for_end();
	else if (q.write && !t.is_nvme_generic)
		status = overwrite(&t);
	guard_close(&t);
	return status;
}
