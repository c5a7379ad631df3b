#!/bin/bash
# SPDX-License-Identifier: MIT
# What is on a device that nothing uses: filesystems, volumes, RAID, encryption and partition tables; also on a file.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/guard_lib.sh"
need_loop
need_command mkfs.ext4 e2fsprogs

# judge FILE REGEX: as a device and as a file.
judge() {
	attach "$TMP/$1"
	refused signature "$2" "$1" "$dev" --destroy-data="$TMP/$1"
	detach
	refused signature "$2" "$1" "$TMP/$1" --destroy-data="$TMP/$1" --file-size=4096
}

empty_image ext4.img
mkfs.ext4 -q -L important ext4.img 2>/dev/null || fail "mkfs.ext4"
judge ext4.img "holds ext4 \(filesystem\) labelled 'important'"

dd if=/dev/zero of=swap.img bs=1M count=2 status=none
mkswap swap.img >/dev/null 2>&1 || fail "mkswap"
judge swap.img 'holds swap \(other\)'

# An LVM physical volume: the label in the second sector and its checksum, as pvcreate writes them.
if command -v pvcreate >/dev/null; then
	empty_image lvm.img
	attach "$TMP/lvm.img"
	pvcreate -qq -ff -y --config 'devices { use_devicesfile=0 scan_lvs=1 filter=["a|.*|"] global_filter=["a|.*|"] }' "$dev" >lvm.out 2>&1 ||
		echo "note: pvcreate: $(tail -n 1 lvm.out)"
	detach
fi
if ! [ -e lvm.img ] || ! blkid -p lvm.img | grep -q LVM2_member; then
	empty_image lvm.img
	{ printf 'LABELONE\1\0\0\0\0\0\0\0\0\0\0\0\40\0\0\0LVM2 001'; } | dd of=lvm.img bs=512 seek=1 conv=notrunc status=none
fi
judge lvm.img 'holds LVM2_member \(raid\)'

# A LUKS header.
empty_image luks.img
printf 'LUKS\272\276\0\1' | dd of=luks.img conv=notrunc status=none
printf '0123abcd-0123-4567-89ab-0123456789ab' | dd of=luks.img bs=1 seek=168 conv=notrunc status=none
judge luks.img 'holds crypto_LUKS \(crypto\)'

# Partition tables, which this kernel may not read itself.
need_command sfdisk fdisk
empty_image gpt.img
echo 'size=2M' | sfdisk -q -X gpt gpt.img >/dev/null || fail "sfdisk gpt"
judge gpt.img '(holds a partition table \((gpt|PMBR)\)|has 1 partition)'
empty_image mbr.img
echo 'size=2M' | sfdisk -q -X dos mbr.img >/dev/null || fail "sfdisk dos"
judge mbr.img '(holds a partition table \(dos\)|has 1 partition)'
# A table whose main copy is gone: the second one, at the end, is enough to refuse.
dd if=/dev/zero of=gpt.img bs=512 count=34 conv=notrunc status=none
judge gpt.img 'holds a partition table \(gpt\)'
