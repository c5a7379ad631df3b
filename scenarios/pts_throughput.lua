-- SPDX-License-Identifier: MIT
-- Throughput by the SNIA's solid state storage performance test specification: reads and writes in
-- sequence, of 128K and then of 1M, each on a purged drive, until the writes are steady.
local function test(size)
	return {
		stage = "rounds",
		name = "throughput-" .. size,
		title = "Throughput, " .. size .. " in sequence",
		metric = "throughput",
		sequential = true,
		oio = 32,
		mixes = { 100, 0 },
		sizes = { size },
		track_mix = 0,
		cell_time = "1m",
	}
end

return {
	title = "PTS throughput",
	stages = {
		{ stage = "purge" },
		{ stage = "precondition", amount = "2x,128k" },
		test("128k"),
		{ stage = "purge" },
		{ stage = "precondition", amount = "2x,1m" },
		test("1m"),
	},
}
