-- SPDX-License-Identifier: MIT
-- Corner: 64K writes in sequence.
return {
	title = "64K sequential write, 16 outstanding",
	oio = 16,
	streams = {
		{ name = "write", rw = "write", bs = "64k" },
	},
}
