/* SPDX-License-Identifier: MIT */
/* What the report says about the server. */
#include <stdlib.h>
#include <string.h>

#include "sql/drv_pgsql.h"

/* In the order of the report, which shows the first ones. */
static const char facts_sql[] =
    "SELECT s.name, s.setting, coalesce(s.unit, '') FROM unnest(ARRAY['synchronous_commit', "
    "'fsync', "
    "'full_page_writes', 'wal_sync_method', 'wal_level', 'shared_buffers', 'data_directory', "
    "'default_transaction_isolation', 'max_wal_size', 'checkpoint_timeout', 'wal_buffers', "
    "'wal_compression', 'commit_delay', 'synchronous_standby_names', 'data_checksums', "
    "'max_connections']) WITH ORDINALITY w(name, place) "
    "JOIN pg_catalog.pg_settings s ON s.name = w.name ORDER BY w.place";

/* Bytes of a unit of pg_settings; 0: it does not count bytes. */
static int64_t unit_bytes(const char *unit)
{
	const int64_t times = unit[0] >= '0' && unit[0] <= '9' ? strtoll(unit, NULL, 10) : 1;
	const char *name = unit + strspn(unit, "0123456789");

	if (strcmp(name, "B") == 0)
		return times;
	if (strcmp(name, "kB") == 0)
		return times * 1024;
	if (strcmp(name, "MB") == 0)
		return times * 1024 * 1024;
	return 0;
}

static void add_setting(struct kv *facts, const char *name, const char *value, const char *unit)
{
	char key[80];

	if (unit_bytes(unit) != 0) {
		snprintf(key, sizeof(key), "%s_bytes", name);
		kv_int(facts, key, strtoll(value, NULL, 10) * unit_bytes(unit));
	} else if (unit[0] != '\0') {
		snprintf(key, sizeof(key), "%s_%s", name, unit);
		kv_int(facts, key, strtoll(value, NULL, 10));
	} else {
		kv_text(facts, name, value);
	}
}

static bool is_off(const struct kv *facts, const char *name)
{
	const struct kv_item *item = kv_find(facts, name);

	return item != NULL && strcmp(item->text, "off") == 0;
}

static void judge(struct kv *facts, bool *durable)
{
	const char *note = NULL;

	if (is_off(facts, "fsync"))
		note =
		    "fsync=off: nothing is flushed; a power cut loses commits and may damage the "
		    "database";
	else if (is_off(facts, "full_page_writes"))
		note =
		    "full_page_writes=off: a power cut in the middle of writing a page may damage "
		    "the database";
	else if (is_off(facts, "synchronous_commit"))
		note =
		    "synchronous_commit=off: commits are flushed later; a power cut loses the last "
		    "ones";
	if (note == NULL)
		return;
	*durable = false;
	kv_text(facts, "durability_note", note);
}

void pgsql_facts(struct sql_conn *conn, struct kv *facts, bool *durable)
{
	struct pgsql_conn *pc = conn->impl;
	PGresult *result;

	kv_text(facts, "engine", "postgresql");
	kv_text(facts, "version", PQparameterStatus(pc->pg, "server_version"));
	pgsql_drop_more(pc);
	result = pgsql_run(conn, facts_sql);
	for (int i = 0; result != NULL && i < PQntuples(result); i++)
		add_setting(facts, PQgetvalue(result, i, 0), PQgetvalue(result, i, 1),
		            PQgetvalue(result, i, 2));
	PQclear(result);
	kv_text(facts, "host", PQhost(pc->pg));
	kv_text(facts, "port", PQport(pc->pg));
	kv_text(facts, "database", PQdb(pc->pg));
	kv_bool(facts, "ssl", PQsslInUse(pc->pg) != 0);
	if (PQsslInUse(pc->pg))
		kv_text(facts, "ssl_protocol", PQsslAttribute(pc->pg, "protocol"));
	kv_int(facts, "libpq_version", PQlibVersion());
	judge(facts, durable);
}
