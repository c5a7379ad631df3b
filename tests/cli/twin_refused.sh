#!/bin/bash
# SPDX-License-Identifier: MIT
# A twin writes nothing of the application's, under whatever name it comes.
. "${srcdir:-.}/tests/lib.sh"

db=(oltp_read_write --tables=1 --table-size=2000 --rand-seed=7)
expect_status 0 "$IOLTP" "${db[@]}" prepare
expect_status 0 "$IOLTP" "${db[@]}" --time=0 --events=100 --capture=vfs --output=app.json run
ln ioltp.db hard.db
ln -s ioltp.db soft.db
mkdir -p elsewhere
ln -s ../ioltp.db elsewhere/t.img
# All files but the test's own.
everything() {
	find . -type f ! -name out ! -name err ! -name before ! -name changed ! -name app.twin.lua -exec sha256sum {} + | sort -k 2
}
everything >before

# refused TARGET REGEX
refused() {
	expect_status 2 "$IOLTP" twin app.json --time=0.1 --warmup-time=0 --target="$1" --destroy-data="$1"
	assert_grep "$2" "$TMP/err"
	everything | diff before - >changed || fail "something has changed for --target=$1: $(cat changed)"
}
for target in ioltp.db hard.db soft.db elsewhere/t.img "$TMP/./ioltp.db"; do
	refused "$target" 'refused: it is .*(application|database)'
done
refused app.json 'refused: the twin reads it'
refused app.json.trace 'refused: the twin reads it'
refused . 'is a directory'
refused /dev/none-of-these 'No such file'
mkdir server
touch server/PG_VERSION
everything >before
refused server/t.img 'data directory'

# The device under the mounted filesystem.
device=$(findmnt -no SOURCE -T "$TMP" 2>/dev/null)
if [ -b "$device" ]; then
	refused "$device" '(refused|permission denied)'
fi

# A file of somebody else's is written only when that is said.
head -c 8M /dev/urandom >other.img
sum=$(sha256sum other.img)
expect_status 2 "$IOLTP" twin app.json --time=0.1 --warmup-time=0 --target=other.img
assert_equal "$sum" "$(sha256sum other.img)"
expect_status 0 "$IOLTP" twin app.json --time=0.1 --warmup-time=0 --replay=capability --target=other.img --destroy-data=other.img
[ "$sum" != "$(sha256sum other.img)" ] || fail "a file that was given was not used"
[ -e other.img ] || fail "a file that was given is gone"

# A new one is made, kept when that is asked for, and removed else.
expect_status 0 "$IOLTP" twin app.json --time=0.1 --warmup-time=0 --replay=pace --units=io --target=new.img --keep
[ -s new.img ] || fail "--keep kept nothing"
rm new.img
expect_status 0 "$IOLTP" twin app.json --time=0.1 --warmup-time=0 --replay=pace --units=io --target=new.img
[ ! -e new.img ] || fail "the file that was made is left"

# Nor does the document go over what is needed, or where it cannot be; that is said before the replays.
rm -rf server
everything >before
for output in ioltp.db hard.db soft.db app.json app.json.trace app.twin.lua . /nowhere/x.json; do
	expect_status 2 "$IOLTP" twin app.json --replay=pace --output=$output
	assert_grep "$output: (refused|is also|cannot be written)" "$TMP/err"
	everything | diff before - >changed || fail "--output=$output changed something: $(cat changed)"
done
# A pipe is written into and remains one, and so does a symbolic link.
mkfifo pipe
cat pipe >from_pipe &
expect_status 0 "$IOLTP" twin app.json --time=0.1 --warmup-time=0 --replay=pace --units=io --output=pipe
wait $!
[ -p pipe ] && grep -q ioltp-twin from_pipe || fail "the document did not go into the pipe"
touch real.json
ln -s real.json link.json
expect_status 0 "$IOLTP" twin app.json --time=0.1 --warmup-time=0 --replay=pace --units=io --output=link.json
[ -L link.json ] && grep -q ioltp-twin real.json || fail "the symbolic link was replaced"

# The file that is made lies beside the database: also at the root of a mounted drive, whose parent is another filesystem.
tiny_filesystem 65536 "$TMP/drive"
expect_status 0 "$IOLTP" oltp_read_write --tables=1 --table-size=500 --sqlite-path="$TMP/drive/d.db" prepare
expect_status 0 "$IOLTP" oltp_read_write --tables=1 --table-size=500 --sqlite-path="$TMP/drive/d.db" --time=0 --events=20 --capture=vfs \
	--output=drive.json run
expect_status 0 "$IOLTP" twin drive.json --time=0.1 --warmup-time=0 --replay=capability --units=io --keep --direct=off
ls drive/ioltp-twin-*.tmp >out 2>err || fail "the twin's file is not beside the database"
rm -f drive/ioltp-twin-*.tmp

# No room: said, and nothing stays behind.
tiny_filesystem 4096 "$TMP/tiny"
expect_status 1 "$IOLTP" twin app.json --target=tiny/t.img --target-size=1g
assert_grep 'tiny/t.img: (no room for 1 GiB|cannot be made)' "$TMP/err"
[ ! -e tiny/t.img ] || fail "a file without room stays behind"

# Where no I/O can be recorded there will be no twin: said before the run, not after it.
for way in "${db[*]} --capture=counters" "oltp_point_select --db-driver=null" "oltp_point_select --db-driver=null --capture=counters"; do
	# shellcheck disable=SC2086 # words
	expect_status 2 "$IOLTP" $way --time=30 --twin run
	assert_equal 1 "$(wc -l <err)" "lines about --twin without a trace"
	assert_grep '^ioltp: error: --twin: needs a record of each I/O' err
done
expect_status 2 "$IOLTP" twin app.json --replay= --time=0.1
assert_grep '^ioltp: error: --replay' err
