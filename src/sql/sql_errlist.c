/* SPDX-License-Identifier: MIT */
#include "sql/sql_errlist.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { STATE_LEN = 5 };

struct entry {
	bool has_code;
	int code;
	char state[STATE_LEN + 1]; /* "": none */
};

struct sql_errlist {
	struct entry *entries;
	unsigned n, room;
	bool all;
};

struct sql_errlist *sql_errlist_new(void)
{
	return calloc(1, sizeof(struct sql_errlist));
}

void sql_errlist_free(struct sql_errlist *list)
{
	if (list == NULL)
		return;
	free(list->entries);
	free(list);
}

static int parse(const char *item, struct entry *entry)
{
	const size_t len = strlen(item);
	char *end;
	long code;

	errno = 0;
	code = strtol(item, &end, 10);
	entry->has_code = len > 0 && *end == '\0' && !isspace((unsigned char)item[0]) &&
	                  errno == 0 && code >= INT_MIN && code <= INT_MAX;
	entry->code = entry->has_code ? (int)code : 0;
	if (len == STATE_LEN) {
		for (size_t i = 0; i < len; i++) {
			if (!isalnum((unsigned char)item[i]))
				return entry->has_code ? 0 : -EINVAL;
			entry->state[i] = (char)toupper((unsigned char)item[i]);
		}
		return 0;
	}
	return entry->has_code ? 0 : -EINVAL;
}

int sql_errlist_add(struct sql_errlist *list, const char *item)
{
	struct entry entry = {0};
	int rc;

	if (strcasecmp(item, "all") == 0) {
		list->all = true;
		return 0;
	}
	rc = parse(item, &entry);
	if (rc != 0)
		return rc;
	if (list->n == list->room) {
		const unsigned room = list->room != 0 ? 2 * list->room : 8;
		struct entry *entries = realloc(list->entries, room * sizeof(*entries));

		if (entries == NULL)
			return -ENOMEM;
		list->entries = entries;
		list->room = room;
	}
	list->entries[list->n++] = entry;
	return 0;
}

bool sql_errlist_has(const struct sql_errlist *list, int code, const char *state)
{
	if (list == NULL)
		return false;
	if (list->all)
		return true;
	for (unsigned i = 0; i < list->n; i++) {
		const struct entry *entry = &list->entries[i];

		if (entry->has_code && entry->code == code)
			return true;
		if (entry->state[0] != '\0' && state != NULL && strcmp(entry->state, state) == 0)
			return true;
	}
	return false;
}
