#!/bin/bash
# SPDX-License-Identifier: MIT
# Every file of the tree is in a list of the build: a source that is not compiled, a test that is not run, or a workload that is not
# installed shows here and not at a user's.
. "${srcdir:-.}/tests/lib.sh"

cd "$srcdir" || exit 99
cat Makefile.am ./*/local.mk src/*/local.mk >"$TMP/lists" || fail "no lists"
# A release archive holds only what is listed, and a build in the source tree leaves things beside the sources.
if git rev-parse --is-inside-work-tree >/dev/null 2>&1 && [ -e .git ]; then
	git ls-files --cached --others --exclude-standard
else
	find src lua sql scenarios tests docs scripts -type f
fi >"$TMP/files"

missing=0
while read -r file; do
	case $file in
	*/local.mk) continue ;;
	tests/unit/*.c | tests/bench/*.c) name=${file%.c} ;;
	*/ffi_api_text.h) continue ;;
	src/*.[ch] | lua/*.lua | sql/* | scenarios/*.lua | tests/*.sh | tests/*.h | docs/* | scripts/*) name=$file ;;
	*) continue ;;
	esac
	[ -e "$file" ] || continue
	grep -Eq "(^|[[:space:]])${name//./\\.}([[:space:]]|\$)" "$TMP/lists" && continue
	case $file in
	src/main.c) list=Makefile.am ;;
	src/*) list=$(dirname "$file")/local.mk ;;
	*) list=${file%%/*}/local.mk ;;
	esac
	echo "$file: in no list; add it to $list"
	missing=1
done <"$TMP/files"
[ "$missing" = 0 ] || fail "files in no list"
