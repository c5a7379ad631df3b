/* SPDX-License-Identifier: MIT */
#include "load/load.h"

#include <math.h>

#include "base/units.h"
#include "load/board.h"

#define LINE_EVERY_NS 5000000000u

static double job_seconds(const struct load_board *board, const struct load_job *job)
{
	uint64_t ended = atomic_load(&job->ended_ns);
	uint64_t until = ended != 0 ? ended : clock_now_ns(board->clock);

	return until > job->begun_ns ? (double)(until - job->begun_ns) * 1e-9 : 0;
}

static void fill_job(const struct load_board *board, const struct load_job *job,
                     struct load_figures *f)
{
	double seconds = job_seconds(board, job);

	snprintf(f->table, sizeof(f->table), "%s", job->table);
	f->number = job->number;
	f->rows = job->units;
	f->rows_done = atomic_load(&job->units_done);
	f->percent = f->rows > 0 ? 100.0 * (double)f->rows_done / (double)f->rows : 100;
	f->rows_per_s = seconds > 0 ? (double)f->rows_done / seconds : 0;
	f->left_s = f->rows_per_s > 0 ? (double)(f->rows - f->rows_done) / f->rows_per_s : -1;
}

void load_board_figures(struct load_board *board, struct load_figures *f)
{
	const struct load_job *shown = NULL;

	*f = (struct load_figures){.left_s = -1};
	pthread_mutex_lock(&board->lock);
	for (const struct load_job *job = board->first; job != NULL; job = job->next) {
		bool ended = atomic_load(&job->ended_ns) != 0;

		f->rows_total += atomic_load(&job->units_done);
		f->finished += ended;
		if (shown == NULL && !ended)
			shown = job;
	}
	if (shown == NULL)
		shown = board->last;
	if (shown != NULL)
		fill_job(board, shown, f);
	f->tables = board->tables;
	pthread_mutex_unlock(&board->lock);
	f->retries = atomic_load(&board->retries);
	f->failed = board_stopped(board);
}

static void say_running(const struct load_figures *f, FILE *out)
{
	char left[64];

	fprintf(out, "ioltp: %s", f->table);
	if (f->tables > 1)
		fprintf(out, " (%u of %u)", f->number, f->tables);
	fprintf(out, ": %llu of %llu rows, %.0f %%, %.0f rows/s", (unsigned long long)f->rows_done,
	        (unsigned long long)f->rows, floor(f->percent), f->rows_per_s);
	if (f->left_s >= 0)
		fprintf(
		    out, ", %s left",
		    units_format_time(left, sizeof(left), (uint64_t)ceil(f->left_s) * 1000000000u));
}

/* A line for each table that has been finished since the last call. */
static bool say_finished(struct load_board *board, FILE *out)
{
	bool said = false;

	pthread_mutex_lock(&board->lock);
	for (struct load_job *job = board->first; job != NULL; job = job->next) {
		double seconds = job_seconds(board, job);

		if (job->told || atomic_load(&job->ended_ns) == 0)
			continue;
		job->told = true;
		said = true;
		fprintf(out, "ioltp: %s: %llu rows in %.1f s, %.0f rows/s\n", job->table,
		        (unsigned long long)job->units, seconds,
		        seconds > 0 ? (double)job->units / seconds : 0);
	}
	pthread_mutex_unlock(&board->lock);
	return said;
}

/* From the first row of the first table to the last row of the last. */
static double load_seconds(struct load_board *board)
{
	uint64_t ended = 0;

	pthread_mutex_lock(&board->lock);
	for (const struct load_job *job = board->first; job != NULL; job = job->next) {
		if (atomic_load(&job->ended_ns) > ended)
			ended = atomic_load(&job->ended_ns);
	}
	pthread_mutex_unlock(&board->lock);
	return ended > board->first->begun_ns ? (double)(ended - board->first->begun_ns) * 1e-9 : 0;
}

static void say_all(struct load_board *board, const struct load_figures *f, FILE *out)
{
	double seconds = load_seconds(board);

	fprintf(out, "ioltp: %u table%s, %llu rows in %.1f s, %.0f rows/s\n", f->finished,
	        f->finished == 1 ? "" : "s", (unsigned long long)f->rows_total, seconds,
	        seconds > 0 ? (double)f->rows_total / seconds : 0);
}

static void progress_tty(struct load_board *board, const struct load_figures *f, FILE *out)
{
	bool all = f->tables != 0 ? f->finished >= f->tables : f->finished == f->number;

	if (f->failed) {
		/* Leave the terminal at the beginning of a line to whoever writes next. */
		if (board->line_open)
			fputc('\n', out);
	} else if (!all) {
		fputs("\r\033[K", out);
		say_running(f, out);
		board->summed = false;
	} else if (!board->summed) {
		fputs("\r\033[K", out);
		say_all(board, f, out);
		board->summed = true;
	}
	board->line_open = !f->failed && !all;
}

static void progress_plain(struct load_board *board, const struct load_figures *f, FILE *out)
{
	uint64_t now = clock_now_ns(board->clock);

	if (board->said_ns == 0)
		board->said_ns = board->first->begun_ns;
	if (say_finished(board, out))
		board->said_ns = now;
	if (!f->failed && f->rows_done < f->rows && now >= board->said_ns + LINE_EVERY_NS) {
		say_running(f, out);
		fputc('\n', out);
		board->said_ns = now;
	}
}

void load_board_progress(struct load_board *board, FILE *out, bool is_tty)
{
	struct load_figures f;

	if (board->log != NULL && board->log->level < LOG_NOTICE)
		return;
	load_board_figures(board, &f);
	if (f.number == 0)
		return;
	if (is_tty)
		progress_tty(board, &f, out);
	else
		progress_plain(board, &f, out);
	fflush(out);
}
