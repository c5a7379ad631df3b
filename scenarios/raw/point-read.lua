-- SPDX-License-Identifier: MIT
-- I/O transaction: one row by its key, from an index whose upper levels are in memory: the leaf
-- page, then the row's page, which is known only then.
return {
	title = "Point reads as I/O transactions: two dependent 8K reads, 32 clients",
	modelled = "the pages that a lookup by a secondary index reads when neither is cached.",
	oio = 32,
	streams = {
		{ name = "data" },
	},
	transactions = {
		{
			name = "point-read",
			steps = {
				{ name = "leaf", op = "read", bs = "8k" },
				{ name = "row", op = "read", bs = "8k" },
			},
		},
	},
}
