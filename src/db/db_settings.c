/* SPDX-License-Identifier: MIT */
/* What the user sets, and what the settings file of an instance is made of. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/units.h"
#include "db/db_priv.h"

#define KEY_MAX 128

static const struct db_engine *const engines[] = {&db_mariadb, &db_postgres};

const struct db_engine *db_engine_find(const char *name)
{
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		if (strcmp(engines[i]->name, name) == 0)
			return engines[i];
	}
	return NULL;
}

/* The key with '_' for '-', as engines take both; false: it is none. */
static bool read_key(const char *setting, char key[KEY_MAX])
{
	size_t len = strcspn(setting, "=");

	if (setting[len] != '=' || len == 0 || len >= KEY_MAX)
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = setting[i];

		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.",
		           c) == NULL)
			return false;
		key[i] = (char)(c == '-' ? '_' : c);
	}
	key[len] = '\0';
	return true;
}

int db_settings_check(const struct db_engine *e, const char *const *settings, unsigned n,
                      struct err *err)
{
	for (unsigned i = 0; i < n; i++) {
		char key[KEY_MAX];

		if (!read_key(settings[i], key))
			return err_usage(err,
			                 "--set=%.200s: is no setting; write key=value, as in "
			                 "--set max_connections=500",
			                 settings[i]);
		for (const char *c = strchr(settings[i], '='); *c != '\0'; c++) {
			if ((unsigned char)*c < 0x20)
				return err_usage(err,
				                 "--set: the value of %s has a control "
				                 "character; leave it out",
				                 key);
		}
		for (unsigned k = 0; e->ours[k] != NULL; k++) {
			if (strcasecmp(e->ours[k], key) == 0)
				return err_usage(err,
				                 "--set %s: ioltp sets this one itself, for each "
				                 "instance another; leave it out",
				                 key);
		}
	}
	return 0;
}

static bool one_of(const char *list, const char *value)
{
	size_t len = strlen(value);

	for (const char *at = list; *at != '\0';) {
		size_t n = strcspn(at, "|");

		if (n == len && strncasecmp(at, value, n) == 0)
			return true;
		at += n + (at[n] == '|');
	}
	return false;
}

void db_settings_judge(const struct db *db, const struct log *log)
{
	for (unsigned i = 0; i < db->nsettings; i++) {
		const char *value = strchr(db->settings[i], '=');
		char key[KEY_MAX];

		if (value == NULL || !read_key(db->settings[i], key))
			continue;
		for (const struct db_durability *d = db->engine->durability; d->key != NULL; d++) {
			if (strcasecmp(d->key, key) == 0 && !one_of(d->safe, value + 1))
				log_warn(log,
				         "--set %s: durability is relaxed: after a power cut "
				         "committed transactions may be lost or data damaged",
				         db->settings[i]);
		}
	}
}

void db_settings_text(const struct db *db, const struct db_instance *in, struct strbuf *out)
{
	strbuf_adds(out, "# Written by 'ioltp db start' at each start; change it by --set.\n");
	db->engine->settings(db, in, out);
	for (unsigned i = 0; i < db->nsettings; i++) {
		const char *value = strchr(db->settings[i], '=');
		char key[KEY_MAX];

		/* The last one wins, with both engines. */
		if (value != NULL && read_key(db->settings[i], key))
			db->engine->setting(key, value + 1, out);
	}
}

uint64_t db_machine_memory(void)
{
	uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	FILE *in = fopen("/sys/fs/cgroup/memory.max", "re");
	unsigned long long limit;

	if (in == NULL)
		return bytes;
	if (fscanf(in, "%llu", &limit) == 1 && limit < bytes)
		bytes = limit;
	fclose(in);
	return bytes;
}
