-- SPDX-License-Identifier: MIT
-- What a specification sheet calls sequential read: 128K, given in MB/s (and per watt where power
-- is known).
return {
	title = "128K sequential read, 32 outstanding",
	oio = 32,
	streams = {
		{ name = "read", rw = "read", bs = "128k" },
	},
}
