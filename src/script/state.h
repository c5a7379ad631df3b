/* SPDX-License-Identifier: MIT */
/* state: a client's side of a Lua state: its own, or its turns in one that several share; private
 * to script/. */
#ifndef IOLTP_SCRIPT_STATE_H
#define IOLTP_SCRIPT_STATE_H

#include <lua.h>
#include <pthread.h>

#include "run/client.h"
#include "script/script.h"
#include "sql/driver.h"

struct load_board;

#define LABEL_SLOTS 256u

/* What a client needs besides its run: client->data. */
struct script_client {
	struct script *script;
	struct script_state *state;
	struct dist_zipf zipf;
	struct strbuf text; /* ioltp_rand_template */
	uint32_t unique;    /* draws of unique() so far */
	uint32_t unique_step, unique_first;
	struct ioltp_con *cons; /* all connections; freed with the state */
	uint64_t hash;          /* of the freed connections' statements, --db-hash */
};

/* A connection as scripts hold it. */
struct ioltp_con {
	struct client *client;
	struct sql_conn *sql;
	struct sql_result *result; /* of the last query, not yet taken */
	struct sql_stmt *stmt;     /* of a pending execute */
	uint64_t started_ns;
	unsigned label;     /* statement of a pending query */
	const char *opaque; /* text of a query in flight whose class only its outcome tells */
	size_t opaque_len;
	uint64_t waits_seen, wait_ns_seen, timeouts_seen; /* of sql->lock: tallied so far */
	struct label_slot {
		uint32_t hash;
		unsigned index;
	} labels[LABEL_SLOTS]; /* labels of query texts seen lately */
	struct strbuf bulk;    /* rows gathered by bulk_insert_next */
	size_t bulk_head;      /* bytes of the INSERT's head in it; 0: not begun */
	struct {               /* the pipeline that is open */
		uint64_t started_ns;
		unsigned *labels; /* statements on their way; owned */
		unsigned n, room;
	} pipe;
	bool wanted; /* the script wants it open: recover connects it again */
	struct ioltp_con *next;
};

/* Threads of a parallel command meet here. */
struct script_team {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned size, waiting;
	uint64_t round;
	bool failed;
	struct load_board *board;
};

enum state_kind { STATE_MAIN, STATE_WORKER, STATE_COMMAND, STATE_REPORT };

/*
 * A Lua state. Clients that share one take turns: whoever runs Lua holds the lock, and gives it
 * away in each call that may wait (waiting.c). Each has a coroutine and globals of its own. Alone
 * in its state a client needs no lock.
 */
struct script_vm {
	lua_State *L; /* NULL: nobody is in it */
	bool shared;
	pthread_mutex_t lock; /* of all of the below and of the Lua state; shared states only */
	int runtime;          /* registry reference of the table that runtime.lua returned */
	unsigned members;     /* clients in it */
	struct script_state *left; /* clients through with it: their objects may be in it still */
};

struct script_state {
	lua_State *L; /* own coroutine, or the state itself */
	struct script_vm *vm;
	struct script_vm alone; /* vm of a client that shares with nobody */
	int self;               /* registry reference of what runtime.new returned */
	struct script_state *next_left;
	struct script *script;
	enum state_kind kind;
	struct client *client; /* the run's, or &own */
	struct client own;
	struct script_client data;
	struct script_team *team; /* STATE_COMMAND of a parallel command */
	/* What the program has raised into Lua, the last of them first: scripts may catch it, and
	 * where they do not the words are the user's, with this exit status and no traceback. */
	struct err fails[2];
};

/* The client that calls from Lua and ffi.C mean: set for the thread when a state is entered. */
extern _Thread_local struct client *client_now;

/* Makes a state and runs the bodies. `client` NULL: one of its own with number `id`. NULL with
 * `err` on failure. */
struct script_state *state_new(struct script *s, enum state_kind kind, struct client *client,
                               unsigned id, struct script_team *team, struct err *err);
void state_free(struct script_state *st);
/* After the options are known: sets sysbench.opt. 0, or -errno with `err`. */
int state_set_options(struct script_state *st, struct err *err);
/* Calls function `name` of the runtime with the client and nargs arguments from the top of the
 * stack, wanting nresults. 0, or -errno with `err` (traceback included) and the stack cleared of
 * arguments. In a state that is shared neither arguments nor results may be used: they need the
 * lock. */
int state_call(struct script_state *st, const char *name, int nargs, int nresults, struct err *err);
/* What state_raise has raised with these words; NULL: something else did. */
const struct err *state_raised(const struct script_state *st, const char *text);
/* Raises an error for the user. Does not return. */
int state_raise(struct script_state *st, lua_State *L, const struct err *err);

/* ---- host.c: cold functions for Lua, as the table `host` on the stack ---- */
void host_push(lua_State *L);

/* ---- chunk.c: code compiled once for all states ---- */
struct chunks *chunks_new(void);
void chunks_free(struct chunks *all);
/* Pushes the function that a file is, or that `text` is, where that is not NULL; or the words of
 * what is wrong. Status as luaL_loadfile's. Any thread. */
int chunk_load(struct chunks *all, lua_State *L, const char *path, const char *text, size_t len);
/* The same for a state that clients share: each call pushes a function of its own, but they have
 * their code in common. */
int chunk_load_shared(struct chunks *all, lua_State *L, const char *path, const char *text,
                      size_t len);

/* ---- env.c: drivers, opened on demand, one per name for the process ---- */
struct script_env *script_env_new(struct script *s);
void script_env_free(struct script_env *e);
/* Opens a driver by name (NULL: --db-driver) or finds it. NULL with `err`. Any thread. */
struct sql_env *script_env_get(struct script *s, const char *name, struct err *err);
/* sql_connect of a new connection, when not too many others are connecting. */
void script_env_connect(struct script *s, struct sql_conn *conn);
/* Name that scripts see ("mysql" when SQLite pretends). */
const char *script_env_name(struct sql_env *e);

/* ---- con.c ---- */
/* A connection for the client, connected. NULL with `err`. */
struct ioltp_con *con_open(struct client *c, const char *driver, struct err *err);
/* Ends the sessions; the connections stay for whom Lua objects still name them. */
void con_close_all(struct script_client *sc);
void con_free_all(struct script_client *sc);

/* ---- team.c ---- */
int team_init(struct script_team *t, unsigned size);
void team_fini(struct script_team *t);
/* Meets the others; false: one of them failed. */
bool team_barrier(struct script_team *t);
void team_fail(struct script_team *t);

/* ---- vm.c ---- */
/* How many states a run's workers share; 0: each has its own. -errno with `err` when --lua-states
 * wants what the script cannot do. */
int vm_plan(struct script *s, unsigned threads, unsigned *states, struct err *err);
/* The states of a run's workers; NULL: out of memory. */
struct script_vm *vm_array_new(unsigned n);
void vm_array_free(struct script_vm *vms, unsigned n);
/* For all that touches a Lua state which may be shared. Nothing for one that is not. */
void vm_enter(struct script_vm *vm);
void vm_leave(struct script_vm *vm);

/* ---- waiting.c ---- */
/* Pushes the table of calls that let the others on meanwhile. */
void waiting_push(lua_State *L);

#endif
