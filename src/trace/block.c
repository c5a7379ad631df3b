/* SPDX-License-Identifier: MIT */
#include "trace/block.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "trace/block_ring.h"

#define ROUND_NS 25000000
/* Records older than this are all there: nobody takes longer to write one down. */
#define SLACK_NS 1000000u
/* For I/Os that are in flight at the end. */
#define DRAIN_NS 1000000000u

struct block {
	struct block_ring ring;
	struct block_match *match;
	struct recorder *recorder;
	struct recorder_lane *lane;
	const struct clock *clock;
	int64_t ahead_ns; /* of the run's clock to the kernel's: they drift */
	uint64_t forgotten;
	_Atomic uint64_t stop_ns; /* when the end was asked for; 0: not yet */
	pthread_t thread;
};

/* ---- whether it can be ---- */

bool block_possible(char *why, size_t room)
{
#ifndef HAVE_LIBTRACEFS
	snprintf(why, room,
	         "this ioltp was built without libtracefs; install libtracefs-dev and build "
	         "again");
	return false;
#else
	if (geteuid() != 0) {
		snprintf(why, room, "need root; run as root, or use --capture=vfs with SQLite");
		return false;
	}
	if (!sysfs_exists("", "/sys/kernel/tracing/events/block") &&
	    !sysfs_exists("", "/sys/kernel/debug/tracing/events/block")) {
		snprintf(why, room,
		         "there is no /sys/kernel/tracing; mount it (mount -t tracefs tracefs "
		         "/sys/kernel/tracing)");
		return false;
	}
	return true;
#endif
}

bool block_traceable(const struct drive_node *drive, unsigned *major, unsigned *minor, char *why,
                     size_t room)
{
	if (!sysfs_dev("", drive->dir, major, minor)) {
		snprintf(why, room, "%s has no device number; name a drive with --device",
		         drive->name);
		return false;
	}
	if (!sysfs_exists("", "%s/mq", drive->dir)) {
		snprintf(why, room,
		         "%s has no request queue, and its requests leave no trace; name the drive "
		         "below it with --device",
		         drive->name);
		return false;
	}
	return true;
}

/* ---- the thread ---- */

static void emit(void *ctx, const struct trace_event *e)
{
	struct block *b = ctx;
	struct trace_event own = *e;

	own.begin_ns = (uint64_t)((int64_t)own.begin_ns + b->ahead_ns);
	recorder_put(b->lane, &own);
}

static void compare_clocks(struct block *b)
{
	uint64_t before_ns = clock_mono_ns();
	uint64_t own_ns = clock_now_ns(b->clock) + b->clock->base_mono_ns;
	uint64_t after_ns = clock_mono_ns();

	/* A reading that was interrupted says nothing. */
	if (after_ns - before_ns < 10000)
		b->ahead_ns = (int64_t)own_ns - (int64_t)(before_ns + (after_ns - before_ns) / 2);
}

/* The CPU whose next record is the oldest; NULL: none before the horizon. */
static struct block_cpu *oldest(struct block *b, uint64_t horizon_ns)
{
	struct block_cpu *best = NULL;

	for (unsigned i = 0; i < b->ring.ncpus; i++) {
		struct block_cpu *cpu = &b->ring.cpus[i];

		if (cpu->at == cpu->n || cpu->records[cpu->at].at_ns > horizon_ns)
			continue;
		if (best == NULL || cpu->records[cpu->at].at_ns < best->records[best->at].at_ns)
			best = cpu;
	}
	return best;
}

static void poll_once(struct block *b)
{
	uint64_t horizon_ns = clock_mono_ns() - SLACK_NS;
	struct block_cpu *cpu;

	compare_clocks(b);
	for (unsigned i = 0; i < b->ring.ncpus; i++) {
		cpu = &b->ring.cpus[i];
		if (!block_ring_read(&b->ring, cpu) && cpu->n != 0 &&
		    cpu->records[cpu->n - 1].at_ns < horizon_ns)
			horizon_ns = cpu->records[cpu->n - 1].at_ns;
		if (!cpu->lost)
			continue;
		/* What was in flight cannot be told from what is by now. */
		cpu->lost = false;
		b->forgotten += block_match_forget(b->match);
	}
	while ((cpu = oldest(b, horizon_ns)) != NULL)
		block_match_feed(b->match, &cpu->records[cpu->at++]);
}

static void *block_main(void *arg)
{
	const struct timespec round = {0, ROUND_NS};
	struct block *b = arg;
	bool over = false;

	while (!over) {
		uint64_t stop_ns = b->stop_ns, now_ns = clock_mono_ns();

		poll_once(b);
		/* Once more than SLACK_NS after the end, so that the horizon is behind it. */
		over = stop_ns != 0 && now_ns > stop_ns + 2 * SLACK_NS &&
		       (now_ns > stop_ns + DRAIN_NS || block_match_open(b->match, stop_ns) == 0);
		if (!over)
			nanosleep(&round, NULL);
	}
	return NULL;
}

/* ---- for its users ---- */

int block_new(struct block **out, const struct block_config *config, struct err *err)
{
	struct block *b = calloc(1, sizeof(*b));
	char why[256];
	unsigned major, minor;
	int rc;

	*out = NULL;
	if (b == NULL)
		return err_run(err, "capture: out of memory");
	b->recorder = config->recorder;
	b->clock = config->clock;
	b->match = block_match_new(emit, b);
	b->lane = recorder_lane(config->recorder, RECORDER_ALL_EVENTS);
	if (b->match == NULL || b->lane == NULL)
		rc = err_run(err, "capture: out of memory");
	else if (!block_traceable(config->drive, &major, &minor, why, sizeof(why)))
		rc = err_usage(err, "block tracepoints: %s", why);
	else
		rc = block_ring_open(&b->ring, major, minor, err);
	if (rc == 0) {
		compare_clocks(b);
		rc = -pthread_create(&b->thread, NULL, block_main, b);
		if (rc != 0) {
			err_run(err, "capture: no thread could be started: %s; raise ulimit -u",
			        strerror(-rc));
			block_ring_close(&b->ring);
		}
	}
	if (rc != 0) {
		block_match_free(b->match);
		free(b);
		return rc;
	}
	*out = b;
	return 0;
}

void block_finish(struct block *b)
{
	uint64_t lost;

	b->stop_ns = clock_mono_ns();
	pthread_join(b->thread, NULL);
	/* What never ended is missing as much as what the kernel lost. */
	lost = b->forgotten + block_match_open(b->match, b->stop_ns);
	lost += block_ring_close(&b->ring);
	recorder_lost(b->recorder, lost);
}

void block_free(struct block *b)
{
	if (b == NULL)
		return;
	block_match_free(b->match);
	free(b);
}
