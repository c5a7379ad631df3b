-- SPDX-License-Identifier: MIT
-- Virtual desktops, full clone, Monday login.
return {
	title = "VDI full clone, Monday login, 35/65, 16 outstanding",
	modelled = "published reviews of one drive: peak IOPS times latency gives the I/Os "
		.. "outstanding, and the drive's cap of 206 MiB/s of writes over its peak IOPS "
		.. "bounds what is written per I/O (11.9 KiB; here 11.7). Sizes and random share are "
		.. "assumed within that.",
	oio = 16,
	streams = {
		{
			name = "desktops",
			rw = "randrw",
			rwmixread = 35,
			bs = "4k/40,8k/15,16k/15,32k/20,64k/10",
			percentage_random = 60,
		},
	},
}
