# SPDX-License-Identifier: MIT
# Bundled workloads and the Lua half of the API, installed with their folder into $(pkgdatadir).
lua_files = \
	lua/bank.lua \
	lua/bulk_insert.lua \
	lua/ioltp/cmdline.lua \
	lua/ioltp/environment.lua \
	lua/ioltp/legacy.lua \
	lua/ioltp/load.lua \
	lua/ioltp/loop.lua \
	lua/ioltp/mix.lua \
	lua/ioltp/rand.lua \
	lua/ioltp/report.lua \
	lua/ioltp/runtime.lua \
	lua/ioltp/share.lua \
	lua/ioltp/sql.lua \
	lua/ioltp_schema.lua \
	lua/oltp_common.lua \
	lua/oltp_delete.lua \
	lua/oltp_insert.lua \
	lua/oltp_point_select.lua \
	lua/oltp_read_only.lua \
	lua/oltp_read_write.lua \
	lua/oltp_slices.lua \
	lua/oltp_tables.lua \
	lua/oltp_update_index.lua \
	lua/oltp_update_non_index.lua \
	lua/oltp_write_only.lua \
	lua/select_random_points.lua \
	lua/select_random_ranges.lua

nobase_dist_pkgdata_DATA = $(lua_files)
