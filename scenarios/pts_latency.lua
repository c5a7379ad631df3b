-- SPDX-License-Identifier: MIT
-- Latency by the SNIA's solid state storage performance test specification: one I/O at a time, at
-- random, until the mean of 4K writes is steady.
return {
	title = "PTS latency",
	stages = {
		{ stage = "purge" },
		{ stage = "precondition", amount = "2x,128k" },
		{
			stage = "rounds",
			name = "latency",
			title = "Latency, random, one outstanding",
			metric = "latency",
			oio = 1,
			mixes = { 100, 65, 0 },
			sizes = { "8k", "4k", 512 },
			track_mix = 0,
			track_size = "4k",
			cell_time = "1m",
		},
	},
}
