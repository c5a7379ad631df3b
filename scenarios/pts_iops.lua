-- SPDX-License-Identifier: MIT
-- IOPS by the SNIA's solid state storage performance test specification: seven mixes of eight sizes
-- at random, round after round, until 4K random writes are steady.
return {
	title = "PTS IOPS",
	stages = {
		{ stage = "purge" },
		{ stage = "precondition", amount = "2x,128k" },
		{
			stage = "rounds",
			name = "iops",
			title = "IOPS, random",
			metric = "iops",
			oio = 32,
			mixes = { 100, 95, 65, 50, 35, 5, 0 },
			sizes = { "1m", "128k", "64k", "32k", "16k", "8k", "4k", 512 },
			track_mix = 0,
			track_size = "4k",
			cell_time = "1m",
		},
	},
}
