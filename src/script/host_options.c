/* SPDX-License-Identifier: MIT */
/* The options of `host`: what scripts see of the program's, and what they declare themselves. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "script/host.h"

static void push_name(lua_State *L, const char *name)
{
	luaL_Buffer b;

	name = opt_shown(name);
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

/* Options that are lists or words here, and one value in sysbench: its scripts compute with them
 * and put them into texts. */
static const struct single {
	const char *name;
	enum { AS_NUMBER, AS_TEXT, AS_BOOL } as;
	const char *unset;
} singles[] = {
    {"percentile", AS_NUMBER, "95"},       {"pgsql-host", AS_TEXT, "localhost"},
    {"pgsql-port", AS_NUMBER, "5432"},     {"mysql-ssl", AS_BOOL, "off"},
    {"mysql-compression", AS_BOOL, "off"},
};

static bool push_single(lua_State *L, const struct opt_set *set, const struct opt_desc *d)
{
	const struct single *single = NULL;
	const char *const *items, *text;

	for (unsigned i = 0; i < sizeof(singles) / sizeof(singles[0]); i++) {
		if (strcmp(singles[i].name, d->name) == 0)
			single = &singles[i];
	}
	if (single == NULL)
		return false;
	if (d->type == OPT_LIST)
		text = opt_list(set, d->name, &items) != 0 ? items[0] : single->unset;
	else if (d->type == OPT_ENUM)
		text = opt_str(set, d->name);
	else
		return false;
	if (single->as == AS_NUMBER)
		lua_pushnumber(L, strtod(text, NULL));
	else if (single->as == AS_TEXT)
		lua_pushstring(L, text);
	else
		lua_pushboolean(L, strcmp(text, "off") != 0 && strcmp(text, "disabled") != 0);
	return true;
}

/* sysbench.opt: unset STRING is "", INT 0, LIST an empty array, FILE nil. Times are seconds, as
 * numbers. */
static void push_value(lua_State *L, const struct opt_set *set, const struct opt_desc *d)
{
	const char *text;

	if (push_single(L, set, d))
		return;
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

static bool is_of_sysbench(const char *name)
{
	static const char *const names[] = {
	    "config-file",
	    "db-debug",
	    "db-driver",
	    "db-ps-mode",
	    "debug",
	    "events",
	    "forced-shutdown",
	    "help",
	    "histogram",
	    "luajit-cmd",
	    "max-requests",
	    "max-time",
	    "mysql-compression",
	    "mysql-db",
	    "mysql-debug",
	    "mysql-dry-run",
	    "mysql-host",
	    "mysql-ignore-errors",
	    "mysql-password",
	    "mysql-port",
	    "mysql-socket",
	    "mysql-ssl",
	    "mysql-ssl-ca",
	    "mysql-ssl-cert",
	    "mysql-ssl-cipher",
	    "mysql-ssl-key",
	    "mysql-user",
	    "num-threads",
	    "percentile",
	    "pgsql-db",
	    "pgsql-host",
	    "pgsql-password",
	    "pgsql-port",
	    "pgsql-sslmode",
	    "pgsql-user",
	    "rand-pareto-h",
	    "rand-seed",
	    "rand-spec-iter",
	    "rand-spec-pct",
	    "rand-spec-res",
	    "rand-type",
	    "rand-zipfian-exp",
	    "rate",
	    "report-checkpoints",
	    "report-interval",
	    "test",
	    "thread-init-timeout",
	    "threads",
	    "time",
	    "tx-rate",
	    "validate",
	    "verbosity",
	    "version",
	    "warmup-time",
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

struct option_ctx {
	lua_State *L;
	const struct opt_set *set;
	bool scripts_only; /* those that sysbench or the script has */
};

static void add_option(void *ctx, const struct opt_desc *d, const char *value, bool given)
{
	struct option_ctx *o = ctx;

	(void)value;
	(void)given;
	if (o->scripts_only && (d->flags & (OPT_YIELDS | OPT_SHADOWS)) == 0 &&
	    !is_of_sysbench(d->name))
		return;
	push_name(o->L, d->name);
	push_value(o->L, o->set, d);
	lua_rawset(o->L, -3);
}

/* host.options(scripts): a new table of all options by name with '_'; scripts true: of those that
 * sysbench or the script has. */
int host_options(lua_State *L)
{
	struct option_ctx o = {L, host_self()->script->options, lua_toboolean(L, 1)};

	lua_newtable(L);
	opt_each(o.set, add_option, &o);
	return 1;
}

/* host.of_sysbench(name): an option, with '-', that sysbench has, too. */
int host_of_sysbench(lua_State *L)
{
	lua_pushboolean(L, is_of_sysbench(luaL_checkstring(L, 1)));
	return 1;
}

/* host.declare{name=, type=, default=, help=, range=, choices=}: type is a sysbench ARG number. */
int host_declare(lua_State *L)
{
	static const enum opt_type types[] = {OPT_STRING, OPT_BOOL,   OPT_INT,  OPT_SIZE,
	                                      OPT_DOUBLE, OPT_STRING, OPT_LIST, OPT_FILE};
	struct opt_desc d = {.name = host_field(L, 1, "name"),
	                     .def = host_field(L, 1, "default"),
	                     .help = host_field(L, 1, "help"),
	                     .range = host_field(L, 1, "range"),
	                     .choices = host_field(L, 1, "choices")};
	struct err err = ERR_INIT;
	int type;

	lua_getfield(L, 1, "type");
	type = (int)lua_tointeger(L, -1);
	if (d.name == NULL || type < 0 || type >= (int)(sizeof(types) / sizeof(types[0])))
		return luaL_error(L, "option '%s' has an unknown type",
		                  d.name != NULL ? d.name : "?");
	d.type = d.choices != NULL ? OPT_ENUM : types[type];
	/* Of sysbench's own, a script may give another default, and what is of another type stays
	 * as it is. A name that only we have is the script's. */
	d.flags = is_of_sysbench(d.name) ? OPT_YIELDS : OPT_SHADOWS;
	if (opt_set_declare(host_self()->script->options, host_field(L, 1, "title"), &d, &err) != 0)
		return host_throw(L, &err);
	return 0;
}

/* host.given(name): true when the user gave the option. */
int host_given(lua_State *L)
{
	const struct opt_set *set = host_self()->script->options;

	lua_pushboolean(L, opt_given(set, opt_meant(set, luaL_checkstring(L, 1))));
	return 1;
}
