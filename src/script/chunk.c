/* SPDX-License-Identifier: MIT */
/*
 * chunk: Lua code compiled once for all states. The first state that wants a file or a script
 * compiles it and keeps the byte code; the others load that. With hundreds of clients compiling is
 * most of a start, and what it leaves for the collector most of a state's memory.
 */
#include <lauxlib.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "script/state.h"

struct chunk {
	struct chunk *next;
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
static struct chunk *find(const struct chunks *all, const char *name)
{
	struct chunk *c = all->first;

	while (c != NULL && strcmp(c->name, name) != 0)
		c = c->next;
	return c;
}

/* Under the lock: keeps the function on top of the stack. Without memory it is not kept, and
 * compiled again. */
static void keep(struct chunks *all, lua_State *L, const char *name)
{
	struct chunk *c = calloc(1, sizeof(*c));

	if (c != NULL && (c->name = strdup(name)) != NULL && lua_dump(L, add_code, &c->code) == 0 &&
	    !c->code.failed) {
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

int chunk_load(struct chunks *all, lua_State *L, const char *path, const char *text, size_t len)
{
	const char *name = lua_pushfstring(L, "@%s", path);
	const struct chunk *c;
	int status;

	pthread_mutex_lock(&all->lock);
	c = find(all, name);
	if (c != NULL) {
		status = luaL_loadbuffer(L, c->code.text, c->code.len, name);
	} else {
		status =
		    text != NULL ? luaL_loadbuffer(L, text, len, name) : luaL_loadfile(L, path);
		if (status == 0)
			keep(all, L, name);
	}
	pthread_mutex_unlock(&all->lock);
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
