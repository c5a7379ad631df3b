/* SPDX-License-Identifier: MIT */
/* ffi_run: the event loop and histograms, for Lua. */
#include "script/export.h"

#include "run/client.h"
#include "script/state.h"

bool ioltp_next(struct client *c)
{
	return client_next(c);
}

bool ioltp_done_next(struct client *c)
{
	return client_done_next(c);
}

void ioltp_done(struct client *c, int fate)
{
	client_done(c, (enum event_fate)fate);
}

bool ioltp_retry(struct client *c)
{
	return client_retry(c);
}

int ioltp_type(const struct client *c)
{
	return (int)c->type;
}

bool ioltp_open_loop(const struct client *c)
{
	return c->run != NULL && c->run->arrivals.process != SCHED_CLOSED;
}

void ioltp_begin_again(struct client *c)
{
	client_begin_again(c);
}

bool ioltp_in_event(const struct client *c)
{
	return c->in_event;
}

void ioltp_count_error(struct client *c)
{
	if (c->tally != NULL && c->recording)
		TALLY_ADD(c->tally->errors, 1);
}

struct hist *ioltp_hist_new(void)
{
	return hist_new();
}

void ioltp_hist_free(struct hist *h)
{
	hist_free(h);
}

void ioltp_hist_record(struct hist *h, double value)
{
	hist_record(h, value > 0 ? (uint64_t)value : 0);
}
