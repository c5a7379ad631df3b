-- SPDX-License-Identifier: MIT
-- An Oracle database on the drive with 72 % reads. The log is not modelled apart.
return {
	title = "Oracle database, 72/28, 8K, 36 outstanding",
	modelled = "published reviews of one drive: peak IOPS times latency gives the I/Os "
		.. "outstanding, and the drive's cap of 206 MiB/s of writes over its peak IOPS "
		.. "bounds what is written per I/O (2.22 KiB; here 2.24). Page size and random "
		.. "shares (80 % of reads, 80 % of writes) are assumed.",
	oio = 36,
	streams = {
		{
			name = "db", rw = "randrw", rwmixread = 72, bs = "8k",
			percentage_random = 80
		},
	},
}
