#!/bin/bash
# SPDX-License-Identifier: MIT
# Form of the sources: clang-format, sizes of functions and files, licence line, syntax of Lua and shell. One missing tool does not
# hide what the others find.
. "${srcdir:-.}/tests/lib.sh"

max_function_lines=70
max_file_lines=600
bad=0
missing=()

complain() {
	echo "$*"
	bad=1
}

# have COMMAND PACKAGE: false, and noted, when the command is missing.
have() {
	command -v "$1" >/dev/null && return
	missing+=("$2")
	return 1
}

cd "$srcdir" || exit 99
mapfile -t c_files < <(find src tests -name '*.[ch]' ! -name ffi_api_text.h | sort)
mapfile -t lua_files < <(find lua scenarios tests -name '*.lua' | sort)
mapfile -t shell_files < <(find tests -name '*.sh' | sort
	grep -rlE '^#!.*\b(ba)?sh$|shellcheck shell=' scripts .ci autogen.sh 2>/dev/null | sort)
[ "${#c_files[@]}" -gt 0 ] || fail "no C file found below $srcdir"

# Other versions of clang-format lay out the same file in another way.
if have clang-format clang-format; then
	if clang-format --version | grep -q 'version 14\.'; then
		clang-format --dry-run -Werror --ferror-limit=1 "${c_files[@]}" >"$TMP/format" 2>&1 ||
			complain "$(sed -nE 's/^([^ :]+:[0-9]+):[0-9]+: error: .*/\1: not formatted; run make format/p' "$TMP/format")"
	else
		echo "note: formatting not judged: clang-format 14 is the reference, here is $(clang-format --version)"
	fi
fi

if have ctags universal-ctags; then
	ctags -x --languages=C --langmap=C:.c.h --kinds-C=f --_xformat='%{end} %n %F %N' "${c_files[@]}" >"$TMP/functions" ||
		fail "ctags does not work"
	[ -s "$TMP/functions" ] || fail "ctags finds no function"
	long=$("${AWK:-awk}" -v max=$max_function_lines '$1 - $2 + 1 > max {
		printf "%s:%d: %s has %d lines, the limit is %d\n", $3, $2, $4, $1 - $2 + 1, max }' "$TMP/functions")
	[ -z "$long" ] || complain "$long"
fi

for file in "${c_files[@]}" "${lua_files[@]}" "${shell_files[@]}"; do
	lines=$(wc -l <"$file")
	# A table of cases may run on a little.
	limit=$max_file_lines
	[[ $file != tests/* ]] || limit=700
	[ "$lines" -le "$limit" ] || complain "$file: $lines lines, the limit is $limit"
	head -n 2 "$file" | grep -q 'SPDX-License-Identifier: MIT' || complain "$file: no SPDX line at the top"
done

if [ "${#lua_files[@]}" -gt 0 ] && have luajit luajit; then
	for file in "${lua_files[@]}"; do
		luajit -bl "$file" >/dev/null 2>"$TMP/lua" || complain "$file: $(head -n 1 "$TMP/lua")"
	done
fi

if have shellcheck shellcheck; then
	shellcheck --severity=warning --external-sources --source-path="$srcdir" "${shell_files[@]}" || bad=1
fi

[ "$bad" = 0 ] || fail "style"
[ "${#missing[@]}" = 0 ] || skip "package ${missing[*]} is missing; the rest of the style is fine"
