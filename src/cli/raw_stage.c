/* SPDX-License-Identifier: MIT */
#include "cli/raw_stage.h"

#include <errno.h>
#include <stdio.h>

void raw_stage_resize(struct raw_stage *s)
{
	if (s->target == NULL)
		return;
	s->setup.target = s->target;
	s->setup.size_bytes = s->target->size_bytes;
	s->setup.lba_bytes = s->target->lba_bytes;
}

static int execute(struct raw_stage *s, struct io_plan *plan, const struct run_config *config,
                   const struct run_sink *sink, const struct mix *mix, struct run_result *res,
                   struct err *err)
{
	struct run run = {.config = *config,
	                  .clock = s->clock,
	                  .log = s->log,
	                  .ops = &raw_run_ops,
	                  .ops_ctx = plan,
	                  .sink = sink,
	                  .mix = mix,
	                  .signal = s->cli->signal};

	run.config.threads = plan->workers;
	run_execute(&run, res);
	snprintf(s->in_force, sizeof(s->in_force), "%s", plan->in_force);
	s->workers = plan->workers;
	s->abandoned = res->abandoned;
	s->signal = res->signal;
	if (err_is_set(&res->err))
		return err_set(err, res->err.status, "%s", res->err.text);
	if (res->abandoned)
		return err_run(err, "%s: an I/O does not return; look at the kernel's log",
		               s->target != NULL ? s->target->path : "target");
	return res->signal != 0 ? -EINTR : 0;
}

int raw_stage_run(struct raw_stage *s, const struct raw_profile *p, const struct run_config *config,
                  const struct run_sink *sink, struct mix *mix, struct run_result *res,
                  struct err *err)
{
	struct raw_setup setup = s->setup;
	struct io_plan plan;
	int rc;

	setup.profile = p;
	setup.rate_per_s = config->rate_per_s;
	/* --workers is meant for the user's --oio; one with less takes less. */
	if (setup.workers > p->oio)
		setup.workers = p->oio;
	rc = profile_check(p, setup.size_bytes, setup.lba_bytes, err);
	if (rc != 0)
		return rc;
	rc = raw_plan_init(&plan, &setup, err);
	if (rc == 0)
		rc = raw_plan_mix(&plan, mix, err);
	if (rc == 0)
		rc = execute(s, &plan, config, sink, mix, res, err);
	if (!s->abandoned)
		raw_plan_fini(&plan);
	return rc;
}
