/* SPDX-License-Identifier: MIT */
#include "load/board.h"

#include <stdlib.h>
#include <string.h>

struct load_board *load_board_new(unsigned threads, uint64_t seed, const struct dist_params *dist,
                                  const struct log *log)
{
	struct load_board *board = calloc(1, sizeof(*board));

	if (board == NULL)
		return NULL;
	board->threads = threads;
	board->seed = seed;
	board->dist = *dist;
	board->log = log;
	clock_init(&board->own_clock, CLOCK_KIND_SYSTEM);
	board->clock = &board->own_clock;
	pthread_mutex_init(&board->lock, NULL);
	pthread_cond_init(&board->changed, NULL);
	return board;
}

void load_board_free(struct load_board *board)
{
	if (board == NULL)
		return;
	while (board->first != NULL) {
		struct load_job *job = board->first;

		board->first = job->next;
		free(job->table);
		free(job);
	}
	pthread_cond_destroy(&board->changed);
	pthread_mutex_destroy(&board->lock);
	free(board);
}

void load_board_clock(struct load_board *board, const struct clock *clock)
{
	board->clock = clock;
}

void load_board_cancel(struct load_board *board)
{
	pthread_mutex_lock(&board->lock);
	atomic_store(&board->stop, true);
	pthread_cond_broadcast(&board->changed);
	pthread_mutex_unlock(&board->lock);
}

/* A job that still waits for threads: once all have come, the same name means a new load of that
 * table. */
static struct load_job *find_job(struct load_board *board, const char *table)
{
	for (struct load_job *job = board->first; job != NULL; job = job->next) {
		if (job->joined < board->threads && strcmp(job->table, table) == 0)
			return job;
	}
	return NULL;
}

/* Never 0, which means "not yet". */
static uint64_t now_ns(const struct load_board *board)
{
	uint64_t now = clock_now_ns(board->clock);

	return now != 0 ? now : 1;
}

static struct load_job *add_job(struct load_board *board, const char *table, uint64_t units,
                                uint64_t chunk_units)
{
	struct load_job *job = calloc(1, sizeof(*job));

	if (job == NULL)
		return NULL;
	job->table = strdup(table);
	if (job->table == NULL) {
		free(job);
		return NULL;
	}
	job->number = board->last != NULL ? board->last->number + 1 : 1;
	job->units = units;
	job->chunk_units = chunk_units;
	job->chunks = units / chunk_units + (units % chunk_units != 0);
	job->begun_ns = now_ns(board);
	if (units == 0)
		atomic_store(&job->ended_ns, job->begun_ns);
	if (board->last != NULL)
		board->last->next = job;
	else
		board->first = job;
	board->last = job;
	return job;
}

struct load_job *board_join(struct load_board *board, const char *table, uint64_t units,
                            uint64_t chunk_units, unsigned tables)
{
	struct load_job *job;

	pthread_mutex_lock(&board->lock);
	job = find_job(board, table);
	if (job == NULL)
		job = add_job(board, table, units, chunk_units);
	if (job != NULL)
		job->joined++;
	board->tables = tables;
	pthread_mutex_unlock(&board->lock);
	return job;
}

bool board_turn(struct load_board *board, struct load_job *job, uint64_t chunk)
{
	pthread_mutex_lock(&board->lock);
	while (!board_stopped(board) && job->turn != chunk)
		pthread_cond_wait(&board->changed, &board->lock);
	pthread_mutex_unlock(&board->lock);
	return !board_stopped(board);
}

void board_turn_over(struct load_board *board, struct load_job *job)
{
	pthread_mutex_lock(&board->lock);
	job->turn++;
	pthread_cond_broadcast(&board->changed);
	pthread_mutex_unlock(&board->lock);
}

void board_done(struct load_board *board, struct load_job *job, uint64_t units)
{
	if (atomic_fetch_add(&job->units_done, units) + units == job->units)
		atomic_store(&job->ended_ns, now_ns(board));
}

void board_retried(struct load_board *board)
{
	atomic_fetch_add(&board->retries, 1);
}
