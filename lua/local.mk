# SPDX-License-Identifier: MIT
# Bundled workloads and the Lua half of the API, installed with their folder into $(pkgdatadir).
lua_files =

nobase_dist_pkgdata_DATA = $(lua_files)
