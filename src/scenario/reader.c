/* SPDX-License-Identifier: MIT */
#include "scenario/reader.h"

#include <errno.h>
#include <lauxlib.h>
#include <lua.h>
#include <luajit.h>
#include <lualib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/strbuf.h"

#define FILE_BYTES_MAX (1u << 20)
#define MEMORY_MAX     (32u << 20) /* bytes, of the Lua state */
#define INSTRUCTIONS   20000000
#define DEPTH_MAX      32u
#define VALUES_MAX     100000u
/* Lua cuts long names of chunks; the whole path goes in the place of this one. */
#define PLACE "(file)"
#define CHUNK "@" PLACE

struct reader {
	lua_State *L;
	lua_Alloc alloc;
	void *alloc_ctx;
	size_t used_bytes;
	const char *path;
	struct err *err;
	char where[256]; /* of the value that is converted: "streams[2].bs" */
	unsigned nvalues;
};

/* ---- the sandbox ---- */

static void *limited_alloc(void *ctx, void *ptr, size_t old_size, size_t new_size)
{
	struct reader *r = ctx;
	void *made;

	if (new_size > old_size && r->used_bytes + (new_size - old_size) > MEMORY_MAX)
		return NULL;
	made = r->alloc(r->alloc_ctx, ptr, old_size, new_size);
	if (made != NULL || new_size == 0)
		r->used_bytes += new_size - old_size;
	return made;
}

static void out_of_instructions(lua_State *L, lua_Debug *debug)
{
	lua_getinfo(L, "Sl", debug);
	lua_pushfstring(L, "%s:%d: runs too long (more than %d instructions); compute less",
	                debug->short_src, debug->currentline, INSTRUCTIONS);
	lua_error(L);
}

static void open_library(lua_State *L, lua_CFunction open, const char *name)
{
	lua_pushcfunction(L, open);
	lua_pushstring(L, name);
	lua_call(L, 1, 0);
}

/* A copy of the named functions of the table on top goes into the table below it. */
static void copy_functions(lua_State *L, const char *const *names)
{
	for (; *names != NULL; names++) {
		lua_getfield(L, -1, *names);
		lua_setfield(L, -3, *names);
	}
}

static void copy_library(lua_State *L, const char *library, const char *const *names)
{
	lua_newtable(L);
	lua_getglobal(L, library);
	copy_functions(L, names);
	lua_pop(L, 1);
	lua_setfield(L, -2, library);
}

/*
 * Leaves the environment on the stack. Patterns are left out because one C call can then run for
 * hours, where the limit of instructions does not reach.
 */
static void make_environment(lua_State *L)
{
	static const char *const base[] = {"ipairs",   "pairs",    "next",  "select", "type",
	                                   "tonumber", "tostring", "error", "assert", NULL};
	static const char *const string[] = {"byte", "char",    "format", "len",   "lower",
	                                     "rep",  "reverse", "sub",    "upper", NULL};
	static const char *const table[] = {"concat", "insert", "maxn", "remove", "sort", NULL};
	static const char *const math[] = {"abs", "ceil", "exp",  "floor", "fmod", "huge", "log",
	                                   "max", "min",  "modf", "pi",    "pow",  "sqrt", NULL};

	open_library(L, luaopen_base, "");
	open_library(L, luaopen_string, "string");
	open_library(L, luaopen_table, "table");
	open_library(L, luaopen_math, "math");
	lua_newtable(L);
	lua_pushvalue(L, LUA_GLOBALSINDEX);
	copy_functions(L, base);
	lua_pop(L, 1);
	copy_library(L, "string", string);
	copy_library(L, "table", table);
	copy_library(L, "math", math);
	/* ("x"):rep(3) looks into the metatable of strings. */
	lua_pushliteral(L, "");
	lua_getmetatable(L, -1);
	lua_getfield(L, -3, "string");
	lua_setfield(L, -2, "__index");
	lua_pop(L, 2);
}

/* ---- Lua value -> tree ---- */

static int refuse(struct reader *r, const char *what)
{
	return err_usage(r->err, "%s: %s%s%s", r->path,
	                 r->where[0] != '\0' ? r->where : "the table",
	                 r->where[0] != '\0' ? ": " : " ", what);
}

static int convert(struct reader *r, struct tree *t, unsigned depth);

/* Converts the value on top as item `t`, whose name is appended to `where` meanwhile. */
static int convert_item(struct reader *r, struct tree *t, size_t index, unsigned depth)
{
	size_t len = strlen(r->where);
	int rc;

	if (t->key != NULL)
		snprintf(r->where + len, sizeof(r->where) - len, "%s%s", len != 0 ? "." : "",
		         t->key);
	else
		snprintf(r->where + len, sizeof(r->where) - len, "[%zu]", index);
	rc = convert(r, t, depth + 1);
	/* An error is told with the place where it is. */
	r->where[len] = '\0';
	return rc;
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct tree *)a)->key, ((const struct tree *)b)->key);
}

/* Names of the table at `table` into items, without values; counts the array part too. */
static int collect_names(struct reader *r, int table, struct tree *t, size_t room)
{
	lua_State *L = r->L;

	lua_pushnil(L);
	while (lua_next(L, table) != 0) {
		lua_pop(L, 1);
		if (lua_type(L, -1) == LUA_TSTRING) {
			struct tree *item = &t->items[t->nitems];
			size_t len;
			const char *key = lua_tolstring(L, -1, &len);

			if (strlen(key) != len)
				return refuse(r, "has a name with a zero byte in it");
			if (t->nitems == room)
				return refuse(r, "changes while it is read");
			item->key = strdup(key);
			if (item->key == NULL)
				return -ENOMEM;
			t->nitems++;
		} else if (lua_type(L, -1) == LUA_TNUMBER) {
			double index = lua_tonumber(L, -1);

			if (!(index >= 1 && index <= (double)t->narray && index == floor(index)))
				return refuse(r, "has numbered elements that are not 1, 2, 3 ... "
				                 "without a gap");
		} else {
			return refuse(r, "has a key that is neither a name nor a number");
		}
	}
	if (t->nitems > t->narray)
		qsort(t->items + t->narray, t->nitems - t->narray, sizeof(*t->items), by_key);
	return 0;
}

static int convert_table(struct reader *r, struct tree *t, unsigned depth)
{
	lua_State *L = r->L;
	int table = lua_gettop(L), rc;
	size_t room = 0;

	if (depth > DEPTH_MAX)
		return refuse(r, "is nested too deep, or holds itself");
	luaL_checkstack(L, 4, "nested too deep");
	lua_pushnil(L);
	while (lua_next(L, table) != 0) {
		lua_pop(L, 1);
		room++;
	}
	if (room > VALUES_MAX)
		return refuse(r, "has too many values");
	t->kind = TREE_TABLE;
	t->items = room != 0 ? calloc(room, sizeof(*t->items)) : NULL;
	if (room != 0 && t->items == NULL)
		return -ENOMEM;
	t->narray = lua_objlen(L, table);
	if (t->narray > room)
		return refuse(r, "has numbered elements with a gap");
	t->nitems = t->narray;
	rc = collect_names(r, table, t, room);
	for (size_t i = 0; rc == 0 && i < t->nitems; i++) {
		if (i < t->narray)
			lua_rawgeti(L, table, (int)i + 1);
		else
			lua_getfield(L, table, t->items[i].key);
		rc = convert_item(r, &t->items[i], i + 1, depth);
		lua_pop(L, 1);
	}
	return rc;
}

/* The value on top. */
static int convert(struct reader *r, struct tree *t, unsigned depth)
{
	lua_State *L = r->L;
	char what[96];
	size_t len;

	if (++r->nvalues > VALUES_MAX)
		return refuse(r, "is one value too many; make the table smaller");
	switch (lua_type(L, -1)) {
	case LUA_TBOOLEAN:
		t->kind = TREE_BOOL;
		t->b = lua_toboolean(L, -1) != 0;
		return 0;
	case LUA_TNUMBER:
		t->kind = TREE_NUMBER;
		t->number = lua_tonumber(L, -1);
		return isfinite(t->number) ? 0 : refuse(r, "is not a finite number");
	case LUA_TSTRING:
		t->kind = TREE_TEXT;
		t->text = strdup(lua_tolstring(L, -1, &len));
		if (t->text == NULL)
			return -ENOMEM;
		return strlen(t->text) == len ? 0 : refuse(r, "is text with a zero byte in it");
	case LUA_TTABLE:
		return convert_table(r, t, depth);
	default:
		snprintf(what, sizeof(what),
		         "is a %s; a table holds numbers, text, true, false and tables",
		         luaL_typename(L, -1));
		return refuse(r, what);
	}
}

/* ---- loading ---- */

static int read_file(const char *path, struct strbuf *text, struct err *err)
{
	FILE *f = fopen(path, "re");
	char block[65536];
	struct stat st;
	size_t n;
	int rc = 0;

	if (f == NULL)
		return err_usage(err, "%s: cannot be read: %s; check its name and permissions",
		                 path, strerror(errno));
	if (fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode))
		rc = err_usage(err, "%s: is a folder; name a file in it", path);
	while (rc == 0 && (n = fread(block, 1, sizeof(block), f)) > 0) {
		strbuf_add(text, block, n);
		if (text->len > FILE_BYTES_MAX)
			rc = err_usage(err, "%s: more than %u bytes; is it a table of Lua?", path,
			               FILE_BYTES_MAX);
	}
	if (rc == 0 && (ferror(f) || text->failed))
		rc = err_usage(err, "%s: cannot be read: %s", path,
		               strerror(text->failed ? ENOMEM : errno));
	fclose(f);
	return rc;
}

/* What Lua says of the failure, with the path in the place of the chunk's name. */
static int lua_failed(struct reader *r, int status)
{
	const char *text = lua_tostring(r->L, -1);

	if (status == LUA_ERRMEM)
		return err_usage(r->err, "%s: needs more than %u MiB of memory; make less data",
		                 r->path, MEMORY_MAX >> 20);
	if (text == NULL)
		text = "an error that is not text was raised";
	if (strncmp(text, PLACE, strlen(PLACE)) == 0)
		return err_usage(r->err, "%s%s", r->path, text + strlen(PLACE));
	return err_usage(r->err, "%s: %s", r->path, text);
}

struct load {
	struct reader *reader;
	const struct strbuf *text;
	struct tree *tree;
	int rc;
};

/* Protected: memory may run out in any of it. */
static int load_protected(lua_State *L)
{
	struct load *load = lua_touserdata(L, 1);
	struct reader *r = load->reader;
	int status;

	lua_settop(L, 0);
	make_environment(L);
	/* Text only: bytecode is not checked by Lua and would leave the sandbox. */
	status = luaL_loadbufferx(L, strbuf_str(load->text), load->text->len, CHUNK, "t");
	if (status != 0)
		return lua_error(L);
	lua_pushvalue(L, 1);
	lua_setfenv(L, -2);
	lua_sethook(L, out_of_instructions, LUA_MASKCOUNT, INSTRUCTIONS);
	lua_call(L, 0, 1);
	lua_sethook(L, NULL, 0, 0);
	if (!lua_istable(L, -1))
		load->rc =
		    err_usage(r->err, "%s: returns %s and not a table; write 'return { ... }'",
		              r->path, lua_isnil(L, -1) ? "nothing" : luaL_typename(L, -1));
	else
		load->rc = convert(r, load->tree, 0);
	return 0;
}

int reader_load(struct tree *t, const char *path, struct err *err)
{
	struct reader r = {.path = path, .err = err};
	struct strbuf text = STRBUF_INIT;
	struct load load = {.reader = &r, .text = &text, .tree = t};
	int status;

	*t = (struct tree){0};
	load.rc = read_file(path, &text, err);
	if (load.rc == 0 && (r.L = luaL_newstate()) == NULL)
		load.rc = -ENOMEM;
	if (load.rc == 0) {
		r.alloc = lua_getallocf(r.L, &r.alloc_ctx);
		lua_setallocf(r.L, limited_alloc, &r);
		/* Compiled code does not count instructions. */
		luaJIT_setmode(r.L, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);
		status = lua_cpcall(r.L, load_protected, &load);
		if (status != 0)
			load.rc = lua_failed(&r, status);
		lua_setallocf(r.L, r.alloc, r.alloc_ctx);
	}
	if (r.L != NULL)
		lua_close(r.L);
	strbuf_fini(&text);
	if (load.rc == -ENOMEM)
		load.rc = err_usage(err, "%s: out of memory", path);
	if (load.rc != 0)
		tree_fini(t);
	return load.rc;
}
