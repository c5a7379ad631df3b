-- SPDX-License-Identifier: MIT
-- Corner: 4K random reads, as many as a drive can do.
return {
	title = "4K random read, 128 outstanding",
	oio = 128,
	streams = {
		{ name = "read", rw = "randread", bs = "4k" },
	},
}
