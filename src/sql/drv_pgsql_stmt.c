/* SPDX-License-Identifier: MIT */
/*
 * Prepared statements. They are prepared when their parameters are bound, because the types of
 * these are a part of them: numbers then travel in binary, which costs least on both sides. Texts
 * travel as texts of no type, so that the server takes them for what is wanted, as it does with a
 * literal in quotes.
 */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sql/drv_pgsql.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Closed statements are deallocated together when they are so many. */
enum { GARBAGE_MAX = 32 };

/* ---- types ---- */

static Oid oid_of(int type)
{
	static const Oid oids[SQL_TYPE_COUNT] = {
	    [SQL_TYPE_TINYINT] = OID_INT2,       [SQL_TYPE_SMALLINT] = OID_INT2,
	    [SQL_TYPE_INT] = OID_INT4,           [SQL_TYPE_BIGINT] = OID_INT8,
	    [SQL_TYPE_FLOAT] = OID_FLOAT4,       [SQL_TYPE_DOUBLE] = OID_FLOAT8,
	    [SQL_TYPE_TIME] = OID_TIME,          [SQL_TYPE_DATE] = OID_DATE,
	    [SQL_TYPE_DATETIME] = OID_TIMESTAMP, [SQL_TYPE_TIMESTAMP] = OID_TIMESTAMP,
	};

	return type > 0 && type < SQL_TYPE_COUNT ? oids[type] : (Oid)OID_UNKNOWN;
}

/* Bytes of its binary form; 0: sent as text. */
static int binary_size(Oid oid)
{
	switch (oid) {
	case OID_INT2:
		return 2;
	case OID_INT4:
	case OID_FLOAT4:
		return 4;
	case OID_INT8:
	case OID_FLOAT8:
		return 8;
	default:
		return 0;
	}
}

/* Fits the arrays to the bound parameters. True: the types are others than before. */
static bool take_types(struct sql_stmt *stmt)
{
	struct pgsql_stmt *ps = stmt->impl;
	bool changed = false;

	for (unsigned i = 0; i < stmt->nparams; i++) {
		const Oid oid = oid_of(stmt->params[i]->type);

		changed = changed || oid != ps->oids[i];
		ps->oids[i] = oid;
		ps->lengths[i] = binary_size(oid);
		ps->formats[i] = ps->lengths[i] != 0;
	}
	return changed;
}

/* ---- preparing ---- */

static void add_mark(void *ctx, unsigned index, struct strbuf *out)
{
	(void)ctx;
	strbuf_addf(out, "$%u", index + 1);
}

static bool make_arrays(struct pgsql_stmt *ps, unsigned n)
{
	char *block =
	    calloc(n, sizeof(*ps->words) + sizeof(*ps->values) + sizeof(*ps->copies) +
	                  sizeof(*ps->oids) + sizeof(*ps->lengths) + sizeof(*ps->formats));

	if (block == NULL)
		return false;
	ps->words = (void *)block;
	ps->values = (void *)(ps->words + n);
	ps->copies = (void *)(ps->values + n);
	ps->oids = (void *)(ps->copies + n);
	ps->lengths = (void *)(ps->oids + n);
	ps->formats = ps->lengths + n;
	return true;
}

static void no_memory(struct sql_conn *conn)
{
	sql_error_set(conn, SQL_FATAL, ENOMEM, NULL, "out of memory for a statement");
}

/* The name is not used again; the server forgets the statement later. */
static void retire(struct pgsql_conn *pc, struct pgsql_stmt *ps)
{
	if (!ps->prepared)
		return;
	ps->prepared = false;
	strbuf_addf(&pc->garbage, "DEALLOCATE %s;", ps->name);
	pc->ngarbage++;
}

/* Outside of transactions only, where its failure would fail more than itself. False: failed. */
static bool collect_garbage(struct sql_conn *conn)
{
	struct pgsql_conn *pc = conn->impl;
	PGresult *result;

	if (pc->ngarbage < GARBAGE_MAX || pc->pipe_open ||
	    PQtransactionStatus(pc->pg) != PQTRANS_IDLE)
		return true;
	pc->ngarbage = 0;
	result = pc->garbage.failed ? NULL : pgsql_run(conn, strbuf_str(&pc->garbage));
	strbuf_reset(&pc->garbage);
	PQclear(result);
	return conn->error.outcome == SQL_OK;
}

/* On the server, under a name of its own. False: failed. */
static bool prepare_now(struct sql_stmt *stmt)
{
	struct sql_conn *conn = stmt->conn;
	struct pgsql_conn *pc = conn->impl;
	struct pgsql_stmt *ps = stmt->impl;
	PGresult *result;

	pgsql_drop_more(pc);
	if (!collect_garbage(conn))
		return false;
	snprintf(ps->name, sizeof(ps->name), "s%u", pc->next_name++);
	if (!PQsendPrepare(pc->pg, ps->name, ps->text.text, (int)stmt->nparams, ps->oids)) {
		pgsql_call_failed(conn, "preparing a statement");
		return false;
	}
	/* Inside a pipeline what is on its way comes first, and its failure is ours. */
	if (pc->pipe_open) {
		pgsql_pipe_sent(pc, STMT_PLAIN, false);
		ps->prepared = pgsql_pipe_collect(conn);
		return ps->prepared;
	}
	result = pgsql_single(conn);
	ps->prepared = result != NULL;
	PQclear(result);
	return ps->prepared;
}

enum sql_call pgsql_prepare(struct sql_stmt *stmt)
{
	struct sql_conn *conn = stmt->conn;
	struct pgsql_stmt *ps = calloc(1, sizeof(*ps));

	stmt->impl = ps;
	if (ps == NULL || (stmt->nparams != 0 && !make_arrays(ps, stmt->nparams))) {
		no_memory(conn);
		return CALL_DONE;
	}
	stmt_replace_marks(stmt->text, stmt->len, DIALECT_PGSQL, add_mark, NULL, &ps->text);
	if (ps->text.failed || ps->text.text == NULL) {
		strbuf_adds(&ps->text, "");
		no_memory(conn);
		return CALL_DONE;
	}
	ps->txn = stmt_txn(stmt->text, stmt->len);
	ps->writes = stmt_lasts(stmt->text, stmt->len, DIALECT_PGSQL, false);
	ps->simple = ps->txn != STMT_PLAIN && stmt->nparams == 0;
	return stmt->nparams == 0 || stmt->bound ? pgsql_bind(stmt) : CALL_DONE;
}

enum sql_call pgsql_bind(struct sql_stmt *stmt)
{
	struct pgsql_stmt *ps = stmt->impl;

	if (take_types(stmt))
		retire(stmt->conn->impl, ps);
	if (!ps->prepared && !ps->simple)
		prepare_now(stmt);
	return CALL_DONE;
}

void pgsql_stmt_close(struct sql_stmt *stmt)
{
	struct pgsql_stmt *ps = stmt->impl;

	retire(stmt->conn->impl, ps);
	for (unsigned i = 0; ps->copies != NULL && i < stmt->nparams; i++)
		free(ps->copies[i]);
	strbuf_fini(&ps->text);
	free(ps->words);
	free(ps);
	stmt->impl = NULL;
}

/* ---- parameters ---- */

static bool out_of_range(struct sql_conn *conn, unsigned i, int64_t value, const char *type)
{
	sql_error_set(conn, SQL_FATAL, 0, "22003",
	              "parameter %u: %" PRId64 " is out of range for type %s", i + 1, value, type);
	return false;
}

/* libpq takes a text up to its NUL. */
static bool fill_text(struct sql_conn *conn, struct pgsql_stmt *ps, unsigned i,
                      const struct sql_param *p)
{
	const size_t len = sql_param_len(p);

	if (len != 0 && memchr(p->buf, '\0', len) != NULL) {
		sql_error_set(
		    conn, SQL_FATAL, 0, "22021",
		    "parameter %u: a string with a NUL byte, which PostgreSQL cannot hold", i + 1);
		return false;
	}
	if (len < p->room && p->buf[len] == '\0') {
		ps->values[i] = p->buf;
		return true;
	}
	free(ps->copies[i]);
	ps->copies[i] = len != 0 ? strndup(p->buf, len) : strdup("");
	ps->values[i] = ps->copies[i];
	if (ps->copies[i] == NULL)
		no_memory(conn);
	return ps->copies[i] != NULL;
}

static bool fill_one(struct sql_conn *conn, struct pgsql_stmt *ps, unsigned i,
                     const struct sql_param *p)
{
	const float single = (float)p->d;
	uint32_t word32;
	uint64_t word64;

	switch (ps->oids[i]) {
	case OID_INT2:
		if (p->i != (int16_t)p->i)
			return out_of_range(conn, i, p->i, "smallint");
		*(uint16_t *)(void *)&ps->words[i] = htobe16((uint16_t)p->i);
		break;
	case OID_INT4:
		if (p->i != (int32_t)p->i)
			return out_of_range(conn, i, p->i, "integer");
		*(uint32_t *)(void *)&ps->words[i] = htobe32((uint32_t)p->i);
		break;
	case OID_INT8:
		ps->words[i] = htobe64((uint64_t)p->i);
		break;
	case OID_FLOAT4:
		memcpy(&word32, &single, sizeof(word32));
		*(uint32_t *)(void *)&ps->words[i] = htobe32(word32);
		break;
	case OID_FLOAT8:
		memcpy(&word64, &p->d, sizeof(word64));
		ps->words[i] = htobe64(word64);
		break;
	default:
		return fill_text(conn, ps, i, p);
	}
	ps->values[i] = (const char *)&ps->words[i];
	return true;
}

static bool fill(struct sql_stmt *stmt, struct pgsql_stmt *ps)
{
	for (unsigned i = 0; i < stmt->nparams; i++) {
		const struct sql_param *p = stmt->params[i];

		if (p->is_null || p->type == SQL_TYPE_NONE)
			ps->values[i] = NULL;
		else if (!fill_one(stmt->conn, ps, i, p))
			return false;
	}
	return true;
}

/* ---- executing ---- */

static int send(struct sql_stmt *stmt, struct pgsql_conn *pc, struct pgsql_stmt *ps)
{
	if (ps->simple)
		return PQsendQuery(pc->pg, ps->text.text);
	return PQsendQueryPrepared(pc->pg, ps->name, (int)stmt->nparams, ps->values, ps->lengths,
	                           ps->formats, 0);
}

/* Takes the result over, or frees it. */
static void settle(struct sql_stmt *stmt, struct pgsql_stmt *ps, PGresult *pg)
{
	struct sql_conn *conn = stmt->conn;
	struct sql_result *result = stmt->result;
	unsigned nfields;

	if (PQresultStatus(pg) != PGRES_TUPLES_OK) {
		pgsql_command_done(conn, pg, ps->txn == STMT_COMMIT);
		PQclear(pg);
		return;
	}
	nfields = (unsigned)PQnfields(pg);
	if (nfields != result->nfields && sql_result_reshape(result, nfields) != 0) {
		PQclear(pg);
		return;
	}
	result->impl = pg;
	result->nrows = (uint64_t)PQntuples(pg);
	conn->affected = result->nrows;
	stmt->has_rows = true;
}

void pgsql_forget_plans(struct sql_conn *conn)
{
	struct pgsql_conn *pc = conn->impl;

	pc->stale = false;
	for (struct sql_stmt *s = conn->stmts; s != NULL; s = s->next)
		if (s->impl != NULL)
			retire(pc, s->impl);
	conn->error.outcome = SQL_RETRY;
}

/* Once more after its plan was found stale; inside a transaction, which has failed by that, the
 * event must run again instead. */
static enum sql_call execute_again(struct sql_stmt *stmt)
{
	struct sql_conn *conn = stmt->conn;

	pgsql_forget_plans(conn);
	if (pgsql_in_transaction(conn))
		return CALL_DONE;
	conn->error = (struct sql_error){.outcome = SQL_OK};
	return prepare_now(stmt) ? pgsql_execute(stmt) : CALL_DONE;
}

static enum sql_call execute_piped(struct sql_stmt *stmt)
{
	struct sql_conn *conn = stmt->conn;
	struct pgsql_conn *pc = conn->impl;
	struct pgsql_stmt *ps = stmt->impl;

	if (ps->simple)
		pgsql_pipe_text(conn, ps->text.text, ps->text.len);
	else if (send(stmt, pc, ps))
		pgsql_pipe_sent(pc, ps->txn, ps->writes);
	else
		pgsql_call_failed(conn, "sending a statement");
	pgsql_pipe_lost(conn, false);
	return CALL_DONE;
}

enum sql_call pgsql_execute(struct sql_stmt *stmt)
{
	struct sql_conn *conn = stmt->conn;
	struct pgsql_conn *pc = conn->impl;
	struct pgsql_stmt *ps = stmt->impl;
	PGresult *result;

	if (UNLIKELY(!ps->prepared && !ps->simple && !prepare_now(stmt)))
		return CALL_DONE;
	if (UNLIKELY(!fill(stmt, ps)))
		return CALL_DONE;
	if (UNLIKELY(pc->pipe_open))
		return execute_piped(stmt);
	if (UNLIKELY(pc->nmore != 0))
		pgsql_drop_more(pc);
	if (UNLIKELY(!send(stmt, pc, ps))) {
		pgsql_call_failed(conn, "sending a statement");
		return CALL_DONE;
	}
	result = pgsql_single(conn);
	if (UNLIKELY(result == NULL))
		return pc->stale ? execute_again(stmt) : CALL_DONE;
	settle(stmt, ps, result);
	return CALL_DONE;
}
