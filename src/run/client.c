/* SPDX-License-Identifier: MIT */
#include "run/client.h"

/* First waits between tries, and the longest. */
#define BACKOFF_FIRST_NS 100000u
#define BACKOFF_MAX_NS   100000000u

static uint64_t end_ns(const struct run *run)
{
	return atomic_load_explicit(&run->end_ns, memory_order_relaxed);
}

static bool stopped(const struct run *run)
{
	return __atomic_load_n(&run->stop, __ATOMIC_RELAXED) != 0;
}

static inline bool finished(const struct client *c, uint64_t now)
{
	return __builtin_expect(now >= end_ns(c->run) || stopped(c->run) || c->events_left == 0, 0);
}

/* Clocks of two CPUs may differ by a few ns: a thread that moved must not record 584 years. */
static inline uint64_t span(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

/* Begins an event that was meant to start at `intended`. */
static inline void begin(struct client *c, uint64_t intended, uint64_t now)
{
	c->intended_ns = intended;
	c->begun_ns = now;
	c->tries = 1;
	c->in_event = true;
	c->recording = intended >= c->run->measure_ns;
	HIST_STORE(&c->tally->inflight_since_ns, intended);
	if (!c->recording)
		return;
	TALLY_ADD(c->tally->types[c->type].begun, 1);
	if (c->events_left != UINT64_MAX)
		c->events_left--;
}

static __attribute__((noinline)) void tell_probe(const struct client *c, enum event_fate fate,
                                                 uint64_t now)
{
	const struct run_probe *probe = c->run->probe;
	const struct run_event e = {.owner = c->id,
	                            .type = c->type,
	                            .failed = fate != EVENT_OK,
	                            .intended_ns = c->intended_ns,
	                            .end_ns = now};

	if (fate != EVENT_CANCELLED)
		probe->ended(probe->ctx, &e);
}

/* Ends the event in flight at `now`; the caller clears inflight_since_ns or overwrites it. */
static inline void finish(struct client *c, enum event_fate fate, uint64_t now)
{
	struct tally_type *type = &c->tally->types[c->type];

	c->in_event = false;
	if (!c->recording)
		return;
	c->recording = false;
	HIST_STORE(&c->tally->last_end_ns, now);
	if (__builtin_expect(fate == EVENT_OK, 1)) {
		TALLY_ADD(type->ok, 1);
		hist_record(type->latency, span(c->intended_ns, now));
		if (type->service != NULL)
			hist_record(type->service, span(c->begun_ns, now));
	} else if (fate == EVENT_FAILED) {
		TALLY_ADD(type->failed, 1);
	} else if (fate == EVENT_CANCELLED) {
		TALLY_ADD(type->cancelled, 1);
		if (c->events_left != UINT64_MAX)
			c->events_left++;
	}
	if (__builtin_expect(c->run->probe != NULL, 0))
		tell_probe(c, fate, now);
}

static bool over(struct client *c)
{
	c->over = true;
	HIST_STORE(&c->tally->inflight_since_ns, 0);
	return false;
}

static bool next_open(struct client *c)
{
	struct run *run = c->run;
	uint64_t intended = sched_next(&run->arrivals);
	uint64_t now = clock_now_ns(c->clock);

	HIST_STORE(&c->tally->inflight_since_ns, 0);
	/* Nothing more comes before the end, but the window is measured to its end all the same. */
	if (intended >= end_ns(run)) {
		if (intended != UINT64_MAX)
			clock_sleep_until(c->clock, end_ns(run), &run->stop);
		return over(c);
	}
	if (now < intended) {
		now = clock_sleep_until(c->clock, intended, &run->stop);
		if (intended >= run->measure_ns && now >= intended)
			hist_record(c->tally->lateness, now - intended);
	}
	/* An arrival that cannot begin before the end is not begun: the ticker counts it as
	 * skipped. */
	if (now < intended || now >= end_ns(run) || stopped(run))
		return over(c);
	c->type = mix_pick(run->mix, &c->deck, &c->rng[RNG_MIX]);
	begin(c, intended, now);
	return true;
}

static bool next_closed(struct client *c, uint64_t now)
{
	const struct mix *mix = c->run->mix;
	uint64_t due = c->due_ns;

	if (finished(c, now))
		return over(c);
	c->type = mix_pick(mix, &c->deck, &c->rng[RNG_MIX]);
	if (mix->waits) {
		due += delay_draw_ns(&mix->types[c->type].keying, &c->rng[RNG_THINK]);
		if (now < due) {
			HIST_STORE(&c->tally->inflight_since_ns, 0);
			now = clock_sleep_until(c->clock, due, &c->run->stop);
			if (now < due || finished(c, now))
				return over(c);
		}
	}
	begin(c, now, now);
	return true;
}

static void think(struct client *c, uint64_t now)
{
	const struct mix *mix = c->run->mix;

	c->due_ns = now;
	if (mix->waits)
		c->due_ns += delay_draw_ns(&mix->types[c->type].think, &c->rng[RNG_THINK]);
}

bool client_next(struct client *c)
{
	if (c->over)
		return false;
	if (c->run->arrivals.process != SCHED_CLOSED)
		return next_open(c);
	return next_closed(c, clock_now_ns(c->clock));
}

void client_done(struct client *c, enum event_fate fate)
{
	uint64_t now = clock_now_ns(c->clock);

	if (!c->in_event)
		return;
	finish(c, fate, now);
	HIST_STORE(&c->tally->inflight_since_ns, 0);
	think(c, now);
}

bool client_done_next(struct client *c)
{
	uint64_t now = clock_now_ns(c->clock);

	if (__builtin_expect(!c->in_event, 0))
		return client_next(c);
	finish(c, EVENT_OK, now);
	/* In the closed loop without waits the end of one event is the start of the next: one
	 * reading serves both. */
	if (__builtin_expect(c->run->arrivals.process == SCHED_CLOSED, 1)) {
		think(c, now);
		return next_closed(c, now);
	}
	return next_open(c);
}

bool client_retry(struct client *c)
{
	uint64_t now = clock_now_ns(c->clock);
	uint64_t most = BACKOFF_FIRST_NS;

	if (c->recording)
		TALLY_ADD(c->tally->types[c->type].retries, 1);
	if (now >= end_ns(c->run) || stopped(c->run))
		return false;
	/* The first retry is immediate: most conflicts are gone by then. */
	if (c->tries++ > 1) {
		for (unsigned i = 2; i < c->tries && most < BACKOFF_MAX_NS; i++)
			most *= 2;
		now = clock_sleep_until(c->clock, now + rng_below(&c->rng[RNG_BACKOFF], most),
		                        &c->run->stop);
	}
	return now < end_ns(c->run) && !stopped(c->run);
}

void client_begin_again(struct client *c)
{
	uint64_t now = clock_now_ns(c->clock);

	if (!c->in_event)
		return;
	c->begun_ns = now;
	if (c->run->arrivals.process != SCHED_CLOSED)
		return;
	c->intended_ns = now;
	HIST_STORE(&c->tally->inflight_since_ns, now);
}
