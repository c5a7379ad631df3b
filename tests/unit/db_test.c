/* SPDX-License-Identifier: MIT */
/* db: the marker's JSON, what is read from a damaged one, settings, the line of a log that tells
 * most, deleting without following links. Servers are the matter of tests/db/instances_*.sh. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "db/db_priv.h"

static char dir[64];

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/ioltp_db_XXXXXX");
	return mkdtemp(dir) != NULL ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return db_remove_tree(dir);
}

static void write_text(const char *name, const char *text)
{
	char path[PATH_MAX];

	db_path(path, "%s/%s", dir, name);
	assert_int_equal(db_write_file(path, text, 0644, (uid_t)-1, (gid_t)-1), 0);
}

static void json_values(void **state)
{
	struct tree t;
	const struct tree *list;

	(void)state;
	assert_int_equal(db_json_parse(" {\"a\": [1, -2.5e1, true, false, \"x\\\"\\\\\\n\\u0009\"],"
	                               " \"b\": {}, \"c\": []} ",
	                               &t),
	                 0);
	list = tree_get(&t, "a");
	assert_int_equal(list->narray, 5);
	assert_true(list->items[0].number == 1 && list->items[1].number == -25);
	assert_true(list->items[2].b && !list->items[3].b);
	assert_string_equal(list->items[4].text, "x\"\\\n\t");
	assert_int_equal(tree_get(&t, "b")->kind, TREE_TABLE);
	assert_int_equal(tree_get(&t, "c")->nitems, 0);
	tree_fini(&t);
}

static void json_refused(void **state)
{
	static const char *const bad[] = {
	    "",
	    "{",
	    "{\"a\"",
	    "{\"a\":",
	    "{\"a\":1",
	    "{\"a\":1,}",
	    "[1,]",
	    "[1 2]",
	    "{1:2}",
	    "\"a",
	    "\"\\x\"",
	    "\"\\u00\"",
	    "\"\\u0000\"",
	    "\"\n\"",
	    "nul",
	    "1 1",
	    "{} x",
	    "[[[[[[[[[]]]]]]]]]",
	    "\"\\",
	};
	struct tree t;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (db_json_parse(bad[i], &t) == 0)
			fail_msg("accepted: %s", bad[i]);
	}
}

static void json_texts(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct tree t;

	(void)state;
	db_json_text(&out, "a\"b\\c\nd\x01");
	assert_string_equal(strbuf_str(&out), "\"a\\\"b\\\\c\\u000ad\\u0001\"");
	assert_int_equal(db_json_parse(strbuf_str(&out), &t), 0);
	assert_string_equal(t.text, "a\"b\\c\nd\x01");
	tree_fini(&t);
	strbuf_fini(&out);
}

/* A db of two instances in `dir`. */
static void make_db(struct db *db)
{
	*db = (struct db){.engine = &db_postgres, .memory_bytes = 1 << 30, .n = 2, .lock_fd = -1};
	strcpy(db->dir, dir);
	strcpy(db->version, "postgres \"15\"");
	strcpy(db->user, "nobody");
	db_boot_id(db->boot_id);
	db->settings = calloc(1, sizeof(*db->settings));
	db->settings[0] = strdup("a=b'c\\d");
	db->nsettings = 1;
	db->instances = calloc(2, sizeof(*db->instances));
	for (unsigned i = 0; i < 2; i++) {
		db->instances[i] =
		    (struct db_instance){.number = i + 1, .port = 20001 + i, .made = i == 0};
		snprintf(db->instances[i].socket, DB_SOCKET_MAX, "%s/%u/run/s", dir, i + 1);
	}
	db->instances[1].pid = 4000000000u;
	db->instances[1].start_ticks = 1ull << 52;
}

static void marker_comes_back(void **state)
{
	struct err err = ERR_INIT;
	struct db db, again;

	(void)state;
	make_db(&db);
	assert_int_equal(db_marker_write(&db, &err), 0);
	assert_int_equal(db_open(&again, dir, true, &err), 0);
	assert_string_equal(db_engine_name(&again), "postgres");
	assert_string_equal(again.version, db.version);
	assert_string_equal(again.user, "nobody");
	assert_int_equal(again.memory_bytes, db.memory_bytes);
	assert_int_equal(again.nsettings, 1);
	assert_string_equal(again.settings[0], db.settings[0]);
	assert_int_equal(again.n, 2);
	assert_int_equal(again.instances[1].pid, 4000000000u);
	assert_true(again.instances[1].start_ticks == 1ull << 52);
	assert_true(again.instances[0].made && !again.instances[1].made);
	assert_string_equal(again.instances[1].socket, db.instances[1].socket);
	assert_int_equal(db_state(&again, 0), DB_STOPPED);
	assert_int_equal(db_state(&again, 1), DB_DEAD);
	db_fini(&again);
	db_fini(&db);
}

/* Every cut and every changed byte of a marker is read or refused, nothing else. */
static void marker_damaged(void **state)
{
	struct err err = ERR_INIT;
	char path[PATH_MAX], *text;
	struct stat st;
	struct db db;
	FILE *in;

	(void)state;
	make_db(&db);
	assert_int_equal(db_marker_write(&db, &err), 0);
	db_marker_path(&db, path);
	assert_int_equal(stat(path, &st), 0);
	text = calloc(1, (size_t)st.st_size + 1);
	in = fopen(path, "r");
	assert_int_equal(fread(text, 1, (size_t)st.st_size, in), st.st_size);
	fclose(in);
	db_fini(&db);
	for (off_t i = 0; i < st.st_size - 2; i++) {
		char kept = text[i];

		for (int c = 0; c < 3; c++) {
			struct err ignored = ERR_INIT;

			text[i] = "\0\"7"[c];
			write_text("ioltp-db.json", text);
			if (db_open(&db, dir, false, &ignored) == 0)
				assert_true(c != 0 && db.n == 2 && db.engine != NULL);
			else
				assert_true(err_is_set(&ignored));
			db_fini(&db);
		}
		text[i] = kept;
	}
	free(text);
}

/* What has our number and not our start time, or was in another boot, is not ours. */
static void processes(void **state)
{
	struct db db;
	pid_t child;
	int status;

	(void)state;
	make_db(&db);
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	db.instances[0].pid = (unsigned)child;
	db.instances[0].start_ticks = db_start_ticks(child);
	assert_true(db_alive(&db, &db.instances[0]));
	db.instances[0].start_ticks++;
	assert_false(db_alive(&db, &db.instances[0]));
	db_signal(&db, &db.instances[0], SIGKILL);
	db.instances[0].start_ticks--;
	db.boot_id[0] ^= 1;
	assert_false(db_alive(&db, &db.instances[0]));
	db_signal(&db, &db.instances[0], SIGKILL);
	db.boot_id[0] ^= 1;
	usleep(50000);
	assert_int_equal(waitpid(child, &status, WNOHANG), 0);
	db_signal(&db, &db.instances[0], SIGTERM);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	assert_int_equal(db_start_ticks(child), 0);
	db_fini(&db);
}

static void settings(void **state)
{
	static const char *const bad[] = {"x",      "=1",     "a b=1", "a=1\nb=2",
	                                  "port=1", "Port=1", "a'=1",  "data-directory=/x"};
	const char *good[] = {"work_mem=1MB", "a.b-c=", "x=y=z"};
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct db db;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err ignored = ERR_INIT;

		if (db_settings_check(&db_postgres, &bad[i], 1, &ignored) == 0)
			fail_msg("accepted: %s", bad[i]);
		assert_int_equal(ignored.status, EXIT_USAGE);
	}
	assert_int_equal(db_settings_check(&db_postgres, good, 3, &err), 0);
	make_db(&db);
	db_settings_text(&db, &db.instances[1], &out);
	assert_non_null(strstr(strbuf_str(&out), "\nport = 20002\n"));
	assert_non_null(strstr(strbuf_str(&out), "\nfsync = on\n"));
	/* 40 % of half of 1 GiB; the user's own at the end, quoted. */
	assert_non_null(strstr(strbuf_str(&out), "\nshared_buffers = 204MB\n"));
	assert_non_null(strstr(strbuf_str(&out), "\na = 'b''c\\\\d'\n"));
	strbuf_reset(&out);
	db.engine = &db_mariadb;
	db_settings_text(&db, &db.instances[0], &out);
	assert_non_null(strstr(strbuf_str(&out), "\ninnodb-buffer-pool-size = 402653184\n"));
	assert_non_null(strstr(strbuf_str(&out), "\ninnodb-flush-log-at-trx-commit = 1\n"));
	assert_non_null(strstr(strbuf_str(&out), "\nbind-address = 127.0.0.1\n"));
	strbuf_fini(&out);
	db_fini(&db);
}

static void log_lines(void **state)
{
	static const struct {
		const char *text, *line;
	} logs[] = {
	    {"", ""},
	    {"one\ntwo\n\n", "two"},
	    {"[ERROR] first\n[ERROR] cause\n[ERROR] Aborting\n", "[ERROR] cause"},
	    {"LOG:  unrecognized configuration parameter \"x\"\nFATAL:  file contains errors\n",
	     "LOG:  unrecognized configuration parameter \"x\""},
	    {"  [ERROR] disk full\nlater\n", "[ERROR] disk full"},
	};
	char path[PATH_MAX], line[64];

	(void)state;
	db_path(path, "%s/log", dir);
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		write_text("log", logs[i].text);
		db_log_line(path, 0, line, sizeof(line));
		assert_string_equal(line, logs[i].line);
	}
	db_log_line("/nonexistent/log", 0, line, sizeof(line));
	assert_string_equal(line, "");
	/* An earlier start's failure is not this one's. */
	write_text("log", "[ERROR] No space left on device\nnew words\n");
	db_log_line(path, 32, line, sizeof(line));
	assert_string_equal(line, "new words");
}

static void deleting(void **state)
{
	char outside[80], path[PATH_MAX];

	(void)state;
	strcpy(outside, "/tmp/ioltp_db_outside_XXXXXX");
	assert_non_null(mkdtemp(outside));
	db_path(path, "%s/kept", outside);
	assert_int_equal(db_write_file(path, "x", 0600, (uid_t)-1, (gid_t)-1), 0);
	db_path(path, "%s/tree", dir);
	assert_int_equal(db_make_dir(path, 0755, NULL), 0);
	db_path(path, "%s/tree/below", dir);
	assert_int_equal(db_make_dir(path, 0700, NULL), 0);
	write_text("tree/below/file", "x");
	db_path(path, "%s/tree/link", dir);
	assert_int_equal(symlink(outside, path), 0);
	/* A link in the place of the directory itself is not followed either. */
	db_path(path, "%s/alias", dir);
	assert_int_equal(symlink(outside, path), 0);
	assert_int_not_equal(db_remove_tree(path), 0);
	assert_int_equal(db_make_dir(path, 0755, NULL), -ENOTDIR);
	db_path(path, "%s/tree", dir);
	assert_int_equal(db_remove_tree(path), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(db_remove_tree(path), 0);
	db_path(path, "%s/kept", outside);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(db_remove_tree(outside), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(json_values),
	    cmocka_unit_test(json_refused),
	    cmocka_unit_test(json_texts),
	    cmocka_unit_test_setup_teardown(marker_comes_back, setup, teardown),
	    cmocka_unit_test_setup_teardown(marker_damaged, setup, teardown),
	    cmocka_unit_test_setup_teardown(processes, setup, teardown),
	    cmocka_unit_test_setup_teardown(settings, setup, teardown),
	    cmocka_unit_test_setup_teardown(log_lines, setup, teardown),
	    cmocka_unit_test_setup_teardown(deleting, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
