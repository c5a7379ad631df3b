#!/bin/sh
# SPDX-License-Identifier: MIT
# What hist_encode writes is decoded by HdrHistogram's Java original and compared count by count.
# HIST_DUMP: the program that writes them (default: where the build puts it). Exit 77: skipped.
set -eu

here=$(dirname "$0")
dump=${HIST_DUMP:-tests/unit/hist_dump}

skip()
{
	echo "skipped: $1"
	exit 77
}

jar=
for f in /usr/share/java/HdrHistogram.jar /usr/share/java/hdrhistogram.jar; do
	if [ -r "$f" ]; then
		jar=$f
		break
	fi
done
[ -n "$jar" ] || skip "no HdrHistogram.jar in /usr/share/java; install libhdrhistogram-java"
command -v java >/dev/null || skip "no java; install default-jdk-headless"
command -v javac >/dev/null || skip "no javac; install default-jdk-headless"
if [ ! -x "$dump" ]; then
	echo "$dump: not built; run make check or set HIST_DUMP" >&2
	exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$dump" >"$work/dump"
javac -cp "$jar" -d "$work" "$here/DecodeHist.java"
java -cp "$jar:$work" DecodeHist <"$work/dump"
