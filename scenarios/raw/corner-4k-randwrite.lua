-- SPDX-License-Identifier: MIT
-- Corner: 4K random writes, as many as a drive can do.
return {
	title = "4K random write, 128 outstanding",
	oio = 128,
	streams = {
		{ name = "write", rw = "randwrite", bs = "4k" },
	},
}
