# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What the tests of the guard share: loop devices with known contents, and the proof that a refusal changed nothing.

probe=${IOLTP%/*}/tests/unit/guard_probe
[ -x "$probe" ] || fail "$probe is not built"

need_loop() {
	[ "$(id -u)" = 0 ] || skip "needs root to set up loop devices"
	need_command losetup mount
	losetup -f >/dev/null 2>&1 || skip "this kernel or container gives no loop device"
}

# new_image FILE [MIB]: random content, so that no write goes unseen.
new_image() {
	dd if=/dev/urandom of="$1" bs=1M count="${2:-4}" status=none || fail "cannot write $1"
}

# empty_image FILE [MIB]
empty_image() {
	truncate -s "${2:-4}M" "$1" || fail "cannot make $1"
}

# attach FILE [LOSETUP-OPTION...]: sets $dev. Detached at the end.
attach() {
	local file=$1
	shift
	dev=$(losetup -f --show "$@" "$file" 2>"$TMP/losetup.err") || skip "losetup: $(head -n 1 "$TMP/losetup.err")"
	at_exit losetup -d "$dev"
}

# Detaches what attach attached last.
detach() {
	losetup -d "$dev" || fail "losetup -d $dev"
	unset 'at_exit_commands[-1]'
}

# destroyed_by IMAGE TARGET ARGUMENT...: the control: the same tools do write when nothing stands against it.
destroyed_by() {
	local image=$1 before
	shift
	before=$(sha256sum <"$image")
	expect_status 0 "$probe" write "$@"
	sync
	[ "$(sha256sum <"$image")" != "$before" ] || fail "the control wrote nothing to $image: $*"
}

# refused CHECK REGEX IMAGE TARGET ARGUMENT...: writing to TARGET (by the guard alone and by 'ioltp raw') is refused with status 2 and one line that names the target and matches,
# and changes nothing of IMAGE (or "-"); 'device check' finds the same under CHECK (or "-": there is nothing to check).
refused() {
	local check=$1 regex=$2 image=$3 target=$4 before=
	shift 4
	sync # what a mount or swapon wrote before
	[ "$image" = - ] || before=$(sha256sum <"$image")
	expect_status 2 "$probe" write "$target" "$@"
	[ "$(wc -l <"$TMP/err")" = 1 ] || fail "the refusal of $target is not one line"
	assert_grep "$regex" "$TMP/err"
	grep -qF -- "$target" "$TMP/err" || fail "the refusal does not name $target"
	expect_status 2 "$IOLTP" raw "$target" --rw=randwrite --time=100ms "$@"
	assert_grep "$regex" "$TMP/err"
	expect_status 2 "$IOLTP" device check "$target"
	if [ "$check" != - ]; then
		assert_grep "^$check +(refuse|unknown) .*$regex"
		assert_grep 'raw writing is refused$'
	fi
	sync
	[ "$image" = - ] || assert_equal "$before" "$(sha256sum <"$image")" "content of $image"
}
