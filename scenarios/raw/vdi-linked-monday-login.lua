-- SPDX-License-Identifier: MIT
-- Virtual desktops, linked clone, Monday login.
return {
	title = "VDI linked clone, Monday login, 25/75, 16 outstanding",
	modelled = "published reviews of one drive: peak IOPS times latency gives the I/Os "
		.. "outstanding, and the drive's cap of 206 MiB/s of writes over its peak IOPS "
		.. "bounds what is written per I/O (20.3 KiB; here 19.95). Sizes and random share "
		.. "are assumed within that.",
	oio = 16,
	streams = {
		{
			name = "desktops",
			rw = "randrw",
			rwmixread = 25,
			bs = "4k/25,16k/20,32k/40,64k/15",
			percentage_random = 60,
		},
	},
}
