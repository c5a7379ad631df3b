/* SPDX-License-Identifier: MIT */
#include "sql/drv_sqlite.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void ask_fact(struct sql_conn *conn, struct kv *facts, const char *pragma, const char *key)
{
	struct sqlite_conn *c = conn->impl;
	char sql[64], answer[64];

	snprintf(sql, sizeof(sql), "PRAGMA %s", pragma);
	if (sqlite_ask(c->db, sql, answer, sizeof(answer)) == SQLITE_OK && answer[0] != '\0')
		kv_int(facts, key, strtoll(answer, NULL, 10));
}

/* cache_size is in pages, or negative in KiB. */
static void cache_fact(struct sql_conn *conn, struct kv *facts)
{
	struct sqlite_conn *c = conn->impl;
	char pages[32], page_size[32];
	long long n;

	if (sqlite_ask(c->db, "PRAGMA cache_size", pages, sizeof(pages)) != SQLITE_OK ||
	    sqlite_ask(c->db, "PRAGMA page_size", page_size, sizeof(page_size)) != SQLITE_OK)
		return;
	n = strtoll(pages, NULL, 10);
	kv_int(facts, "cache_size_bytes", n < 0 ? -n * 1024 : n * strtoll(page_size, NULL, 10));
}

static void size_facts(const char *path, struct kv *facts)
{
	char wal[4096];
	struct stat st;

	kv_text(facts, "path", path);
	if (stat(path, &st) == 0)
		kv_int(facts, "file_size_bytes", (int64_t)st.st_size);
	if ((size_t)snprintf(wal, sizeof(wal), "%s-wal", path) < sizeof(wal) && stat(wal, &st) == 0)
		kv_int(facts, "wal_size_bytes", (int64_t)st.st_size);
	snprintf(wal, sizeof(wal), "%s", path);
	if (strrchr(wal, '/') != NULL) {
		char *slash = strrchr(wal, '/');

		slash[slash == wal ? 1 : 0] = '\0';
		kv_text(facts, "data_directory", wal);
	}
}

/* Those that change what is measured. */
static void compile_facts(struct kv *facts)
{
	static const char *const prefixes[] = {
	    "THREADSAFE",
	    "DEFAULT_SYNCHRONOUS",
	    "DEFAULT_WAL_SYNCHRONOUS",
	    "DEFAULT_PAGE_SIZE",
	    "DEFAULT_MMAP_SIZE",
	    "MAX_MMAP_SIZE",
	    "SECURE_DELETE",
	    "DIRECT_OVERFLOW_READ",
	    "SYSTEM_MALLOC",
	    "OMIT_LOOKASIDE",
	    "DEFAULT_PCACHE_INITSZ",
	    "LIKE_DOESNT_MATCH_BLOBS",
	    "ENABLE_MEMSYS5",
	    "DEBUG",
	};
	struct strbuf list = STRBUF_INIT;
	const char *option;

	for (int i = 0; (option = sqlite3_compileoption_get(i)) != NULL; i++) {
		for (size_t k = 0; k < sizeof(prefixes) / sizeof(prefixes[0]); k++) {
			const size_t len = strlen(prefixes[k]);

			if (strncmp(option, prefixes[k], len) != 0 ||
			    (option[len] != '\0' && option[len] != '='))
				continue;
			strbuf_addf(&list, "%s%s", list.len != 0 ? " " : "", option);
		}
	}
	kv_text(facts, "compile_options", strbuf_str(&list));
	strbuf_fini(&list);
}

/* Why a commit may be lost by a power cut; NULL: it is not. */
static const char *durability_note(const char *journal_mode, int synchronous)
{
	if (strcmp(journal_mode, "off") == 0)
		return "journal_mode=off: no rollback; a crash during a write damages the database";
	if (strcmp(journal_mode, "memory") == 0)
		return "journal_mode=memory: a crash during a write damages the database";
	if (synchronous == 0)
		return "synchronous=off: nothing is flushed; a power cut loses commits and may "
		       "damage the "
		       "database";
	if (strcmp(journal_mode, "wal") == 0 && synchronous == 1)
		return "synchronous=normal in WAL: flushed at checkpoints only; a power cut loses "
		       "the commits "
		       "since";
	if (strcmp(journal_mode, "wal") != 0 && synchronous == 1)
		return "synchronous=normal: the journal's header is not flushed on its own; a "
		       "power cut at the "
		       "wrong moment may damage the database";
	if (strcmp(journal_mode, "delete") == 0 && synchronous == 2)
		return "synchronous=full with journal_mode=delete: the directory is not flushed; a "
		       "power cut "
		       "may undo the last commit (use extra)";
	return NULL;
}

static void durability_facts(struct sql_conn *conn, struct kv *facts, bool *durable)
{
	static const char *const names[] = {"off", "normal", "full", "extra"};
	struct sqlite_conn *c = conn->impl;
	char mode[32], synchronous[32];
	const char *note;
	int level;

	sqlite_ask(c->db, "PRAGMA journal_mode", mode, sizeof(mode));
	sqlite_ask(c->db, "PRAGMA synchronous", synchronous, sizeof(synchronous));
	level = atoi(synchronous);
	kv_text(facts, "journal_mode", mode);
	kv_text(facts, "synchronous", level >= 0 && level <= 3 ? names[level] : synchronous);
	note = durability_note(mode, level);
	kv_text(facts, "durability_note", note);
	*durable = note == NULL;
}

void sqlite_facts(struct sql_conn *conn, struct kv *facts, bool *durable)
{
	const struct sqlite_env *env = sqlite_env_of(conn);
	struct sqlite_conn *c = conn->impl;

	kv_text(facts, "engine", "sqlite");
	kv_text(facts, "version", sqlite3_libversion());
	size_facts(sqlite3_db_filename(c->db, "main"), facts);
	durability_facts(conn, facts, durable);
	ask_fact(conn, facts, "page_size", "page_size_bytes");
	cache_fact(conn, facts);
	ask_fact(conn, facts, "mmap_size", "mmap_size_bytes");
	ask_fact(conn, facts, "wal_autocheckpoint", "wal_autocheckpoint_pages");
	kv_text(facts, "begin", opt_str(conn->env->options, "sqlite-begin"));
	kv_double(facts, "busy_timeout_s", (double)env->busy_timeout_ns / 1e9);
	kv_text(facts, "pretend", opt_str(conn->env->options, "sqlite-pretend"));
	compile_facts(facts);
}
