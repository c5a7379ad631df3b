# SPDX-License-Identifier: MIT
# Review protocols and raw profiles, installed with their folder into $(pkgdatadir).
scenario_files = \
	scenarios/pts_iops.lua \
	scenarios/pts_latency.lua \
	scenarios/pts_throughput.lua \
	scenarios/pts_write_saturation.lua \
	scenarios/raw/corner-16k-seqread.lua \
	scenarios/raw/corner-16k-seqwrite.lua \
	scenarios/raw/corner-4k-randread.lua \
	scenarios/raw/corner-4k-randwrite.lua \
	scenarios/raw/corner-64k-seqread.lua \
	scenarios/raw/corner-64k-seqwrite.lua \
	scenarios/raw/group-commit.lua \
	scenarios/raw/jesd219.lua \
	scenarios/raw/mix-16k.lua \
	scenarios/raw/mix-4k.lua \
	scenarios/raw/mix-8k.lua \
	scenarios/raw/oltp-commit.lua \
	scenarios/raw/oltp-log.lua \
	scenarios/raw/oracle-80-20.lua \
	scenarios/raw/oracle-90-10.lua \
	scenarios/raw/oracle-small.lua \
	scenarios/raw/oracle.lua \
	scenarios/raw/point-read.lua \
	scenarios/raw/qos-4k-read.lua \
	scenarios/raw/qos-4k-write.lua \
	scenarios/raw/spc1-like.lua \
	scenarios/raw/spec-128k-read.lua \
	scenarios/raw/spec-128k-write.lua \
	scenarios/raw/sql-80-20.lua \
	scenarios/raw/sql-90-10.lua \
	scenarios/raw/sql.lua \
	scenarios/raw/vdi-full-boot.lua \
	scenarios/raw/vdi-full-initial-login.lua \
	scenarios/raw/vdi-full-monday-login.lua \
	scenarios/raw/vdi-linked-boot.lua \
	scenarios/raw/vdi-linked-initial-login.lua \
	scenarios/raw/vdi-linked-monday-login.lua

nobase_dist_pkgdata_DATA += $(scenario_files)
