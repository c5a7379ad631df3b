#!/bin/bash
# SPDX-License-Identifier: MIT
# What is built on a device: another loop device, device-mapper where the kernel has it, swap, and the claims of other programs.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/guard_lib.sh"
need_loop

new_image low.img
attach "$TMP/low.img"
low=$dev
consent=--destroy-data=$TMP/low.img
attach "$low"
refused holders "loop[0-9]+ .*is built on it" low.img "$low" "$consent"
# The upper one shares its blocks with the lower one: what uses that, uses it.
mkfifo hold
# shellcheck disable=SC2094 # a fifo
"$probe" hold "$dev" --destroy-data="$low" <hold >held.out 2>&1 &
holder=$!
exec 9>hold
for _ in $(seq 100); do
	grep -q writable=1 held.out && break
	sleep 0.1
done
grep -q writable=1 held.out || fail "the upper loop device was not opened: $(cat held.out)"
refused opened "'guard_probe' \(process $holder\) has it open for writing" low.img "$dev" --destroy-data="$low"
exec 9>&-
wait "$holder"

# A device that another program has claimed, without a trace in /sys, and one that it writes to.
new_image claimed.img
attach "$TMP/claimed.img"
consent=--destroy-data=$TMP/claimed.img
exec 8<>"$dev"
refused opened 'has it open for writing; stop that' claimed.img "$dev" "$consent"
exec 8>&-
"$probe" claim "$dev" <hold >claim.out &
holder=$!
exec 9>hold
for _ in $(seq 100); do
	[ -s claim.out ] && break
	sleep 0.1
done
refused exclusive 'the kernel says that it is in use' claimed.img "$dev" "$consent"
exec 9>&-
wait "$holder"
destroyed_by claimed.img "$dev" "$consent"

# Swap.
need_command mkswap util-linux
dd if=/dev/zero of=swap.img bs=1M count=2 status=none
mkswap swap.img >/dev/null 2>&1 || fail "mkswap"
attach "$TMP/swap.img"
if swapon "$dev" 2>/dev/null; then
	at_exit swapoff "$dev"
	refused swap 'it is in use as swap' swap.img "$dev" --destroy-data="$TMP/swap.img"
else
	echo "note: swapon is not allowed here; that part is not tested"
fi

command -v dmsetup >/dev/null && dmsetup version >/dev/null 2>&1 || skip "this kernel has no device-mapper; the rest has passed"
new_image dm.img
attach "$TMP/dm.img"
name=ioltp-test-$$
dmsetup create "$name" --table "0 4096 linear $dev 0" || fail "dmsetup"
dmsetup mknodes "$name" # where no udev makes them
at_exit dmsetup remove "$name"
refused holders "dm-[0-9]+ \($name\) is built on it" dm.img "$dev" --destroy-data="$TMP/dm.img"
destroyed_by dm.img "/dev/mapper/$name" --destroy-data="$name"
