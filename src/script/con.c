/* SPDX-License-Identifier: MIT */
/* con: connections as scripts hold them: made for a client, recovered after errors, freed with the
 * state. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "script/con.h"
#include "script/export.h"

/* Between tries to connect again: first, and longest. */
#define RECONNECT_FIRST_NS 10000000u
#define RECONNECT_MAX_NS   1000000000u

struct ioltp_con *con_open(struct client *c, const char *driver, struct err *err)
{
	struct script_client *sc = c->data;
	struct sql_env *env = script_env_get(sc->script, driver, err);
	struct ioltp_con *con;

	if (env == NULL)
		return NULL;
	con = calloc(1, sizeof(*con));
	if (con == NULL || (con->sql = sql_conn_new(env, c->id, false)) == NULL) {
		free(con);
		err_run(err, "%s: out of memory for a connection; use fewer --threads",
		        env->ops->name);
		return NULL;
	}
	if (sc->script->one_target)
		con->sql->target = sc->script->target;
	con->client = c;
	con->next = sc->cons;
	sc->cons = con;
	__atomic_add_fetch(&sc->script->busy_conns, 1, __ATOMIC_RELAXED);
	script_env_connect(sc->script, con->sql);
	if (!con->sql->connected) {
		err_run(err, "%s", con->sql->error.text);
		return NULL;
	}
	con->wanted = true;
	return con;
}

void con_close_all(struct script_client *sc)
{
	for (struct ioltp_con *con = sc->cons; con != NULL; con = con->next)
		ioltp_con_disconnect(con);
}

void con_free_all(struct script_client *sc)
{
	while (sc->cons != NULL) {
		struct ioltp_con *con = sc->cons;

		sc->cons = con->next;
		sql_dropped_close(sql_dropped_take(con->sql));
		sql_result_free(con->result);
		sc->hash ^= con->sql->hash * (2u * con->client->id + 1u);
		sql_conn_free(con->sql);
		strbuf_fini(&con->bulk);
		free(con->pipe.labels);
		free(con);
	}
}

/* Waits and tries until it is connected; false: the run ends first. */
static bool reconnect(struct ioltp_con *con)
{
	struct client *c = con->client;
	uint64_t wait = RECONNECT_FIRST_NS;

	for (;;) {
		sql_connect(con->sql);
		if (con->sql->connected) {
			if (c->tally != NULL && c->recording)
				TALLY_ADD(c->tally->reconnects, 1);
			return true;
		}
		if (c->run == NULL || __atomic_load_n(&c->run->stop, __ATOMIC_RELAXED) != 0 ||
		    clock_now_ns(c->clock) >= atomic_load(&c->run->end_ns))
			return false;
		clock_sleep_until(c->clock,
		                  clock_now_ns(c->clock) + wait / 2 +
		                      rng_below(&c->rng[RNG_BACKOFF], wait),
		                  &c->run->stop);
		if (wait < RECONNECT_MAX_NS)
			wait *= 2;
	}
}

bool con_recover(struct client *c)
{
	struct script_client *sc = c->data;

	for (struct ioltp_con *con = sc->cons; con != NULL; con = con->next) {
		if (!con->wanted)
			continue;
		if (con->sql->connected && sql_rollback(con->sql))
			continue;
		if (!reconnect(con))
			return false;
	}
	return true;
}
