/* SPDX-License-Identifier: MIT */
/* loop: a script as the work of a run. The measured loop itself is in lua/ioltp/loop.lua, where it
 * compiles together with the event. */
#include <lua.h>

#include "script/state.h"

static int worker_init(void *ctx, struct worker *w, struct err *err)
{
	struct script *s = ctx;
	struct script_state *st = state_new(s, STATE_WORKER, &w->clients[0], w->id, NULL, err);

	if (st == NULL)
		return -1;
	w->data = st;
	if (state_set_options(st, err) != 0)
		return -1;
	if (state_call(st, "thread_init", 0, 0, err) != 0)
		return -1;
	/* What loading left over would stay until the script makes as much again, in each of maybe
	 * thousands of states. Where clients share one, each that comes collects what was before.
	 */
	vm_enter(st->vm);
	lua_gc(st->L, LUA_GCCOLLECT, 0);
	vm_leave(st->vm);
	return 0;
}

static int worker_run(void *ctx, struct worker *w, struct err *err)
{
	struct script_state *st = w->data;
	int rc = state_call(st, "thread_run", 0, 0, err);

	(void)ctx;
	if (rc != 0 && st->client->in_event)
		client_done(st->client, EVENT_FAILED);
	return rc;
}

static void worker_done(void *ctx, struct worker *w)
{
	struct script_state *st = w->data;
	struct err err = ERR_INIT;

	(void)ctx;
	if (st == NULL)
		return;
	/* After a failed run this often fails too: the first error is the one that is told. */
	if (state_call(st, "thread_done", 0, 0, &err) != 0)
		run_stop(w->run, RUN_END_ERROR, &err);
	state_free(st);
	w->data = NULL;
}

static unsigned targets(void *ctx)
{
	return script_targets(ctx, 0, NULL);
}

const struct run_ops script_run_ops = {worker_init, worker_run, worker_done, targets};
