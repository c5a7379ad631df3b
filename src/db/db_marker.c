/* SPDX-License-Identifier: MIT */
/* The marker file: what was made in a directory, and which processes were started. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/keys.h"
#include "db/db_priv.h"

#define MARKER_SCHEMA "ioltp-db-1"
#define MARKER_MAX    (1u << 20)
#define SETTINGS_MAX  256u
#define EXACT_INTEGER 0x1p53
#define BOOT_ID_PATH  "/proc/sys/kernel/random/boot_id"

void db_marker_path(const struct db *db, char path[PATH_MAX])
{
	db_path(path, "%s/ioltp-db.json", db->dir);
}

void db_data_path(const struct db *db, unsigned i, char path[PATH_MAX])
{
	db_path(path, "%s/%u/data", db->dir, db->instances[i].number);
}

void db_log_path(const struct db *db, unsigned i, char path[PATH_MAX])
{
	db_path(path, "%s/%u/log", db->dir, db->instances[i].number);
}

void db_password_path(const struct db *db, char path[PATH_MAX])
{
	db_path(path, "%s/password", db->dir);
}

const char *db_engine_name(const struct db *db)
{
	return db->engine->name;
}

void db_boot_id(char id[64])
{
	FILE *in = fopen(BOOT_ID_PATH, "re");

	snprintf(id, 64, "unknown");
	if (in == NULL)
		return;
	if (fgets(id, 64, in) != NULL)
		id[strcspn(id, "\n")] = '\0';
	fclose(in);
}

int db_lock(struct db *db, struct err *err)
{
	db->lock_fd = open(db->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (db->lock_fd < 0)
		return err_usage(err, "%s: %s; name a directory that can be used", db->dir,
		                 strerror(errno));
	if (flock(db->lock_fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	return err_run(err, "%s: another 'ioltp db' is at work there; wait until it is through",
	               db->dir);
}

void db_fini(struct db *db)
{
	for (unsigned i = 0; i < db->nsettings; i++)
		free(db->settings[i]);
	free(db->settings);
	free(db->instances);
	if (db->lock_fd >= 0)
		close(db->lock_fd);
	*db = (struct db){.lock_fd = -1};
}

/* ---- writing ---- */

static void add_text(struct strbuf *out, const char *key, const char *text)
{
	strbuf_addf(out, "  \"%s\": ", key);
	db_json_text(out, text);
	strbuf_adds(out, ",\n");
}

static void add_instance(struct strbuf *out, const struct db *db, unsigned i)
{
	const struct db_instance *in = &db->instances[i];
	char path[PATH_MAX];

	strbuf_addf(out,
	            "    { \"number\": %u, \"port\": %u, \"pid\": %u, \"start_ticks\": %llu, "
	            "\"made\": %s, \"socket\": ",
	            in->number, in->port, in->pid, (unsigned long long)in->start_ticks,
	            in->made ? "true" : "false");
	db_json_text(out, in->socket);
	strbuf_adds(out, ", \"data_directory\": ");
	db_data_path(db, i, path);
	db_json_text(out, path);
	strbuf_adds(out, ", \"log\": ");
	db_log_path(db, i, path);
	db_json_text(out, path);
	strbuf_adds(out, i + 1 < db->n ? " },\n" : " }\n");
}

static char *marker_text(const struct db *db)
{
	struct strbuf out = STRBUF_INIT;

	strbuf_adds(&out, "{\n");
	add_text(&out, "schema", MARKER_SCHEMA);
	add_text(&out, "engine", db->engine->name);
	add_text(&out, "version", db->version[0] != '\0' ? db->version : "unknown");
	add_text(&out, "database", DB_USER);
	add_text(&out, "user", DB_USER);
	add_text(&out, "account", db->user);
	add_text(&out, "boot_id", db->boot_id);
	if (db->socket_dir[0] != '\0')
		add_text(&out, "socket_directory", db->socket_dir);
	strbuf_addf(&out, "  \"made_directory\": %s,\n  \"memory_bytes\": %llu,\n",
	            db->made_dir ? "true" : "false", (unsigned long long)db->memory_bytes);
	strbuf_adds(&out, "  \"settings\": [");
	for (unsigned i = 0; i < db->nsettings; i++) {
		strbuf_adds(&out, i != 0 ? ", " : "");
		db_json_text(&out, db->settings[i]);
	}
	strbuf_adds(&out, "],\n  \"instances\": [\n");
	for (unsigned i = 0; i < db->n; i++)
		add_instance(&out, db, i);
	strbuf_adds(&out, "  ]\n}\n");
	return strbuf_take(&out);
}

int db_marker_write(const struct db *db, struct err *err)
{
	char path[PATH_MAX];
	char *text = marker_text(db);
	int rc = -ENOMEM;

	db_marker_path(db, path);
	if (text != NULL)
		rc = db_write_file(path, text, 0644, (uid_t)-1, (gid_t)-1);
	free(text);
	if (rc == 0)
		return 0;
	return err_run(err, "%s: %s; use a directory that can be written, with space left", path,
	               strerror(-rc));
}

/* ---- reading ---- */

static int read_instance(struct db *db, unsigned i, const struct tree *t, const char *file,
                         struct err *err)
{
	static const struct key keys[] = {
	    {"number", KEY_COUNT, offsetof(struct db_instance, number), 1, 1e6, 0, true, NULL},
	    {"port", KEY_COUNT, offsetof(struct db_instance, port), 1, 65535, 0, true, NULL},
	    {"pid", KEY_COUNT, offsetof(struct db_instance, pid), 0, 0, 0, true, NULL},
	    {"start_ticks", KEY_SIZE, offsetof(struct db_instance, start_ticks), 0, EXACT_INTEGER,
	     0, true, NULL},
	    {"made", KEY_BOOL, offsetof(struct db_instance, made), 0, 0, 0, true, NULL},
	    {"socket", KEY_TEXT, offsetof(struct db_instance, socket), 0, 0, DB_SOCKET_MAX, true,
	     NULL},
	    {.name = "data_directory", .type = KEY_OTHER},
	    {.name = "log", .type = KEY_OTHER},
	};
	struct db_instance *in = &db->instances[i];
	char where[KEYS_WHERE_LEN];
	int rc;

	keys_where(where, "%s: instances[%u]", file, i + 1);
	rc = keys_read(in, t, where, keys, sizeof(keys) / sizeof(keys[0]), err);
	if (rc == 0 && in->number != i + 1)
		rc = err_usage(err, "%s: has the number %u; the file was changed by hand", where,
		               in->number);
	return rc;
}

static int read_settings(struct db *db, const struct tree *t, const char *file, struct err *err)
{
	int n = keys_list(t, 0, SETTINGS_MAX, file, err);

	if (n <= 0)
		return n;
	db->settings = calloc((size_t)n, sizeof(*db->settings));
	for (int i = 0; db->settings != NULL && i < n; i++) {
		if (t->items[i].kind != TREE_TEXT)
			return err_usage(err, "%s: settings[%d] is no text", file, i + 1);
		db->settings[i] = strdup(t->items[i].text);
		if (db->settings[i] == NULL)
			return err_run(err, "%s: out of memory", file);
		db->nsettings++;
	}
	return db->settings != NULL ? 0 : err_run(err, "%s: out of memory", file);
}

static int read_instances(struct db *db, const struct tree *t, const char *file, struct err *err)
{
	int n = keys_list(t, 1, DB_INSTANCES_MAX, file, err);
	int rc = 0;

	if (n < 0)
		return n;
	db->instances = calloc((size_t)n, sizeof(*db->instances));
	if (db->instances == NULL)
		return err_run(err, "%s: out of memory", file);
	db->n = (unsigned)n;
	for (unsigned i = 0; rc == 0 && i < db->n; i++)
		rc = read_instance(db, i, &t->items[i], file, err);
	return rc;
}

static int read_tree(struct db *db, const struct tree *t, const char *file, struct err *err)
{
	static const struct key keys[] = {
	    {.name = "schema", .type = KEY_OTHER, .required = true},
	    {.name = "engine", .type = KEY_OTHER, .required = true},
	    {"version", KEY_TEXT, offsetof(struct db, version), 0, 0, 160, true, NULL},
	    {.name = "database", .type = KEY_OTHER},
	    {.name = "user", .type = KEY_OTHER},
	    {"account", KEY_TEXT, offsetof(struct db, user), 0, 0, 64, true, NULL},
	    {"boot_id", KEY_TEXT, offsetof(struct db, boot_id), 0, 0, 64, true, NULL},
	    {"socket_directory", KEY_TEXT, offsetof(struct db, socket_dir), 0, 0, DB_SOCKET_MAX,
	     false, NULL},
	    {"made_directory", KEY_BOOL, offsetof(struct db, made_dir), 0, 0, 0, true, NULL},
	    {"memory_bytes", KEY_SIZE, offsetof(struct db, memory_bytes), 0, EXACT_INTEGER, 0, true,
	     NULL},
	    {.name = "settings", .type = KEY_OTHER, .required = true},
	    {.name = "instances", .type = KEY_OTHER, .required = true},
	};
	const struct tree *schema, *engine;
	int rc = keys_read(db, t, file, keys, sizeof(keys) / sizeof(keys[0]), err);

	if (rc != 0)
		return rc;
	schema = tree_get(t, "schema");
	engine = tree_get(t, "engine");
	if (schema->kind != TREE_TEXT || strcmp(schema->text, MARKER_SCHEMA) != 0)
		return err_usage(err, "%s: is not of the form %s; another version of ioltp made it",
		                 file, MARKER_SCHEMA);
	db->engine = engine->kind == TREE_TEXT ? db_engine_find(engine->text) : NULL;
	if (db->engine == NULL)
		return err_usage(err, "%s: names no engine that is known here", file);
	rc = read_settings(db, tree_get(t, "settings"), file, err);
	if (rc == 0)
		rc = read_instances(db, tree_get(t, "instances"), file, err);
	return rc;
}

/* The file's text, or NULL with errno. */
static char *read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char *text = NULL;
	ssize_t n = -1;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MARKER_MAX)
		text = calloc(1, (size_t)st.st_size + 1);
	else
		errno = EINVAL;
	if (text != NULL)
		n = read(fd, text, (size_t)st.st_size);
	close(fd);
	if (n >= 0)
		return text;
	free(text);
	return NULL;
}

int db_marker_read(struct db *db, struct err *err)
{
	char path[PATH_MAX];
	struct tree t;
	char *text;
	int rc;

	db_marker_path(db, path);
	text = read_file(path);
	if (text == NULL && errno == ENOENT)
		return err_usage(err,
		                 "%s: no servers were made there (no %s); see 'ioltp db start'",
		                 db->dir, strrchr(path, '/') + 1);
	if (text == NULL)
		return err_usage(err, "%s: %s", path, strerror(errno));
	rc = db_json_parse(text, &t);
	free(text);
	if (rc != 0)
		return err_usage(err, "%s: is no JSON document; it was damaged or changed by hand",
		                 path);
	rc = read_tree(db, &t, path, err);
	tree_fini(&t);
	return rc;
}

int db_open(struct db *db, const char *dir, bool lock, struct err *err)
{
	int rc = 0;

	*db = (struct db){.lock_fd = -1};
	if (realpath(dir, db->dir) == NULL)
		return err_usage(err, "%s: %s; name the directory of 'ioltp db start'", dir,
		                 strerror(errno));
	if (strlen(db->dir) > DB_DIR_MAX)
		return err_usage(err, "%.64s...: the path is too long; use a shorter one", db->dir);
	if (lock)
		rc = db_lock(db, err);
	return rc == 0 ? db_marker_read(db, err) : rc;
}
