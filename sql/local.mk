# SPDX-License-Identifier: MIT
# Schemas, indexes and checks per engine, installed with their folder into $(pkgdatadir).
sql_files =

nobase_dist_pkgdata_DATA += $(sql_files)
