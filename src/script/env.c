/* SPDX-License-Identifier: MIT */
/* env: drivers of this process, opened when a script first asks for one. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/strbuf.h"
#include "script/state.h"

/* First connections that are made at a time, per CPU and at least: a server that hundreds ask at
 * once answers none of them before their time is over. */
#define CONNECTS_PER_CPU 4u
#define CONNECTS_LEAST   16u

struct script_env {
	pthread_mutex_t lock;
	pthread_cond_t room; /* for another connect */
	unsigned connecting;
	struct sql_env *open[8]; /* in order of first use */
	unsigned n;
};

struct script_env *script_env_new(struct script *s)
{
	struct script_env *e = calloc(1, sizeof(*e));

	(void)s;
	if (e != NULL) {
		pthread_mutex_init(&e->lock, NULL);
		pthread_cond_init(&e->room, NULL);
	}
	return e;
}

void script_env_free(struct script_env *e)
{
	if (e == NULL)
		return;
	for (unsigned i = 0; i < e->n; i++)
		sql_env_close(e->open[i]);
	pthread_cond_destroy(&e->room);
	pthread_mutex_destroy(&e->lock);
	free(e);
}

static void list_names(struct strbuf *sb)
{
	for (const struct driver_ops *const *ops = driver_all(); *ops != NULL; ops++) {
		strbuf_adds(sb, sb->len != 0 ? ", " : "");
		strbuf_adds(sb, (*ops)->name);
	}
}

static struct sql_env *open_locked(struct script *s, const char *name, struct err *err)
{
	const struct driver_ops *ops = driver_find(name);
	struct script_env *e = s->env;
	struct strbuf names = STRBUF_INIT;

	for (unsigned i = 0; i < e->n; i++) {
		if (strcmp(e->open[i]->ops->name, name) == 0)
			return e->open[i];
	}
	if (ops == NULL || e->n == sizeof(e->open) / sizeof(e->open[0])) {
		list_names(&names);
		err_usage(err, "--db-driver=%s: no such driver in this build; there are: %s", name,
		          strbuf_str(&names));
		strbuf_fini(&names);
		return NULL;
	}
	if (sql_env_open(&e->open[e->n], ops, s->options, s->clock, s->log, s->seed, err) != 0)
		return NULL;
	return e->open[e->n++];
}

struct sql_env *script_env_get(struct script *s, const char *name, struct err *err)
{
	struct sql_env *env;

	if (name == NULL || name[0] == '\0')
		name = opt_str(s->options, "db-driver");
	pthread_mutex_lock(&s->env->lock);
	env = open_locked(s, name, err);
	pthread_mutex_unlock(&s->env->lock);
	return env;
}

void script_env_connect(struct script *s, struct sql_conn *conn)
{
	const unsigned most = CONNECTS_PER_CPU * cpu_available();
	struct script_env *e = s->env;

	pthread_mutex_lock(&e->lock);
	while (e->connecting >= (most > CONNECTS_LEAST ? most : CONNECTS_LEAST))
		pthread_cond_wait(&e->room, &e->lock);
	e->connecting++;
	pthread_mutex_unlock(&e->lock);
	sql_connect(conn);
	pthread_mutex_lock(&e->lock);
	e->connecting--;
	pthread_cond_signal(&e->room);
	pthread_mutex_unlock(&e->lock);
}

bool script_facts(struct script *s, const char **driver, struct kv *facts, bool *durable)
{
	struct sql_env *env = NULL;
	struct sql_conn *conn;

	pthread_mutex_lock(&s->env->lock);
	if (s->env->n != 0)
		env = s->env->open[0];
	pthread_mutex_unlock(&s->env->lock);
	if (env == NULL || __atomic_load_n(&s->busy_conns, __ATOMIC_RELAXED) == 0)
		return false;
	*driver = env->ops->name;
	conn = sql_conn_new(env, 0, false);
	if (conn == NULL)
		return true;
	sql_connect(conn);
	if (conn->connected)
		sql_facts(conn, facts, durable);
	sql_conn_free(conn);
	return true;
}

unsigned script_targets(struct script *s, unsigned i, struct strbuf *name)
{
	struct sql_env *env = NULL;

	pthread_mutex_lock(&s->env->lock);
	if (s->env->n != 0)
		env = s->env->open[0];
	pthread_mutex_unlock(&s->env->lock);
	if (env == NULL || __atomic_load_n(&s->busy_conns, __ATOMIC_RELAXED) == 0)
		return 1;
	return sql_targets(env, i, name);
}

const char *script_env_name(struct sql_env *e)
{
	return sql_script_name(e);
}
