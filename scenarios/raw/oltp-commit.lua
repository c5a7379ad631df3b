-- SPDX-License-Identifier: MIT
-- I/O transaction: an update that commits alone: its pages are read one after another, its log
-- record is appended and made durable; dirty pages are written in the background.
return {
	title = "Commits as I/O transactions: four 8K reads, a 4K log append, a flush; 16 clients",
	modelled = "what an update transaction of a database with a page cache and a write-ahead log "
		.. "asks of its drive. Counts and rates are assumed; distil a profile from a run for "
		.. "those of an application.",
	oio = 16,
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
				{ name = "flush", op = "flush" },
			},
		},
	},
}
