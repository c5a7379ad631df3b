-- SPDX-License-Identifier: MIT
-- Quality of service as a specification sheet gives it: the mean and the 99.99th percentile of 4K
-- random writes one at a time.
return {
	title = "4K random write, one outstanding (QoS)",
	oio = 1,
	streams = {
		{ name = "write", rw = "randwrite", bs = "4k" },
	},
}
