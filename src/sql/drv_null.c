/* SPDX-License-Identifier: MIT */
/*
 * The driver without a database: what is left of a run on it is the generator's own cost. It
 * answers at once, or after a delay drawn per statement, and can fail as a deadlock does.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/units.h"
#include "sql/driver.h"
#include "sql/stmt_text.h"

enum latency_kind { LATENCY_NONE, LATENCY_FIXED, LATENCY_EXP, LATENCY_UNIFORM };

struct null_env {
	enum latency_kind latency;
	uint64_t min_ns; /* FIXED: the delay; EXP: the mean */
	uint64_t max_ns; /* UNIFORM */
	uint64_t rows;
	double error_rate;
	bool plain; /* neither delays nor errors */
};

struct null_conn {
	struct rng rng;
	bool in_txn;
};

struct null_stmt {
	enum stmt_txn txn;
};

static const struct opt_desc null_options[] = {
    {.name = "null-latency",
     .type = OPT_STRING,
     .def = "none",
     .help =
         "delay of each statement: none, fixed:TIME, exp:MEAN or uniform:MIN-MAX, as in exp:5ms"},
    {.name = "null-rows",
     .type = OPT_INT,
     .def = "1",
     .range = "0..1000000000",
     .unit = "rows",
     .help = "rows that each SELECT returns"},
    {.name = "null-error-rate",
     .type = OPT_DOUBLE,
     .def = "0",
     .range = "0..1",
     .help = "fraction of the statements, ROLLBACK excepted, that fail as a deadlock does (error "
             "1213)"},
    OPT_END};

/* ---- options ---- */

static int bad_latency(const char *spec, struct err *err)
{
	return err_usage(
	    err, "--null-latency=%s: not a delay; use none, fixed:5ms, exp:5ms or uniform:1ms-5ms",
	    spec);
}

static int parse_uniform(struct null_env *null, const char *range)
{
	const char *dash = strchr(range, '-');
	char low[64];

	if (dash == NULL || (size_t)(dash - range) >= sizeof(low))
		return -EINVAL;
	memcpy(low, range, (size_t)(dash - range));
	low[dash - range] = '\0';
	if (units_parse_time(low, &null->min_ns) != 0 ||
	    units_parse_time(dash + 1, &null->max_ns) != 0 || null->min_ns > null->max_ns)
		return -EINVAL;
	return 0;
}

static int parse_latency(struct null_env *null, const char *spec, struct err *err)
{
	const char *colon = strchr(spec, ':');
	const size_t len = colon != NULL ? (size_t)(colon - spec) : strlen(spec);

	if (strcmp(spec, "none") == 0 || strcmp(spec, "") == 0) {
		null->latency = LATENCY_NONE;
		return 0;
	}
	if (colon == NULL)
		return bad_latency(spec, err);
	if (len == 5 && strncmp(spec, "fixed", len) == 0)
		null->latency = LATENCY_FIXED;
	else if (len == 3 && strncmp(spec, "exp", len) == 0)
		null->latency = LATENCY_EXP;
	else if (len == 7 && strncmp(spec, "uniform", len) == 0)
		null->latency = LATENCY_UNIFORM;
	else
		return bad_latency(spec, err);
	if (null->latency == LATENCY_UNIFORM ? parse_uniform(null, colon + 1) != 0
	                                     : units_parse_time(colon + 1, &null->min_ns) != 0)
		return bad_latency(spec, err);
	return 0;
}

static int null_open(struct sql_env *env, struct err *err)
{
	struct null_env *null = calloc(1, sizeof(*null));
	int rc;

	if (null == NULL)
		return err_run(err, "out of memory");
	rc = parse_latency(null, opt_str(env->options, "null-latency"), err);
	if (rc != 0) {
		free(null);
		return rc;
	}
	null->rows = (uint64_t)opt_int(env->options, "null-rows");
	null->error_rate = opt_double(env->options, "null-error-rate");
	null->plain = null->latency == LATENCY_NONE && null->error_rate <= 0;
	env->impl = null;
	return 0;
}

static void null_close(struct sql_env *env)
{
	free(env->impl);
}

/* ---- connections ---- */

static enum sql_call null_connect(struct sql_conn *conn)
{
	struct null_conn *nc = calloc(1, sizeof(*nc));

	if (nc == NULL) {
		sql_error_set(conn, SQL_FATAL, ENOMEM, NULL, "out of memory for a connection");
		return CALL_DONE;
	}
	/* A new stream for each connect, so that a client that reconnects does not draw the same
	 * again. */
	rng_init(&nc->rng, conn->env->seed, conn->owner | (uint64_t)conn->epoch << 32, RNG_DRIVER);
	conn->impl = nc;
	return CALL_DONE;
}

static void null_disconnect(struct sql_conn *conn)
{
	free(conn->impl);
}

static bool null_in_transaction(struct sql_conn *conn)
{
	return ((struct null_conn *)conn->impl)->in_txn;
}

/* ---- statements ---- */

static uint64_t draw_latency_ns(const struct null_env *null, struct rng *rng)
{
	switch (null->latency) {
	case LATENCY_FIXED:
		return null->min_ns;
	case LATENCY_EXP:
		return (uint64_t)rng_exponential(rng, (double)null->min_ns);
	case LATENCY_UNIFORM:
		return null->min_ns + rng_below(rng, null->max_ns - null->min_ns + 1);
	case LATENCY_NONE:
	default:
		return 0;
	}
}

/* Waits and fails as the options say. False: failed. */
static bool model(struct sql_conn *conn, enum stmt_txn txn)
{
	const struct null_env *null = conn->env->impl;
	struct null_conn *nc = conn->impl;

	if (null->latency != LATENCY_NONE)
		clock_sleep_until(conn->env->clock,
		                  clock_now_ns(conn->env->clock) + draw_latency_ns(null, &nc->rng),
		                  NULL);
	if (null->error_rate > 0 && txn != STMT_ROLLBACK &&
	    rng_double(&nc->rng) < null->error_rate) {
		sql_error_set(conn, SQL_RETRY, 1213, "40001",
		              "modelled deadlock (--null-error-rate); run the transaction again");
		return false;
	}
	return true;
}

/* What every statement does. False: it failed. */
static inline bool run(struct sql_conn *conn, enum stmt_txn txn)
{
	const struct null_env *null = conn->env->impl;

	if (!null->plain && !model(conn, txn))
		return false;
	if (txn != STMT_PLAIN)
		((struct null_conn *)conn->impl)->in_txn = txn == STMT_BEGIN;
	return true;
}

static enum sql_call null_query(struct sql_conn *conn, const char *text, size_t len,
                                struct sql_result **result)
{
	const struct null_env *null = conn->env->impl;
	const enum sql_class class = stmt_class(text, len);

	if (!run(conn, class == SQL_OTHER ? stmt_txn(text, len) : STMT_PLAIN))
		return CALL_DONE;
	if (class == SQL_READ) {
		*result = sql_result_new(conn, 1);
		if (*result != NULL)
			(*result)->nrows = null->rows;
	} else if (class == SQL_WRITE) {
		conn->affected = 1;
	}
	return CALL_DONE;
}

static enum sql_call null_prepare(struct sql_stmt *stmt)
{
	struct null_stmt *ns = malloc(sizeof(*ns));

	if (ns == NULL) {
		sql_error_set(stmt->conn, SQL_FATAL, ENOMEM, NULL, "out of memory for a statement");
		return CALL_DONE;
	}
	ns->txn = stmt_txn(stmt->text, stmt->len);
	if (stmt->class == SQL_READ && sql_result_reshape(stmt->result, 1) != 0) {
		free(ns);
		return CALL_DONE;
	}
	stmt->impl = ns;
	return CALL_DONE;
}

static enum sql_call null_execute(struct sql_stmt *stmt)
{
	struct sql_conn *conn = stmt->conn;

	if (!run(conn, ((const struct null_stmt *)stmt->impl)->txn))
		return CALL_DONE;
	if (stmt->class == SQL_READ) {
		stmt->result->nrows = ((const struct null_env *)conn->env->impl)->rows;
		stmt->has_rows = true;
	} else if (stmt->class == SQL_WRITE) {
		conn->affected = 1;
	}
	return CALL_DONE;
}

static void null_stmt_close(struct sql_stmt *stmt)
{
	free(stmt->impl);
}

static bool null_fetch(struct sql_result *result)
{
	if (result->cursor >= result->nrows)
		return false;
	result->cursor++;
	result->values[0] = (struct sql_value){.text = "null", .len = 4};
	return true;
}

static void null_result_free(struct sql_result *result)
{
	(void)result; /* holds nothing */
}

static void null_quote(struct sql_conn *conn, const char *text, size_t len, struct strbuf *out)
{
	(void)conn;
	strbuf_addc(out, '\'');
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\'')
			strbuf_addc(out, '\'');
		strbuf_addc(out, text[i]);
	}
	strbuf_addc(out, '\'');
}

/* ---- bulk ---- */

static enum sql_call null_bulk_begin(struct sql_conn *conn, const struct bulk_table *table)
{
	(void)table;
	run(conn, STMT_BEGIN);
	return CALL_DONE;
}

static enum sql_call null_bulk_row(struct sql_conn *conn, const struct bulk_value *values)
{
	(void)conn;
	(void)values;
	return CALL_DONE;
}

static enum sql_call null_bulk_end(struct sql_conn *conn, bool commit)
{
	if (!run(conn, commit ? STMT_COMMIT : STMT_ROLLBACK))
		((struct null_conn *)conn->impl)->in_txn = false;
	return CALL_DONE;
}

static void null_facts(struct sql_conn *conn, struct kv *facts, bool *durable)
{
	const struct null_env *null = conn->env->impl;

	kv_text(facts, "engine", "null");
	kv_text(facts, "latency", opt_str(conn->env->options, "null-latency"));
	kv_int(facts, "select_rows", (int64_t)null->rows);
	kv_double(facts, "error_rate", null->error_rate);
	kv_text(facts, "durability_note", "the null driver stores nothing");
	*durable = false;
}

const struct driver_ops driver_null = {
    .name = "null",
    .title = "answers at once or after a modelled delay: what is measured is ioltp itself",
    .caps = CAP_BULK | CAP_IDENTITY | CAP_PREPARE,
    .options = null_options,
    .options_title = "Null driver options",
    .open = null_open,
    .close = null_close,
    .connect = null_connect,
    .disconnect = null_disconnect,
    .in_transaction = null_in_transaction,
    .query = null_query,
    .prepare = null_prepare,
    .execute = null_execute,
    .stmt_close = null_stmt_close,
    .fetch = null_fetch,
    .result_free = null_result_free,
    .quote = null_quote,
    .bulk_begin = null_bulk_begin,
    .bulk_row = null_bulk_row,
    .bulk_end = null_bulk_end,
    .facts = null_facts,
};
