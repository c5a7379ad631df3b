/* SPDX-License-Identifier: MIT */
/* host: what the files of the table `host` share; private to script/. */
#ifndef IOLTP_SCRIPT_HOST_H
#define IOLTP_SCRIPT_HOST_H

#include "script/state.h"

/* The client whose Lua code calls. */
struct script_state *host_self(void);
/* Raises an error that C code found, for the user. */
int host_throw(lua_State *L, const struct err *err);
/* A pointer as Lua has it: cdata that holds one, or light userdata; NULL: neither. */
void *host_pointer(lua_State *L, int arg);
/* Text of a field of a table, which keeps it; NULL: none. */
const char *host_field(lua_State *L, int table, const char *name);

/* ---- host_options.c ---- */
int host_options(lua_State *L);
int host_declare(lua_State *L);
int host_given(lua_State *L);
int host_of_sysbench(lua_State *L);

#endif
