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
#include "script/state.h"

static struct script_state *self(lua_State *L)
{
	return lua_touserdata(L, lua_upvalueindex(1));
}

/* host.fail(status, text): ends the command with one line and no traceback. */
static int host_fail(lua_State *L)
{
	struct script_state *st = self(L);

	err_set(&st->fail, luaL_checkint(L, 1), "%s", luaL_checkstring(L, 2));
	lua_pushliteral(L, "ioltp: failed");
	return lua_error(L);
}

/* Raises an error that C code found, for the user. */
static int throw(lua_State * L, const struct err *err)
{
	struct script_state *st = self(L);

	if (!err_is_set(&st->fail))
		st->fail = *err;
	lua_pushliteral(L, "ioltp: failed");
	return lua_error(L);
}

static int host_notice(lua_State *L)
{
	log_notice(self(L)->script->log, "%s", luaL_checkstring(L, 1));
	return 0;
}

static int host_warn(lua_State *L)
{
	log_warn(self(L)->script->log, "%s", luaL_checkstring(L, 1));
	return 0;
}

/* ---- code ---- */

/* What chunk_load has pushed: the function, or nil and words. */
static int loaded(lua_State *L, int status)
{
	if (status == 0)
		return 1;
	lua_pushnil(L);
	lua_insert(L, -2);
	return 2;
}

/* host.chunk(path): the function that a file is; nil and words when it cannot be one. */
static int host_chunk(lua_State *L)
{
	return loaded(L, chunk_load(self(L)->script->chunks, L, luaL_checkstring(L, 1), NULL, 0));
}

/* host.source(number): the same of a workload. */
static int host_source(lua_State *L)
{
	const struct script *s = self(L)->script;
	const struct script_source *src = &s->sources[luaL_checkint(L, 1)];
	size_t skip = 0;

	/* A "#!" line is for the shell; the line count stays. */
	if (src->text[0] == '#')
		skip = strcspn(src->text, "\n");
	return loaded(L, chunk_load(s->chunks, L, src->path, src->text + skip, src->len - skip));
}

/* ---- options ---- */

static void push_name(lua_State *L, const char *name)
{
	luaL_Buffer b;

	luaL_buffinit(L, &b);
	for (; *name != '\0'; name++)
		luaL_addchar(&b, (char)(*name == '-' ? '_' : *name));
	luaL_pushresult(&b);
}

static void push_list(lua_State *L, const struct opt_set *set, const char *name)
{
	const char *const *items;
	unsigned n = opt_list(set, name, &items);

	lua_createtable(L, (int)n, 0);
	for (unsigned i = 0; i < n; i++) {
		lua_pushstring(L, items[i]);
		lua_rawseti(L, -2, (int)i + 1);
	}
}

/* sysbench.opt: unset STRING is "", INT 0, LIST an empty array, FILE nil. Times are seconds, as
 * numbers. */
static void push_value(lua_State *L, const struct opt_set *set, const struct opt_desc *d)
{
	const char *text;

	switch (d->type) {
	case OPT_BOOL:
		lua_pushboolean(L, opt_bool(set, d->name));
		break;
	case OPT_INT:
		lua_pushnumber(L, (lua_Number)opt_int(set, d->name));
		break;
	case OPT_SIZE:
		lua_pushnumber(L, (lua_Number)opt_size_bytes(set, d->name));
		break;
	case OPT_TIME:
		lua_pushnumber(L, (lua_Number)opt_time_ns(set, d->name) / 1e9);
		break;
	case OPT_DOUBLE:
		lua_pushnumber(L, opt_double(set, d->name));
		break;
	case OPT_STRING:
	case OPT_ENUM:
		text = opt_str(set, d->name);
		lua_pushstring(L, text != NULL ? text : "");
		break;
	case OPT_FILE:
		lua_pushstring(L, opt_str(set, d->name)); /* nil when unset */
		break;
	case OPT_LIST:
		push_list(L, set, d->name);
		break;
	}
}

struct option_ctx {
	lua_State *L;
	const struct opt_set *set;
};

static void add_option(void *ctx, const struct opt_desc *d, const char *value, bool given)
{
	struct option_ctx *o = ctx;

	(void)value;
	(void)given;
	push_name(o->L, d->name);
	push_value(o->L, o->set, d);
	lua_rawset(o->L, -3);
}

/* host.options(): a new table of all options by name with '_'. */
static int host_options(lua_State *L)
{
	struct option_ctx o = {L, self(L)->script->options};

	lua_newtable(L);
	opt_each(o.set, add_option, &o);
	return 1;
}

static const char *field(lua_State *L, int table, const char *name)
{
	const char *text;

	lua_getfield(L, table, name);
	text = lua_tostring(L, -1);
	/* Stays referenced by the table. */
	lua_pop(L, 1);
	return text;
}

/* host.declare{name=, type=, default=, help=, range=, choices=}: type is a sysbench ARG number. */
static int host_declare(lua_State *L)
{
	static const enum opt_type types[] = {OPT_STRING, OPT_BOOL,   OPT_INT,  OPT_SIZE,
	                                      OPT_DOUBLE, OPT_STRING, OPT_LIST, OPT_FILE};
	struct opt_desc d = {.name = field(L, 1, "name"),
	                     .def = field(L, 1, "default"),
	                     .help = field(L, 1, "help"),
	                     .range = field(L, 1, "range"),
	                     .choices = field(L, 1, "choices")};
	struct err err = ERR_INIT;
	int type;

	lua_getfield(L, 1, "type");
	type = (int)lua_tointeger(L, -1);
	if (d.name == NULL || type < 0 || type >= (int)(sizeof(types) / sizeof(types[0])))
		return luaL_error(L, "option '%s' has an unknown type",
		                  d.name != NULL ? d.name : "?");
	d.type = d.choices != NULL ? OPT_ENUM : types[type];
	if (opt_set_declare(self(L)->script->options, field(L, 1, "title"), &d, &err) != 0)
		return throw(L, &err);
	return 0;
}

/* host.given(name): true when the user gave the option. */
static int host_given(lua_State *L)
{
	lua_pushboolean(L, opt_given(self(L)->script->options, luaL_checkstring(L, 1)));
	return 1;
}

/* ---- mixes ---- */

static struct delay read_delay(lua_State *L, const char *name)
{
	struct delay d = {.kind = DELAY_NONE};
	const char *kind;

	lua_getfield(L, 1, name);
	if (lua_istable(L, -1)) {
		kind = field(L, lua_gettop(L), "kind");
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
	struct script_state *st = self(L);
	struct mix_type t = {.keying = read_delay(L, "keying"), .think = read_delay(L, "think")};
	const char *name = field(L, 1, "name");
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
		return throw(L, &err);
	return 0;
}

/* ---- SQL ---- */

/* host.driver(name or nil): name for scripts, real name; opens the driver. */
static int host_driver(lua_State *L)
{
	struct err err = ERR_INIT;
	struct sql_env *env = script_env_get(self(L)->script, luaL_optstring(L, 1, NULL), &err);

	if (env == NULL)
		return throw(L, &err);
	lua_pushstring(L, script_env_name(env));
	lua_pushstring(L, env->ops->name);
	return 2;
}

/* host.connect(real driver name): the connection as light userdata. */
static int host_connect(lua_State *L)
{
	struct script_state *st = self(L);
	struct err err = ERR_INIT;
	struct ioltp_con *con = con_open(st->client, luaL_checkstring(L, 1), &err);

	if (con == NULL)
		return throw(L, &err);
	lua_pushlightuserdata(L, con);
	return 1;
}

/* ---- parallel commands ---- */

static int host_barrier(lua_State *L)
{
	struct script_state *st = self(L);

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
	struct script_state *st = self(L);
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
	return rc != 0 ? throw(L, &err) : 0;
}

/* host.interrupted(): a signal asks to end. */
static int host_interrupted(lua_State *L)
{
	const struct script *s = self(L)->script;

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
	const void *const *cdata = lua_topointer(L, 1);

	lua_newtable(L);
	if (cdata != NULL && *cdata != NULL)
		hist_each(*cdata, hist_row, L);
	return 1;
}

void host_push(struct script_state *st)
{
	static const luaL_Reg functions[] = {
	    {"barrier", host_barrier},     {"chunk", host_chunk},
	    {"connect", host_connect},     {"source", host_source},
	    {"declare", host_declare},     {"driver", host_driver},
	    {"fail", host_fail},           {"given", host_given},
	    {"hist_rows", host_hist_rows}, {"interrupted", host_interrupted},
	    {"load", host_load},           {"mix_add", host_mix_add},
	    {"notice", host_notice},       {"options", host_options},
	    {"warn", host_warn},
	};
	lua_State *L = st->L;

	lua_newtable(L);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		lua_pushlightuserdata(L, st);
		lua_pushcclosure(L, functions[i].func, 1);
		lua_setfield(L, -2, functions[i].name);
	}
}
