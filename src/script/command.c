/* SPDX-License-Identifier: MIT */
/* command: prepare, cleanup and custom commands, in the main state or by all threads with a fresh
 * state each. */
#include <errno.h>
#include <lua.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/load.h"
#include "script/state.h"

struct member {
	struct script *script;
	struct script_team *team;
	const char *command;
	unsigned id;
	pthread_t thread;
	struct err err;
	bool failed;
	uint32_t *running; /* atomic: members not yet through */
};

/* Runs the command in a state; a script's `false` is a failure. */
static int run_in(struct script_state *st, const char *command, struct err *err)
{
	bool refused;

	lua_pushstring(st->L, command);
	if (state_call(st, "run_command", 1, 1, err) != 0)
		return -EIO;
	refused = lua_isboolean(st->L, -1) && !lua_toboolean(st->L, -1);
	lua_pop(st->L, 1);
	if (refused)
		return err_run(err,
		               "%s: the script's command '%s' returned false; see what it printed",
		               st->script->sources[0].path, command);
	return 0;
}

static void *member_main(void *arg)
{
	struct member *m = arg;
	struct script_state *st =
	    state_new(m->script, STATE_COMMAND, NULL, m->id, m->team, &m->err);

	m->failed = st == NULL || state_set_options(st, &m->err) != 0 ||
	            run_in(st, m->command, &m->err) != 0;
	if (m->failed) {
		team_fail(m->team);
		if (m->team->board != NULL)
			load_board_cancel(m->team->board);
	}
	state_free(st);
	__atomic_sub_fetch(m->running, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* Shows progress and passes a signal on until all members are through. */
static void watch(struct script *s, struct script_team *team, const uint32_t *running)
{
	bool tty = isatty(STDERR_FILENO) == 1;
	bool told = false;
	unsigned slices = 0;

	while (__atomic_load_n(running, __ATOMIC_ACQUIRE) != 0) {
		usleep(10000);
		if (!told && s->signal != NULL && *s->signal != 0) {
			told = true;
			log_notice(s->log, "stopping: the threads finish what they are at; once "
			                   "more to quit at once");
			team_fail(team);
			load_board_cancel(team->board);
		}
		if (++slices % 20 == 0)
			load_board_progress(team->board, stderr, tty);
	}
	load_board_progress(team->board, stderr, tty);
}

static unsigned start(struct script *s, struct script_team *team, struct member *members,
                      const char *command, uint32_t *running, struct err *err)
{
	unsigned n = 0;

	for (; n < s->threads; n++) {
		int rc;

		members[n] = (struct member){
		    .script = s, .team = team, .command = command, .id = n, .running = running};
		__atomic_add_fetch(running, 1, __ATOMIC_RELAXED);
		rc = pthread_create(&members[n].thread, NULL, member_main, &members[n]);
		if (rc == 0)
			continue;
		__atomic_sub_fetch(running, 1, __ATOMIC_RELAXED);
		err_run(err, "thread %u: could not be started: %s; use fewer --threads", n,
		        strerror(rc));
		team_fail(team);
		break;
	}
	return n;
}

/* The first failure that is a cause: "another thread failed" and "cancelled" only follow from it.
 */
static int first_failure(struct member *members, unsigned n, struct err *err)
{
	const struct member *first = NULL;

	for (unsigned i = 0; i < n; i++) {
		bool follows = strstr(members[i].err.text, "another thread failed") != NULL;

		if (members[i].failed &&
		    (first == NULL ||
		     (!follows && strstr(first->err.text, "another thread failed"))))
			first = &members[i];
	}
	if (first == NULL)
		return 0;
	return err_set(err, first->err.status, "%s", first->err.text);
}

static int run_parallel(struct script *s, const char *command, struct err *err)
{
	struct member *members = calloc(s->threads, sizeof(*members));
	struct script_team team;
	uint32_t running = 0;
	unsigned n;
	int rc = 0;

	team_init(&team, s->threads);
	team.board = load_board_new(s->threads, s->seed, &s->dist, s->log);
	if (members == NULL || team.board == NULL) {
		rc = err_run(err, "%s: out of memory for %u threads; use fewer --threads", command,
		             s->threads);
		goto free_all;
	}
	n = start(s, &team, members, command, &running, err);
	watch(s, &team, &running);
	for (unsigned i = 0; i < n; i++)
		pthread_join(members[i].thread, NULL);
	rc = n < s->threads ? -EIO : first_failure(members, n, err);
free_all:
	if (team.board != NULL)
		load_board_free(team.board);
	team_fini(&team);
	free(members);
	return rc;
}

/* In the main state; for further targets in a fresh one each, as the script may keep connections in
 * its globals. */
static int run_serial(struct script *s, const char *command, struct err *err)
{
	struct script_state *st;
	int rc;

	if (s->target == 0)
		return run_in(s->main, command, err);
	st = state_new(s, STATE_COMMAND, NULL, 0, NULL, err);
	rc = st == NULL ? -EIO : state_set_options(st, err);
	if (rc == 0)
		rc = run_in(st, command, err);
	state_free(st);
	return rc;
}

/* Says which target it was that failed, or is through. */
static int tell_target(struct script *s, unsigned n, const char *command, const struct err *own,
                       struct err *err)
{
	struct strbuf name = STRBUF_INIT;
	int rc = 0;

	script_targets(s, s->target, &name);
	if (!err_is_set(own))
		log_notice(s->log, "%s: target %u of %u, %s, is through", command, s->target + 1, n,
		           strbuf_str(&name));
	else
		rc = err_set(err, own->status, "target %u of %u, %s: %s%s", s->target + 1, n,
		             strbuf_str(&name), own->text,
		             s->target == 0 ? ""
		                            : " (if the targets are one database, as a cluster's "
		                              "nodes are, give --db-cluster)");
	strbuf_fini(&name);
	return rc;
}

/* Each server of a list has tables of its own: the command is for each of them. How many there are
 * is known when the first one's connections were made. */
static int run_targets(struct script *s, const char *command, bool parallel, struct err *err)
{
	const bool told_to_end = s->signal != NULL;
	unsigned n = 1;
	int rc = 0;

	s->one_target = !opt_bool(s->options, "db-cluster");
	for (s->target = 0; rc == 0 && s->target < n; s->target++) {
		struct err own = ERR_INIT;

		rc = parallel ? run_parallel(s, command, &own) : run_serial(s, command, &own);
		if (s->one_target)
			n = script_targets(s, 0, NULL);
		if (n > 1)
			rc = tell_target(s, n, command, &own, err);
		else if (rc != 0)
			rc = err_set(err, own.status, "%s", own.text);
		if (told_to_end && *s->signal != 0)
			break;
	}
	s->one_target = false;
	return rc;
}

int script_command(struct script *s, const char *command, struct err *err)
{
	bool parallel;

	lua_pushstring(s->main->L, command);
	if (state_call(s->main, "is_parallel", 1, 1, err) != 0)
		return -EIO;
	parallel = lua_toboolean(s->main->L, -1);
	lua_pop(s->main->L, 1);
	return run_targets(s, command, parallel, err);
}
