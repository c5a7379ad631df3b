-- SPDX-License-Identifier: MIT
-- Virtual desktops, full clone, initial login.
return {
	title = "VDI full clone, initial login, 25/75, 30 outstanding",
	modelled = "published reviews of one drive: peak IOPS times latency gives the I/Os "
		.. "outstanding, and the drive's cap of 206 MiB/s of writes over its peak IOPS "
		.. "bounds what is written per I/O (13.3 KiB; here 13.5). Sizes and random share are "
		.. "assumed within that.",
	oio = 30,
	streams = {
		{
			name = "desktops",
			rw = "randrw",
			rwmixread = 25,
			bs = "4k/40,8k/15,16k/15,32k/20,64k/10",
			percentage_random = 60,
		},
	},
}
