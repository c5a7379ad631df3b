/* SPDX-License-Identifier: MIT */
/* What the server says of itself: version, buffers, and whether a commit survives a power cut. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sql/drv_mysql.h"

enum kind { TEXT, INT };

static const struct {
	const char *variable;
	enum kind kind;
	const char *key;
} wanted[] = {
    {"version", TEXT, "version"},
    {"version_comment", TEXT, "version_comment"},
    {"datadir", TEXT, "data_directory"},
    {"innodb_flush_log_at_trx_commit", INT, "innodb_flush_log_at_trx_commit"},
    {"sync_binlog", INT, "sync_binlog"},
    {"log_bin", TEXT, "log_bin"},
    {"innodb_doublewrite", TEXT, "innodb_doublewrite"},
    {"innodb_flush_method", TEXT, "innodb_flush_method"},
    {"innodb_buffer_pool_size", INT, "innodb_buffer_pool_size_bytes"},
    {"innodb_log_file_size", INT, "innodb_log_file_size_bytes"},
    {"innodb_redo_log_capacity", INT, "innodb_redo_log_capacity_bytes"},
    {"innodb_page_size", INT, "innodb_page_size_bytes"},
    {"innodb_io_capacity", INT, "innodb_io_capacity"},
    {"innodb_use_native_aio", TEXT, "innodb_use_native_aio"},
    {"transaction_isolation", TEXT, "transaction_isolation"},
    {"tx_isolation", TEXT, "transaction_isolation"},
    {"max_connections", INT, "max_connections"},
    {"hostname", TEXT, "server_hostname"},
    {"port", INT, "server_port"},
    {"socket", TEXT, "server_socket"},
};

static void add(struct kv *facts, const char *variable, const char *value)
{
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (strcasecmp(wanted[i].variable, variable) != 0)
			continue;
		if (wanted[i].kind == INT)
			kv_int(facts, wanted[i].key, (int64_t)strtoull(value, NULL, 10));
		else
			kv_text(facts, wanted[i].key, value);
	}
}

/* Session values, which are what this connection's commits follow. False: conn->error tells. */
static bool ask(struct sql_conn *conn, struct kv *facts)
{
	struct strbuf sb = STRBUF_INIT;
	struct sql_result *result = NULL;

	strbuf_adds(&sb, "SHOW VARIABLES WHERE Variable_name IN (");
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		strbuf_addf(&sb, "%s'%s'", i != 0 ? ", " : "", wanted[i].variable);
	strbuf_addc(&sb, ')');
	if (!sb.failed)
		mydrv_query(conn, strbuf_str(&sb), sb.len, &result);
	strbuf_fini(&sb);
	while (result != NULL && mydrv_fetch(result)) {
		if (result->values[0].text != NULL && result->values[1].text != NULL)
			add(facts, result->values[0].text, result->values[1].text);
	}
	sql_result_free(result);
	return conn->error.outcome == SQL_OK;
}

static const char *text_of(const struct kv *facts, const char *key)
{
	const struct kv_item *item = kv_find(facts, key);

	return item != NULL ? item->text : "";
}

static const char *vendor(const struct kv *facts)
{
	static const char *const names[] = {"MariaDB", "Percona", "TiDB", "Aurora"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcasestr(text_of(facts, "version"), names[i]) != NULL ||
		    strcasestr(text_of(facts, "version_comment"), names[i]) != NULL)
			return names[i];
	}
	return "MySQL";
}

static void note(struct strbuf *notes, const char *what)
{
	strbuf_adds(notes, notes->len != 0 ? "; " : "");
	strbuf_adds(notes, what);
}

/* Every setting by which a commit that was reported may be gone after a power cut. */
static void judge(struct kv *facts, bool *durable)
{
	const char *flush = text_of(facts, "innodb_flush_log_at_trx_commit");
	const char *method = text_of(facts, "innodb_flush_method");
	const char *doublewrite = text_of(facts, "innodb_doublewrite");
	struct strbuf notes = STRBUF_INIT;

	if (flush[0] != '\0' && strcmp(flush, "1") != 0 && strcmp(flush, "3") != 0) {
		strbuf_addf(
		    &notes,
		    "innodb_flush_log_at_trx_commit=%s: up to a second of commits may be lost",
		    flush);
	}
	if (strcasecmp(text_of(facts, "log_bin"), "ON") == 0 &&
	    strcmp(text_of(facts, "sync_binlog"), "1") != 0)
		note(&notes, "sync_binlog is not 1: commits that are not in the binary log are "
		             "rolled back after a power cut");
	if (strcasecmp(doublewrite, "OFF") == 0)
		note(&notes, "innodb_doublewrite=OFF: a power cut may tear pages");
	if (strcasecmp(method, "nosync") == 0 || strcasecmp(method, "littlesync") == 0)
		note(&notes, "innodb_flush_method skips flushes");
	*durable = notes.len == 0;
	if (notes.len != 0)
		kv_text(facts, "durability_note", strbuf_str(&notes));
	strbuf_fini(&notes);
}

void mydrv_facts(struct sql_conn *conn, struct kv *facts, bool *durable)
{
	MYSQL *mysql = ((struct mydrv_conn *)conn->impl)->mysql;
	const char *cipher;

	kv_text(facts, "engine", "mysql");
	kv_text(facts, "client_library", MYDRV_LIBRARY);
	kv_text(facts, "client_library_version", mysql_get_client_info());
	if (mysql == NULL) {
		kv_text(facts, "durability_note", "a dry run stores nothing");
		*durable = false;
		return;
	}
	if (!ask(conn, facts))
		return;
	kv_text(facts, "vendor", vendor(facts));
	kv_text(facts, "connection", mysql_get_host_info(mysql));
	cipher = mysql_get_ssl_cipher(mysql);
	kv_text(facts, "tls_cipher", cipher != NULL ? cipher : "none");
	judge(facts, durable);
}
