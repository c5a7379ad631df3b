/* SPDX-License-Identifier: MIT */
/* compat: C functions of sysbench that scripts call by ffi.C. They are given a thread number, or
 * nothing at all, and mean the client of the OS thread. */
#include "script/export.h"

#include <string.h>

#include "run/client.h"
#include "script/state.h"

bool sb_more_events(int thread_id)
{
	struct client *c = client_now;

	(void)thread_id;
	if (c == NULL || c->run == NULL)
		return false;
	/* Asked for and never finished: the script called it off. */
	if (c->in_event)
		client_done(c, EVENT_CANCELLED);
	return client_next(c);
}

void sb_event_start(int thread_id)
{
	(void)thread_id;
	if (client_now != NULL && client_now->run != NULL)
		client_begin_again(client_now);
}

void sb_event_stop(int thread_id)
{
	(void)thread_id;
	if (client_now != NULL && client_now->run != NULL)
		client_done(client_now, EVENT_OK);
}

void sb_counter_add(int thread_id, sb_counter_type type, uint64_t value)
{
	struct client *c = client_now;

	(void)thread_id;
	if (c == NULL || c->tally == NULL || !c->recording)
		return;
	switch (type) {
	case SB_CNT_OTHER:
		TALLY_ADD(c->tally->classes[TALLY_OTHER], value);
		break;
	case SB_CNT_READ:
		TALLY_ADD(c->tally->classes[TALLY_READ], value);
		break;
	case SB_CNT_WRITE:
		TALLY_ADD(c->tally->classes[TALLY_WRITE], value);
		break;
	case SB_CNT_ERROR:
		TALLY_ADD(c->tally->errors, value);
		break;
	case SB_CNT_RECONNECT:
		TALLY_ADD(c->tally->reconnects, value);
		break;
	case SB_CNT_EVENT:      /* events are counted where they end */
	case SB_CNT_BYTES_READ: /* of file tests, which are elsewhere */
	case SB_CNT_BYTES_WRITTEN:
	case SB_CNT_MAX:
		break;
	}
}

void sb_counter_inc(int thread_id, sb_counter_type type)
{
	sb_counter_add(thread_id, type, 1);
}

static uint32_t draw(int kind, uint32_t a, uint32_t b)
{
	return client_now != NULL ? (uint32_t)ioltp_rand64(kind, a, b) : a;
}

uint32_t sb_rand_default(uint32_t a, uint32_t b)
{
	return draw(-1, a, b);
}

uint32_t sb_rand_uniform(uint32_t a, uint32_t b)
{
	return draw(DIST_UNIFORM, a, b);
}

uint32_t sb_rand_gaussian(uint32_t a, uint32_t b)
{
	return draw(DIST_GAUSSIAN, a, b);
}

uint32_t sb_rand_special(uint32_t a, uint32_t b)
{
	return draw(DIST_SPECIAL, a, b);
}

uint32_t sb_rand_pareto(uint32_t a, uint32_t b)
{
	return draw(DIST_PARETO, a, b);
}

uint32_t sb_rand_zipfian(uint32_t a, uint32_t b)
{
	return draw(DIST_ZIPFIAN, a, b);
}

uint32_t sb_rand_unique(void)
{
	return client_now != NULL ? (uint32_t)ioltp_rand_unique() : 0;
}

void sb_rand_str(const char *fmt, char *buf)
{
	size_t len = strlen(fmt);

	if (client_now != NULL)
		rng_template(&client_now->rng[RNG_STRINGS], fmt, buf, len);
	buf[len] = '\0';
}

uint32_t sb_rand_varstr(char *buf, uint32_t min_len, uint32_t max_len)
{
	size_t len = 0;

	if (client_now != NULL)
		memcpy(buf, ioltp_rand_varstring(min_len, max_len, &len), len);
	return (uint32_t)len;
}

double sb_rand_uniform_double(void)
{
	return client_now != NULL ? ioltp_rand_double() : 0;
}

uint64_t sb_rand_uniform_uint64(void)
{
	return client_now != NULL ? ioltp_rand_u64() : 0;
}
