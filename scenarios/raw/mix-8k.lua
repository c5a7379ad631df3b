-- SPDX-License-Identifier: MIT
-- Mix: 8K at random, 70 % reads.
return {
	title = "8K random 70/30, 64 outstanding",
	oio = 64,
	streams = {
		{ name = "mix", rw = "randrw", rwmixread = 70, bs = "8k" },
	},
}
