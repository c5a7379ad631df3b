-- SPDX-License-Identifier: MIT
-- Corner: 64K reads in sequence.
return {
	title = "64K sequential read, 32 outstanding",
	oio = 32,
	streams = {
		{ name = "read", rw = "read", bs = "64k" },
	},
}
