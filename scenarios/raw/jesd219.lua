-- SPDX-License-Identifier: MIT
-- The enterprise endurance workload of JEDEC JESD219: sizes, mix and hot regions as the standard
-- gives them, data incompressible. It has I/Os of 512 bytes, which a drive with blocks of 4K
-- refuses.
return {
	title = "JESD219 enterprise endurance workload, 40/60",
	oio = 32,
	streams = {
		{
			name = "endurance",
			rw = "randrw",
			rwmixread = 40,
			bs = "512/4,1k/1,1536/1,2k/1,2560/1,3k/1,3584/1,4k/67,8k/10,16k/7,32k/3,64k/3",
			bands = {
				{ io = 50, span = 5 },
				{ io = 30, span = 15 },
				{ io = 20, span = 80 },
			},
		},
	},
}
