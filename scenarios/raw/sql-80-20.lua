-- SPDX-License-Identifier: MIT
-- An SQL database on the drive with 80 % reads. The log is not modelled apart.
return {
	title = "SQL database, 80/20, 8K, 32 outstanding",
	modelled = "published reviews of one drive: peak IOPS times latency gives the I/Os "
		.. "outstanding, and the drive's cap of 206 MiB/s of writes over its peak IOPS "
		.. "bounds what is written per I/O (1.6 KiB; here 1.6). Page size and random shares "
		.. "(80 % of reads, 100 % of writes) are assumed.",
	oio = 32,
	streams = {
		{
			name = "db", rw = "randrw", rwmixread = 80, bs = "8k",
			percentage_random = 80, percentage_random_write = 100
		},
	},
}
