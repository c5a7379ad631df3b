#!/bin/bash
# SPDX-License-Identifier: MIT
# `ioltp compare`: real runs against each other and beside a raw run, all forms, and what is refused.
. "${srcdir:-.}/tests/lib.sh"

# Where one number of a JSON comparison is: figure FIGURE KEY [FILE]
figure() {
	python3 - "$1" "$2" "${3:-cmp.json}" <<-'EOF'
	import json, sys
	for f in json.load(open(sys.argv[3]))["comparisons"][0]["figures"]:
	    if f["figure"] == sys.argv[1]:
	        print(f[sys.argv[2]])
	EOF
}

# Holds a comparison against the published schema, where Python has a validator.
validate() {
	python3 -c 'import jsonschema' 2>/dev/null || { echo "note: not validated, python3-jsonschema is missing"; return; }
	python3 - "$srcdir/docs/compare.schema.json" "$1" <<-'EOF' || fail "$1 is not as compare.schema.json says"
	import json, sys, jsonschema
	def bad(name): raise ValueError(name)
	v = jsonschema.Draft7Validator(json.load(open(sys.argv[1])))
	v.check_schema(v.schema)
	d = json.load(open(sys.argv[2]), parse_constant=bad)
	w = jsonschema.Draft7Validator({**v.schema["definitions"][d["kind"]], "definitions": v.schema["definitions"]})
	sys.exit("\n".join("%s: %s" % (list(x.path), x.message) for x in w.iter_errors(d)) or 0)
	EOF
}
need_command python3 python3

# One statement per event, so that the modelled latency is nearly all of it.
cat >one.lua <<'EOF'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end
EOF
null_run() {
	"$IOLTP" one.lua --db-driver=null --null-latency="fixed:$1" --threads=4 --time=1 --report-interval=0.1 --output="$2" run >run.out 2>&1 ||
		fail "run with $1: $(cat run.out)"
}
for i in 1 2 3; do
	null_run 50ms "a$i.json"
	null_run 50ms "b$i.json"
	null_run 60ms "c$i.json"
done

# The same twice: no difference, unless a busy machine makes one above 10 %.
expect_status 0 "$IOLTP" compare --resolution=10% a1.json,a2.json,a3.json b1.json,b2.json,b3.json --output=cmp.json
assert_grep 'transactions per s .* no difference'
assert_grep 'over 3 and 3 repeats'
validate cmp.json
assert_equal "no difference" "$(figure latency_mean_ns conclusion)" "same runs"

# 20 % more latency: certain, and of that size. The same files named one by one.
expect_status 0 "$IOLTP" compare --repeats=3 a1.json a2.json a3.json c1.json c2.json c3.json --output=cmp.json
assert_grep 'latency mean .* worse'
assert_grep 'option: null-latency: fixed:50ms against fixed:60ms'
validate cmp.json
low=$(figure latency_mean_ns relative_low) high=$(figure latency_mean_ns relative_high)
python3 -c "import sys; sys.exit(not (0 < $low <= 0.21 and $high >= 0.19))" || fail "interval $low..$high is not around 20 %"

# Over intervals: a real document whose intervals go up and down by known amounts, and one that is slower by 15 %.
python3 - <<'EOF'
import json
for name, factor in (("up.json", 1.0), ("down.json", 0.85)):
    d = json.load(open("a1.json"))
    whole = d["intervals"][0]
    d["intervals"] = []
    for i in range(20):
        f = factor * (1 + 0.01 * (1, -1, 0.5, 0, -0.5)[i % 5])
        v = dict(whole, begin_s=i, end_s=i + 1, elapsed_s=1, tps=100 * f, qps=100 * f, events=100)
        v["latency_ns"] = dict(whole["latency_ns"], count=100, mean=5e7 / f)
        d["intervals"].append(v)
    d["totals"].update(tps=100 * factor, qps=100 * factor, elapsed_s=20)
    d["latency_ns"].update(mean=5e7 / factor, count=2000)
    json.dump(d, open(name, "w"))
EOF
expect_status 0 "$IOLTP" compare up.json down.json --output=cmp.json
assert_grep 'Errors are over the intervals'
assert_equal worse "$(figure tps conclusion)" "intervals"
assert_equal worse "$(figure latency_mean_ns conclusion)" "intervals"
validate cmp.json
expect_status 1 "$IOLTP" compare up.json down.json --fail-above=5%
assert_grep 'Worse by more than --fail-above'
expect_status 0 "$IOLTP" compare up.json down.json --fail-above=0.9
expect_status 0 "$IOLTP" compare down.json up.json --fail-above=5%
expect_status 0 "$IOLTP" compare a1.json a1.json b1.json --format=csv
assert_equal 3 "$(cut -d, -f2,3 out | grep -c -e tps -e ^new)" "rows of TPS in CSV, with the heading"
expect_status 0 "$IOLTP" compare a1.json b1.json --format=markdown
assert_grep '^\| latency mean \|'
expect_status 0 "$IOLTP" compare a1.json b1.json --format=json
validate out

# A run that was killed leaves its intervals.
"$IOLTP" one.lua --db-driver=null --null-latency=fixed:10ms --threads=2 --time=60 --report-interval=0.1 --output=killed.json run >run.out 2>&1 &
victim=$!
for _ in $(seq 600); do
	[ -e killed.json.part ] && [ "$(wc -l <killed.json.part)" -ge 12 ] && break
	sleep 0.1
done
kill -KILL "$victim"
wait "$victim" 2>/dev/null
expect_status 0 "$IOLTP" compare a1.json killed.json.part
assert_grep 'did not end'
assert_grep 'transactions per s '

# SQL beside raw, without a capture: what can be said is said.
"$IOLTP" oltp_read_write --table-size=200 prepare >run.out 2>&1 || fail "prepare: $(cat run.out)"
"$IOLTP" oltp_read_write --table-size=200 --threads=2 --time=1 --output=app.json run >run.out 2>&1 || fail "run: $(cat run.out)"
"$IOLTP" raw none.img --file-size=16M --engine=null --oio=1 --time=1 --output=raw.json >run.out 2>&1 || fail "raw: $(cat run.out)"
expect_status 0 "$IOLTP" compare app.json raw.json --output=cmp.json
assert_grep '^Verdict'
assert_grep 'capture: none; run with --capture'
assert_grep 'transactions per s '
validate cmp.json
for form in csv json markdown; do
	expect_status 0 "$IOLTP" compare app.json raw.json --format=$form
done
expect_status 0 "$IOLTP" compare raw.json raw.json
assert_grep 'I/Os per s .* no difference|I/Os per s .* cannot tell'

# A twin of two replays made of that raw run.
python3 - <<'EOF'
import json
raw = json.load(open("raw.json"))
json.dump({"schema": "ioltp-twin-1", "app": "app.json", "profile": "p", "target": "t", "replays": [
    {"name": n, "unit": "io", "oio": o, "rate_per_s": None, "result": raw} for n, o in (("capability", 1), ("saturation", 64))]},
    open("twin.json", "w"))
EOF
expect_status 0 "$IOLTP" compare app.json twin.json --output=cmp.json
validate cmp.json

# What is refused, each in one line.
refuse() {
	local want=$1
	shift
	expect_status 2 "$IOLTP" compare "$@"
	assert_equal 1 "$(wc -l <err)" "lines of the error"
	assert_grep "$want" err
}
echo hello >text.json
head -c 2000 a1.json >cut.json
sed 's/ioltp-result-1/ioltp-result-7/' a1.json >later.json
refuse 'text.json: line 1: is no whole JSON' text.json a1.json
refuse 'cut.json: .*no whole JSON' a1.json cut.json
refuse 'later.json: is of schema ioltp-result-7' a1.json later.json
refuse 'absent.json: .*No such file' a1.json absent.json
refuse 'two results' a1.json
refuse 'two results'
refuse 'groups of 2' a1.json b1.json c1.json --repeats=2
refuse 'is a twin' twin.json twin.json
refuse 'application.s SQL result comes first' raw.json app.json
refuse 'one twin or one raw' app.json a1.json raw.json
refuse 'for like runs' app.json twin.json --fail-above=5%
refuse 'is no share' a1.json b1.json --fail-above=five
refuse 'output-file' a1.json b1.json --output-file=x
refuse 'nowhere/x.json: cannot be written' a1.json b1.json --output=/nowhere/x.json
refuse '[Ii]s a directory' a1.json b1.json --output=.
ln -s a1.json same.json
sum=$(sha256sum a1.json)
refuse 'refused: it is a1.json, which is compared' a1.json b1.json --output=same.json
assert_equal "$sum" "$(sha256sum a1.json)" "a result that was named as --output"
expect_status 0 "$IOLTP" compare --help
assert_grep '--fail-above'
