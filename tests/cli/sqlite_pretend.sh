#!/bin/bash
# SPDX-License-Identifier: MIT
# The scripts that Debian's sysbench installs, as they are, on SQLite that pretends to be the server they were written for.
. "${srcdir:-.}/tests/lib.sh"

scripts=/usr/share/sysbench
[ -r $scripts/oltp_read_write.lua ] || skip "package sysbench is missing ($scripts)"

transactions() {
	sed -n 's/^ *transactions: *\([0-9]*\) .*/\1/p' "$TMP/out"
}

for pretend in mysql pgsql; do
	for script in "$scripts"/*.lua; do
		name=${script##*/}
		target=(--sqlite-path="$TMP/$pretend.db" "--sqlite-pretend=$pretend")
		case $name in
		oltp_common.lua) continue ;;
		select_random_*) options=(--tables=1 --table_size=1000 --threads=2) ;;
		bulk_insert.lua) options=(--threads=2) ;;
		*) options=(--tables=2 --table_size=1000 --threads=2) ;;
		esac
		for mode in auto disable; do
			expect_status 0 "$IOLTP" "$script" "${target[@]}" "${options[@]}" prepare
			expect_status 0 "$IOLTP" "$script" "${target[@]}" "${options[@]}" --db-ps-mode=$mode --events=60 --time=0 run
			assert_equal 60 "$(transactions)" "$name as $pretend: transactions"
			assert_grep '^ *ignored errors: '
			assert_no_grep '^WARNING' "$TMP/err"
			expect_status 0 "$IOLTP" "$script" "${target[@]}" "${options[@]}" cleanup
		done
	done
	# Nothing is left of what they made.
	expect_status 0 "$IOLTP" oltp_read_write --sqlite-path="$TMP/$pretend.db" --tables=2 --table-size=100 prepare
	# Without the pretence the answer is the program's own: a driver that the script does not know.
	expect_status 1 "$IOLTP" "$scripts/oltp_read_write.lua" --sqlite-path="$TMP/none.$pretend.db" prepare
	[ -s "$TMP/err" ] || fail "no word about the unknown driver"
done

# Functions and statements of servers that SQLite has not.
cat >calls.lua <<'EOT'
function event()
	local con = sysbench.sql.driver():connect()
	local function is(want, text)
		local got = con:query_row("SELECT " .. text)
		if tostring(got) ~= want then error(text .. " is " .. tostring(got) .. " instead of " .. want) end
	end
	is("ab1", "CONCAT('a', 'b', 1)")
	is(sysbench.sql.driver():name() == "mysql" and "nil" or "a", "CONCAT('a', NULL)")
	is("", "REPEAT('', 9223372036854775807)")
	is("C3A4", "HEX(RPAD('ää', 1, 'x'))")
	is("7878C3A4", "HEX(LPAD('ä', 3, 'x'))")
	is("a-b", "CONCAT_WS('-', 'a', NULL, 'b')")
	is("xyxy", "REPEAT('xy', 2)")
	is("", "REPEAT('xy', -1)")
	is("00042", "LPAD('42', 5, '0')")
	is("4", "LPAD('42', 1, '0')")
	is("42abab", "RPAD('42', 6, 'ab')")
	con:query("CREATE TABLE f (id INTEGER PRIMARY KEY, c TEXT)")
	con:query("INSERT INTO f (id, c) VALUES (7, 'x')")
	if sysbench.sql.driver():name() == "mysql" then
		is("2", "IF(1 > 2, 1, 2)")
		is("1", "RAND() >= 0 AND RAND() < 1")
		is("36", "LENGTH(UUID())")
		is("7", "LAST_INSERT_ID()")
		is("1", "ABS(UNIX_TIMESTAMP() - " .. os.time() .. ") < 5")
		is("0", "SLEEP(0.001)")
		is("1", "CONNECTION_ID() > 0 AND LENGTH(VERSION()) > 2 AND LENGTH(DATABASE()) > 0")
		local rs, found = con:query("SHOW TABLES"), {}
		for row in function() return rs:fetch_row() end do found[row[1]] = true end
		assert(found.f, "SHOW TABLES")
	else
		is("1", "random() >= 0 AND random() < 1")
		is("7", "lastval()")
	end
	con:query("DROP TABLE f")
end
EOT
for pretend in mysql pgsql; do
	expect_status 0 "$IOLTP" calls.lua "--sqlite-path=$TMP/$pretend.db" "--sqlite-pretend=$pretend" --events=2 --time=0 run
done
