-- SPDX-License-Identifier: MIT
-- A small Oracle database: pages at random beside scans and loads in sequence.
return {
	title = "Small Oracle database, 65/15 8K random, 10/10 64K sequential",
	modelled = "public statistics of shares and sizes. The parts of the drive and the 32 "
		.. "outstanding are assumed.",
	oio = 32,
	streams = {
		{ name = "read", weight = 65, rw = "randread", bs = "8k", span = "80%" },
		{ name = "write", weight = 15, rw = "randwrite", bs = "8k", span = "80%" },
		{ name = "scan", weight = 10, rw = "read", bs = "64k", offset = "80%", span = "10%" },
		{ name = "load", weight = 10, rw = "write", bs = "64k", offset = "90%" },
	},
}
