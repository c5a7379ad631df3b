#!/bin/bash
# SPDX-License-Identifier: MIT
# The text report is sysbench's, line by line once numbers are blanked; our own lines come after it.
. "${srcdir:-.}/tests/lib.sh"
need_command sysbench sysbench

echo 'function event() end' >empty.lua
blank() {
	sed -E -e 's/^(sysbench|ioltp) .*/PROGRAM/' -e 's/[0-9]+(\.[0-9]+)?/N/g' -e 's/ +/ /g' -e '/last message repeated/d' "$1" | uniq
}
# Whether the last interval line appears in sysbench is up to a race there; `uniq` folds the lines of equal form.
compare() {
	local ours=$1 theirs=$2
	blank "$theirs" >theirs.blank
	blank "$ours" | head -n "$(wc -l <theirs.blank)" >ours.blank
	diff theirs.blank ours.blank >diff.out || { cat diff.out >&2; fail "the report differs from sysbench's"; }
}

"$IOLTP" empty.lua --threads=2 --time=2 --report-interval=1 run >ours 2>err || fail "run"
sysbench empty.lua --threads=2 --time=2 --report-interval=1 run >theirs || fail "sysbench"
compare ours theirs
"$IOLTP" empty.lua --time=1 --rand-seed=5 --percentile=0 run >ours 2>err || fail "run"
sysbench empty.lua --time=1 --rand-seed=5 --percentile=0 run >theirs || fail "sysbench"
compare ours theirs
for workload in oltp_read_write oltp_point_select oltp_insert oltp_update_index select_random_points; do
	"$IOLTP" "$workload" --db-driver=null --threads=2 --time=2 --report-interval=1 --percentile=99 run >ours 2>err || fail "$workload"
	sysbench "$workload" --db-driver=mysql --mysql-dry-run=on --threads=2 --time=2 --report-interval=1 --percentile=99 run >theirs || fail "sysbench $workload"
	compare ours theirs
done
