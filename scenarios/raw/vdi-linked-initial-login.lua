-- SPDX-License-Identifier: MIT
-- Virtual desktops, linked clone, initial login.
return {
	title = "VDI linked clone, initial login, 20/80, 8 outstanding",
	modelled = "published reviews of one drive: peak IOPS times latency gives the I/Os "
		.. "outstanding, and the drive's cap of 206 MiB/s of writes over its peak IOPS "
		.. "bounds what is written per I/O (21.2 KiB; here 21.28). Sizes and random share "
		.. "are assumed within that.",
	oio = 8,
	streams = {
		{
			name = "desktops",
			rw = "randrw",
			rwmixread = 20,
			bs = "4k/25,16k/20,32k/40,64k/15",
			percentage_random = 60,
		},
	},
}
