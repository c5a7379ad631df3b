#!/bin/bash
# SPDX-License-Identifier: MIT
# A server whose disk is full: loads and runs fail with its words, and work again when there is room.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/mariadb_lib.sh"

mariadb_need
tiny_filesystem 163840 "$TMP/small"
mariadb_start --dir="$TMP/small/db" --innodb-log-file-size=8M --innodb-buffer-pool-size=32M
workload=(oltp_write_only "${mysql_options[@]}" --threads=2)
expect_status 0 "$IOLTP" "${workload[@]}" --table-size=1000 prepare

expect_status 1 timeout 300 "$IOLTP" "${workload[@]}" --table-size=2000000 --prepare=replace prepare
assert_grep "sbtest1.*(full|No space|disk)" "$TMP/err"
# The failed load dropped its table; the server gives the blocks back in its own time.
for ((i = 0; i < 300 && $(df --output=avail -k "$TMP/small" | tail -n 1) < 16384; i++)); do
	sleep 0.1
done
expect_status 0 "$IOLTP" "${workload[@]}" --tables=1 --table-size=1000 --prepare=replace prepare
expect_status 0 "$IOLTP" "${workload[@]}" --table-size=1000 --events=100 --time=0 run

# Full while a run goes on: what is left of the disk is taken away.
fallocate -l "$(df --output=avail -B1 "$TMP/small" | tail -n 1)" "$TMP/small/ballast" 2>/dev/null ||
	dd if=/dev/zero of="$TMP/small/ballast" bs=64k 2>/dev/null
timeout 120 "$IOLTP" oltp_insert "${mysql_options[@]}" --table-size=1000 --threads=2 --time=30 run >"$TMP/out" 2>"$TMP/err"
assert_equal 1 $? "status of a run on a full disk"
assert_grep 'errno = (1114|1021|1026|3).*(full|space)' "$TMP/err"
rm -f "$TMP/small/ballast"
expect_status 0 "$IOLTP" oltp_insert "${mysql_options[@]}" --table-size=1000 --threads=2 --events=100 --time=0 run
