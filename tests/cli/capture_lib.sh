# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2154 # tests/lib.sh comes first
#
# What the tests of captures share, beside raw_lib.sh.

cat >trace.py <<'EOT'
"""Reads a trace as src/trace/trace.h has it."""
import struct, sys
OPS = ("read", "write", "flush", "discard", "txn")
class Trace:
    def __init__(self, path):
        data = open(path, "rb").read()
        magic, order, self.source, self.begin_ns, self.end_ns, n, self.dropped, nfiles, ntypes = struct.unpack_from("<8sIIQQQQII", data)
        assert magic == b"ioltptr1" and order == 0x01020304
        text = lambda raw: raw.split(b"\0")[0].decode()
        self.types = [text(data[56 + 64 * i:120 + 64 * i]) for i in range(ntypes)]
        at = 56 + 64 * 64
        self.files = []
        for i in range(nfiles):
            path, size, kind, block = struct.unpack_from("<240sQII", data, at + 256 * i)
            self.files.append((text(path), size, ("device", "data", "log", "temporary")[kind], block))
        at += 256 * 64
        self.events = []
        for i in range(n):
            begin, latency, offset, size, owner, file, op, flags, depth, type_ = struct.unpack_from("<QQQIIHBBHH", data, at + 40 * i)
            if self.begin_ns <= begin < self.end_ns:
                self.events.append(dict(begin=begin, latency=latency, offset=offset, size=size, owner=owner, file=file,
                    op=OPS[op], fua=bool(flags & 1), cached=bool(flags & 16), failed=bool(flags & 32), depth=depth, type=type_))
    def of(self, op, kind=None):
        return [e for e in self.events if e["op"] == op and (kind is None or self.files[e["file"]][2] == kind)]
EOT

# in_trace FILE EXPRESSION: of t, the trace.
in_trace() {
	python3 -c 'import sys
from trace import Trace
t = Trace(sys.argv[1])
print(eval(sys.argv[2]))' "$1" "$2" || fail "no such thing in $1: $2"
}

# captured ARGS...: a run with a capture that ends well; its document is in out.json and fits the schema, its trace in out.json.trace.
captured() {
	rm -f out.json out.json.trace
	expect_status 0 "$IOLTP" "$@" --output=out.json --verbosity=0
	fits_schema
}

one_line() {
	assert_equal 1 "$(grep -c '^ioltp: error: ' err)" "errors"
	assert_grep "^ioltp: error: .*$1" err
}

need_tracing() {
	[ "$(id -u)" = 0 ] || skip "needs root for tracepoints"
	[ -d /sys/kernel/tracing/events/block ] || skip "no block tracepoints in /sys/kernel/tracing"
	"$IOLTP" raw --engine=null --time=0.1 --capture=block --device=/dev/null 2>&1 | grep -q 'built without libtracefs' &&
		skip "built without libtracefs"
	need_command losetup mount
}

# loop_device SIZE_MIB: sets $loop to a new loop device of that size.
loop_device() {
	local image="$TMP/loop.$RANDOM.img"
	truncate -s "$1M" "$image" || fail "cannot make $image"
	loop=$(losetup -f --show "$image" 2>/dev/null) || skip "no loop device can be had"
	at_exit losetup -d "$loop"
}
