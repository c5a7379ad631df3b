-- SPDX-License-Identifier: MIT
-- Quality of service as a specification sheet gives it: the mean and the 99.99th percentile of 4K
-- random reads one at a time.
return {
	title = "4K random read, one outstanding (QoS)",
	oio = 1,
	streams = {
		{ name = "read", rw = "randread", bs = "4k" },
	},
}
