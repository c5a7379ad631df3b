# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of bench and bench_lib.sh
#
# Raw I/O beside fio, with its io_uring engine, fixed buffers and registered files: the same target, size and depth, one thread each,
# every latency recorded on both sides. And what the null engine alone can show: rates, knee.
#
# What is compared: both draw each address (fio without its map of blocks done, which would cost it more; a map is a promise that we do
# not make), both count every I/O and put its latency into a histogram. fio reads the clock for each I/O when it is handed over and
# when it is done; ours once for all that are handed over, or found done, at once, so that on the null engine at depth 32 an I/O costs
# it two readings, and ours a sixteenth of one. fio is therefore also measured with --iodepth_batch=32, its own way to do so. fio keeps
# three figures per I/O (submission, completion, total) and one histogram; ours two histograms (stream, kind of I/O).

raw_size_mib=1024
raw_loop=
raw_folder=

# Leaves neither a loop device nor the memory behind it.
raw_end() {
	[ -z "$raw_loop" ] || as_root losetup -d "$raw_loop"
	[ -z "$raw_folder" ] || rm -rf "$raw_folder"
	raw_loop=
	raw_folder=
}

# A loop device over a file in memory, filled: the drive takes no time of its own. Root only.
raw_begin_loop() {
	raw_folder=$(mktemp -d /dev/shm/ioltp-bench.XXXXXX) || return 1
	trap raw_end EXIT
	head -c "${raw_size_mib}M" /dev/urandom >"$raw_folder/drive" || return 1
	raw_loop=$(as_root losetup --show -f --direct-io=off "$raw_folder/drive") || return 1
	as_root chmod a+r "$raw_loop"
}

# fio_raw IOPS|CPU TARGET DEPTH: I/Os per s, or I/Os per second of CPU time.
fio_raw() {
	fio --name=bench "--filename=$2" "--size=${raw_size_mib}M" --direct=1 --rw=randread --bs=4k --norandommap=1 \
		--ioengine=io_uring --fixedbufs=1 --registerfiles=1 "--iodepth=$3" --time_based "--runtime=$seconds" \
		--output-format=terse --terse-version=3 | fio_figure "$1"
}

# fio_null BATCH
fio_null() {
	fio --name=bench --ioengine=null --size=1T --rw=randread --bs=4k --norandommap=1 --iodepth=32 "--iodepth_batch=$1" \
		--iodepth_batch_complete_min=1 "--iodepth_batch_complete_max=$1" --time_based "--runtime=$seconds" \
		--output-format=terse --terse-version=3 | fio_figure IOPS
}

# Terse version 3: 6 KiB read, 8 IOPS, 9 ms, 88 and 89 per cent of user and system time.
fio_figure() {
	awk -F';' -v what="$1" 'NF > 89 {
		cpu_s = ($88 + $89) / 100 * $9 / 1000
		if (what == "IOPS")
			print $8
		else if (cpu_s > 0)
			printf "%.1f\n", $6 / 4 / cpu_s
	}'
}

ioltp_raw() {
	"$ioltp" raw "$2" --rw=randread --bs=4k "--oio=$3" --workers=1 "--time=$seconds" --report-interval=0 | ioltp_figure "$1"
}

ioltp_null() {
	"$ioltp" raw --engine=null --rw=randread --bs=4k --oio=32 --workers=1 "--time=$seconds" | ioltp_figure IOPS
}

ioltp_figure() {
	awk -v what="$1" '
	/^    I\/O +[0-9.]+ per s/ { iops = $2 }
	/^Balance:/ { for (i = 1; i < NF; i++) if ($i == "ok") ok = $(i + 1) }
	/^Generator: CPU/ { cpu_s = $3 + $7 }
	END {
		if (what == "IOPS")
			print iops
		else if (cpu_s > 0)
			printf "%.1f\n", ok / cpu_s
	}'
}

# raw_against_fio NAME TARGET
raw_against_fio() {
	local depth goal
	for depth in 1 32 128; do
		goal=1
		[ "$depth" = 128 ] && goal=1.1
		compare "4K random read, $1, depth $depth, IOPS, ioltp / fio" "$goal" "ioltp_raw IOPS $2 $depth" "fio_raw IOPS $2 $depth"
		# Less than 0.7 of the CPU time per I/O.
		[ "$depth" = 1 ] ||
			compare "4K random read, $1, depth $depth, I/Os per CPU second, ioltp / fio" 1.43 "ioltp_raw CPU $2 $depth" "fio_raw CPU $2 $depth"
	done
}

bench_raw_loop() {
	if ! raw_begin_loop; then
		say "raw_loop: needs root and a loop device"
		raw_end
		return
	fi
	raw_against_fio 'loop device in memory' "$raw_loop"
	raw_end
}

bench_raw_file() {
	# On the drive before the first read: direct reads would wait for what the page cache still has to write.
	dd if=/dev/urandom of="$data_dir/raw.img" bs=1M "count=$raw_size_mib" conv=fsync status=none || die "$data_dir: no room for $raw_size_mib MiB"
	raw_against_fio 'file' "$data_dir/raw.img"
	rm -f "$data_dir/raw.img"
}

bench_raw_null() {
	compare 'null engine, depth 32, ioltp / fio' 1.3 ioltp_null 'fio_null 1'
	compare 'null engine, depth 32, ioltp / fio in batches of 32' 1.3 ioltp_null 'fio_null 32'
}

# Deviation of the achieved rate from the offered one, in per cent; the rate itself goes to the file achieved. Poisson arrivals are
# judged by what the schedule drew: that its draws have the rate is for tests/unit/sched_test.c, as so short a time has too few of them.
raw_rate_error() {
	"$ioltp" raw --engine=null "--rate=$1" "--rate-process=$2" "--time=$seconds" --workers=1 --cpu-pin |
		awk -v rate="$1" -v fixed="$2" -v achieved="$bench_dir/achieved" '
		/^Throughput over/ { elapsed_s = $3 }
		/^Balance:/ { for (i = 1; i < NF; i++) { if ($i == "ok") ok = $(i + 1); if ($i == "offered") offered = $(i + 1) } }
		END {
			want = fixed == "fixed" ? rate * elapsed_s : offered
			off = 100 * (ok - want) / want
			printf "%.1f\n", ok / elapsed_s >>achieved
			printf "%.6f\n", (off < 0 ? -off : off) + 1e-6
		}'
}

bench_raw_rate() {
	local rate process
	for process in fixed poisson; do
		for rate in 1000 10000 100000; do
			: >"$bench_dir/achieved"
			below "rate of $rate per s, $process, on null" 'per cent off' 0.5 "raw_rate_error $rate $process"
			say "rate of $rate per s, $process: achieved $(tr '\n' ' ' <"$bench_dir/achieved")per s"
		done
	done
}

# The maximum of 16 places of 10 ms, in per cent off 1600.
raw_knee_error() {
	"$ioltp" raw --engine=null --null-latency=fixed:10ms --oio=16 --workers=1 --cpu-pin "--time=$seconds" --curve=90,100,110 |
		awk '/most done:/ { off = 100 * ($(NF - 2) - 1600) / 1600; printf "%.6f\n", (off < 0 ? -off : off) + 1e-6 }'
}
