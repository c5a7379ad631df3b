-- SPDX-License-Identifier: MIT
-- I/O transaction: as oltp-commit, but one flush makes durable what all clients that wait for it
-- have appended.
return {
	title = "Group commits as I/O transactions: reads, a 4K log append, a shared flush; 64 "
		.. "clients",
	modelled = "what databases that gather commits ask of their drive. Counts and rates are "
		.. "assumed; distil a profile from a run for those of an application.",
	oio = 64,
	streams = {
		{
			name = "data",
			span = "90%",
		},
		{
			name = "log",
			rw = "write",
			bs = "4k",
			offset = "95%",
		},
		{
			-- What a page cleaner writes meanwhile.
			name = "pages",
			rw = "randwrite",
			bs = "8k",
			span = "90%",
			rate = 200,
		},
	},
	transactions = {
		{
			name = "commit",
			steps = {
				{ name = "pages", op = "read", count = 4, bs = "8k", region = "data" },
				{ name = "log", op = "append", bs = "4k", region = "log" },
				{ name = "flush", op = "flush", group = true },
			},
		},
	},
}
