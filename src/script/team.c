/* SPDX-License-Identifier: MIT */
#include "script/state.h"

#include <errno.h>

int team_init(struct script_team *t, unsigned size)
{
	*t = (struct script_team){.size = size};
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->changed, NULL);
	return 0;
}

void team_fini(struct script_team *t)
{
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
}

bool team_barrier(struct script_team *t)
{
	uint64_t round;
	bool good;

	pthread_mutex_lock(&t->lock);
	round = t->round;
	if (++t->waiting == t->size) {
		t->waiting = 0;
		t->round++;
		pthread_cond_broadcast(&t->changed);
	}
	while (t->round == round && !t->failed)
		pthread_cond_wait(&t->changed, &t->lock);
	good = !t->failed;
	pthread_mutex_unlock(&t->lock);
	return good;
}

void team_fail(struct script_team *t)
{
	pthread_mutex_lock(&t->lock);
	t->failed = true;
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->lock);
}
