-- SPDX-License-Identifier: MIT
-- Virtual desktops, linked clone, boot.
return {
	title = "VDI linked clone, boot, 85/15, 16 outstanding",
	modelled = "published reviews of one drive: peak IOPS times latency gives the I/Os "
		.. "outstanding, and the drive's cap of 206 MiB/s of writes over its peak IOPS "
		.. "bounds what is written per I/O (3.3 KiB; here 2.4). Sizes and random share are "
		.. "assumed within that.",
	oio = 16,
	streams = {
		{
			name = "desktops",
			rw = "randrw",
			rwmixread = 85,
			bs = "4k/25,16k/25,32k/35,64k/15",
			bs_write = "16k",
			percentage_random = 80,
		},
	},
}
