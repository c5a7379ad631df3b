# SPDX-License-Identifier: MIT
EXTRA_DIST += \
	scripts/bench \
	scripts/bench_capture.sh \
	scripts/bench_lib.sh \
	scripts/bench_servers \
	scripts/bench_raw.sh \
	scripts/c_to_string.awk \
	scripts/check \
	scripts/check_lib.sh \
	scripts/lib.sh \
	scripts/quickstart
