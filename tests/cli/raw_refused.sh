#!/bin/bash
# SPDX-License-Identifier: MIT
# What cannot be run is refused in one line that names it, with status 2, before anything is opened for writing.
. "${srcdir:-.}/tests/lib.sh"

refused() {
	local pattern=$1
	shift
	expect_status 2 "$IOLTP" raw "$@"
	assert_equal 1 "$(wc -l <"$TMP/err")" "lines of the error of: $*"
	assert_grep "$pattern" "$TMP/err"
	[ ! -s "$TMP/out" ] || fail "a refusal prints to standard output: $*"
}

head -c 1048576 /dev/urandom >t.img
before=$(sha1sum <t.img)
write="--file-size=1M --rw=randwrite --destroy-data=$TMP/t.img"
refused 'no target'
refused 'one word too many' t.img other
refused 'unknown|--nosuch' t.img --nosuch=1
refused 'no such engine.*uring' t.img --engine=spdk
refused 'no such' /dev/no-such-device
# shellcheck disable=SC2086
{
refused "beyond the target" t.img $write --offset=2M
refused 'polls for no flushes' t.img $write --iopoll --flush-every=10
refused 'beyond the target' t.img $write --offset=512K --span=1M
refused 'shorter than one I/O' t.img $write --bs=64k --span=4k
refused 'no multiple' t.img $write --bs=1000
refused 'no multiple' t.img $write --offset=100
}
refused 'add up to 90' --engine=null --bs=4k/40,8k/50
refused 'not a size' --engine=null --bs=x
refused 'is empty' --engine=null --bs=
refused 'not to 100' --engine=null --bands=50/5,30/15
refused 'neither a size nor a share' --engine=null --span=110%
refused 'is nothing' --engine=null --span=0
refused '--rate' --engine=null --rate=-1
refused '--rate' --engine=null --rate=1e12
refused '--rwmixread' --engine=null --rw=rw --rwmixread=101
refused '--oio' --engine=null --oio=0
refused 'more than the 4 outstanding' --engine=null --oio=4 --workers=5
refused 'only one of them' --engine=null --zipf=1 --stride=64k
refused 'in sequence' --engine=null --rw=read --zipf=1
refused '--curve=x' --engine=null --curve=x
refused 'belong to --curve' --engine=null --curve-max=5
refused 'with --curve' --engine=null --curve=50 --rate=10
refused 'not a delay' --engine=null --null-latency=5ms
refused 'uring_cmd needs' t.img --engine=uring_cmd
refused 'no such profile' t.img --profile=nosuch
refused 'with --profile' t.img --profile=mix-4k --bs=8k
refused 'destroy-data' t.img --file-size=1M --rw=randwrite
refused 'destroy-data' t.img --file-size=1M --rw=randwrite --destroy-data=wrong
refused 'cannot write' --engine=null "--output=$TMP/no/such/folder/x.json"
assert_equal "$before" "$(sha1sum <t.img)" "content of the file"
