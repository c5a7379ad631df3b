/* SPDX-License-Identifier: MIT */
/* cells: figures of short runs, as a table of many has them; what makes such tables and what
 * reports them both know this much. */
#ifndef IOLTP_RUN_CELLS_H
#define IOLTP_RUN_CELLS_H

#include <stdint.h>

struct cell_figures {
	double iops_per_s, bytes_per_s; /* reads and writes */
	double mean_ns, p99_ns, p99999_ns, max_ns;
	double elapsed_s;
	uint64_t written_bytes;
	uint64_t errors; /* I/Os that failed */
};

#endif
