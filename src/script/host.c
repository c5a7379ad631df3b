/* SPDX-License-Identifier: MIT */
/*
 * host: what Lua asks of the program off the measured path, as the table `host` that
 * lua/ioltp/runtime.lua is given. Functions raise plain strings; what is meant for the user goes
 * through `fail`, which keeps the text and raises a mark.
 */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "load/load.h"
#include "script/con.h"
#include "script/host.h"
#include "script/state.h"

struct script_state *host_self(void)
{
	const struct script_client *sc = client_now->data;

	return sc->state;
}

/* host.fail(status, text): ends the command with one line and no traceback. */
static int host_fail(lua_State *L)
{
	struct err err = ERR_INIT;

	err_set(&err, luaL_checkint(L, 1), "%s", luaL_checkstring(L, 2));
	return host_throw(L, &err);
}

/* Raises an error that C code found, for the user. */
int host_throw(lua_State *L, const struct err *err)
{
	return state_raise(host_self(), L, err);
}

void *host_pointer(lua_State *L, int arg)
{
	void *const *cdata;

	if (lua_islightuserdata(L, arg))
		return lua_touserdata(L, arg);
	cdata = lua_topointer(L, arg);
	return cdata != NULL ? *cdata : NULL;
}

const char *host_field(lua_State *L, int table, const char *name)
{
	const char *text;

	lua_getfield(L, table, name);
	text = lua_tostring(L, -1);
	/* Stays referenced by the table. */
	lua_pop(L, 1);
	return text;
}

/* host.raised(text): such an error, as it is caught. */
static int host_raised(lua_State *L)
{
	lua_pushboolean(L, state_raised(host_self(), luaL_checkstring(L, 1)) != NULL);
	return 1;
}

static int host_notice(lua_State *L)
{
	log_notice(host_self()->script->log, "%s", luaL_checkstring(L, 1));
	return 0;
}

static int host_warn(lua_State *L)
{
	log_warn(host_self()->script->log, "%s", luaL_checkstring(L, 1));
	return 0;
}

/* ---- code ---- */

/* The function, or nil and words. */
static int load_chunk(lua_State *L, const char *path, const char *text, size_t len)
{
	const struct script_state *st = host_self();
	struct chunks *chunks = st->script->chunks;
	const int status = st->vm->shared ? chunk_load_shared(chunks, L, path, text, len)
	                                  : chunk_load(chunks, L, path, text, len);

	if (status == 0)
		return 1;
	lua_pushnil(L);
	lua_insert(L, -2);
	return 2;
}

/* host.chunk(path): the function that a file is; nil and words when it cannot be one. */
static int host_chunk(lua_State *L)
{
	return load_chunk(L, luaL_checkstring(L, 1), NULL, 0);
}

/* host.source(number): the same of a workload. */
static int host_source(lua_State *L)
{
	const struct script *s = host_self()->script;
	const struct script_source *src = &s->sources[luaL_checkint(L, 1)];
	size_t skip = 0;

	/* A "#!" line is for the shell; the line count stays. */
	if (src->text[0] == '#')
		skip = strcspn(src->text, "\n");
	return load_chunk(L, src->path, src->text + skip, src->len - skip);
}

/* host.text(number): the text of a workload. */
static int host_text(lua_State *L)
{
	const struct script *s = host_self()->script;
	const struct script_source *src = &s->sources[luaL_checkint(L, 1)];

	lua_pushlstring(L, src->text, src->len);
	return 1;
}

/* ---- mixes ---- */

static struct delay read_delay(lua_State *L, const char *name)
{
	struct delay d = {.kind = DELAY_NONE};
	const char *kind;

	lua_getfield(L, 1, name);
	if (lua_istable(L, -1)) {
		kind = host_field(L, lua_gettop(L), "kind");
		d.kind = kind == NULL                       ? DELAY_NONE
		         : strcmp(kind, "exponential") == 0 ? DELAY_EXPONENTIAL
		         : strcmp(kind, "uniform") == 0     ? DELAY_UNIFORM
		                                            : DELAY_FIXED;
		lua_getfield(L, -1, "mean");
		d.mean_s = lua_tonumber(L, -1);
		lua_getfield(L, -2, "lo");
		d.lo_s = lua_tonumber(L, -1);
		lua_getfield(L, -3, "hi");
		d.hi_s = lua_tonumber(L, -1);
		lua_getfield(L, -4, "cut");
		d.cut_means = lua_tonumber(L, -1);
		lua_pop(L, 4);
	}
	lua_pop(L, 1);
	return d;
}

/* host.mix_add{name=, weight=, cards=, keying={kind=,mean=,lo=,hi=}, think=...}: main state only.
 */
static int host_mix_add(lua_State *L)
{
	struct script_state *st = host_self();
	struct mix_type t = {.keying = read_delay(L, "keying"), .think = read_delay(L, "think")};
	const char *name = host_field(L, 1, "name");
	struct err err = ERR_INIT;
	size_t n;

	if (name == NULL)
		return luaL_error(L, "a transaction type has no name");
	n = strlen(name) < sizeof(t.name) ? strlen(name) : sizeof(t.name) - 1;
	memcpy(t.name, name, n);
	lua_getfield(L, 1, "weight");
	t.weight = lua_tonumber(L, -1);
	lua_getfield(L, 1, "cards");
	t.cards = (unsigned)lua_tointeger(L, -1);
	if (st->kind == STATE_MAIN && mix_add(&st->script->mix, &t, &err) != 0)
		return host_throw(L, &err);
	return 0;
}

/* ---- SQL ---- */

/* host.driver(name or nil): name for scripts, real name; opens the driver. */
static int host_driver(lua_State *L)
{
	struct err err = ERR_INIT;
	struct sql_env *env = script_env_get(host_self()->script, luaL_optstring(L, 1, NULL), &err);

	if (env == NULL)
		return host_throw(L, &err);
	lua_pushstring(L, script_env_name(env));
	lua_pushstring(L, env->ops->name);
	return 2;
}

/* host.connect(real driver name): the connection as light userdata. */
static int host_connect(lua_State *L)
{
	struct script_state *st = host_self();
	const char *driver = luaL_checkstring(L, 1);
	struct err err = ERR_INIT;
	struct ioltp_con *con;

	vm_leave(st->vm);
	con = con_open(st->client, driver, &err);
	vm_enter(st->vm);
	if (con == NULL)
		return host_throw(L, &err);
	lua_pushlightuserdata(L, con);
	return 1;
}

/* ---- parallel commands ---- */

static int host_barrier(lua_State *L)
{
	struct script_state *st = host_self();

	lua_pushboolean(L, st->team == NULL || team_barrier(st->team));
	return 1;
}

static void read_params(lua_State *L, int table, struct kv *params)
{
	if (lua_isnil(L, table))
		return;
	lua_pushnil(L);
	while (lua_next(L, table) != 0) {
		if (lua_type(L, -2) == LUA_TSTRING) {
			if (lua_type(L, -1) == LUA_TNUMBER)
				kv_int(params, lua_tostring(L, -2), (int64_t)lua_tonumber(L, -1));
			else
				kv_text(params, lua_tostring(L, -2), lua_tostring(L, -1));
		}
		lua_pop(L, 1);
	}
}

/* host.load(con, generator, table, rows, params or nil) */
static int host_load(lua_State *L)
{
	struct script_state *st = host_self();
	struct ioltp_con *con = lua_touserdata(L, 1);
	struct kv params = KV_INIT;
	struct err err = ERR_INIT;
	int rc;

	if (con == NULL || st->team == NULL || st->team->board == NULL)
		return luaL_error(L, "ioltp.load works in parallel commands only");
	lua_settop(L, 5);
	read_params(L, 5, &params);
	rc = load_run(st->team->board, con->sql, luaL_checkstring(L, 2), luaL_checkstring(L, 3),
	              (uint64_t)luaL_checknumber(L, 4), &params, &err);
	kv_fini(&params);
	return rc != 0 ? host_throw(L, &err) : 0;
}

/* host.interrupted(): a signal asks to end. */
static int host_interrupted(lua_State *L)
{
	const struct script *s = host_self()->script;

	lua_pushboolean(L, s->signal != NULL && *s->signal != 0);
	return 1;
}

/* host.hist_text(hist cdata address): the histogram as rows value, count. */
static void hist_row(void *ctx, uint64_t value, uint64_t width, uint64_t count)
{
	lua_State *L = ctx;
	int n = (int)lua_objlen(L, -1);

	lua_pushnumber(L, (lua_Number)value + (lua_Number)(width - 1) / 2);
	lua_rawseti(L, -2, n + 1);
	lua_pushnumber(L, (lua_Number)count);
	lua_rawseti(L, -2, n + 2);
}

static int host_hist_rows(lua_State *L)
{
	const struct hist *hist = host_pointer(L, 1);

	lua_newtable(L);
	if (hist != NULL)
		hist_each(hist, hist_row, L);
	return 1;
}

void host_push(lua_State *L)
{
	static const luaL_Reg functions[] = {
	    {"barrier", host_barrier},
	    {"chunk", host_chunk},
	    {"connect", host_connect},
	    {"source", host_source},
	    {"raised", host_raised},
	    {"of_sysbench", host_of_sysbench},
	    {"declare", host_declare},
	    {"driver", host_driver},
	    {"fail", host_fail},
	    {"given", host_given},
	    {"hist_rows", host_hist_rows},
	    {"interrupted", host_interrupted},
	    {"load", host_load},
	    {"mix_add", host_mix_add},
	    {"notice", host_notice},
	    {"options", host_options},
	    {"text", host_text},
	    {"warn", host_warn},
	    {NULL, NULL},
	};

	lua_newtable(L);
	luaL_register(L, NULL, functions);
	waiting_push(L);
	lua_setfield(L, -2, "waiting");
}
