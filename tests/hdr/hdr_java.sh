#!/bin/sh
# SPDX-License-Identifier: MIT
# What hist_encode writes is decoded by HdrHistogram's Java original and compared count by count.
# HIST_DUMP: the program that writes them (default: where the build puts it). Exit 77: skipped.
set -eu

here=$(dirname "$0")
dump=${HIST_DUMP:-tests/unit/hist_dump}

skip()
{
	echo "SKIP: package $1"
	exit 77
}

jar=
for f in /usr/share/java/HdrHistogram.jar /usr/share/java/hdrhistogram.jar; do
	if [ -r "$f" ]; then
		jar=$f
		break
	fi
done
[ -n "$jar" ] || skip "libhdrhistogram-java is missing (no HdrHistogram.jar in /usr/share/java)"
command -v java >/dev/null || skip "default-jdk-headless is missing (command java)"
command -v javac >/dev/null || skip "default-jdk-headless is missing (command javac)"
if [ ! -x "$dump" ]; then
	echo "$dump: not built; run make check or set HIST_DUMP" >&2
	exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$dump" >"$work/dump"
javac -cp "$jar" -d "$work" "$here/DecodeHist.java"
java -cp "$jar:$work" DecodeHist <"$work/dump"
