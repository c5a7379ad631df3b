-- SPDX-License-Identifier: MIT
-- Virtual desktops, full clone, boot.
return {
	title = "VDI full clone, boot, 90/10, 35 outstanding",
	modelled = "published reviews of one drive: peak IOPS times latency gives the I/Os "
		.. "outstanding, and the drive's cap of 206 MiB/s of writes over its peak IOPS "
		.. "bounds what is written per I/O (1.7 KiB; here 0.8). Sizes and random share are "
		.. "assumed within that.",
	oio = 35,
	streams = {
		{
			name = "desktops",
			rw = "randrw",
			rwmixread = 90,
			bs = "4k/35,8k/15,16k/25,32k/20,64k/5",
			bs_write = "8k",
			percentage_random = 70,
		},
	},
}
