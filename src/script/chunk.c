/* SPDX-License-Identifier: MIT */
/*
 * chunk: Lua code compiled once for all states. The first state that wants a file or a script
 * compiles it and keeps the byte code; the others load that. With hundreds of clients compiling is
 * most of a start, and what it leaves for the collector most of a state's memory.
 *
 * In a state that clients share they share the code, too, and what is compiled of it to traces: a
 * file is there as a function that makes the file's function, a new one for each client.
 */
#include <lauxlib.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "script/state.h"

/* Registry field of a shared state: the makers by path. */
#define MAKERS "ioltp.makers"

struct chunk {
	struct chunk *next;
	bool maker;
	char *name; /* "@PATH" */
	struct strbuf code;
};

struct chunks {
	pthread_mutex_t lock;
	struct chunk *first;
};

static int add_code(lua_State *L, const void *code, size_t len, void *ctx)
{
	struct strbuf *sb = ctx;

	(void)L;
	strbuf_add(sb, code, len);
	return sb->failed;
}

/* Under the lock. */
static struct chunk *find(const struct chunks *all, const char *name, bool maker)
{
	struct chunk *c = all->first;

	while (c != NULL && (c->maker != maker || strcmp(c->name, name) != 0))
		c = c->next;
	return c;
}

/* Under the lock: keeps the function on top of the stack. Without memory it is not kept, and
 * compiled again. */
static void keep(struct chunks *all, lua_State *L, const char *name, bool maker)
{
	struct chunk *c = calloc(1, sizeof(*c));

	if (c != NULL && (c->name = strdup(name)) != NULL && lua_dump(L, add_code, &c->code) == 0 &&
	    !c->code.failed) {
		c->maker = maker;
		c->next = all->first;
		all->first = c;
		return;
	}
	if (c != NULL) {
		strbuf_fini(&c->code);
		free(c->name);
	}
	free(c);
}

/* Pushes the file's text, which luaL_loadfile would not give; false: the words of what is wrong. */
static bool push_file(lua_State *L, const char *path)
{
	FILE *f = fopen(path, "re");
	luaL_Buffer b;
	size_t n;

	if (f == NULL) {
		lua_pushfstring(L, "cannot open %s", path);
		return false;
	}
	luaL_buffinit(L, &b);
	do {
		n = fread(luaL_prepbuffer(&b), 1, LUAL_BUFFERSIZE, f);
		luaL_addsize(&b, n);
	} while (n == LUAL_BUFFERSIZE);
	luaL_pushresult(&b);
	fclose(f);
	return true;
}

/* Compiles to a maker; its lines are numbered as the file's. */
static int load_maker(lua_State *L, const char *path, const char *text, size_t len,
                      const char *name)
{
	int status;

	if (text != NULL)
		lua_pushlstring(L, text, len);
	else if (!push_file(L, path))
		return LUA_ERRFILE;
	lua_pushliteral(L, "return function(...) ");
	lua_insert(L, -2);
	lua_pushliteral(L, "\nend");
	lua_concat(L, 3);
	text = lua_tolstring(L, -1, &len);
	status = luaL_loadbuffer(L, text, len, name);
	lua_remove(L, -2);
	return status;
}

static int load(struct chunks *all, lua_State *L, bool maker, const char *path, const char *text,
                size_t len)
{
	const char *name = lua_pushfstring(L, "@%s", path);
	const struct chunk *c;
	int status;

	pthread_mutex_lock(&all->lock);
	c = find(all, name, maker);
	if (c != NULL) {
		status = luaL_loadbuffer(L, c->code.text, c->code.len, name);
	} else {
		if (maker)
			status = load_maker(L, path, text, len, name);
		else if (text != NULL)
			status = luaL_loadbuffer(L, text, len, name);
		else
			status = luaL_loadfile(L, path);
		if (status == 0)
			keep(all, L, name, maker);
	}
	pthread_mutex_unlock(&all->lock);
	lua_remove(L, -2);
	return status;
}

int chunk_load(struct chunks *all, lua_State *L, const char *path, const char *text, size_t len)
{
	return load(all, L, false, path, text, len);
}

int chunk_load_shared(struct chunks *all, lua_State *L, const char *path, const char *text,
                      size_t len)
{
	int status = 0;

	luaL_findtable(L, LUA_REGISTRYINDEX, MAKERS, 1);
	lua_getfield(L, -1, path);
	if (lua_isnil(L, -1)) {
		lua_pop(L, 1);
		status = load(all, L, true, path, text, len);
		if (status == 0) {
			/* The chunk returns the maker. */
			lua_call(L, 0, 1);
			lua_pushvalue(L, -1);
			lua_setfield(L, -3, path);
		}
	}
	lua_remove(L, -2);
	return status;
}

struct chunks *chunks_new(void)
{
	struct chunks *all = calloc(1, sizeof(*all));

	if (all != NULL)
		pthread_mutex_init(&all->lock, NULL);
	return all;
}

void chunks_free(struct chunks *all)
{
	if (all == NULL)
		return;
	while (all->first != NULL) {
		struct chunk *next = all->first->next;

		strbuf_fini(&all->first->code);
		free(all->first->name);
		free(all->first);
		all->first = next;
	}
	pthread_mutex_destroy(&all->lock);
	free(all);
}
