-- SPDX-License-Identifier: MIT
-- Like the I/O of the SPC-1 benchmark, in three streams with its shares of I/O and of space; no
-- SPC-1 result can be had from it.
return {
	title = "SPC-1-like, three streams, 39/61",
	modelled = "public statistics of the SPC-1 workload: shares of the streams, 39 % reads, "
		.. "sizes. Its hot spots and the growth with the number of business scaling units "
		.. "are not modelled.",
	oio = 64,
	streams = {
		{
			-- 33.3 of its 59.6 % are reads, 7.0 of those in sequence.
			name = "asu1",
			weight = 59.6,
			rw = "randrw",
			rwmixread = 55.87,
			bs = "4k/40,8k/24,16k/20,32k/8,64k/8",
			percentage_random = 79,
			percentage_random_write = 100,
			span = "45%",
		},
		{
			-- 6.1 of its 12.3 % are reads, 3.5 of those in sequence.
			name = "asu2",
			weight = 12.3,
			rw = "randrw",
			rwmixread = 49.92,
			bs = "4k/40,8k/24,16k/20,32k/8,64k/8",
			percentage_random = 43,
			percentage_random_write = 100,
			offset = "45%",
			span = "45%",
		},
		{
			-- The log.
			name = "asu3",
			weight = 28.1,
			rw = "write",
			bs = "4k/40,8k/24,16k/20,32k/8,64k/8",
			offset = "90%",
		},
	},
}
