#!/bin/bash
# SPDX-License-Identifier: MIT
# The bank: its books balance under contention, and a cent too many is found by an audit and by check.
. "${srcdir:-.}/tests/lib.sh"

expect_status 0 "$IOLTP" bank --accounts=50 --initial-balance=1000 --threads=2 prepare
expect_status 0 "$IOLTP" bank --accounts=50 --hotspot=80 --threads=4 --events=300 --time=0 run
assert_grep '^ +audit +[1-9]'
assert_grep '^ +transfer +[1-9]'
expect_status 0 "$IOLTP" bank check
assert_grep '^bank_accounts: 50 accounts of 50: ok$'
assert_grep '^bank_accounts: 50000 cents of 50000: ok$'
assert_no_grep WRONG
transfers=$(sqlite3 ioltp.db 'SELECT COUNT(*) FROM bank_history')
[ "$transfers" -gt 150 ] && [ "$transfers" -lt 300 ] || fail "$transfers transfers of 300 events; 4 in 5 were meant"
hot=$(sqlite3 ioltp.db 'SELECT COUNT(*) FROM bank_history WHERE to_id = 1')
[ "$hot" -gt $((transfers / 2)) ] || fail "$hot of $transfers transfers pay into account 1; 80 % were meant"

# Money that moved without a line of history: the total is right, the accounts are not.
sqlite3 ioltp.db 'UPDATE bank_accounts SET balance = balance + CASE id WHEN 7 THEN 1 ELSE -1 END WHERE id IN (7, 9)'
expect_status 1 "$IOLTP" bank check
assert_grep '^bank_accounts: 50000 cents of 50000: ok$'
assert_grep '^bank_accounts: account 7 has .*WRONG$'
assert_grep '^bank_accounts: account 9 has .*WRONG$'

# Money from nowhere.
sqlite3 ioltp.db 'UPDATE bank_accounts SET balance = balance + 1 WHERE id = 3'
expect_status 1 "$IOLTP" bank --threads=2 --events=300 --time=0 run
assert_grep 'an audit found 50001 cents on all accounts instead of 50000' "$TMP/err"
assert_no_grep 'traceback' "$TMP/err"
expect_status 1 "$IOLTP" bank check
assert_grep '^bank_accounts: 50001 cents of 50000: WRONG$'

sqlite3 ioltp.db 'DROP TABLE bank_history'
expect_status 1 "$IOLTP" bank --accounts=50 --prepare=reuse prepare
assert_grep 'bank_history: it does not exist, and bank_accounts alone cannot be reused' "$TMP/err"
expect_status 2 "$IOLTP" bank --accounts=1 prepare
expect_status 2 "$IOLTP" bank --accounts=2000000000 --initial-balance=10000000000 prepare
expect_status 0 "$IOLTP" bank cleanup
assert_equal "" "$(sqlite3 ioltp.db .tables)" "tables left"
