/* SPDX-License-Identifier: MIT */
#include "base/blockstat.h"

#include <stdio.h>

#include "base/sysfs.h"

bool blockstat_parse(struct blockstat *b, const char *text)
{
	unsigned long long v[17] = {0};
	int n = sscanf(
	    text,
	    "%llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu",
	    &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], &v[8], &v[9], &v[10], &v[11],
	    &v[12], &v[13], &v[14], &v[15], &v[16]);

	*b = (struct blockstat){
	    .reads = v[0],
	    .read_merges = v[1],
	    .read_sectors = v[2],
	    .read_ms = v[3],
	    .writes = v[4],
	    .write_merges = v[5],
	    .write_sectors = v[6],
	    .write_ms = v[7],
	    .in_flight = v[8],
	    .busy_ms = v[9],
	    .queue_ms = v[10],
	    .discards = v[11],
	    .discard_merges = v[12],
	    .discard_sectors = v[13],
	    .discard_ms = v[14],
	    .flushes = v[15],
	    .flush_ms = v[16],
	    .has_flushes = n >= 17,
	};
	return n >= 11;
}

bool blockstat_read(struct blockstat *b, const char *dir)
{
	char text[512];

	return sysfs_read("", text, sizeof(text), "%s/stat", dir) > 0 && blockstat_parse(b, text);
}
