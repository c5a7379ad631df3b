/* SPDX-License-Identifier: MIT */
/*
 * vm: which clients share a Lua state. A state of its own for each is simplest and fastest while
 * they are few. With hundreds of clients of a server it is what takes most memory, and each state
 * compiles the same traces again; there a few states per CPU are as fast as one per client, because
 * a client spends its time waiting for the server, and then holds no lock.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "script/state.h"

/* States per CPU that the program may use: enough that one is free when a CPU is, also where the
 * system took the CPU from a client that holds a lock. */
#define STATES_PER_CPU 4u
/* Clients per CPU from which on they share: with fewer, what it saves is less than what it costs.
 */
#define CLIENTS_PER_CPU 16u

const struct opt_desc script_options[] = {
    {.name = "lua-states",
     .type = OPT_INT,
     .def = "0",
     .range = "0..65536",
     .unit = "states",
     .help =
         "Lua states that the clients share, taking turns; 0: one for each client, but where the "
         "driver waits for a server, the script allows it and there are 16 clients per CPU, 4 per "
         "CPU"},
    OPT_END,
};

/* Why clients may not share; NULL: they may. Errors of the check itself count as reasons. */
static const char *why_alone(struct script *s, struct strbuf *why)
{
	lua_State *L = s->main->L;
	struct err err = ERR_INIT;

	if (state_call(s->main, "why_alone", 0, 1, &err) != 0) {
		strbuf_adds(why, err.text);
		return strbuf_str(why);
	}
	if (lua_isnil(L, -1)) {
		lua_pop(L, 1);
		return NULL;
	}
	strbuf_adds(why, lua_tostring(L, -1));
	lua_pop(L, 1);
	return strbuf_str(why);
}

int vm_plan(struct script *s, unsigned threads, unsigned *states, struct err *err)
{
	const unsigned wanted = (unsigned)opt_int(s->options, "lua-states");
	const struct driver_ops *driver = driver_find(opt_str(s->options, "db-driver"));
	const unsigned n = wanted != 0 ? wanted : STATES_PER_CPU * cpu_available();
	struct strbuf why = STRBUF_INIT;
	const char *reason;
	int rc = 0;

	*states = 0;
	if (threads <= n)
		return 0;
	if (wanted == 0 && (threads < CLIENTS_PER_CPU * cpu_available() || driver == NULL ||
	                    (driver->caps & CAP_REMOTE) == 0))
		return 0;
	reason = why_alone(s, &why);
	if (reason == NULL)
		*states = n;
	else if (wanted != 0)
		rc = err_usage(err,
		               "--lua-states=%u: %u clients would share states, which this script "
		               "does not allow (%s); leave the option out, or give no fewer states "
		               "than --threads",
		               wanted, threads, reason);
	else
		log_debug(s->log, "each client has a Lua state: %s", reason);
	strbuf_fini(&why);
	return rc;
}

struct script_vm *vm_array_new(unsigned n)
{
	struct script_vm *vms = calloc(n, sizeof(*vms));

	for (unsigned i = 0; vms != NULL && i < n; i++) {
		vms[i].shared = true;
		pthread_mutex_init(&vms[i].lock, NULL);
	}
	return vms;
}

void vm_array_free(struct script_vm *vms, unsigned n)
{
	for (unsigned i = 0; vms != NULL && i < n; i++)
		pthread_mutex_destroy(&vms[i].lock);
	free(vms);
}

void vm_enter(struct script_vm *vm)
{
	if (vm->shared)
		pthread_mutex_lock(&vm->lock);
}

void vm_leave(struct script_vm *vm)
{
	if (vm->shared)
		pthread_mutex_unlock(&vm->lock);
}
