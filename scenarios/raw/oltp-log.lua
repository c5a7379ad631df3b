-- SPDX-License-Identifier: MIT
-- Transaction processing: pages at random, and a log that is written in sequence, one write at a
-- time.
return {
	title = "OLTP 8K/32K 70/30 with a 32K log at depth 1",
	modelled = "public statistics: 8K 90 %, 32K 10 %, a 32K log at depth 1. The 70 % of reads "
		.. "and the weight of the log are assumed.",
	oio = 32,
	streams = {
		{
			name = "data",
			weight = 90,
			rw = "randrw",
			rwmixread = 70,
			bs = "8k/90,32k/10",
			span = "90%",
		},
		{
			-- One outstanding of its own; in an open loop its share is the weight.
			name = "log",
			weight = 10,
			rw = "write",
			bs = "32k",
			oio = 1,
			offset = "90%",
		},
	},
}
