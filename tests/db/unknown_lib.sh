# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2154 # srcdir is of tests/lib.sh
#
# Writes whose answer is lost: the connection is cut between client and server, on the way there or back. After tests/lib.sh:
#
#   cut_proxy PORT              a proxy to that port that cuts connections: cut_port
#   unknown_books NAME ARRAY SQL ARGUMENT...   counts with the options in ARRAY through the proxy; SQL gives the sum of what was applied

need_command python3 python3

cut_proxy() {
	local fifo=$TMP/cut_proxy.in
	mkfifo "$fifo"
	python3 "$srcdir/tests/db/cut_proxy.py" "$1" <"$fifo" >"$TMP/cut_proxy.port" 2>"$TMP/cut_proxy.err" &
	at_exit kill "$!"
	exec 7>"$fifo"
	local i
	for ((i = 0; i < 100; i++)); do
		cut_port=$(cat "$TMP/cut_proxy.port")
		[ -z "$cut_port" ] || return 0
		sleep 0.1
	done
	fail "the proxy does not start: $(cat "$TMP/cut_proxy.err")"
}

# The same count in four ways; none may be done twice by one event, nor be counted without having been done.
cat >count.lua <<'LUA'
sysbench.cmdline.options = { way = { "how to count", "prepared" } }
function thread_init()
   con = sysbench.sql.driver():connect()
   text = "UPDATE counts SET n = n + 1 WHERE client = " .. sysbench.tid
   add = con:prepare("UPDATE counts SET n = n + ? WHERE client = " .. sysbench.tid)
   one = add:bind_create(sysbench.sql.type.INT)
   add:bind_param(one)
   one:set(1)
   by = {
      prepared = function() add:execute() end,
      text = function() con:query(text) end,
      pipeline = function() con:pipeline(function() add:execute() end) end,
      transaction = function() con:query("BEGIN") add:execute() con:query("COMMIT") end,
   }
end
function event()
   by[sysbench.opt.way]()
end
LUA

unknown_books() {
	local way=$1 ok unknown applied
	local -n target=$2
	expect_status 0 timeout 120 "$IOLTP" count.lua "${target[@]}" --way="$way" --threads=4 --events=1000 --time=0 --report-interval=0 \
		"${@:4}" run
	ok=$(sed -nE 's/^ *transactions: *([0-9]+) .*/\1/p' "$TMP/out")
	unknown=$(sed -nE 's/^Balance: .*; commits of unknown outcome ([0-9]+).*/\1/p' "$TMP/out")
	applied=$("$3")
	echo "$way ${*:4}: ok $ok, unknown ${unknown:-0}, applied $applied"
	[ "${unknown:-0}" -gt 0 ] || fail "$way: no answer was lost"
	assert_grep "^Balance: +offered 1000 = ok $ok \+ failed $unknown \+ skipped 0 \+ unfinished 0;"
	# Answers were cut as well as requests.
	[ "$applied" -gt "$ok" ] || fail "$way: $applied applied, $ok counted"
	[ "$applied" -lt $((ok + unknown)) ] || fail "$way: $applied applied, but only $ok counted and $unknown unknown"
}
