# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2154 # tests/lib.sh comes first
#
# A virtual machine for tests: Debian's cloud kernel under plain emulation, with this build, the tests and a few host programs in an
# initramfs at the paths that they have here. Its timings mean nothing; its behaviour is that of real drivers.

vm_modules=(loop dm-mod dm-flakey dm-delay null_blk scsi_debug sd_mod brd)

# What the guest needs beside busybox: program, package.
vm_programs=(
	bash blkid dmsetup losetup mkfs.ext4 sfdisk addpart delpart blockdev wipefs mkswap swapon swapoff mount umount mknod
	setpriv sha256sum truncate dd stat unshare cmp mktemp sync mkfifo
)

vm_need() {
	[ "$(uname -m)" = x86_64 ] || skip "the virtual machine is for x86_64, this is $(uname -m)"
	need_command qemu-system-x86_64 qemu-system-x86
	need_command busybox busybox-static
	need_command cpio cpio
	need_command dpkg-deb dpkg
	file_is_static "$(command -v busybox)" || skip "package busybox-static is missing (busybox is another build)"
}

file_is_static() {
	! ldd "$1" >/dev/null 2>&1
}

# vm_kernel: sets $vm_kernel to a folder with boot/ and lib/modules/, unpacked from Debian's package. Kept between runs.
vm_kernel() {
	local cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/ioltp-vm package deb lock
	mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ] || cache=$TMP/vm
	mkdir -p "$cache"
	package=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[^ ]*\).*/\1/p' | head -n 1)
	if [ -z "$package" ]; then
		apt-get -q update >"$TMP/apt.log" 2>&1
		package=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[^ ]*\).*/\1/p' | head -n 1)
	fi
	[ -n "$package" ] || skip "package linux-image-cloud-amd64 is missing (apt does not know it)"
	vm_kernel=$cache/$package
	exec {lock}>"$cache/lock"
	flock "$lock"
	if [ ! -e "$vm_kernel/complete" ]; then
		rm -rf "$vm_kernel" && mkdir -p "$vm_kernel/deb" || fail "cannot use $vm_kernel"
		(cd "$vm_kernel/deb" && apt-get -q download "$package" >"$TMP/apt.log" 2>&1) ||
			skip "package $package is missing (cannot be downloaded: $(tail -n 1 "$TMP/apt.log"))"
		deb=$(echo "$vm_kernel"/deb/*.deb)
		dpkg-deb -x "$deb" "$vm_kernel" || fail "cannot unpack $deb"
		rm -rf "$vm_kernel/deb"
		touch "$vm_kernel/complete"
	fi
	exec {lock}>&-
}

# vm_add FILE...: programs or files, with the libraries that they need, at their own paths.
vm_add() {
	local file
	for file; do
		[ -e "$file" ] || fail "$file is not there, and belongs into the virtual machine"
		vm_copy "$file"
		while IFS= read -r lib; do
			vm_copy "$lib"
		done < <(ldd "$file" 2>/dev/null | sed -nE 's,.* => (/[^ ]+) .*,\1,p; s,^[[:space:]]*(/[^ ]+) \(.*,\1,p')
	done
}

# Symbolic links become what they name.
vm_copy() {
	[ -e "$vm_root$1" ] && return
	mkdir -p "$vm_root${1%/*}" && cp -L "$1" "$vm_root$1" || fail "cannot copy $1"
}

# vm_add_program NAME...: those that are on this host; the guest's tests say themselves what they lack.
vm_add_program() {
	local name path
	for name; do
		path=$(command -v "$name") && vm_add "$path"
	done
}

# vm_add_tree DIR...
vm_add_tree() {
	local dir
	for dir; do
		mkdir -p "$vm_root$dir" && cp -rL "$dir/." "$vm_root$dir/" || fail "cannot copy $dir"
	done
}

vm_add_module() {
	local base=$vm_kernel/lib/modules file name
	for name; do
		file=$(find "$base" -name "$name.ko*" | head -n 1)
		[ -n "$file" ] || continue
		mkdir -p "$vm_root/lib/modules" && cp "$file" "$vm_root/lib/modules/" || fail "cannot copy $file"
		# A module's own list of those that it needs, from its section .modinfo.
		# shellcheck disable=SC2046 # words
		vm_add_missing $(tr '\0' '\n' <"$file" | sed -n 's/^depends=//p' | tr ',-' ' _')
	done
}

vm_add_missing() {
	local name
	for name; do
		name=$(find "$vm_kernel/lib/modules" -name '*.ko' -printf '%f\n' | sed 's/\.ko$//' | awk -v n="$name" '{ m = $0; gsub(/-/, "_", m); if (m == n) { print; exit } }')
		[ -z "$name" ] || [ -e "$vm_root/lib/modules/$name.ko" ] || vm_add_module "$name"
	done
}

# vm_build: a root folder with the programs above, in $vm_root.
vm_build() {
	vm_root=$TMP/root
	mkdir -p "$vm_root"/{bb,proc,sys,dev,tmp,root,run,mnt,results,usr/bin,usr/sbin,usr/lib,usr/lib64,lib/modules,etc}
	mv "$vm_root/lib" "$vm_root/usr/lib.d" && rmdir "$vm_root/usr/lib" && mv "$vm_root/usr/lib.d" "$vm_root/usr/lib"
	ln -s usr/lib "$vm_root/lib"
	ln -s usr/lib64 "$vm_root/lib64"
	ln -s usr/bin "$vm_root/bin"
	ln -s usr/sbin "$vm_root/sbin"
	echo 'root:x:0:0:root:/root:/bin/bash' >"$vm_root/etc/passwd"
	cp "$(command -v busybox)" "$vm_root/bb/busybox" || fail "cannot copy busybox"
	vm_add_program "${vm_programs[@]}"
	vm_add_module "${vm_modules[@]}"
	cp "$srcdir/tests/vm/init" "$vm_root/init" && chmod 755 "$vm_root/init" || fail "cannot copy init"
}

# vm_boot SECONDS QEMU-OPTION...: runs it to its end. The console is console.log, what the guest put into /results is results/.
vm_boot() {
	local limit=$1 status cpu
	shift
	(cd "$vm_root" && find . | cpio --quiet -o -H newc) >initramfs || fail "cpio"
	# Never KVM: what a test says must not depend on the host's. Queues to poll; and an interrupt that emulation loses is found by the
	# driver's own timeout, which must be shorter than what a run waits at its end. On one CPU: on several, the emulated drive may miss
	# that its queue was filled, and the kernel gives the commands up.
	cpu=$(taskset -pc $$ | sed 's/.*: *//; s/[^0-9].*//')
	timeout "$limit" taskset -c "$cpu" qemu-system-x86_64 -accel tcg,thread=single -machine q35 -cpu max -m 1024 -smp 1 -nographic -no-reboot \
		-nodefaults -display none -monitor none -serial file:console.log -serial file:results.tar \
		-kernel "$(echo "$vm_kernel"/boot/vmlinuz-*)" -initrd initramfs -append "console=ttyS0 quiet panic=-1 mitigations=off nvme.poll_queues=1 nvme_core.io_timeout=5" \
		"$@" >qemu.log 2>&1 </dev/null
	status=$?
	if [ "$status" != 0 ] || ! grep -q '^VM DONE' console.log; then
		tail -n 60 console.log >&2
		cat qemu.log >&2
		[ "$status" != 124 ] || fail "the virtual machine took more than $limit s"
		fail "the virtual machine ended early (status $status)"
	fi
	mkdir -p results && tar -C results -xf results.tar 2>/dev/null
}
