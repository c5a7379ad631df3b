/* SPDX-License-Identifier: MIT */
/* Connecting: the file, the settings and the proof that they took effect. */
#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sql/drv_sqlite.h"

/* ---- pragmas ---- */

int sqlite_ask(struct sqlite3 *db, const char *sql, char *buf, size_t room)
{
	sqlite3_stmt *st;
	int rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);

	buf[0] = '\0';
	if (rc != SQLITE_OK)
		return rc;
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(st, 0);

		snprintf(buf, room, "%s", text != NULL ? text : "");
		rc = SQLITE_OK;
	}
	/* To the end: some pragmas act row by row. */
	while (sqlite3_step(st) == SQLITE_ROW)
		;
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* "PRAGMA name=value"; sets the error. */
static bool set_pragma(struct sql_conn *conn, const char *setting, char *answer, size_t room)
{
	struct sqlite_conn *c = conn->impl;
	char sql[512];
	int rc;

	snprintf(sql, sizeof(sql), "PRAGMA %s", setting);
	rc = sqlite_ask(c->db, sql, answer, room);
	if (rc != SQLITE_OK)
		sqlite_fail(conn, rc);
	return rc == SQLITE_OK;
}

/* SQLite reads words and answers with numbers. -1: not such a word. */
static int word_value(const char *word)
{
	static const struct {
		const char *word;
		int value;
	} words[] = {{"off", 0},  {"false", 0}, {"no", 0},     {"none", 0},       {"default", 0},
	             {"on", 1},   {"true", 1},  {"yes", 1},    {"normal", 1},     {"file", 1},
	             {"full", 2}, {"extra", 3}, {"memory", 2}, {"incremental", 2}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(words[i].word, word) == 0)
			return words[i].value;
	return -1;
}

static bool same_value(const char *name, const char *wanted, const char *answer)
{
	char bare[128], *end, *answer_end;
	long long wanted_number, answer_number;
	size_t len = strlen(wanted);

	if (len >= 2 && (wanted[0] == '\'' || wanted[0] == '"') && wanted[len - 1] == wanted[0]) {
		wanted++;
		len -= 2;
	}
	snprintf(bare, sizeof(bare), "%.*s", (int)len, wanted);
	if (strcasecmp(bare, answer) == 0)
		return true;
	answer_number = strtoll(answer, &answer_end, 10);
	if (*answer == '\0' || *answer_end != '\0')
		return false;
	wanted_number = strtoll(bare, &end, 0);
	if (*bare != '\0' && *end == '\0')
		return wanted_number == answer_number;
	if (strcasecmp(name, "auto_vacuum") == 0 && strcasecmp(bare, "full") == 0)
		return answer_number == 1;
	if (strcasecmp(name, "secure_delete") == 0 && strcasecmp(bare, "fast") == 0)
		return answer_number == 2;
	if (word_value(bare) == 1 && answer_number > 1)
		return strcasecmp(bare, "on") == 0 || strcasecmp(bare, "true") == 0 ||
		       strcasecmp(bare, "yes") == 0; /* cache_spill answers with a size */
	return word_value(bare) >= 0 && word_value(bare) == answer_number;
}

/* These act; reading them back would act again. */
static bool is_action(const char *name)
{
	static const char *const actions[] = {
	    "case_sensitive_like", "foreign_key_check", "incremental_vacuum",
	    "integrity_check",     "optimize",          "quick_check",
	    "shrink_memory",       "wal_checkpoint"};

	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (strcasecmp(actions[i], name) == 0)
			return true;
	return false;
}

static bool is_known(struct sqlite3 *db, const char *name)
{
	char sql[256], answer[8];
	const char *dot = strchr(name, '.'); /* "main.cache_size" */

	snprintf(sql, sizeof(sql),
	         "SELECT count(*) FROM pragma_pragma_list WHERE name = lower('%s')",
	         dot != NULL ? dot + 1 : name);
	/* Unknown ones do nothing and say nothing: this list is the only way to tell. */
	return sqlite_ask(db, sql, answer, sizeof(answer)) != SQLITE_OK || strcmp(answer, "0") != 0;
}

static void refuse_pragma(struct sql_conn *conn, const char *option, const char *why)
{
	sql_error_set(conn, SQL_FATAL, SQLITE_MISUSE, NULL, "--%s: %s", option, why);
}

/* Sets NAME=VALUE and reads it back; `option` is how the user gave it. */
static bool apply(struct sql_conn *conn, const char *setting, const char *option)
{
	struct sqlite_conn *c = conn->impl;
	char name[128], sql[192], answer[128], why[256];
	const char *equals = strchr(setting, '=');

	snprintf(name, sizeof(name), "%.*s", (int)(equals - setting), setting);
	if (!is_known(c->db, name)) {
		refuse_pragma(conn, option, "SQLite does not know this pragma; check its name");
		return false;
	}
	if (!set_pragma(conn, setting, answer, sizeof(answer))) {
		if ((conn->error.code & 0xff) == SQLITE_ERROR) {
			snprintf(why, sizeof(why), "%.200s", conn->error.text);
			refuse_pragma(conn, option, why);
		}
		return false;
	}
	if (is_action(name))
		return true;
	snprintf(sql, sizeof(sql), "PRAGMA %s", name);
	if (sqlite_ask(c->db, sql, answer, sizeof(answer)) == SQLITE_OK &&
	    (answer[0] == '\0' || same_value(name, equals + 1, answer)))
		return true;
	snprintf(
	    why, sizeof(why),
	    "it did not take effect, the value is %s; choose another value, or a new database file",
	    answer);
	refuse_pragma(conn, option, why);
	return false;
}

/* These can only be set before the file has content, or before it is in WAL. */
static bool is_early(const char *pragma)
{
	return strncasecmp(pragma, "page_size=", 10) == 0 ||
	       strncasecmp(pragma, "auto_vacuum=", 12) == 0 ||
	       strncasecmp(pragma, "encoding=", 9) == 0;
}

static bool apply_given(struct sql_conn *conn, bool early)
{
	const char *const *pragmas;
	const unsigned n = opt_list(conn->env->options, "sqlite-pragma", &pragmas);

	for (unsigned i = 0; i < n; i++) {
		char option[256];

		if (is_early(pragmas[i]) != early)
			continue;
		snprintf(option, sizeof(option), "sqlite-pragma=%s", pragmas[i]);
		if (!apply(conn, pragmas[i], option))
			return false;
	}
	return true;
}

static bool apply_options(struct sql_conn *conn)
{
	const struct opt_set *options = conn->env->options;
	const struct sqlite_env *env = sqlite_env_of(conn);
	char setting[64], option[64];

	snprintf(setting, sizeof(setting), "synchronous=%s", env->synchronous);
	snprintf(option, sizeof(option), "sqlite-synchronous=%s", env->synchronous);
	if (!apply(conn, setting, option))
		return false;
	if (opt_given(options, "sqlite-cache-size")) {
		const uint64_t bytes = opt_size_bytes(options, "sqlite-cache-size");

		/* Negative: KiB. Zero pages would be none at all: one KiB is the least. */
		snprintf(setting, sizeof(setting), "cache_size=-%llu",
		         (unsigned long long)(bytes < 1024 ? 1 : bytes / 1024));
		snprintf(option, sizeof(option), "sqlite-cache-size=%llu",
		         (unsigned long long)bytes);
		if (!apply(conn, setting, option))
			return false;
	}
	if (opt_given(options, "sqlite-mmap-size")) {
		const uint64_t bytes = opt_size_bytes(options, "sqlite-mmap-size");

		snprintf(setting, sizeof(setting), "mmap_size=%llu", (unsigned long long)bytes);
		snprintf(option, sizeof(option), "sqlite-mmap-size=%llu",
		         (unsigned long long)bytes);
		if (!apply(conn, setting, option))
			return false;
	}
	return true;
}

static bool enter_journal_mode(struct sql_conn *conn)
{
	const char *wanted = sqlite_env_of(conn)->journal_mode;
	char setting[64], answer[32];
	int tries = 0;

	snprintf(setting, sizeof(setting), "journal_mode=%s", wanted);
	/* SQLite does not call the busy handler for this one. */
	while (!set_pragma(conn, setting, answer, sizeof(answer))) {
		if ((conn->error.code & 0xff) != SQLITE_BUSY || !sqlite_busy(conn, tries++))
			return false;
	}
	memset(&conn->error, 0, sizeof(conn->error));
	if (strcasecmp(answer, wanted) == 0)
		return true;
	sql_error_set(
	    conn, SQL_FATAL, SQLITE_CANTOPEN, NULL,
	    "--sqlite-journal-mode=%s: %s stays in mode %s; close other programs that use it, or "
	    "choose another filesystem (WAL needs shared memory) or mode",
	    wanted, sqlite_env_of(conn)->path, answer);
	return false;
}

/* ---- connections ---- */

static bool prepare_transactions(struct sql_conn *conn)
{
	struct sqlite_conn *c = conn->impl;
	const struct {
		const char *text;
		sqlite3_stmt **st;
	} all[] = {
	    {"BEGIN DEFERRED", &c->begin[BEGIN_DEFERRED]},
	    {"BEGIN IMMEDIATE", &c->begin[BEGIN_IMMEDIATE]},
	    {"BEGIN EXCLUSIVE", &c->begin[BEGIN_EXCLUSIVE]},
	    {"COMMIT", &c->commit},
	    {"ROLLBACK", &c->rollback},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const int rc = sqlite3_prepare_v3(c->db, all[i].text, -1, SQLITE_PREPARE_PERSISTENT,
		                                  all[i].st, NULL);

		if (rc != SQLITE_OK) {
			sqlite_fail(conn, rc);
			return false;
		}
	}
	return true;
}

static void open_database(struct sql_conn *conn)
{
	struct sqlite_env *env = sqlite_env_of(conn);
	struct sqlite_conn *c = conn->impl;
	int rc = sqlite3_open_v2(env->path, &c->db,
	                         SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
	                         opt_str(conn->env->options, "sqlite-vfs"));

	if (rc == SQLITE_OK)
		rc = sqlite_add_functions(conn);
	if (rc != SQLITE_OK) {
		sqlite_fail(conn, rc);
		return;
	}
	sqlite3_extended_result_codes(c->db, 1);
	sqlite3_busy_handler(c->db, sqlite_busy, conn);
	if (apply_given(conn, true) && enter_journal_mode(conn) && apply_options(conn) &&
	    apply_given(conn, false))
		prepare_transactions(conn);
}

enum sql_call sqlite_connect(struct sql_conn *conn)
{
	struct sqlite_env *env = sqlite_env_of(conn);
	struct sqlite_conn *c = calloc(1, sizeof(*c));

	if (c == NULL || sqlite_waiter_init(&c->waiter) != 0) {
		free(c);
		sql_error_set(conn, SQL_FATAL, ENOMEM, NULL, "out of memory for a connection");
		return CALL_DONE;
	}
	conn->impl = c;
	rng_init(&c->rng, conn->env->seed, conn->owner, RNG_BACKOFF);
	pthread_mutex_lock(&env->connecting);
	open_database(conn);
	pthread_mutex_unlock(&env->connecting);
	return CALL_DONE;
}

void sqlite_disconnect(struct sql_conn *conn)
{
	struct sqlite_env *env = sqlite_env_of(conn);
	struct sqlite_conn *c = conn->impl;

	if (c == NULL)
		return;
	sqlite_bulk_drop(conn);
	for (int mode = 0; mode < BEGIN_MODES; mode++)
		sqlite3_finalize(c->begin[mode]);
	sqlite3_finalize(c->commit);
	sqlite3_finalize(c->rollback);
	/* The last one to close checkpoints the WAL and deletes it: one at a time, as when
	 * connecting. */
	pthread_mutex_lock(&env->connecting);
	sqlite3_close_v2(c->db);
	pthread_mutex_unlock(&env->connecting);
	sqlite_turn_release(conn);
	sqlite_waiter_fini(&c->waiter);
	strbuf_fini(&c->rewritten);
	free(c);
}
