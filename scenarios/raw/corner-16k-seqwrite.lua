-- SPDX-License-Identifier: MIT
-- Corner: 16K writes in sequence.
return {
	title = "16K sequential write, 16 outstanding",
	oio = 16,
	streams = {
		{ name = "write", rw = "write", bs = "16k" },
	},
}
