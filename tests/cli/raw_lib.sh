# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2154 # tests/lib.sh comes first
#
# What the tests of raw I/O share.

need_command python3 python3
: "${srcdir:?tests/lib.sh comes first}"

# raw ARGS...: a raw run that ends well; its document is in out.json and fits the schema.
raw() {
	expect_status 0 "$IOLTP" raw "$@" --format=json --verbosity=0
	cp "$TMP/out" out.json
	fits_schema
}

fits_schema() {
	python3 -c 'import jsonschema' 2>/dev/null || return 0
	python3 -c 'import json, sys, jsonschema
jsonschema.Draft7Validator(json.load(open(sys.argv[1]))).validate(json.load(open("out.json")))' \
		"$srcdir/docs/result.schema.json" 2>schema.err || fail "the document does not fit the schema: $(tail -n 3 schema.err)"
}

# value EXPRESSION: of out.json; a.b.c means doc["a"]["b"]["c"], and doc is the whole document.
value() {
	python3 -c 'import json, re, sys
doc = json.load(open("out.json"))
def path(m):
    return "doc" + "".join("[%r]" % k for k in m.group(0).split("."))
e = sys.argv[1]
if "doc" not in e:
    e = re.sub(r"[a-z_]+(\.[a-z_0-9]+)*", path, e)
print(eval(e))' "$1" || fail "no such value: $1"
}

# within WANT GOT TOLERANCE
within() {
	awk -v want="$1" -v got="$2" -v by="$3" 'BEGIN { exit !(got >= want - by && got <= want + by) }' ||
		fail "$2 instead of $1, within $3"
}
