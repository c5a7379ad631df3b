#!/bin/bash
# SPDX-License-Identifier: MIT
# Every #include of src/ follows the arrows of the design, and a foreign header appears in its own place only.
. "${srcdir:-.}/tests/lib.sh"

# Which folders each folder may include from.
arrows='
base     base
run      run base
sql      sql base
script   script load run sql base
load     load sql base
raw      raw run base
trace    trace run base
scenario scenario base
report   report run base
db       db base
cli      cli base run sql script load raw trace scenario report db
main     cli base run sql script load raw trace scenario report db
'

# Where each foreign header may appear: header, then places, both as extended expressions.
foreign='
sqlite3(ext)?\.h                           ^sql/drv_sqlite[a-z_]*\.[ch]$|^trace/vfs[a-z_]*\.[ch]$
(luajit.*/)?(lua|lauxlib|lualib|luajit)\.h ^script/|^scenario/[a-z_]*read[a-z_]*\.[ch]$
jansson\.h                                 ^report/
(mysql|mariadb)/.*|(mysql|errmsg|mysqld_error|ma_pvio)\.h ^sql/drv_mysql[a-z_]*\.[ch]$
(postgresql/)?(libpq-fe|pg_config).*\.h    ^sql/drv_pgsql[a-z_]*\.[ch]$
liburing\.h|liburing/.*                    ^raw/eng_uring[a-z_]*\.[ch]$
libnvme\.h|nvme/.*                         ^raw/nvme[a-z_]*\.[ch]$
blkid(/blkid)?\.h                          ^raw/
tracefs(/tracefs)?\.h|traceevent/.*|(kbuffer|event-parse)\.h       ^trace/
zlib\.h|zconf\.h                           ^base/hist_codec[a-z_]*\.[ch]$
'

# Lines "file:line: complaint" for the tree below DIR/src; status 1 if there are any.
check_tree() {
	(cd "$1/src" && find . -name '*.[ch]' | sed 's,^\./,,' | sort | ARROWS=$arrows FOREIGN=$foreign xargs -r -d '\n' "${AWK:-awk}" '
	BEGIN {
		n = split(ENVIRON["ARROWS"], lines, "\n")
		for (i = 1; i <= n; i++) {
			m = split(lines[i], words, " ")
			if (m)
				known[words[1]] = 1
			for (j = 2; j <= m; j++)
				allowed[words[1], words[j]] = 1
		}
		n = split(ENVIRON["FOREIGN"], lines, "\n")
		for (i = 1; i <= n; i++)
			if (split(lines[i], words, " ") == 2) {
				header[++headers] = "^(" words[1] ")$"
				place[headers] = words[2]
			}
	}
	function complain(text) {
		printf "src/%s:%d: %s\n", FILENAME, FNR, text
		bad = 1
	}
	function own(name,    to) {
		if (name == "config.h")
			return
		to = index(name, "/") ? substr(name, 1, index(name, "/") - 1) : ""
		if (!(to in known))
			complain("\"" name "\" names no folder of src; write \"folder/file.h\"")
		else if (!((from, to) in allowed))
			complain(from " must not include from " to ": \"" name "\"")
	}
	FNR == 1 {
		from = index(FILENAME, "/") ? substr(FILENAME, 1, index(FILENAME, "/") - 1) : "main"
		if (!(from in known))
			complain("src/" from " is no folder of the design; add it to the arrows in tests/layers.sh")
	}
	/^[ \t]*#[ \t]*include/ {
		line = $0
		sub(/^[ \t]*#[ \t]*include[ \t]*/, "", line)
		quoted = line ~ /^"/
		if (line !~ /^["<]/) {
			complain("an #include by macro hides where it goes")
			next
		}
		line = substr(line, 2)
		sub(/[">].*/, "", line)
		for (i = 1; i <= headers; i++)
			if (line ~ header[i]) {
				if (FILENAME !~ place[i])
					complain("<" line "> belongs into " place[i])
				next
			}
		if (quoted)
			own(line)
	}
	END { exit bad }')
}

# plant FILE LINE: a source with that line in a tree that is good otherwise.
plant() {
	rm -rf planted
	mkdir -p planted/src/base planted/src/run "planted/src/$(dirname "$1")"
	printf '#include <stdio.h>\n#include "config.h"\n#include "base/err.h"\n' >planted/src/run/good.c
	printf '#include "run/run.h"\n#include "cli/cli.h"\n' | grep -v run/ >planted/src/main.c
	echo "$2" >"planted/src/$1"
}

expect_found() {
	plant "$1" "$2"
	! check_tree planted >found || fail "a planted violation is not found: $1: $2"
	grep -q "^src/$1:1: " found || fail "the complaint does not name $1:1: $(cat found)"
	[ "$(wc -l <found)" = 1 ] || fail "more than the planted violation is found: $(cat found)"
}

expect_clean() {
	plant "$1" "$2"
	check_tree planted || fail "a legal line is refused: $1: $2"
}

expect_found base/x.c '#include "run/run.h"'
expect_found run/x.c '#include "report/result.h"'
expect_found sql/x.c '  #  include  "run/run.h"'
expect_found report/x.h '#include "sql/driver.h"'
expect_found raw/x.c '#include "scenario/plan.h"'
expect_found script/x.c '#include "cli/cli.h"'
expect_found base/x.c '#include "err.h"'
expect_found base/x.c '#include HEADER'
expect_found utils/x.c 'int x;'
expect_found base/x.c '#include <sqlite3.h>'
expect_found sql/driver.c '#include <mysql.h>'
expect_found sql/drv_sqlite.c '#include <libpq-fe.h>'
expect_found cli/x.c '#include <jansson.h>'
expect_found raw/io_loop.c '#include <liburing.h>'
expect_found raw/device.c '#include <nvme/ioctl.h>'
expect_found cli/x.c '#include <lua.h>'
expect_found db/x.c '#include "run/run.h"'
expect_clean sql/drv_sqlite.c '#include <sqlite3.h>'
expect_clean sql/drv_mysql_async.c '#include <mysql.h>'
expect_clean script/x.c '#include <lauxlib.h>'
expect_clean raw/x.c '#include "run/sched.h"'
expect_clean report/x.c '#include "run/run.h"'

check_tree "$srcdir" || fail "includes against the arrows"
