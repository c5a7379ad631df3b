/* SPDX-License-Identifier: MIT */
#include "run/tally.h"

#include <stdlib.h>
#include <string.h>

static struct tally_stmt *find_stmt(struct tally_sum *s, const struct tally_stmt *like)
{
	for (unsigned i = 0; i < s->nstmts; i++) {
		if (s->stmts[i].class == like->class && strcmp(s->stmts[i].label, like->label) == 0)
			return &s->stmts[i];
	}
	return NULL;
}

static struct tally_stmt *add_stmt(struct tally_sum *s, const struct tally_stmt *like)
{
	struct tally_stmt *grown = realloc(s->stmts, (s->nstmts + 1) * sizeof(*grown));
	struct tally_stmt *to;

	if (grown == NULL)
		return NULL;
	s->stmts = grown;
	to = &grown[s->nstmts];
	*to = (struct tally_stmt){.class = like->class, .latency = hist_new()};
	if (to->latency == NULL)
		return NULL;
	memcpy(to->label, like->label, sizeof(to->label));
	s->nstmts++;
	return to;
}

static int sum_stmts(struct tally_sum *s, struct tally *t)
{
	unsigned n = atomic_load_explicit(&t->nstmts, memory_order_acquire);

	for (unsigned i = 0; i < n; i++) {
		const struct tally_stmt *from = t->stmts[i];
		struct tally_stmt *to;

		if (HIST_LOAD(&from->count) == 0 && HIST_LOAD(&from->errors) == 0)
			continue;
		to = find_stmt(s, from);
		if (to == NULL)
			to = add_stmt(s, from);
		if (to == NULL)
			return -1;
		to->count += HIST_LOAD(&from->count);
		to->errors += HIST_LOAD(&from->errors);
		to->rows += HIST_LOAD(&from->rows);
		to->bytes += HIST_LOAD(&from->bytes);
		hist_merge(to->latency, from->latency);
	}
	return 0;
}

static int sum_errors(struct tally_sum *s, struct tally *t)
{
	unsigned n = atomic_load_explicit(&t->nerrors, memory_order_acquire);

	for (unsigned i = 0; i < n; i++) {
		const struct tally_error *from = &t->error_list[i];
		uint64_t count = HIST_LOAD(&from->count);
		struct tally_error *grown;
		unsigned k = 0;

		if (count == 0)
			continue;
		while (k < s->nerrors && (s->error_list[k].code != from->code ||
		                          strcmp(s->error_list[k].state, from->state) != 0))
			k++;
		if (k == s->nerrors) {
			grown = realloc(s->error_list, (k + 1) * sizeof(*grown));
			if (grown == NULL)
				return -1;
			s->error_list = grown;
			/* Field by field: the counter goes on counting meanwhile. */
			grown[k] = (struct tally_error){.code = from->code};
			memcpy(grown[k].state, from->state, sizeof(grown[k].state));
			memcpy(grown[k].text, from->text, sizeof(grown[k].text));
			s->nerrors++;
		}
		s->error_list[k].count += count;
	}
	return 0;
}

static int sum_types(struct tally_sum *s, const struct tally *t, bool details)
{
	for (unsigned i = 0; i < t->ntypes; i++) {
		const struct tally_type *from = &t->types[i];
		struct tally_sum_type *to = &s->types[i];
		uint64_t retries = HIST_LOAD(&from->retries);

		/* ok and failed before begun: an event must not be seen as ended and not begun. */
		to->ok += HIST_LOAD(&from->ok);
		to->failed += HIST_LOAD(&from->failed);
		to->cancelled += HIST_LOAD(&from->cancelled);
		to->begun += HIST_LOAD(&from->begun);
		to->retries += retries;
		hist_merge(s->latency, from->latency);
		if (s->service != NULL && from->service != NULL)
			hist_merge(s->service, from->service);
		if (!details)
			continue;
		hist_merge(to->latency, from->latency);
		if (to->service != NULL && from->service != NULL)
			hist_merge(to->service, from->service);
	}
	return 0;
}

static void sum_inflight(struct tally_sum *s, uint64_t since_ns)
{
	if (since_ns == 0)
		return;
	s->inflight++;
	if (s->oldest_inflight_ns == 0 || since_ns < s->oldest_inflight_ns)
		s->oldest_inflight_ns = since_ns;
}

static void sum_counters(struct tally_sum *s, const struct tally *t)
{
	uint64_t last = HIST_LOAD(&t->last_end_ns);

	for (unsigned i = 0; i < TALLY_CLASSES; i++) {
		s->classes[i] += HIST_LOAD(&t->classes[i]);
		s->bytes[i] += HIST_LOAD(&t->bytes[i]);
	}
	s->errors += HIST_LOAD(&t->errors);
	s->reconnects += HIST_LOAD(&t->reconnects);
	s->commit_unknown += HIST_LOAD(&t->commit_unknown);
	s->lock_waits += HIST_LOAD(&t->lock_waits);
	s->lock_wait_ns += HIST_LOAD(&t->lock_wait_ns);
	s->lock_timeouts += HIST_LOAD(&t->lock_timeouts);
	if (last > s->last_end_ns)
		s->last_end_ns = last;
	sum_inflight(s, HIST_LOAD(&t->inflight_since_ns));
	for (unsigned i = 0; i < t->nslots; i++)
		sum_inflight(s, HIST_LOAD(&t->slots_since_ns[i]));
}

static void sum_totals(struct tally_sum *s)
{
	s->begun = s->ok = s->failed = s->cancelled = s->retries = 0;
	for (unsigned i = 0; i < s->ntypes; i++) {
		s->begun += s->types[i].begun;
		s->ok += s->types[i].ok;
		s->failed += s->types[i].failed;
		s->cancelled += s->types[i].cancelled;
		s->retries += s->types[i].retries;
	}
}

/* An empty sum with histograms as `open_loop` and `details` want them; NULL: out of memory. */
static struct tally_sum *sum_alloc(unsigned ntypes, bool open_loop, bool details)
{
	struct tally_sum *s = calloc(1, sizeof(*s));
	bool good;

	if (s == NULL)
		return NULL;
	s->ntypes = ntypes;
	s->types = calloc(ntypes != 0 ? ntypes : 1, sizeof(*s->types));
	s->latency = hist_new();
	good = s->types != NULL && s->latency != NULL;
	if (good && open_loop) {
		s->service = hist_new();
		s->lateness = hist_new();
		good = s->service != NULL && s->lateness != NULL;
	}
	for (unsigned i = 0; good && details && i < ntypes; i++) {
		s->types[i].latency = hist_new();
		good = s->types[i].latency != NULL;
		if (good && open_loop) {
			s->types[i].service = hist_new();
			good = s->types[i].service != NULL;
		}
	}
	if (good)
		return s;
	tally_sum_free(s);
	return NULL;
}

struct tally_sum *tally_sum_new(struct tally *const *tallies, unsigned n, bool details)
{
	bool open_loop = n != 0 && tallies[0]->lateness != NULL;
	struct tally_sum *s = sum_alloc(n != 0 ? tallies[0]->ntypes : 0, open_loop, details);

	if (s == NULL)
		return NULL;
	for (unsigned i = 0; i < n; i++) {
		struct tally *t = tallies[i];

		sum_counters(s, t);
		sum_types(s, t, details);
		if (open_loop)
			hist_merge(s->lateness, t->lateness);
		if (details && (sum_stmts(s, t) != 0 || sum_errors(s, t) != 0)) {
			tally_sum_free(s);
			return NULL;
		}
	}
	sum_totals(s);
	return s;
}

static void diff_types(struct tally_sum *d, const struct tally_sum *now,
                       const struct tally_sum *before)
{
	for (unsigned i = 0; i < d->ntypes; i++) {
		struct tally_sum_type *to = &d->types[i];
		const struct tally_sum_type *a = &now->types[i], *b = &before->types[i];

		to->begun = a->begun - b->begun;
		to->ok = a->ok - b->ok;
		to->failed = a->failed - b->failed;
		to->cancelled = a->cancelled - b->cancelled;
		to->retries = a->retries - b->retries;
		if (to->latency != NULL)
			hist_diff(to->latency, a->latency, b->latency);
		if (to->service != NULL)
			hist_diff(to->service, a->service, b->service);
	}
}

static int diff_stmts(struct tally_sum *d, const struct tally_sum *now,
                      const struct tally_sum *before)
{
	for (unsigned i = 0; i < now->nstmts; i++) {
		const struct tally_stmt *a = &now->stmts[i];
		struct tally_stmt *b = find_stmt((struct tally_sum *)before, a);
		struct tally_stmt *to = add_stmt(d, a);

		if (to == NULL)
			return -1;
		to->count = a->count - (b != NULL ? b->count : 0);
		to->errors = a->errors - (b != NULL ? b->errors : 0);
		to->rows = a->rows - (b != NULL ? b->rows : 0);
		to->bytes = a->bytes - (b != NULL ? b->bytes : 0);
		if (b != NULL)
			hist_diff(to->latency, a->latency, b->latency);
		else
			hist_merge(to->latency, a->latency);
	}
	return 0;
}

static int diff_errors(struct tally_sum *d, const struct tally_sum *now,
                       const struct tally_sum *before)
{
	if (now->nerrors == 0)
		return 0;
	d->error_list = calloc(now->nerrors, sizeof(*d->error_list));
	if (d->error_list == NULL)
		return -1;
	for (unsigned i = 0; i < now->nerrors; i++) {
		struct tally_error e = now->error_list[i];

		for (unsigned k = 0; k < before->nerrors; k++) {
			if (before->error_list[k].code == e.code &&
			    strcmp(before->error_list[k].state, e.state) == 0)
				e.count -= before->error_list[k].count;
		}
		if (e.count != 0)
			d->error_list[d->nerrors++] = e;
	}
	return 0;
}

struct tally_sum *tally_sum_diff(const struct tally_sum *now, const struct tally_sum *before)
{
	const struct tally_sum_type none[1] = {{0}};
	bool details = (now->ntypes != 0 ? now->types : none)[0].latency != NULL;
	bool open_loop = now->service != NULL;
	struct tally_sum *zero = NULL, *d;
	int rc;

	d = sum_alloc(now->ntypes, open_loop, details);
	if (d != NULL && before == NULL)
		before = zero = sum_alloc(now->ntypes, open_loop, details);
	if (d == NULL || before == NULL) {
		tally_sum_free(d);
		return NULL;
	}
	diff_types(d, now, before);
	for (unsigned i = 0; i < TALLY_CLASSES; i++) {
		d->classes[i] = now->classes[i] - before->classes[i];
		d->bytes[i] = now->bytes[i] - before->bytes[i];
	}
	d->errors = now->errors - before->errors;
	d->reconnects = now->reconnects - before->reconnects;
	d->commit_unknown = now->commit_unknown - before->commit_unknown;
	d->lock_waits = now->lock_waits - before->lock_waits;
	d->lock_wait_ns = now->lock_wait_ns - before->lock_wait_ns;
	d->lock_timeouts = now->lock_timeouts - before->lock_timeouts;
	d->last_end_ns = now->last_end_ns;
	d->oldest_inflight_ns = now->oldest_inflight_ns;
	d->inflight = now->inflight;
	hist_diff(d->latency, now->latency, before->latency);
	if (open_loop) {
		hist_diff(d->service, now->service, before->service);
		hist_diff(d->lateness, now->lateness, before->lateness);
	}
	sum_totals(d);
	rc = diff_stmts(d, now, before) != 0 || diff_errors(d, now, before) != 0;
	tally_sum_free(zero);
	if (rc == 0)
		return d;
	tally_sum_free(d);
	return NULL;
}

void tally_sum_free(struct tally_sum *s)
{
	if (s == NULL)
		return;
	hist_free(s->latency);
	hist_free(s->service);
	hist_free(s->lateness);
	for (unsigned i = 0; s->types != NULL && i < s->ntypes; i++) {
		hist_free(s->types[i].latency);
		hist_free(s->types[i].service);
	}
	free(s->types);
	for (unsigned i = 0; i < s->nstmts; i++)
		hist_free(s->stmts[i].latency);
	free(s->stmts);
	free(s->error_list);
	free(s);
}
