/* SPDX-License-Identifier: MIT */
/* timers: numbers that fall due at a time, earliest first: a heap in one array. One thread. */
#ifndef IOLTP_RAW_TIMERS_H
#define IOLTP_RAW_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

struct timers_item {
	uint64_t due_ns;
	uint32_t id;
};

struct timers {
	struct timers_item *items; /* owned; room for `room` */
	unsigned n, room;
};

/* 0 or -ENOMEM. */
int timers_init(struct timers *t, unsigned room);
void timers_fini(struct timers *t);
/* There must be room. */
void timers_add(struct timers *t, uint64_t due_ns, uint32_t id);
/* Takes the earliest if it is due by now. */
bool timers_take(struct timers *t, uint64_t now_ns, uint32_t *id);

/* When the earliest is due; UINT64_MAX: none. */
static inline uint64_t timers_next_ns(const struct timers *t)
{
	return t->n != 0 ? t->items[0].due_ns : UINT64_MAX;
}

#endif
