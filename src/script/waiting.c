/* SPDX-License-Identifier: MIT */
/*
 * waiting: the calls of ffi_api.h that may wait, for Lua states that several clients share. Each
 * leaves the state to the others while it is at work. They are C functions of Lua and not called by
 * FFI because only then Lua's own registers are in order when another client's code runs meanwhile:
 * a compiled trace ends at such a call and goes on after it.
 */
#include <lauxlib.h>

#include "script/export.h"
#include "script/host.h"
#include "script/state.h"

/* Begins a call that may wait: takes what the collector has dropped of the connection, which may be
 * NULL, and lets the others in. */
static struct script_vm *begin(struct ioltp_con *con)
{
	struct script_vm *vm = host_self()->vm;
	struct sql_dropped dropped = {0};

	if (con != NULL)
		dropped = sql_dropped_take(con->sql);
	vm_leave(vm);
	sql_dropped_close(dropped);
	return vm;
}

#define CALL_OF_CLIENT(name)                                                                       \
	static int wait_##name(lua_State *L)                                                       \
	{                                                                                          \
		struct script_vm *vm = begin(NULL);                                                \
		const bool value = ioltp_##name();                                                 \
                                                                                                   \
		vm_enter(vm);                                                                      \
		lua_pushboolean(L, value);                                                         \
		return 1;                                                                          \
	}

#define CALL_OF_CON(name)                                                                          \
	static int wait_##name(lua_State *L)                                                       \
	{                                                                                          \
		struct ioltp_con *con = host_pointer(L, 1);                                        \
		struct script_vm *vm = begin(con);                                                 \
		const int value = ioltp_##name(con);                                               \
                                                                                                   \
		vm_enter(vm);                                                                      \
		lua_pushinteger(L, value);                                                         \
		return 1;                                                                          \
	}

/* The text is an argument, and so stays where it is. */
#define CALL_OF_CON_AND_TEXT(name)                                                                 \
	static int wait_##name(lua_State *L)                                                       \
	{                                                                                          \
		struct ioltp_con *con = host_pointer(L, 1);                                        \
		size_t len;                                                                        \
		const char *text = luaL_checklstring(L, 2, &len);                                  \
		struct script_vm *vm = begin(con);                                                 \
		const int value = ioltp_##name(con, text, len);                                    \
                                                                                                   \
		vm_enter(vm);                                                                      \
		lua_pushinteger(L, value);                                                         \
		return 1;                                                                          \
	}

CALL_OF_CLIENT(next)
CALL_OF_CLIENT(done_next)
CALL_OF_CLIENT(retry)
CALL_OF_CLIENT(recover)
CALL_OF_CON(con_reconnect)
CALL_OF_CON(poll)
CALL_OF_CON(next_result)
CALL_OF_CON(bulk_done)
CALL_OF_CON_AND_TEXT(query)
CALL_OF_CON_AND_TEXT(bulk_next)

static int wait_con_disconnect(lua_State *L)
{
	struct ioltp_con *con = host_pointer(L, 1);
	struct script_vm *vm = begin(con);

	ioltp_con_disconnect(con);
	vm_enter(vm);
	return 0;
}

static int wait_pipeline(lua_State *L)
{
	struct ioltp_con *con = host_pointer(L, 1);
	const bool open = lua_toboolean(L, 2);
	struct script_vm *vm = begin(con);
	const int value = ioltp_pipeline(con, open);

	vm_enter(vm);
	lua_pushinteger(L, value);
	return 1;
}

static int wait_prepare(lua_State *L)
{
	struct ioltp_con *con = host_pointer(L, 1);
	size_t len;
	const char *text = luaL_checklstring(L, 2, &len);
	struct script_vm *vm = begin(con);
	struct sql_stmt *stmt = ioltp_prepare(con, text, len);

	vm_enter(vm);
	lua_pushlightuserdata(L, stmt);
	return 1;
}

static int wait_execute(lua_State *L)
{
	struct ioltp_con *con = host_pointer(L, 1);
	struct sql_stmt *stmt = host_pointer(L, 2);
	struct script_vm *vm = begin(con);
	const int value = ioltp_execute(con, stmt);

	vm_enter(vm);
	lua_pushinteger(L, value);
	return 1;
}

static int wait_stmt_close(lua_State *L)
{
	struct sql_stmt *stmt = host_pointer(L, 1);
	struct script_vm *vm = begin(NULL);

	ioltp_stmt_close(stmt);
	vm_enter(vm);
	return 0;
}

void waiting_push(lua_State *L)
{
	static const luaL_Reg functions[] = {
	    {"ioltp_next", wait_next},
	    {"ioltp_done_next", wait_done_next},
	    {"ioltp_retry", wait_retry},
	    {"ioltp_recover", wait_recover},
	    {"ioltp_con_reconnect", wait_con_reconnect},
	    {"ioltp_con_disconnect", wait_con_disconnect},
	    {"ioltp_poll", wait_poll},
	    {"ioltp_next_result", wait_next_result},
	    {"ioltp_query", wait_query},
	    {"ioltp_prepare", wait_prepare},
	    {"ioltp_execute", wait_execute},
	    {"ioltp_stmt_close", wait_stmt_close},
	    {"ioltp_pipeline", wait_pipeline},
	    {"ioltp_bulk_next", wait_bulk_next},
	    {"ioltp_bulk_done", wait_bulk_done},
	    {NULL, NULL},
	};

	lua_newtable(L);
	luaL_register(L, NULL, functions);
}
