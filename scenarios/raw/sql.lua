-- SPDX-License-Identifier: MIT
-- An SQL database on the drive with 100 % reads. The log is not modelled apart.
return {
	title = "SQL database, 100/0, 8K, 32 outstanding",
	modelled = "published reviews of one drive: peak IOPS times latency gives the I/Os "
		.. "outstanding, and the drive's cap of 206 MiB/s of writes over its peak IOPS "
		.. "bounds what is written per I/O (1 KiB; here 0). Page size and the 80 % of reads "
		.. "that are random are assumed.",
	oio = 32,
	streams = {
		{ name = "db", rw = "randread", bs = "8k", percentage_random = 80 },
	},
}
