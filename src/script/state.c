/* SPDX-License-Identifier: MIT */
#include "script/state.h"

#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

#include "script/con.h"
#include "script/ffi_api_text.h"

/* The collector's pause: how large memory gets before a cycle, as a share of what was in use. */
#define LOAD_PAUSE_PER_CENT 105
#define RUN_PAUSE_PER_CENT  200 /* Lua's default */
/* Much of a shared state lasts, and a cycle serves many clients. */
#define SHARED_PAUSE_PER_CENT 140

_Thread_local struct client *client_now;

static const char *const kind_names[] = {"main", "worker", "command", "report"};

const struct err *state_raised(const struct script_state *st, const char *text)
{
	for (unsigned i = 0; i < sizeof(st->fails) / sizeof(st->fails[0]); i++) {
		if (err_is_set(&st->fails[i]) && strcmp(st->fails[i].text, text) == 0)
			return &st->fails[i];
	}
	return NULL;
}

int state_raise(struct script_state *st, lua_State *L, const struct err *err)
{
	/* The one before may be raised again, when this one has come up in cleaning up after it. */
	st->fails[1] = st->fails[0];
	st->fails[0] = *err;
	lua_pushstring(L, err->text);
	return lua_error(L);
}

/* Message handler: strings get a traceback once; what is for the user, and tables (restart marks),
 * pass as they are. */
static int traceback(lua_State *L)
{
	const struct script_state *st = lua_touserdata(L, lua_upvalueindex(1));

	if (lua_type(L, 1) != LUA_TSTRING || state_raised(st, lua_tostring(L, 1)) != NULL)
		return 1;
	luaL_traceback(L, L, lua_tostring(L, 1), 1);
	return 1;
}

static void push_traceback(struct script_state *st)
{
	lua_pushlightuserdata(st->L, st);
	lua_pushcclosure(st->L, traceback, 1);
}

/* Turns the error object on top of the stack into err; pops it. */
static int take_error(struct script_state *st, int status, struct err *err)
{
	lua_State *L = st->L;
	const struct err *raised =
	    lua_type(L, -1) == LUA_TSTRING ? state_raised(st, lua_tostring(L, -1)) : NULL;
	int rc;

	if (raised != NULL) {
		rc = err_set(err, raised->status, "%s", raised->text);
	} else if (status == LUA_ERRMEM) {
		rc = err_run(err,
		             "%s: out of memory for Lua; keep less data in the script or use fewer "
		             "--threads",
		             st->script->sources[0].path);
	} else if (lua_isstring(L, -1)) {
		rc = err_run(err, "%s", lua_tostring(L, -1));
	} else {
		lua_getglobal(L, "tostring");
		lua_insert(L, -2);
		if (lua_pcall(L, 1, 1, 0) != 0 || !lua_isstring(L, -1))
			rc = err_run(err, "%s: an error that is not text was raised",
			             st->script->sources[0].path);
		else
			rc = err_run(err, "%s: error object %s was raised",
			             st->script->sources[0].path, lua_tostring(L, -1));
	}
	lua_pop(L, 1);
	return rc;
}

/* state_call by who is in the Lua state already. */
static int call(struct script_state *st, const char *name, int nargs, int nresults, struct err *err)
{
	lua_State *L = st->L;
	int base = lua_gettop(L) - nargs;
	int status;

	push_traceback(st);
	lua_insert(L, base + 1);
	lua_rawgeti(L, LUA_REGISTRYINDEX, st->vm->runtime);
	lua_getfield(L, -1, name);
	lua_remove(L, -2);
	lua_insert(L, base + 2);
	lua_rawgeti(L, LUA_REGISTRYINDEX, st->self);
	lua_insert(L, base + 3);
	status = lua_pcall(L, nargs + 1, nresults, base + 1);
	lua_remove(L, base + 1);
	return status != 0 ? take_error(st, status, err) : 0;
}

int state_call(struct script_state *st, const char *name, int nargs, int nresults, struct err *err)
{
	int rc;

	client_now = st->client;
	vm_enter(st->vm);
	rc = call(st, name, nargs, nresults, err);
	vm_leave(st->vm);
	return rc;
}

static void client_init(struct script_state *st, struct client *client, unsigned id)
{
	struct script *s = st->script;
	struct client *c = client;

	if (c == NULL) {
		c = &st->own;
		c->id = id;
		c->clock = s->clock;
		/* Other owners than the run's clients have: what prepare draws is not what run
		 * draws. */
		for (int use = 0; use < RNG_USES; use++)
			rng_init(&c->rng[use], s->seed,
			         0x10000u + id + 0x100000u * (unsigned)st->kind, (enum rng_use)use);
	}
	st->client = c;
	c->data = &st->data;
	st->data.script = s;
	st->data.state = st;
	st->data.unique_step = s->threads + 1;
	st->data.unique_first = client != NULL || st->kind == STATE_COMMAND ? c->id : s->threads;
}

/* lua/ioltp/runtime.lua: leaves a reference to what it returns. */
static int load_runtime(struct script_state *st, struct err *err)
{
	struct script *s = st->script;
	lua_State *L = st->L;
	char path[4096];
	int status;

	snprintf(path, sizeof(path), "%s/ioltp/runtime.lua", s->data_dir);
	push_traceback(st);
	status = chunk_load(s->chunks, L, path, NULL, 0);
	if (status == 0) {
		host_push(L);
		lua_pushstring(L, ffi_api_text);
		lua_pushstring(L, s->data_dir);
		lua_pushstring(L, kind_names[st->kind]);
		lua_pushboolean(L, st->vm->shared);
		lua_pushstring(L, PACKAGE_VERSION);
		status = lua_pcall(L, 6, 1, 1);
	}
	if (status != 0) {
		take_error(st, status, err);
		lua_settop(L, 0);
		return -EIO;
	}
	st->vm->runtime = luaL_ref(L, LUA_REGISTRYINDEX);
	lua_settop(L, 0);
	return 0;
}

/* runtime.new(tid, seed): leaves a reference to what it returns. */
static int new_client(struct script_state *st, struct err *err)
{
	lua_State *L = st->L;

	lua_rawgeti(L, LUA_REGISTRYINDEX, st->vm->runtime);
	lua_getfield(L, -1, "new");
	lua_remove(L, -2);
	lua_pushinteger(L, (lua_Integer)st->client->id);
	lua_pushnumber(L, (lua_Number)(rng_u64(&st->client->rng[RNG_SCRIPT]) >> 11));
	if (lua_pcall(L, 2, 1, 0) != 0)
		return take_error(st, LUA_ERRRUN, err);
	st->self = luaL_ref(L, LUA_REGISTRYINDEX);
	return 0;
}

/* runtime.set_command(command, argv...) and runtime.add_source(name, path, weight, number). */
static int load_sources(struct script_state *st, struct err *err)
{
	struct script *s = st->script;
	lua_State *L = st->L;

	lua_pushstring(L, s->command);
	lua_newtable(L);
	for (int i = 0; i < s->argc; i++) {
		lua_pushstring(L, s->argv[i]);
		lua_rawseti(L, -2, i);
	}
	lua_pushboolean(L, s->nsources > 1);
	if (call(st, "set_command", 3, 0, err) != 0)
		return -EINVAL;
	for (unsigned i = 0; i < s->nsources; i++) {
		const struct script_source *src = &s->sources[i];

		lua_pushstring(L, src->name);
		lua_pushstring(L, src->path);
		lua_pushnumber(L, src->weight);
		lua_pushinteger(L, (lua_Integer)i);
		if (call(st, "add_source", 4, 0, err) != 0)
			return -EINVAL;
	}
	return 0;
}

/* The Lua state, if the client is the first in it, and the client's part of it. */
static int enter_first(struct script_state *st, struct err *err)
{
	struct script_vm *vm = st->vm;
	const bool first = vm->L == NULL;

	vm->members++;
	if (first && (vm->L = luaL_newstate()) == NULL)
		return err_run(err, "lua: out of memory for a state; use fewer --threads");
	st->L = vm->L;
	/* Loading makes much garbage, of which the memory would never be given back. */
	lua_gc(vm->L, LUA_GCSETPAUSE, LOAD_PAUSE_PER_CENT);
	if (first) {
		luaL_openlibs(vm->L);
		if (load_runtime(st, err) != 0)
			return -EIO;
	}
	if (vm->shared) {
		st->L = lua_newthread(vm->L);
		luaL_ref(vm->L, LUA_REGISTRYINDEX); /* for as long as the state lives */
	}
	if (new_client(st, err) != 0 || load_sources(st, err) != 0)
		return -EIO;
	lua_gc(vm->L, LUA_GCSETPAUSE, vm->shared ? SHARED_PAUSE_PER_CENT : RUN_PAUSE_PER_CENT);
	return 0;
}

struct script_state *state_new(struct script *s, enum state_kind kind, struct client *client,
                               unsigned id, struct script_team *team, struct err *err)
{
	struct script_state *st = calloc(1, sizeof(*st));
	int rc;

	if (st == NULL) {
		err_run(err, "lua: out of memory for a state; use fewer --threads");
		return NULL;
	}
	st->vm = kind == STATE_WORKER && s->vms != NULL ? &s->vms[id % s->nvms] : &st->alone;
	st->script = s;
	st->kind = kind;
	st->team = team;
	client_init(st, client, id);
	client_now = st->client;
	vm_enter(st->vm);
	rc = enter_first(st, err);
	vm_leave(st->vm);
	if (rc == 0)
		return st;
	state_free(st);
	return NULL;
}

static void destroy(struct script_state *st)
{
	con_free_all(&st->data);
	__atomic_xor_fetch(&st->script->hash, st->data.hash, __ATOMIC_RELAXED);
	strbuf_fini(&st->data.text);
	if (st->client != NULL && st->client != &st->own)
		st->client->data = NULL;
	free(st);
}

void state_free(struct script_state *st)
{
	struct script_vm *vm;
	struct script_state *left = NULL;

	if (st == NULL)
		return;
	vm = st->vm;
	con_close_all(&st->data);
	vm_enter(vm);
	st->next_left = vm->left;
	vm->left = st;
	if (--vm->members == 0) {
		/* Collected objects free results and statements: before their connections, and
		 * those before the clients. */
		if (vm->L != NULL)
			lua_close(vm->L);
		vm->L = NULL;
		left = vm->left;
		vm->left = NULL;
	}
	vm_leave(vm);
	while (left != NULL) {
		st = left;
		left = st->next_left;
		destroy(st);
	}
	client_now = NULL;
}

int state_set_options(struct script_state *st, struct err *err)
{
	struct script *s = st->script;
	int rc;

	client_now = st->client;
	vm_enter(st->vm);
	lua_newtable(st->L);
	for (unsigned i = 0; i < s->nextra; i++) {
		lua_pushstring(st->L, s->extra[i]);
		lua_rawseti(st->L, -2, (int)i + 1);
	}
	rc = call(st, "set_options", 1, 0, err);
	vm_leave(st->vm);
	return rc;
}
