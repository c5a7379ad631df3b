# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Comparing two things on a machine that is never quite quiet: A and B in turns, so that a slow minute hits both, and the median of
# the ratios, so that one disturbed pair does not decide. The sourcing script sets bench_dir, a folder for temporary files.

pairs=${pairs:-5}       # --pairs
seconds=${seconds:-5}   # --time: of one measurement
met=0
missed=0
bench_dir=${bench_dir:-}

# Prints the median of the numbers on stdin.
median() {
	sort -g | awk '{ v[NR] = $1 } END { if (NR) printf "%.6g\n", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

is_number() {
	[[ $1 =~ ^[0-9]+([.][0-9]+)?(e[+-]?[0-9]+)?$ ]] && awk -v x="$1" 'BEGIN { exit !(x > 0) }'
}

# measure COMMAND...: the one number that it prints, or the end of the bench with what it said.
measure() {
	local value
	value=$("$@" 2>"$bench_dir/err")
	is_number "$value" || {
		say "$*: no figure but '$value': $(tail -n 3 "$bench_dir/err")"
		return 1
	}
	echo "$value"
}

# verdict NAME WHAT VALUE RELATION GOAL: the line of the result, e.g. "x: ratio 2.10 (goal >= 2) ... met".
verdict() {
	local word=missed
	if awk -v x="$3" -v goal="$5" -v relation="$4" 'BEGIN { exit !(relation == ">=" ? x >= goal : x <= goal) }'; then
		word=met
		met=$((met + 1))
	else
		missed=$((missed + 1))
	fi
	printf '%s: %s %.3g (goal %s %s) ... %s\n' "$1" "$2" "$3" "$4" "$5" "$word"
}

# compare NAME GOAL A B: A and B are commands (functions of bench) that print a figure where more is better; the ratio is A / B.
compare() {
	local name=$1 goal=$2 a b i value_a value_b ratio
	read -ra a <<<"$3"
	read -ra b <<<"$4"
	: >"$bench_dir/ratios"
	for ((i = 1; i <= pairs; i++)); do
		value_a=$(measure "${a[@]}") && value_b=$(measure "${b[@]}") || {
			echo "$name: not measured ... missed"
			missed=$((missed + 1))
			return
		}
		ratio=$(awk -v a="$value_a" -v b="$value_b" 'BEGIN { printf "%.4f", a / b }')
		say "$name: pair $i of $pairs: $value_a against $value_b, ratio $ratio"
		echo "$ratio" >>"$bench_dir/ratios"
	done
	verdict "$name" ratio "$(median <"$bench_dir/ratios")" '>=' "$goal"
}

# below NAME UNIT GOAL COMMAND: the median of a figure where less is better.
below() {
	local name=$1 unit=$2 goal=$3 command i value
	read -ra command <<<"$4"
	: >"$bench_dir/values"
	for ((i = 1; i <= pairs; i++)); do
		value=$(measure "${command[@]}") || {
			echo "$name: not measured ... missed"
			missed=$((missed + 1))
			return
		}
		echo "$value" >>"$bench_dir/values"
	done
	verdict "$name" "$unit" "$(median <"$bench_dir/values")" '<=' "$goal"
}
