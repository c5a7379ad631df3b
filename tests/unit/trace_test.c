/* SPDX-License-Identifier: MIT */
/* trace: what recorders write is what is read; files that are cut, foreign or unfinished. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "trace/recorder.h"
#include "trace/trace_file.h"

#define LANES 3
#define EACH  40000u

static char path[64];

static int set_up(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/ioltp-trace-test.XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(path);
}

static struct recorder *make(uint64_t limit_bytes, uint64_t hold_bytes)
{
	struct recorder_config c = {.path = path,
	                            .source = TRACE_SOURCE_VFS,
	                            .limit_bytes = limit_bytes,
	                            .hold_bytes = hold_bytes};
	struct err err = ERR_INIT;
	struct recorder *r;

	assert_int_equal(recorder_new(&r, &c, &err), 0);
	recorder_type(r, "first");
	assert_int_equal(recorder_file(r, "/db", TRACE_KIND_DATA, 4096), 0);
	assert_int_equal(recorder_file(r, "/db-wal", TRACE_KIND_LOG, 4096), 1);
	assert_int_equal(recorder_file(r, "/db", TRACE_KIND_DATA, 4096), 0);
	recorder_file_size(r, 1, 123456);
	return r;
}

static struct trace_event event(uint64_t begin_ns, uint32_t owner)
{
	return (struct trace_event){.begin_ns = begin_ns,
	                            .latency_ns = 7,
	                            .offset_bytes = begin_ns * 4096,
	                            .size_bytes = 4096,
	                            .owner = owner,
	                            .file = 1,
	                            .op = TRACE_WRITE,
	                            .flags = TRACE_FUA,
	                            .depth = 2};
}

struct filler {
	struct recorder *r;
	struct recorder_lane *lane;
	uint32_t id;
};

/* Times interleave: 1000 + 3 i + id. Waits for room, so that nothing is dropped. */
static void *fill(void *arg)
{
	struct filler *f = arg;

	for (uint32_t i = 0; i < EACH; i++) {
		struct trace_event e = event(1000 + i * LANES + f->id, f->id);

		while (f->lane->put - __atomic_load_n(&f->lane->taken, __ATOMIC_ACQUIRE) >=
		       RECORDER_LANE_EVENTS)
			usleep(100);
		recorder_put(f->lane, &e);
	}
	return NULL;
}

static void fill_all(struct recorder *r)
{
	struct filler f[LANES];
	pthread_t threads[LANES];

	for (uint32_t i = 0; i < LANES; i++) {
		f[i] = (struct filler){r, recorder_lane(r, RECORDER_LANE_EVENTS), i};
		assert_non_null(f[i].lane);
		assert_int_equal(pthread_create(&threads[i], NULL, fill, &f[i]), 0);
	}
	for (uint32_t i = 0; i < LANES; i++)
		pthread_join(threads[i], NULL);
}

static void load_good(struct trace *t)
{
	struct err err = ERR_INIT;
	int rc = trace_load(t, path, &err);

	if (rc != 0)
		print_error("%s\n", err.text);
	assert_int_equal(rc, 0);
}

static void load_bad(const char *words)
{
	struct err err = ERR_INIT;
	struct trace t;

	assert_int_equal(trace_load(&t, path, &err), -EINVAL);
	assert_non_null(strstr(err.text, words));
	trace_fini(&t);
}

static void round_trip_with(uint64_t hold_bytes)
{
	struct recorder *r = make(0, hold_bytes);
	struct recorder_report report;
	struct trace t;

	recorder_window(r, 1000 + LANES); /* the first of each lane is before it */
	fill_all(r);
	recorder_finish(r, 1000 + LANES * (EACH - 1), &report); /* and the last of each behind */
	recorder_free(r);
	assert_int_equal(report.dropped, 0);
	assert_int_equal(report.write_errno, 0);
	assert_int_equal(report.events, LANES * (EACH - 1));
	load_good(&t);
	assert_int_equal(t.nevents, LANES * (EACH - 2));
	for (size_t i = 0; i < t.nevents; i++) {
		struct trace_event e = event(1000 + LANES + i, (uint32_t)(i % LANES));

		assert_memory_equal(&t.events[i], &e, sizeof(e));
	}
	assert_int_equal(t.head.nfiles, 2);
	assert_string_equal(t.files[0].path, "/db");
	assert_string_equal(t.files[1].path, "/db-wal");
	assert_int_equal(t.files[1].kind, TRACE_KIND_LOG);
	assert_int_equal(t.files[1].size_bytes, 123456);
	assert_int_equal(t.head.ntypes, 1);
	assert_string_equal(t.head.types[0], "first");
	trace_fini(&t);
}

static void round_trip(void **state)
{
	(void)state;
	round_trip_with(0);
	round_trip_with(4u << 20);
}

/* Until the window is known nothing leaves the lanes: what is too much for one is counted. */
static void full_lane(void **state)
{
	struct recorder *r = make(0, 0);
	struct recorder_lane *lane = recorder_lane(r, RECORDER_LANE_EVENTS);
	struct recorder_report report;
	struct trace t;

	(void)state;
	for (uint64_t i = 0; i < RECORDER_LANE_EVENTS + 5; i++) {
		struct trace_event e = event(10 + i, 0);

		recorder_put(lane, &e);
	}
	recorder_window(r, 10);
	recorder_lost(r, 3);
	recorder_finish(r, 1000000, &report);
	recorder_free(r);
	assert_int_equal(report.events, RECORDER_LANE_EVENTS);
	assert_int_equal(report.dropped, 8);
	load_good(&t);
	assert_int_equal(t.head.dropped, 8);
	assert_int_equal(t.nevents, RECORDER_LANE_EVENTS);
	trace_fini(&t);
}

static void limit(void **state)
{
	struct recorder *r = make(100 * sizeof(struct trace_event), 0);
	struct recorder_lane *lane = recorder_lane(r, RECORDER_LANE_EVENTS);
	struct recorder_report report;
	struct trace t;

	(void)state;
	recorder_window(r, 0);
	for (uint64_t i = 0; i < 150; i++) {
		struct trace_event e = event(10 + i, 0);

		recorder_put(lane, &e);
	}
	recorder_finish(r, 1000, &report);
	recorder_free(r);
	assert_true(report.limited);
	assert_int_equal(report.events, 100);
	assert_int_equal(report.dropped, 50);
	load_good(&t);
	assert_int_equal(t.nevents, 100);
	trace_fini(&t);
}

/* A transaction goes before the I/O that began in the same moment. */
static void transactions_first(void **state)
{
	struct recorder *r = make(0, 0);
	struct recorder_lane *lane = recorder_lane(r, RECORDER_LANE_EVENTS);
	struct trace_event e = event(50, 1);
	struct recorder_report report;
	struct trace t;

	(void)state;
	recorder_window(r, 1);
	recorder_put(lane, &e);
	e.op = TRACE_TXN;
	recorder_put(lane, &e);
	recorder_finish(r, 100, &report);
	recorder_free(r);
	load_good(&t);
	assert_int_equal(t.nevents, 2);
	assert_int_equal(t.events[0].op, TRACE_TXN);
	assert_int_equal(t.events[1].op, TRACE_WRITE);
	trace_fini(&t);
}

static void small_trace(void)
{
	struct recorder_report report;
	struct recorder_lane *lane;
	struct recorder *r;

	/* What is no trace any more would be left alone. */
	assert_int_equal(truncate(path, 0), 0);
	r = make(0, 0);
	lane = recorder_lane(r, RECORDER_LANE_EVENTS);
	recorder_window(r, 5);
	for (uint64_t i = 0; i < 10; i++) {
		struct trace_event e = event(10 + i, 0);

		recorder_put(lane, &e);
	}
	recorder_finish(r, 1000, &report);
	recorder_free(r);
}

static void patch(size_t at, uint32_t value)
{
	int fd = open(path, O_WRONLY);

	assert_int_equal(pwrite(fd, &value, sizeof(value), (off_t)at), sizeof(value));
	close(fd);
}

static void damaged(void **state)
{
	struct stat st;

	(void)state;
	small_trace();
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(truncate(path, st.st_size - 1), 0);
	load_bad("cut off: 9 of 10");
	assert_int_equal(truncate(path, sizeof(struct trace_head) + 100), 0);
	load_bad("cut off in its head");
	assert_int_equal(truncate(path, 100), 0);
	load_bad("too short");
	assert_int_equal(truncate(path, 0), 0);
	load_bad("too short");

	small_trace();
	patch(offsetof(struct trace_head, byte_order), 0x04030201);
	load_bad("byte order");
	small_trace();
	patch(0, 0x12345678);
	load_bad("no trace of ioltp");
	small_trace();
	patch(offsetof(struct trace_head, nfiles), TRACE_FILES_MAX + 1);
	load_bad("head is damaged");
	small_trace();
	patch(TRACE_EVENTS_AT + 3 * sizeof(struct trace_event) + offsetof(struct trace_event, file),
	      0xffff);
	load_bad("event 3 is damaged");
	small_trace();
	patch(TRACE_EVENTS_AT + offsetof(struct trace_event, op), TRACE_OPS);
	load_bad("event 0 is damaged");
	/* An address that no drive has would cost memory without end. */
	small_trace();
	patch(TRACE_EVENTS_AT + offsetof(struct trace_event, offset_bytes) + 4, 0x80000000);
	load_bad("event 0 is damaged");
}

static void missing(void **state)
{
	struct err err = ERR_INIT;
	struct trace t;

	(void)state;
	assert_int_equal(trace_load(&t, "/nowhere/at.all", &err), -ENOENT);
	assert_int_equal(err.status, EXIT_USAGE);
	trace_fini(&t);
	err = ERR_INIT;
	assert_true(trace_load(&t, "/tmp", &err) < 0);
	assert_true(err_is_set(&err));
	trace_fini(&t);
}

static void unwritable(void **state)
{
	struct recorder_config c = {.path = "/nowhere/at.all"};
	struct err err = ERR_INIT;
	struct recorder *r;
	struct stat st;

	(void)state;
	assert_int_equal(recorder_new(&r, &c, &err), -EINVAL);
	assert_null(r);
	assert_non_null(strstr(err.text, "--capture-file=/nowhere/at.all"));
	c.path = "/dev/full";
	err = ERR_INIT;
	assert_int_equal(recorder_new(&r, &c, &err), -EINVAL);
	assert_non_null(strstr(err.text, "no regular file"));
	/* A file that is somebody's stays as it is. */
	c.path = path;
	patch(0, 0x12345678);
	err = ERR_INIT;
	assert_int_equal(recorder_new(&r, &c, &err), -EINVAL);
	assert_non_null(strstr(err.text, "no trace"));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 4);
}

/* The writer is killed: what had come into the file is read. */
static void killed(void **state)
{
	struct stat st = {0};
	struct trace t;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		struct recorder *r = make(0, 0);
		struct recorder_lane *lane = recorder_lane(r, RECORDER_LANE_EVENTS);

		recorder_window(r, 500);
		for (uint64_t i = 0; i < 1000; i++) {
			struct trace_event e = event(i, 0);

			recorder_put(lane, &e);
		}
		for (;;)
			pause();
	}
	while ((uint64_t)st.st_size < TRACE_EVENTS_AT + 500 * sizeof(struct trace_event)) {
		usleep(10000);
		assert_int_equal(stat(path, &st), 0);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* And the last write was cut. */
	assert_int_equal(truncate(path, st.st_size - 1), 0);
	load_good(&t);
	assert_int_equal(t.nevents, 499);
	assert_int_equal(t.events[0].begin_ns, 500);
	assert_int_equal(t.head.begin_ns, 500);
	assert_int_equal(t.head.end_ns, 998 + 7);
	assert_int_equal(t.head.nfiles, 2);
	trace_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(round_trip, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(full_lane, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(limit, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(transactions_first, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(damaged, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(missing, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(unwritable, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(killed, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
