-- SPDX-License-Identifier: MIT
-- What a specification sheet calls sequential write: 128K, given in MB/s (and per watt where power
-- is known).
return {
	title = "128K sequential write, 32 outstanding",
	oio = 32,
	streams = {
		{ name = "write", rw = "write", bs = "128k" },
	},
}
