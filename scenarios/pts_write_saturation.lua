-- SPDX-License-Identifier: MIT
-- Write saturation by the SNIA's solid state storage performance test specification: 4K random
-- writes on a purged drive, against time and against what was written, until four times the
-- capacity or 24 hours. It shows a drive's fall from fresh to used, and has no preconditioning.
return {
	title = "PTS write saturation",
	stages = {
		{ stage = "purge" },
		{
			stage = "series",
			name = "write-saturation",
			title = "4K random writes",
			metric = "iops",
			oio = 32,
			mixes = { 0 },
			sizes = { "4k" },
			cell_time = "1m",
			limit_capacities = 4,
			limit_time = "24h",
		},
	},
}
