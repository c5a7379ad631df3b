-- SPDX-License-Identifier: MIT
-- Corner: 16K reads in sequence.
return {
	title = "16K sequential read, 32 outstanding",
	oio = 32,
	streams = {
		{ name = "read", rw = "read", bs = "16k" },
	},
}
