/* SPDX-License-Identifier: MIT */
#include "raw/timers.h"

#include <errno.h>
#include <stdlib.h>

int timers_init(struct timers *t, unsigned room)
{
	*t = (struct timers){.room = room};
	t->items = calloc(room != 0 ? room : 1, sizeof(*t->items));
	return t->items != NULL ? 0 : -ENOMEM;
}

void timers_fini(struct timers *t)
{
	free(t->items);
	*t = (struct timers){0};
}

void timers_add(struct timers *t, uint64_t due_ns, uint32_t id)
{
	unsigned i = t->n++;

	for (; i != 0 && t->items[(i - 1) / 2].due_ns > due_ns; i = (i - 1) / 2)
		t->items[i] = t->items[(i - 1) / 2];
	t->items[i] = (struct timers_item){due_ns, id};
}

bool timers_take(struct timers *t, uint64_t now_ns, uint32_t *id)
{
	struct timers_item last;
	unsigned i = 0, child;

	if (t->n == 0 || t->items[0].due_ns > now_ns)
		return false;
	*id = t->items[0].id;
	last = t->items[--t->n];
	while ((child = 2 * i + 1) < t->n) {
		if (child + 1 < t->n && t->items[child + 1].due_ns < t->items[child].due_ns)
			child++;
		if (last.due_ns <= t->items[child].due_ns)
			break;
		t->items[i] = t->items[child];
		i = child;
	}
	t->items[i] = last;
	return true;
}
