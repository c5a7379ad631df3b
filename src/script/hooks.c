/* SPDX-License-Identifier: MIT */
/* hooks: a script's own reports. They run in a state of their own, on the ticker's thread. */
#include <lua.h>
#include <stdio.h>

#include "script/state.h"

static void set(lua_State *L, const char *name, double value)
{
	lua_pushnumber(L, value);
	lua_setfield(L, -2, name);
}

static void push_stat(lua_State *L, const struct run_figures *f, const struct run_config *config,
                      bool cumulative)
{
	const struct tally_sum *s = f->sum;
	double pct = config->npercentiles != 0 ? config->percentile_first : 0;

	lua_newtable(L);
	set(L, "threads_running", f->threads_running);
	set(L, "time_interval", f->elapsed_s);
	set(L, "time_total", f->end_s);
	set(L, "events", (double)f->ok);
	set(L, "reads", (double)s->classes[TALLY_READ]);
	set(L, "writes", (double)s->classes[TALLY_WRITE]);
	set(L, "other", (double)s->classes[TALLY_OTHER]);
	set(L, "errors", (double)s->errors);
	set(L, "reconnects", (double)s->reconnects);
	/* A stall has no latencies: what is known is the age of what hangs. */
	if (f->ok == 0 && f->oldest_ns != 0)
		set(L, "latency_pct", (double)f->oldest_ns / 1e9);
	else
		set(L, "latency_pct",
		    pct > 0 ? (double)hist_percentile_ns(s->latency, pct) / 1e9 : 0);
	set(L, "percentile", pct);
	set(L, "failed", (double)f->failed);
	set(L, "oldest", (double)f->oldest_ns / 1e9);
	if (!cumulative) {
		set(L, "queue_length", (double)f->queue_length);
		set(L, "concurrency", s->inflight);
		return;
	}
	set(L, "latency_min", f->ok != 0 ? (double)s->latency->min_ns / 1e9 : 0);
	set(L, "latency_max", (double)s->latency->max_ns / 1e9);
	set(L, "latency_avg", hist_mean_ns(s->latency) / 1e9);
	set(L, "latency_sum", (double)s->latency->sum_ns / 1e9);
}

bool script_report(struct script *s, const struct run_figures *f, const struct run_config *config,
                   bool cumulative, struct err *err)
{
	if (!(cumulative ? s->hook_cumulative : s->hook_intermediate))
		return false;
	if (s->report == NULL) {
		s->report = state_new(s, STATE_REPORT, NULL, s->threads, NULL, err);
		if (s->report == NULL || state_set_options(s->report, err) != 0)
			return true;
	}
	push_stat(s->report->L, f, config, cumulative);
	state_call(s->report, cumulative ? "report_cumulative" : "report_intermediate", 1, 0, err);
	/* print goes through stdio, and so do our lines: in order. */
	fflush(stdout);
	return true;
}

void script_reports_end(struct script *s)
{
	struct err ignored = ERR_INIT;

	if (s->report == NULL)
		return;
	state_call(s->report, "end_reports", 0, 0, &ignored);
	fflush(stdout);
}
