# SPDX-License-Identifier: MIT
# Review protocols and raw profiles, installed with their folder into $(pkgdatadir).
scenario_files =

nobase_dist_pkgdata_DATA += $(scenario_files)
