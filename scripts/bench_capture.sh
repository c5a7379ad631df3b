# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of bench and bench_lib.sh
#
# What a capture costs: the same run with and without. A capture that lost an event has no figure. Three per cent are less than what a
# machine's speed changes by from one second to the next: many short pairs say more than a few long ones.

# capture_raw HOW: 4K random reads per second of the loop device in memory.
capture_raw() {
	"$ioltp" raw "$raw_loop" --rw=randread --bs=4k "--oio=$capture_oio" --workers=1 "--time=$seconds" --report-interval=0 "--capture=$1" \
		"--capture-file=$raw_folder/trace" "--device=$raw_loop" | no_loss | ioltp_figure IOPS
}

# capture_sqlite HOW: transactions per second of SQLite in memory, where its calls are the largest part of the time.
capture_sqlite() {
	"$ioltp" oltp_read_write "--sqlite-path=$raw_folder/bench.db" --tables=1 "--table-size=$rows" --threads=1 "--time=$seconds" \
		"--capture=$1" "--capture-file=$raw_folder/trace" run | no_loss | transactions_per_s
}

# Nothing of a report whose capture has missed something.
no_loss() {
	awk '{ line[NR] = $0 } /^Capture:.* events in .* missing$/ && $(NF - 1) != 0 { lost = 1; print > "/dev/stderr" }
		END { for (i = 1; i <= NR && !lost; i++) print line[i] }'
}

# The fewest outstanding I/Os that make 100,000 a second, the rate that the goal is for.
choose_capture_oio() {
	local iops
	for capture_oio in 1 2 3 4 6 8 16 32; do
		iops=$(seconds=0.5 capture_raw off)
		awk -v iops="$iops" 'BEGIN { exit !(iops >= 100000) }' && break
	done
	say "capture: $capture_oio outstanding I/Os make ${iops%.*} I/Os per s"
}

bench_capture() {
	local pairs=$((3 * pairs)) seconds=1
	if ! raw_begin_loop; then
		say "capture: needs root and a loop device"
		raw_end
		return
	fi
	choose_capture_oio
	compare "capture by tracepoints, loop device in memory, $capture_oio outstanding, on / off" 0.97 'capture_raw block' 'capture_raw off'
	"$ioltp" oltp_read_write "--sqlite-path=$raw_folder/bench.db" --tables=1 "--table-size=$rows" prepare >"$bench_dir/prepare.log" 2>&1 ||
		die "$bench_dir/prepare.log: prepare failed: $(tail -n 1 "$bench_dir/prepare.log")"
	compare 'capture by the VFS, SQLite in memory, TPS, on / off' 0.97 'capture_sqlite vfs' 'capture_sqlite off'
	raw_end
}

# How much later than in the trace the last I/O of an exact replay began, in per cent of the trace's length.
replay_error() {
	"$ioltp" twin "$data_dir/replay.json" --replay=trace "--target=$data_dir/replay.img" --output="$data_dir/replay.twin.json" >"$bench_dir/replay.log" 2>&1 ||
		return 1
	sed -n 's/.*"replay_end_error": *\([-0-9.e]*\).*/\1/p' "$data_dir/replay.twin.json" |
		awk 'NR == 1 { off = 100 * $1; printf "%.6f\n", (off < 0 ? -off : off) + 1e-6 }'
}

bench_replay() {
	rm -f "$data_dir"/replay.*
	{
		"$ioltp" oltp_read_write "--sqlite-path=$data_dir/replay.db" --table-size=10000 prepare &&
			"$ioltp" oltp_read_write "--sqlite-path=$data_dir/replay.db" --table-size=10000 --threads=2 --rate=50 "--time=$seconds" \
				--capture=vfs "--output=$data_dir/replay.json" run
	} >"$bench_dir/replay.log" 2>&1 || die "$bench_dir/replay.log: $(tail -n 1 "$bench_dir/replay.log")"
	below 'end of an exact replay, against the length of the trace' 'per cent off' 0.1 replay_error
	rm -f "$data_dir"/replay.*
}
