/* SPDX-License-Identifier: MIT */
#include "script/script.h"

#include <errno.h>
#include <lauxlib.h>
#include <luajit.h>
#include <stdlib.h>
#include <string.h>

#include "script/state.h"

int script_load(struct script *s, struct err *err)
{
	lua_State *L;

	if (s->threads == 0)
		s->threads = 1;
	/* A script may draw while it is loaded, with the options as they are known by then. */
	dist_params_from(&s->dist, s->options);
	s->env = script_env_new(s);
	s->chunks = chunks_new();
	if (s->env == NULL || s->chunks == NULL)
		return err_run(err, "lua: out of memory");
	s->main = state_new(s, STATE_MAIN, NULL, 0, NULL, err);
	if (s->main == NULL)
		return -EINVAL;
	if (state_call(s->main, "declare_options", 0, 1, err) != 0)
		return -EINVAL;
	L = s->main->L;
	s->accepts_any = lua_toboolean(L, -1);
	lua_pop(L, 1);
	return 0;
}

/* The main state was made before the seed was known: its streams are set now. */
static void seed_main(struct script *s)
{
	struct client *c = s->main->client;

	for (int use = 0; use < RNG_USES; use++)
		rng_init(&c->rng[use], s->seed, 0x10000u, (enum rng_use)use);
	s->main->data.unique_step = s->threads + 1;
	s->main->data.unique_first = s->threads;
}

int script_open(struct script *s, const struct run_config *config, struct err *err)
{
	lua_State *L = s->main->L;

	dist_params_from(&s->dist, s->options);
	s->seed = config->seed;
	s->threads = config->threads;
	seed_main(s);
	if (state_set_options(s->main, err) != 0)
		return -EINVAL;
	lua_pushnumber(L, (lua_Number)(rng_u64(&s->main->client->rng[RNG_SCRIPT]) >> 11));
	if (state_call(s->main, "describe", 1, 3, err) != 0)
		return -EINVAL;
	s->has_event = lua_toboolean(L, -3);
	s->hook_intermediate = lua_toboolean(L, -2);
	s->hook_cumulative = lua_toboolean(L, -1);
	lua_pop(L, 3);
	if (s->has_event && mix_seal(&s->mix, err) != 0)
		return -EINVAL;
	if (vm_plan(s, config->threads, &s->nvms, err) != 0)
		return -EINVAL;
	if (s->nvms != 0 && (s->vms = vm_array_new(s->nvms)) == NULL)
		return err_run(err, "lua: out of memory for states; use fewer --threads");
	return 0;
}

static void free_sources(struct script *s)
{
	for (unsigned i = 0; i < s->nsources; i++) {
		free(s->sources[i].name);
		free(s->sources[i].path);
		free(s->sources[i].text);
	}
	s->nsources = 0;
	for (unsigned i = 0; i < s->nextra; i++)
		free(s->extra[i]);
	free(s->extra);
	s->extra = NULL;
	s->nextra = 0;
}

void script_close(struct script *s)
{
	state_free(s->report);
	state_free(s->main);
	s->report = s->main = NULL;
	vm_array_free(s->vms, s->nvms);
	s->vms = NULL;
	script_env_free(s->env);
	s->env = NULL;
	chunks_free(s->chunks);
	s->chunks = NULL;
	free_sources(s);
}

/* Calls a runtime function without arguments or results. */
static int call_simple(struct script *s, const char *name, struct err *err)
{
	return state_call(s->main, name, 0, 0, err);
}

int script_init(struct script *s, struct err *err)
{
	return call_simple(s, "init", err);
}

int script_done(struct script *s, struct err *err)
{
	return call_simple(s, "done", err);
}

bool script_has_command(struct script *s, const char *command)
{
	struct err ignored = ERR_INIT;
	bool has;

	lua_pushstring(s->main->L, command);
	if (state_call(s->main, "has_command", 1, 1, &ignored) != 0)
		return false;
	has = lua_toboolean(s->main->L, -1);
	lua_pop(s->main->L, 1);
	return has;
}

int script_help(struct script *s, FILE *out, struct err *err)
{
	struct err ignored = ERR_INIT;

	for (unsigned i = 0; i < s->nsources; i++) {
		char title[256];

		snprintf(title, sizeof(title), "%s options", s->sources[i].name);
		opt_print_help(s->options, title, out);
	}
	/* What is wrong with a value does not keep the user from the help. */
	(void)state_set_options(s->main, &ignored);
	return call_simple(s, "help", err);
}

uint64_t script_hash(const struct script *s)
{
	return __atomic_load_n(&s->hash, __ATOMIC_RELAXED);
}

const char *script_luajit_version(void)
{
	return LUAJIT_VERSION;
}
