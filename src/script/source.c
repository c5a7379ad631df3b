/* SPDX-License-Identifier: MIT */
/* source: finding and reading workload files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/datadir.h"
#include "base/strbuf.h"
#include "script/script.h"

static bool is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

int script_data_dir(char **dir, struct err *err)
{
	return data_dir(dir, "lua", err);
}

static int read_stream(FILE *f, struct strbuf *sb)
{
	char block[65536];
	size_t n;

	while ((n = fread(block, 1, sizeof(block), f)) > 0)
		strbuf_add(sb, block, n);
	if (ferror(f))
		return -errno;
	return sb->failed ? -ENOMEM : 0;
}

/* Tries one path; true when it is a file. Takes over nothing. */
static bool try_path(char **found, const char *path)
{
	if (!is_file(path))
		return false;
	*found = strdup(path);
	return *found != NULL;
}

/* As require does: LUA_PATH's templates with '.' of the name as '/'. */
static bool try_lua_path(char **found, const char *name)
{
	const char *templates = getenv("LUA_PATH");
	struct strbuf sb = STRBUF_INIT;
	bool good = false;

	while (templates != NULL && *templates != '\0' && !good) {
		size_t n = strcspn(templates, ";");

		strbuf_reset(&sb);
		for (size_t i = 0; i < n; i++) {
			if (templates[i] != '?') {
				strbuf_addc(&sb, templates[i]);
				continue;
			}
			for (const char *c = name; *c != '\0'; c++)
				strbuf_addc(&sb, (char)(*c == '.' ? '/' : *c));
		}
		good = sb.len != 0 && try_path(found, sb.text);
		templates += n + (templates[n] == ';');
	}
	strbuf_fini(&sb);
	return good;
}

/* a.b is a/b.lua, for require. */
static bool try_module(char **found, const char *name)
{
	char path[4096];
	int n = snprintf(path, sizeof(path), "%s.lua", name);

	if (n < 0 || (size_t)n >= sizeof(path) || strchr(name, '/') != NULL)
		return false;
	for (int i = 0; i < n - 4; i++) {
		if (path[i] == '.')
			path[i] = '/';
	}
	return try_path(found, path);
}

/* The path first, then what require would find: NAME.lua here, on LUA_PATH, bundled. */
static int find(const struct script *s, const char *name, char **found, struct err *err)
{
	char path[4096];

	if (try_path(found, name))
		return 0;
	snprintf(path, sizeof(path), "%s.lua", name);
	if (try_path(found, path) || try_lua_path(found, name) || try_module(found, name))
		return 0;
	snprintf(path, sizeof(path), "%s/%s.lua", s->data_dir, name);
	/* "ioltp/loop" is a part of the program and no workload. */
	if (strchr(name, '/') == NULL && try_path(found, path))
		return 0;
	snprintf(path, sizeof(path), "%s/%s", s->data_dir, name);
	if (strchr(name, '/') == NULL && try_path(found, path))
		return 0;
	if (is_dir(name))
		return err_usage(err, "%s: is a folder, not a workload; name a Lua file in it",
		                 name);
	return err_usage(
	    err, "%s: no such workload or file; see 'ioltp --help' for the bundled workloads",
	    name);
}

int script_add(struct script *s, const char *name, double weight, struct err *err)
{
	struct script_source *src = &s->sources[s->nsources];
	struct strbuf text = STRBUF_INIT;
	FILE *f = stdin;
	int rc;

	if (s->nsources == SCRIPT_SOURCES_MAX)
		return err_usage(err, "--mix: more than %u workloads; give fewer",
		                 SCRIPT_SOURCES_MAX);
	*src = (struct script_source){.weight = weight, .name = strdup(name)};
	s->nsources++;
	if (strcmp(name, "-") == 0) {
		src->path = strdup("stdin");
	} else {
		rc = find(s, name, &src->path, err);
		if (rc != 0)
			return rc;
		f = fopen(src->path, "re");
		if (f == NULL)
			return err_usage(err,
			                 "%s: cannot be read: %s; check its name and permissions",
			                 src->path, strerror(errno));
	}
	rc = read_stream(f, &text);
	if (f != stdin)
		fclose(f);
	src->len = text.len;
	src->text = strbuf_take(&text);
	if (rc != 0 || src->text == NULL)
		return err_usage(err, "%s: cannot be read: %s; check that it is a Lua file",
		                 src->path != NULL ? src->path : name,
		                 strerror(rc != 0 ? -rc : ENOMEM));
	/* Nothing could be wrong with its options, and nothing would be done. */
	if (strspn(src->text, " \t\r\n") == src->len)
		return err_usage(err,
		                 "%s: is empty; give a Lua script, or a workload's name: see "
		                 "'ioltp --help'",
		                 src->path);
	return 0;
}
