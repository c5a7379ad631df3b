/* SPDX-License-Identifier: MIT */
/* ffi_run: the event loop and histograms, for Lua. */
#include "script/export.h"

#include "run/client.h"
#include "script/state.h"

int ioltp_self(void)
{
	return (int)client_now->id;
}

bool ioltp_next(void)
{
	return client_next(client_now);
}

bool ioltp_done_next(void)
{
	return client_done_next(client_now);
}

void ioltp_done(int fate)
{
	client_done(client_now, (enum event_fate)fate);
}

bool ioltp_retry(void)
{
	return client_retry(client_now);
}

int ioltp_type(void)
{
	return (int)client_now->type;
}

void ioltp_count_error(void)
{
	struct client *c = client_now;

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
