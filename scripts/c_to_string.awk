# SPDX-License-Identifier: MIT
# Turns a C header into a header that holds its declarations as one string, for LuaJIT's ffi.cdef, which knows neither
# the preprocessor nor comments worth their bytes. Usage: awk -v name=VARIABLE -f c_to_string.awk FILE

# The line without comments; a block comment may go on for lines.
function strip(line,    out, at)
{
	out = ""
	while (line != "") {
		if (in_comment) {
			at = index(line, "*/")
			if (!at)
				return out
			line = substr(line, at + 2)
			in_comment = 0
			out = out " "
			continue
		}
		at = match(line, /\/\*|\/\//)
		if (!at)
			return out line
		out = out substr(line, 1, at - 1)
		if (substr(line, at, 2) == "//")
			return out
		line = substr(line, at + 2)
		in_comment = 1
	}
	return out
}

BEGIN {
	printf "/* Made by c_to_string.awk; do not edit. */\nstatic const char %s[] =", name
}

{
	was_directive = directive
	line = strip($0)
	directive = (was_directive || line ~ /^[ \t]*#/) && line ~ /\\$/
	if (was_directive || line ~ /^[ \t]*#/)
		next
	gsub(/[ \t]+/, " ", line)
	sub(/^ /, "", line)
	sub(/ $/, "", line)
	if (line == "")
		next
	gsub(/\\/, "\\\\", line)
	gsub(/"/, "\\\"", line)
	printf "\n\t\"%s\\n\"", line
}

END {
	print ";"
}
