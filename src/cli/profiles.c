/* SPDX-License-Identifier: MIT */
#include "cli/profiles.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/datadir.h"
#include "base/near.h"
#include "base/strbuf.h"
#include "scenario/plan.h"
#include "scenario/reader.h"

#define NAMES_MAX 256u
#define FEW_NAMES 8u /* that an error can name */

/* Names without ".lua", in order. */
struct names {
	char *names[NAMES_MAX];
	size_t n;
	char *dir;
};

static bool is_lua(const char *name)
{
	size_t len = strlen(name);

	return len > 4 && strcmp(name + len - 4, ".lua") == 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_fini(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->names[i]);
	free(names->dir);
}

static int names_init(struct names *names, const char *folder, struct err *err)
{
	struct strbuf dir = STRBUF_INIT;
	struct dirent *e;
	char *data;
	DIR *d;
	int rc;

	*names = (struct names){0};
	rc = data_dir(&data, "scenarios", err);
	if (rc != 0)
		return rc;
	strbuf_adds(&dir, data);
	if (strcmp(folder, ".") != 0)
		strbuf_addf(&dir, "/%s", folder);
	free(data);
	names->dir = strbuf_take(&dir);
	if (names->dir == NULL)
		return -ENOMEM;
	d = opendir(names->dir);
	if (d == NULL)
		return err_usage(err, "%s: cannot be read: %s; install ioltp or set IOLTP_DATADIR",
		                 names->dir, strerror(errno));
	while (names->n < NAMES_MAX && (e = readdir(d)) != NULL) {
		if (!is_lua(e->d_name))
			continue;
		names->names[names->n] = strndup(e->d_name, strlen(e->d_name) - 4);
		if (names->names[names->n] != NULL)
			names->n++;
	}
	closedir(d);
	qsort(names->names, names->n, sizeof(names->names[0]), by_name);
	return 0;
}

static bool same_name(const char *a, const char *b)
{
	for (; *a != '\0' && *b != '\0'; a++, b++) {
		if ((*a == '_' ? '-' : *a) != (*b == '_' ? '-' : *b))
			return false;
	}
	return *a == *b;
}

static int no_such(const char *name, const char *what, const struct names *names, struct err *err)
{
	const char *near = near_name(name, (const char *const *)names->names, names->n);
	struct strbuf all = STRBUF_INIT;

	for (size_t i = 0; i < names->n && names->n <= FEW_NAMES; i++)
		strbuf_addf(&all, "%s%s", i == 0 ? "there are " : ", ", names->names[i]);
	if (near != NULL)
		err_usage(err, "%s: no such %s or file; did you mean %s?", name, what, near);
	else
		err_usage(err, "%s: no such %s or file; %s", name, what,
		          all.len != 0 ? strbuf_str(&all) : "'list' shows what there is");
	strbuf_fini(&all);
	return -EINVAL;
}

int profiles_find(char **path, const char *folder, const char *name, const char *what,
                  struct err *err)
{
	struct names names;
	struct strbuf found = STRBUF_INIT;
	int rc;

	*path = NULL;
	if (strchr(name, '/') != NULL || is_lua(name)) {
		*path = strdup(name);
		return *path != NULL ? 0 : -ENOMEM;
	}
	rc = names_init(&names, folder, err);
	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		if (same_name(names.names[i], name))
			strbuf_addf(&found, "%s/%s.lua", names.dir, names.names[i]);
	}
	if (rc == 0 && found.len == 0)
		rc = no_such(name, what, &names, err);
	if (rc == 0)
		*path = strbuf_take(&found);
	strbuf_fini(&found);
	names_fini(&names);
	return rc == 0 && *path == NULL ? -ENOMEM : rc;
}

static int load_file(struct raw_profile *p, const char *path, struct err *err)
{
	struct tree tree;
	int rc = reader_load(&tree, path, err);

	if (rc != 0)
		return rc;
	rc = profile_from_tree(p, &tree, path, err);
	tree_fini(&tree);
	return rc;
}

int profiles_load(struct raw_profile *p, const char *name, struct err *err)
{
	char *path;
	int rc = profiles_find(&path, "raw", name, "profile", err);

	if (rc == 0)
		rc = load_file(p, path, err);
	free(path);
	return rc;
}

int profiles_list(FILE *out, struct err *err)
{
	struct raw_profile *p = calloc(1, sizeof(*p));
	struct names names = {0};
	struct strbuf path = STRBUF_INIT;
	int rc = p != NULL ? names_init(&names, "raw", err) : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		strbuf_reset(&path);
		strbuf_addf(&path, "%s/%s.lua", names.dir, names.names[i]);
		rc = load_file(p, strbuf_str(&path), err);
		if (rc == 0)
			fprintf(out, "%-26s %s%s\n", names.names[i], p->title,
			        p->modelled[0] != '\0' ? " (modelled)" : "");
	}
	strbuf_fini(&path);
	names_fini(&names);
	free(p);
	return rc;
}

static int list_scenario(FILE *out, const struct names *names, size_t i, struct plan *plan,
                         struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	struct tree tree;
	int rc;

	strbuf_addf(&path, "%s/%s.lua", names->dir, names->names[i]);
	rc = reader_load(&tree, strbuf_str(&path), err);
	if (rc == 0) {
		rc = plan_from_tree(plan, &tree, strbuf_str(&path), err);
		tree_fini(&tree);
	}
	if (rc == 0)
		fprintf(out, "%-26s %s\n", names->names[i], plan->title);
	strbuf_fini(&path);
	return rc;
}

int profiles_list_scenarios(FILE *out, struct err *err)
{
	struct plan *plan = calloc(1, sizeof(*plan));
	struct names names = {0};
	int rc = plan != NULL ? names_init(&names, ".", err) : err_run(err, "out of memory");

	for (size_t i = 0; rc == 0 && i < names.n; i++)
		rc = list_scenario(out, &names, i, plan, err);
	names_fini(&names);
	free(plan);
	return rc;
}
