# SPDX-License-Identifier: MIT
# tests/lists.sh fails when a test is not listed here.

# Programs with cmocka; tests/unit/x_test is made of tests/unit/x_test.c.
unit_tests = \
	tests/unit/access_test \
	tests/unit/block_match_test \
	tests/unit/clock_test \
	tests/unit/cmp_like_test \
	tests/unit/cmp_stat_test \
	tests/unit/cmp_twin_test \
	tests/unit/cmp_verdict_test \
	tests/unit/condition_test \
	tests/unit/cpu_test \
	tests/unit/curve_test \
	tests/unit/data_test \
	tests/unit/db_test \
	tests/unit/dist_test \
	tests/unit/driver_stmt_test \
	tests/unit/driver_test \
	tests/unit/distil_test \
	tests/unit/drv_null_test \
	tests/unit/drv_sqlite_lock_test \
	tests/unit/drv_sqlite_test \
	tests/unit/drv_sqlite_txn_test \
	tests/unit/engine_test \
	tests/unit/facts_test \
	tests/unit/guard_test \
	tests/unit/hist_codec_test \
	tests/unit/hist_test \
	tests/unit/io_loop_test \
	tests/unit/io_replay_test \
	tests/unit/io_txn_test \
	tests/unit/load_test \
	tests/unit/mix_test \
	tests/unit/nvme_parse_test \
	tests/unit/nvme_recorded_test \
	tests/unit/opt_declare_test \
	tests/unit/opt_file_test \
	tests/unit/opt_help_test \
	tests/unit/opt_test \
	tests/unit/plan_test \
	tests/unit/profile_test \
	tests/unit/pts_test \
	tests/unit/reader_test \
	tests/unit/report_json_file_test \
	tests/unit/report_json_read_test \
	tests/unit/report_json_test \
	tests/unit/report_judge_test \
	tests/unit/report_text_test \
	tests/unit/rng_test \
	tests/unit/rowbuf_test \
	tests/unit/run_test \
	tests/unit/sched_test \
	tests/unit/sqlite_rewrite_test \
	tests/unit/steady_test \
	tests/unit/stmt_text_test \
	tests/unit/summary_test \
	tests/unit/trace_test \
	tests/unit/tree_test \
	tests/unit/units_test

# For a database server that is started for them: without one they skip.
if WITH_MYSQL
unit_tests += \
	tests/unit/drv_mysql_bulk_test \
	tests/unit/drv_mysql_fault_test \
	tests/unit/drv_mysql_options_test \
	tests/unit/drv_mysql_test
endif
if WITH_PGSQL
unit_tests += \
	tests/unit/drv_pgsql_bulk_test \
	tests/unit/drv_pgsql_outcome_test \
	tests/unit/drv_pgsql_test
endif

# What several of them include.
unit_headers = \
	tests/unit/chi2.h \
	tests/unit/cmp_fixture.h \
	tests/unit/driver_fixture.h \
	tests/unit/drv_mysql_fixture.h \
	tests/unit/hist_fixture.h \
	tests/unit/load_fixture.h \
	tests/unit/opt_fixture.h \
	tests/unit/pgsql_fixture.h \
	tests/unit/raw_fixture.h \
	tests/unit/report_fixture.h \
	tests/unit/report_json_fixture.h \
	tests/unit/sqlite_setting.h \
	tests/unit/sys_fixture.h

# Programs without: each is one scenario of the command line, with $IOLTP as the program.
cli_tests = \
	tests/cli/bank.sh \
	tests/cli/compare.sh \
	tests/cli/capture_block.sh \
	tests/cli/capture_vfs.sh \
	tests/cli/guard_database.sh \
	tests/cli/guard_file.sh \
	tests/cli/guard_holders.sh \
	tests/cli/guard_mounted.sh \
	tests/cli/guard_partitions.sh \
	tests/cli/guard_paths.sh \
	tests/cli/guard_permission.sh \
	tests/cli/guard_readonly.sh \
	tests/cli/guard_serial.sh \
	tests/cli/guard_signature.sh \
	tests/cli/guard_tricks.sh \
	tests/cli/lua_states.sh \
	tests/cli/oltp.sh \
	tests/cli/profiles.sh \
	tests/cli/pts_iops.sh \
	tests/cli/pts_others.sh \
	tests/cli/raw_errors.sh \
	tests/cli/raw_rates.sh \
	tests/cli/raw_refused.sh \
	tests/cli/raw_run.sh \
	tests/cli/raw_txn.sh \
	tests/cli/report_form.sh \
	tests/cli/run.sh \
	tests/cli/script_api.sh \
	tests/cli/script_others.sh \
	tests/cli/sqlite_faults.sh \
	tests/cli/sqlite_pretend.sh \
	tests/cli/streams.sh \
	tests/cli/twin.sh \
	tests/cli/twin_mix.sh \
	tests/cli/twin_refused.sh \
	tests/cli/verdict.sh \
	tests/hdr/hdr_java.sh

# The same against a database server that the test starts itself.
db_tests = \
	tests/db/instances_faults_mariadb.sh \
	tests/db/instances_faults_postgres.sh \
	tests/db/instances_mariadb.sh \
	tests/db/instances_postgres.sh \
	tests/db/capture_instances.sh \
	tests/db/capture_servers.sh \
	tests/db/mysql_deadlock.sh \
	tests/db/mysql_disk_full.sh \
	tests/db/mysql_driver.sh \
	tests/db/mysql_faults.sh \
	tests/db/mysql_refused.sh \
	tests/db/mysql_stall.sh \
	tests/db/mysql_sysbench.sh \
	tests/db/mysql_targets.sh \
	tests/db/mysql_tls.sh \
	tests/db/mysql_unknown.sh \
	tests/db/mysql_workloads.sh \
	tests/db/pgsql_connect.sh \
	tests/db/pgsql_deadlock.sh \
	tests/db/pgsql_driver.sh \
	tests/db/pgsql_faults.sh \
	tests/db/pgsql_load.sh \
	tests/db/pgsql_unknown.sh \
	tests/db/pgsql_workloads.sh \
	tests/db/report_compare.sh

# In a virtual machine, which has the drives that this one has not.
vm_tests = tests/vm/vm.sh
vm_files = tests/vm/vm_lib.sh tests/vm/init tests/vm/guest_devices.sh tests/vm/guest_nvme.sh tests/vm/guest_purge.sh \
	tests/vm/guest_raw.sh tests/vm/guest_verdict.sh tests/vm/results.py tests/vm/verdicts.py

# The shape of the tree, and what the tests and scripts themselves are made of.
tree_tests = \
	tests/harness.sh \
	tests/layers.sh \
	tests/lists.sh \
	tests/scripts.sh \
	tests/style.sh

# Command line tests in which threads meet: what the thread sanitizer build runs, at its tenfold cost.
thread_tests = \
	tests/cli/bank.sh \
	tests/cli/raw_txn.sh

# What talks to servers under the address sanitizer: values of all kinds, NULL and long ones, faults and loads.
sanitized_db_tests = \
	tests/db/mysql_driver.sh \
	tests/db/mysql_unknown.sh \
	tests/db/pgsql_driver.sh \
	tests/db/pgsql_unknown.sh

# Programs that shell tests run.
helper_programs = \
	tests/unit/guard_probe \
	tests/unit/hist_dump

# A shared object for LD_PRELOAD, without what only programs are linked with.
preloads = tests/cli/slow_drive.so
tests_cli_slow_drive_so_SOURCES = tests/cli/slow_drive.c
tests_cli_slow_drive_so_CFLAGS = -std=gnu17 -fPIC -pthread -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
tests_cli_slow_drive_so_LDFLAGS = -shared -pthread
tests_cli_slow_drive_so_LDADD =

# Floors and micro benchmarks for scripts/bench; built with the tests, so that they keep compiling.
bench_programs = \
	tests/bench/bench_hist \
	tests/bench/floor_sqlite

if WITH_PGSQL
bench_programs += tests/bench/floor_pgsql
endif
if WITH_MYSQL
bench_programs += tests/bench/floor_mysql
endif

check_PROGRAMS += $(bench_programs) $(helper_programs) $(preloads)
tests_bench_floor_pgsql_LDADD = $(PGSQL_LIBS)
tests_bench_floor_sqlite_LDADD = $(SQLITE_LIBS)
tests_bench_floor_mysql_LDADD = $(MYSQL_LIBS)

AM_DEFAULT_SOURCE_EXT = .c
if HAVE_CMOCKA
check_PROGRAMS += $(unit_tests)
unit_runs = $(unit_tests)
else
unit_runs = tests/unit/no_cmocka.sh
endif
# Default for all programs that do not say otherwise: the unit tests.
LDADD = libioltp.a $(CMOCKA_LIBS) $(ioltp_libs)

TESTS += $(unit_runs) $(cli_tests) $(db_tests) $(vm_tests) $(tree_tests)
TEST_EXTENSIONS = .sh
# A test that hangs is a test that failed.
test_timeout_s = 900
LOG_COMPILER = timeout $(test_timeout_s)
SH_LOG_COMPILER = timeout $(test_timeout_s) bash
AM_TESTS_ENVIRONMENT = IOLTP='$(abs_builddir)/ioltp$(EXEEXT)'; export IOLTP; \
	AWK='$(AWK)'; export AWK;

# What shell tests source or run.
test_libraries = \
	tests/cli/capture_lib.sh \
	tests/cli/guard_lib.sh \
	tests/cli/raw_lib.sh \
	tests/db/cut_proxy.py \
	tests/db/instances_lib.sh \
	tests/db/mariadb_lib.sh \
	tests/db/postgres_lib.sh \
	tests/db/unknown_lib.sh

EXTRA_DIST += tests/lib.sh $(test_libraries) tests/unit/no_cmocka.sh $(unit_headers) tests/hdr/DecodeHist.java \
	$(cli_tests) $(db_tests) $(vm_tests) $(vm_files) $(tree_tests)

# Parts of `make check`, for builds that need not judge the tree again.
.PHONY: check-code check-threads
check-code:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(unit_runs) $(cli_tests) $(sanitized_db_tests)'
check-threads:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(unit_runs) $(thread_tests)'
