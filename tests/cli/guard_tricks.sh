#!/bin/bash
# SPDX-License-Identifier: MIT
# Ways around the guard: names through /proc, hard links, a database behind a loop device, and what comes after the checks.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/guard_lib.sh"
need_loop
need_command mkfs.ext4 e2fsprogs
size=--file-size=4096

# A file of a stopped database by another name of it.
mkdir -p data/base/5 && : >data/PG_VERSION
head -c 8192 /dev/urandom >data/base/5/1259
ln data/base/5/1259 innocent
refused content 'has 2 names' data/base/5/1259 innocent "$size" --destroy-data=innocent
attach "$TMP/innocent"
refused database 'its file has 2 names' data/base/5/1259 "$dev" --destroy-data="$TMP/innocent"
detach

# A database behind a loop device.
need_command sqlite3 sqlite3
sqlite3 app.db 'create table t (a); insert into t values (1)' || fail "sqlite3"
attach "$TMP/app.db"
refused database 'holds an SQLite database' app.db "$dev" --destroy-data="$TMP/app.db"
detach

# Names through /proc are what they lead to.
empty_image fs.img
mkfs.ext4 -q fs.img 2>/dev/null || fail "mkfs.ext4"
attach "$TMP/fs.img"
mkdir mnt
mount -o ro,noload "$dev" mnt || skip "may not mount here"
at_exit umount "$TMP/mnt"
exec 8<"$dev"
for name in /proc/$$/fd/8 /proc/self/fd/8 /dev/fd/8; do
	refused mounted 'it is mounted at' fs.img "$name" --destroy-data="$TMP/fs.img"
done
exec 8<&-
head -c 8192 /dev/urandom >gone.img
exec 8<gone.img
rm gone.img
refused - 'symbolic link to what does not exist' /proc/$$/fd/8 /proc/$$/fd/8 "$size"
exec 8<&-

# While a run writes, nothing else gets the device: no mount, no swap, no second run.
new_image held.img
attach "$TMP/held.img"
consent=--destroy-data=$TMP/held.img
cannot_be_used() {
	mount -t ext4 "$dev" mnt2 2>mount.err && umount mnt2
	grep -qi busy mount.err
}
mkdir mnt2
! cannot_be_used || fail "the device is busy before the run"
"$IOLTP" raw "$dev" --rw=randwrite --rate=50 --time=60 "$consent" >run.out 2>&1 &
run=$!
for _ in $(seq 200); do
	cannot_be_used && break
	kill -0 $run 2>/dev/null || fail "the run ended: $(cat run.out)"
	sleep 0.1
done
cannot_be_used || fail "the device can be mounted in mid-run: $(cat mount.err)"
expect_status 2 "$IOLTP" raw "$dev" --rw=randwrite --time=1 "$consent"
assert_grep 'has it open for writing|in use' "$TMP/err"
expect_status 2 "$IOLTP" device check "$dev"
assert_grep '^exclusive +refuse '
expect_status 0 "$IOLTP" raw "$dev" --rw=randread --events=100 --time=0
kill -INT $run
wait $run
assert_equal 130 $? "status of the run"
! cannot_be_used || fail "the device is held after the run"

# Between the look at a name and its opening another file may come there: only what was judged is written. The swap goes on for
# as long as the attempts; a run may refuse, and may not touch the precious file.
head -c 8192 /dev/urandom >precious
before=$(sha256sum <precious)
head -c 8192 /dev/zero >mine
: >go-on
(
	while [ -e go-on ]; do
		ln -sfn mine target
		ln -sfn precious target
	done
) &
swapper=$!
for _ in $(seq 100); do
	"$probe" write target "$size" --destroy-data=mine >race.out 2>&1
	case $? in 0 | 2) ;; *) fail "status of a race: $(cat race.out)" ;; esac
done
rm go-on
wait $swapper
assert_equal "$before" "$(sha256sum <precious)" "content of the file that was not named"
