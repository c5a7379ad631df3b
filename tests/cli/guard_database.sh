#!/bin/bash
# SPDX-License-Identifier: MIT
# Databases: files of one, files beside one, and devices that one lives on.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/guard_lib.sh"

size=--file-size=65536
for mark in PG_VERSION ibdata1 aria_log_control mysql.ibd WiredTiger; do
	mkdir -p "data-$mark/base/5" && : >"data-$mark/$mark"
	echo precious >"data-$mark/base/5/1259"
	refused database 'lies in a data directory of' "data-$mark/base/5/1259" "data-$mark/base/5/1259" "$size" --destroy-data="data-$mark/base/5/1259"
	expect_status 2 "$probe" write "data-$mark/new" "$size"
	assert_grep 'lies in a data directory of' "$TMP/err"
	[ ! -e "data-$mark/new" ] || fail "a file was made in a data directory"
done
: >data-PG_VERSION/empty
refused database 'PostgreSQL' data-PG_VERSION/empty data-PG_VERSION/empty "$size"
ln -s data-PG_VERSION/base/5/1259 innocent
refused database 'PostgreSQL' data-PG_VERSION/base/5/1259 innocent "$size" --destroy-data=innocent

need_command sqlite3 sqlite3
sqlite3 app.db 'pragma journal_mode = wal; create table t (a); insert into t values (1)' >/dev/null || fail "sqlite3"
refused database 'is an SQLite database' app.db app.db "$size" --destroy-data=app.db
: >app.db-wal
refused database 'part of the SQLite database beside it' app.db-wal app.db-wal "$size"
rm app.db-wal
expect_status 2 "$probe" write app.db-wal "$size"
assert_grep 'part of the SQLite database beside it' "$TMP/err"
[ ! -e app.db-wal ] || fail "a log was made beside a database"
# A file beside a database of the user's is fine: that is where ioltp.db lies.
expect_status 0 "$probe" write beside.img "$size"

need_loop
need_command mkfs.ext4 e2fsprogs
empty_image fs.img
mkfs.ext4 -q fs.img 2>/dev/null || fail "mkfs.ext4"
attach "$TMP/fs.img"
mkdir mnt
mount "$dev" mnt || skip "may not mount here; the rest has passed"
at_exit umount "$TMP/mnt"
mkdir -p mnt/mysql && : >mnt/mysql/ibdata1
expect_status 2 "$IOLTP" device check "$dev"
assert_grep '^mounted +refuse '
assert_grep '^database +refuse .*data directory of MySQL or MariaDB is on it \(.*/mnt/mysql\)'

# A loop device whose file lies among a database's.
new_image data-ibdata1/disk.img
attach "$TMP/data-ibdata1/disk.img"
refused database 'its file lies in a data directory of MySQL' data-ibdata1/disk.img "$dev" --destroy-data="$TMP/data-ibdata1/disk.img"
